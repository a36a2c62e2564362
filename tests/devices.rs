//! Several devices and several drivers in one process: whose memory is whose, and what is current.

use std::sync::Barrier;
use std::thread;

use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions, Violation, ViolationKind};
use memcore::{Error, Event, Result, Status};

/// Two simulated devices with their contexts.
struct Two {
    sim: Sim,
    first: Context,
    second: Context,
}

impl Two {
    fn new() -> Self {
        let sim = Sim::new(SimOptions::default().devices(2));
        let (first, second) = (context(&sim, 0), context(&sim, 1));
        Self { sim, first, second }
    }

    /// Bytes in use on both devices, what their pools keep given back.
    fn used(&self) -> [u64; 2] {
        [&self.first, &self.second].map(used)
    }

    fn finish(self) {
        assert_eq!(self.used(), [0, 0]);
        for context in [&self.first, &self.second] {
            assert_eq!(context.take_drop_errors(), []);
        }
        assert!(self.sim.finish().is_empty());
    }
}

fn context(sim: &Sim, device: u32) -> Context {
    Context::new(&sim.device(device).unwrap()).unwrap()
}

fn used(context: &Context) -> u64 {
    context.trim(0).unwrap();
    let (free, total) = context.memory_info().unwrap();
    total - free
}

/// How often `entry` was called since the calls were last cleared.
fn count(sim: &Sim, entry: &str) -> usize {
    sim.calls().into_iter().filter(|call| *call == entry).count()
}

/// Whether the context is the driver's current one on this thread: then nothing has to be made current for a call.
fn is_current(sim: &Sim, context: &Context) -> bool {
    let before = count(sim, "cuCtxSetCurrent");
    context.memory_info().unwrap();
    count(sim, "cuCtxSetCurrent") == before
}

const MIB: usize = 1 << 20;

#[test]
fn memory_finds_its_own_context_by_address() {
    let two = Two::new();
    let entered = two.first.enter();
    let mut dev = device_vec![in &two.second; 1_u32; MIB].unwrap();
    assert_eq!(two.used(), [0, 4 * MIB as u64]);

    // All of these on a part that knows nothing but its address, with the other device's context current.
    let part = &mut dev[1000..2000];
    fill!(part <- 7).unwrap();
    copy!(part[..3] <- [1, 2, 3]).unwrap();
    part[3..4].set_8(1).unwrap();
    let (left, right) = part.split_at_mut(500);
    copy!(right <- left).unwrap();
    assert_eq!(part[500..505].to_vec().unwrap(), [1, 2, 3, 0x0101_0101, 7]);
    let mut locked = locked_vec![0_u32; 1000].unwrap();
    copy!(locked <- part).unwrap();
    copy!(part <- locked).unwrap();
    assert_eq!(dev.last().unwrap().to_value(), Ok(1));
    assert_eq!(count(&two.sim, "cuMemcpyPeerAsync"), 0);
    assert_eq!(two.used(), [0, 4 * MIB as u64]);

    assert!(is_current(&two.sim, &two.first));
    let (pointer, len) = dev.into_raw_parts();
    // SAFETY: the parts of a buffer that was just taken apart.
    let dev = unsafe { DeviceBuffer::from_raw_parts(pointer, len) };
    dev.try_free().unwrap();
    assert!(is_current(&two.sim, &two.first));
    assert!(!is_current(&two.sim, &two.second));
    drop((entered, locked));
    two.finish();
}

#[test]
fn a_drop_frees_on_the_right_device_and_leaves_the_current_context() {
    let two = Two::new();
    let (mine, theirs) = (device_vec![in &two.first; 1_u8; MIB].unwrap(), device_vec![in &two.second; 1_u8; 2 * MIB]);
    assert_eq!(two.used(), [MIB as u64, 2 * MIB as u64]);
    let entered = two.first.enter();
    drop(theirs);
    assert!(is_current(&two.sim, &two.first));
    assert_eq!(two.used(), [MIB as u64, 0]);
    let inner = two.second.enter();
    drop(mine);
    assert!(is_current(&two.sim, &two.second));
    drop(inner);
    assert!(is_current(&two.sim, &two.first));
    drop(entered);
    two.finish();
}

