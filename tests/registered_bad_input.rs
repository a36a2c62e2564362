//! Registered and managed memory on bad days, which only a simulated device can have: what is said, that nothing is lost, and
//! that memory which may still be registered is given to nobody.

use std::env;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

use memcore::memory::{MemoryAdvise, MemoryLocation, cuda_free_unified, cuda_malloc_unified};
use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions, Violation, ViolationKind};
use memcore::{AttachFlag, Error, RegisterFlags, Registration, Result, Status};

const PLAIN: RegisterFlags = RegisterFlags::empty();

fn open(options: SimOptions) -> (Sim, Context) {
    let sim = Sim::new(options);
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

/// How often an entry point was called.
fn count(sim: &Sim, entry: &str) -> usize {
    sim.calls().iter().filter(|call| **call == entry).count()
}

fn failed(operation: &'static str, status: Status) -> Error {
    Error::Driver { operation, status }
}

/// The `n`-th call and the 16 after it, by which a call that has to succeed is tried.
fn for_good(entry: &str, n: u64, status: Status) -> SimOptions {
    (n..n + 17).fold(SimOptions::default(), |options, n| options.fail(Fault::nth(entry, n, status)))
}

#[test]
fn devices_that_cannot_register() {
    let (sim, context) = open(SimOptions::default().without_host_registration());
    let what = Error::Unsupported { what: "page-locking of existing memory" };
    assert_eq!(what.to_string(), "page-locking of existing memory is not supported by this device");
    assert_eq!(RegisteredBuffer::new_with(&context, PLAIN, vec![1_u8; 100]).map(drop), Err(what.clone()));
    assert_eq!(context.with_registered(&mut [1_u8; 100], PLAIN, |_| Ok(())), Err(what.clone()));
    let (stream, mut memory) = (Stream::new_in(&context).unwrap(), [1_u8; 100]);
    assert_eq!(stream.scope(|s| s.register(&mut memory, PLAIN).map(drop)), Err(what.clone()));
    // SAFETY: it is refused.
    assert_eq!(unsafe { Registration::new(&context, PLAIN, memory.as_mut_ptr(), 100) }.map(drop), Err(what));
    // The driver was not asked.
    assert_eq!(count(&sim, "cuMemHostRegister_v2"), 0);
    // Nor is it asked at all of memory without bytes.
    let before = sim.calls().len();
    assert!(RegisteredBuffer::new_in(&context, Vec::<u8>::new()).unwrap().is_empty());
    assert_eq!(context.with_registered(&mut [(); 3], PLAIN, |memory| Ok::<_, Error>(memory.len())), Ok(3));
    // SAFETY: no elements are no memory.
    let nothing = unsafe { Registration::new(&context, PLAIN, memory.as_mut_ptr(), 0) }.unwrap();
    assert_eq!((nothing.size_in_bytes(), sim.calls().len()), (0, before));
    assert!(nothing.unregister().is_ok());
    assert_eq!(*LockedBuffer::from_slice_in(&context, &memory).unwrap(), [1; 100]);
    drop(stream);
    drop(context);
    assert!(sim.finish().is_empty());
}

#[test]
fn devices_that_cannot_register_what_is_only_read() {
    let (sim, context) = open(SimOptions::default().without_read_only_registration());
    let refused = RegisteredBuffer::new_with(&context, RegisterFlags::READ_ONLY, vec![1_u8; 100]);
    let error = Error::Unsupported { what: "page-locking of existing memory as read-only" };
    assert_eq!(refused.map(drop), Err(error));
    assert_eq!(count(&sim, "cuMemHostRegister_v2"), 0);
    let plain = RegisteredBuffer::new_with(&context, RegisterFlags::PORTABLE, vec![1_u8; 100]).unwrap();
    assert_eq!(plain.unregister().unwrap(), [1; 100]);
    drop(context);
    assert!(sim.finish().is_empty());
}

#[test]
fn the_limit_on_page_locked_memory() {
    let (sim, context) = open(SimOptions::default().host_lock_limit(4096));
    let kept = RegisteredBuffer::new_with(&context, PLAIN, vec![1_u8; 3000]).unwrap();
    let (error, memory) = RegisteredBuffer::try_new_with(&context, PLAIN, vec![2_u8; 3000]).unwrap_err();
    let operation = "cuMemHostRegister_v2";
    assert_eq!(error, Error::OutOfMemory { operation, requested: 3000, free: None, total: None });
    drop(kept);
    drop(RegisteredBuffer::new_with(&context, PLAIN, memory).unwrap());
    drop(context);
    assert!(sim.finish().is_empty());
}

#[test]
fn a_buffer_that_cannot_be_unregistered_comes_back() {
    let (sim, context) = open(SimOptions::default().fail(Fault::nth("cuMemHostUnregister", 1, Status(4242))));
    let registered = RegisteredBuffer::new_with(&context, PLAIN, vec![5_u8; 100]).unwrap();
    let (error, registered) = registered.unregister().unwrap_err();
    assert_eq!(error, failed("cuMemHostUnregister", Status(4242)));
    assert_eq!(registered.unregister().unwrap(), [5; 100]);
    assert!(context.take_drop_errors().is_empty());
    drop(context);
    assert!(sim.finish().is_empty());
}

/// The memory of a buffer that cannot be unregistered is leaked: were it freed and had anew, the device would write the old
/// pages.
#[test]
fn a_buffer_that_cannot_be_unregistered_is_leaked() {
    let (sim, context) = open(SimOptions::default().fail(Fault::nth("cuMemHostUnregister", 1, Status(4242))));
    let registered = RegisteredBuffer::new_with(&context, PLAIN, vec![5_u8; 1 << 20]).unwrap();
    let address = registered.as_ptr();
    drop(registered);
    assert_eq!(context.take_drop_errors(), [failed("cuMemHostUnregister", Status(4242))]);
    // SAFETY: nothing has freed the memory, or uses it.
    let leaked = unsafe { Vec::from_raw_parts(address.cast_mut(), 1 << 20, 1 << 20) };
    assert!(leaked.iter().all(|byte| *byte == 5));
    std::mem::forget(leaked);
    drop(context);
    let violations = sim.finish();
    assert_eq!(violations.iter().map(Violation::kind).collect::<Vec<_>>(), [ViolationKind::Leak]);
}

/// A failure that passes is none.
#[test]
fn lent_memory_is_unregistered_in_the_end() {
    let faults = (1..16).map(|n| Fault::nth("cuMemHostUnregister", n, Status(4242)));
    let (sim, context) = open(faults.fold(SimOptions::default(), SimOptions::fail));
    let mut memory = vec![1_u8; 100];
    let lent = context.with_registered(&mut memory, PLAIN, |memory| Ok::<_, Error>(memory.len()));
    assert_eq!((lent, count(&sim, "cuMemHostUnregister")), (Ok(100), 16));
    drop(context);
    assert!(sim.finish().is_empty());
}

/// What somebody else has unregistered is not registered: that is said, and nothing has to end for it.
#[test]
fn lent_memory_that_somebody_else_unregistered() {
    let not = Status::HOST_MEMORY_NOT_REGISTERED;
    let (sim, context) = open(SimOptions::default().fail(Fault::nth("cuMemHostUnregister", 1, not)));
    let lent = context.with_registered(&mut [1_u8; 100], PLAIN, |_| Ok(()));
    assert_eq!(lent, Err(failed("cuMemHostUnregister", not)));
    drop(context);
    // The simulator did not: only its answer said so.
    assert_eq!(sim.finish().len(), 1);
}

/// Freed or unregistered twice, by other pointers, or in flight: the simulated device tells.
#[test]
fn mistakes_by_hand_are_told() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    let (stream, mut memory) = (Stream::new().unwrap(), vec![1_u8; 4096]);
    let mut dev = device_vec![0_u8; 4096].unwrap();
    // SAFETY: the memory lives; that it is unregistered in flight is the mistake, from which the simulator keeps it.
    let registration = unsafe { Registration::new(&context, PLAIN, memory.as_mut_ptr(), 4096) }.unwrap();
    // SAFETY: as above.
    unsafe { copy!(dev <- memory, async stream) }.unwrap();
    registration.unregister().unwrap();
    stream.synchronize().unwrap();
    drop((dev, stream));
    let kinds: Vec<_> = sim.violations().iter().map(Violation::kind).collect();
    assert_eq!(kinds, [ViolationKind::HostInFlight]);
}

