//! Bad input and bad days that only a simulated device can have: what is said, and that the next operation works.

use std::env;
use std::process::Command;
use std::thread;

use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions};
use memcore::{AllocatorKind, Error, Event, Result, Status};

fn open(options: SimOptions) -> (Sim, Context) {
    let sim = Sim::new(options);
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

/// How often each of these entry points was called.
fn counts<const N: usize>(sim: &Sim, entries: [&str; N]) -> [usize; N] {
    let calls = sim.calls();
    entries.map(|entry| calls.iter().filter(|call| **call == entry).count())
}

const MIB: usize = 1 << 20;

#[test]
fn no_device() {
    let sim = Sim::new(SimOptions::default().devices(0));
    let error = sim.device(0).unwrap_err();
    assert_eq!(error, Error::NoDevice { driver: "simulated" });
    assert!(error.to_string().starts_with("the simulated driver has no device"), "{error}");
}

#[test]
fn no_such_device() {
    let sim = Sim::new(SimOptions::default().devices(2));
    let error = sim.device(2).unwrap_err();
    assert_eq!(error, Error::InvalidDevice { ordinal: 2, count: 2 });
    assert_eq!(error.to_string(), "there is no device 2: the driver has 2");
    assert_eq!(sim.device(u32::MAX).unwrap_err(), Error::InvalidDevice { ordinal: u32::MAX, count: 2 });
    assert_eq!(sim.device(1).unwrap().ordinal(), 1);
}

#[test]
fn out_of_memory_says_how_much_in_plain_bytes_and_passes() {
    let cases =
        [(SimOptions::default(), "cuMemAllocFromPoolAsync"), (SimOptions::default().without_pools(), "cuMemAlloc_v2")];
    for (options, operation) in cases {
        let (sim, context) = open(options.memory_bytes(1_234_944));
        let _entered = context.enter();
        let kept = device_vec![1_u8; 1000].unwrap();
        let error = DeviceBuffer::<u64>::zeroed(1_000_000).unwrap_err();
        let expected =
            Error::OutOfMemory { operation, requested: 8_000_000, free: Some(1_233_920), total: Some(1_234_944) };
        assert_eq!(error, expected);
        let text = "is out of memory: 8000000 bytes asked for, 1233920 of 1234944 bytes free";
        assert_eq!(error.to_string(), format!("{operation} {text}"));
        assert!(error.is_out_of_memory());
        assert_eq!(error.status(), Some(Status::OUT_OF_MEMORY));
        // The next ones work.
        assert_eq!(kept.to_vec().unwrap(), [1; 1000]);
        assert_eq!(device_vec![2_u8; 1_000_000].unwrap().last().unwrap().to_value(), Ok(2));
        drop(kept);
        assert!(sim.finish().is_empty());
    }
}

#[test]
fn memory_that_the_pool_keeps_is_given_back_for_a_larger_allocation() {
    let (sim, context) = open(SimOptions::default().memory_bytes(4 * MIB as u64));
    let _entered = context.enter();
    drop(device_vec![1_u8; 3 * MIB].unwrap());
    assert_eq!(context.memory_info().unwrap(), (MIB as u64, 4 * MIB as u64));
    sim.clear_calls();
    let large = device_vec![2_u8; 4 * MIB].unwrap();
    assert_eq!(large.last().unwrap().to_value(), Ok(2));
    // It waited, trimmed, and tried once more.
    assert_eq!(counts(&sim, ["cuMemAllocFromPoolAsync", "cuMemPoolTrimTo"]), [2, 1]);
    let calls = sim.calls();
    let place = |entry| calls.iter().position(|call| *call == entry).unwrap();
    assert!(place("cuStreamSynchronize") < place("cuMemPoolTrimTo"));
    drop(large);
    assert!(sim.finish().is_empty());
}

/// What is freed on the context's stream is waited for; what is freed on one of the program's, which has other work too, is
/// not.
#[test]
fn pending_frees_make_room_for_another_pool() {
    let (sim, context) = open(SimOptions::default().memory_bytes(4 * MIB as u64));
    let _entered = context.enter();
    let pool = MemoryPool::new_in(&context, PoolOptions::default()).unwrap();
    let stream = Stream::new().unwrap();
    let (first, second) = (device_vec![1_u8; MIB].unwrap(), device_vec![2_u8; 3 * MIB].unwrap());
    drop(first);
    second.drop_on(&stream).unwrap();
    sim.clear_calls();
    let error = DeviceBuffer::<u8>::zeroed_in(&pool, 4 * MIB).unwrap_err();
    assert!(error.is_out_of_memory(), "{error}");
    // It waited for one stream, trimmed both pools, and tried once more.
    let entries = ["cuMemAllocFromPoolAsync", "cuStreamSynchronize", "cuMemPoolTrimTo"];
    assert_eq!(counts(&sim, entries), [2, 1, 2]);
    // The first made room.
    let small = device_vec![in &pool; 3_u8; MIB].unwrap();
    assert_eq!(small.last().unwrap().to_value(), Ok(3));
    drop(small);
    stream.synchronize().unwrap();
    let large = device_vec![in &pool; 4_u8; 4 * MIB].unwrap();
    assert_eq!(large.last().unwrap().to_value(), Ok(4));
    drop((large, pool, stream));
    assert!(sim.finish().is_empty());
}

#[test]
fn memory_that_the_pool_keeps_is_given_back_for_an_array_and_for_rows() {
    let (sim, context) = open(SimOptions::default().memory_bytes(4 * MIB as u64));
    let _entered = context.enter();
    drop(device_vec![1_u8; 3 * MIB].unwrap());
    sim.clear_calls();
    let image = ArrayObject::filled(7_u32, [1024, 512]).unwrap();
    assert_eq!(counts(&sim, ["cuArray3DCreate_v2", "cuMemPoolTrimTo"]), [2, 1]);
    assert_eq!(image.as_view().window(0, 1023, 511).unwrap().to_vec().unwrap(), [7]);
    drop(image);
    drop(device_vec![1_u8; 3 * MIB].unwrap());
    sim.clear_calls();
    let rows = PitchedBuffer::filled(7_u32, [1024, 512]).unwrap();
    assert_eq!(counts(&sim, ["cuMemAllocPitch_v2", "cuMemPoolTrimTo"]), [2, 1]);
    drop(rows);
    // Once more, and no more.
    sim.clear_calls();
    let error = ArrayObject::<u32>::zeroed([1025, 1024]).unwrap_err();
    let (requested, total) = (1025 << 12, 4 << 20);
    let operation = "cuArray3DCreate_v2";
    assert_eq!(error, Error::OutOfMemory { operation, requested, free: Some(total), total: Some(total) });
    assert_eq!(counts(&sim, ["cuArray3DCreate_v2", "cuMemPoolTrimTo"]), [2, 1]);
    assert!(sim.finish().is_empty());
}

#[test]
fn out_of_memory_is_tried_once_more_and_no_more() {
    let (sim, context) = open(SimOptions::default().memory_bytes(MIB as u64));
    assert!(DeviceBuffer::<u8>::zeroed_in(&context, 2 * MIB).unwrap_err().is_out_of_memory());
    assert_eq!(counts(&sim, ["cuMemAllocFromPoolAsync", "cuMemPoolTrimTo"]), [2, 1]);
    assert!(sim.finish().is_empty());
}

#[test]
fn the_limit_on_page_locked_memory() {
    let (sim, context) = open(SimOptions::default().host_lock_limit(MIB as u64));
    let _entered = context.enter();
    let kept = locked_vec![1_u8; MIB / 2].unwrap();
    let error = LockedBuffer::<u16>::zeroed(MIB).unwrap_err();
    assert!(error.is_out_of_memory());
    // How much memory the device has does not matter here, and is not said.
    assert_eq!(error.to_string(), "cuMemHostAlloc is out of memory: 2097152 bytes asked for");
    assert_eq!(locked_vec![2_u8; MIB / 2].unwrap()[0], 2);
    assert_eq!(kept[0], 1);
    drop(kept);
    assert_eq!(locked_vec![3_u8; MIB].unwrap().len(), MIB);
    assert!(sim.finish().is_empty());
}

#[test]
fn lengths_that_no_device_has() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    for len in [isize::MAX as usize, 1 << 50, 17 << 30] {
        assert!(DeviceBuffer::<u8>::zeroed(len).unwrap_err().is_out_of_memory(), "{len}");
        assert!(device_vec![1_u8; len].unwrap_err().is_out_of_memory(), "{len}");
    }
    assert!(LockedBuffer::<u8>::zeroed(isize::MAX as usize).unwrap_err().is_out_of_memory());
    // A slice may be longer than the host's memory: nothing is allocated for it but what comes back.
    let dev = device_vec![1_u8; 4].unwrap();
    // SAFETY: nothing is read: the host has no room for so much.
    let long = unsafe { DeviceSlice::from_raw_parts(dev.as_device_ptr(), isize::MAX as usize) };
    let error = long.to_vec().unwrap_err();
    assert_eq!(error.to_string(), format!("the host has no room for {} bytes", isize::MAX));
    let error = DeviceBuffer::<[u8; 24]>::zeroed(usize::MAX).unwrap_err();
    assert_eq!(error.to_string(), format!("{} elements of 24 bytes each are more than can be addressed", usize::MAX));
    assert_eq!(dev.to_vec().unwrap(), [1; 4]);
    drop(dev);
    assert!(sim.finish().is_empty());
}

