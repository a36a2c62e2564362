//! What the README shows and no compiler checks.

#[test]
fn the_padding_error_is_the_compilers() {
    let readme = include_str!("../README.md");
    let printed = include_str!("ui/derive/fail_padding_between.stderr");
    assert!(readme.contains(printed.trim_end()), "README.md shows another error than the compiler prints:\n{printed}");
}
