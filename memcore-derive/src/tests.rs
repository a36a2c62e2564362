//! What tokens alone decide. What the compiler decides is tested by the programs in `tests/ui/derive`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::{ast::Item, device_copy, report::Report, valid};

fn item(tokens: TokenStream) -> DeriveInput {
    syn::parse2(tokens).expect("a struct, enum or union")
}

/// The texts of all mistakes that the tokens of an item show.
fn mistakes(tokens: TokenStream) -> Vec<String> {
    let input = item(tokens);
    let mut report = Report::default();
    valid::judge(&Item::read(&input, &mut report), &mut report);
    report.texts()
}

fn expansion(tokens: TokenStream) -> String {
    device_copy(&item(tokens)).to_string()
}

#[test]
fn accepted_reprs_have_no_mistake() {
    let reprs = [
        quote!(C),
        quote!(transparent),
        quote!(C, packed),
        quote!(C, packed(2)),
        quote!(packed, C),
        quote!(C, align(16)),
    ];
    for repr in reprs {
        let found = mistakes(quote!(
            #[repr(#repr)]
            struct Record {
                key: u64,
            }
        ));
        assert!(found.is_empty(), "repr({repr}): {found:?}");
    }
    let split = quote!(
        #[repr(align(8))]
        #[repr(C)]
        struct Record(u64);
    );
    assert!(mistakes(split).is_empty());
}

