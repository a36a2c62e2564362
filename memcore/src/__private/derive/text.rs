//! Texts built in const evaluation, where there is no `format!`.

use core::str;

/// A text built in const evaluation.
pub(super) struct Text {
    bytes: [u8; 1024],
    length: usize,
}

impl Text {
    pub(super) const fn new() -> Self {
        Self { bytes: [0; 1024], length: 0 }
    }

    /// Appends a piece, or nothing if there is no room for all of it.
    pub(super) const fn str(mut self, piece: &str) -> Self {
        let piece = piece.as_bytes();
        if piece.len() <= self.bytes.len() - self.length {
            let (_, free) = self.bytes.split_at_mut(self.length);
            free.split_at_mut(piece.len()).0.copy_from_slice(piece);
            self.length += piece.len();
        }
        self
    }

    pub(super) const fn number(self, number: usize) -> Self {
        const DIGITS: &str = "0123456789";
        let text = if number >= 10 { self.number(number / 10) } else { self };
        text.str(DIGITS.split_at(number % 10).1.split_at(1).0)
    }

    pub(super) const fn as_str(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "the struct has padding",
        }
    }
}
