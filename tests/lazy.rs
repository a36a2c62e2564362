//! When the simulated device runs what is queued, and what it finds wrong, at the user's own lines.

use std::mem::forget;

use memcore::prelude::*;
use memcore::sim::{Order, Sim, SimOptions, Violation, ViolationKind};
use memcore::{Event, Result};

fn open(options: SimOptions) -> (Sim, Context) {
    let sim = Sim::new(options);
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// What page-locked memory holds right after a raw download was queued, and after its wait.
fn before_and_after_the_wait(order: Order) -> (Vec<u8>, Vec<u8>) {
    let (sim, context) = open(SimOptions::default().order(order));
    let _entered = context.enter();
    let stream = Stream::new().unwrap();
    let dev = DeviceBuffer::from_slice(&pattern(1000)).unwrap();
    let mut locked = locked_vec![0_u8; 1000].unwrap();
    // SAFETY: both live to the end. That the bytes are looked at too early is the point, and harmless here: the simulated
    // device moves bytes during calls only.
    unsafe { copy!(locked <- dev, async stream) }.unwrap();
    let before = locked.to_vec();
    stream.synchronize().unwrap();
    let after = locked.to_vec();
    drop((stream, dev, locked));
    assert!(sim.finish().is_empty());
    (before, after)
}

#[test]
fn lazily_a_download_shows_no_byte_before_the_wait() {
    let (before, after) = before_and_after_the_wait(Order::Lazy);
    assert_eq!(before, [0xCB; 1000]);
    assert_eq!(after, pattern(1000));
}

#[test]
fn eagerly_a_download_is_there_at_once() {
    let (before, after) = before_and_after_the_wait(Order::Eager);
    assert_eq!((before, after), (pattern(1000), pattern(1000)));
}

#[test]
fn a_missing_wait_shows_under_some_seeds_and_a_wait_helps_under_all() {
    let right = pattern(1000);
    let early = (0..100).filter(|seed| {
        let (before, after) = before_and_after_the_wait(Order::Random(*seed));
        assert_eq!(after, right);
        before == right
    });
    let early = early.count();
    assert!((1..100).contains(&early), "{early} of 100 seeds");
}

/// Two streams, one of which reads what the other writes: with an event between them, or without.
fn through_two_streams(order: Order, ordered: bool) -> bool {
    let (sim, context) = open(SimOptions::default().order(order));
    let _entered = context.enter();
    let (first, second, event) = (Stream::new().unwrap(), Stream::new().unwrap(), Event::new().unwrap());
    let source = LockedBuffer::from_slice(&pattern(1000)).unwrap();
    let mut dev = device_vec![0_u8; 1000].unwrap();
    let mut back = locked_vec![0_u8; 1000].unwrap();
    // SAFETY: the three live to the end, and are not looked at before both waits.
    unsafe { copy!(dev <- source, async first) }.unwrap();
    if ordered {
        first.record(&event).unwrap();
        second.wait_event(&event).unwrap();
    }
    // SAFETY: as above; without the event `dev` is read too early, which is the point.
    unsafe { copy!(back <- dev, async second) }.unwrap();
    second.synchronize().unwrap();
    first.synchronize().unwrap();
    let right = *back == *source;
    drop((first, second, event, source, dev, back));
    let found: Vec<_> = sim.finish().iter().map(Violation::kind).collect();
    // Whatever the order made of it, it is found.
    assert_eq!(found, if ordered { vec![] } else { vec![ViolationKind::ReadAfterWrite] });
    right
}

#[test]
fn an_event_orders_streams_under_every_seed_and_nothing_else_does() {
    assert!(through_two_streams(Order::Lazy, true));
    assert!(through_two_streams(Order::Eager, true));
    assert!(!through_two_streams(Order::Lazy, false), "the second stream was forced alone");
    let seeds = 0..100;
    assert!(seeds.clone().all(|seed| through_two_streams(Order::Random(seed), true)));
    let lucky = seeds.filter(|seed| through_two_streams(Order::Random(*seed), false)).count();
    assert!((1..100).contains(&lucky), "{lucky} of 100 seeds");
}

/// Checks that this kind of violation, and nothing else, was found at this line.
#[track_caller]
fn expect(violations: &[Violation], kind: ViolationKind, line: u32) {
    let found: Vec<_> = violations.iter().map(|one| (one.kind(), one.place())).collect();
    assert_eq!(found, [(kind, (file!(), line))], "{violations:?}");
}

/// How many elements the operations take for there.
const LEN: usize = 8;

/// An operation on device memory that is not its to use, and the line it stands on.
type Operation = fn(&mut DeviceSlice<u32>) -> (u32, Result<()>);

const READS: [Operation; 7] = [
    |dev| (line!(), dev.to_vec().map(drop)),
    |dev| (line!(), dev.copy_to(&mut vec![0; LEN])),
    |dev| (line!(), dev[..].copy_to(&mut locked_vec![0; LEN].unwrap())),
    |dev| (line!(), copy!(vec![0; LEN] <- dev)),
    |dev| (line!(), copy!(locked_vec![0; LEN].unwrap() <- dev)),
    |dev| (line!(), copy!(device_vec![0; LEN].unwrap() <- dev)),
    |dev| {
        let (stream, mut host) = (Stream::new().unwrap(), vec![0; LEN]);
        (line!(), copy!(host <- dev, stream))
    },
];

const WRITES: [Operation; 13] = [
    |dev| (line!(), copy!(dev <- vec![1; LEN])),
    |dev| (line!(), copy!(dev <- locked_vec![1; LEN].unwrap())),
    |dev| (line!(), copy!(dev <- device_vec![1; LEN].unwrap())),
    |dev| (line!(), copy!(dev <- vec![1; LEN], Stream::new().unwrap())),
    |dev| (line!(), dev.copy_from(&vec![1; LEN])),
    |dev| (line!(), fill!(dev <- 7)),
    |dev| (line!(), fill!(dev <- 7, Stream::new().unwrap())),
    |dev| (line!(), dev.fill(0x0102_0304)),
    |dev| (line!(), dev.set_8(1)),
    |dev| (line!(), dev.set_16(0x0102)),
    |dev| (line!(), dev.set_32(0x0102_0304)),
    |dev| (line!(), dev.set_zero()),
    |dev| {
        let stream = Stream::new().unwrap();
        // SAFETY: the source is copied at once, and the destination is not there to be harmed.
        (line!(), unsafe { copy!(dev <- [1; LEN], async stream) })
    },
];

#[test]
fn use_after_free_is_found_at_the_line_of_the_use() {
    for operation in READS.iter().chain(&WRITES) {
        let (sim, context) = open(SimOptions::default());
        let _entered = context.enter();
        let (made, dev) = (line!(), device_vec![1_u32; LEN].unwrap());
        let pointer = dev.as_device_ptr();
        let (freed, _) = (line!(), dev.try_free().unwrap());
        // SAFETY: none: the memory was freed, which the simulated device is to find.
        let (line, result) = operation(unsafe { DeviceBuffer::borrowed(pointer, LEN) });
        assert!(result.is_err());
        let violations = sim.finish();
        expect(&violations, ViolationKind::UseAfterFree, line);
        assert_eq!(violations[0].allocated_at(), Some((file!(), made)));
        assert_eq!(violations[0].freed_at(), Some((file!(), freed)));
    }
}

#[test]
fn a_longer_length_than_allocated_is_found_at_the_line_of_the_use() {
    for operation in READS.iter().chain(&WRITES) {
        let (sim, context) = open(SimOptions::default());
        let _entered = context.enter();
        let (made, dev) = (line!(), device_vec![1_u32; LEN - 1].unwrap());
        // SAFETY: none: there is one element less, which the simulated device is to find.
        let (line, result) = operation(unsafe { DeviceBuffer::borrowed(dev.as_device_ptr(), LEN) });
        assert!(result.is_err());
        assert_eq!(dev.to_vec().unwrap(), [1; LEN - 1]);
        drop(dev);
        let violations = sim.finish();
        expect(&violations, ViolationKind::OutOfBounds, line);
        assert_eq!(violations[0].allocated_at(), Some((file!(), made)));
    }
}

#[test]
fn a_peer_copy_out_of_bounds_is_found() {
    let sim = Sim::new(SimOptions::default().devices(2));
    let (first, second) =
        (Context::new(&sim.device(0).unwrap()).unwrap(), Context::new(&sim.device(1).unwrap()).unwrap());
    let mut mine = device_vec![in &first; 1_u8; 8].unwrap();
    let theirs = device_vec![in &second; 2_u8; 4].unwrap();
    // SAFETY: none: there are 4 elements and not 8, which the simulated device is to find.
    let long = unsafe { DeviceSlice::from_raw_parts(theirs.as_device_ptr(), 8) };
    let (line, result) = (line!(), copy!(mine <- long));
    assert!(result.is_err());
    drop((mine, theirs));
    let violations = sim.finish();
    expect(&violations, ViolationKind::OutOfBounds, line);
    assert_eq!(violations[0].operation(), "memcpy_peer");
}

#[test]
fn a_wide_fill_out_of_bounds_is_found() {
    let (sim, context) = open(SimOptions::default());
    let dev = device_vec![in &context; [1_u8; 3]; 4].unwrap();
    // SAFETY: none: there are 4 elements and not 9, which the simulated device is to find.
    let long = unsafe { DeviceBuffer::borrowed(dev.as_device_ptr(), 9) };
    let (line, result) = (line!(), fill!(long <- [1, 2, 3]));
    assert!(result.is_err());
    drop(dev);
    expect(&sim.finish(), ViolationKind::OutOfBounds, line);
}

#[test]
fn a_double_free_is_found_at_the_line_of_the_second() {
    for options in [SimOptions::default(), SimOptions::default().without_pools()] {
        let (sim, context) = open(options);
        let _entered = context.enter();
        let (pointer, len) = device_vec![1_u8, 2].unwrap().into_raw_parts();
        // SAFETY: the parts of a buffer that was just taken apart.
        let once = unsafe { DeviceBuffer::from_raw_parts(pointer, len) };
        // SAFETY: none: the memory has an owner, which the simulated device is to find.
        let twice = unsafe { DeviceBuffer::from_raw_parts(pointer, len) };
        let (freed, _) = (line!(), once.try_free().unwrap());
        let (line, result) = (line!(), twice.try_free());
        forget(result.unwrap_err());
        let violations = sim.finish();
        expect(&violations, ViolationKind::DoubleFree, line);
        assert_eq!(violations[0].freed_at(), Some((file!(), freed)));
    }
}

#[test]
fn a_double_free_by_drop_is_found() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    let dev = device_vec![1_u8, 2].unwrap();
    // SAFETY: none: the memory has an owner, which the simulated device is to find.
    drop(unsafe { DeviceBuffer::from_raw_parts(dev.as_device_ptr(), 2) });
    drop(dev);
    assert_eq!(context.take_drop_errors().len(), 1);
    let violations = sim.finish();
    assert_eq!(violations.iter().map(Violation::kind).collect::<Vec<_>>(), [ViolationKind::DoubleFree]);
}

