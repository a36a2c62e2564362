//! The same mistakes with CUDA arrays.

use super::memory::pair;
use super::mistakes;

mistakes! {
    array_part_outside: OutOfBounds,
    array_used_after_destroy: UseAfterFree,
    array_asked_after_destroy: UseAfterFree,
    array_destroyed_before_a_stream_is_done: UseAfterFree,
    array_destroyed_twice: DoubleFree,
    array_freed_as_memory: InvalidFree,
    memory_destroyed_as_array: InvalidFree,
    array_never_destroyed: Leak,
    array_never_written: UninitRead,
    array_written_on_two_streams: WriteAfterWrite,
    array_read_while_it_is_written: ReadAfterWrite,
}

pair!(
    array_part_outside,
    |rig| {
        let (array, own) = (rig.image(16, 4), vec![1_u8; 64]);
        let _ = call!(rig, memcpy_2d(&copy_2d(Part::array(array).at([0, 1, 0]), Part::bytes(&own, 16), [16, 4])));
        ok!(rig, array_destroy(array));
    },
    |rig| {
        let (array, own) = (rig.image(16, 4), vec![1_u8; 64]);
        ok!(rig, memcpy_2d(&copy_2d(Part::array(array).at([0, 1, 0]), Part::bytes(&own, 16), [16, 3])));
        ok!(rig, context_synchronize());
        ok!(rig, array_destroy(array));
    }
);

pair!(
    array_used_after_destroy,
    |rig| {
        let (array, own, stream) = (rig.image(16, 4), vec![1_u8; 64], rig.stream(1));
        ok!(rig, array_destroy(array));
        let _ = call!(rig, memcpy_2d_async(&copy_2d(Part::array(array), Part::bytes(&own, 16), [16, 4]), stream));
    },
    |rig| {
        let (array, own, stream) = (rig.image(16, 4), vec![1_u8; 64], rig.stream(1));
        ok!(rig, memcpy_2d_async(&copy_2d(Part::array(array), Part::bytes(&own, 16), [16, 4]), stream));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, array_destroy(array));
    }
);

pair!(
    array_asked_after_destroy,
    |rig| {
        let array = rig.image(16, 4);
        ok!(rig, array_destroy(array));
        let _ = call!(rig, array_descriptor(&mut CUDA_ARRAY_DESCRIPTOR::default(), array));
    },
    |rig| {
        let array = rig.image(16, 4);
        ok!(rig, array_descriptor(&mut CUDA_ARRAY_DESCRIPTOR::default(), array));
        ok!(rig, array_destroy(array));
    }
);

pair!(
    array_destroyed_before_a_stream_is_done,
    |rig| {
        let (first, second, stream) = (rig.written_image(16, 4), rig.image(16, 4), rig.stream(1));
        ok!(rig, memcpy_2d_async(&copy_2d(Part::array(second), Part::array(first), [16, 4]), stream));
        ok!(rig, array_destroy(first));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, array_destroy(second));
    },
    |rig| {
        let (first, second, stream) = (rig.written_image(16, 4), rig.image(16, 4), rig.stream(1));
        ok!(rig, memcpy_2d_async(&copy_2d(Part::array(second), Part::array(first), [16, 4]), stream));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, array_destroy(first));
        ok!(rig, array_destroy(second));
    }
);

pair!(
    array_destroyed_twice,
    |rig| {
        let array = rig.image(16, 4);
        ok!(rig, array_destroy(array));
        let _ = call!(rig, array_destroy(array));
    },
    |rig| {
        let (array, other) = (rig.image(16, 4), rig.image(16, 4));
        ok!(rig, array_destroy(array));
        ok!(rig, array_destroy(other));
    }
);

pair!(
    array_freed_as_memory,
    |rig| {
        let array = rig.image(16, 4);
        let _ = call!(rig, mem_free(array.addr() as u64));
        ok!(rig, array_destroy(array));
    },
    |rig| {
        let (array, dev) = (rig.image(16, 4), rig.alloc(64));
        ok!(rig, mem_free(dev));
        ok!(rig, array_destroy(array));
    }
);

