//! However a scope ends, it waits first: panics, errors, forgotten values.

use std::cell::RefCell;
use std::mem::{ManuallyDrop, forget};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions};
use memcore::{Error, Lent, Result, Status};

use crate::{LEN, Mine, panic_with, pattern, payload_of, under_every_order};

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

/// The `n`-th wait of a test, counted behind those of an allocation with its fill.
fn failing_wait(n: u64) -> SimOptions {
    SimOptions::default().fail(Fault::nth("cuStreamSynchronize", 2 + n, Status(4242)))
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
