//! The same mistakes in one row of an operation on many; what lies between the rows is not part of it.

use super::memory::pair;
use super::mistakes;

mistakes! {
    row_past_the_end: OutOfBounds,
    columns_that_overlap: WriteAfterWrite,
    unwritten_between_rows: UninitRead,
    unwritten_row_carried_along: UninitRead,
    page_locked_row_changed: HostInFlight,
    page_locked_row_written: HostInFlight,
    pageable_row_changed: HostInFlight,
    pageable_row_written: HostInFlight,
}

pair!(
    row_past_the_end,
    |rig| {
        // Of 4 rows the last one begins in the allocation and does not end there.
        let (dev, own) = (rig.alloc(250), vec![1_u8; 256]);
        let copy = copy_2d(Part::device(dev, 64).at([48, 0, 0]), Part::bytes(&own, 64), [16, 4]);
        let _ = call!(rig, memcpy_2d(&copy));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, own) = (rig.alloc(250), vec![1_u8; 256]);
        let copy = copy_2d(Part::device(dev, 64).at([42, 0, 0]), Part::bytes(&own, 64), [16, 4]);
        ok!(rig, memcpy_2d(&copy));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
    }
);

pair!(
    columns_that_overlap,
    |rig| {
        let (dev, first, second) = (rig.alloc(256), rig.stream(1), rig.stream(1));
        ok!(rig, memset_d2d8_async(dev, 64, 1, 33, 4, first));
        ok!(rig, memset_d2d8_async(dev + 32, 64, 2, 32, 4, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, first, second) = (rig.alloc(256), rig.stream(1), rig.stream(1));
        ok!(rig, memset_d2d8_async(dev, 64, 1, 32, 4, first));
        ok!(rig, memset_d2d8_async(dev + 32, 64, 2, 32, 4, second));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
    }
);

pair!(
    unwritten_between_rows,
    |rig| {
        let (dev, mut back) = (rig.alloc(64), vec![0_u8; 64]);
        ok!(rig, memset_d2d8(dev, 16, 1, 12, 4));
        ok!(rig, memcpy_dtoh(back.as_mut_ptr().cast(), dev, 64));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, mut back) = (rig.alloc(64), vec![0_u8; 64]);
        ok!(rig, memset_d2d8(dev, 16, 1, 12, 4));
        let copy = copy_2d(Part::host(back.as_mut_ptr().cast(), 16), Part::device(dev, 16), [12, 4]);
        ok!(rig, memcpy_2d(&copy));
        ok!(rig, mem_free(dev));
    }
);

pair!(
    unwritten_row_carried_along,
    |rig| {
        // The last column of the copy was never written, in any row.
        let (from, to, mut back) = (rig.alloc(64), rig.alloc(128), vec![0_u8; 128]);
        ok!(rig, memset_d2d8(from, 16, 1, 7, 4));
        ok!(rig, memset_d8(to, 1, 128));
        ok!(rig, memcpy_2d(&copy_2d(Part::device(to, 32).at([8, 0, 0]), Part::device(from, 16), [8, 4])));
        ok!(rig, memcpy_dtoh(back.as_mut_ptr().cast(), to, 128));
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    },
    |rig| {
        let (from, to, mut back) = (rig.alloc(64), rig.alloc(128), vec![0_u8; 128]);
        ok!(rig, memset_d2d8(from, 16, 1, 8, 4));
        ok!(rig, memset_d8(to, 1, 128));
        ok!(rig, memcpy_2d(&copy_2d(Part::device(to, 32).at([8, 0, 0]), Part::device(from, 16), [8, 4])));
        ok!(rig, memcpy_dtoh(back.as_mut_ptr().cast(), to, 128));
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    }
);

pair!(
    page_locked_row_changed,
    |rig| {
        let (dev, locked, stream) = (rig.alloc(64), rig.locked(64), rig.stream(1));
        locked.write(&[1; 64]);
        let copy = copy_2d(Part::device(dev, 16), Part::host(locked.pointer, 16), [8, 4]);
        ok!(rig, memcpy_2d_async(&copy, stream));
        locked.write(&[[1; 16], [2; 16]].concat());
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free_host(locked.pointer));
    },
    |rig| {
        let (dev, locked, stream) = (rig.alloc(64), rig.locked(64), rig.stream(1));
        locked.write(&[1; 64]);
        let copy = copy_2d(Part::device(dev, 16), Part::host(locked.pointer, 16), [8, 4]);
        ok!(rig, memcpy_2d_async(&copy, stream));
        locked.write(&[[1; 8], [2; 8]].concat().repeat(4));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free_host(locked.pointer));
    }
);

pair!(
    page_locked_row_written,
    |rig| {
        let (dev, locked, stream) = (rig.alloc(64), rig.locked(64), rig.stream(1));
        ok!(rig, memset_d8_async(dev, 1, 64, stream));
        let copy = copy_2d(Part::host(locked.pointer, 16).at([8, 0, 0]), Part::device(dev, 16), [8, 4]);
        ok!(rig, memcpy_2d_async(&copy, stream));
        locked.write(&[2; 9]);
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free_host(locked.pointer));
    },
    |rig| {
        let (dev, locked, stream) = (rig.alloc(64), rig.locked(64), rig.stream(1));
        ok!(rig, memset_d8_async(dev, 1, 64, stream));
        let copy = copy_2d(Part::host(locked.pointer, 16).at([8, 0, 0]), Part::device(dev, 16), [8, 4]);
        ok!(rig, memcpy_2d_async(&copy, stream));
        locked.write(&[2; 8]);
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free_host(locked.pointer));
    }
);

pair!(
    pageable_row_changed,
    |rig| {
        let (dev, stream, mut own) = (rig.alloc(64), rig.stream(1), vec![1_u8; 64]);
        ok!(rig, memcpy_2d_async(&copy_2d(Part::device(dev, 16), Part::bytes(&own, 16), [8, 4]), stream));
        own[48] = 2;
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, stream, mut own) = (rig.alloc(64), rig.stream(1), vec![1_u8; 64]);
        ok!(rig, memcpy_2d_async(&copy_2d(Part::device(dev, 16), Part::bytes(&own, 16), [8, 4]), stream));
        own[40] = 2;
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
    }
);

pair!(
    pageable_row_written,
    |rig| {
        let (dev, stream, mut own) = (rig.alloc(64), rig.stream(1), vec![1_u8; 64]);
        ok!(rig, memset_d8_async(dev, 1, 64, stream));
        let copy = copy_2d(Part::host(own.as_mut_ptr().cast(), 16), Part::device(dev, 16), [8, 4]);
        ok!(rig, memcpy_2d_async(&copy, stream));
        own[55] = 2;
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, stream, mut own) = (rig.alloc(64), rig.stream(1), vec![1_u8; 64]);
        ok!(rig, memset_d8_async(dev, 1, 64, stream));
        let copy = copy_2d(Part::host(own.as_mut_ptr().cast(), 16), Part::device(dev, 16), [8, 4]);
        ok!(rig, memcpy_2d_async(&copy, stream));
        own[56] = 2;
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
    }
);
