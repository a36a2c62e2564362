//! Stream scopes on the simulated device: what is in flight when, under every order, whatever the closure does.

use std::any::Any;
use std::cell::RefCell;
use std::mem::{ManuallyDrop, MaybeUninit, forget};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::thread;

use memcore::prelude::*;
use memcore::sim::{Fault, Order, Sim, SimOptions};
use memcore::{Error, Lent, Result, Status};

const LEN: usize = 3000;

/// The orders that every test runs under.
const ORDERS: [Order; 6] =
    [Order::Lazy, Order::Eager, Order::Random(1), Order::Random(2), Order::Random(3), Order::Random(4)];

fn pattern(len: usize) -> Vec<u8> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// Runs a test in a context of its own under every order; then nothing may be amiss, or in flight.
#[track_caller]
fn under_every_order(options: impl Fn() -> SimOptions, test: impl Fn(&Sim, &Context)) {
    for order in ORDERS {
        let sim = Sim::new(options().order(order));
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        let entered = context.enter();
        test(&sim, &context);
        drop(entered);
        assert_eq!(context.take_drop_errors(), [], "{order:?}");
        let violations = sim.finish();
        assert!(violations.is_empty(), "{order:?}: {}", violations[0]);
    }
}

/// Panics with `payload`, without a word.
fn panic_with(payload: impl Any + Send) -> ! {
    resume_unwind(Box::new(payload))
}

/// What a call panicked with.
fn payload_of<R>(call: impl FnOnce() -> R) -> &'static str {
    let Err(payload) = catch_unwind(AssertUnwindSafe(call)) else { panic!("it did not panic") };
    payload.downcast_ref::<&'static str>().copied().unwrap_or("another panic")
}

#[test]
fn chunks_on_three_streams() {
    under_every_order(SimOptions::default, |_, _| {
        let (a, b, c) = (Stream::new().unwrap(), Stream::new().unwrap(), Stream::new().unwrap());
        let source = locked_vec![3_u8; LEN].unwrap();
        let mut back = locked_vec![0_u8; LEN].unwrap();
        let mut dev = device_vec![0_u8; LEN].unwrap();
        a.scope(|a| {
            let dev = a.lend(&mut dev);
            copy!(dev[..1000] <- source[..1000], a)?;
            copy!(dev[1000..] <- source[1000..], a)?;
            let (left, right) = dev.split_at_mut(1500);
            let (back_left, back_right) = back.split_at_mut(1500);
            b.scope(|b| {
                let left = b.take_over(left, a)?;
                copy!(back_left <- left, b)?;
                c.scope(|c| {
                    let right = c.take_over(right, a)?;
                    fill!(right[..10] <- 9, c)?;
                    copy!(back_right <- right, c)
                })
            })?;
            fill!(dev <- 7_u8, a)
        })
        .unwrap();
        assert_eq!(back[..1500], [3; 1500]);
        assert_eq!(back[1500..1510], [9; 10]);
        assert_eq!(back[1510..], [3; 1490]);
        assert_eq!(dev.to_vec().unwrap(), [7; LEN]);
    });
}

/// Three deep, where each level writes a chunk that overlaps the last level's, and all is taken over in between.
#[test]
fn overlapping_chunks_three_deep() {
    under_every_order(SimOptions::default, |_, _| {
        let streams = [Stream::new().unwrap(), Stream::new().unwrap(), Stream::new().unwrap()];
        let source = LockedBuffer::from_slice(&pattern(LEN)).unwrap();
        let mut dev = device_vec![0_u8; LEN].unwrap();
        let mut backs = [vec![0_u8; LEN], vec![0_u8; LEN], vec![0_u8; LEN]];
        let [back_a, back_b, back_c] = &mut backs;
        streams[0]
            .scope(|a| {
                let dev = a.lend(&mut dev);
                copy!(dev <- source, a)?;
                fill!(dev[..1500] <- 1, a)?;
                copy!(back_a <- dev, a)?;
                streams[1].scope(|b| {
                    let dev = b.take_over(dev, a)?;
                    fill!(dev[1000..2000] <- 2, b)?;
                    copy!(back_b <- dev, b)?;
                    streams[2].scope(|c| {
                        let dev = c.take_over(&mut dev[500..2500], b)?;
                        fill!(dev[..800] <- 3, c)?;
                        copy!(back_c[500..2500] <- dev, c)
                    })?;
                    fill!(dev[600..700] <- 4, b)
                })?;
                fill!(dev[650..660] <- 5, a)
            })
            .unwrap();
        let mut expected = pattern(LEN);
        expected[..1500].fill(1);
        assert!(backs[0] == expected);
        expected[1000..2000].fill(2);
        assert!(backs[1] == expected);
        expected[500..1300].fill(3);
        assert!(backs[2][500..2500] == expected[500..2500]);
        expected[600..700].fill(4);
        expected[650..660].fill(5);
        assert!(dev.to_vec().unwrap() == expected);
    });
}

