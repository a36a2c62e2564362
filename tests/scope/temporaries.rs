//! Memory that a scope allocates for itself, in the order of its stream.

use memcore::prelude::*;
use memcore::sim::{Fault, Order, Sim, SimOptions, ViolationKind};
use memcore::{Error, Status};

use crate::operations::work;
use crate::{LEN, Mine, ORDERS, panic_with, payload_of, under_every_order};

const ALLOCATE: &str = "cuMemAllocFromPoolAsync";
const ZERO: &str = "cuMemsetD8Async";
const FREE: &str = "cuMemFreeAsync";
const ALLOCATE_DIRECTLY: &str = "cuMemAlloc_v2";
const FREE_DIRECTLY: &str = "cuMemFree_v2";
const TRIM: &str = "cuMemPoolTrimTo";
const DOWNLOAD: &str = "cuMemcpyDtoHAsync_v2";
const TICKET: &str = "cuStreamWriteValue32_v2";
const WAIT: &str = "cuStreamSynchronize";

/// A stream that has had its first scope, which makes its ticket's word.
fn used_stream() -> Stream {
    let stream = Stream::new().unwrap();
    stream.scope(|_| Ok::<(), Error>(())).unwrap();
    stream
}

#[test]
fn a_temporary_is_allocated_zeroed_and_freed_in_stream_order() {
    under_every_order(SimOptions::default, |sim, _| {
        let (stream, mut back) = (used_stream(), [1_u8; 8]);
        work(sim);
        stream
            .scope(|s| {
                let first = s.device_vec::<u32>(100)?;
                assert_eq!((first.len(), work(sim)), (100, vec![ALLOCATE, ZERO]));
                s.device_vec::<u8>(1)?;
                assert_eq!(work(sim), [ALLOCATE, ZERO]);
                Ok::<(), Error>(())
            })
            .unwrap();
        assert_eq!(work(sim), [FREE, FREE, WAIT]);
        stream.scope(|s| copy!(back <- s.device_vec::<u8>(8)?, s)).unwrap();
        assert_eq!(work(sim), [ALLOCATE, ZERO, DOWNLOAD, TICKET, FREE, WAIT]);
        assert_eq!(back, [0; 8]);
    });
}

#[test]
fn without_pools_it_is_freed_after_the_wait() {
    under_every_order(
        || SimOptions::default().without_pools(),
        |sim, _| {
            let (stream, mut back) = (used_stream(), [1_u8; 8]);
            work(sim);
            stream
                .scope(|s| {
                    copy!(back <- s.device_vec::<u8>(8)?, s)?;
                    s.device_vec::<u8>(9).map(drop)
                })
                .unwrap();
            let made = [ALLOCATE_DIRECTLY, ZERO];
            let ended = [TICKET, WAIT, FREE_DIRECTLY, FREE_DIRECTLY];
            assert_eq!(work(sim), [&made[..], &[DOWNLOAD], &made, &ended].concat());
            assert_eq!(back, [0; 8]);
        },
    );
}

#[test]
fn one_of_many_streams_frees_when_its_closure_has_returned() {
    for pools in [true, false] {
        let options = || if pools { SimOptions::default() } else { SimOptions::default().without_pools() };
        under_every_order(options, |sim, _| {
            let streams = [used_stream(), used_stream()];
            let made = if pools { [ALLOCATE, ZERO] } else { [ALLOCATE_DIRECTLY, ZERO] };
            work(sim);
            memcore::scope(|all| {
                for stream in &streams {
                    all.on(stream, |s| {
                        s.device_vec::<u8>(LEN)?;
                        assert_eq!(work(sim), made);
                        Ok::<(), Error>(())
                    })?;
                    assert_eq!(work(sim), if pools { &[FREE][..] } else { &[] });
                }
                // What unwinds out of it is left to the end.
                let payload = payload_of(|| {
                    all.on(&streams[0], |s| -> memcore::Result<()> {
                        s.device_vec::<u8>(LEN)?;
                        work(sim);
                        panic_with("inside")
                    })
                });
                assert_eq!((payload, work(sim)), ("inside", vec![]));
                Ok::<(), Error>(())
            })
            .unwrap();
            let ends = if pools { &[WAIT, WAIT, FREE, WAIT][..] } else { &[[WAIT, FREE_DIRECTLY]; 3].concat() };
            assert_eq!(work(sim), ends);
        });
    }
}

#[test]
fn however_the_scope_ends_they_are_freed() {
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
            assert_eq!(sim.calls().iter().filter(|call| **call == FREE).count(), 5);
            context.trim(0).unwrap();
            assert_eq!(context.memory_info().unwrap().0, free);
        });
    }
}

