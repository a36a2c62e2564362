//! What the README shows and no doctest checks.

use memcore::prelude::*;

#[test]
fn the_padding_error_is_the_compilers() {
    let readme = include_str!("../README.md");
    let printed = include_str!("ui/derive/fail_padding_between.stderr");
    assert!(readme.contains(printed.trim_end()), "README.md shows another error than the compiler prints:\n{printed}");
}

#[memcore::test(order = "all")] // under several legal orders of what is queued
fn an_upload_comes_back() -> Result<(), memcore::Error> {
    let stream = Stream::new()?;
    let source = locked_vec![1u32, 2, 3]?;
    let mut dev = device_vec![0u32; 3]?;
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        copy!(dev <- source, s)
    })?;
    assert_eq!(dev.to_vec()?, [1, 2, 3]);
    Ok(())
}

#[test]
fn the_test_it_shows_is_the_one_above() {
    let shown = include_str!("../README.md").split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next());
    let tests: Vec<&str> = shown.filter_map(|block| block.find("#[memcore::test").map(|at| &block[at..])).collect();
    assert!(!tests.is_empty(), "README.md shows no test");
    for test in tests {
        assert!(include_str!("readme.rs").contains(test), "README.md shows a test that is not run here:\n{test}");
    }
}
