//! Bytes in rows, which pitched operations use. Other operations use one run of bytes, which is one row.

use core::ops::Range;

/// Rows of as many bytes each, a pitch apart, in slices that lie apart as evenly.
///
/// INVARIANT: the rows come one after another and do not overlap; the last one ends at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    start: u64,
    /// Bytes of a row.
    width: u64,
    /// Rows of a slice.
    in_slice: Steps,
    slices: Steps,
}

/// How many there are, and how many bytes after one the next begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Steps {
    count: u64,
    apart: u64,
}

impl Steps {
    const ONE: Self = Self { count: 1, apart: 0 };

    /// From the start of the first to that of the last.
    fn reach(self) -> Option<u64> {
        self.count.checked_sub(1)?.checked_mul(self.apart)
    }
}

impl Rows {
    /// `slices` slices of `rows` rows of `width` bytes: rows are `pitch` bytes apart, slices `height` rows. `None` where
    /// rows would overlap, where there are none, or where they go past the last address. Of a single row the pitch does
    /// not matter, nor of a single slice the height.
    pub(super) fn new(start: u64, [width, rows, slices]: [u64; 3], pitch: u64, height: u64) -> Option<Self> {
        let in_slice = if rows == 1 { Steps::ONE } else { Steps { count: rows, apart: pitch } };
        let slices = match slices {
            1 => Steps::ONE,
            count => Steps { count, apart: pitch.checked_mul(height)? },
        };
        let slice = in_slice.reach()?.checked_add(width)?;
        start.checked_add(slices.reach()?)?.checked_add(slice)?;
        let is_one = in_slice.count == 1 && slices.count == 1;
        let is_apart = (in_slice.count == 1 || pitch >= width) && (slices.count == 1 || slices.apart >= slice);
        // INVARIANT: just checked.
        (is_one || (width > 0 && is_apart)).then_some(Self { start, width, in_slice, slices })
    }

    /// One run of bytes, from which those past the last address are left out.
    pub(super) const fn run(start: u64, len: u64) -> Self {
        // INVARIANT: one row; its end saturates.
        Self { start, width: start.saturating_add(len) - start, in_slice: Steps::ONE, slices: Steps::ONE }
    }

    /// Where the first row begins.
    pub(super) const fn start(&self) -> u64 {
        self.start
    }

    /// Where the last row ends.
    pub(super) fn end(&self) -> u64 {
        self.row(self.count().saturating_sub(1)).end
    }

    /// All from the first row to the last, with what lies between.
    pub(super) fn hull(&self) -> Range<u64> {
        self.start..self.end()
    }

    /// The bytes of all rows.
    pub(super) const fn len(&self) -> u64 {
        self.width * self.count()
    }

    /// How many rows there are.
    const fn count(&self) -> u64 {
        self.in_slice.count * self.slices.count
    }

    fn row(&self, index: u64) -> Range<u64> {
        let (slice, row) = (index / self.in_slice.count, index % self.in_slice.count);
        let start = self.start + slice * self.slices.apart + row * self.in_slice.apart;
        start..start + self.width
    }

    /// Every row.
    pub(super) fn each(self) -> impl Iterator<Item = Range<u64>> {
        (0..self.count()).map(move |index| self.row(index))
    }

    /// The rows, where those without a gap between them are one.
    pub(super) fn runs(&self) -> impl Iterator<Item = Range<u64>> + use<> {
        Self::join(*self, *self).0.each()
    }

    /// What is at the same place in both, which are of the same shape.
    pub(super) fn pairs(&self, other: &Self) -> impl Iterator<Item = (Range<u64>, Range<u64>)> + use<> {
        let (these, those) = Self::join(*self, *other);
        these.each().zip(those.each())
    }

    /// Makes one row of those that have no gap between them in either.
    fn join(mut these: Self, mut those: Self) -> (Self, Self) {
        // The rows of a slice, and then the slices.
        for _ in 0..2 {
            if these.has_gaps() || those.has_gaps() {
                break;
            }
            for all in [&mut these, &mut those] {
                // INVARIANT: the same bytes.
                *all = Self { width: all.width * all.in_slice.count, in_slice: all.slices, slices: Steps::ONE, ..*all };
            }
        }
        (these, those)
    }

    fn has_gaps(&self) -> bool {
        self.in_slice.count > 1 && self.in_slice.apart > self.width
    }

    /// The same bytes, counted from one that is not behind the first.
    pub(super) const fn counted_from(self, base: u64) -> Self {
        // INVARIANT: they end no later than before.
        Self { start: self.start.saturating_sub(base), ..self }
    }

    /// The same rows one after the other, from 0.
    pub(super) const fn packed(self) -> Self {
        let in_slice = Steps { apart: self.width, ..self.in_slice };
        let slices = Steps { apart: self.width * self.in_slice.count, ..self.slices };
        // INVARIANT: they end no later than before.
        Self { start: 0, in_slice, slices, ..self }
    }

