//! Memory used when it is not there, and freed when it is not there.

use super::mistakes;

mistakes! {
    used_after_free: UseAfterFree,
    page_locked_used_after_free: UseAfterFree,
    freed_before_a_stream_is_done: UseAfterFree,
    freed_on_another_stream: UseAfterFree,
    used_behind_a_queued_free: UseAfterFree,
    freed_twice: DoubleFree,
    freed_twice_in_stream_order: DoubleFree,
    page_locked_freed_twice: DoubleFree,
    unregistered_twice: DoubleFree,
    interior_pointer_freed: InvalidFree,
    foreign_pointer_freed: InvalidFree,
    freed_by_the_wrong_function: InvalidFree,
    freed_after_its_pool: InvalidFree,
    past_the_end: OutOfBounds,
    across_the_end: OutOfBounds,
    source_past_the_end: OutOfBounds,
    copied_onto_itself: Overlap,
    rows_copied_onto_themselves: Overlap,
    never_freed: Leak,
    never_unregistered: Leak,
}

macro_rules! pair {
    ($name:ident, |$bad:ident| $wrong:block, |$good:ident| $right:block) => {
        mod $name {
            #[allow(unused_imports, reason = "not every program uses all")]
            use crate::driver::{
                ffi::CUDA_ARRAY_DESCRIPTOR,
                sim::tests::{
                    parts::{Part, copy_2d},
                    rig::{Rig, call, ok},
                },
            };

            pub(super) fn bad($bad: &Rig) $wrong

            pub(super) fn good($good: &Rig) $right
        }
    };
}
pub(super) use pair;

pair!(
    used_after_free,
    |rig| {
        let dev = rig.alloc(64);
        ok!(rig, mem_free(dev));
        let _ = call!(rig, memset_d8(dev + 8, 0, 4));
    },
    |rig| {
        let dev = rig.alloc(64);
        ok!(rig, memset_d8(dev + 8, 0, 4));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
    }
);

pair!(
    freed_before_a_stream_is_done,
    |rig| {
        let (dev, stream) = (rig.alloc(64), rig.stream(1));
        ok!(rig, memset_d8_async(dev, 0, 64, stream));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, stream) = (rig.alloc(64), rig.stream(1));
        ok!(rig, memset_d8_async(dev, 0, 64, stream));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
    }
);

pair!(
    freed_on_another_stream,
    |rig| {
        let (first, second, mut dev) = (rig.stream(1), rig.stream(1), 0);
        ok!(rig, mem_alloc_async(&mut dev, 64, first));
        ok!(rig, memset_d8_async(dev, 0, 64, first));
        ok!(rig, mem_free_async(dev, second));
    },
    |rig| {
        let (first, second, mut dev) = (rig.stream(1), rig.stream(1), 0);
        ok!(rig, mem_alloc_async(&mut dev, 64, first));
        ok!(rig, memset_d8_async(dev, 0, 64, first));
        let event = rig.event();
        ok!(rig, event_record(event, first));
        ok!(rig, stream_wait_event(second, event, 0));
        ok!(rig, mem_free_async(dev, second));
    }
);

pair!(
    used_behind_a_queued_free,
    |rig| {
        let (stream, mut dev) = (rig.stream(1), 0);
        ok!(rig, mem_alloc_async(&mut dev, 64, stream));
        ok!(rig, mem_free_async(dev, stream));
        let _ = call!(rig, memset_d8_async(dev, 0, 64, stream));
    },
    |rig| {
        let (stream, mut dev) = (rig.stream(1), 0);
        ok!(rig, mem_alloc_async(&mut dev, 64, stream));
        ok!(rig, memset_d8_async(dev, 0, 64, stream));
        ok!(rig, mem_free_async(dev, stream));
    }
);

pair!(
    freed_twice,
    |rig| {
        let dev = rig.alloc(64);
        ok!(rig, mem_free(dev));
        let _ = call!(rig, mem_free(dev));
    },
    |rig| {
        let dev = rig.alloc(64);
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free(0));
    }
);

pair!(
    freed_twice_in_stream_order,
    |rig| {
        let (stream, mut dev) = (rig.stream(1), 0);
        ok!(rig, mem_alloc_async(&mut dev, 64, stream));
        ok!(rig, mem_free_async(dev, stream));
        let _ = call!(rig, mem_free_async(dev, stream));
    },
    |rig| {
        let (stream, mut dev) = (rig.stream(1), 0);
        ok!(rig, mem_alloc_async(&mut dev, 64, stream));
        ok!(rig, mem_free_async(dev, stream));
    }
);

pair!(
    page_locked_freed_twice,
    |rig| {
        let locked = rig.locked(64);
        ok!(rig, mem_free_host(locked.pointer));
        let _ = call!(rig, mem_free_host(locked.pointer));
    },
    |rig| {
        let locked = rig.locked(64);
        ok!(rig, mem_free_host(locked.pointer));
    }
);

pair!(
    unregistered_twice,
    |rig| {
        let mut own = vec![0_u8; 64];
        ok!(rig, mem_host_register(own.as_mut_ptr().cast(), 64, 0));
        ok!(rig, mem_host_unregister(own.as_mut_ptr().cast()));
        let _ = call!(rig, mem_host_unregister(own.as_mut_ptr().cast()));
    },
    |rig| {
        let mut own = vec![0_u8; 64];
        ok!(rig, mem_host_register(own.as_mut_ptr().cast(), 64, 0));
        ok!(rig, mem_host_unregister(own.as_mut_ptr().cast()));
    }
);

pair!(
    interior_pointer_freed,
    |rig| {
        let dev = rig.alloc(64);
        let _ = call!(rig, mem_free(dev + 16));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let dev = rig.alloc(64);
        ok!(rig, mem_free(dev));
    }
);