#[test]
fn every_pair_of_operands() {
    under_every_order(SimOptions::default, |_, _| {
        let stream = Stream::new().unwrap();
        let host = pattern(8);
        let mut locked = LockedBuffer::from_slice(&host).unwrap();
        let unified = UnifiedBuffer::from_slice(&host).unwrap();
        let boxed: Box<[u8]> = host.clone().into();
        let mut devs: Vec<_> = (0..8).map(|_| device_vec![0_u8; 8].unwrap()).collect();
        let [direct, from_locked, from_unified, from_box, from_dev, lent, from_lent, far] = &mut devs[..] else {
            panic!("eight")
        };
        let mut backs = [[0_u8; 8]; 6];
        let [back, back_slice, back_lent, back_last, back_uninit, again] = &mut backs;
        let mut uninit = [MaybeUninit::<u8>::uninit(); 8];
        let mut unified_back = unified_vec![0_u8; 8].unwrap();
        let mut one = device_box![0_u8].unwrap();
        stream
            .scope(|s| {
                // Host to device.
                copy!(direct <- host, s)?;
                copy!(from_unified <- unified, s)?;
                copy!(from_box <- boxed, s)?;
                let lent = s.lend(lent);
                copy!(lent <- host[..], s)?;
                let lent_locked = s.lend(&mut locked);
                copy!(from_locked <- lent_locked, s)?;
                // Device to device.
                copy!(from_lent <- lent, s)?;
                let scratch = s.device_vec::<u8>(8)?;
                let shared = s.lend_ref(&*far);
                copy!(scratch <- shared, s)?;
                copy!(lent[..4] <- scratch[..4], s)?;
                copy!(from_dev <- scratch, s)?;
                copy!(s.lend(&mut one)[..] <- lent[7], s)?;
                // Device to host.
                copy!(back <- lent, s)?;
                copy!(back_slice[..] <- lent, s)?;
                copy!(uninit <- lent, s)?;
                copy!(lent_locked <- lent, s)?;
                copy!(s.lend(back_lent)[2..] <- lent[2..], s)?;
                copy!(unified_back <- lent, s)?;
                copy!(s.lend(back_last)[..] <- shared, s)
            })
            .unwrap();
        let mut mixed = [0; 8];
        mixed[4..].copy_from_slice(&host[4..]);
        for dev in [&*direct, from_locked, from_unified, from_box, from_lent] {
            assert_eq!(dev.to_vec().unwrap(), host);
        }
        assert_eq!((from_dev.to_vec().unwrap(), one.to_value().unwrap()), (vec![0; 8], host[7]));
        assert_eq!((*back, *back_slice, &*locked, &*unified_back), (mixed, mixed, &mixed[..], &mixed[..]));
        assert_eq!((&back_lent[..2], &back_lent[2..], *back_last), (&[0; 2][..], &mixed[2..], [0; 8]));
        for (to, from) in back_uninit.iter_mut().zip(uninit) {
            // SAFETY: the scope ended without an error, so that the copy wrote all of them.
            *to = unsafe { from.assume_init() };
        }
        assert_eq!(*back_uninit, mixed);
        // Device memory of one operation needs not be lent.
        stream.scope(|s| copy!(again <- direct, s)).unwrap();
        assert_eq!(again[..], host);
    });
}

#[test]
fn lent_memory_is_sliced_as_slices_are() {
    under_every_order(SimOptions::default, |_, _| {
        let stream = Stream::new().unwrap();
        let mut dev = device_vec![0_u32; 10].unwrap();
        let mut host = [7_u32; 10];
        stream
            .scope(|s| {
                let dev = s.lend(&mut dev);
                assert_eq!((dev.len(), dev.size_in_bytes(), dev.is_empty()), (10, 40, false));
                assert_eq!(dev[2..].as_device_ptr().as_raw(), dev.as_device_ptr().as_raw() + 8);
                assert!(dev.get(11..).is_none() && dev.get_mut(10).is_none() && dev[10..].is_empty());
                assert_eq!(dev.chunks(4).map(Lent::<DeviceSlice<u32>>::len).collect::<Vec<_>>(), [4, 4, 2]);
                assert_eq!((dev.chunks(3).len(), dev.chunks_mut(5).size_hint()), (4, (2, Some(2))));
                assert_eq!(dev.split_at(3).1.len(), 7);
                for (i, part) in dev.chunks_mut(3).enumerate() {
                    fill!(part <- i as u32 + 1, s)?;
                }
                fill!(dev[4] <- 9, s)?;
                let host = s.lend(&mut host);
                assert_eq!((host.len(), host[..0].len(), host[4..].size_in_bytes()), (10, 0, 24));
                for (to, from) in host.chunks_mut(4).zip(dev.chunks(4)).skip(1) {
                    copy!(to <- from, s)?;
                }
                let texts = [format!("{dev:?}"), format!("{host:?}"), format!("{s:?}")];
                assert!(texts[0].starts_with("Lent") && texts[1].contains("len: 10") && texts[2].contains("Stream"));
                Ok::<(), Error>(())
            })
            .unwrap();
        assert_eq!(dev.to_vec().unwrap(), [1, 1, 1, 2, 9, 2, 3, 3, 3, 4]);
        assert_eq!(host, [7, 7, 7, 7, 9, 2, 3, 3, 3, 4]);
    });
}

