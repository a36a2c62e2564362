//! Bytes that no copy finds by chance.

/// What destinations hold before a copy.
pub(crate) const POISON: u8 = 0xA5;

/// The word at an index.
fn word(index: usize) -> [u8; 4] {
    ((index as u32).wrapping_mul(0x9E37_79B1) ^ 0x5BD1_E995).to_le_bytes()
}

pub(crate) fn write(memory: &mut [u8]) {
    for (index, bytes) in memory.chunks_mut(4).enumerate() {
        bytes.copy_from_slice(&word(index)[..bytes.len()]);
    }
}

/// Panics unless the memory holds the pattern, in the first `columns` of each `pitch` bytes, and poison beside it.
#[track_caller]
pub(crate) fn verify(what: &str, memory: &[u8], (pitch, columns): (usize, usize)) {
    for (row, bytes) in memory.chunks(pitch).enumerate() {
        let end = columns.min(bytes.len());
        let first = row * pitch / 4;
        let is_right =
            bytes[..end].chunks(4).enumerate().all(|(index, bytes)| bytes == &word(first + index)[..bytes.len()]);
        assert!(is_right, "{what}: the copy of {} bytes is wrong in bytes from {}", memory.len(), row * pitch);
        assert!(bytes[end..].iter().all(|&byte| byte == POISON), "{what}: something was written beside a row");
    }
}

/// The whole memory, in rows that are looked at one by one.
pub(crate) const WHOLE: (usize, usize) = (1 << 20, 1 << 20);
