//! Memory of the program's own, page-locked where it lies.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;

use memcore::memory::CopyDestination;
use memcore::prelude::*;
use memcore::{Error, RegisterFlags, Registration, Status};

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, all_freed, refused, tests, waited};
use crate::unified::is_what_it_holds;

tests!(
    a_vec_is_owned_and_given_back,
    a_boxed_slice_is_owned_and_given_back,
    every_flag_is_taken,
    a_failure_gives_the_memory_back,
    memory_without_bytes_is_not_registered,
    is_an_operand_of_every_copy,
    is_lent_to_a_scope,
    is_owned_by_a_transfer,
    is_a_slice_to_the_host,
    the_device_has_an_address_of_it,
    is_unregistered_on_any_thread,
    read_only_memory_is_never_written,
    overlapping_registrations_are_refused,
    page_locked_memory_is_not_registered,
    by_hand,
    by_hand_without_memory,
    lent_to_a_closure,
    lent_to_a_closure_that_fails,
    lent_to_a_closure_that_panics,
    lent_to_a_scope_and_registered,
    lent_to_a_scope_that_fails,
    lent_parts_of_one_array,
);

const PLAIN: RegisterFlags = RegisterFlags::empty();

fn given_back<T>(registered: RegisteredBuffer<T>) -> memcore::Result<Vec<T>> {
    registered.unregister().map_err(|(error, _)| error)
}

/// Expects that registering is refused by the driver with this code.
fn refused_with<T: std::fmt::Debug>(result: memcore::Result<T>, status: Status) -> memcore::Result<()> {
    refused(result, &Error::Driver { operation: "cuMemHostRegister_v2", status })
}

fn a_vec_is_owned_and_given_back(context: &Context) -> Outcome {
    let mut memory = Vec::with_capacity(MIB + 1000);
    memory.extend(pattern(MIB, 1));
    let (address, capacity) = (memory.as_ptr(), memory.capacity());
    let mut registered = RegisteredBuffer::new(memory)?;
    assert_eq!((registered.as_ptr(), registered.len(), registered.size_in_bytes()), (address, MIB, MIB));
    let dev = DeviceBuffer::from_slice(&registered)?;
    registered.fill(0);
    registered[0] = 1;
    copy!(registered <- dev)?;
    let memory = given_back(registered)?;
    assert_eq!((memory.as_ptr(), memory.capacity()), (address, capacity));
    assert!(memory == pattern(MIB, 1));
    // It is pageable again, and can be registered anew, in part or whole.
    let again = RegisteredBuffer::new_with(context, PLAIN, memory)?;
    drop(again);
    all_freed(context)?;
    Ok(())
}

fn a_boxed_slice_is_owned_and_given_back(_: &Context) -> Outcome {
    let boxed: Box<[u32]> = (0..5000).collect();
    let address = boxed.as_ptr();
    let registered = RegisteredBuffer::new(boxed)?;
    assert_eq!(registered[4999], 4999);
    let boxed = given_back(registered)?.into_boxed_slice();
    assert_eq!((boxed.as_ptr(), boxed.len()), (address, 5000));
    Ok(())
}

fn every_flag_is_taken(context: &Context) -> Outcome {
    let mut memory = vec![3_u16; 10_000];
    for bits in 0..16 {
        let Some(flags) = RegisterFlags::from_bits(bits) else {
            // The bit of write-combined memory: here it would stand for addresses of another device.
            assert_eq!(bits & 4, 4);
            continue;
        };
        let registered = RegisteredBuffer::new_with(context, flags, memory)?;
        assert_eq!(DeviceBuffer::from_slice(&registered)?.to_vec()?, [3; 10_000]);
        memory = given_back(registered)?;
    }
    assert_eq!((RegisterFlags::all().bits(), RegisterFlags::default()), (0b1011, PLAIN));
    let all: Vec<_> = RegisterFlags::all().iter_names().map(|(name, _)| name).collect();
    assert_eq!(all, ["PORTABLE", "DEVICE_MAPPED", "READ_ONLY"]);
    // A bit that does not exist is not passed on.
    for bits in [4, 16, 1 << 31] {
        let flags = RegisterFlags::from_bits_retain(bits);
        let error = Error::UnknownFlags { what: "registered memory", bits };
        refused(RegisteredBuffer::new_with(context, flags, vec![1_u8; 100]).map(drop), &error)?;
        refused(context.with_registered(&mut [1_u8; 100], flags, |_| Ok(())), &error)?;
        assert_eq!(error.to_string(), format!("the bits {bits:#x} are not all flags of registered memory"));
    }
    Ok(())
}