#[test]
fn what_lies_outside_panics_and_the_scope_waits() {
    type Misuse = fn(&mut Lent<'_, DeviceSlice<u8>>) -> usize;
    let misuses: [Misuse; 6] = [
        |dev| dev[5..].len(),
        |dev| dev[3..=usize::MAX].len(),
        |dev| dev.split_at(5).0.len(),
        |dev| dev.split_at_mut(5).0.len(),
        |dev| dev.chunks(0).len(),
        |dev| dev.chunks_mut(0).len(),
    ];
    under_every_order(SimOptions::default, |_, _| {
        let stream = Stream::new().unwrap();
        let mut dev = device_vec![1_u8; 4].unwrap();
        for misuse in misuses {
            let mut back = [0_u8; 4];
            let unwound = catch_unwind(AssertUnwindSafe(|| {
                stream.scope(|s| {
                    let dev = s.lend(&mut dev);
                    copy!(back <- dev, s)?;
                    Ok::<_, Error>(misuse(dev))
                })
            }));
            assert!(unwound.is_err());
            assert_eq!(back, [1; 4]);
        }
    });
}

#[test]
fn empty_memory_and_elements_without_bytes() {
    under_every_order(SimOptions::default, |sim, _| {
        let stream = Stream::new().unwrap();
        let mut empty = device_vec![0_u32; 0].unwrap();
        let mut nothing: [u32; 0] = [];
        let mut units = DeviceBuffer::from_slice(&[(); 5]).unwrap();
        let mut unit_host = [(); 5];
        // The first scope of a stream makes its ticket's word.
        stream.scope(|_| Ok::<(), Error>(())).unwrap();
        work(sim);
        stream
            .scope(|s| {
                let empty = s.lend(&mut empty);
                assert!(!empty.as_device_ptr().is_null());
                copy!(empty <- [0_u32; 0], s)?;
                fill!(empty <- 7, s)?;
                copy!(nothing <- empty, s)?;
                let units = s.lend(&mut units);
                copy!(units <- [(); 5], s)?;
                fill!(units <- (), s)?;
                copy!(unit_host <- units, s)?;
                assert!(s.device_vec::<u8>(0)?.is_empty());
                assert_eq!(s.device_vec::<()>(9)?.len(), 9);
                Ok::<(), Error>(())
            })
            .unwrap();
        assert_eq!(work(sim), ["cuStreamSynchronize"]);
    });
}

#[test]
fn a_panic_waits_first() {
    under_every_order(SimOptions::default, |_, context| {
        let (stream, source) = (Stream::new().unwrap(), LockedBuffer::from_slice(&pattern(LEN)).unwrap());
        let mut dev = device_vec![0_u8; LEN].unwrap();
        let mut back = vec![0_u8; LEN];
        let payload = payload_of(|| {
            stream.scope(|s| -> Result<()> {
                let dev = s.lend(&mut dev);
                copy!(dev <- source, s)?;
                copy!(back <- dev, s)?;
                panic_with("mine")
            })
        });
        assert_eq!(payload, "mine");
        let seen = back.clone();
        context.synchronize().unwrap();
        assert!(seen == *source && back == seen, "the panic left before the data had landed");
        // The stream is as good as ever.
        stream.scope(|s| fill!(dev <- 1, s)).unwrap();
        assert_eq!(dev.to_vec().unwrap(), [1; LEN]);
    });
}

/// A panic in the innermost scope leaves three of them, each of which waits.
#[test]
fn a_panic_leaves_nested_scopes_in_turn() {
    under_every_order(SimOptions::default, |_, context| {
        let streams = [Stream::new().unwrap(), Stream::new().unwrap(), Stream::new().unwrap()];
        let mut dev = device_vec![1_u8; LEN].unwrap();
        let mut backs =
            [locked_vec![0_u8; LEN].unwrap(), locked_vec![0_u8; LEN].unwrap(), locked_vec![0_u8; LEN].unwrap()];
        let [back_a, back_b, back_c] = &mut backs;
        let payload = payload_of(|| {
            streams[0].scope(|a| {
                let dev = a.lend(&mut dev);
                copy!(back_a <- dev, a)?;
                streams[1].scope(|b| {
                    let dev = b.take_over(dev, a)?;
                    fill!(dev <- 2, b)?;
                    copy!(back_b <- dev, b)?;
                    streams[2].scope(|c| -> Result<()> {
                        let dev = c.take_over(dev, b)?;
                        fill!(dev <- 3, c)?;
                        copy!(back_c <- dev, c)?;
                        panic_with("innermost")
                    })
                })
            })
        });
        assert_eq!(payload, "innermost");
        let seen = backs.each_ref().map(|back| back.to_vec());
        context.synchronize().unwrap();
        assert!(seen == [[1; LEN], [2; LEN], [3; LEN]] && backs.iter().zip(seen).all(|(back, seen)| **back == seen));
    });
}

/// A panic caught inside the scope is none of its business: memory stays lent, and the end waits.
#[test]
fn a_panic_caught_inside() {
    under_every_order(SimOptions::default, |_, _| {
        let (first, second) = (Stream::new().unwrap(), Stream::new().unwrap());
        let mut dev = device_vec![1_u8; LEN].unwrap();
        let (mut inner_back, mut back) = (vec![0_u8; LEN], vec![0_u8; LEN]);
        first
            .scope(|a| {
                let dev = a.lend(&mut dev);
                fill!(dev[..10] <- 2, a)?;
                let payload = payload_of(|| {
                    second.scope(|b| -> Result<()> {
                        let dev = b.take_over(dev, a)?;
                        copy!(inner_back <- dev, b)?;
                        fill!(dev[5..] <- 3, b)?;
                        panic_with("caught")
                    })
                });
                assert_eq!((payload, &inner_back[..11]), ("caught", &[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1][..]));
                copy!(back <- dev, a)
            })
            .unwrap();
        assert_eq!(back[..6], [2, 2, 2, 2, 2, 3]);
        assert_eq!(back[6..], [3; LEN - 6]);
    });
}

#[test]
fn an_error_in_the_middle_waits_first() {
    under_every_order(SimOptions::default, |_, context| {
        let (stream, source) = (Stream::new().unwrap(), LockedBuffer::from_slice(&pattern(LEN)).unwrap());
        let mut dev = device_vec![0_u8; LEN].unwrap();
        let mut back = locked_vec![0_u8; LEN].unwrap();
        let (mut unused, mut ran) = ([0_u8; 4], false);
        let result = stream.scope(|s| {
            let dev = s.lend(&mut dev);
            copy!(dev <- source, s)?;
            copy!(back <- dev, s)?;
            copy!(unused <- dev, s)?;
            ran = true;
            Ok(())
        });
        assert_eq!(result, Err(Error::LengthMismatch { destination_len: 4, source_len: LEN }));
        let seen = back.to_vec();
        context.synchronize().unwrap();
        assert!(seen == *source && *back == seen && !ran && unused == [0; 4]);
    });
}

/// An error of one's own type.
#[derive(Debug, PartialEq)]
enum Mine {
    Memcore(Error),
    Enough,
}

impl From<Error> for Mine {
    fn from(error: Error) -> Self {
        Self::Memcore(error)
    }
}

/// The `n`-th wait of a test, counted behind those of an allocation with its fill.
fn failing_wait(n: u64) -> SimOptions {
    SimOptions::default().fail(Fault::nth("cuStreamSynchronize", 1 + n, Status(4242)))
}

#[test]
fn the_closures_error_wins_over_the_waits() {
    for (own, expected) in [
        (Ok(7), Err(Mine::Memcore(Error::Driver { operation: "cuStreamSynchronize", status: Status(4242) }))),
        (Err(Mine::Enough), Err(Mine::Enough)),
    ] {
        let (own, expected) = (RefCell::new(Some((own, expected))), ());
        let () = expected;
        let sim = Sim::new(failing_wait(1));
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        let _entered = context.enter();
        let stream = Stream::new().unwrap();
        let dev = device_vec![5_u8; LEN].unwrap();
        let mut back = locked_vec![0_u8; LEN].unwrap();
        let (own, expected) = own.take().unwrap();
        let result = stream.scope(|s| {
            copy!(back <- dev, s)?;
            own
        });
        assert_eq!(result, expected);
        // A wait that fails is repeated until one proves that all is done.
        assert_eq!(*back, [5; LEN]);
        drop((dev, back, stream));
        assert_eq!(context.take_drop_errors(), []);
        assert!(sim.finish().is_empty());
    }
}

#[test]
fn the_closures_value_comes_back() {
    under_every_order(SimOptions::default, |_, _| {
        let stream = Stream::new().unwrap();
        assert_eq!(stream.scope(|_| Ok::<_, Error>(String::from("value"))), Ok("value".to_owned()));
        assert_eq!(memcore::scope(|_| Err::<(), _>(Mine::Enough)), Err(Mine::Enough));
        assert_eq!(memcore::scope(|all| all.on(&stream, |_| Ok::<_, Mine>(3))), Ok(3));
    });
}

/// Whatever can be forgotten is forgotten: what is in flight is waited for all the same.
#[test]
#[allow(forgetting_references, clippy::forget_non_drop, reason = "whatever can be forgotten")]
fn forgetting_everything() {
    under_every_order(SimOptions::default, |_, context| {
        let (first, second) = (Stream::new().unwrap(), Stream::new().unwrap());
        let source = LockedBuffer::from_slice(&pattern(LEN)).unwrap();
        let mut dev = device_vec![0_u8; LEN].unwrap();
        let (mut back, mut inner_back, mut many_back) = (vec![0_u8; LEN], vec![0_u8; 100], vec![0_u8; LEN]);
        first
            .scope(|a| {
                let dev = a.lend(&mut dev);
                forget(copy!(dev <- source, a));
                // A cycle that nothing ever drops, of all that can be held.
                struct Cycle<'a, T>(RefCell<Option<Rc<Cycle<'a, T>>>>, #[allow(dead_code, reason = "held")] T);
                let held = (Box::new(a), ManuallyDrop::new(dev.chunks(7)), format!("{dev:?}"));
                let cycle = Rc::new(Cycle(RefCell::default(), held));
                *cycle.0.borrow_mut() = Some(Rc::clone(&cycle));
                forget(cycle);
                second.scope(|b| {
                    let taken = Box::new(b.take_over(&mut dev[..100], a)?);
                    forget(copy!(inner_back <- **taken, b));
                    forget((taken, b, b.device_vec::<u8>(100)?));
                    Ok::<(), Error>(())
                })?;
                assert_eq!(inner_back, source[..100]);
                forget(copy!(back <- dev, a));
                forget(dev);
                forget(a.device_vec::<u32>(9)?);
                forget(a);
                Ok::<(), Error>(())
            })
            .unwrap();
        let seen = back.clone();
        assert!(seen == *source);
        let parts = RefCell::new(Vec::new());
        memcore::scope(|all| {
            forget(all.on(&first, |s| {
                let dev = s.lend_ref(&dev);
                parts.borrow_mut().push(dev.len());
                forget(dev.chunks(3));
                copy!(many_back <- dev, s)
            }));
            forget(all);
            Ok::<(), Error>(())
        })
        .unwrap();
        context.synchronize().unwrap();
        assert!(many_back == *source && back == seen && parts.into_inner() == [LEN]);
    });
}

/// A stream can be dropped with its work still to run: scopes of other streams are none of its business.
#[test]
fn a_stream_dropped_while_busy() {
    under_every_order(SimOptions::default, |_, context| {
        let source = LockedBuffer::from_slice(&pattern(LEN)).unwrap();
        let (mut dev, mut other) = (device_vec![0_u8; LEN].unwrap(), device_vec![0_u8; LEN].unwrap());
        let mut back = locked_vec![0_u8; LEN].unwrap();
        let stream = Stream::new().unwrap();
        let busy = Stream::new().unwrap();
        // SAFETY: both live to the end, and nothing uses them until the context is waited for.
        unsafe { copy!(other <- source, async busy) }.unwrap();
        stream
            .scope(|s| {
                let dev = s.lend(&mut dev);
                copy!(dev <- source, s)?;
                drop(busy);
                let inner = Stream::new()?;
                inner.scope(|b| copy!(back <- b.take_over_ref(dev, s)?, b))?;
                drop(inner);
                fill!(dev[..1] <- 1, s)
            })
            .unwrap();
        drop(stream);
        assert!(*back == *source);
        context.synchronize().unwrap();
        assert!(other.to_vec().unwrap() == *source);
    });
}

#[test]
fn two_threads_with_scopes_on_one_stream() {
    under_every_order(SimOptions::default, |_, context| {
        let stream = Stream::new().unwrap();
        let source = LockedBuffer::from_slice(&pattern(LEN)).unwrap();
        thread::scope(|threads| {
            for turn in 0..2_u8 {
                let (stream, source) = (&stream, &source);
                threads.spawn(move || {
                    let _entered = context.enter();
                    let mut dev = device_vec![0_u8; LEN].unwrap();
                    for value in 0..10 {
                        let mut back = locked_vec![0_u8; LEN].unwrap();
                        stream
                            .scope(|s| {
                                let dev = s.lend(&mut dev);
                                copy!(dev <- source, s)?;
                                fill!(dev[..9] <- value * 2 + turn, s)?;
                                copy!(back <- dev, s)
                            })
                            .unwrap();
                        assert!(back[..9] == [value * 2 + turn; 9] && back[9..] == source[9..]);
                    }
                });
            }
        });
    });
}

#[test]
fn a_scope_used_from_scoped_threads() {
    under_every_order(SimOptions::default, |_, _| {
        let stream = Stream::new().unwrap();
        let source = LockedBuffer::from_slice(&pattern(LEN)).unwrap();
        let mut dev = device_vec![0_u8; LEN].unwrap();
        let mut back = locked_vec![0_u8; LEN].unwrap();
        stream
            .scope(|s| {
                let dev = s.lend(&mut dev);
                let parts = dev.chunks_mut(500).zip(back.chunks_mut(500)).zip(source.chunks(500));
                thread::scope(|threads| {
                    let work: Vec<_> = parts
                        .map(|((dev, back), source)| {
                            threads.spawn(move || {
                                copy!(dev <- source, s)?;
                                let scratch = s.device_vec::<u8>(dev.len())?;
                                copy!(scratch <- dev, s)?;
                                copy!(back <- scratch, s)
                            })
                        })
                        .collect();
                    work.into_iter().try_for_each(|thread| thread.join().unwrap())
                })?;
                fill!(dev <- 1, s)
            })
            .unwrap();
        assert!(*back == *source);
        assert_eq!(dev.to_vec().unwrap(), [1; LEN]);
    });
}

#[test]
fn the_many_stream_scope_used_from_scoped_threads() {
    under_every_order(SimOptions::default, |_, _| {
        let streams: Vec<_> = (0..6).map(|_| Stream::new().unwrap()).collect();
        let source = pattern(LEN);
        let mut dev = device_vec![0_u8; LEN].unwrap();
        memcore::scope(|all| {
            let parts = dev.chunks_mut(500).zip(source.chunks(500)).zip(&streams);
            thread::scope(|threads| {
                let work: Vec<_> = parts
                    .map(|((dev, source), stream)| threads.spawn(move || all.on(stream, |s| copy!(dev <- source, s))))
                    .collect();
                work.into_iter().try_for_each(|thread| thread.join().unwrap())
            })
        })
        .unwrap();
        assert!(dev.to_vec().unwrap() == source);
    });
}

#[test]
fn one_to_32_streams() {
    under_every_order(SimOptions::default, |_, context| {
        let source = LockedBuffer::from_slice(&pattern(LEN)).unwrap();
        for count in [1, 2, 3, 7, 16, 32] {
            let streams: Vec<_> = (0..count).map(|_| Stream::new().unwrap()).collect();
            let mut dev = device_vec![0_u8; LEN].unwrap();
            let mut back = locked_vec![0_u8; LEN].unwrap();
            memcore::scope(|all| {
                assert!(format!("{all:?}").contains("streams: 0"));
                let parts = dev.chunks_mut(90).zip(source.chunks(90)).zip(back.chunks_mut(90));
                for (((dev, source), back), stream) in parts.zip(streams.iter().cycle()) {
                    all.on(stream, |s| {
                        let (dev, scratch) = (s.lend(dev), s.device_vec::<u8>(source.len())?);
                        copy!(scratch <- source, s)?;
                        copy!(dev <- scratch, s)?;
                        copy!(back <- dev, s)
                    })?;
                }
                Ok::<(), Error>(())
            })
            .unwrap();
            let seen = back.to_vec();
            context.synchronize().unwrap();
            assert!(seen == *source && *back == seen && dev.to_vec().unwrap() == *source, "{count} streams");
        }
    });
}

#[test]
fn errors_and_panics_among_many_streams() {
    under_every_order(SimOptions::default, |_, context| {
        let streams: Vec<_> = (0..8).map(|_| Stream::new().unwrap()).collect();
        let dev = DeviceBuffer::from_slice(&pattern(800)).unwrap();
        for end in ["an error inside", "an error outside", "a panic inside", "a panic outside", "an error passed over"]
        {
            let mut back = locked_vec![0_u8; 800].unwrap();
            let mut run = || {
                memcore::scope(|all| {
                    for (i, ((stream, part), dev)) in
                        streams.iter().zip(back.chunks_mut(100)).zip(dev.chunks(100)).enumerate()
                    {
                        let done = all.on(stream, |s| {
                            copy!(part <- dev, s)?;
                            s.device_vec::<u8>(50)?;
                            match end {
                                "an error inside" | "an error passed over" if i == 7 => Err(Mine::Enough),
                                "a panic inside" if i == 7 => panic_with("inside"),
                                _ => Ok(()),
                            }
                        });
                        if end != "an error passed over" {
                            done?;
                        }
                    }
                    match end {
                        "an error outside" => Err(Mine::Enough),
                        "a panic outside" => panic_with("outside"),
                        _ => Ok(()),
                    }
                })
            };
            match end {
                "an error passed over" => assert_eq!(run(), Ok(())),
                "a panic inside" => assert_eq!(payload_of(run), "inside"),
                "a panic outside" => assert_eq!(payload_of(run), "outside"),
                _ => assert_eq!(run(), Err(Mine::Enough)),
            }
            let seen = back.to_vec();
            context.synchronize().unwrap();
            assert!(seen == pattern(800) && *back == seen, "{end}");
        }
    });
}

#[test]
fn a_stream_can_be_used_in_several_calls_and_scopes() {
    under_every_order(SimOptions::default, |_, _| {
        let (stream, other) = (Stream::new().unwrap(), Stream::new().unwrap());
        let mut dev = device_vec![0_u8; 6].unwrap();
        let (left, right) = dev.split_at_mut(3);
        let mut back = [0_u8; 6];
        let (back_left, back_right) = back.split_at_mut(3);
        memcore::scope(|all| {
            all.on(&stream, |s| fill!(left <- 1, s))?;
            all.on(&stream, |s| {
                let right = s.lend(right);
                fill!(right <- 2, s)?;
                // A scope in it, on the same stream or another, ends before it.
                stream.scope(|b| copy!(back_left <- b.take_over_ref(&*right, s)?, b))?;
                assert_eq!(back_left, [2; 3]);
                other.scope(|b| fill!(b.take_over(&mut right[1..], s)? <- 3, b))?;
                copy!(back_right <- right, s)
            })
        })
        .unwrap();
        assert_eq!(back, [2, 2, 2, 2, 3, 3]);
        assert_eq!(dev.to_vec().unwrap(), [1, 1, 1, 2, 3, 3]);
    });
}

#[test]
fn readers_on_many_streams() {
    under_every_order(SimOptions::default, |_, _| {
        let (first, streams) = (Stream::new().unwrap(), [Stream::new().unwrap(), Stream::new().unwrap()]);
        let source = pattern(LEN);
        let mut dev = device_vec![0_u8; LEN].unwrap();
        let mut backs = [vec![0_u8; LEN], vec![0_u8; LEN], vec![0_u8; LEN]];
        first
            .scope(|a| {
                let dev = a.lend(&mut dev);
                copy!(dev <- source, a)?;
                let [mine, others @ ..] = &mut backs;
                let shared = &*dev;
                memcore::scope(|all| {
                    for (stream, back) in streams.iter().zip(others) {
                        all.on(stream, |b| copy!(back <- b.take_over_ref(shared, a)?, b))?;
                    }
                    copy!(mine <- shared, a)
                })?;
                fill!(dev <- 0, a)
            })
            .unwrap();
        assert!(backs.iter().all(|back| *back == source));
        assert_eq!(dev.to_vec().unwrap(), [0; LEN]);
    });
}

/// Work that is queued on streams, without questions.
fn work(sim: &Sim) -> Vec<&'static str> {
    let questions = [
        "cuCtxGetCurrent",
        "cuCtxSetCurrent",
        "cuThreadExchangeStreamCaptureMode",
        "cuStreamIsCapturing",
        "cuPointerGetAttribute",
    ];
    let calls = sim.calls();
    sim.clear_calls();
    calls.into_iter().filter(|name| !questions.contains(name)).collect()
}

