//! Assertions that a C++ compiler lays a type out as Rust does.

use std::fmt::Write;

use super::{FieldLayout, Kind, Layout, name::c_identifiers};

/// What the assertions name. Without `offsetof`, which NVRTC has no header for, its own compile-time intrinsic serves.
pub(super) const SUPPORT: &str = "\
#ifndef MEMCORE_LAYOUT
#define MEMCORE_LAYOUT
#ifdef __CUDACC_RTC__
#define MEMCORE_OFFSET(type, field) __INTADDR__(&(((type*)0)->field))
#else
#include <stddef.h>
#define MEMCORE_OFFSET(type, field) offsetof(type, field)
#endif
// 1 for floating-point numbers and arrays of them, 2 for integers, 0 for anything else.
template <class T> struct memcore_number { enum { kind = 0 }; };
template <> struct memcore_number<float> { enum { kind = 1 }; };
template <> struct memcore_number<double> { enum { kind = 1 }; };
template <> struct memcore_number<signed char> { enum { kind = 2 }; };
template <> struct memcore_number<unsigned char> { enum { kind = 2 }; };
template <> struct memcore_number<short> { enum { kind = 2 }; };
template <> struct memcore_number<unsigned short> { enum { kind = 2 }; };
template <> struct memcore_number<int> { enum { kind = 2 }; };
template <> struct memcore_number<unsigned int> { enum { kind = 2 }; };
template <> struct memcore_number<long> { enum { kind = 2 }; };
template <> struct memcore_number<unsigned long> { enum { kind = 2 }; };
template <> struct memcore_number<long long> { enum { kind = 2 }; };
template <> struct memcore_number<unsigned long long> { enum { kind = 2 }; };
template <class T, unsigned long N> struct memcore_number<T[N]> : memcore_number<T> {};
#endif
";

/// Writes assertions that structs of the same names and with fields of the same names, written by hand in CUDA C++, have
/// the layouts of the Rust types: put the text after them, or include it there.
///
/// Beside sizes and offsets it asserts of each number that it is an integer or a floating-point one as in Rust. A `float3`
/// may stand for a `[f32; 3]`.
///
/// ```
/// use memcore::{layout::{DeviceLayout, cuda_asserts}, prelude::*};
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// #[repr(C)]
/// struct Particle {
///     position: [f32; 3],
///     mass: f32,
/// }
///
/// let asserts = cuda_asserts(&[Particle::layout()]);
/// assert!(asserts.contains("static_assert(sizeof(Particle) == 16, \"Particle: size 16 in Rust\");\n"));
/// ```
#[must_use]
pub fn cuda_asserts(layouts: &[Layout]) -> String {
    let mut text = format!("// Assertions by memcore, on types of the same names in Rust.\n{SUPPORT}");
    for layout in layouts {
        text.push('\n');
        write_asserts(layout, &mut text);
    }
    text
}

/// The assertions on one type.
pub(super) fn write_asserts(layout: &Layout, text: &mut String) {
    let (name, size, align) = (&layout.name, layout.size, layout.align);
    if size == 0 || !matches!(layout.kind, Kind::Struct(_) | Kind::Union(_) | Kind::Enum(..)) {
        return;
    }
    let mut assert = |condition: String, wanted: String| {
        writeln!(text, "static_assert({condition}, \"{wanted} in Rust\");").expect("a `String` takes all");
    };
    assert(format!("sizeof({name}) == {size}"), format!("{name}: size {size}"));
    assert(format!("alignof({name}) == {align}"), format!("{name}: alignment {align}"));
    for (FieldLayout { offset, layout: ty, .. }, field) in layout.fields().iter().zip(field_names(layout)) {
        if ty.size == 0 {
            continue;
        }
        assert(format!("MEMCORE_OFFSET({name}, {field}) == {offset}"), format!("{name}.{field}: offset {offset}"));
        assert(format!("sizeof({name}::{field}) == {}", ty.size), format!("{name}.{field}: size {}", ty.size));
        let (wrong, wanted) = match ty.element().kind {
            Kind::Scalar("float" | "double") => (2, "a floating-point number"),
            Kind::Scalar("bool") => continue,
            Kind::Scalar(_) => (1, "an integer"),
            _ => continue,
        };
        let kind = format!("memcore_number<decltype({name}::{field})>::kind");
        assert(format!("{kind} != {wrong}"), format!("{name}.{field}: {wanted}"));
    }
}

/// The names of the fields in C.
pub(super) fn field_names(layout: &Layout) -> Vec<String> {
    c_identifiers(layout.fields().iter().map(|field| field.name))
}