fn a_failure_gives_the_memory_back(context: &Context) -> Outcome {
    let flags = RegisterFlags::from_bits_retain(4);
    let memory = vec![5_u8; 100];
    let address = memory.as_ptr();
    let (error, memory) = RegisteredBuffer::try_new_with(context, flags, memory).unwrap_err();
    assert_eq!(error, Error::UnknownFlags { what: "registered memory", bits: 4 });
    assert_eq!((memory.as_ptr(), memory.len()), (address, 100));
    Ok(())
}

fn memory_without_bytes_is_not_registered(context: &Context) -> Outcome {
    let mut empty = RegisteredBuffer::new(Vec::<u64>::new())?;
    copy!(empty <- DeviceBuffer::<u64>::default())?;
    assert!(empty.is_empty() && !empty.device_ptr()?.is_null());
    assert_eq!(given_back(empty)?, []);
    let units = RegisteredBuffer::new(vec![(); 3])?;
    assert_eq!((units.len(), units.size_in_bytes()), (3, 0));
    assert_eq!(given_back(units)?, [(); 3]);
    // Capacity alone is no memory to lock, and comes back.
    let room = RegisteredBuffer::new_in(context, Vec::<u8>::with_capacity(100))?;
    assert!(given_back(room)?.capacity() >= 100);
    assert_eq!(context.with_registered(&mut [0_u8; 0], PLAIN, |memory| Ok::<_, Error>(memory.len()))?, 0);
    Ok(())
}

fn is_an_operand_of_every_copy(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let source = RegisteredBuffer::new(pattern(1000, 2))?;
    let mut back = RegisteredBuffer::new(vec![0_u8; 1000])?;
    let mut dev = device_vec![0_u8; 1000]?;
    copy!(dev <- source)?;
    copy!(back[..500] <- dev[500..])?;
    assert_eq!(back[..500], source[500..]);
    copy!(dev[..10] <- source[990..], &stream)?;
    copy!(back <- dev, &stream)?;
    assert_eq!((&back[..10], &back[10..]), (&source[990..], &source[10..]));
    fill!(back <- 7)?;
    dev.copy_from(&*back)?;
    CopyDestination::copy_to(&dev, &mut back)?;
    CopyDestination::copy_from(&mut dev, &source)?;
    assert_eq!(*back, [7; 1000]);
    waited(&stream, || {
        // SAFETY: both sides stay as they are until the wait.
        unsafe { copy!(back <- dev, async stream) }
    })?;
    assert_eq!(*back, *source);
    // Windows of it.
    copy!(dev.as_2d_mut(100)?[.., 20..30] <- source.as_2d(100)?[.., ..10])?;
    copy!(back.as_2d_mut(100)?[5, ..] <- dev.as_2d(100)?[3, ..])?;
    assert_eq!((&back[520..530], back[530]), (&source[300..310], source[330]));
    // Between host and host, and to unified memory.
    let (locked, mut unified) = (locked_vec![4_u8; 1000]?, unified_vec![0_u8; 1000]?);
    unified.as_device_slice_mut().copy_from(&*source)?;
    assert_eq!(*unified, *source);
    copy!(dev <- locked)?;
    copy!(back <- dev)?;
    assert_eq!(*back, *locked);
    Ok(())
}

fn is_lent_to_a_scope(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let source = RegisteredBuffer::new(pattern(1000, 3))?;
    let mut back = RegisteredBuffer::new(vec![0_u8; 1000])?;
    let mut dev = device_vec![0_u8; 1000]?;
    stream.scope(|s| {
        let (back, dev) = (s.lend(&mut back), s.lend(&mut dev));
        copy!(dev <- s.lend_ref(&source), s)?;
        copy!(back[..600] <- dev[..600], s)?;
        copy!(dev <- back, s)
    })?;
    assert_eq!((&back[..600], &back[600..]), (&source[..600], [0; 400].as_slice()));
    assert_eq!(dev.to_vec()?, *back);
    Ok(())
}

