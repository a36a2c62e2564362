//! Scopes on many streams, and the streams themselves.

use memcore::Error;
use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};

use crate::{LEN, pattern, under_every_order};

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