pair!(
    foreign_pointer_freed,
    |rig| {
        let _ = call!(rig, mem_free(0x1234));
    },
    |rig| {
        ok!(rig, mem_free(rig.alloc(64)));
    }
);

// CUDA's documentation allows it, and a driver (580.159.04) crashed: `scripts/probes/pool_destroy.py`.
pair!(
    freed_after_its_pool,
    |rig| {
        let (pool, stream, mut dev) = (rig.pool(), rig.stream(1), 0);
        ok!(rig, mem_alloc_from_pool(&mut dev, 64, pool, stream));
        ok!(rig, pool_destroy(pool));
        ok!(rig, mem_free_async(dev, stream));
    },
    |rig| {
        let (pool, stream, mut dev) = (rig.pool(), rig.stream(1), 0);
        ok!(rig, mem_alloc_from_pool(&mut dev, 64, pool, stream));
        ok!(rig, mem_free_async(dev, stream));
        ok!(rig, pool_destroy(pool));
    }
);

pair!(
    copied_onto_itself,
    |rig| {
        let dev = rig.alloc(64);
        ok!(rig, memset_d8(dev, 1, 64));
        ok!(rig, memcpy_dtod(dev + 8, dev, 56));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let dev = rig.alloc(64);
        ok!(rig, memset_d8(dev, 1, 64));
        ok!(rig, memcpy_dtod(dev + 32, dev, 32));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
    }
);

pair!(
    rows_copied_onto_themselves,
    |rig| {
        let dev = rig.alloc(64);
        ok!(rig, memset_d8(dev, 1, 64));
        ok!(rig, memcpy_2d(&copy_2d(Part::device(dev, 16).at([4, 0, 0]), Part::device(dev, 16), [8, 4])));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
    },
    |rig| {
        // Beside each other in the same rows.
        let dev = rig.alloc(64);
        ok!(rig, memset_d8(dev, 1, 64));
        ok!(rig, memcpy_2d(&copy_2d(Part::device(dev, 16).at([8, 0, 0]), Part::device(dev, 16), [8, 4])));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
    }
);

pair!(
    freed_by_the_wrong_function,
    |rig| {
        let locked = rig.locked(64);
        let _ = call!(rig, mem_free(locked.pointer.addr() as u64));
        ok!(rig, mem_free_host(locked.pointer));
    },
    |rig| {
        let locked = rig.locked(64);
        ok!(rig, mem_free_host(locked.pointer));
    }
);

pair!(
    past_the_end,
    |rig| {
        let dev = rig.alloc(100);
        let _ = call!(rig, memset_d8(dev + 104, 0, 4));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let dev = rig.alloc(100);
        ok!(rig, memset_d8(dev + 96, 0, 4));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
    }
);

pair!(
    across_the_end,
    |rig| {
        let (dev, stream) = (rig.alloc(100), rig.stream(1));
        let _ = call!(rig, memset_d8_async(dev + 96, 0, 8, stream));
        // What it would have written is not told as unwritten too.
        let mut back = vec![0_u8; 4];
        ok!(rig, memcpy_dtoh(back.as_mut_ptr().cast(), dev + 96, 4));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, stream) = (rig.alloc(100), rig.stream(1));
        ok!(rig, memset_d8_async(dev + 96, 0, 4, stream));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(dev));
    }
);

pair!(
    source_past_the_end,
    |rig| {
        let (from, to, stream) = (rig.alloc(64), rig.alloc(128), rig.stream(1));
        ok!(rig, memset_d8(from, 0, 64));
        ok!(rig, context_synchronize());
        let _ = call!(rig, memcpy_dtod_async(to, from, 128, stream));
        let mut back = vec![0_u8; 128];
        ok!(rig, memcpy_dtoh(back.as_mut_ptr().cast(), to, 128));
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    },
    |rig| {
        let (from, to, stream) = (rig.alloc(64), rig.alloc(128), rig.stream(1));
        ok!(rig, memset_d8(from, 0, 64));
        ok!(rig, context_synchronize());
        ok!(rig, memcpy_dtod_async(to, from, 64, stream));
        ok!(rig, stream_synchronize(stream));
        ok!(rig, mem_free(from));
        ok!(rig, mem_free(to));
    }
);

pair!(
    never_freed,
    |rig| {
        let _ = rig.alloc(64);
    },
    |rig| {
        ok!(rig, mem_free(rig.alloc(64)));
    }
);

pair!(
    never_unregistered,
    |rig| {
        // It lives as long as the program: what is registered must.
        let own = vec![0_u8; 64].leak();
        ok!(rig, mem_host_register(own.as_mut_ptr().cast(), 64, 0));
    },
    |rig| {
        let mut own = vec![0_u8; 64];
        ok!(rig, mem_host_register(own.as_mut_ptr().cast(), 64, 0));
        ok!(rig, mem_host_unregister(own.as_mut_ptr().cast()));
    }
);

pair!(
    page_locked_used_after_free,
    |rig| {
        let (dev, locked) = (rig.alloc(64), rig.locked(64));
        ok!(rig, mem_free_host(locked.pointer));
        let _ = call!(rig, memcpy_htod(dev, locked.pointer.wrapping_byte_add(8), 16));
        ok!(rig, mem_free(dev));
    },
    |rig| {
        let (dev, locked) = (rig.alloc(64), rig.locked(64));
        ok!(rig, memcpy_htod(dev, locked.pointer.wrapping_byte_add(8), 16));
        ok!(rig, mem_free_host(locked.pointer));
        ok!(rig, mem_free(dev));
    }
);
