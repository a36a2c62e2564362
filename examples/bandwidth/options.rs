//! What the program is asked for.

use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) const USAGE: &str = "\
usage: bandwidth [--max-bytes N] [--out DIR] [--json FILE]   measures, prints a table and draws plots
       bandwidth --draw FILE... [--out DIR]                  draws plots of results that were saved
  --max-bytes N  the largest size, as 65536, 64K, 16M or 1G; 1G if not given, 16M on the simulated device
  --out DIR      where the plots go, made if it is missing; `bandwidth` in cargo's target directory if not given
  --json FILE    saves the results";

#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) max_bytes: Option<usize>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) json: Option<PathBuf>,
    /// Results to draw, if nothing is to be measured.
    pub(crate) draw: Vec<PathBuf>,
    pub(crate) help: bool,
}

impl Options {
    pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Result<Self, Box<dyn Error>> {
        let mut options = Self::default();
        let (mut drawing, mut arguments) = (false, arguments);
        while let Some(argument) = arguments.next() {
            let mut value = |what: &str| arguments.next().ok_or_else(|| format!("{what} takes a value\n{USAGE}"));
            match argument.to_str() {
                Some("--max-bytes") => options.max_bytes = Some(size(&value("--max-bytes")?)?),
                Some("--out") => options.out = Some(value("--out")?.into()),
                Some("--json") => options.json = Some(value("--json")?.into()),
                Some("--draw") => drawing = true,
                Some("--help" | "-h") => options.help = true,
                Some(other) if other.starts_with('-') => return Err(format!("no option {other}\n{USAGE}").into()),
                _ if drawing => options.draw.push(argument.into()),
                _ => return Err(format!("no argument {} is taken\n{USAGE}", argument.display()).into()),
            }
        }
        if drawing && options.draw.is_empty() {
            return Err(format!("--draw takes the files that --json wrote\n{USAGE}").into());
        }
        if drawing && (options.max_bytes.is_some() || options.json.is_some()) {
            return Err(format!("--draw measures nothing: leave --max-bytes and --json out\n{USAGE}").into());
        }
        Ok(options)
    }
}

/// A size of at least two steps, which a line is drawn between, as 65536, 64K, 16M or 1G.
fn size(text: &OsString) -> Result<usize, Box<dyn Error>> {
    let wrong = || format!("--max-bytes takes a size from 16 on, as 65536, 64K, 16M or 1G, not {}", text.display());
    let text = text.to_str().ok_or_else(wrong)?;
    let (digits, shift) = match text.char_indices().last() {
        Some((at, 'K')) => (&text[..at], 10),
        Some((at, 'M')) => (&text[..at], 20),
        Some((at, 'G')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let bytes = digits.parse::<usize>().ok().and_then(|count| count.checked_mul(1 << shift));
    Ok(bytes.filter(|&bytes| bytes >= 16).ok_or_else(wrong)?)
}
