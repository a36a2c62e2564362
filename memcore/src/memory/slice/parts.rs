//! Parts of device slices that do not overlap.

use core::iter::FusedIterator;

use super::DeviceSlice;

impl<T> DeviceSlice<T> {
    /// The first element as a slice of one, or `None` if there is none.
    #[must_use]
    pub fn first(&self) -> Option<&Self> {
        self.get(0)
    }

    /// The first element as a slice of one, mutably, or `None` if there is none.
    #[must_use]
    pub fn first_mut(&mut self) -> Option<&mut Self> {
        self.get_mut(0)
    }

    /// The last element as a slice of one, or `None` if there is none.
    #[must_use]
    pub fn last(&self) -> Option<&Self> {
        self.get(self.len().checked_sub(1)?)
    }

    /// The last element as a slice of one, mutably, or `None` if there is none.
    #[must_use]
    pub fn last_mut(&mut self) -> Option<&mut Self> {
        let last = self.len().checked_sub(1)?;
        self.get_mut(last)
    }

    /// The elements before `middle` and those from it on.
    ///
    /// # Panics
    ///
    /// If `middle` is past the end.
    #[must_use]
    #[track_caller]
    pub fn split_at(&self, middle: usize) -> (&Self, &Self) {
        match self.split_at_checked(middle) {
            Some(halves) => halves,
            None => panic!("cannot split a device slice of length {} at {middle}", self.len()),
        }
    }

    /// The elements before `middle` and those from it on, mutably.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut dev = device_vec![1u8, 2, 3, 4]?;
    /// let (left, right) = dev.split_at_mut(2);
    /// copy!(left <- right)?;
    /// assert_eq!(dev.to_vec()?, [3, 4, 3, 4]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `middle` is past the end.
    #[must_use]
    #[track_caller]
    pub fn split_at_mut(&mut self, middle: usize) -> (&mut Self, &mut Self) {
        let len = self.len();
        match self.split_at_mut_checked(middle) {
            Some(halves) => halves,
            None => panic!("cannot split a device slice of length {len} at {middle}"),
        }
    }

    /// As [`split_at`](Self::split_at), or `None` if `middle` is past the end.
    #[must_use]
    pub fn split_at_checked(&self, middle: usize) -> Option<(&Self, &Self)> {
        Some((self.get(..middle)?, self.get(middle..)?))
    }

    /// As [`split_at_mut`](Self::split_at_mut), or `None` if `middle` is past the end.
    #[must_use]
    pub fn split_at_mut_checked(&mut self, middle: usize) -> Option<(&mut Self, &mut Self)> {
        let rest = self.len().checked_sub(middle)?;
        let start = self.as_device_ptr();
        // SAFETY: the first `middle` elements lie inside, and are lent for as long as `self` is.
        let left = unsafe { Self::from_raw_parts_mut(start, middle) };
        // SAFETY: the other `rest` lie inside and overlap the first part nowhere.
        let right = unsafe { Self::from_raw_parts_mut(start.add(middle), rest) };
        Some((left, right))
    }

    /// Parts of `size` elements in order; the last may be shorter.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    #[must_use]
    pub fn chunks(&self, size: usize) -> Chunks<'_, T> {
        assert!(size != 0, "chunks of a device slice must have a size");
        Chunks { rest: self, size }
    }

    /// Parts of `size` elements in order, mutably; the last may be shorter.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut dev = device_vec![0u8; 5]?;
    /// for (i, part) in dev.chunks_mut(2).enumerate() {
    ///     fill!(part <- i as u8)?;
    /// }
    /// assert_eq!(dev.to_vec()?, [0, 0, 1, 1, 2]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    pub fn chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
        assert!(size != 0, "chunks of a device slice must have a size");
        ChunksMut { rest: self, size }
    }

    /// Parts of exactly `size` elements in order; what is left over is the iterator's `remainder`.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    #[must_use]
    pub fn chunks_exact(&self, size: usize) -> ChunksExact<'_, T> {
        assert!(size != 0, "chunks of a device slice must have a size");
        let (whole, remainder) = self.split_at(self.len() - self.len() % size);
        ChunksExact { chunks: Chunks { rest: whole, size }, remainder }
    }

    /// Parts of exactly `size` elements in order, mutably; what is left over is the iterator's `into_remainder`.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    #[track_caller]
    pub fn chunks_exact_mut(&mut self, size: usize) -> ChunksExactMut<'_, T> {
        assert!(size != 0, "chunks of a device slice must have a size");
        let whole = self.len() - self.len() % size;
        let (whole, remainder) = self.split_at_mut(whole);
        ChunksExactMut { chunks: ChunksMut { rest: whole, size }, remainder }
    }
}

