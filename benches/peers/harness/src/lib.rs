//! One harness for every library: each implements [`Worker`], and is run in a process of its own, so that none finds the
//! driver as another left it. The wait is inside the measured time, every copy is verified, destinations hold something
//! else before, and no page is touched for the first time by a measured copy.

pub mod in_turns;
mod merge;
mod pattern;
pub mod raw;
#[path = "../../../../examples/bandwidth/results.rs"]
#[allow(dead_code)]
pub mod results;
mod rows;
mod sample;
mod threads;
mod works;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use results::{About, Results, Row};
use rows::Rows;

/// What one thread does with a library, with a stream of its own where the library has streams. Lengths are bytes, and those
/// of both sides of a copy are the same. A call that fails panics, and what was measured until then is in the file.
pub trait Worker {
    /// Name and version.
    const LIBRARY: &'static str;
    /// Whether freed page-locked memory is kept, so that a second allocation is another matter than the first.
    const KEEPS_PAGES: bool = false;
    type Device: Send;
    /// Page-locked memory for the copies.
    type Host: AsMut<[u8]> + Send;
    /// Page-locked memory as the library allocates it.
    type Locked;

    /// For the thread that calls it, alone or one of several.
    fn new(alone: bool) -> Self;
    /// The device's name and CUDA's version, and whether the device is simulated.
    fn about(&self) -> (String, String, bool) {
        let (device, version) = raw::about();
        (device, version, false)
    }
    /// Memory that holds anything.
    fn device(&self, bytes: usize) -> Self::Device;
    fn host(&self, bytes: usize) -> Self::Host;
    /// Copies, and waits.
    fn upload(&self, to: &mut Self::Device, from: &[u8]);
    /// Copies, and waits.
    fn download(&self, to: &mut [u8], from: &Self::Device);
    /// Queues a copy from page-locked memory.
    ///
    /// # Safety
    /// Both live, and nothing changes them, until [`Self::wait`] has returned.
    unsafe fn submit(&self, to: &mut Self::Device, from: &[u8]);
    fn wait(&self);
    /// Copies, and waits.
    fn between(&self, to: &mut Self::Device, from: &Self::Device);
    /// Fills with zeros, and waits; `false` if the library fills nothing.
    fn fill(&self, _to: &mut Self::Device) -> bool {
        false
    }
    /// Into a new vector, and waits.
    fn to_vec(&self, from: &Self::Device) -> Vec<u8>;
    /// Allocates, waits, and frees.
    fn allocate(&self, bytes: usize);
    /// Allocates zeros, frees them, and waits.
    fn zeroed(&self, bytes: usize);
    /// Allocates page-locked memory, which its drop frees.
    fn locked(&self, bytes: usize) -> Self::Locked;
    /// Whether page-locked memory is kept when it is freed, from now on.
    fn keep_pages(&self, _keeps: bool) {}
    /// Copies the first [`works::COLUMNS`] bytes of each of `rows` rows of [`works::PITCH`], and waits; `false` if the library
    /// has no such copy.
    fn upload_rows(&self, _to: &mut Self::Device, _from: &[u8], _rows: usize) -> bool {
        false
    }
    /// The other way.
    fn download_rows(&self, _to: &mut [u8], _from: &Self::Device, _rows: usize) -> bool {
        false
    }
}

pub use works::{COLUMNS, PITCH};

/// What the program is asked for: `--json FILE` and the rest, or `--merge OUT PARTS...`.
#[derive(Debug)]
pub struct Options {
    pub json: PathBuf,
    pub min_bytes: usize,
    pub max_bytes: usize,
    pub verify: bool,
    pub in_turns: bool,
    /// One of the groups of works, and no other.
    pub only: Option<String>,
    /// Stands behind the name of each work.
    pub note: String,
    /// Whether each work is said before it begins, so that one that ends the process is known.
    pub say: bool,
}

impl Options {
    fn say(&self, what: &str) {
        if self.say {
            eprintln!("begins: {what}");
        }
    }

    fn read(arguments: Vec<String>) -> Self {
        let mut options = Self {
            json: PathBuf::new(),
            min_bytes: 4,
            max_bytes: 1 << 30,
            verify: false,
            in_turns: false,
            only: None,
            note: String::new(),
            say: false,
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} takes a value"));
            match argument.as_str() {
                "--json" => options.json = value().into(),
                "--min-bytes" => options.min_bytes = value().parse().expect("--min-bytes takes a number of bytes"),
                "--max-bytes" => options.max_bytes = value().parse().expect("--max-bytes takes a number of bytes"),
                "--verify" => options.verify = true,
                "--in-turns" => options.in_turns = true,
                "--only" => options.only = Some(value()),
                "--note" => options.note = value(),
                "--say" => options.say = true,
                _ => panic!("no option {argument}"),
            }
        }
        if let Some(only) = &options.only {
            assert!(works::GROUPS.contains(&only.as_str()), "--only takes one of {}", works::GROUPS.join(", "));
        }
        options
    }
}

/// Runs the program of a library.
pub fn run<W: Worker>(in_turns: impl FnOnce(&Options) -> Vec<Row>) -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--merge") => return done(merge::merge(Path::new(&arguments[1]), &arguments[2..])),
        Some("--groups") => {
            println!("{}", works::GROUPS.join(" "));
            return ExitCode::SUCCESS;
        }
        _ => (),
    }
    let options = Options::read(arguments);
    options.say("context and stream");
    let worker = W::new(true);
    options.say("questions about the device");
    let (device, driver, simulated) = worker.about();
    let kernel = results::kernel_driver().filter(|_| !simulated).map(|kernel| format!(" ({kernel})"));
    let about = About {
        program: "benches/peers".into(),
        device,
        driver: format!("{driver}{}", kernel.unwrap_or_default()),
        simulated,
        host: results::host(),
        date: results::today(),
        libraries: vec![W::LIBRARY.into()],
    };
    let mut rows = Rows::new(Results { about, rows: Vec::new() }, &options);
    if options.in_turns {
        rows.extend(in_turns(&options));
    } else {
        works::all(&worker, &options, rows);
    }
    ExitCode::SUCCESS
}

fn done(result: Result<(), Box<dyn std::error::Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The library's name, without its version.
fn name<W: Worker>() -> &'static str {
    W::LIBRARY.split_once(' ').map_or(W::LIBRARY, |(name, _)| name)
}