const UPLOAD: &str = "cuMemcpyHtoDAsync_v2";
const DOWNLOAD: &str = "cuMemcpyDtoHAsync_v2";
const COPY: &str = "cuMemcpyDtoDAsync_v2";
const TICKET: &str = "cuStreamWriteValue32_v2";
const WAIT: &str = "cuStreamSynchronize";
const EVENT: [&str; 4] = ["cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuEventDestroy_v2"];

#[test]
fn an_operation_is_one_call() {
    under_every_order(SimOptions::default, |sim, _| {
        let (first, second) = (Stream::new().unwrap(), Stream::new().unwrap());
        let host = pattern(64);
        let mut locked = locked_vec![0_u8; 64].unwrap();
        let (mut dev, mut other) = (device_vec![0_u8; 64].unwrap(), device_vec![0_u32; 64].unwrap());
        let mut unified = unified_vec![0_u8; 64].unwrap();
        // The first scope of a stream makes its ticket's word.
        first.scope(|_| Ok::<(), Error>(())).unwrap();
        second.scope(|_| Ok::<(), Error>(())).unwrap();
        let mut back = [0_u8; 64];
        work(sim);
        first
            .scope(|a| {
                // Nothing at the start, and nothing to lend, slice or split.
                let dev = a.lend(&mut dev);
                let (left, right) = dev.split_at_mut(32);
                let (locked, unified) = (a.lend(&mut locked), a.lend(&mut unified));
                assert_eq!(locked.chunks_mut(8).count() + a.lend_ref(&host).chunks(9).len(), 16);
                assert_eq!(work(sim), [""; 0]);
                let now = |expected: &[&str]| assert_eq!(work(sim), expected);
                copy!(left <- host[..32], a)?;
                now(&[UPLOAD]);
                copy!(right <- left, a)?;
                now(&[COPY]);
                copy!(locked[..32] <- right, a)?;
                now(&[DOWNLOAD]);
                copy!(right[..8] <- locked[..8], a)?;
                now(&[UPLOAD]);
                copy!(unified <- dev, a)?;
                now(&[COPY]);
                fill!(dev[1..3] <- 7, a)?;
                now(&["cuMemsetD8Async"]);
                fill!(other <- 0x0102_0304, a)?;
                now(&["cuMemsetD32Async"]);
                copy!(back[..8] <- dev[..8], a)?;
                now(&[DOWNLOAD]);
                second.scope(|b| {
                    let (left, right) = dev.split_at_mut(10);
                    let left = b.take_over(left, a)?;
                    now(&EVENT);
                    let right = b.take_over_ref(&*right, a)?;
                    now(&EVENT);
                    copy!(left[..4] <- right[..4], b)?;
                    now(&[COPY]);
                    Ok::<(), Error>(())
                })?;
                // The process has unified memory, so that every copy might write it.
                now(&[TICKET, WAIT]);
                Ok::<(), Error>(())
            })
            .unwrap();
        assert_eq!(work(sim), [TICKET, WAIT]);
        // A scope that read memory of the device alone has nothing to prove by a ticket.
        first.scope(|_| Ok::<(), Error>(())).unwrap();
        assert_eq!(work(sim), [WAIT]);
        memcore::scope(|all| {
            all.on(&first, |_| Ok::<(), Error>(()))?;
            all.on(&second, |_| Ok(()))?;
            assert_eq!(work(sim), [""; 0]);
            Ok::<(), Error>(())
        })
        .unwrap();
        assert_eq!(work(sim), [WAIT, WAIT]);
    });
}