#[test]
fn without_pools_everything_works_and_frees_match() {
    let (sim, context) = open(SimOptions::default().without_pools());
    assert_eq!(context.allocator(), AllocatorKind::Direct);
    everything_works(&context);
    let [allocated, freed, of_a_pool] = counts(&sim, ["cuMemAlloc_v2", "cuMemFree_v2", "cuMemFreeAsync"]);
    assert!(allocated > 0);
    assert_eq!((allocated, of_a_pool), (freed, 0));
    assert!(sim.finish().is_empty());
}

#[test]
fn with_pools_frees_match_too() {
    let (sim, context) = open(SimOptions::default());
    assert_eq!(context.allocator(), AllocatorKind::Pool);
    everything_works(&context);
    let [allocated, freed, direct] = counts(&sim, ["cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cuMemFree_v2"]);
    assert!(allocated > 0);
    assert_eq!((allocated, direct), (freed, 0));
    assert!(sim.finish().is_empty());
}

fn everything_works(context: &Context) {
    let _entered = context.enter();
    let (stream, event) = (Stream::new().unwrap(), Event::new().unwrap());
    let mut dev = device_vec![[1_u8, 2, 3]; 100].unwrap();
    let mut locked = locked_vec![[0_u8; 3]; 100].unwrap();
    copy!(locked <- dev).unwrap();
    fill!(locked[..50] <- [9; 3]).unwrap();
    copy!(dev <- locked, stream).unwrap();
    stream.record(&event).unwrap();
    event.synchronize().unwrap();
    stream.synchronize().unwrap();
    assert_eq!((dev[49].to_value(), dev[50].to_value()), (Ok([9; 3]), Ok([1, 2, 3])));
    let (pointer, len) = dev.into_raw_parts();
    // SAFETY: the parts of a buffer that was just taken apart.
    let dev = unsafe { DeviceBuffer::from_raw_parts(pointer, len) };
    assert_eq!(dev.to_vec().unwrap().len(), 100);
    dev.try_free().unwrap();
    context.trim(0).unwrap();
    assert_eq!(context.take_drop_errors(), []);
}

