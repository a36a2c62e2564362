//! Scopes and threads.

use std::thread;

use memcore::prelude::*;
use memcore::sim::SimOptions;

use crate::{LEN, pattern, under_every_order};

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
