//! Which items have mistakes, and what they are told.

use quote::quote;

use super::mistakes;

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
fn shapes_that_tokens_condemn_have_one_mistake_each() {
    let shapes = [
        (
            quote!(
                #[repr(u8)]
                enum Kind {
                    First(bool),
                    Second,
                }
            ),
            "`Kind::First` carries data",
        ),
        (
            quote!(
                enum Kind {
                    First,
                }
            ),
            "no fixed size",
        ),
        (
            quote!(
                #[repr(C)]
                enum Kind {
                    First,
                }
            ),
            "C compiler's choice",
        ),
        (
            quote!(
                #[repr(u8)]
                enum Kind {}
            ),
            "no variant",
        ),
        (
            quote!(
                #[repr(u8)]
                #[device_copy(checked)]
                enum Kind {
                    First,
                }
            ),
            "always checked",
        ),
        (
            quote!(
                #[repr(u8)]
                enum Kind<const N: usize> {
                    First,
                }
            ),
            "with parameters",
        ),
        (quote!(#[repr(C)] union Bits { integer: u32, pointer: *const u8 }), "points at host memory"),
        (quote!(union Bits { integer: u32 }), "no fixed layout"),
        (quote!(#[repr(C)] union Bits<T: Copy> { integer: T }), "instances(Bits<f32>)"),
        (quote!(#[repr(C)] #[device_copy(checked)] union Bits { flag: bool }), "which of its fields to check"),
        (quote!(#[repr(C)] #[edit] union Bits { integer: u32 }), "inert(edit)"),
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
                #[repr(C)]
                struct Pair<T: Copy>(T, &'static T);
            ),
            "reference",
        ),
        (
            quote!(
                #[repr(C)]
                struct Mixed<T, U> {
                    first: T,
                    second: U,
                }
            ),
            "instances(Mixed<f32, u32>)",
        ),
        (
            quote!(
                #[repr(C)]
                struct Mixed<T> {
                    first: [T; 2],
                    second: u32,
                }
            ),
            "instances(Mixed<f32>)",
        ),
        (
            quote!(
                #[repr(C)]
                struct Row<T, const N: usize>(u8, [T; N]);
            ),
            "instances(Row<f32, 4>)",
        ),
        (
            quote!(
                #[repr(C, packed(2))]
                struct Mixed<T, U>(T, U);
            ),
            "instances(Mixed<f32, u32>)",
        ),
        (
            quote!(
                #[repr(C, align(8))]
                struct One<T>(T);
            ),
            "alignment",
        ),
        (
            quote!(
                #[repr(C)]
                #[device_copy(checked)]
                struct One<T>(T);
            ),
            "takes a size",
        ),
        (
            quote!(
                #[repr(C)]
                #[helper::edit]
                struct One<T>(T);
            ),
            "inert(helper::edit)",
        ),
        (
            quote!(
                #[repr(C)]
                #[device_copy(instances(One<f32>))]
                struct One(f32);
            ),
            "no parameters",
        ),
        (
            quote!(
                #[repr(C)]
                #[device_copy(instances(Two<f32>))]
                struct One<T>(T);
            ),
            "no instance of `One`",
        ),
        (
            quote!(
                #[repr(C)]
                #[device_copy(instances(One<f32>, One<f32>))]
                struct One<T>(T);
            ),
            "listed twice",
        ),
    ];
    for (shape, wanted) in shapes {
        let found = mistakes(shape.clone());
        assert_eq!(found.len(), 1, "{shape}: {found:?}");
        assert!(found[0].contains(wanted), "{shape}: {found:?}");
        assert!(found[0].contains("\nhelp: "), "{shape}: {found:?}");
    }
}

#[test]
fn parameters_that_never_give_padding_have_no_mistake() {
    let shapes = [
        quote!(
            #[repr(C)]
            struct Pair<T> {
                first: T,
                second: [T; 3],
                third: [[T; 2]; 2],
            }
        ),
        quote!(
            #[repr(C)]
            struct Row<const N: usize>([u8; N], u8);
        ),
        quote!(
            #[repr(C)]
            struct Tagged<T, U>(T, PhantomData<U>);
        ),
        quote!(
            #[repr(C)]
            struct Maybe<T>(Alias<T>, T, make!());
        ),
        quote!(
            #[repr(transparent)]
            struct Wrapper<T, U>(T, PhantomData<U>);
        ),
        quote!(
            #[repr(C, packed)]
            struct Mixed<T, U>(T, U);
        ),
        quote!(
            #[repr(C, packed(1))]
            struct Mixed<T, U>(T, U);
        ),
        quote!(
            #[repr(C)]
            #[doc = "x"]
            #[allow(unused)]
            #[must_use]
            struct One<T>(T);
        ),
        quote!(
            #[repr(C)]
            #[serde(rename = "x")]
            #[device_copy(inert(serde))]
            struct One<T>(T);
        ),
        quote!(
            #[repr(C)]
            #[edit]
            #[device_copy(instances(Mixed<f32, u32>))]
            struct Mixed<T, U>(T, U);
        ),
    ];
    for shape in shapes {
        let found = mistakes(shape.clone());
        assert!(found.is_empty(), "{shape}: {found:?}");
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
        #[device_copy(unchecked, crate = "memcore", other = 3, crate = "again")]
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
    let options = [
        quote!(crate),
        quote!(crate = 3),
        quote!(crate("memcore")),
        quote!(crate = "two words"),
        quote!(crate =),
        quote!(checked = true),
        quote!(checked(all)),
        quote!(instances),
        quote!(instances = "Record<f32>"),
        quote!(inert),
        quote!(inert(3)),
    ];
    for option in options {
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