#[test]
fn an_operation_that_fails_leaves_the_current_context_too() {
    let fault = Fault::nth("cuMemcpyHtoDAsync_v2", 1, Status::UNKNOWN);
    let sim = Sim::new(SimOptions::default().devices(2).fail(fault));
    let (first, second) = (context(&sim, 0), context(&sim, 1));
    let _entered = first.enter();
    assert_eq!(device_vec![in &second; 1_u8, 2].unwrap_err().status(), Some(Status::UNKNOWN));
    assert!(is_current(&sim, &first));
    assert!(sim.finish().is_empty());
}

#[test]
fn between_devices_the_driver_copies_from_peer_to_peer() {
    let two = Two::new();
    let host: Vec<u64> = (0..1000).collect();
    let mine = DeviceBuffer::from_slice_in(&two.first, &host).unwrap();
    let mut theirs = DeviceBuffer::<u64>::zeroed_in(&two.second, 1000).unwrap();
    let (stream, their_stream) = (Stream::new_in(&two.first).unwrap(), Stream::new_in(&two.second).unwrap());

    two.sim.clear_calls();
    copy!(theirs <- mine).unwrap();
    assert_eq!([count(&two.sim, "cuMemcpyPeerAsync"), count(&two.sim, "cuMemcpyDtoDAsync_v2")], [1, 0]);
    assert_eq!(theirs.to_vec().unwrap(), host);

    for (on, at) in [(&stream, 0), (&their_stream, 500)] {
        two.sim.clear_calls();
        copy!(theirs[at..at + 500] <- mine[500 - at..1000 - at], on).unwrap();
        assert_eq!([count(&two.sim, "cuMemcpyPeerAsync"), count(&two.sim, "cuMemcpyDtoDAsync_v2")], [1, 0]);
    }
    assert_eq!(theirs.to_vec().unwrap(), [&host[500..], &host[..500]].concat());

    // SAFETY: nothing else uses the two before the wait has succeeded.
    unsafe { copy!(theirs <- mine, async their_stream) }.unwrap();
    their_stream.synchronize().unwrap();
    assert_eq!(theirs.to_vec().unwrap(), host);

    two.sim.clear_calls();
    let (left, right) = theirs.split_at_mut(500);
    copy!(left <- right, their_stream).unwrap();
    assert_eq!([count(&two.sim, "cuMemcpyPeerAsync"), count(&two.sim, "cuMemcpyDtoDAsync_v2")], [0, 1]);
    assert_eq!(theirs[0].to_value(), Ok(500));
    drop((mine, theirs, stream, their_stream));
    two.finish();
}

#[test]
fn a_stream_of_another_device_is_refused_by_number() {
    let two = Two::new();
    let stream = Stream::new_in(&two.first).unwrap();
    let mut theirs = device_vec![in &two.second; 5_u16; 100].unwrap();
    let mut locked = locked_vec![in &two.second; 0_u16; 100].unwrap();
    two.sim.clear_calls();
    let mut refused = vec![
        copy!(theirs <- [3; 100], stream),
        copy!(theirs <- locked, stream),
        copy!(locked <- theirs, stream),
        fill!(theirs[50..] <- 0x0102, stream),
        // SAFETY: refused, so that nothing is queued.
        unsafe { copy!(theirs <- locked, async stream) },
        // SAFETY: as above.
        unsafe { copy!(locked <- theirs, async stream) },
    ];
    let (left, right) = theirs.split_at_mut(50);
    refused.push(copy!(left <- right, stream));
    assert_eq!(refused, [const { Err(Error::OtherDevice { stream: 0, memory: 1 }) }; 7]);
    assert!(!two.sim.calls().iter().any(|call| call.starts_with("cuMemcpy") || call.starts_with("cuMemset")));
    assert_eq!((theirs.to_vec().unwrap(), &*locked), (vec![5; 100], [0; 100].as_slice()));
    let text = Error::OtherDevice { stream: 0, memory: 1 }.to_string();
    assert!(text.contains("the stream belongs to device 0, the memory to device 1"), "{text}");
    drop((stream, theirs, locked));
    two.finish();
}