fn is_owned_by_a_transfer(context: &Context) -> Outcome {
    let stream = Stream::new()?;
    let (source, dev) = (RegisteredBuffer::new(pattern(1000, 4))?, DeviceBuffer::zeroed_in(context, 1000)?);
    let (source, dev) = stream.upload(source, dev)?.wait()?;
    let (dev, back) = stream.download(dev, RegisteredBuffer::new(vec![0_u8; 1000])?)?.wait()?;
    assert_eq!(*back, *source);
    let shared = Arc::new(source);
    let (_, dev) = stream.upload(Arc::clone(&shared), dev)?.wait()?;
    assert_eq!(dev.to_vec()?, **shared);
    Ok(())
}

#[allow(clippy::mutable_key_type, reason = "what is mutable inside is the context, which has no part in the hash")]
fn is_a_slice_to_the_host(_: &Context) -> Outcome {
    let (low, high) = (RegisteredBuffer::new(vec![1_u32, 2, 3])?, RegisteredBuffer::new(vec![1_u32, 3])?);
    is_what_it_holds::<_, [u32]>(&low, &high, &[1, 2, 3], &[1, 3]);
    let text = format!("RegisteredBuffer {{ address: {:p}, len: 3 }}", low.as_ptr());
    assert_eq!(format!("{low:?}"), text);
    let names = HashMap::from([(low, "low"), (high, "high")]);
    assert_eq!(names.get([1_u32, 3].as_slice()), Some(&"high"));
    let mut numbers = RegisteredBuffer::new(vec![1_u32, 2, 3])?;
    for number in &mut numbers {
        *number *= 2;
    }
    numbers.as_mut()[0] = 5;
    assert_eq!((&numbers).into_iter().sum::<u32>(), 15);
    Ok(())
}

fn the_device_has_an_address_of_it(_: &Context) -> Outcome {
    let registered = RegisteredBuffer::new(vec![1_u32; 100])?;
    let pointer = registered.device_ptr()?;
    // With unified addresses it is the host's.
    assert_eq!(pointer.as_raw(), registered.as_ptr().expose_provenance() as u64);
    Ok(())
}

fn is_unregistered_on_any_thread(context: &Context) -> Outcome {
    let (first, second) = (RegisteredBuffer::new(vec![1_u8; 4096])?, RegisteredBuffer::new(vec![2_u8; 4096])?);
    thread::spawn(move || drop(first)).join().unwrap();
    let memory = thread::spawn(move || given_back(second)).join().unwrap()?;
    assert_eq!(memory, [2; 4096]);
    all_freed(context)?;
    Ok(())
}

fn read_only_memory_is_never_written(context: &Context) -> Outcome {
    let mut registered = RegisteredBuffer::new_with(context, RegisterFlags::READ_ONLY, vec![1_u8; 4096])?;
    let dev = DeviceBuffer::from_slice(&registered)?;
    let error = Error::Driver { operation: "cuMemcpyDtoHAsync_v2", status: Status::INVALID_VALUE };
    refused(copy!(registered <- dev), &error)?;
    // The host may.
    registered[0] = 2;
    let mut memory = given_back(registered)?;
    assert_eq!(memory[..2], [2, 1]);
    copy!(memory <- dev)?;
    assert_eq!(memory[..2], [1, 1]);
    Ok(())
}

