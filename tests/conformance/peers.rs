//! Two devices: access of one to the other's memory, and copies by hand.

use memcore::memory::{memcpy_peer, memcpy_peer_async};
use memcore::prelude::*;
use memcore::{Access, Error, MemoryPool, PoolOptions, Status};

use crate::buffers::pattern;
use crate::devices::TwoDeviceTest;
use crate::rig::{MIB, Outcome, all_waited, refused, waited};

pub(crate) const TESTS: &[TwoDeviceTest] = &[
    ("peers::access_is_enabled_once", access_is_enabled_once),
    ("peers::a_pool_is_opened_to_the_other_device", a_pool_is_opened_to_the_other_device),
    ("peers::a_pool_of_the_other_device", a_pool_of_the_other_device),
    ("peers::copies_by_hand", copies_by_hand),
    ("peers::freed_on_a_stream_of_the_other_device", freed_on_a_stream_of_the_other_device),
    ("peers::addresses_are_asked_about_from_either_side", addresses_are_asked_about_from_either_side),
];

fn access_is_enabled_once(here: &Context, there: &Context) -> Outcome {
    let myself = Error::Driver { operation: "cuCtxEnablePeerAccess", status: Status::PEER_ACCESS_UNSUPPORTED };
    refused(here.enable_peer_access(here), &myself)?;
    assert!(!here.can_access_peer(here)?);
    // SAFETY: nothing makes use of the access.
    assert!(!unsafe { here.disable_peer_access(there)? });
    if !here.can_access_peer(there)? {
        let unsupported = Error::Driver { operation: "cuCtxEnablePeerAccess", status: Status::PEER_ACCESS_UNSUPPORTED };
        refused(here.enable_peer_access(there), &unsupported)?;
        return Ok(());
    }
    assert!(here.enable_peer_access(there)?);
    assert!(!here.enable_peer_access(there)?);
    // SAFETY: as above; it is one way alone.
    assert!(!unsafe { there.disable_peer_access(here)? });
    copies_arrive(here, there)?;
    // SAFETY: as above, all copies having been waited for.
    assert!(unsafe { here.disable_peer_access(there)? });
    // SAFETY: as above.
    assert!(!unsafe { here.disable_peer_access(there)? });
    copies_arrive(here, there)?;
    Ok(())
}

/// Every byte, there and back.
fn copies_arrive(here: &Context, there: &Context) -> memcore::Result<()> {
    let host = pattern(MIB + 3, 80);
    let near = DeviceBuffer::from_slice_in(here, &host)?;
    let mut far = DeviceBuffer::<u8>::zeroed_in(there, host.len())?;
    copy!(far <- near)?;
    assert!(far.to_vec()? == host);
    let mut back = DeviceBuffer::<u8>::zeroed_in(here, host.len())?;
    copy!(back <- far)?;
    assert!(back.to_vec()? == host);
    Ok(())
}

fn a_pool_is_opened_to_the_other_device(here: &Context, there: &Context) -> Outcome {
    let pool = MemoryPool::new_in(here, PoolOptions::default())?;
    assert_eq!(pool.access(there.device())?, Access::None);
    let host = pattern(MIB + 3, 81);
    let near = DeviceBuffer::from_slice_in(&pool, &host)?;
    let mut far = DeviceBuffer::<u8>::zeroed_in(there, host.len())?;
    copy!(far <- near)?;
    assert!(far.to_vec()? == host);
    if !there.can_access_peer(here)? {
        return Ok(());
    }
    pool.allow_access(there.device())?;
    pool.allow_access(there.device())?;
    assert_eq!(pool.access(there.device())?, Access::ReadWrite);
    fill!(far <- 0)?;
    copy!(far <- near)?;
    assert!(far.to_vec()? == host);
    // What is opened is the memory, and not memcore's streams: they stay with their own device.
    let stream = Stream::new_in(there)?;
    let mut back = vec![0_u8; host.len()];
    let other = Error::OtherDevice { stream: there.device().ordinal(), memory: here.device().ordinal() };
    refused(copy!(back <- near, stream), &other)?;
    // SAFETY: nothing makes use of the access.
    unsafe { pool.revoke_access(there.device())? };
    assert_eq!(pool.access(there.device())?, Access::None);
    copy!(far <- near)?;
    assert!(far.to_vec()? == host);
    Ok(())
}