#[test]
fn what_cannot_be_had_is_an_error_and_the_scope_goes_on() {
    under_every_order(
        || SimOptions::default().memory_bytes(1 << 20),
        |_, _| {
            let stream = Stream::new().unwrap();
            let mut backs = [[1_u8; 10]; 2];
            let [back, again] = &mut backs;
            stream
                .scope(|s| {
                    let scratch = s.device_vec::<u8>(10)?;
                    copy!(back <- scratch, s)?;
                    let none = s.device_vec::<u64>(1 << 20);
                    assert!(matches!(none, Err(Error::OutOfMemory { requested, .. }) if requested == 8 << 20));
                    let none = s.device_vec::<u64>(usize::MAX);
                    assert!(matches!(none, Err(Error::SizeOverflow { .. })));
                    fill!(scratch <- 3, s)?;
                    copy!(again <- scratch, s)
                })
                .unwrap();
            assert_eq!(backs, [[0; 10], [3; 10]]);
        },
    );
}

/// Out of memory, with what is pending out of the way there is room.
#[test]
fn out_of_memory_waits_trims_and_tries_once_more() {
    for (pools, entry) in [(true, ALLOCATE), (false, ALLOCATE_DIRECTLY)] {
        let options = || if pools { SimOptions::default() } else { SimOptions::default().without_pools() };
        under_every_order(
            || options().fail(Fault::nth(entry, 1, Status::OUT_OF_MEMORY)),
            |sim, _| {
                let (stream, mut back) = (used_stream(), [1_u8; 8]);
                work(sim);
                stream
                    .scope(|s| {
                        let scratch = s.device_vec::<u8>(8)?;
                        let trim = if pools { &[TRIM][..] } else { &[] };
                        assert_eq!(work(sim), [&[entry, WAIT, WAIT], trim, &[entry, ZERO]].concat());
                        copy!(back <- scratch, s)
                    })
                    .unwrap();
                assert_eq!(back, [0; 8]);
            },
        );
    }
}

/// Room for one at a time: what was freed is free for the next, though its free may be pending still.
#[test]
fn memory_that_is_freed_in_order_is_used_again() {
    const SIZE: usize = 600 << 10;
    under_every_order(
        || SimOptions::default().memory_bytes(1 << 20),
        |_, context| {
            let stream = Stream::new().unwrap();
            let mut backs = vec![vec![0_u8; 100]; 4];
            drop(device_vec![1_u8; SIZE].unwrap());
            memcore::scope(|all| {
                for (value, back) in (1..).zip(&mut backs) {
                    all.on(&stream, |s| {
                        let scratch = s.device_vec::<u8>(SIZE)?;
                        fill!(scratch[10..] <- value, s)?;
                        copy!(back <- scratch[..100], s)
                    })?;
                }
                Ok::<(), Error>(())
            })
            .unwrap();
            for (value, back) in (1..).zip(&backs) {
                assert!(back[..10] == [0; 10] && back[10..] == [value; 90]);
            }
            assert_eq!(device_vec![1_u8; SIZE].unwrap()[SIZE - 1].to_value().unwrap(), 1);
            assert_eq!(context.take_drop_errors(), []);
        },
    );
}

#[test]
fn taken_over_by_scopes_on_other_streams() {
    under_every_order(SimOptions::default, |_, _| {
        let streams = [Stream::new().unwrap(), Stream::new().unwrap(), Stream::legacy().unwrap()];
        let [first, second, third] = &streams;
        let mut backs = [vec![9_u8; LEN], vec![9_u8; LEN], vec![9_u8; LEN]];
        let [from_second, from_third, from_first] = &mut backs;
        first
            .scope(|a| {
                let scratch = a.device_vec::<u8>(LEN)?;
                second.scope(|b| {
                    let scratch = b.take_over(&mut scratch[10..], a)?;
                    copy!(from_second[10..] <- scratch, b)?;
                    fill!(scratch[..10] <- 1, b)?;
                    let own = b.device_vec::<u8>(LEN - 10)?;
                    third.scope(|c| {
                        fill!(c.take_over(own, b)? <- 2, c)?;
                        copy!(from_third[10..] <- c.take_over_ref(&*scratch, b)?, c)
                    })?;
                    copy!(scratch[100..] <- own[100..], b)
                })?;
                copy!(from_first <- scratch, a)
            })
            .unwrap();
        assert!(backs[0][10..] == [0; LEN - 10] && backs[1][10..20] == [1; 10] && backs[1][20..] == [0; LEN - 20]);
        assert!(backs[2][..10] == [0; 10] && backs[2][10..20] == [1; 10] && backs[2][20..110] == [0; 90]);
        assert!(backs[2][110..] == [2; LEN - 110]);
    });
}

/// A scope with two temporaries, of which the second is taken over by another stream.
fn scoped() -> memcore::Result<()> {
    let streams = [Stream::new()?, Stream::new()?];
    streams[0].scope(|a| {
        let (first, second) = (a.device_vec::<u8>(LEN)?, a.device_vec::<u8>(LEN)?);
        streams[1].scope(|b| fill!(b.take_over(second, a)? <- 1, b))?;
        copy!(first <- second, a)
    })
}