#[test]
fn temporaries_are_freed() {
    for end in ["a value", "an error", "a panic"] {
        under_every_order(SimOptions::default, |sim, context| {
            let stream = Stream::new().unwrap();
            let (free, _) = context.memory_info().unwrap();
            let mut back = vec![7_u8; LEN];
            let mut run = || {
                let (large, small) = back.split_at_mut(2500);
                stream.scope(|s| {
                    let mut temporaries = Vec::new();
                    for len in 1..6 {
                        temporaries.push(s.device_vec::<u8>(len * 500)?);
                    }
                    fill!(temporaries[4] <- 5, s)?;
                    assert_eq!(temporaries.len(), 5);
                    copy!(large <- temporaries[4], s)?;
                    copy!(small <- temporaries[0], s)?;
                    match end {
                        "a value" => Ok(()),
                        "an error" => Err(Mine::Enough),
                        _ => panic_with("with temporaries"),
                    }
                })
            };
            match end {
                "a value" => assert_eq!(run(), Ok(())),
                "an error" => assert_eq!(run(), Err(Mine::Enough)),
                _ => assert_eq!(payload_of(run), "with temporaries"),
            }
            assert!(back[..2500] == [5; 2500] && back[2500..] == [0; 500]);
            let frees = sim.calls().iter().filter(|call| **call == "cuMemFreeAsync").count();
            assert_eq!(frees, 5);
            context.trim(0).unwrap();
            assert_eq!(context.memory_info().unwrap().0, free);
        });
    }
}

