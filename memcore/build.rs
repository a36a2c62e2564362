//! Lets programs link where no CUDA is installed.
//!
//! `cuda-driver-sys`, whose types memcore uses, asks the linker for `-lcuda`, though memcore calls nothing through it: the
//! driver is loaded at run time. Where there is no `libcuda` to find, an empty archive of that name satisfies the linker.
//! Where there is one, no archive is written: it would shadow the real library for a crate that truly links it.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CUDA_LIBRARY_PATH");
    println!("cargo:rerun-if-env-changed=LIBRARY_PATH");
    if libcuda_folders().iter().any(|folder| holds_libcuda(folder)) {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("libcuda.a"), b"!<arch>\n").expect("OUT_DIR is writable");
    println!("cargo:rustc-link-search=native={}", out.display());
}

/// What the linker would take for `-lcuda`: a runtime-only `libcuda.so.1` does not serve it.
fn holds_libcuda(folder: &Path) -> bool {
    ["libcuda.so", "libcuda.a"].iter().any(|name| folder.join(name).exists())
}

/// Where the linker will look: the folders `cuda-driver-sys` names, `LIBRARY_PATH`, and the system's own.
fn libcuda_folders() -> Vec<PathBuf> {
    let mut installations = paths_of("CUDA_LIBRARY_PATH");
    installations.push("/opt/cuda".into());
    installations.extend(
        fs::read_dir("/usr/local")
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("cuda"))
            .map(|entry| entry.path()),
    );
    let mut folders: Vec<PathBuf> = installations
        .iter()
        .flat_map(|base| {
            ["lib64", "lib64/stubs", "targets/x86_64-linux/lib", "targets/x86_64-linux/lib/stubs"]
                .map(|sub| base.join(sub))
        })
        .collect();
    folders.extend(paths_of("LIBRARY_PATH"));
    let triplet = format!("{}-linux-gnu", env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default());
    for root in ["/lib", "/usr/lib", "/usr/local/lib"] {
        folders.push(root.into());
        folders.push(format!("{root}64").into());
        folders.push(Path::new(root).join(&triplet));
    }
    folders
}

fn paths_of(variable: &str) -> Vec<PathBuf> {
    env::var_os(variable).map(|value| env::split_paths(&value).collect()).unwrap_or_default()
}