    /// Whether both have a byte in common.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        if self.end() <= other.start || other.end() <= self.start {
            return false;
        }
        let (mut mine, mut theirs) = (self.runs().peekable(), other.runs().peekable());
        while let (Some(a), Some(b)) = (mine.peek(), theirs.peek()) {
            if a.start < b.end && b.start < a.end {
                return true;
            }
            // The one that ends first has nothing in common with what follows.
            let _ = if a.end <= b.end { mine.next() } else { theirs.next() };
        }
        false
    }

    /// The first row that does not end by `end`, and which it is, where there are several.
    pub(super) fn first_past(&self, end: u64) -> Option<(Range<u64>, String)> {
        let (mut inside, mut past) = (0, self.count());
        while inside < past {
            let middle = inside + (past - inside) / 2;
            if self.row(middle).end > end { past = middle } else { inside = middle + 1 }
        }
        if past == self.count() {
            return None;
        }
        let (slice, row) = (past / self.in_slice.count, past % self.in_slice.count);
        let name = match (self.slices.count, self.in_slice.count) {
            (1, 1) => String::new(),
            (1, _) => format!(" in row {row}"),
            _ => format!(" in row {row} of slice {slice}"),
        };
        Some((self.row(past), name))
    }
}

#[cfg(test)]
mod tests {
    use super::Rows;
    use core::ops::Range;

    const END: u64 = 400;

    fn random_rows(random: &mut fastrand::Rng, shape: [u64; 3]) -> Rows {
        let [width, rows, _] = shape;
        let (pitch, height) = (width + random.u64(..3), rows + random.u64(..3));
        Rows::new(random.u64(..9), shape, pitch, height).expect("rows that do not overlap")
    }

    /// A plain model: every byte.
    fn bytes(ranges: impl Iterator<Item = Range<u64>>) -> Vec<u64> {
        ranges.flatten().collect()
    }

    #[test]
    fn rows_are_the_bytes_that_they_name() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..2000 {
            let shape = [random.u64(1..5), random.u64(1..5), random.u64(1..4)];
            let (these, those) = (random_rows(&mut random, shape), random_rows(&mut random, shape));
            let (all, other) = (bytes(these.each()), bytes(those.each()));
            assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{these:?}");
            assert_eq!(these.len(), all.len() as u64);
            assert_eq!(these.hull(), all[0]..all[all.len() - 1] + 1);
            assert_eq!(bytes(these.runs()), all);
            let paired: (Vec<_>, Vec<_>) = these.pairs(&those).unzip();
            assert_eq!((bytes(paired.0.into_iter()), bytes(paired.1.into_iter())), (all.clone(), other.clone()));
            assert_eq!(bytes(these.packed().each()), (0..these.len()).collect::<Vec<_>>());
            assert_eq!(these.packed().runs().count(), 1);
            assert_eq!(these.overlaps(&those), all.iter().any(|byte| other.contains(byte)));
            let base = random.u64(..=these.start());
            assert_eq!(bytes(these.counted_from(base).each()), all.iter().map(|byte| byte - base).collect::<Vec<_>>());
            let end = random.u64(..END);
            assert_eq!(these.first_past(end).map(|(row, _)| row), these.each().find(|row| row.end > end));
        }
    }

    #[test]
    fn what_overlaps_or_ends_nowhere_is_no_rows() {
        assert_eq!(Rows::new(0, [8, 2, 1], 7, 0), None, "they overlap");
        assert_eq!(Rows::new(0, [8, 2, 2], 8, 1), None, "slices overlap");
        assert_eq!(Rows::new(0, [8, 0, 1], 8, 0), None);
        assert_eq!(Rows::new(u64::MAX - 8, [8, 2, 1], 8, 0), None);
        assert_eq!(Rows::new(0, [1, u64::MAX, 1], 2, 0), None);
        assert_eq!(Rows::new(0, [1, 1, 2], u64::MAX, 2), None);
        assert_eq!(Rows::new(0, [0, 2, 1], 8, 0), None);
        assert!(Rows::new(0, [8, 1, 1], 0, 0).is_some(), "one row has no pitch");
        assert!(Rows::new(0, [0, 1, 1], 0, 0).is_some_and(|rows| rows.len() == 0));
        assert_eq!(Rows::run(u64::MAX - 1, 8).hull(), u64::MAX - 1..u64::MAX);
    }

    #[test]
    fn rows_have_names() {
        let name = |rows: Rows, end| rows.first_past(end).map(|(_, name)| name).unwrap_or_default();
        assert_eq!(name(Rows::run(0, 8), 7), "");
        assert_eq!(name(Rows::new(0, [4, 3, 1], 8, 0).expect("rows"), 19), " in row 2");
        assert_eq!(name(Rows::new(0, [4, 3, 2], 8, 3).expect("rows"), 30), " in row 1 of slice 1");
    }
}
