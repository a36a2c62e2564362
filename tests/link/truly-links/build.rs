//! Links `libcuda`, from the installation that `CUDA_PATH` names if it names one.

fn main() {
    println!("cargo:rerun-if-env-changed=CUDA_PATH");
    if let Ok(path) = std::env::var("CUDA_PATH") {
        println!("cargo:rustc-link-search=native={path}/lib64/stubs");
    }
    println!("cargo:rustc-link-lib=dylib=cuda");
}