fn overlapping_registrations_are_refused(context: &Context) -> Outcome {
    let mut memory = vec![1_u8; 10_000];
    let start = memory.as_ptr().expose_provenance() as u64;
    context.with_registered(&mut memory, PLAIN, |memory| {
        for range in [0..10_000, 0..5000, 9999..10_000, 100..200] {
            let (address, bytes) = (start + range.start as u64, range.len());
            let error = Error::AlreadyRegistered { address, bytes };
            assert_eq!(
                error.to_string(),
                format!("{bytes} bytes at {address:#x} cannot be registered: some of them are registered already")
            );
            refused(context.with_registered(&mut memory[range], PLAIN, |_| Ok(())), &error)?;
        }
        Ok::<_, Error>(())
    })?;
    // One after the other all is well, also where two lie on one page.
    let (left, right) = memory.split_at_mut(5000);
    context.with_registered(left, PLAIN, |left| {
        left[4999] = 2;
        context.with_registered(right, PLAIN, |right| {
            right[0] = 3;
            Ok::<_, Error>(())
        })
    })?;
    assert_eq!(memory[4998..5002], [1, 2, 3, 1]);
    Ok(())
}

fn page_locked_memory_is_not_registered(context: &Context) -> Outcome {
    let (mut locked, mut unified) = (locked_vec![1_u8; 4096]?, unified_vec![1_u8; 4096]?);
    for memory in [&mut *locked, &mut *unified] {
        refused_with(context.with_registered(memory, PLAIN, |_| Ok(())), Status::INVALID_VALUE)?;
    }
    assert_eq!((locked[4095], unified[4095]), (1, 1));
    Ok(())
}

fn by_hand(context: &Context) -> Outcome {
    let mut memory = vec![7_u8; 5000];
    // SAFETY: the memory lives until it is unregistered, or is leaked.
    let registration = unsafe { Registration::new(context, RegisterFlags::all(), memory.as_mut_ptr(), 5000)? };
    let used = (|| {
        assert_eq!(registration.size_in_bytes(), 5000);
        assert_eq!(registration.device_ptr()?.as_raw(), memory.as_ptr().expose_provenance() as u64);
        assert!(format!("{registration:?}").contains("bytes: 5000"));
        assert_eq!(DeviceBuffer::from_slice(&memory)?.to_vec()?, memory);
        Ok::<_, Error>(())
    })();
    // In a thread of its own: what it was made in is bound for it.
    let unregistered = thread::spawn(move || registration.unregister()).join().unwrap();
    if let Err((error, registration)) = unregistered {
        drop(registration);
        std::mem::forget(memory);
        return Err(error.into());
    }
    used?;
    // It is memory, and no addresses of another device.
    // SAFETY: it is refused.
    let io = unsafe { Registration::of_io_memory(context, PLAIN, memory.as_mut_ptr(), 5000) };
    refused_with(io, Status::INVALID_VALUE)?;
    Ok(())
}

fn by_hand_without_memory(context: &Context) -> Outcome {
    // SAFETY: no elements are no memory.
    let nothing = unsafe { Registration::new(context, PLAIN, vec![1_u8].as_mut_ptr(), 0)? };
    assert_eq!(nothing.size_in_bytes(), 0);
    assert!(nothing.unregister().is_ok());
    // SAFETY: it is refused.
    let null = unsafe { Registration::new(context, PLAIN, std::ptr::null_mut::<u8>(), 100) };
    refused_with(null, Status::INVALID_VALUE)?;
    // SAFETY: it is refused.
    let too_long = unsafe { Registration::new(context, PLAIN, vec![1_u64].as_mut_ptr(), usize::MAX) };
    refused(too_long, &Error::SizeOverflow { len: usize::MAX, element_size: 8 })?;
    // SAFETY: it is refused: no memory can lie there.
    let nowhere = unsafe { Registration::new(context, PLAIN, std::ptr::without_provenance_mut::<u8>(0x1_0000), 100) };
    refused_with(nowhere, Status::INVALID_VALUE)?;
    Ok(())
}

fn lent_to_a_closure(context: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut memory = pattern(10_000, 5);
    let mut dev = device_vec![0_u8; 10_000]?;
    let sum = context.with_registered(&mut memory, RegisterFlags::PORTABLE, |memory| {
        copy!(dev <- *memory)?;
        fill!(dev[..5000] <- 9)?;
        stream.scope(|s| copy!(*memory <- dev, s))?;
        memory[9999] = 1;
        Ok::<_, Error>(memory.iter().map(|byte| u64::from(*byte)).sum::<u64>())
    })?;
    assert_eq!((&memory[..5000], memory[9999]), ([9; 5000].as_slice(), 1));
    assert_eq!(sum, memory.iter().map(|byte| u64::from(*byte)).sum());
    // An array of the stack, and elements of any type.
    let mut array = ["a"; 3];
    context.with_registered(&mut array, PLAIN, |array| {
        array[1] = "b";
        Ok::<_, Error>(())
    })?;
    assert_eq!(array, ["a", "b", "a"]);
    Ok(())
}

