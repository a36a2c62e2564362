//! What the program does to its own memory is checked as where nothing is staged: the same reports, at the same lines.

use std::slice;

use memcore::memory::{cuda_free_locked, cuda_malloc_locked};
use memcore::prelude::*;
use memcore::sim::{Order, Sim, SimOptions, ViolationKind};
use memcore::{RegisterFlags, Registration};

use crate::{LARGE, ORDERS, SMALL, STAGING, Staging, pattern};

/// All staged, but for uploads of 200,000 bytes: those the driver makes as fast.
const SIZES: [usize; 5] = [1, SMALL, 20_000, 200_000, LARGE];

/// Runs a program without staging and with it. It gives the line of its mistake, if it makes one.
///
/// Both are told of this kind, once, and in the same words; or of nothing.
#[track_caller]
fn both_ways(options: &SimOptions, kind: Option<ViolationKind>, program: impl Fn(&Context, &Stream) -> u32) {
    let tell = |staging| {
        let sim = Sim::new(options.clone());
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        context.set_staging(staging).unwrap();
        let line = {
            let _entered = context.enter();
            let stream = Stream::new().unwrap();
            let line = program(&context, &stream);
            stream.synchronize().unwrap();
            line
        };
        assert_eq!(context.take_drop_errors(), []);
        drop(context);
        let found = sim.finish();
        for one in &found {
            assert_eq!((Some(one.kind()), one.place()), (kind, (file!(), line)), "{options:?}, {staging:?}: {one}");
        }
        assert_eq!(found.len(), usize::from(kind.is_some()), "{options:?}, {staging:?}");
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(tell(STAGING), tell(Staging::off()));
}

fn everywhere() -> impl Iterator<Item = SimOptions> {
    let orders = ORDERS[..3].iter().map(|order| SimOptions::default().order(*order));
    orders.flat_map(|options| [options.clone(), options.late_pageable()])
}

/// Which of two copies uses the memory of the host in which way; the first is asynchronous.
#[derive(Clone, Copy, Debug)]
enum First {
    Reads,
    Writes,
}

/// A copy to or from `host`, and one of the same bytes before the stream was waited for, or after.
fn two_copies(len: usize, first: First, second_writes: bool, waits: bool, stream: &Stream) -> u32 {
    let mut one = device_vec![1_u8; len].unwrap();
    let mut other = device_vec![2_u8; len].unwrap();
    let mut host = pattern(len, 1);
    let before = host.clone();
    match first {
        // SAFETY: unsound on purpose, where nothing waits.
        First::Reads => unsafe { copy!(one <- host, async stream) }.unwrap(),
        // SAFETY: as above.
        First::Writes => unsafe { copy!(host <- one, async stream) }.unwrap(),
    }
    if waits {
        stream.synchronize().unwrap();
        let read = if matches!(first, First::Reads) { before } else { vec![1; len] };
        assert!(host == read);
    }
    let line = if second_writes {
        copy!(host <- other).unwrap();
        line!() - 1
    } else {
        copy!(other <- host).unwrap();
        line!() - 1
    };
    stream.synchronize().unwrap();
    line
}

#[test]
fn copies_that_race_with_an_asynchronous_one() {
    for options in everywhere() {
        for len in SIZES {
            for (first, second_writes, kind) in [
                (First::Writes, false, ViolationKind::ReadAfterWrite),
                (First::Reads, true, ViolationKind::WriteAfterRead),
                (First::Writes, true, ViolationKind::WriteAfterWrite),
            ] {
                for (waits, kind) in [(false, Some(kind)), (true, None)] {
                    both_ways(&options, kind, |_, stream| two_copies(len, first, second_writes, waits, stream));
                }
            }
            // Two that read do not race.
            both_ways(&options, None, |_, stream| two_copies(len, First::Reads, false, false, stream));
        }
    }
}

/// An event that was waited for orders as well, and so does the stream of both.
#[test]
fn copies_that_are_ordered_otherwise() {
    for options in everywhere() {
        for len in [SMALL, LARGE] {
            for by_event in [true, false] {
                both_ways(&options, None, |_, stream| {
                    let (dev, mut other) = (device_vec![1_u8; len].unwrap(), device_vec![2_u8; len].unwrap());
                    let mut host = vec![0; len];
                    // SAFETY: what follows comes behind it.
                    unsafe { copy!(host <- dev, async stream) }.unwrap();
                    if by_event {
                        let event = Event::new().unwrap();
                        stream.record(&event).unwrap();
                        event.synchronize().unwrap();
                        copy!(other <- host).unwrap();
                    } else {
                        copy!(other <- host, stream).unwrap();
                        copy!(host <- other, stream).unwrap();
                    }
                    assert!(other.to_vec().unwrap() == vec![1; len]);
                    line!()
                });
            }
        }
    }
}

/// Without checks of order nothing is said.
#[test]
fn races_that_are_not_looked_for() {
    let options = SimOptions::default().order(Order::Eager).without_race_checks();
    both_ways(&options, None, |_, stream| two_copies(SMALL, First::Writes, false, false, stream));
}

/// A mistake that is made again and again is told once; and what comes after is staged.
#[test]
fn a_race_is_told_once_and_staging_goes_on() {
    let sim = Sim::new(SimOptions::default());
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    context.set_staging(STAGING).unwrap();
    let entered = context.enter();
    let (stream, dev) = (Stream::new().unwrap(), device_vec![1_u8; LARGE].unwrap());
    let (mut host, mut other) = (vec![0; LARGE], device_vec![2_u8; LARGE].unwrap());
    // SAFETY: unsound on purpose.
    unsafe { copy!(host <- dev, async stream) }.unwrap();
    copy!(other <- host).unwrap();
    assert_eq!((sim.violations().len(), context.staging_bytes()), (1, 0), "the driver has copied");
    copy!(other <- host).unwrap();
    assert_eq!(sim.violations().len(), 1);
    assert!(context.staging_bytes() > 0);
    drop((other, dev, stream, entered));
    drop(context);
    assert_eq!(sim.finish().len(), 1);
}

/// Columns that an asynchronous copy leaves alone, and one that it does not.
#[test]
fn windows_race_by_their_rows() {
    const WIDTH: usize = 300;

    for rows in [3, 9000] {
        for options in everywhere().take(2) {
            for (columns, kinds) in [
                (200..WIDTH, [None, None]),
                (199..WIDTH, [Some(ViolationKind::ReadAfterWrite), Some(ViolationKind::WriteAfterWrite)]),
            ] {
                for (second_writes, kind) in [false, true].into_iter().zip(kinds) {
                    both_ways(&options, kind, |_, stream| {
                        let columns = columns.clone();
                        let mut dev = device_vec![1_u8; WIDTH * rows].unwrap();
                        let mut host = vec![0; WIDTH * rows];
                        // SAFETY: unsound on purpose, where the columns are not others.
                        unsafe {
                            copy!(
                                host.as_2d_mut(WIDTH).unwrap()[.., ..200] <- dev.as_2d(WIDTH).unwrap()[.., ..200],
                                async stream
                            )
                        }
                        .unwrap();
                        let (mut host, mut dev) = (host.as_2d_mut(WIDTH).unwrap(), dev.as_2d_mut(WIDTH).unwrap());
                        let line = if second_writes {
                            copy!(host[.., columns.clone()] <- dev[.., columns]).unwrap();
                            line!() - 1
                        } else {
                            copy!(dev[.., columns.clone()] <- host[.., columns]).unwrap();
                            line!() - 1
                        };
                        stream.synchronize().unwrap();
                        line
                    });
                }
            }
        }
    }
}

/// Copies between a device and `bytes` at an address; a slice of them is no more than the address.
fn copy_at(address: usize, bytes: usize, second_writes: bool) -> (memcore::Result<()>, u32) {
    let mut dev = device_vec![1_u8; bytes].unwrap();
    let start = std::ptr::with_exposed_provenance_mut(address);
    if second_writes {
        // SAFETY: unsound on purpose: the memory is not the program's.
        let host: &mut [u8] = unsafe { slice::from_raw_parts_mut(start, bytes) };
        (copy!(host <- dev), line!())
    } else {
        // SAFETY: as above.
        let host: &[u8] = unsafe { slice::from_raw_parts(start.cast_const(), bytes) };
        (copy!(dev <- host), line!())
    }
}

/// Freed memory is closed: to touch it would be the end of the process.
#[test]
fn page_locked_memory_that_is_freed() {
    for options in everywhere() {
        for len in SIZES {
            for writes in [false, true] {
                both_ways(&options, Some(ViolationKind::UseAfterFree), |_, _| {
                    let freed = locked_vec![1_u8; len].unwrap();
                    let address = freed.as_ptr().expose_provenance();
                    drop(freed);
                    let (copied, line) = copy_at(address, len, writes);
                    assert_eq!(copied.unwrap_err().status(), Some(memcore::Status::INVALID_VALUE));
                    line
                });
            }
        }
    }
}

#[test]
fn page_locked_memory_that_is_copied_beyond_its_end() {
    for options in everywhere() {
        for (more, kind) in [(1, Some(ViolationKind::OutOfBounds)), (0, None)] {
            for writes in [false, true] {
                both_ways(&options, kind, |_, _| {
                    // SAFETY: it is freed below, once.
                    let raw = unsafe { cuda_malloc_locked::<u8>(SMALL) }.unwrap();
                    // SAFETY: so many bytes.
                    unsafe { raw.write_bytes(3, SMALL) };
                    let (copied, line) = copy_at(raw.expose_provenance(), SMALL + more, writes);
                    assert_eq!(copied.is_err(), kind.is_some());
                    // SAFETY: nothing uses it any more.
                    unsafe { cuda_free_locked(raw) }.unwrap();
                    line
                });
            }
        }
    }
}

/// Slices of page-locked memory of others' making are staged, and their races found with the memory that they are of.
#[test]
fn races_in_page_locked_memory_of_others() {
    for options in everywhere() {
        for (waits, kind) in [(false, Some(ViolationKind::ReadAfterWrite)), (true, None)] {
            both_ways(&options, kind, |_, stream| {
                // SAFETY: it is freed below, once.
                let raw = unsafe { cuda_malloc_locked::<u8>(SMALL) }.unwrap();
                let dev = device_vec![1_u8; SMALL].unwrap();
                // SAFETY: so many bytes, which the simulated device has filled.
                let host = unsafe { slice::from_raw_parts_mut(raw, SMALL) };
                // SAFETY: unsound on purpose, where nothing waits.
                unsafe { copy!(host <- dev, async stream) }.unwrap();
                if waits {
                    stream.synchronize().unwrap();
                }
                let (_, line) = copy_at(raw.expose_provenance(), SMALL, false);
                stream.synchronize().unwrap();
                // SAFETY: nothing uses it any more.
                unsafe { cuda_free_locked(raw) }.unwrap();
                line
            });
        }
    }
}

/// Downloads on the program's stream go through other memory also where the destination is known to be page-locked.
#[test]
fn page_locked_destinations_on_a_stream() {
    for options in everywhere() {
        for (waits, kind) in [(false, Some(ViolationKind::WriteAfterRead)), (true, None)] {
            both_ways(&options, kind, |_, stream| {
                let (mut one, other) = (device_vec![1_u8; SMALL].unwrap(), device_vec![2_u8; SMALL].unwrap());
                let mut host = locked_vec![3_u8; SMALL].unwrap();
                let second = Stream::new().unwrap();
                // SAFETY: unsound on purpose, where nothing waits.
                unsafe { copy!(one <- host, async stream) }.unwrap();
                if waits {
                    stream.synchronize().unwrap();
                }
                copy!(host <- other, second).unwrap();
                let line = line!() - 1;
                stream.synchronize().unwrap();
                line
            });
        }
    }
}

/// Pages of the system's.
struct Pages(*mut libc::c_void);

impl Pages {
    const BYTES: usize = 4096;

    fn new() -> Self {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: it maps new pages.
        let pages = unsafe { libc::mmap(std::ptr::null_mut(), Self::BYTES, protection, flags, -1, 0) };
        assert_ne!(pages, libc::MAP_FAILED);
        Self(pages)
    }

    fn close(&self) {
        // SAFETY: unsound on purpose: they are registered.
        assert_eq!(unsafe { libc::mprotect(self.0, Self::BYTES, libc::PROT_NONE) }, 0);
    }

    fn open(&self) {
        // SAFETY: pages of this value's.
        assert_eq!(unsafe { libc::mprotect(self.0, Self::BYTES, libc::PROT_READ | libc::PROT_WRITE) }, 0);
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: pages of this value's.
        unsafe { libc::munmap(self.0, Self::BYTES) };
    }
}

/// What a download on the program's stream writes last, memcore's own thread does.
#[test]
fn registered_memory_that_is_taken_away() {
    for options in everywhere() {
        for (closes, kind) in [(true, Some(ViolationKind::HostInFlight)), (false, None)] {
            both_ways(&options, kind, |context, stream| {
                let (pages, dev) = (Pages::new(), device_vec![1_u8; SMALL].unwrap());
                let start = pages.0.cast::<u8>();
                // SAFETY: the memory outlives the registration, but for what is tested.
                let registration = unsafe { Registration::new(context, RegisterFlags::PORTABLE, start, SMALL) };
                // SAFETY: pages of so many bytes at least; unsound on purpose, where they are closed.
                let host = unsafe { slice::from_raw_parts_mut(start, SMALL) };
                if closes {
                    pages.close();
                }
                copy!(host <- dev, stream).unwrap();
                let line = line!() - 1;
                pages.open();
                registration.unwrap().unregister().unwrap();
                line
            });
        }
    }
}