#[test]
fn temporaries_that_cannot_be_had() {
    under_every_order(
        || SimOptions::default().memory_bytes(1 << 20),
        |_, _| {
            let stream = Stream::new().unwrap();
            let mut back = [1_u8; 10];
            let result = stream.scope(|s| {
                let scratch = s.device_vec::<u8>(10)?;
                copy!(back <- scratch, s)?;
                s.device_vec::<u64>(1 << 20)?;
                Ok::<(), Error>(())
            });
            assert!(matches!(result, Err(Error::OutOfMemory { requested, .. }) if requested == 8 << 20));
            assert_eq!(back, [0; 10]);
            let result = stream.scope(|s| s.device_vec::<u64>(usize::MAX).map(|_| ()));
            assert!(matches!(result, Err(Error::SizeOverflow { .. })));
        },
    );
}

/// The value of a fill is in its calls: what held it may be gone, and its place used anew, before the device gets
/// there.
#[test]
fn a_fill_reads_nothing_later() {
    #[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
    #[repr(C)]
    struct Wide {
        a: [u32; 5],
        b: u16,
        c: [u8; 2],
    }
    #[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
    #[repr(C)]
    struct Odd([u8; 7]);
    let wide = |seed: u32| Wide { a: [seed, 1, 2, 3, seed], b: 7, c: [seed as u8, 9] };
    under_every_order(SimOptions::default, |sim, _| {
        let stream = Stream::new().unwrap();
        let mut dev = device_vec![wide(0); 33].unwrap();
        let (mut odd, mut big) = (device_vec![Odd([0; 7]); 10].unwrap(), device_vec![[0_u64; 16]; 3].unwrap());
        work(sim);
        stream
            .scope(|s| {
                let dev = s.lend(&mut dev);
                for seed in 1..4 {
                    let value = Box::new(wide(seed));
                    fill!(dev[seed as usize..] <- *value, s)?;
                }
                fill!(odd[1..] <- Odd([1, 2, 3, 4, 5, 6, 7]), s)?;
                fill!(big <- std::array::from_fn(|i| i as u64 * 0x0101_0101_0102), s)
            })
            .unwrap();
        let calls = work(sim);
        assert!(!calls.contains(&UPLOAD), "{calls:?}");
        let dev = dev.to_vec().unwrap();
        assert_eq!(dev[..4], [wide(0), wide(1), wide(2), wide(3)]);
        assert_eq!(dev[4..], [wide(3); 29]);
        let odd = odd.to_vec().unwrap();
        assert_eq!((odd[0], odd[1], odd[9]), (Odd([0; 7]), Odd([1, 2, 3, 4, 5, 6, 7]), Odd([1, 2, 3, 4, 5, 6, 7])));
        assert_eq!(big.to_vec().unwrap()[2][15], 15 * 0x0101_0101_0102);
    });
}