/// Parts of a device slice; see [`DeviceSlice::chunks`].
#[derive(Debug)]
pub struct Chunks<'a, T> {
    rest: &'a DeviceSlice<T>,
    /// INVARIANT: not 0.
    size: usize,
}

/// Mutable parts of a device slice; see [`DeviceSlice::chunks_mut`].
#[derive(Debug)]
pub struct ChunksMut<'a, T> {
    rest: &'a mut DeviceSlice<T>,
    /// INVARIANT: not 0.
    size: usize,
}

/// Equal parts of a device slice; see [`DeviceSlice::chunks_exact`].
#[derive(Debug)]
pub struct ChunksExact<'a, T> {
    chunks: Chunks<'a, T>,
    remainder: &'a DeviceSlice<T>,
}

/// Equal mutable parts of a device slice; see [`DeviceSlice::chunks_exact_mut`].
#[derive(Debug)]
pub struct ChunksExactMut<'a, T> {
    chunks: ChunksMut<'a, T>,
    remainder: &'a mut DeviceSlice<T>,
}

impl<'a, T> ChunksExact<'a, T> {
    /// The elements after the last whole part, fewer than one part has.
    #[must_use]
    pub fn remainder(&self) -> &'a DeviceSlice<T> {
        self.remainder
    }
}

impl<'a, T> ChunksExactMut<'a, T> {
    /// The elements after the last whole part, fewer than one part has, mutably.
    #[must_use]
    pub fn into_remainder(self) -> &'a mut DeviceSlice<T> {
        self.remainder
    }
}

impl<'a, T> Iterator for Chunks<'a, T> {
    type Item = &'a DeviceSlice<T>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let (part, rest) = self.rest.split_at(self.size.min(self.rest.len()));
        self.rest = rest;
        Some(part)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let parts = self.rest.len().div_ceil(self.size);
        (parts, Some(parts))
    }
}

impl<T> DoubleEndedIterator for Chunks<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let (rest, part) = self.rest.split_at(start_of_last(self.rest.len(), self.size)?);
        self.rest = rest;
        Some(part)
    }
}

impl<'a, T> Iterator for ChunksMut<'a, T> {
    type Item = &'a mut DeviceSlice<T>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let whole = core::mem::take(&mut self.rest);
        let middle = self.size.min(whole.len());
        let (part, rest) = whole.split_at_mut(middle);
        self.rest = rest;
        Some(part)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let parts = self.rest.len().div_ceil(self.size);
        (parts, Some(parts))
    }
}

impl<T> DoubleEndedIterator for ChunksMut<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let start = start_of_last(self.rest.len(), self.size)?;
        let (rest, part) = core::mem::take(&mut self.rest).split_at_mut(start);
        self.rest = rest;
        Some(part)
    }
}

/// Where the last part starts when `len` elements are cut into parts of `size` from the front.
fn start_of_last(len: usize, size: usize) -> Option<usize> {
    let last = len.checked_sub(1)?;
    Some(last - last % size)
}

macro_rules! exact_by_chunks {
    ($($exact:ident: $item:ty),*) => {$(
        impl<'a, T> Iterator for $exact<'a, T> {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                self.chunks.next()
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.chunks.size_hint()
            }
        }

        impl<T> DoubleEndedIterator for $exact<'_, T> {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.chunks.next_back()
            }
        }
    )*};
}

exact_by_chunks!(ChunksExact: &'a DeviceSlice<T>, ChunksExactMut: &'a mut DeviceSlice<T>);

macro_rules! exact_and_fused {
    ($($iterator:ident),*) => {$(
        impl<T> ExactSizeIterator for $iterator<'_, T> {}
        impl<T> FusedIterator for $iterator<'_, T> {}
    )*};
}

exact_and_fused!(Chunks, ChunksMut, ChunksExact, ChunksExactMut);
