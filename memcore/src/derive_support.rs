//! What the expansion of `#[derive(DeviceCopy)]` calls. Nothing here is public API.

use core::marker::PhantomData;

pub use core::{
    marker::{Copy, Sized},
    mem::offset_of,
};

use bytemuck::Pod;

/// Stands for a field of the struct `S` whose type `T` is inferred from a function that takes it out.
#[derive(Debug)]
pub struct Probe<S, T>(PhantomData<fn(S) -> T>);

impl<S, T> Probe<S, T> {
    pub const fn new(_field: fn(S) -> T) -> Self {
        Self(PhantomData)
    }
}

/// Plain data: every bit pattern is a value, none of its bytes is padding, none points into host memory.
///
/// # Safety
///
/// Implemented for every `Pod` type, and for nothing else.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain data, which every field of device data must be",
    label = "not plain data",
    note = "if it is a struct of yours: `#[derive(Clone, Copy, DeviceCopy)]` and `#[repr(C)]` above it"
)]
pub unsafe trait PlainData {}

#[diagnostic::do_not_recommend]
// SAFETY: `Pod` is that contract.
unsafe impl<T: Pod> PlainData for T {}

pub trait FieldCheck<S>: Sized {
    fn verify<U: PlainData>(self, _field: fn(S) -> U) {}
}

impl<S, T> FieldCheck<S> for Probe<S, T> {}

/// Stands for a struct and the tuple of all its fields.
#[derive(Debug)]
pub struct Whole<S, F>(PhantomData<fn(S) -> F>);

impl<S, F> Whole<S, F> {
    pub const fn new(_fields: fn(S) -> F) -> Self {
        Self(PhantomData)
    }
}

impl<S, F: Copy> Whole<S, F> {
    pub fn verify_copy<U: CopyData>(self, _whole: fn(S) -> U) {}
}

pub trait CopyCheck<S>: Sized {
    fn verify_copy(self, _whole: fn(S) -> S) {}
}

impl<S, F> CopyCheck<S> for Whole<S, F> {}

/// # Safety
///
/// Implemented for every `Copy` type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Copy`, which device data must be",
    label = "not `Copy`",
    note = "write `#[derive(Clone, Copy, DeviceCopy)]`"
)]
pub unsafe trait CopyData {}

#[diagnostic::do_not_recommend]
// SAFETY: it is `Copy`.
unsafe impl<T: Copy> CopyData for T {}

#[derive(Debug, Clone, Copy)]
pub struct Field {
    name: &'static str,
    pad: &'static str,
    offset: usize,
    size: usize,
}

impl Field {
    pub const fn new<S, T>(
        name: &'static str,
        pad: &'static str,
        offset: usize,
        _value: fn(S) -> T,
    ) -> Self {
        Self {
            name,
            pad,
            offset,
            size: size_of::<T>(),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Layout {
    name: &'static str,
    size: usize,
    align: usize,
    fields: &'static [Field],
}

impl Layout {
    pub const fn new<S>(name: &'static str, fields: &'static [Field]) -> Self {
        Self {
            name,
            size: size_of::<S>(),
            align: align_of::<S>(),
            fields,
        }
    }

    #[track_caller]
    pub const fn no_gap_after(&self, index: usize) {
        let field = &self.fields[index];
        let end = field.offset + field.size;
        let next = if index + 1 < self.fields.len() {
            self.fields[index + 1].offset
        } else {
            self.size
        };
        if next != end {
            self.fail(index, end, next)
        }
    }
}
impl Layout {
    #[track_caller]
    const fn fail(&self, index: usize, end: usize, next: usize) -> ! {
        let field = &self.fields[index];
        let mut text = Text::new();
        text.push("`");
        text.push(self.name);
        if next < end {
            text.push("`'s fields overlap or are out of order");
        } else {
            let bytes = next - end;
            text.push("` has ");
            text.push_number(bytes);
            text.push(if bytes == 1 { " byte" } else { " bytes" });
            text.push(" of padding ");
            if index + 1 < self.fields.len() {
                text.push("between fields `");
                text.push(field.name);
                text.push("` and `");
                text.push(self.fields[index + 1].name);
            } else {
                text.push("after its last field `");
                text.push(field.name);
            }
            text.push("` (bytes ");
            text.push_number(end);
            text.push("..");
            text.push_number(next);
            if index + 1 == self.fields.len() {
                text.push(", up to a multiple of its alignment ");
                text.push_number(self.align);
            }
            text.push(")\nhelp: add ");
            if field.pad.is_empty() {
                text.push("a `[u8; ");
                text.push_number(bytes);
                text.push("]`");
            } else {
                text.push("`");
                text.push(field.pad);
                text.push(": [u8; ");
                text.push_number(bytes);
                text.push("]`");
            }
            text.push(" after `");
            text.push(field.name);
            text.push("`");
        }
        #[expect(
            clippy::uninlined_format_args,
            reason = "const evaluation takes this form alone"
        )]
        {
            core::panic!("{}", text.as_str())
        }
    }
}

struct Text {
    bytes: [u8; 1024],
    length: usize,
}

impl Text {
    const fn new() -> Self {
        Self {
            bytes: [0; 1024],
            length: 0,
        }
    }

    const fn push(&mut self, text: &str) {
        let text = text.as_bytes();
        if text.len() > self.bytes.len() - self.length {
            return;
        }
        let mut at = 0;
        while at < text.len() {
            self.bytes[self.length] = text[at];
            self.length += 1;
            at += 1;
        }
    }

    const fn push_number(&mut self, number: usize) {
        let mut digits = [b'0'; 20];
        let mut start = digits.len();
        let mut rest = number;
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        let (_, digits) = digits.split_at(start);
        if let Ok(digits) = core::str::from_utf8(digits) {
            self.push(digits);
        }
    }

    const fn as_str(&self) -> &str {
        let (text, _) = self.bytes.split_at(self.length);
        match core::str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => "padding",
        }
    }
}