#[test]
fn a_driver_without_what_memcore_can_do_without() {
    let optional = [
        "cuMemPoolCreate",
        "cuThreadExchangeStreamCaptureMode",
        "cuStreamIsCapturing",
        "cuStreamWriteValue32_v2",
        "cuMemHostGetDevicePointer_v2",
    ];
    let mut none = SimOptions::default();
    for symbol in optional {
        let (sim, context) = open(SimOptions::default().without_symbol(symbol));
        assert_eq!(context.allocator() == AllocatorKind::Direct, symbol == "cuMemPoolCreate");
        everything_works(&context);
        assert!(sim.finish().is_empty(), "{symbol}");
        none = none.without_symbol(symbol);
    }
    let (sim, context) = open(none);
    everything_works(&context);
    assert!(sim.finish().is_empty());
}

#[test]
fn a_missing_symbol_is_an_error_of_that_call_only() {
    type Call = fn(&Context) -> Result<()>;
    let calls: [(&str, Call); 9] = [
        ("cuMemAllocFromPoolAsync", |_| device_vec![1_u8; 4].map(drop)),
        ("cuMemHostAlloc", |_| locked_vec![1_u8; 4].map(drop)),
        ("cuMemsetD16Async", |_| device_vec![0x0102_u16; 4].map(drop)),
        ("cuMemGetInfo_v2", |context| context.memory_info().map(drop)),
        ("cuCtxSynchronize", Context::synchronize),
        ("cuMemPoolTrimTo", |context| context.trim(0)),
        ("cuEventCreate", |_| Event::new().map(drop)),
        ("cuDeviceGetUuid", |context| context.device().uuid().map(drop)),
        ("cuStreamQuery", |_| Stream::new()?.query().map(drop)),
    ];
    for (symbol, call) in calls {
        let (sim, context) = open(SimOptions::default().without_symbol(symbol));
        let _entered = context.enter();
        let error = call(&context).unwrap_err();
        assert_eq!(error, Error::MissingSymbol { symbol });
        let text = format!("the CUDA driver has no function {symbol}: it is too old for this call");
        assert_eq!((error.to_string(), error.status()), (text, None));
        // A fill of new memory needs that memory.
        let needs = |other| other == symbol || (other == "cuMemsetD16Async" && symbol == "cuMemAllocFromPoolAsync");
        for (_, other) in calls.into_iter().filter(|(other, _)| !needs(*other)) {
            other(&context).unwrap();
        }
        assert_eq!(context.take_drop_errors(), []);
        assert!(sim.finish().is_empty(), "{symbol}");
    }
}

