//! What the host is given, and what it does to memory in flight.

use super::memory::pair;
use super::mistakes;

mistakes! {
    never_written: UninitRead,
    one_byte_too_many: UninitRead,
    unwritten_bytes_carried_along: UninitRead,
    page_locked_source_changed: HostInFlight,
    page_locked_destination_written: HostInFlight,
    page_locked_freed: HostInFlight,
    pageable_source_changed: HostInFlight,
    pageable_destination_changed: HostInFlight,
    managed_source_changed: HostInFlight,
    unregistered_in_flight: HostInFlight,
    registered_memory_taken_away: HostInFlight,
    attached_to_another_stream: WrongStream,
    attached_while_a_stream_uses_it: WriteAfterWrite,
}

pair!(
    never_written,
    |rig| {
        let dev = rig.alloc(64);
        let mut back = vec![0_u8; 64];
        ok!(rig, memcpy_dtoh(back.as_mut_ptr().cast(), dev, 64));
        ok!(rig, memcpy_dtoh(back.as_mut_ptr().cast(), dev, 64));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let dev = rig.alloc(64);
        let mut back = vec![0_u8; 64];
        ok!(rig, memset_d8(dev, 0, 64));
        ok!(rig, memcpy_dtoh(back.as_mut_ptr().cast(), dev, 64));
        ok!(rig, mem_free(dev));
    }
);

pair!(
    one_byte_too_many,
    |rig| {
        let dev = rig.alloc(64);
        let mut back = vec![0_u8; 4];
        let _ = rig.upload(dev, &[1, 2, 3]);
        ok!(rig, memcpy_dtoh(back.as_mut_ptr().cast(), dev, 4));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let dev = rig.alloc(64);
        let mut back = vec![0_u8; 4];
        let _ = rig.upload(dev, &[1, 2, 3]);
        ok!(rig, memcpy_dtoh(back.as_mut_ptr().cast(), dev, 3));
        ok!(rig, mem_free(dev));
    }
);

pair!(
    unwritten_bytes_carried_along,
    |rig| {
        // Copies on the device may carry bytes that nobody wrote; the host must not get them.
        let (from, to) = (rig.alloc(64), rig.alloc(64));
        let mut back = vec![0_u8; 64];
        ok!(rig, memset_d8(from, 1, 32));
        ok!(rig, memset_d8(to, 1, 64));
        ok!(rig, memcpy_dtod(to, from + 16, 32));
        ok!(rig, memcpy_dtoh(back.as_mut_ptr().cast(), to, 64));
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    },
    |rig| {
        let (from, to) = (rig.alloc(64), rig.alloc(64));
        let mut back = vec![0_u8; 64];
        ok!(rig, memset_d8(from, 1, 32));
        ok!(rig, memset_d8(to, 1, 64));
        ok!(rig, memcpy_dtod(to, from + 16, 32));
        ok!(rig, memset_d8(to + 16, 1, 16));
        ok!(rig, memcpy_dtoh(back.as_mut_ptr().cast(), to, 64));
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    }
);

pair!(
    page_locked_source_changed,
    |rig| {
        let (dev, locked, stream) = (rig.alloc(64), rig.locked(64), rig.stream(1));
        locked.write(&[1; 64]);
        ok!(rig, memcpy_htod_async(dev, locked.pointer, 64, stream));
        locked.write(&[2; 1]);
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free_host(locked.pointer));
    },
    |rig| {
        let (dev, locked, stream) = (rig.alloc(64), rig.locked(64), rig.stream(1));
        locked.write(&[1; 64]);
        ok!(rig, memcpy_htod_async(dev, locked.pointer, 64, stream));
        ok!(rig, stream_synchronize(stream));
        locked.write(&[2; 1]);
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free_host(locked.pointer));
    }
);

pair!(
    page_locked_destination_written,
    |rig| {
        let (dev, locked, stream) = (rig.alloc(64), rig.locked(64), rig.stream(1));
        ok!(rig, memset_d8_async(dev, 1, 64, stream));
        ok!(rig, memcpy_dtoh_async(locked.pointer, dev, 64, stream));
        locked.write(&[2; 1]);
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free_host(locked.pointer));
    },
    |rig| {
        let (dev, locked, stream) = (rig.alloc(64), rig.locked(64), rig.stream(1));
        ok!(rig, memset_d8_async(dev, 1, 64, stream));
        ok!(rig, memcpy_dtoh_async(locked.pointer, dev, 64, stream));
        ok!(rig, stream_synchronize(stream));
        locked.write(&[2; 1]);
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free_host(locked.pointer));
    }
);

pair!(
    page_locked_freed,
    |rig| {
        let (dev, locked, stream) = (rig.alloc(64), rig.locked(64), rig.stream(1));
        ok!(rig, memcpy_htod_async(dev, locked.pointer, 64, stream));
        ok!(rig, mem_free_host(locked.pointer));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, locked, stream) = (rig.alloc(64), rig.locked(64), rig.stream(1));
        ok!(rig, memcpy_htod_async(dev, locked.pointer, 64, stream));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free_host(locked.pointer));
        ok!(rig, mem_free(dev));
    }
);

pair!(
    pageable_source_changed,
    |rig| {
        let (dev, stream, mut own) = (rig.alloc(64), rig.stream(1), vec![1_u8; 64]);
        ok!(rig, memcpy_htod_async(dev, own.as_ptr().cast(), 64, stream));
        own[63] = 2;
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, stream, mut own) = (rig.alloc(64), rig.stream(1), vec![1_u8; 64]);
        ok!(rig, memcpy_htod_async(dev, own.as_ptr().cast(), 64, stream));
        ok!(rig, stream_synchronize(stream));
        own[63] = 2;
        ok!(rig, mem_free(dev));
    }
);