/// Its buffers lie there, whatever is entered here.
fn a_pool_of_the_other_device(here: &Context, there: &Context) -> Outcome {
    let pool = MemoryPool::new_in(there, PoolOptions::default())?;
    let (host, stream) = (pattern(MIB, 83), Stream::new_in(here)?);
    let mut far = DeviceBuffer::from_slice_in(&pool, &host)?;
    assert_eq!((pool.context(), &Context::current()?), (there, here));
    assert_eq!(there.pointer_attributes(far.as_device_ptr())?.device, there.device().ordinal());
    let other = Error::OtherDevice { stream: here.device().ordinal(), memory: there.device().ordinal() };
    refused(fill!(far <- 0, stream), &other)?;
    let mut near = DeviceBuffer::<u8>::zeroed_in(here, MIB)?;
    copy!(near <- far)?;
    assert!(near.to_vec()? == host);
    far.copy_within(1.., 0)?;
    assert!(far.to_vec()?[..MIB - 1] == host[1..]);
    Ok(())
}

fn copies_by_hand(here: &Context, there: &Context) -> Outcome {
    let host = pattern(MIB + 3, 82);
    let near = DeviceBuffer::from_slice_in(here, &host)?;
    let far = DeviceBuffer::<u8>::zeroed_in(there, host.len())?;
    let back = DeviceBuffer::<u8>::zeroed_in(here, host.len())?;
    let (from, to, home) = (near.as_device_ptr().as_raw(), far.as_device_ptr().as_raw(), back.as_device_ptr().as_raw());
    all_waited(here, || {
        // SAFETY: all have as many bytes, and nothing else uses them before the wait.
        unsafe { memcpy_peer(to, there, from, here, host.len())? };
        // SAFETY: as above; the two are in order.
        unsafe { memcpy_peer(home, here, to, there, host.len()) }
    })?;
    all_waited(there, || Ok(()))?;
    assert!(far.to_vec()? == host && back.to_vec()? == host);
    for context in [here, there] {
        let (stream, mut cleared) = (Stream::new_in(context)?, DeviceBuffer::<u8>::zeroed_in(there, host.len())?);
        fill!(cleared <- 1)?;
        let to = cleared.as_device_ptr().as_raw();
        waited(&stream, || {
            // SAFETY: as above.
            unsafe { memcpy_peer_async(to, there, from, here, host.len(), &stream) }
        })?;
        assert!(cleared.to_vec()? == host);
    }
    // SAFETY: without bytes nothing is used.
    unsafe { memcpy_peer(to, there, from, here, 0)? };
    Ok(())
}

fn freed_on_a_stream_of_the_other_device(here: &Context, there: &Context) -> Outcome {
    let (near, stream) = (device_vec![in here; 3_u8; 1000]?, Stream::new_in(there)?);
    let other = Error::OtherDevice { stream: there.device().ordinal(), memory: here.device().ordinal() };
    match near.drop_on(&stream) {
        Err((error, near)) => {
            refused::<()>(Err(error), &other)?;
            assert_eq!(near.to_vec()?, [3; 1000]);
        }
        Ok(()) => panic!("freed on a stream of another device"),
    }
    Ok(())
}

fn addresses_are_asked_about_from_either_side(here: &Context, there: &Context) -> Outcome {
    let far = device_vec![in there; 1_u16; 1000]?;
    for context in [here, there] {
        let about = context.pointer_attributes(far[3..].as_device_ptr())?;
        assert_eq!((about.device, about.size), (there.device().ordinal(), 2000));
        assert_eq!(about.start.cast(), far.as_device_ptr());
    }
    assert_eq!(there.address_range(far[3..].as_device_ptr())?, (far.as_device_ptr().cast(), 2000));
    Ok(())
}