pair!(
    memory_destroyed_as_array,
    |rig| {
        let dev = rig.alloc(64);
        let _ = call!(rig, array_destroy(core::ptr::without_provenance_mut(dev as usize)));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (array, dev) = (rig.image(16, 4), rig.alloc(64));
        ok!(rig, array_destroy(array));
        ok!(rig, mem_free(dev));
    }
);

pair!(
    array_never_destroyed,
    |rig| {
        rig.image(16, 4);
    },
    |rig| {
        let array = rig.image(16, 4);
        ok!(rig, array_destroy(array));
    }
);

pair!(
    array_never_written,
    |rig| {
        let (array, mut back) = (rig.image(16, 4), vec![0_u8; 64]);
        let own = Part::host(back.as_mut_ptr().cast(), 16);
        ok!(rig, memcpy_2d(&copy_2d(Part::array(array), Part::bytes(&[1; 64], 16), [16, 3])));
        ok!(rig, memcpy_2d(&copy_2d(own, Part::array(array), [16, 4])));
        ok!(rig, array_destroy(array));
    },
    |rig| {
        let (array, mut back) = (rig.image(16, 4), vec![0_u8; 64]);
        let own = Part::host(back.as_mut_ptr().cast(), 16);
        ok!(rig, memcpy_2d(&copy_2d(Part::array(array), Part::bytes(&[1; 64], 16), [16, 3])));
        ok!(rig, memcpy_2d(&copy_2d(own, Part::array(array), [16, 3])));
        ok!(rig, array_destroy(array));
    }
);

pair!(
    array_written_on_two_streams,
    |rig| {
        let (array, source, first, second) = (rig.image(16, 4), rig.written_image(16, 4), rig.stream(1), rig.stream(1));
        // The last row of the one is the first of the other.
        ok!(rig, memcpy_2d_async(&copy_2d(Part::array(array), Part::array(source), [16, 2]), first));
        let copy = copy_2d(Part::array(array).at([0, 1, 0]), Part::array(source), [16, 2]);
        ok!(rig, memcpy_2d_async(&copy, second));
        ok!(rig, context_synchronize());
        ok!(rig, array_destroy(array));
        ok!(rig, array_destroy(source));
    },
    |rig| {
        let (array, source, first, second) = (rig.image(16, 4), rig.written_image(16, 4), rig.stream(1), rig.stream(1));
        ok!(rig, memcpy_2d_async(&copy_2d(Part::array(array), Part::array(source), [16, 2]), first));
        let copy = copy_2d(Part::array(array).at([0, 2, 0]), Part::array(source), [16, 2]);
        ok!(rig, memcpy_2d_async(&copy, second));
        ok!(rig, context_synchronize());
        ok!(rig, array_destroy(array));
        ok!(rig, array_destroy(source));
    }
);

pair!(
    array_read_while_it_is_written,
    |rig| {
        let (array, dev, first, second) = (rig.written_image(16, 4), rig.alloc(64), rig.stream(1), rig.stream(1));
        ok!(rig, memset_d8(dev, 1, 64));
        ok!(rig, context_synchronize());
        ok!(rig, memcpy_2d_async(&copy_2d(Part::array(array), Part::device(dev, 16), [16, 2]), first));
        ok!(rig, memcpy_2d_async(&copy_2d(Part::device(dev + 32, 16), Part::array(array), [16, 2]), second));
        ok!(rig, context_synchronize());
        ok!(rig, array_destroy(array));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (array, dev, first, second) = (rig.written_image(16, 4), rig.alloc(64), rig.stream(1), rig.stream(1));
        ok!(rig, memset_d8(dev, 1, 64));
        ok!(rig, context_synchronize());
        ok!(rig, memcpy_2d_async(&copy_2d(Part::array(array), Part::device(dev, 16), [16, 2]), first));
        let event = rig.event();
        ok!(rig, event_record(event, first));
        ok!(rig, stream_wait_event(second, event, 0));
        ok!(rig, memcpy_2d_async(&copy_2d(Part::device(dev + 32, 16), Part::array(array), [16, 2]), second));
        ok!(rig, context_synchronize());
        ok!(rig, array_destroy(array));
        ok!(rig, mem_free(dev));
    }
);
