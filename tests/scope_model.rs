//! Random programs of scopes on several streams, nested and side by side, with errors and panics, under every order,
//! compared with the same program on plain vectors.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use memcore::prelude::*;
use memcore::sim::{Order, Sim, SimOptions};
use memcore::{Error, Lent};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const LEN: usize = 48;

const STREAMS: usize = 4;

/// A place in whatever memory a step finds: taken modulo its length.
#[derive(Clone, Copy, Debug)]
struct Span(usize, usize);

impl Span {
    fn of(self, len: usize) -> std::ops::Range<usize> {
        let start = self.0 % (len + 1);
        start..start + self.1 % (len - start + 1)
    }
}

/// How a scope ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Well,
    Error,
    Panic,
}

/// One step on the memory that is lent to a scope.
#[derive(Clone, Debug)]
enum Step {
    Fill(Span, u32),
    Upload(Span, bool),
    Download(Span),
    /// From one side of a middle to the other.
    Within(usize, bool),
    /// Through memory of the scope's own.
    Temporary(Span, u32),
    /// Through memory of the scope's own that a scope on another stream takes over.
    TemporaryElsewhere(usize, Span, u32),
    /// Through host memory that is lent: down and up again, elsewhere.
    Bounce(Span, Span),
    /// A part is taken over by a scope on another stream.
    TakeOver(usize, Span, Vec<Step>, End),
    /// A part is read on another stream and on this one.
    Share(usize, Span, Span),
    /// Parts are taken over by many streams, which all do the same.
    Many(usize, usize, Vec<Step>, End),
}

fn span() -> impl Strategy<Value = Span> {
    (0..LEN, 0..=LEN).prop_map(|(start, len)| Span(start, len))
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![4 => Just(End::Well), 1 => Just(End::Error), 1 => Just(End::Panic)]
}

fn step() -> impl Strategy<Value = Step> {
    let leaf = prop_oneof![
        (span(), any::<u32>()).prop_map(|(at, value)| Step::Fill(at, value)),
        (span(), any::<bool>()).prop_map(|(at, locked)| Step::Upload(at, locked)),
        span().prop_map(Step::Download),
        (0..LEN, any::<bool>()).prop_map(|(middle, left)| Step::Within(middle, left)),
        (span(), any::<u32>()).prop_map(|(at, value)| Step::Temporary(at, value)),
        (0..STREAMS, span(), any::<u32>()).prop_map(|(stream, at, value)| Step::TemporaryElsewhere(stream, at, value)),
        (span(), span()).prop_map(|(from, to)| Step::Bounce(from, to)),
        (0..STREAMS, span(), span()).prop_map(|(stream, there, here)| Step::Share(stream, there, here)),
    ];
    leaf.prop_recursive(3, 40, 6, |inner| {
        let body = || prop::collection::vec(inner.clone(), 0..6);
        prop_oneof![
            (0..STREAMS, span(), body(), end())
                .prop_map(|(stream, at, body, end)| Step::TakeOver(stream, at, body, end)),
            (0..STREAMS, 1..LEN, body(), end())
                .prop_map(|(stream, size, body, end)| Step::Many(stream, size, body, end)),
        ]
    })
}

/// The host's memory: what is uploaded, and one destination for each download, in order.
struct Pool<'h> {
    pageable: &'h [u32],
    locked: &'h [u32],
    destinations: Vec<&'h mut [u32]>,
    streams: &'h [Stream],
}

/// More downloads than these are not made.
const DOWNLOADS: usize = 400;

fn source(locked: bool) -> Vec<u32> {
    let seed = if locked { 0x9E37_79B9 } else { 0x85EB_CA6B };
    (1..=LEN as u32).map(|i| i.wrapping_mul(seed)).collect()
}