fn lent_to_a_closure_that_fails(context: &Context) -> Outcome {
    let mut memory = vec![1_u8; 100];
    let failed = context.with_registered(&mut memory, PLAIN, |memory| {
        memory[0] = 2;
        Err::<(), Box<dyn std::error::Error>>("it failed".into())
    });
    let error = failed.unwrap_err();
    if error.to_string() != "it failed" {
        return Err(error);
    }
    assert_eq!(memory[..2], [2, 1]);
    drop(RegisteredBuffer::new(memory)?);
    Ok(())
}

fn lent_to_a_closure_that_panics(context: &Context) -> Outcome {
    let mut memory = vec![1_u8; 100];
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        context
            .with_registered::<_, (), Error>(&mut memory, PLAIN, |_| std::panic::resume_unwind(Box::new("on purpose")))
    }));
    match panicked {
        Ok(result) => result?,
        Err(payload) => assert_eq!(payload.downcast_ref(), Some(&"on purpose")),
    }
    // It is not registered any more.
    drop(RegisteredBuffer::new(memory)?);
    Ok(())
}

fn lent_to_a_scope_and_registered(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut memory: Vec<u32> = (0..5000).collect();
    let mut dev = device_vec![0_u32; 5000]?;
    stream.scope(|s| {
        let (memory, dev) = (s.register(&mut memory, PLAIN)?, s.lend(&mut dev));
        copy!(dev <- memory, s)?;
        fill!(dev[..100] <- 7, s)?;
        let (left, right) = memory.split_at_mut(2500);
        copy!(left <- dev[..2500], s)?;
        copy!(right <- dev[2500..], s)
    })?;
    assert_eq!((&memory[..100], memory[100]), ([7; 100].as_slice(), 100));
    assert_eq!(dev.to_vec()?, memory);
    // Without bytes there is nothing to register.
    stream.scope(|s| {
        assert!(s.register(&mut [0_u8; 0], PLAIN)?.is_empty());
        Ok::<_, Error>(())
    })?;
    memory.push(1);
    Ok(())
}

fn lent_to_a_scope_that_fails(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let (mut memory, mut other) = (vec![1_u8; 5000], [1_u8; 10]);
    let mut dev = device_vec![3_u8; 5000]?;
    let wrong = RegisterFlags::from_bits_retain(4);
    let failed = stream.scope(|s| {
        copy!(*s.register(&mut memory, PLAIN)? <- s.lend(&mut dev)[..], s)?;
        s.register(&mut other, wrong).map(drop)
    });
    refused(failed, &Error::UnknownFlags { what: "registered memory", bits: 4 })?;
    assert_eq!(memory, [3; 5000]);
    drop(RegisteredBuffer::new(memory)?);
    Ok(())
}

/// Parts of one array, each on a stream of its own.
fn lent_parts_of_one_array(_: &Context) -> Outcome {
    let streams = [Stream::new()?, Stream::new()?, Stream::new()?];
    let mut memory = pattern(30_000, 6);
    let expected: Vec<u8> = memory.iter().map(|_| 5).collect();
    let mut dev = device_vec![5_u8; 30_000]?;
    memcore::scope(|all| {
        let parts = memory.chunks_mut(10_000).zip(dev.chunks_mut(10_000));
        for ((memory, dev), stream) in parts.zip(&streams) {
            all.on(stream, |s| copy!(*s.register(memory, PLAIN)? <- s.lend(dev)[..], s))?;
        }
        Ok::<_, Error>(())
    })?;
    assert!(memory == expected);
    drop(RegisteredBuffer::new(memory)?);
    Ok(())
}