#[test]
fn there_may_be_more_managed_memory_than_the_device_has() {
    let (sim, context) = open(SimOptions::default().memory_bytes(1 << 20));
    let _entered = context.enter();
    let error = device_vec![1_u8; 3 << 20].unwrap_err();
    assert!(error.is_out_of_memory());
    let mut unified = [unified_vec![1_u8; 3 << 20].unwrap(), unified_vec![2_u8; 3 << 20].unwrap()];
    for one in &mut unified {
        fill!(one.as_device_slice_mut()[1 << 20..] <- 9).unwrap();
    }
    assert_eq!(unified.each_ref().map(|one| (one[0], one[(3 << 20) - 1])), [(1, 9), (2, 9)]);
    drop(unified);
    assert!(sim.finish().is_empty());
}

#[test]
fn pages_of_two_devices() {
    let sim = Sim::new(SimOptions::default().devices(2));
    let devices = [sim.device(0).unwrap(), sim.device(1).unwrap()];
    let context = Context::new(&devices[0]).unwrap();
    let stream = Stream::new_in(&context).unwrap();
    let mut unified = UnifiedBuffer::<u8>::zeroed_in(&context, 100).unwrap();
    unified.preferred_location(Some(&devices[1])).unwrap();
    unified.advise_accessed_by(Some(&devices[1]), true).unwrap();
    unified.advise_accessed_by(Some(&devices[0]), true).unwrap();
    unified.prefetch_device(&stream, &devices[1]).unwrap();
    let [here, there] = devices.map(MemoryLocation::Device);
    assert_eq!(unified.query_preferred_location(), Ok(Some(there.clone())));
    assert_eq!(unified.query_accessed_by(), Ok(vec![here, there.clone()]));
    assert_eq!(unified.query_last_prefetch(), Ok(Some(there)));
    // Streams of another driver are refused, those of another device are not.
    let (foreign, other) = (open(SimOptions::default()), Context::new(&sim.device(1).unwrap()).unwrap());
    unified.attach(&Stream::new_in(&other).unwrap(), AttachFlag::Global).unwrap();
    let strange = Stream::new_in(&foreign.1).unwrap();
    assert_eq!(unified.attach(&strange, AttachFlag::Host), Err(Error::DifferentDrivers));
    // SAFETY: it is refused.
    assert_eq!(unsafe { unified.attach_single(&strange) }, Err(Error::DifferentDrivers));
    stream.synchronize().unwrap();
    drop((unified, stream, strange));
    assert!(sim.finish().is_empty() && foreign.0.finish().is_empty());
}