/// The steps on plain memory; what is downloaded is added to `downloads`.
fn plain(memory: &mut [u32], downloads: &mut Vec<Vec<u32>>, steps: &[Step]) {
    let download = |downloads: &mut Vec<Vec<u32>>, part: &[u32]| {
        if downloads.len() < DOWNLOADS {
            downloads.push(part.to_vec());
        }
    };
    for step in steps {
        let len = memory.len();
        match step {
            Step::Fill(at, value) => memory[at.of(len)].fill(*value),
            Step::Upload(at, locked) => {
                let range = at.of(len);
                memory[range.clone()].copy_from_slice(&source(*locked)[range]);
            }
            Step::Download(at) => download(downloads, &memory[at.of(len)]),
            Step::Within(middle, left) => {
                let (low, high) = memory.split_at_mut(middle % (len + 1));
                let count = low.len().min(high.len());
                let (to, from) = if *left { (low, high) } else { (high, low) };
                to[..count].copy_from_slice(&from[..count]);
            }
            Step::Temporary(at, value) | Step::TemporaryElsewhere(_, at, value) => {
                let range = at.of(len);
                let half = range.len() / 2;
                let (left, right) = memory[range].split_at_mut(half);
                left.fill(0);
                right.fill(*value);
            }
            Step::Bounce(from, to) => {
                let (from, to) = (from.of(len), to.of(len));
                let count = from.len().min(to.len());
                if downloads.len() < DOWNLOADS {
                    download(downloads, &memory[from.start..from.start + count]);
                    memory.copy_within(from.start..from.start + count, to.start);
                }
            }
            Step::TakeOver(_, at, body, _) => plain(&mut memory[at.of(len)], downloads, body),
            Step::Share(_, there, here) => {
                download(downloads, &memory[there.of(len)]);
                download(downloads, &memory[here.of(len)]);
            }
            Step::Many(_, size, body, end) => {
                for part in memory.chunks_mut(*size) {
                    plain(part, downloads, body);
                    if *end != End::Well {
                        break;
                    }
                }
            }
        }
    }
}

/// Ends a scope as it is meant to end.
fn finish(end: End) -> memcore::Result<()> {
    match end {
        End::Well => Ok(()),
        End::Error => Err(Error::Unsupported { what: "meant" }),
        End::Panic => resume_unwind(Box::new("meant")),
    }
}

/// What a scope that ends as meant gives.
fn expected(end: End, run: impl FnOnce() -> memcore::Result<()>) -> memcore::Result<()> {
    match (end, catch_unwind(AssertUnwindSafe(run))) {
        (End::Well, Ok(result)) => result,
        (End::Error, Ok(Err(Error::Unsupported { what: "meant" }))) => Ok(()),
        (End::Panic, Err(payload)) if payload.downcast_ref() == Some(&"meant") => Ok(()),
        (_, Ok(result)) => result.and(Err(Error::Unsupported { what: "an end that was not meant" })),
        (_, Err(payload)) => resume_unwind(payload),
    }
}

/// The steps in a scope.
fn scoped<'scope, 'env, 'h: 'env>(
    s: &Scope<'scope, 'env>,
    dev: &mut Lent<'scope, DeviceSlice<u32>>,
    pool: &mut Pool<'h>,
    steps: &[Step],
) -> memcore::Result<()> {
    for step in steps {
        let len = dev.len();
        match step {
            Step::Fill(at, value) => fill!(dev[at.of(len)] <- *value, s)?,
            Step::Upload(at, locked) => {
                let (range, from) = (at.of(len), if *locked { pool.locked } else { pool.pageable });
                copy!(dev[range.clone()] <- from[range], s)?;
            }
            Step::Download(at) => {
                let range = at.of(len);
                if let Some(to) = pool.destinations.pop() {
                    copy!(to[..range.len()] <- dev[range], s)?;
                }
            }
            Step::Within(middle, left) => {
                let (low, high) = dev.split_at_mut(middle % (len + 1));
                let count = low.len().min(high.len());
                let (to, from) = if *left { (low, high) } else { (high, low) };
                copy!(to[..count] <- from[..count], s)?;
            }
            Step::Temporary(at, value) => {
                let range = at.of(len);
                let scratch = s.device_vec::<u32>(range.len())?;
                fill!(scratch[range.len() / 2..] <- *value, s)?;
                copy!(dev[range] <- scratch, s)?;
            }
            Step::TemporaryElsewhere(stream, at, value) => {
                let range = at.of(len);
                let scratch = s.device_vec::<u32>(range.len())?;
                pool.streams[*stream].scope(|inner| {
                    let own = inner.device_vec::<u32>(range.len() - range.len() / 2)?;
                    fill!(own <- *value, inner)?;
                    copy!(inner.take_over(&mut scratch[range.len() / 2..], s)? <- own, inner)
                })?;
                copy!(dev[range] <- scratch, s)?;
            }
            Step::Bounce(from, to) => {
                let (from, to) = (from.of(len), to.of(len));
                let count = from.len().min(to.len());
                let Some(between) = pool.destinations.pop() else { continue };
                let between = s.lend(&mut between[..count]);
                copy!(between <- dev[from.start..from.start + count], s)?;
                copy!(dev[to.start..to.start + count] <- between, s)?;
            }
            Step::TakeOver(stream, at, body, end) => {
                let (part, stream) = (&mut dev[at.of(len)], &pool.streams[*stream]);
                expected(*end, || {
                    stream.scope(|inner| {
                        let part = inner.take_over(part, s)?;
                        scoped(inner, part, pool, body)?;
                        finish(*end)
                    })
                })?;
            }
            Step::Share(stream, there, here) => {
                let (there, here) = (&dev[there.of(len)], &dev[here.of(len)]);
                let (first, second) = (pool.destinations.pop(), pool.destinations.pop());
                pool.streams[*stream].scope(|inner| {
                    let taken = inner.take_over_ref(there, s)?;
                    if let Some(to) = first {
                        copy!(to[..taken.len()] <- taken, inner)?;
                    }
                    if let Some(to) = second {
                        copy!(to[..here.len()] <- here, s)?;
                    }
                    Ok::<(), Error>(())
                })?;
            }
            Step::Many(first, size, body, end) => {
                let streams = pool.streams.iter().cycle().skip(*first);
                let parts = dev.chunks_mut(*size).zip(streams);
                let is_empty = parts.size_hint().1 == Some(0);
                let run = || {
                    memcore::scope(|all| {
                        for (part, stream) in parts {
                            all.on(stream, |inner| {
                                let part = inner.take_over(part, s)?;
                                scoped(inner, part, pool, body)?;
                                finish(*end)
                            })?;
                        }
                        Ok(())
                    })
                };
                expected(if is_empty { End::Well } else { *end }, run)?;
            }
        }
    }
    Ok(())
}

