//! Events that mean nothing, and contexts and devices that are not the right ones.

use super::memory::pair;
use super::mistakes;

mistakes! {
    stream_waits_for_an_unrecorded_event: UnrecordedEvent,
    host_waits_for_an_unrecorded_event: UnrecordedEvent,
    no_context_is_current: WrongContext,
    event_of_another_context: WrongContext,
    memset_of_another_device: PeerAccess,
    pool_of_another_device: PeerAccess,
}

pair!(
    stream_waits_for_an_unrecorded_event,
    |rig| {
        let (stream, event) = (rig.stream(1), rig.event());
        ok!(rig, stream_wait_event(stream, event, 0));
    },
    |rig| {
        let (stream, event) = (rig.stream(1), rig.event());
        ok!(rig, event_record(event, rig.stream(1)));
        ok!(rig, stream_wait_event(stream, event, 0));
    }
);

pair!(
    host_waits_for_an_unrecorded_event,
    |rig| {
        ok!(rig, event_synchronize(rig.event()));
    },
    |rig| {
        let event = rig.event();
        ok!(rig, event_query(event));
        ok!(rig, event_record(event, rig.stream(1)));
        ok!(rig, event_synchronize(event));
    }
);

pair!(
    no_context_is_current,
    |rig| {
        ok!(rig, context_set_current(core::ptr::null_mut()));
        let _ = call!(rig, mem_alloc(&mut 0, 64));
    },
    |rig| {
        let (stream, mut dev) = (rig.stream(1), 0);
        ok!(rig, context_set_current(core::ptr::null_mut()));
        // What has a context of its own needs no current one.
        ok!(rig, mem_alloc_async(&mut dev, 64, stream));
        ok!(rig, mem_free_async(dev, stream));
    }
);

pair!(
    event_of_another_context,
    |rig| {
        let (event, other) = (rig.event(), rig.retain(1));
        ok!(rig, context_set_current(other));
        let _ = call!(rig, event_record(event, rig.stream(1)));
    },
    |rig| {
        let (event, other) = (rig.event(), rig.retain(1));
        ok!(rig, event_record(event, rig.stream(1)));
        ok!(rig, context_set_current(other));
        // Streams of any context may wait for it.
        ok!(rig, stream_wait_event(rig.stream(1), event, 0));
    }
);

pair!(
    memset_of_another_device,
    |rig| {
        let (dev, other) = (rig.alloc(64), rig.retain(1));
        ok!(rig, context_set_current(other));
        let _ = call!(rig, memset_d8_async(dev, 0, 64, rig.stream(1)));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, stream, other) = (rig.alloc(64), rig.stream(1), rig.retain(1));
        ok!(rig, context_set_current(other));
        ok!(rig, memset_d8_async(dev, 0, 64, stream));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
    }
);

pair!(
    pool_of_another_device,
    |rig| {
        let (stream, mut dev) = (rig.stream(1), 0);
        ok!(rig, mem_alloc_async(&mut dev, 64, stream));
        ok!(rig, stream_synchronize(stream));
        let other = rig.retain(1);
        ok!(rig, context_set_current(other));
        let to = rig.alloc(64);
        let _ = call!(rig, memcpy_dtod_async(to, dev, 64, rig.stream(1)));
        ok!(rig, mem_free(to));
        ok!(rig, mem_free_async(dev, stream));
    },
    |rig| {
        let (stream, mut dev) = (rig.stream(1), 0);
        ok!(rig, mem_alloc_async(&mut dev, 64, stream));
        ok!(rig, memset_d8_async(dev, 0, 64, stream));
        ok!(rig, stream_synchronize(stream));
        let other = rig.retain(1);
        ok!(rig, context_set_current(other));
        let (to, there) = (rig.alloc(64), rig.stream(1));
        ok!(rig, memcpy_peer_async(to, other, dev, rig.context, 64, there));
        ok!(rig, stream_synchronize(there));
        ok!(rig, mem_free(to));
        ok!(rig, mem_free_async(dev, stream));
    }
);