#[test]
fn a_code_that_nobody_knows_travels_as_its_number() {
    let (sim, context) = open(SimOptions::default().fail(Fault::nth("cuMemcpyHtoDAsync_v2", 1, Status(4242))));
    let mut dev = device_vec![in &context; 0_u8; 2].unwrap();
    let error = copy!(dev <- [1, 2]).unwrap_err();
    assert_eq!(error.status(), Some(Status(4242)));
    assert_eq!(error.to_string(), "cuMemcpyHtoDAsync_v2 failed: unknown CUDA driver code (4242)");
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(!error.is_out_of_memory());
    copy!(dev <- [1, 2]).unwrap();
    drop(dev);
    assert!(sim.finish().is_empty());
}

#[test]
fn operands_of_two_drivers_do_not_meet() {
    let ((sim, here), (other_sim, there)) = (open(SimOptions::default()), open(SimOptions::default()));
    let (mut mine, mut theirs) = (device_vec![in &here; 1_u8; 4].unwrap(), device_vec![in &there; 2_u8; 4].unwrap());
    let (stream, other_stream) = (Stream::new_in(&here).unwrap(), Stream::new_in(&there).unwrap());
    let (event, other_event) = (Event::new_in(&here).unwrap(), Event::new_in(&there).unwrap());
    let mut host = [0; 4];
    let refused = [
        copy!(mine <- theirs),
        copy!(theirs <- mine),
        copy!(mine <- theirs, stream),
        copy!(mine <- theirs, other_stream),
        copy!(mine <- host, other_stream),
        copy!(host <- mine, other_stream),
        // SAFETY: refused, so that nothing is queued.
        unsafe { copy!(theirs <- mine, async stream) },
        // SAFETY: as above.
        unsafe { copy!(mine <- host, async other_stream) },
        fill!(mine <- 3, other_stream),
        stream.record(&other_event),
        stream.wait_event(&other_event),
        other_stream.wait_event(&event),
        event.elapsed_since(&other_event).map(drop),
        here.device().can_access_peer(there.device()).map(drop),
    ];
    assert_eq!(refused, [const { Err(Error::DifferentDrivers) }; 14]);
    assert_eq!(Error::DifferentDrivers.to_string(), "the operands belong to different drivers");
    // By way of the host it works.
    copy!(host <- theirs).unwrap();
    copy!(mine <- host).unwrap();
    assert_eq!((mine.to_vec(), theirs.to_vec()), (Ok(vec![2; 4]), Ok(vec![2; 4])));
    drop((mine, theirs, stream, other_stream, event, other_event));
    assert!(sim.finish().is_empty() && other_sim.finish().is_empty());
}