#[test]
fn events_order_streams_of_two_devices() {
    let two = Two::new();
    let (stream, other) = (Stream::new_in(&two.first).unwrap(), Stream::new_in(&two.second).unwrap());
    let (event, others) = (Event::new_in(&two.first).unwrap(), Event::new_in(&two.second).unwrap());
    let refused = Err(Error::Driver { operation: "cuEventRecord", status: Status::INVALID_HANDLE });
    assert_eq!(stream.record(&others), refused);
    let source = locked_vec![in &two.first; 5_u8; 100].unwrap();
    let mut dev = device_vec![in &two.first; 0_u8; 100].unwrap();
    let mut theirs = device_vec![in &two.second; 0_u8; 100].unwrap();
    // SAFETY: the three are used by nothing else until both streams have been waited for.
    unsafe { copy!(dev <- source, async stream) }.unwrap();
    stream.record(&event).unwrap();
    other.wait_event(&event).unwrap();
    // SAFETY: as above; the event orders the two.
    unsafe { copy!(theirs <- dev, async other) }.unwrap();
    other.synchronize().unwrap();
    stream.synchronize().unwrap();
    assert_eq!(theirs.to_vec().unwrap(), [5; 100]);
    drop((stream, other, event, others, source, dev, theirs));
    let kinds: Vec<_> = two.sim.finish().iter().map(Violation::kind).collect();
    assert_eq!(kinds, [ViolationKind::WrongContext], "the record that was refused");
}

#[test]
fn entered_contexts_nest() {
    let two = Two::new();
    assert!(!is_current(&two.sim, &two.first) && !is_current(&two.sim, &two.second));
    let outer = two.first.enter();
    {
        let _inner = two.second.enter();
        assert_eq!(Context::current().unwrap(), two.second);
        assert!(is_current(&two.sim, &two.second));
        {
            let _innermost = two.first.enter();
            assert_eq!(Context::current().unwrap(), two.first);
            assert!(is_current(&two.sim, &two.first));
        }
        assert_eq!(Context::current().unwrap(), two.second);
        assert!(is_current(&two.sim, &two.second));
    }
    assert_eq!(Context::current().unwrap(), two.first);
    assert!(is_current(&two.sim, &two.first));
    drop(outer);
    assert!(!is_current(&two.sim, &two.first) && !is_current(&two.sim, &two.second));
    two.finish();
}

#[test]
fn guards_may_be_dropped_in_any_order() {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for order in orders {
        let (two, other) = (Two::new(), Two::new());
        // The second is of another driver, whose current context is its own affair.
        let entered = [&two.first, &other.first, &two.second];
        let mut guards = entered.map(|context| Some(context.enter()));
        for (step, index) in order.into_iter().enumerate() {
            guards[index] = None;
            let left = &order[step + 1..];
            let innermost = |of: &[usize]| of.iter().filter(|place| left.contains(place)).max().copied();
            if let Some(place) = innermost(&[0, 1, 2]) {
                assert_eq!(Context::current().unwrap(), *entered[place], "{order:?} {step}");
            }
            let current = innermost(&[0, 2]);
            assert_eq!(is_current(&two.sim, &two.first), current == Some(0), "{order:?} {step}");
            assert_eq!(is_current(&two.sim, &two.second), current == Some(2), "{order:?} {step}");
            assert_eq!(is_current(&other.sim, &other.first), left.contains(&1), "{order:?} {step}");
        }
        drop(guards);
        two.finish();
        other.finish();
    }
}

#[test]
fn a_context_is_closed_with_its_last_owner_and_opened_anew() {
    let sim = Sim::new(SimOptions::default().devices(2));
    let other = context(&sim, 1);
    let _entered = other.enter();
    for round in 1..=3 {
        let first = context(&sim, 0);
        let again = context(&sim, 0);
        assert_eq!(first, again);
        let dev = device_vec![in &first; round; 100].unwrap();
        drop(first);
        drop(again);
        assert_eq!(count(&sim, "cuDevicePrimaryCtxRelease_v2"), round - 1);
        assert_eq!(dev.to_vec().unwrap(), [round; 100]);
        drop(dev);
        assert_eq!(count(&sim, "cuDevicePrimaryCtxRelease_v2"), round);
        assert!(is_current(&sim, &other));
    }
    assert_eq!(count(&sim, "cuDevicePrimaryCtxRetain"), 4);
    assert!(sim.finish().is_empty());
}

