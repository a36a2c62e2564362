//! Do the fields make up the whole struct?

use super::{describe, field::PlainData, text::Text};
use crate::layout::{DeviceLayout, Layout as Described};

/// Where a field lies in its struct.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub(super) name: &'static str,
    /// A free name for a field after this one; empty in a tuple struct.
    pad: &'static str,
    pub(super) offset: usize,
    size: usize,
    /// The layout of what the derive took for a number.
    pub(super) number: Option<fn() -> Described>,
}

impl Field {
    /// The field that `_value` takes out of its struct, which gives its size.
    #[must_use]
    pub const fn new<S, T>(name: &'static str, pad: &'static str, offset: usize, _value: fn(S) -> T) -> Self {
        Self { name, pad, offset, size: size_of::<T>(), number: None }
    }

    /// The same for a field that seems to be a `G`. It is plain data, which needs no other check.
    #[must_use]
    pub const fn number<G: DeviceLayout + 'static, S, T: PlainData>(
        name: &'static str,
        pad: &'static str,
        offset: usize,
        value: fn(S) -> T,
    ) -> Self {
        Self { number: Some(describe::number::<G, T>), ..Self::new(name, pad, offset, value) }
    }
}

/// How the fields of a struct lie, in the order in which they are written.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    name: &'static str,
    pub(super) size: usize,
    pub(super) align: usize,
    pub(super) fields: &'static [Field],
}

impl Layout {
    /// The layout of `S`.
    #[must_use]
    pub const fn new<S>(name: &'static str, fields: &'static [Field]) -> Self {
        Self { name, size: size_of::<S>(), align: align_of::<S>(), fields }
    }

    /// The text for the bytes that follow a field and belong to none, if there are any.
    const fn gap_after(&self, index: usize) -> Option<Text> {
        let field = self.fields[index];
        let end = field.offset + field.size;
        let next = if index + 1 < self.fields.len() { self.fields[index + 1].offset } else { self.size };
        if next != end || (index == 0 && field.offset != 0) { Some(describe_gap(self, index, end, next)) } else { None }
    }
}

/// Checks that the next field, or the end of the struct, follows a field at once.
///
/// # Panics
///
/// If there are bytes between them: the text names them and says what to write in their place.
#[track_caller]
pub const fn no_gap_after(layout: &Layout, index: usize) {
    if let Some(text) = layout.gap_after(index) {
        core::panic!("{}", text.as_str());
    }
}

/// Checks the same of every field that has no check of its own: the flags say which have.
///
/// # Panics
///
/// If there is such a gap: the text describes the first.
#[track_caller]
pub const fn no_other_gap(layout: &Layout, have_their_own: &[bool]) {
    let mut index = 0;
    while index < have_their_own.len() {
        if !have_their_own[index] {
            no_gap_after(layout, index);
        }
        index += 1;
    }
}

/// The text for the bytes from `end` to `next`, which follow the field `index`.
const fn describe_gap(layout: &Layout, index: usize, end: usize, next: usize) -> Text {
    let field = layout.fields[index];
    let last = index + 1 == layout.fields.len();
    let text = Text::new().str("`").str(layout.name);
    if next <= end {
        // A `repr(C)` struct never comes here.
        return text
            .str("` does not lay out its fields in the order in which they are written\n")
            .str("help: an attribute below `#[derive(DeviceCopy)]` changes its `repr`; put it above the derive");
    }
    let text =
        text.str("` has ").number(next - end).str(if next - end == 1 { " byte" } else { " bytes" }).str(" of padding ");
    let text = if last {
        text.str("after its last field `").str(field.name)
    } else {
        text.str("between fields `").str(field.name).str("` and `").str(layout.fields[index + 1].name)
    };
    let text = text.str("` (bytes ").number(end).str("..").number(next);
    let text = if last { text.str(", up to a multiple of its alignment ").number(layout.align) } else { text };
    let text = text.str(")\nhelp: add ");
    let text = if field.pad.is_empty() { text.str("a `") } else { text.str("`").str(field.pad).str(": ") };
    text.str("[u8; ").number(next - end).str("]` after `").str(field.name).str("`")
}

/// Checks that a field, from which a function makes the union `S`, fills it.
///
/// # Panics
///
/// If it is smaller: the text says what to write.
#[track_caller]
pub const fn fills_union<S, T>(name: &'static str, field: &'static str, _put: fn(T) -> S) {
    if size_of::<T>() != size_of::<S>() {
        let missing = size_of::<S>() - size_of::<T>();
        let text = Text::new().str("field `").str(field).str("` has ").number(size_of::<T>());
        let text = text.str(if size_of::<T>() == 1 { " byte" } else { " bytes" }).str(", and the union `").str(name);
        let text = text.str("` has ").number(size_of::<S>()).str(": the fields of a union must have the same size\n");
        let text = text.str("help: make it a struct with `#[repr(C)]` that holds a `[u8; ").number(missing);
        let text = text.str("]` after it");
        core::panic!("{}", text.as_str());
    }
}

/// Checks that an enum is as large as the integer that its variants are.
///
/// # Panics
///
/// If it is larger: the text says what to write.
#[track_caller]
pub const fn is_its_integer<E, I>(name: &'static str) {
    let (size, integer) = (size_of::<E>(), size_of::<I>());
    if size != integer {
        let text = Text::new().str("`").str(name).str("` has ").number(size - integer);
        let text =
            text.str(if size - integer == 1 { " byte" } else { " bytes" }).str(" of padding after its integer (bytes ");
        let text = text.number(integer).str("..").number(size).str(", up to a multiple of its alignment ");
        let text = text.number(align_of::<E>()).str(")\nhelp: leave `align` out, and choose the integer of that size");
        core::panic!("{}", text.as_str());
    }
}