fn run(options: SimOptions, steps: &[Step]) -> memcore::Result<(Vec<u32>, Vec<Vec<u32>>)> {
    let sim = Sim::new(options);
    let context = Context::new(&sim.device(0)?)?;
    let _entered = context.enter();
    let streams = (0..STREAMS).map(|_| Stream::new()).collect::<memcore::Result<Vec<_>>>()?;
    let mut dev = device_vec![7_u32; LEN]?;
    let (pageable, locked) = (source(false), LockedBuffer::from_slice(&source(true))?);
    // Every other destination is page-locked, so that its bytes land as late as the order likes.
    let mut backs = vec![0_u32; DOWNLOADS / 2 * LEN];
    let mut locked_backs = locked_vec![0_u32; DOWNLOADS / 2 * LEN]?;
    let destinations: Vec<_> = backs
        .chunks_mut(LEN)
        .zip(locked_backs.chunks_mut(LEN))
        .flat_map(|(pageable, locked)| [pageable, locked])
        .collect();
    let mut pool = Pool { pageable: &pageable, locked: &locked, destinations, streams: &streams };
    streams[0].scope(|s| {
        let dev = s.lend(&mut dev);
        scoped(s, dev, &mut pool, steps)
    })?;
    let unused = pool.destinations.len();
    let downloads = backs
        .chunks(LEN)
        .zip(locked_backs.chunks(LEN))
        .flat_map(|(pageable, locked)| [pageable.to_vec(), locked.to_vec()])
        .rev()
        .take(DOWNLOADS - unused)
        .collect();
    let memory = dev.to_vec()?;
    drop((dev, locked, locked_backs, streams));
    assert_eq!(context.take_drop_errors(), []);
    let violations = sim.finish();
    assert!(violations.is_empty(), "{}", violations[0]);
    Ok((memory, downloads))
}

#[test]
fn random_programs_agree_with_a_plain_model() {
    let config = Config { cases: 256, failure_persistence: None, ..Config::default() };
    let programs = (prop::collection::vec(step(), 1..16), any::<u64>());
    TestRunner::new(config)
        .run(&programs, |(steps, seed)| {
            let (mut memory, mut downloads) = (vec![7; LEN], Vec::new());
            plain(&mut memory, &mut downloads, &steps);
            let orders = [Order::Lazy, Order::Eager, Order::Random(seed)];
            let options = orders.map(|order| SimOptions::default().order(order));
            // Pageable memory used within the calls, and as late as can be.
            let late = options.clone().map(SimOptions::late_pageable);
            for options in options.into_iter().chain(late) {
                let order = format!("{options:?}");
                let (real_memory, real_downloads) =
                    run(options, &steps).map_err(|error| TestCaseError::fail(error.to_string()))?;
                prop_assert_eq!(&memory, &real_memory, "{}", order);
                prop_assert_eq!(downloads.len(), real_downloads.len());
                for (expected, real) in downloads.iter().zip(&real_downloads) {
                    prop_assert_eq!(&expected[..], &real[..expected.len()], "{}", order);
                }
            }
            Ok(())
        })
        .unwrap();
}