#[test]
fn copies_on_another_stream_than_the_single_one_are_told() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    let (stream, mut unified) = (Stream::new().unwrap(), unified_vec![1_u32; 100].unwrap());
    // SAFETY: that the fill below is not queued on this stream is the mistake; the bytes are a `u32` whatever it does.
    unsafe { unified.attach_single(&stream) }.unwrap();
    stream.synchronize().unwrap();
    fill!(unified.as_device_slice_mut() <- 7).unwrap();
    let violations = sim.violations();
    assert_eq!(violations.iter().map(Violation::kind).collect::<Vec<_>>(), [ViolationKind::WrongStream]);
    assert!(violations[0].to_string().contains("which is attached to stream s"), "{}", violations[0]);
}

/// Without concurrent access the host has what is attached to an idle stream, or to itself.
#[test]
fn the_host_and_managed_memory_of_a_device_that_works() {
    let (sim, context) = open(SimOptions::default().without_concurrent_managed_access());
    let _entered = context.enter();
    let (stream, other) = (Stream::new().unwrap(), Stream::new().unwrap());
    let mut dev = device_vec![0_u8; 100].unwrap();
    // SAFETY: written before it is read, and touched while no device works with it.
    let pointer = unsafe { cuda_malloc_unified::<u8>(100) }.unwrap();
    let write = |value: u8| {
        // SAFETY: the bytes lie there; when they may be touched is what is shown.
        unsafe { pointer.as_mut_ptr().write_bytes(value, 100) };
    };
    write(1);
    // SAFETY: the parts of an allocation by the same function, which this owns from here on.
    let mut unified = unsafe { UnifiedBuffer::from_raw_parts(pointer, 100) };
    // SAFETY: the device does not use the memory.
    unsafe { unified.attach_single(&stream) }.unwrap();
    stream.synchronize().unwrap();
    // SAFETY: nothing uses the memory before the wait.
    unsafe { dev.set_8_async(5, &other) }.unwrap();
    // The device is busy, but not the memory's stream.
    write(2);
    assert!(sim.violations().is_empty());
    // SAFETY: as above.
    unsafe { dev.set_8_async(6, &stream) }.unwrap();
    // SAFETY: as above; it is not ordered with the other stream's.
    other.synchronize().unwrap();
    write(3);
    assert_eq!(sim.violations().iter().filter(|one| one.kind() == ViolationKind::HostInFlight).count(), 1);
    stream.synchronize().unwrap();
    unified.attach(&stream, AttachFlag::Host).unwrap();
    // SAFETY: nothing uses the memory before the wait.
    unsafe { dev.set_8_async(7, &stream) }.unwrap();
    write(4);
    stream.synchronize().unwrap();
    assert_eq!(sim.violations().iter().filter(|one| one.kind() == ViolationKind::HostInFlight).count(), 1);
    let (pointer, _) = unified.into_raw_parts();
    // SAFETY: nothing uses it any more.
    unsafe { cuda_free_unified(pointer) }.unwrap();
}

