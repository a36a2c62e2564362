//! Programs that must not compile, with the errors that say why, beside programs that must.
//!
//! The texts are the compiler's of `rust-toolchain.toml`: `TRYBUILD=overwrite cargo test --test ui` writes them anew.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*/fail_*.rs");
    cases.pass("tests/ui/*/pass_*.rs");
}
