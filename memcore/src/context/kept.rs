//! What is kept for later: by size, up to a bound.

use std::collections::BTreeMap;

/// Things of a size that are kept to be used again, at most so many bytes of them.
#[derive(Debug)]
pub(super) struct Kept<M> {
    limit: usize,
    bytes: usize,
    /// By size, and of one size by age.
    by_size: BTreeMap<(usize, u64), M>,
    /// The size of each, by age.
    by_age: BTreeMap<u64, usize>,
    next: u64,
}

impl<M> Kept<M> {
    /// Of what is used again, this part of what was asked for may be too much.
    const WASTE: usize = 4;

    pub(super) const fn new(limit: usize) -> Self {
        Self { limit, bytes: 0, by_size: BTreeMap::new(), by_age: BTreeMap::new(), next: 0 }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// How many bytes there are.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether one of this size would be kept, if nothing else were.
    pub(super) fn has_room_for(&self, size: usize) -> bool {
        size <= self.limit
    }

    /// Takes out the smallest of at least `size` bytes, unless it is a quarter too large.
    pub(super) fn take(&mut self, size: usize) -> Option<M> {
        let most = size.saturating_add(size / Self::WASTE);
        let &key = self.by_size.range((size, 0)..=(most, u64::MAX)).next()?.0;
        self.remove(key)
    }

    /// Adds one, and takes out the oldest that are too many then: the new one too, where it alone is.
    #[must_use]
    pub(super) fn put(&mut self, size: usize, one: M) -> Vec<M> {
        let age = self.next;
        self.next += 1;
        self.by_size.insert((size, age), one);
        self.by_age.insert(age, size);
        self.bytes += size;
        self.trim(self.limit)
    }

    /// Takes out the oldest until there are at most `most` bytes.
    #[must_use]
    pub(super) fn trim(&mut self, most: usize) -> Vec<M> {
        let mut out = Vec::new();
        while self.bytes > most
            && let Some((&age, &size)) = self.by_age.first_key_value()
        {
            out.extend(self.remove((size, age)));
        }
        out
    }

    /// Sets the bound, and takes out what is too much then.
    #[must_use]
    pub(super) fn set_limit(&mut self, limit: usize) -> Vec<M> {
        self.limit = limit;
        self.trim(limit)
    }

    fn remove(&mut self, key: (usize, u64)) -> Option<M> {
        let (size, age) = key;
        self.by_age.remove(&age);
        let one = self.by_size.remove(&key)?;
        self.bytes -= size;
        Some(one)
    }
}

#[cfg(test)]
mod tests {
    use super::Kept;

    /// A plain model: a list, oldest first.
    #[derive(Default)]
    struct Model {
        limit: usize,
        list: Vec<(usize, u32)>,
    }

    impl Model {
        fn bytes(&self) -> usize {
            self.list.iter().map(|(size, _)| size).sum()
        }

        fn trim(&mut self, most: usize) -> Vec<u32> {
            let mut out = Vec::new();
            while self.bytes() > most {
                out.push(self.list.remove(0).1);
            }
            out
        }

        fn take(&mut self, size: usize) -> Option<u32> {
            let fits = |(at, (have, _)): (usize, &(usize, u32))| {
                (*have >= size && 4 * (have - size) <= size).then_some((*have, at))
            };
            let (_, at) = self.list.iter().enumerate().filter_map(fits).min()?;
            Some(self.list.remove(at).1)
        }
    }

    #[test]
    fn it_is_what_a_list_is() {
        let mut random = fastrand::Rng::with_seed(11);
        for _ in 0..300 {
            let limit = random.usize(..2000);
            let (mut kept, mut model) = (Kept::new(limit), Model { limit, ..Model::default() });
            for number in 0..200 {
                let size = random.usize(1..400);
                match random.u32(..10) {
                    0 => {
                        let most = random.usize(..2000);
                        assert_eq!(kept.trim(most), model.trim(most));
                    }
                    1 => {
                        model.limit = random.usize(..2000);
                        assert_eq!(kept.set_limit(model.limit), model.trim(model.limit));
                    }
                    2..6 => {
                        model.list.push((size, number));
                        assert_eq!(kept.put(size, number), model.trim(model.limit));
                    }
                    _ => assert_eq!(kept.take(size), model.take(size), "{size} of {:?}", model.list),
                }
                assert_eq!((kept.bytes(), kept.limit()), (model.bytes(), model.limit));
                assert!(kept.bytes() <= kept.limit());
                assert_eq!(kept.has_room_for(size), size <= model.limit);
            }
        }
    }

    #[test]
    fn what_is_too_large_by_more_than_a_quarter_is_left() {
        let mut kept = Kept::new(1000);
        assert_eq!(kept.put(126, 'a'), []);
        assert_eq!(kept.take(100), None);
        assert_eq!(kept.take(127), None);
        assert_eq!(kept.take(101), Some('a'));
        assert_eq!(kept.take(101), None);
        assert_eq!(kept.put(1001, 'b'), ['b']);
    }
}
