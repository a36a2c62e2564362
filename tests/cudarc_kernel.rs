//! The example with a kernel of cudarc's, run as its users run it.

#[path = "support/example.rs"]
mod example;

use std::process::Command;

#[test]
fn without_a_gpu_it_says_so_and_tries_the_copies() {
    let program = example::built("04_cudarc_kernel");
    for driver in ["sim", "auto", "cuda"] {
        let output = Command::new(&program).env("MEMCORE_DRIVER", driver).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{driver}: {output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        let has_kernel = said.ends_with(": cudarc's kernel worked on it\n");
        assert!(said.contains("\nverified  every element of "), "{driver}: {said}");
        assert_eq!(said.starts_with("kernel    none: it needs a GPU, and "), !has_kernel, "{driver}: {said}");
        assert!(!(has_kernel && driver == "sim"), "{said}");
    }
}