#[test]
fn two_devices_in_one_scope() {
    under_every_order(
        || SimOptions::default().devices(2),
        |sim, here| {
            let there = Context::new(&sim.device(1).unwrap()).unwrap();
            let (near, far) = (Stream::new_in(here).unwrap(), Stream::new_in(&there).unwrap());
            let source = LockedBuffer::from_slice(&pattern(LEN)).unwrap();
            let mut dev = DeviceBuffer::<u8>::zeroed_in(here, LEN).unwrap();
            let mut other = DeviceBuffer::<u8>::zeroed_in(&there, LEN).unwrap();
            let mut back = vec![0_u8; LEN];
            near.scope(|a| {
                let dev = a.lend(&mut dev);
                copy!(dev <- source, a)?;
                far.scope(|b| {
                    // The event of one device is waited for by the other.
                    let (dev, other) = (b.take_over_ref(&*dev, a)?, b.lend(&mut other));
                    copy!(other <- dev, b)?;
                    copy!(back <- other, b)
                })?;
                fill!(dev <- 1, a)?;
                // Memory of one device is not filled on a stream of the other.
                let error = far.scope(|b| fill!(b.take_over(dev, a)? <- 2, b)).unwrap_err();
                assert!(matches!(error, Error::OtherDevice { .. }), "{error}");
                Ok::<(), Error>(())
            })
            .unwrap();
            assert!(back == *source && other.to_vec().unwrap() == *source);
            assert_eq!(dev.to_vec().unwrap(), [1; LEN]);
            drop((other, far));
        },
    );
}