/// Names the program that a child process is to run.
const CHILD: &str = "MEMCORE_TEST_CHILD";

/// Runs a test of this binary again, in a child process.
fn child(test: &str) -> Output {
    let this = env::current_exe().unwrap();
    Command::new(this).args(["--exact", test, "--nocapture"]).env(CHILD, "1").output().unwrap()
}

/// Runs a program that must not get its memory back.
fn must_abort(test: &str, program: fn() -> Result<()>) {
    if env::var_os(CHILD).is_some() {
        let result = program();
        panic!("the memory came back: {result:?}");
    }
    let output = child(test);
    let said = String::from_utf8_lossy(&[&*output.stdout, &output.stderr].concat()).into_owned();
    assert_eq!(output.status.signal(), Some(6), "{said}");
    assert!(said.contains("memcore: aborting, since memory that this program is about to use as its own"), "{said}");
    assert!(!said.contains("the memory came back"), "{said}");
}

#[test]
fn memory_of_a_closure_that_stays_registered_is_not_given_back() {
    must_abort("memory_of_a_closure_that_stays_registered_is_not_given_back", || {
        let (_sim, context) = open(for_good("cuMemHostUnregister", 1, Status(4242)));
        context.with_registered(&mut [1_u8; 100], PLAIN, |_| Ok(()))
    });
}