#[test]
fn a_thread_with_nothing_entered_uses_the_buffers_own_context() {
    let (sim, context) = open(SimOptions::default());
    let (mut dev, locked) = (device_vec![in &context; 1_u8; 4].unwrap(), locked_vec![in &context; 2_u8; 4].unwrap());
    drop(context);
    thread::spawn(move || {
        fill!(dev[2..] <- 3).unwrap();
        assert_eq!(dev.to_vec().unwrap(), [1, 1, 3, 3]);
        copy!(dev <- locked).unwrap();
        assert_eq!(dev.to_vec().unwrap(), [2; 4]);
        dev.try_free().unwrap();
        drop(locked);
    })
    .join()
    .unwrap();
    // The last owner closed the context.
    assert_eq!(counts(&sim, ["cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"]), [1, 1]);
    assert!(sim.finish().is_empty());
}

#[test]
fn every_owner_outlives_the_handles_of_its_context() {
    let (sim, context) = open(SimOptions::default());
    let boxed = device_box![in &context; 1_u8].unwrap();
    let (stream, event) = (Stream::new_in(&context).unwrap(), Event::new_in(&context).unwrap());
    let locked = locked_vec![in &context; 5_u8; 3].unwrap();
    drop(context);
    assert_eq!(boxed.to_value(), Ok(1));
    drop(boxed);
    stream.record(&event).unwrap();
    stream.synchronize().unwrap();
    drop(stream);
    assert!(event.query().unwrap());
    drop(event);
    assert_eq!(counts(&sim, ["cuDevicePrimaryCtxRelease_v2"]), [0]);
    assert_eq!(*locked, [5; 3]);
    drop(locked);
    assert_eq!(counts(&sim, ["cuDevicePrimaryCtxRelease_v2"]), [1]);
    assert!(sim.finish().is_empty());
}

#[test]
fn errors_go_anywhere() {
    fn anywhere<T: std::error::Error + Clone + PartialEq + Send + Sync + 'static>(_: &T) {}
    anywhere(&Error::Unsettled);
    let boxed: Box<dyn std::error::Error + Send + Sync> = Error::Unsettled.into();
    assert!(boxed.downcast_ref::<Error>() == Some(&Error::Unsettled));
}

/// Checks that an error's text has all of these in it.
#[track_caller]
fn says<T>(result: Result<T>, words: &[&str]) {
    let text = result.map(drop).unwrap_err().to_string();
    for word in words {
        assert!(text.contains(word), "{word:?} is not in {text:?}");
    }
}

#[test]
fn errors_say_what_a_user_needs() {
    let (sim, context) = open(SimOptions::default().fail(Fault::nth("cuCtxSynchronize", 1, Status::LAUNCH_FAILED)));
    let _entered = context.enter();
    let mut dev = device_vec![1_u8; 12].unwrap();
    says(context.synchronize(), &["cuCtxSynchronize", "CUDA_ERROR_LAUNCH_FAILED (719)", "a kernel failed"]);
    says(copy!(dev <- [1; 3]), &["the destination has 12 elements", "the source 3"]);
    says(dev.to_value(), &["has 1 elements", "the source 12"]);
    says(DeviceBuffer::<u32>::zeroed(usize::MAX), &["18446744073709551615 elements of 4 bytes"]);
    let address = format!("{:#x}", dev.as_device_ptr().as_raw());
    says(dev.view_as::<u64>(), &["12 elements of u8 (1 bytes", &address, "u64 (8 bytes", "aligned to 8"]);
    says(dev[1..6].set_32(1), &["5 bytes at 0x", "units of 4 bytes", "multiples"]);
    fill!(dev[7..] <- 2).unwrap();
    says(dev.view_as::<bool>().unwrap().to_vec(), &["element 7", "bool"]);
    drop(dev);
    // SAFETY: nothing is read: the address is nobody's.
    let nowhere = unsafe { DeviceSlice::<u8>::from_raw_parts(DevicePointer::from_raw(0x1000), 4) };
    says(nowhere.to_vec(), &["0x1000", "no context"]);
    assert!(sim.finish().is_empty());
}

