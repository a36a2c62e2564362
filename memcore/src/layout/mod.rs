//! How device data is laid out, and the CUDA C++ that lays it out the same way.
//!
//! A kernel that takes a Rust struct needs the same struct in its own language. [`cuda_header`] writes it from the Rust
//! one, with `static_assert`s on its size, its alignment and the offset and size of every field, so that a compiler which
//! would lay it out otherwise refuses the header. Where the kernel's code has a struct of its own, [`cuda_asserts`] writes
//! the assertions alone. Both compile with `g++`, `clang++`, `nvcc` and NVRTC, and need no include file of the program.
//!
//! ```
//! use memcore::{layout::{DeviceLayout, cuda_header}, prelude::*};
//!
//! #[derive(Clone, Copy, DeviceCopy)]
//! #[repr(C)]
//! struct Particle {
//!     position: [f32; 3],
//!     mass: f32,
//! }
//!
//! let header = cuda_header(&[Particle::layout()])?;
//! assert!(header.contains("struct Particle {\n    float position[3];\n    float mass;\n};\n"));
//! assert!(header.contains("static_assert(MEMCORE_OFFSET(Particle, mass) == 12, \"Particle.mass: offset 12 in Rust\");\n"));
//! # Ok::<(), memcore::layout::NameClash>(())
//! ```
//!
//! Write it to a file in a build script or in a test that compares it with the file in the repository, and `#include` it.
//!
//! # What becomes of each type
//!
//! | Rust | CUDA C++ |
//! |---|---|
//! | `i8`, `u8` … `i64`, `u64`, `isize`, `usize` | `signed char`, `unsigned char` … `long long`, `unsigned long long` |
//! | `f32`, `f64`, `bool`, `char` | `float`, `double`, `bool`, `unsigned int` |
//! | `Wrapping<T>`, `NonZero<T>`, `Option<NonZero<T>>` | as `T` |
//! | `[T; N]` | `T field[N]` |
//! | `DevicePointer<T>`, `UnifiedPointer<T>` | `T*`; `void*` where `T` is no number, struct or union |
//! | a derived struct or union | a struct or union of the same name, packed or aligned where it is in Rust |
//! | an instance of a generic one, of arguments with a `DeviceLayout` | the same, named after them: `Pair<f32>` is `Pair_f32` |
//! | a derived enum | an `enum class` with its integer |
//! | any other type (`u128`, `glam::Vec3`) | `unsigned char field[size]`, aligned as it is |
//! | what has no bytes (`PhantomData`, `[T; 0]`) | nothing |
//!
//! A name that C++ keeps for itself gets a `_` at its end; the fields of a tuple struct are `_0`, `_1`, …

mod asserts;
mod header;
mod known;
mod name;

pub(crate) use self::name::c_identifier;
pub use self::{
    asserts::cuda_asserts,
    header::{NameClash, cuda_header},
};

/// Types whose layout is known field by field.
///
/// `#[derive(DeviceCopy)]` implements it, and so does [`#[derive(DeviceLayout)]`](macro@crate::DeviceLayout) for types that
/// are [`DeviceCopy`](trait@crate::DeviceCopy) by other means. Numbers and arrays have it too.
///
/// ```
/// use memcore::{layout::DeviceLayout, prelude::*};
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// #[repr(C)]
/// struct Record {
///     key: u64,
///     values: [f32; 4],
/// }
///
/// let layout = Record::layout();
/// assert_eq!((layout.name(), layout.size(), layout.align()), ("Record", 24, 8));
/// let values = &layout.fields()[1];
/// assert_eq!((values.name(), values.offset(), values.size()), ("values", 8, 16));
/// assert_eq!(values.type_name(), "float[4]");
/// ```
///
/// # Safety
///
/// What [`layout`](Self::layout) says is how the compiler lays the type out: kernels are compiled against it.
#[diagnostic::on_unimplemented(
    message = "the layout of `{Self}` is not known field by field",
    label = "no `DeviceLayout`",
    note = "for a type of your own: `#[derive(Clone, Copy, DeviceCopy)]`, or `#[derive(DeviceLayout)]` where it has `Pod`"
)]
pub unsafe trait DeviceLayout {
    /// The type's name as part of a name in C: `f32`, `Pair_f32`.
    fn name() -> String;

    /// How the type is laid out.
    fn layout() -> Layout;

    /// How C spells the type that a pointer to it points at. It asks for no layout: that may hold such a pointer.
    #[doc(hidden)]
    #[must_use]
    fn pointee() -> String {
        format!("struct {}", Self::name())
    }
}

/// How a type is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    name: String,
    size: usize,
    align: usize,
    pub(crate) kind: Kind,
}

/// What a type is to C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A number, as C spells it.
    Scalar(&'static str),
    /// A pointer to what C spells so.
    Pointer(String),
    /// An array.
    Array(Box<Layout>, usize),
    /// A struct.
    Struct(Vec<FieldLayout>),
    /// A union.
    Union(Vec<FieldLayout>),
    /// An enum: its integer, and its variants.
    Enum(&'static str, Vec<(&'static str, i128)>),
    /// Some bytes.
    Bytes,
}

/// Where a field lies in its struct, and how its type is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    name: &'static str,
    offset: usize,
    layout: Layout,
}

impl Layout {
    pub(crate) fn new(name: String, size: usize, align: usize, kind: Kind) -> Self {
        Self { name, size, align, kind }
    }

    /// The layout of a type of which nothing else is known.
    pub(crate) fn bytes<T>() -> Self {
        Self::new(String::new(), size_of::<T>(), align_of::<T>(), Kind::Bytes)
    }

    /// The type's name in C, or as part of one; empty for a type that is some bytes to C.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Its alignment in bytes.
    #[must_use]
    pub fn align(&self) -> usize {
        self.align
    }

    /// The fields of a struct or a union, in the order in which they are written; none for any other type.
    #[must_use]
    pub fn fields(&self) -> &[FieldLayout] {
        match &self.kind {
            Kind::Struct(fields) | Kind::Union(fields) => fields,
            _ => &[],
        }
    }
}

impl FieldLayout {
    pub(crate) fn new(name: &'static str, offset: usize, layout: Layout) -> Self {
        Self { name, offset, layout }
    }

    /// The field's name in Rust, without an `r#`: `position`, `0`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Bytes before it in its struct.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Its size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.layout.size
    }

    /// The layout of its type.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Its type as C spells it: `float[3]`, `Particle`.
    #[must_use]
    pub fn type_name(&self) -> String {
        self.layout.spelling()
    }
}
