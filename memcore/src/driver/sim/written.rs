//! Which bytes of an allocation have been written.

use core::ops::Range;
use std::collections::BTreeMap;

/// A set of bytes, as runs that neither overlap nor touch.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    runs: BTreeMap<u64, u64>,
}

impl Written {
    /// Adds bytes.
    pub(super) fn add(&mut self, bytes: Range<u64>) {
        if bytes.is_empty() {
            return;
        }
        let Range { mut start, mut end } = bytes;
        // Usually it is all of it, again.
        while let Some((&of, &until)) = self.runs.range(..=end).next_back() {
            if until < start {
                break;
            }
            if of <= start && until >= end {
                return;
            }
            start = start.min(of);
            end = end.max(until);
            self.runs.remove(&of);
        }
        self.runs.insert(start, end);
    }

    /// Takes bytes out.
    fn remove(&mut self, bytes: Range<u64>) {
        while let Some((&of, &until)) = self.runs.range(..bytes.end).next_back() {
            if until <= bytes.start {
                break;
            }
            self.runs.remove(&of);
            if until > bytes.end {
                self.runs.insert(bytes.end, until);
            }
            if of < bytes.start {
                self.runs.insert(of, bytes.start);
                break;
            }
        }
    }

    /// The first of `bytes` that are missing.
    pub(super) fn first_missing(&self, bytes: Range<u64>) -> Option<Range<u64>> {
        let covered = self.runs.range(..=bytes.start).next_back().map_or(bytes.start, |(_, until)| *until);
        let start = covered.max(bytes.start);
        if start >= bytes.end {
            return None;
        }
        let next = self.runs.range(start..).next().map_or(bytes.end, |(of, _)| *of);
        Some(start..next.min(bytes.end))
    }

    /// Makes `to..to + from.len()` of this what `from` of `source` is.
    pub(super) fn copy(&mut self, to: u64, source: &Self, from: Range<u64>) {
        let len = from.end.saturating_sub(from.start);
        match source.first_missing(from.clone()) {
            None => self.add(to..to + len),
            Some(_) => {
                self.remove(to..to + len);
                let before = source.runs.range(..from.start).next_back();
                for (&of, &until) in before.into_iter().chain(source.runs.range(from.clone())) {
                    let run = of.max(from.start)..until.min(from.end);
                    if !run.is_empty() {
                        self.add(to + (run.start - from.start)..to + (run.end - from.start));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Written;

    /// A plain model: a flag for each byte.
    fn flags(written: &Written, len: u64) -> Vec<bool> {
        (0..len).map(|at| written.first_missing(at..at + 1).is_none()).collect()
    }

    #[test]
    fn runs_are_what_flags_are() {
        const LEN: u64 = 40;
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..2000 {
            let mut sets = [Written::default(), Written::default()];
            let mut models = [vec![false; LEN as usize], vec![false; LEN as usize]];
            for _ in 0..20 {
                let start = random.u64(..LEN);
                let range = start..start + random.u64(..=LEN - start);
                let (at, other) = (random.usize(..2), random.usize(..2));
                let slice = range.start as usize..range.end as usize;
                if random.bool() {
                    sets[at].add(range.clone());
                    models[at][slice].fill(true);
                } else {
                    let to = random.u64(..=LEN - (range.end - range.start));
                    let source = sets[other].clone();
                    sets[at].copy(to, &source, range.clone());
                    let source = models[other][slice].to_vec();
                    models[at][to as usize..to as usize + source.len()].copy_from_slice(&source);
                }
                for (set, model) in sets.iter().zip(&models) {
                    assert_eq!(flags(set, LEN), *model);
                    let runs: Vec<_> = set.runs.iter().collect();
                    assert!(runs.windows(2).all(|pair| pair[0].1 < pair[1].0), "{runs:?}");
                }
                let missing = sets[at].first_missing(range.clone());
                let first = range.clone().find(|byte| !models[at][*byte as usize]);
                assert_eq!(missing.as_ref().map(|run| run.start), first);
                if let Some(run) = missing {
                    let end = (run.start..range.end).find(|byte| models[at][*byte as usize]).unwrap_or(range.end);
                    assert_eq!(run.end, end);
                }
            }
        }
    }
}