/// A wait that fails proves nothing: the device may still read the memory.
#[test]
fn memory_that_a_closure_did_not_see_done_is_not_given_back() {
    must_abort("memory_that_a_closure_did_not_see_done_is_not_given_back", || {
        let (_sim, context) = open(for_good("cuStreamSynchronize", 3, Status(999)));
        let mut dev = DeviceBuffer::<u8>::zeroed_in(&context, 100)?;
        context.with_registered(&mut [1_u8; 100], PLAIN, |memory| copy!(dev <- *memory))
    });
}

#[test]
fn memory_that_a_scope_did_not_see_done_is_not_given_back() {
    must_abort("memory_that_a_scope_did_not_see_done_is_not_given_back", || {
        let (_sim, context) = open(for_good("cuStreamSynchronize", 3, Status(999)));
        let (mut memory, stream) = ([1_u8; 100], Stream::new_in(&context)?);
        let mut dev = DeviceBuffer::<u8>::zeroed_in(&context, 100)?;
        stream.scope(|s| {
            let memory = s.register(&mut memory, PLAIN)?;
            copy!(dev <- memory, s)
        })
    });
}

/// Nor is any registered that could not be known to be done with.
#[test]
fn after_a_wait_that_failed_no_memory_is_lent() {
    let mut options = SimOptions::default();
    for n in 3..=19 {
        options = options.fail(Fault::nth("cuStreamSynchronize", n, Status(999)));
    }
    let (sim, context) = open(options);
    let _entered = context.enter();
    let mut dev = DeviceBuffer::<u8>::zeroed_in(&context, 100).unwrap();
    assert_eq!(copy!(dev <- [1; 100]), Err(failed("cuStreamSynchronize", Status(999))));
    let lent = context.with_registered(&mut [1_u8; 100], PLAIN, |_| -> Result<()> { panic!("called") });
    assert_eq!(lent, Err(Error::Unsettled));
    let (mut memory, stream) = ([1_u8; 100], Stream::new_in(&context).unwrap());
    let lent = stream.scope(|s| s.register(&mut memory, PLAIN).map(drop));
    assert_eq!(lent, Err(Error::Unsettled));
    assert_eq!(count(&sim, "cuMemHostRegister_v2"), 0);
    // Owned, it is leaked where it has to be.
    let (error, owned) =
        RegisteredBuffer::new_with(&context, PLAIN, vec![1_u8; 100]).unwrap().unregister().unwrap_err();
    assert_eq!(error, Error::Unsettled);
    drop(owned);
    assert_eq!(context.take_drop_errors(), [Error::Unsettled]);
}

#[test]
fn memory_of_a_closure_that_panics_is_not_given_back() {
    must_abort("memory_of_a_closure_that_panics_is_not_given_back", || {
        let (_sim, context) = open(for_good("cuMemHostUnregister", 1, Status(4242)));
        let mut memory = [1_u8; 100];
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            context.with_registered::<_, (), Error>(&mut memory, PLAIN, |_| panic!("on purpose"))
        }));
        panicked.unwrap_or(Ok(()))
    });
}

#[test]
fn memory_of_a_scope_that_stays_registered_is_not_given_back() {
    must_abort("memory_of_a_scope_that_stays_registered_is_not_given_back", || {
        let (_sim, context) = open(for_good("cuMemHostUnregister", 1, Status(4242)));
        let (stream, mut memory) = (Stream::new_in(&context)?, [1_u8; 100]);
        stream.scope(|s| s.register(&mut memory, PLAIN).map(drop))
    });
}

/// In a context that has died nothing is unregistered.
#[test]
fn memory_in_a_dead_context_is_not_given_back() {
    must_abort("memory_in_a_dead_context_is_not_given_back", || {
        let dead = Fault::sticky("cuMemcpyHtoDAsync_v2", 1, Status::ILLEGAL_ADDRESS);
        let (_sim, context) = open(SimOptions::default().fail(dead));
        let mut dev = DeviceBuffer::<u8>::zeroed_in(&context, 100)?;
        context.with_registered(&mut [1_u8; 100], PLAIN, |memory| copy!(dev <- *memory))
    });
}
