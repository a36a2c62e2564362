//! Lets programs link where no CUDA is installed.
//!
//! `cuda-driver-sys`, whose types memcore uses, asks the linker for `-lcuda`, though memcore calls nothing through it: the
//! driver is loaded at run time. Where the linker finds no `libcuda`, an empty archive of that name satisfies it.
//!
//! With the feature `libcuda` the library that is made has that library's name.
//!
//! A crate that truly links `libcuda` must not get the archive in its place. So where the linker finds the real library
//! nothing is done, and where the library is in a place that only such a crate's own rules name, a link to it stands
//! beside the archive, which the linker prefers. A `libcuda` installed later is seen after `cargo clean -p memcore`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The variable that names installations to `cuda-driver-sys`.
const LIBRARY_PATH_OF_SYS: &str = "CUDA_LIBRARY_PATH";
/// Variables that name an installation to other crates.
const HOMES: [&str; 5] = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR", "CONDA_PREFIX"];
/// Folders of libraries that not every linker searches.
const LIBRARY_FOLDERS: [&str; 4] = ["/usr/lib64", "/usr/local/lib", "/usr/local/lib64", "/usr/lib/wsl/lib"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for variable in HOMES.iter().chain(&[LIBRARY_PATH_OF_SYS, "LIBRARY_PATH"]) {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    if env::var_os("CARGO_FEATURE_LIBCUDA").is_some() {
        // What it stands in for; and once loaded it stays: its threads and its signal handler do.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1,-z,nodelete");
    }
    if named_by_sys().iter().any(|folder| library_in(folder).exists()) || linker_finds_it() {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    println!("cargo:rustc-link-search=native={}", out.display());
    fs::write(out.join("libcuda.a"), b"!<arch>\n").expect("OUT_DIR is writable");
    // One of an earlier run.
    let _ = fs::remove_file(library_in(&out));
    if let Some(library) = named_elsewhere().iter().map(|folder| library_in(folder)).find(|library| library.exists()) {
        println!("cargo:rerun-if-changed={}", library.display());
        #[cfg(unix)]
        std::os::unix::fs::symlink(&library, library_in(&out)).expect("OUT_DIR is writable");
    }
}

/// What the linker takes for `-lcuda`: a `libcuda.so.1`, with which programs run, does not serve it.
fn library_in(folder: &Path) -> PathBuf {
    folder.join("libcuda.so")
}

/// The folders in which `cuda-driver-sys` lets the linker search, by the rules of its build script.
fn named_by_sys() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for base in installations() {
        folders.push(base.join("lib64"));
        folders.push(base.join("lib64/stubs"));
        let target = base.join("targets/x86_64-linux");
        if target.join("include/cuda.h").is_file() {
            folders.push(target.join("lib"));
            folders.push(target.join("lib/stubs"));
        }
    }
    folders
}

/// The installations that `cuda-driver-sys` knows.
fn installations() -> Vec<PathBuf> {
    let mut bases = paths_of(LIBRARY_PATH_OF_SYS);
    bases.extend(["/opt/cuda".into(), "/usr/local/cuda".into()]);
    for entry in fs::read_dir("/usr/local").into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("cuda-") {
            bases.push(entry.path());
        }
    }
    bases
}

/// Whether the linker's own folders, and those of `LIBRARY_PATH`, have the library.
fn linker_finds_it() -> bool {
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let answer = Command::new(linker).arg("-print-file-name=libcuda.so").output();
    // It repeats the name if it finds no such file.
    answer.is_ok_and(|answer| Path::new(String::from_utf8_lossy(&answer.stdout).trim()).is_absolute())
}

/// Further folders in which other crates look, or which a linker may or may not search.
fn named_elsewhere() -> Vec<PathBuf> {
    let mut bases = installations();
    bases.extend(HOMES.iter().flat_map(|variable| paths_of(variable)));
    bases.push("/usr/lib/cuda".into());
    let parts =
        ["", "lib64", "lib64/stubs", "lib", "lib/stubs", "targets/x86_64-linux/lib", "targets/x86_64-linux/lib/stubs"];
    let mut folders: Vec<PathBuf> = bases.iter().flat_map(|base| parts.map(|part| base.join(part))).collect();
    folders.extend(LIBRARY_FOLDERS.map(PathBuf::from));
    folders
}

/// The paths in a variable, as absolute ones (empty ones are none).
fn paths_of(variable: &str) -> Vec<PathBuf> {
    let paths = env::var_os(variable);
    paths.iter().flat_map(env::split_paths).filter_map(|path| std::path::absolute(path).ok()).collect()
}
