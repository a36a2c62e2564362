//! The library under test: the simulated device's, built here, or the one that `MEMCORE_LIBCUDA` names.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable that names another library: the driver of a GPU.
const VARIABLE: &str = "MEMCORE_LIBCUDA";

/// Words that a function is called with: no driver function has more parameters, and C lets a caller pass more.
const WORDS: usize = 12;
type Function =
    unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize, usize, usize, usize, usize, usize) -> u32;

/// Whether the library is the simulated device's.
pub(crate) fn is_simulated() -> bool {
    env::var_os(VARIABLE).is_none()
}

/// The target directory that this test was built in.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_owned()
}

/// Where the simulated device's library is, under the names of the driver's.
pub(crate) fn folder() -> PathBuf {
    target().join("stand-in")
}

/// The library's file.
pub(crate) fn file() -> PathBuf {
    env::var_os(VARIABLE).map_or_else(|| folder().join("libcuda.so.1"), PathBuf::from)
}

/// Builds it, as `scripts/with-sim` does for any command.
pub(crate) fn build() {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/with-sim"));
    // What cargo says to a test is not for the cargo that the script starts.
    command.arg("true").env("CARGO_TARGET_DIR", target()).env_remove("RUSTFLAGS");
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The loaded library.
pub(crate) struct Library(libloading::Library);

impl Library {
    pub(crate) fn load() -> Self {
        // SAFETY: a driver's initialisers may run at any time.
        Self(
            unsafe { libloading::Library::new(file()) }.unwrap_or_else(|error| panic!("{}: {error}", file().display())),
        )
    }

    /// The address of a function, 0 where there is none.
    pub(crate) fn address(&self, symbol: &str) -> usize {
        // SAFETY: it is read as an address.
        let found = unsafe { self.0.get::<*const ()>(symbol.as_bytes()) };
        found.map_or(0, |found| found.addr())
    }

    /// Calls a function with these words, and zeros behind them; its code.
    #[track_caller]
    pub(crate) fn call(&self, symbol: &str, arguments: &[usize]) -> u32 {
        // SAFETY: a C function of whole numbers and pointers; what its parameters are to be is the test's affair.
        let function = unsafe { self.0.get::<Function>(symbol.as_bytes()) };
        let function = function.unwrap_or_else(|error| panic!("{symbol}: {error}"));
        let mut words = [0; WORDS];
        words[..arguments.len()].copy_from_slice(arguments);
        let [a, b, c, d, e, f, g, h, i, j, k, l] = words;
        // SAFETY: as above.
        unsafe { function(a, b, c, d, e, f, g, h, i, j, k, l) }
    }

    /// Calls a function that is to succeed.
    #[track_caller]
    pub(crate) fn ok(&self, symbol: &str, arguments: &[usize]) {
        assert_eq!(self.call(symbol, arguments), 0, "{symbol}");
    }

    /// What a function writes through its first parameter.
    #[track_caller]
    pub(crate) fn made(&self, symbol: &str, arguments: &[usize]) -> usize {
        let mut out = 0_usize;
        let all: Vec<_> = [place(&mut out)].iter().chain(arguments).copied().collect();
        self.ok(symbol, &all);
        out
    }

    /// A new context, current on this thread.
    #[track_caller]
    pub(crate) fn context(&self) -> usize {
        self.made("cuCtxCreate_v2", &[0, 0])
    }

    /// The context that is current on this thread.
    #[track_caller]
    pub(crate) fn current(&self) -> usize {
        self.made("cuCtxGetCurrent", &[])
    }
}

/// A value's place, as an argument.
pub(crate) fn place<T>(value: &mut T) -> usize {
    (&raw mut *value).expose_provenance()
}

/// A slice's place, as an argument.
pub(crate) fn places<T>(values: &mut [T]) -> usize {
    values.as_mut_ptr().expose_provenance()
}