#[test]
fn a_slice_of_a_context_that_was_closed_is_unknown_until_it_is_opened_again() {
    let sim = Sim::new(SimOptions::default());
    let first = context(&sim, 0);
    let dev = device_vec![in &first; 1_u8; 100].unwrap();
    let pointer = dev.as_device_ptr();
    drop((dev, first));
    // SAFETY: none: the memory was freed, and its context closed.
    let dangling = unsafe { DeviceSlice::from_raw_parts(pointer, 100) };
    assert_eq!(dangling.to_vec(), Err(Error::UnknownAddress { address: pointer.as_raw() }));
    let _again = context(&sim, 0);
    assert!(dangling.to_vec().is_err());
    let kinds: Vec<_> = sim.finish().iter().map(Violation::kind).collect();
    assert_eq!(kinds, [ViolationKind::UseAfterFree]);
}

#[test]
fn drivers_share_nothing() {
    let fault = Fault::every("cuMemsetD8Async", Status::UNKNOWN);
    let wrong = Sim::new(SimOptions::default().memory_bytes(MIB as u64).fail(fault));
    let right = Sim::new(SimOptions::default());
    let (bad, good) = (context(&wrong, 0), context(&right, 0));
    assert!(bad != good && bad.device() != good.device());
    let mine = device_vec![in &good; 1_u8; 2 * MIB].unwrap();
    assert!(DeviceBuffer::<u8>::zeroed_in(&bad, 2 * MIB).unwrap_err().is_out_of_memory());
    assert_eq!(device_vec![in &bad; 1_u8; 10].unwrap_err().status(), Some(Status::UNKNOWN));
    std::mem::forget(device_vec![in &bad; 1_u8, 2].unwrap());
    assert_eq!(wrong.finish().len(), 1);
    assert_eq!(mine.last().unwrap().to_value(), Ok(1));
    drop(mine);
    assert!(!right.calls().contains(&"cuMemcpyHtoDAsync_v2"));
    assert!(right.finish().is_empty());
}

#[test]
fn each_thread_has_its_own_entered_context() {
    let sim = Sim::new(SimOptions::default().devices(4));
    let contexts: Vec<_> = (0..4).map(|device| context(&sim, device)).collect();
    let barrier = Barrier::new(5);
    thread::scope(|scope| {
        for (context, mib) in contexts.iter().zip(1..) {
            let barrier = &barrier;
            scope.spawn(move || {
                let _entered = context.enter();
                barrier.wait();
                let dev = device_vec![mib; mib * MIB / 8].unwrap();
                assert_eq!(Context::current().unwrap(), *context);
                assert_eq!(dev.last().unwrap().to_value(), Ok(mib));
                barrier.wait();
                // The main thread looks.
                barrier.wait();
            });
        }
        barrier.wait();
        barrier.wait();
        let used: Vec<_> = contexts.iter().map(used).collect();
        assert_eq!(used, [1, 2, 3, 4].map(|mib| mib * MIB as u64));
        barrier.wait();
    });
    assert!(sim.finish().is_empty());
}

#[test]
fn threads_open_and_close_contexts_at_once() {
    fn job(sim: &Sim, device: u32, seed: u32) -> Result<()> {
        let context = Context::new(&sim.device(device)?)?;
        let entered = context.enter();
        let dev = device_vec![seed; 64]?;
        drop(entered);
        drop(context);
        assert_eq!(dev.to_vec()?, [seed; 64]);
        Ok(())
    }
    let shared = Sim::new(SimOptions::default().devices(2));
    thread::scope(|scope| {
        for thread in 0..8 {
            let shared = &shared;
            scope.spawn(move || {
                let own = Sim::new(SimOptions::default());
                for round in 0..100 {
                    job(shared, round % 2, thread * 1000 + round).unwrap();
                    job(&own, 0, round).unwrap();
                }
                assert!(own.finish().is_empty());
            });
        }
    });
    let [opened, closed] =
        ["cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"].map(|entry| count(&shared, entry));
    assert_eq!(opened, closed);
    assert!(shared.finish().is_empty());
}
