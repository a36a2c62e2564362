//! Programs that must not compile, with the errors that say why, beside programs that must.
//!
//! The texts are the compiler's of `rust-toolchain.toml`: `TRYBUILD=overwrite cargo test --test ui` writes them anew.

/// Apart from the accepted ones: `cargo check` alone must refuse each of these, and with the others it would be a build.
#[test]
fn refused() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/fail_*.rs");
}

#[test]
fn accepted() {
    trybuild::TestCases::new().pass("tests/ui/*/pass_*.rs");
}