#[test]
fn page_locked_memory_that_the_driver_does_not_align_is_refused_and_not_leaked() {
    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C, align(1048576))]
    struct Huge([u8; MIB]);

    let (sim, context) = open(SimOptions::default());
    // One may be aligned by luck: then the next one cannot be, since it lies beside it.
    let two = [(); 2].map(|()| LockedBuffer::<Huge>::zeroed_in(&context, 1));
    for locked in two.into_iter().filter_map(Result::err) {
        says::<()>(Err(locked), &["alignment", "not supported"]);
    }
    assert!(sim.finish().is_empty());
}

/// Names the program that a child process is to run.
const CHILD: &str = "MEMCORE_TEST_CHILD";

/// What `Device::new(0)` says in a process with these variables.
fn default_device(variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "the_default_driver_is_chosen_by_variables", "--nocapture"]).env(CHILD, "1");
    command.env_remove("MEMCORE_DRIVER").env_remove("MEMCORE_DEVICE").envs(variables.iter().copied());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
#[allow(clippy::print_stderr, reason = "the child process says what it got")]
fn the_default_driver_is_chosen_by_variables() {
    if env::var_os(CHILD).is_some() {
        match Context::current() {
            Ok(context) => eprintln!("{:?}", context.device()),
            Err(error) => eprintln!("{error}"),
        }
        return;
    }
    let expect = |variables: &[(&str, &str)], words: &[&str]| {
        let said = default_device(variables);
        assert!(words.iter().all(|word| said.contains(word)), "{variables:?}: {said}");
    };
    expect(&[("MEMCORE_DRIVER", "sim")], &["simulated", "ordinal: 0"]);
    expect(&[("MEMCORE_DRIVER", "Sim")], &["MEMCORE_DRIVER=\"Sim\"", "cuda, sim or auto"]);
    expect(&[("MEMCORE_DRIVER", "")], &["MEMCORE_DRIVER=\"\"", "cuda, sim or auto"]);
    let sim = ("MEMCORE_DRIVER", "sim");
    expect(&[sim, ("MEMCORE_SIM_DEVICES", "3"), ("MEMCORE_DEVICE", "2")], &["simulated", "ordinal: 2"]);
    expect(&[sim, ("MEMCORE_DEVICE", "1")], &["MEMCORE_DEVICE=\"1\"", "the number of a device that there is"]);
    expect(&[sim, ("MEMCORE_DEVICE", "-1")], &["MEMCORE_DEVICE=\"-1\"", "the number of a device"]);
    expect(&[sim, ("MEMCORE_SIM_DEVICES", "0")], &["the simulated driver has no device"]);
    expect(&[sim, ("MEMCORE_SIM_MEMORY", "4G")], &["MEMCORE_SIM_MEMORY=\"4G\"", "a number of bytes"]);
    expect(&[sim, ("MEMCORE_SIM_ORDER", "random")], &["MEMCORE_SIM_ORDER=\"random\"", "random:SEED"]);
    expect(&[("MEMCORE_DRIVER", "auto")], &["ordinal: 0"]);
    // With nothing said it is the GPU's driver, or an error: never the simulated device in silence.
    for variables in [&[("MEMCORE_DRIVER", "cuda")][..], &[]] {
        let said = default_device(variables);
        let driver_found = said.contains("\"CUDA\"");
        let asks_for_more = said.contains("libcuda.so.1") && said.contains("MEMCORE_DRIVER=sim");
        assert!(driver_found || asks_for_more, "{said}");
    }
}
