//! Makes each `tests/ui/*/pass_*.rs` a module of the test `accepted`: a copy, line by line the same, whose `main` the test
//! can call, and `programs.rs`, which declares the modules and lists their `main`s as `PROGRAMS`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    // The whole folder: new and deleted programs too.
    println!("cargo:rerun-if-changed=../ui");
    println!("cargo:rerun-if-changed=Cargo.toml");
    let manifest = fs::read_to_string("Cargo.toml").unwrap();
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    let (mut modules, mut list) = (String::new(), String::new());
    for folder in names("../ui".as_ref()) {
        for file in names(&Path::new("../ui").join(&folder)) {
            let path = format!("../ui/{folder}/{file}");
            let Some(program) = file.strip_suffix(".rs").filter(|name| name.starts_with("pass_")) else { continue };
            if manifest.contains(&format!("path = \"{path}\"\n")) {
                continue;
            }
            let name = format!("{folder}_{program}");
            let copy = out.join(format!("{name}.rs"));
            let text = fs::read_to_string(path).unwrap();
            fs::write(&copy, text.replacen("fn main()", "pub(super) fn main()", 1)).unwrap();
            writeln!(modules, "#[path = {copy:?}]\nmod {name};").unwrap();
            writeln!(list, "    (\"{name}\", || {name}::main().report()),").unwrap();
        }
    }
    let list = format!("const PROGRAMS: &[(&str, fn() -> ExitCode)] = &[\n{list}];\n");
    fs::write(out.join("programs.rs"), modules + &list).unwrap();
}

/// What is in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
