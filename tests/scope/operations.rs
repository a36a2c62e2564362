//! What scopes do with lent memory: every pair of operands, parts, and the exact driver calls.

use std::cell::RefCell;
use std::mem::MaybeUninit;

use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions};
use memcore::{Error, Lent, Status};

use crate::{pattern, under_every_order};

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

/// Work that is queued on streams, without questions.
pub(crate) fn work(sim: &Sim) -> Vec<&'static str> {
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
