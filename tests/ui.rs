//! Programs that must not compile, with the errors that say why. Those beside them that must are run by `tests/accepted`.
//!
//! The texts are the compiler's of `rust-toolchain.toml`: `TRYBUILD=overwrite cargo test --test ui` writes them anew.

#[test]
fn refused() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/fail_*.rs");
}
