//! What the examples say, run as their users run them; `tests/quickstart.rs` and `tests/cudarc_kernel.rs` have the others.

#[path = "support/example.rs"]
mod example;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// What a run that succeeds prints.
#[track_caller]
fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a run that fails says, and nothing before it.
#[track_caller]
fn failure(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert_eq!((output.status.code(), &*output.stdout), (Some(1), &[][..]), "{output:?}");
    String::from_utf8(output.stderr).unwrap().trim_end().to_owned()
}

#[test]
fn the_header_is_written_where_it_says() {
    let program = example::built("02_cuda_header");
    let (here, target, named) = (folder("here"), folder("target"), folder("named"));
    let mut plain = Command::new(&program);
    let mut by_cargo = Command::new(&program);
    let mut by_argument = Command::new(&program);
    plain.current_dir(&here).env_remove("CARGO_TARGET_DIR");
    by_cargo.current_dir(&here).env("CARGO_TARGET_DIR", &target);
    by_argument.arg(&named);
    for (command, written) in [
        (&mut plain, PathBuf::from("target/cuda_header")),
        (&mut by_cargo, target.join("cuda_header")),
        (&mut by_argument, named),
    ] {
        let said = said(command);
        for file in ["records.h", "records.bin"].map(|name| written.join(name)) {
            assert!(said.contains(&file.display().to_string()), "{said}");
            assert!(fs::metadata(here.join(&file)).unwrap().len() > 0, "{file:?}");
        }
    }
    let taken = here.join("taken");
    fs::write(&taken, "").unwrap();
    let said = failure(Command::new(&program).arg(&taken));
    assert!(said.starts_with(&format!("02_cuda_header: cannot make {}: ", taken.display())), "{said}");
}

#[test]
fn the_overlap_says_whose_times_it_prints() {
    let program = example::built("03_overlap");
    let file = folder("overlap").join("data.bin");
    fs::write(&file, vec![7; 100_000]).unwrap();
    let said = said(Command::new(&program).arg(&file).env("MEMCORE_DRIVER", "sim"));
    assert!(said.contains("\n          (the host's, not a GPU's: "), "{said}");
    assert!(said.ends_with("verified  every byte of 100000\n"), "{said}");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let program = example::built("03_overlap");
    let folder = folder("unreadable");
    let (missing, empty) = (folder.join("missing.bin"), folder.join("empty.bin"));
    fs::write(&empty, "").unwrap();
    for (path, expected) in [
        (&missing, format!("cannot read {}: No such file or directory (os error 2)", missing.display())),
        (&empty, format!("{} is empty", empty.display())),
        (&folder, format!("{} is not a regular file", folder.display())),
    ] {
        assert_eq!(failure(Command::new(&program).arg(path)), format!("03_overlap: {expected}"));
    }
}