#[test]
fn other_reprs_are_told_what_to_write() {
    let reprs = [
        (quote!(), "`#[repr(C)]`"),
        (quote!(#[repr(Rust)]), "`#[repr(C)]`"),
        (quote!(#[repr(packed)]), "`#[repr(C, packed)]`"),
        (quote!(#[repr(packed(4))]), "`#[repr(C, packed(4))]`"),
        (quote!(#[repr(align(8))]), "`#[repr(C, align(8))]`"),
    ];
    for (repr, wanted) in reprs {
        let found = mistakes(quote!(#repr struct Record { key: u64 }));
        assert_eq!(found.len(), 1, "{repr}: {found:?}");
        assert!(found[0].contains(wanted), "{repr}: {found:?}");
    }
}

#[test]
fn unknown_shapes_have_one_mistake_each() {
    let shapes = [
        (
            quote!(
                #[repr(u8)]
                enum Kind {
                    First(bool),
                }
            ),
            "an enum",
        ),
        (quote!(union Bits { integer: u32, pointer: *const u8 }), "a union"),
        (
            quote!(
                struct View<'a> {
                    data: &'a [u8],
                }
            ),
            "borrows for `'a`",
        ),
        (
            quote!(
                struct Pair<T: Copy>(T, &'static T);
            ),
            "takes a type, `T`",
        ),
        (
            quote!(
                struct Row<const N: usize>([f32; N]);
            ),
            "takes a number, `N`",
        ),
    ];
    for (shape, wanted) in shapes {
        let found = mistakes(shape.clone());
        assert_eq!(found.len(), 1, "{shape}: {found:?}");
        assert!(found[0].contains(wanted), "{shape}: {found:?}");
    }
}

#[test]
fn flaws_are_seen_through_arrays_and_parentheses() {
    let types = [
        (quote!(&'static u8), "`DevicePointer<u8>`"),
        (quote!(&'static mut [f32]), "`DevicePointer<f32>`"),
        (quote!(&'static str), "`DevicePointer<u8>`"),
        (quote!(*const glam::Vec3), "`DevicePointer<glam::Vec3>`"),
        (quote!(*mut dyn Fn()), "`DevicePointer<T>`"),
        (quote!([[(*const u8); 2]; 3]), "`DevicePointer<u8>`"),
        (quote!(fn(u8) -> u8), "a function"),
        (quote!((u32, f32)), "a tuple"),
        (quote!([u8]), "`[u8; N]`"),
        (quote!(dyn Fn()), "no size"),
    ];
    for (ty, wanted) in types {
        let found = mistakes(quote!(#[repr(C)] struct Record { field: #ty }));
        assert_eq!(found.len(), 1, "{ty}: {found:?}");
        assert!(found[0].starts_with("field `field` "), "{ty}: {found:?}");
        assert!(found[0].contains(wanted), "{ty}: {found:?}");
    }
}

#[test]
fn names_are_left_to_the_compiler() {
    let found = mistakes(quote! {
        #[repr(C)]
        struct Record { flag: bool, list: Vec<u8>, text: Text, made: make!(), nothing: (), later: [T; 2] }
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn all_mistakes_are_found_at_once() {
    let found = mistakes(quote! {
        #[device_copy(checked, crate = "memcore", other = 3, crate = "again")]
        struct Record {
            #[device_copy(skip)]
            name: &'static str,
            next: *const Record,
        }
    });
    let wanted =
        ["unknown option", "unknown option", "given twice", "for a field", "no fixed layout", "`name`", "`next`"];
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert!(found.contains(wanted), "{found}");
    }
}

#[test]
fn malformed_options_are_mistakes() {
    for option in
        [quote!(crate), quote!(crate = 3), quote!(crate("memcore")), quote!(crate = "two words"), quote!(crate =)]
    {
        let found = mistakes(quote!(
            #[device_copy(#option)]
            #[repr(C)]
            struct Record;
        ));
        assert_eq!(found.len(), 1, "{option}: {found:?}");
    }
    let found = mistakes(quote!(
        #[device_copy = "memcore"]
        #[repr(C)]
        struct Record;
    ));
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn every_path_starts_at_memcore() {
    let record = quote!(
        struct Record {
            key: u64,
            other: Other,
        }
    );
    let plain = expansion(quote!(#[repr(C)] #record));
    assert!(plain.contains(":: memcore :: bytemuck :: Pod"), "{plain}");
    for name in [":: core", ":: std", "unsafe fn", "unsafe {"] {
        assert!(!plain.contains(name), "{name}: {plain}");
    }
    let renamed = expansion(quote!(#[device_copy(crate = "crate::device")] #[repr(C)] #record));
    assert!(renamed.contains("crate :: device :: bytemuck :: Pod"), "{renamed}");
    assert!(!renamed.contains("memcore ::"), "{renamed}");
}

#[test]
fn types_of_fields_are_never_written_again() {
    let written = expansion(quote!(
        #[repr(C)]
        struct Record {
            first: make!(),
            second: Second,
        }
    ));
    assert!(!written.contains("make"), "{written}");
    assert!(!written.contains("Second"), "{written}");
}

#[test]
fn every_field_is_named_and_the_rest_is_not_skipped() {
    let named = expansion(quote!(
        #[repr(C)]
        struct Record {
            first: u8,
            r#type: u8,
        }
    ));
    assert!(named.contains("Record { first : __memcore_0 , r#type : __memcore_1 }"), "{named}");
    let tuple = expansion(quote!(
        #[repr(C)]
        struct Record(u8, u8);
    ));
    assert!(tuple.contains("Record { 0 : __memcore_0 , 1 : __memcore_1 }"), "{tuple}");
    let unit = expansion(quote!(
        #[repr(C)]
        struct Record;
    ));
    assert!(unit.contains("Record { }"), "{unit}");
}

#[test]
fn names_of_padding_are_free() {
    let written = expansion(quote!(
        #[repr(C)]
        struct Record {
            _pad1: u8,
            key: u32,
            _pad2: u16,
        }
    ));
    for name in ["\"_pad0\"", "\"_pad3\"", "\"_pad4\""] {
        assert!(written.contains(name), "{name}: {written}");
    }
}

#[test]
fn refused_items_are_implemented_all_the_same() {
    let shapes = [
        quote!(
            enum Kind {
                First,
            }
        ),
        quote!(union Bits { integer: u32 }),
        quote!(
            struct Pair<T: Copy>(T, T)
            where
                T: Send;
        ),
        quote!(
            #[repr(C)]
            struct Tail {
                data: [u8],
            }
        ),
        quote!(
            struct NoLayout {
                key: u64,
            }
        ),
    ];
    for shape in shapes {
        let written = expansion(shape.clone());
        assert_eq!(written.matches("compile_error").count(), 1, "{shape}: {written}");
        assert_eq!(written.matches("bytemuck :: Pod").count(), 1, "{shape}: {written}");
    }
}
