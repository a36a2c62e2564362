//! Results as they are saved, printed and drawn; `benches/peers` has the same.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// What one run of a program measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    pub about: About,
    pub rows: Vec<Row>,
}

/// Where, when and on what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The program that measured.
    pub program: String,
    pub device: String,
    pub driver: String,
    /// Whether the device is simulated, so that the figures say nothing of a GPU.
    pub simulated: bool,
    /// The processor, and how many cores the program may use.
    pub host: String,
    /// Of the first measurement, in UTC: `2026-11-30`.
    pub date: String,
    /// Name and version of each library measured.
    pub libraries: Vec<String>,
}

/// The times of one piece of work at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub library: String,
    /// What was done.
    pub work: String,
    /// The size it was done at.
    pub bytes: u64,
    /// The bytes that one call moves, each counted once; 0 if it moves none.
    pub moves: u64,
    /// The threads that did it at once.
    pub threads: u32,
    pub runs: usize,
    /// Of one call on one thread, in nanoseconds.
    pub median: f64,
    /// A tenth of the calls were faster.
    pub p10: f64,
    /// A tenth of the calls were slower.
    pub p90: f64,
    /// The calls themselves, where rounds are still to be joined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<f64>,
}

impl Row {
    /// A row of the times of calls, in nanoseconds.
    ///
    /// # Panics
    /// If there are none.
    pub fn new(library: &str, work: &str, bytes: u64, moves: u64, threads: u32, mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        // Of a tenth of a nanosecond: read back from a file, each is the same number.
        let at = |part: f64| (samples[((samples.len() - 1) as f64 * part).round() as usize] * 10.0).round() / 10.0;
        Self {
            library: library.into(),
            work: work.into(),
            bytes,
            moves,
            threads,
            runs: samples.len(),
            median: at(0.5),
            p10: at(0.1),
            p90: at(0.9),
            samples: Vec::new(),
        }
    }

    /// Bytes a nanosecond, which are GB a second, of all threads together, at a time of the row's.
    pub fn rate(&self, nanoseconds: f64) -> f64 {
        self.moves as f64 * f64::from(self.threads) / nanoseconds
    }
}

impl Results {
    /// # Errors
    /// If the file cannot be read or holds something else.
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text = fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let read = serde_json::from_str(&text);
        read.map_err(|error| format!("{} holds no results of a measurement: {error}", path.display()).into())
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        // A row a line, so that a change of results can be read.
        let rows = self.rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?.join(",\n");
        let text = format!("{{\"about\":{},\"rows\":[\n{rows}\n]}}\n", serde_json::to_string(&self.about)?);
        fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()).into())
    }
}

impl About {
    /// What is to be said of the machine, on one line.
    pub fn line(&self) -> String {
        let Self { device, driver, host, date, .. } = self;
        if self.simulated {
            format!("{device} on {host}, {date}: the speed of the simulator, not of a GPU")
        } else {
            format!("{device}, {driver}, {host}, {date}")
        }
    }
}

/// A size in the largest unit that divides it: `64 KiB`.
pub fn size_name(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{} KiB", rounded(bytes, 10)),
        0x10_0000..0x4000_0000 => format!("{} MiB", rounded(bytes, 20)),
        _ => format!("{} GiB", rounded(bytes, 30)),
    }
}

fn rounded(bytes: u64, shift: u32) -> f64 {
    (bytes as f64 / (1_u64 << shift) as f64 * 10.0).round() / 10.0
}

/// The processor's name and the cores that this process may use.
pub fn host() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let unit = if cores == 1 { "core" } else { "cores" };
    format!("{}, {cores} {unit}", name.unwrap_or("unknown processor"))
}

/// The version of NVIDIA's kernel driver, where one is loaded: `580.159.04`.
pub fn kernel_driver() -> Option<String> {
    let text = fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let is_version = |word: &&str| word.contains('.') && word.chars().all(|char| char.is_ascii_digit() || char == '.');
    text.lines().next()?.split_whitespace().find(is_version).map(str::to_owned)
}

/// Today in UTC.
pub fn today() -> String {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}