/// Whatever call is refused, nothing is freed twice, and what is not freed is said.
#[test]
fn a_call_that_fails() {
    for (pools, calls) in
        [(true, [ALLOCATE, ZERO, FREE, WAIT]), (false, [ALLOCATE_DIRECTLY, ZERO, FREE_DIRECTLY, WAIT])]
    {
        for entry in calls {
            for nth in 1..=3 {
                for order in ORDERS {
                    let options = SimOptions::default().order(order).fail(Fault::nth(entry, nth, Status(4242)));
                    let sim = Sim::new(if pools { options } else { options.without_pools() });
                    let context = Context::new(&sim.device(0).unwrap()).unwrap();
                    let entered = context.enter();
                    let result = scoped();
                    drop(entered);
                    let failed = Error::Driver { operation: entry, status: Status(4242) };
                    let is_made = sim.calls().iter().filter(|call| **call == entry).count() as u64 >= nth;
                    let is_a_free = entry == FREE || entry == FREE_DIRECTLY;
                    let lost = if is_made && is_a_free { vec![failed.clone()] } else { vec![] };
                    assert_eq!(result, if is_made && !is_a_free { Err(failed) } else { Ok(()) }, "{entry} {nth}");
                    assert_eq!(context.take_drop_errors(), lost, "{entry} {nth}");
                    let violations: Vec<_> = sim.finish().iter().map(memcore::sim::Violation::kind).collect();
                    assert_eq!(violations, vec![ViolationKind::Leak; lost.len()], "{entry} {nth}");
                }
            }
        }
    }
}

/// What another stream may still use, whose wait failed over and over, is not freed behind this stream's work.
#[test]
fn a_taken_over_temporary_whose_wait_fails_is_kept() {
    for pools in [true, false] {
        // Run at once, so that the ticket arrives should the process have unified memory.
        let options = SimOptions::default().order(Order::Eager);
        // Allocations for a scope wait for nothing: the first waits are those of the inner scope.
        let options = (1..=17).fold(options, |options, n| options.fail(Fault::nth(WAIT, n, Status(4242))));
        let sim = Sim::new(if pools { options } else { options.without_pools() });
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        let entered = context.enter();
        assert_eq!(scoped(), Err(Error::Driver { operation: WAIT, status: Status(4242) }));
        drop(entered);
        assert_eq!(context.take_drop_errors(), [Error::Unsettled, Error::Unsettled]);
        assert!(!sim.calls().iter().any(|call| [FREE, FREE_DIRECTLY].contains(call)));
        let violations: Vec<_> = sim.finish().iter().map(memcore::sim::Violation::kind).collect();
        assert_eq!(violations, [ViolationKind::Leak, ViolationKind::Leak]);
    }
}

/// The context cannot be made current for a while, of any length and from any moment: each temporary is freed once, or
/// its loss is said.
#[test]
fn a_context_that_cannot_be_bound_for_a_while() {
    const QUESTION: &str = "cuCtxGetCurrent";
    let run = |options: SimOptions, before_the_end: &dyn Fn(&Sim)| {
        let sim = Sim::new(options);
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        let stream = Stream::new_in(&context).unwrap();
        let result = stream.scope(|s| {
            s.device_vec::<u8>(LEN)?;
            s.device_vec::<u8>(1)?;
            before_the_end(&sim);
            Ok::<(), Error>(())
        });
        drop(stream);
        let lost = context.take_drop_errors().len();
        let freed = sim.calls().iter().filter(|call| **call == FREE).count();
        drop(context);
        let violations: Vec<_> = sim.finish().iter().map(memcore::sim::Violation::kind).collect();
        assert_eq!(violations, vec![ViolationKind::Leak; lost], "{result:?}");
        assert_eq!(freed + lost, 2, "{result:?}");
        (result, lost)
    };
    let asked = std::cell::Cell::new(0);
    let count = |sim: &Sim| asked.set(sim.calls().iter().filter(|call| **call == QUESTION).count() as u64);
    assert_eq!(run(SimOptions::default(), &count), (Ok(()), 0));
    let mut losses = 0;
    for first in 1..=4 {
        for failures in [1, 2, 16, 17, 18, 33, 34, 35, 36, 60] {
            let fault = |n| Fault::nth(QUESTION, asked.get() + n, Status(4242));
            let options = (first..first + failures).fold(SimOptions::default(), |options, n| options.fail(fault(n)));
            losses += run(options, &|_| {}).1;
        }
    }
    assert!(losses > 0);
}

/// The simulated device says where a temporary was made, and that it was freed where its scope ended.
#[test]
fn a_temporary_used_behind_its_scope_is_found() {
    let sim = Sim::new(SimOptions::default());
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    let _entered = context.enter();
    let stream = Stream::new().unwrap();
    let mut made = 0;
    let ended = line!() + 1;
    let result = stream.scope(|s| {
        made = line!() + 1;
        let scratch = s.device_vec::<u8>(LEN)?;
        Ok::<_, Error>(scratch.as_device_ptr())
    });
    // SAFETY: none: the memory was freed, which the simulated device is to find.
    let dangling = unsafe { DeviceBuffer::borrowed(result.unwrap(), LEN) };
    assert!(dangling.to_vec().is_err());
    let violations = sim.finish();
    assert_eq!(violations[0].kind(), ViolationKind::UseAfterFree);
    assert_eq!(violations[0].allocated_at(), Some((file!(), made)));
    assert_eq!(violations[0].freed_at(), Some((file!(), ended)));
}
