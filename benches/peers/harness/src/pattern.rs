//! Bytes that no copy finds by chance.

/// What destinations hold before a copy.
pub(crate) const POISON: u8 = 0xA5;

/// The word at an index.
fn word(index: usize) -> [u8; 4] {
    ((index as u32).wrapping_mul(0x9E37_79B1) ^ 0x5BD1_E995).to_le_bytes()
}

/// Writes the pattern over memory of whole words.
pub(crate) fn write(memory: &mut [u8]) {
    for (index, bytes) in memory.as_chunks_mut().0.iter_mut().enumerate() {
        *bytes = word(index);
    }
}

/// Panics unless the memory holds the pattern, in the first `columns` of each `pitch` bytes, and poison beside it.
#[track_caller]
pub(crate) fn verify(what: &str, memory: &[u8], (pitch, columns): (usize, usize)) {
    for (row, bytes) in memory.chunks(pitch).enumerate() {
        let (copied, beside) = bytes.split_at(columns.min(bytes.len()));
        let first = row * pitch / 4;
        // All words, without a way out of the loop: so the compiler takes many at once.
        let wrong =
            copied.as_chunks().0.iter().enumerate().filter(|&(index, bytes)| *bytes != word(first + index)).count();
        assert!(wrong == 0, "{what}: the copy of {} bytes is wrong in bytes from {}", memory.len(), row * pitch);
        assert!(beside.iter().all(|&byte| byte == POISON), "{what}: something was written beside a row");
    }
}

/// The whole memory, in rows that are looked at one by one.
pub(crate) const WHOLE: (usize, usize) = (1 << 20, 1 << 20);
