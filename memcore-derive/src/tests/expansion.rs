//! What is written for an item, by its tokens.

use proc_macro2::TokenStream;
use quote::quote;

use super::expansion;

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
        quote!(#[repr(C)] union Bits<T> { integer: T }),
        quote!(
            struct Pair<'a, T: Copy>(T, &'a T)
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
        assert_eq!(written.matches("bytemuck :: Pod for").count(), 1, "{shape}: {written}");
        assert_eq!(written.matches("DeviceLayout for").count(), 1, "{shape}: {written}");
    }
}

#[test]
fn gaps_are_looked_for_where_there_may_be_some() {
    let guesses = |tokens: TokenStream| {
        let written = expansion(tokens);
        let own = written.matches("const padding_after_").count();
        (own, written.matches("const padding :").count())
    };
    assert_eq!(
        guesses(quote!(
            #[repr(C)]
            struct Numbers {
                a: u32,
                b: [u8; 4],
                c: [[f32; 2]; 2],
            }
        )),
        (0, 1)
    );
    assert_eq!(
        guesses(quote!(
            #[repr(C)]
            struct Numbers {
                a: u8,
                b: u32,
            }
        )),
        (1, 1)
    );
    assert_eq!(
        guesses(quote!(
            #[repr(C)]
            struct Numbers {
                a: [u8; N],
                b: [u16; N],
                c: u16,
            }
        )),
        (1, 1)
    );
    assert_eq!(
        guesses(quote!(
            #[repr(C)]
            struct Nested {
                a: u32,
                b: Inner,
                c: u32,
                d: f32,
                e: u8,
            }
        )),
        (3, 1)
    );
    assert_eq!(
        guesses(quote!(
            #[repr(C, packed)]
            struct Dense {
                a: u8,
                b: Inner,
            }
        )),
        (0, 1)
    );
    assert_eq!(
        guesses(quote!(
            #[repr(C, packed(2))]
            struct HalfDense {
                a: u8,
                b: u64,
            }
        )),
        (2, 0)
    );
    assert_eq!(
        guesses(quote!(
            #[repr(C, align(8))]
            struct Aligned {
                a: u64,
            }
        )),
        (1, 0)
    );
}
