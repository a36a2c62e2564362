//! Operations on the same memory that nothing orders.

use super::memory::pair;
use super::mistakes;

mistakes! {
    read_on_another_stream: ReadAfterWrite,
    read_before_an_upload_has_landed: ReadAfterWrite,
    read_by_a_peer_copy: ReadAfterWrite,
    legacy_stream_and_a_non_blocking_one: ReadAfterWrite,
    read_before_it_is_allocated: ReadAfterWrite,
    event_recorded_too_early: ReadAfterWrite,
    overwritten_while_it_is_read: WriteAfterRead,
    page_locked_source_overwritten: WriteAfterRead,
    written_on_two_streams: WriteAfterWrite,
    filled_before_it_is_allocated: WriteAfterWrite,
    downloaded_twice_into_one_buffer: WriteAfterWrite,
}

pair!(
    read_on_another_stream,
    |rig| {
        let (from, to, first, second) = (rig.alloc(64), rig.alloc(64), rig.stream(1), rig.stream(1));
        ok!(rig, memset_d8_async(from, 1, 64, first));
        ok!(rig, memcpy_dtod_async(to, from, 64, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    },
    |rig| {
        let (from, to, first, second) = (rig.alloc(64), rig.alloc(64), rig.stream(1), rig.stream(1));
        let event = rig.event();
        ok!(rig, memset_d8_async(from, 1, 64, first));
        ok!(rig, event_record(event, first));
        ok!(rig, stream_wait_event(second, event, 0));
        ok!(rig, memcpy_dtod_async(to, from, 64, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    }
);

pair!(
    read_before_an_upload_has_landed,
    |rig| {
        // A synchronous upload from pageable memory may return with the transfer pending.
        let (from, to, stream) = (rig.alloc(64), rig.alloc(64), rig.stream(1));
        let _ = rig.upload(from, &[1; 64]);
        ok!(rig, memcpy_dtod_async(to, from, 64, stream));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    },
    |rig| {
        let (from, to, stream) = (rig.alloc(64), rig.alloc(64), rig.stream(1));
        let _ = rig.upload(from, &[1; 64]);
        ok!(rig, stream_synchronize(core::ptr::null_mut()));
        ok!(rig, memcpy_dtod_async(to, from, 64, stream));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    }
);

pair!(
    read_by_a_peer_copy,
    |rig| {
        let other = rig.retain(1);
        let (from, first) = (rig.alloc(64), rig.stream(1));
        ok!(rig, memset_d8_async(from, 1, 64, first));
        ok!(rig, context_set_current(other));
        let (to, second) = (rig.alloc(64), rig.stream(1));
        ok!(rig, memcpy_peer_async(to, other, from, rig.context, 64, second));
        ok!(rig, stream_synchronize(first));
        ok!(rig, stream_synchronize(second));
        ok!(rig, mem_free(to));
        ok!(rig, mem_free(from));
    },
    |rig| {
        let other = rig.retain(1);
        let (from, first, event) = (rig.alloc(64), rig.stream(1), rig.event());
        ok!(rig, memset_d8_async(from, 1, 64, first));
        ok!(rig, event_record(event, first));
        ok!(rig, context_set_current(other));
        let (to, second) = (rig.alloc(64), rig.stream(1));
        ok!(rig, stream_wait_event(second, event, 0));
        ok!(rig, memcpy_peer_async(to, other, from, rig.context, 64, second));
        ok!(rig, stream_synchronize(second));
        ok!(rig, mem_free(to));
        ok!(rig, mem_free(from));
    }
);

pair!(
    legacy_stream_and_a_non_blocking_one,
    |rig| {
        let (from, to, stream) = (rig.alloc(64), rig.alloc(64), rig.stream(1));
        ok!(rig, memset_d8(from, 1, 64));
        ok!(rig, memcpy_dtod_async(to, from, 64, stream));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    },
    |rig| {
        // A blocking stream is ordered with the legacy one.
        let (from, to, stream) = (rig.alloc(64), rig.alloc(64), rig.stream(0));
        ok!(rig, memset_d8(from, 1, 64));
        ok!(rig, memcpy_dtod_async(to, from, 64, stream));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    }
);

pair!(
    read_before_it_is_allocated,
    |rig| {
        let (first, second, to, mut dev) = (rig.stream(1), rig.stream(1), rig.alloc(64), 0);
        ok!(rig, mem_alloc_async(&mut dev, 64, first));
        ok!(rig, memcpy_dtod_async(to, dev, 64, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free_async(dev, first));
        ok!(rig, mem_free(to));
    },
    |rig| {
        let (first, to, mut dev) = (rig.stream(1), rig.alloc(64), 0);
        ok!(rig, mem_alloc_async(&mut dev, 64, first));
        ok!(rig, memset_d8_async(dev, 1, 64, first));
        ok!(rig, memcpy_dtod_async(to, dev, 64, first));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free_async(dev, first));
        ok!(rig, mem_free(to));
    }
);

pair!(
    event_recorded_too_early,
    |rig| {
        let (from, to, first, second) = (rig.alloc(64), rig.alloc(64), rig.stream(1), rig.stream(1));
        let event = rig.event();
        ok!(rig, event_record(event, first));
        ok!(rig, memset_d8_async(from, 1, 64, first));
        ok!(rig, stream_wait_event(second, event, 0));
        ok!(rig, memcpy_dtod_async(to, from, 64, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    },
    |rig| {
        let (from, to, first, second) = (rig.alloc(64), rig.alloc(64), rig.stream(1), rig.stream(1));
        let event = rig.event();
        ok!(rig, event_record(event, first));
        ok!(rig, memset_d8_async(from, 1, 64, first));
        ok!(rig, event_record(event, first));
        ok!(rig, stream_wait_event(second, event, 0));
        ok!(rig, memcpy_dtod_async(to, from, 64, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    }
);

pair!(
    overwritten_while_it_is_read,
    |rig| {
        let (from, to, first, second) = (rig.alloc(64), rig.alloc(64), rig.stream(1), rig.stream(1));
        ok!(rig, memset_d8_async(from, 1, 64, first));
        ok!(rig, stream_synchronize(first));
        ok!(rig, memcpy_dtod_async(to, from, 64, first));
        ok!(rig, memset_d8_async(from + 60, 2, 4, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    },
    |rig| {
        // Other bytes may be written meanwhile.
        let (from, to, first, second) = (rig.alloc(64), rig.alloc(64), rig.stream(1), rig.stream(1));
        ok!(rig, memset_d8_async(from, 1, 64, first));
        ok!(rig, stream_synchronize(first));
        ok!(rig, memcpy_dtod_async(to, from, 60, first));
        ok!(rig, memset_d8_async(from + 60, 2, 4, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    }
);

pair!(
    page_locked_source_overwritten,
    |rig| {
        let (up, down, locked) = (rig.alloc(64), rig.alloc(64), rig.locked(64));
        let (first, second) = (rig.stream(1), rig.stream(1));
        ok!(rig, memset_d8(down, 3, 64));
        ok!(rig, context_synchronize());
        ok!(rig, memcpy_htod_async(up, locked.pointer, 64, first));
        ok!(rig, memcpy_dtoh_async(locked.pointer, down, 64, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(up));
        ok!(rig, mem_free(down));
        ok!(rig, mem_free_host(locked.pointer));
    },
    |rig| {
        let (up, down, locked) = (rig.alloc(64), rig.alloc(64), rig.locked(64));
        let first = rig.stream(1);
        ok!(rig, memset_d8(down, 3, 64));
        ok!(rig, context_synchronize());
        ok!(rig, memcpy_htod_async(up, locked.pointer, 64, first));
        ok!(rig, memcpy_dtoh_async(locked.pointer, down, 64, first));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(up));
        ok!(rig, mem_free(down));
        ok!(rig, mem_free_host(locked.pointer));
    }
);

pair!(
    written_on_two_streams,
    |rig| {
        let (dev, first, second) = (rig.alloc(64), rig.stream(1), rig.stream(1));
        ok!(rig, memset_d8_async(dev, 1, 40, first));
        ok!(rig, memset_d8_async(dev + 32, 2, 32, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, first, second) = (rig.alloc(64), rig.stream(1), rig.stream(1));
        ok!(rig, memset_d8_async(dev, 1, 32, first));
        ok!(rig, memset_d8_async(dev + 32, 2, 32, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
    }
);

pair!(
    filled_before_it_is_allocated,
    |rig| {
        let (first, second, mut dev) = (rig.stream(1), rig.stream(1), 0);
        ok!(rig, mem_alloc_async(&mut dev, 64, first));
        ok!(rig, memset_d8_async(dev, 1, 64, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free_async(dev, first));
    },
    |rig| {
        let (first, second, mut dev) = (rig.stream(1), rig.stream(1), 0);
        ok!(rig, mem_alloc_async(&mut dev, 64, first));
        ok!(rig, stream_synchronize(first));
        ok!(rig, memset_d8_async(dev, 1, 64, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free_async(dev, first));
    }
);

pair!(
    downloaded_twice_into_one_buffer,
    |rig| {
        let (dev, locked, first, second) = (rig.alloc(64), rig.locked(64), rig.stream(1), rig.stream(1));
        ok!(rig, memset_d8(dev, 1, 64));
        ok!(rig, context_synchronize());
        ok!(rig, memcpy_dtoh_async(locked.pointer, dev, 64, first));
        ok!(rig, memcpy_dtoh_async(locked.pointer, dev, 64, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free_host(locked.pointer));
    },
    |rig| {
        let (dev, locked, first, second) = (rig.alloc(64), rig.locked(128), rig.stream(1), rig.stream(1));
        ok!(rig, memset_d8(dev, 1, 64));
        ok!(rig, context_synchronize());
        ok!(rig, memcpy_dtoh_async(locked.pointer, dev, 64, first));
        ok!(rig, memcpy_dtoh_async(locked.pointer.wrapping_byte_add(64), dev, 64, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free_host(locked.pointer));
    }
);
