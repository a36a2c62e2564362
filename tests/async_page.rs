//! `docs/async.md` names every program of `tests/ui/scope` that must not compile, each with its twin, and no others.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../docs/async.md");

#[test]
fn the_page_names_every_misuse() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/scope");
    let files: BTreeSet<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned()))
        .collect();
    let (fail, pass): (BTreeSet<_>, BTreeSet<_>) = files.into_iter().partition(|name| name.starts_with("fail_"));
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let named: BTreeSet<String> = PAGE
        .split(|c| !is_part(c))
        .filter(|word| word.starts_with("fail_") && word.len() > "fail_".len())
        .map(str::to_owned)
        .collect();
    assert_eq!(named, fail);
    let twins: BTreeSet<String> = fail.iter().map(|name| name.replacen("fail_", "pass_", 1)).collect();
    assert_eq!(twins, pass);
    assert!(fail.iter().all(|name| folder.join(format!("{name}.stderr")).exists()));
}

#[test]
fn the_page_names_tests_that_there_are() {
    let tests = [
        include_str!("scope/endings.rs"),
        include_str!("scope/operations.rs"),
        include_str!("scope_faults.rs"),
        include_str!("scope_model.rs"),
    ]
    .concat();
    for name in ["forgetting_everything", "a_panic_leaves_nested_scopes_in_turn", "a_fill_reads_nothing_later"] {
        assert!(PAGE.contains(name) && tests.contains(&format!("fn {name}()")), "{name}");
    }
}