#[test]
fn boxes_and_page_locked_memory_freed_twice_are_found() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    let pointer = device_box![1_u8].unwrap().into_raw();
    let (locked, len) = locked_vec![1_u8; 10].unwrap().into_raw_parts();
    // SAFETY: the parts of owners that were just taken apart, once; and none for the second time, which is the point.
    let boxes = [0, 1].map(|_| unsafe { DeviceBox::from_raw(pointer) });
    // SAFETY: as above.
    let lockeds = [0, 1].map(|_| unsafe { LockedBuffer::from_raw_parts(locked, len) });
    let free = |owner: DeviceBox<u8>| owner.try_free().map_err(forget).is_ok();
    let unlock = |owner: LockedBuffer<u8>| owner.try_free().map_err(forget).is_ok();
    let lines = [line!() - 2, line!() - 1];
    assert_eq!(boxes.map(free), [true, false]);
    assert_eq!(lockeds.map(unlock), [true, false]);
    let found: Vec<_> = sim.finish().iter().map(|one| (one.kind(), one.place())).collect();
    assert_eq!(found, lines.map(|line| (ViolationKind::DoubleFree, (file!(), line))));
}

#[test]
fn leaked_memory_is_reported_with_the_line_of_its_allocation() {
    type Leak = fn(&Context) -> u32;
    let leaks: [Leak; 19] = [
        |_| (forget(device_vec![1_u8; 9].unwrap()), line!()).1,
        |_| (forget(device_vec![1_u8, 2].unwrap()), line!()).1,
        |_| (forget(device_vec![[1_u8, 2, 3]; 9].unwrap()), line!()).1,
        |context| (forget(device_vec![in context; 1_u8; 9].unwrap()), line!()).1,
        |context| (forget(device_vec![in context; 1_u8, 2].unwrap()), line!()).1,
        |_| (forget(device_box![1_u8].unwrap()), line!()).1,
        |context| (forget(device_box![in context; 1_u8].unwrap()), line!()).1,
        |_| (forget(DeviceBox::<u8>::zeroed().unwrap()), line!()).1,
        |_| (forget(DeviceBuffer::<u8>::zeroed(9).unwrap()), line!()).1,
        |_| (forget(locked_vec![1_u8; 9].unwrap()), line!()).1,
        |_| (forget(locked_vec![1_u8, 2].unwrap()), line!()).1,
        |context| (forget(locked_vec![in context; 1_u8; 9].unwrap()), line!()).1,
        |_| (forget(LockedBuffer::<u8>::zeroed(9).unwrap()), line!()).1,
        |_| (device_vec![1_u8; 9].unwrap().leak(), line!()).1,
        |_| (device_box![1_u8].unwrap().leak(), line!()).1,
        |_| (locked_vec![1_u8; 9].unwrap().leak(), line!()).1,
        |_| (device_vec![1_u8; 9].unwrap().into_raw_parts(), line!()).1,
        |_| (device_box![1_u8].unwrap().into_raw(), line!()).1,
        |_| (locked_vec![1_u8; 9].unwrap().into_raw_parts(), line!()).1,
    ];
    for leak in leaks {
        let (sim, context) = open(SimOptions::default().memory_bytes(1 << 20));
        let entered = context.enter();
        let line = leak(&context);
        drop(entered);
        let violations = sim.finish();
        expect(&violations, ViolationKind::Leak, line);
        assert_eq!(violations[0].allocated_at(), Some((file!(), line)));
    }
}

