//! Examples, built by cargo in the tests' profile: with `--test` alone nothing else has built them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The program of an example.
pub(crate) fn built(name: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let (profile, folder) = if cfg!(debug_assertions) { ("dev", "debug") } else { ("release", "release") };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--offline", "--example", name, "--profile", profile, "--target-dir"]);
    let status = cargo.arg(target).current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap();
    assert!(status.success(), "{cargo:?}");
    target.join(folder).join("examples").join(name)
}