#[test]
fn two_drivers_do_not_mix() {
    let (sim, other_sim) = (Sim::new(SimOptions::default()), Sim::new(SimOptions::default()));
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    let other = Context::new(&other_sim.device(0).unwrap()).unwrap();
    let (here, there) = (Stream::new_in(&context).unwrap(), Stream::new_in(&other).unwrap());
    let mut dev = device_vec![in &context; 1_u8; 4].unwrap();
    let result = here.scope(|a| {
        let dev = a.lend(&mut dev);
        assert_eq!(there.scope(|b| b.take_over_ref(&*dev, a).map(|_| ())), Err(Error::DifferentDrivers));
        there.scope(|b| b.take_over(dev, a).map(|_| ()))
    });
    assert_eq!(result, Err(Error::DifferentDrivers));
    assert_eq!(there.scope(|b| fill!(dev <- 2, b)), Err(Error::DifferentDrivers));
    let far = device_vec![in &other; 1_u8; 4].unwrap();
    assert_eq!(here.scope(|a| copy!(dev <- far, a)), Err(Error::DifferentDrivers));
    drop((dev, far, here, there));
    drop((context, other));
    assert!(sim.finish().is_empty() && other_sim.finish().is_empty());
}

/// A take-over that fails leaves the memory where it was.
#[test]
fn a_take_over_that_fails() {
    for call in EVENT {
        under_every_order(
            || SimOptions::default().fail(Fault::nth(call, 1, Status(4242))),
            |_, _| {
                let (first, second) = (Stream::new().unwrap(), Stream::new().unwrap());
                let mut dev = device_vec![1_u8; 100].unwrap();
                let mut back = [0_u8; 100];
                first
                    .scope(|a| {
                        let dev = a.lend(&mut dev);
                        fill!(dev <- 2, a)?;
                        let taken = second.scope(|b| fill!(b.take_over(dev, a)? <- 3, b));
                        assert_eq!(taken.is_ok(), call == "cuEventDestroy_v2", "{call}: {taken:?}");
                        copy!(back <- dev, a)
                    })
                    .unwrap();
                assert_eq!(back, [if call == "cuEventDestroy_v2" { 3 } else { 2 }; 100]);
            },
        );
    }
}

/// The legacy stream is a stream as others are.
#[test]
fn scopes_on_the_legacy_stream() {
    under_every_order(SimOptions::default, |_, _| {
        let (legacy, other) = (Stream::legacy().unwrap(), Stream::new().unwrap());
        let mut dev = device_vec![1_u8; 100].unwrap();
        let mut back = locked_vec![0_u8; 100].unwrap();
        legacy
            .scope(|a| {
                let dev = a.lend(&mut dev);
                fill!(dev <- 2, a)?;
                other.scope(|b| fill!(b.take_over(&mut dev[50..], a)? <- 3, b))?;
                copy!(back <- dev, a)
            })
            .unwrap();
        assert!(back[..50] == [2; 50] && back[50..] == [3; 50]);
    });
}

/// What waits on its own may be used in a scope: it leaves the scope's work in flight.
#[test]
fn waiting_operations_in_a_scope() {
    under_every_order(SimOptions::default, |_, _| {
        let (stream, mut host) = (Stream::new().unwrap(), [0_u8; 100]);
        let (mut dev, other) = (device_vec![1_u8; 100].unwrap(), device_vec![2_u8; 100].unwrap());
        let mut back = vec![0_u8; 100];
        stream
            .scope(|s| {
                let dev = s.lend(&mut dev);
                fill!(dev <- 3, s)?;
                copy!(host <- other, s.stream())?;
                assert_eq!(host, [2; 100]);
                assert_eq!(s.as_raw(), stream.as_raw());
                s.stream().synchronize()?;
                drop(device_vec![4_u8; 100]?);
                copy!(back <- dev, s)
            })
            .unwrap();
        assert_eq!(back, [3; 100]);
    });
}

/// Borrows of every kind go in: from an enum, through a lock held outside, out of a leaked box.
#[test]
fn borrows_of_many_kinds() {
    under_every_order(SimOptions::default, |_, _| {
        let stream = Stream::new().unwrap();
        let (locked, cell) = (std::sync::Mutex::new(vec![0_u8; 4]), RefCell::new([0_u8; 4]));
        let (mut guard, mut cell) = (locked.lock().unwrap(), cell.borrow_mut());
        let mut option = Some(device_vec![5_u8; 4].unwrap());
        let mut nested = [Box::new([0_u8; 4])];
        let leaked: &'static mut [u8] = Vec::leak(vec![0_u8; 4]);
        let reader = &*Vec::leak(vec![9_u8; 4]);
        let mut written = device_vec![0_u8; 4].unwrap();
        stream
            .scope(|s| {
                let dev = s.lend(option.as_mut().unwrap());
                copy!(guard[..] <- dev, s)?;
                copy!(cell[..] <- dev, s)?;
                copy!(nested[0][..] <- dev, s)?;
                copy!(leaked[..2] <- dev[..2], s)?;
                copy!(written <- reader, s)
            })
            .unwrap();
        assert_eq!((&guard[..], &cell[..], &nested[0][..]), (&[5; 4][..], &[5; 4][..], &[5; 4][..]));
        assert_eq!((&leaked[..], written.to_vec().unwrap()), (&[5, 5, 0, 0][..], vec![9; 4]));
    });
}