#[test]
fn uninitialized_memory_leaks_at_its_line_too() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    // SAFETY: nothing is read.
    let (first, dev) = (line!(), unsafe { DeviceBuffer::<u8>::uninitialized(9) });
    // SAFETY: as above.
    let (second, boxed) = (line!(), unsafe { DeviceBox::<u8>::uninitialized() });
    // SAFETY: as above.
    let (third, locked) = (line!(), unsafe { LockedBuffer::<u8>::uninitialized_in(&context, 9) });
    forget((dev, boxed, locked));
    let found: Vec<_> = sim.finish().iter().map(|one| (one.kind(), one.place())).collect();
    assert_eq!(found, [first, second, third].map(|line| (ViolationKind::Leak, (file!(), line))));
}

#[test]
fn memory_that_outlives_the_simulation_is_a_leak_and_still_its_owners() {
    let (sim, context) = open(SimOptions::default());
    let (line, mut dev) = (line!(), device_vec![in &context; 1_u8; 9].unwrap());
    expect(&sim.finish(), ViolationKind::Leak, line);
    fill!(dev <- 2).unwrap();
    assert_eq!(dev.to_vec().unwrap(), [2; 9]);
    dev.try_free().unwrap();
    assert_eq!(context.take_drop_errors(), []);
}