pair!(
    pageable_destination_changed,
    |rig| {
        let (dev, stream, mut own) = (rig.alloc(64), rig.stream(1), vec![1_u8; 64]);
        ok!(rig, memset_d8_async(dev, 1, 64, stream));
        ok!(rig, memcpy_dtoh_async(own.as_mut_ptr().cast(), dev, 64, stream));
        own[63] = 2;
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, stream, mut own) = (rig.alloc(64), rig.stream(1), vec![1_u8; 64]);
        ok!(rig, memset_d8_async(dev, 1, 64, stream));
        ok!(rig, memcpy_dtoh_async(own.as_mut_ptr().cast(), dev, 64, stream));
        ok!(rig, stream_synchronize(stream));
        own[63] = 2;
        ok!(rig, mem_free(dev));
    }
);

pair!(
    managed_source_changed,
    |rig| {
        let (dev, managed, stream) = (rig.alloc(64), rig.managed(64), rig.stream(1));
        let byte = core::ptr::with_exposed_provenance_mut::<u8>(managed as usize);
        ok!(rig, memcpy_dtod_async(dev, managed, 64, stream));
        // SAFETY: managed memory of this program's; the copy in flight is the mistake that is shown.
        unsafe { byte.write_volatile(3) };
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free(managed));
    },
    |rig| {
        let (dev, managed, stream) = (rig.alloc(64), rig.managed(64), rig.stream(1));
        let byte = core::ptr::with_exposed_provenance_mut::<u8>(managed as usize);
        ok!(rig, memcpy_dtod_async(dev, managed, 64, stream));
        ok!(rig, stream_synchronize(stream));
        // SAFETY: managed memory of this program's, and nothing is in flight.
        unsafe { byte.write_volatile(3) };
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free(managed));
    }
);

pair!(
    unregistered_in_flight,
    |rig| {
        let (dev, stream, mut own) = (rig.alloc(64), rig.stream(1), vec![1_u8; 64]);
        ok!(rig, mem_host_register(own.as_mut_ptr().cast(), 64, 0));
        ok!(rig, memcpy_htod_async(dev, own.as_ptr().cast(), 64, stream));
        ok!(rig, mem_host_unregister(own.as_mut_ptr().cast()));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, stream, mut own) = (rig.alloc(64), rig.stream(1), vec![1_u8; 64]);
        ok!(rig, mem_host_register(own.as_mut_ptr().cast(), 64, 0));
        ok!(rig, memcpy_htod_async(dev, own.as_ptr().cast(), 64, stream));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_host_unregister(own.as_mut_ptr().cast()));
        ok!(rig, mem_free(dev));
    }
);

pair!(
    registered_memory_taken_away,
    |rig| {
        let (dev, stream, own) = (rig.alloc(64), rig.stream(1), crate::driver::sim::tests::rig::Pages::new());
        ok!(rig, memset_d8_async(dev, 1, 64, stream));
        ok!(rig, mem_host_register(own.pointer(), 64, 0));
        ok!(rig, memcpy_dtoh_async(own.pointer(), dev, 64, stream));
        let address = own.pointer();
        drop(own);
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_host_unregister(address));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, stream, own) = (rig.alloc(64), rig.stream(1), crate::driver::sim::tests::rig::Pages::new());
        ok!(rig, memset_d8_async(dev, 1, 64, stream));
        ok!(rig, mem_host_register(own.pointer(), 64, 0));
        ok!(rig, memcpy_dtoh_async(own.pointer(), dev, 64, stream));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_host_unregister(own.pointer()));
        ok!(rig, mem_free(dev));
    }
);

pair!(
    attached_to_another_stream,
    |rig| {
        let (managed, stream, other) = (rig.managed(64), rig.stream(1), rig.stream(1));
        ok!(rig, stream_attach_memory(stream, managed, 0, 4));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, memset_d8_async(managed, 1, 64, other));
        ok!(rig, stream_synchronize(other));
        ok!(rig, mem_free(managed));
    },
    |rig| {
        let (managed, stream, other) = (rig.managed(64), rig.stream(1), rig.stream(1));
        ok!(rig, stream_attach_memory(stream, managed, 0, 4));
        ok!(rig, memset_d8_async(managed, 1, 64, stream));
        ok!(rig, stream_attach_memory(stream, managed, 64, 1));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, memset_d8_async(managed, 1, 64, other));
        ok!(rig, stream_attach_memory(other, managed, 0, 4));
        ok!(rig, stream_synchronize(other));
        // What was a stream's alone is everyone's again when that is gone.
        ok!(rig, stream_destroy(other));
        ok!(rig, memset_d8_async(managed, 1, 64, stream));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(managed));
    }
);

pair!(
    attached_while_a_stream_uses_it,
    |rig| {
        let (managed, stream, other) = (rig.managed(64), rig.stream(1), rig.stream(1));
        ok!(rig, memset_d8_async(managed, 1, 64, other));
        ok!(rig, stream_attach_memory(stream, managed, 0, 4));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, stream_synchronize(other));
        ok!(rig, mem_free(managed));
    },
    |rig| {
        let (managed, stream, other, event) = (rig.managed(64), rig.stream(1), rig.stream(1), rig.event());
        ok!(rig, memset_d8_async(managed, 1, 64, other));
        ok!(rig, event_record(event, other));
        ok!(rig, stream_wait_event(stream, event, 0));
        ok!(rig, stream_attach_memory(stream, managed, 0, 4));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(managed));
    }
);
