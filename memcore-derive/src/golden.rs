//! The expansions of accepted shapes, as they are kept in `tests/golden`: each file there has an item, and the one beside
//! it, under `expanded`, what the macro writes for it. `GOLDEN=overwrite cargo test -p memcore-derive` writes them anew.

use std::{env, fs, path::Path};

use proc_macro2::TokenStream;
use quote::quote;

use crate::{derive, test_attr, valid::Purpose};

/// Checks one file of the derives; a name that begins with `layout` is for `DeviceLayout`.
#[track_caller]
fn check(name: &str) {
    let purpose = if name.starts_with("layout") { Purpose::Layout } else { Purpose::Copy };
    check_with(name, |source| derive(&syn::parse_str(source).expect("an item"), purpose));
}

/// Checks one file of the test attribute, with options.
#[track_caller]
fn check_test(name: &str, options: TokenStream) {
    check_with(name, |source| test_attr::expand(options, source.parse().expect("tokens")));
}

#[track_caller]
fn check_with(name: &str, expand: impl FnOnce(&str) -> TokenStream) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let source = fs::read_to_string(folder.join(format!("{name}.rs"))).expect("the item");
    let tokens = expand(&source);
    let file = syn::parse2(tokens.clone()).unwrap_or_else(|error| panic!("{error}: {tokens}"));
    let expanded = prettyplease::unparse(&file);
    let path = folder.join(format!("expanded/{name}.rs"));
    if env::var_os("GOLDEN").is_some_and(|value| value == "overwrite") {
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(&path, &expanded).expect("it can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == expanded, "{} is out of date; it should be:\n{expanded}", path.display());
}

#[test]
fn plain_struct() {
    check("plain_struct");
}

#[test]
fn tuple_struct() {
    check("tuple_struct");
}

#[test]
fn unit_struct() {
    check("unit_struct");
}

#[test]
fn checked_struct() {
    check("checked_struct");
}

#[test]
fn enum_without_data() {
    check("enum_without_data");
}

#[test]
fn union() {
    check("union");
}

#[test]
fn of_one_type() {
    check("of_one_type");
}

#[test]
fn transparent() {
    check("transparent");
}

#[test]
fn instances() {
    check("instances");
}

#[test]
fn layout_alone() {
    check("layout_alone");
}

#[test]
fn test_plain() {
    check_test("test_plain", TokenStream::new());
}

#[test]
fn test_options() {
    check_test("test_options", quote!(devices = 2, order = "all", memory = 1 << 20, without_pools, crate = "cuda"));
}
