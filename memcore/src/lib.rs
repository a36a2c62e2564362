//! Typed CUDA memory: [`#[derive(DeviceCopy)]`](macro@DeviceCopy) proves at compile time that a struct is plain device
//! data, buffers own device, unified and page-locked memory, and [`copy!`] and [`fill!`] are single typed driver calls
//! and their waits. One source runs on a GPU through `libcuda.so.1`, or with no GPU on the built-in simulated device.
//!
//! ```
//! use memcore::prelude::*;
//!
//! #[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
//! #[repr(C)]
//! struct Particle {
//!     position: [f32; 3],
//!     mass: f32,
//! }
//!
//! let particles = vec![Particle { position: [0.0; 3], mass: 1.0 }; 1000];
//! let mut dev = DeviceBuffer::from_slice(&particles)?;
//! fill!(dev[..10] <- Particle { position: [1.0; 3], mass: 2.0 })?;
//! let mut back = particles.clone();
//! copy!(back <- dev)?;
//! assert_eq!(back[9].mass, 2.0);
//! assert_eq!(back[10..], particles[10..]);
//! # Ok::<(), memcore::Error>(())
//! ```
//!
//! # Which driver
//!
//! The environment variable `MEMCORE_DRIVER` says: `cuda` (as when unset), `sim`, or `auto`, which takes the simulated
//! device where there is no GPU: that is logged (`log`, at level INFO), and [`Device::is_simulated`] tells. Without a
//! driver `cuda` is an error that names the files that were tried. In code, [`sim::Sim`] makes simulated devices of its
//! own.
//!
//! # What to read next
//!
//! - Scopes: [`Stream::scope`] queues copies and fills and waits once, at its end. [`Scope::lend`] is for memory that
//!   several operations use, [`Scope::device_vec`] for temporaries, [`Scope::take_over`] for a second stream, [`scope()`]
//!   for many.
//! - Rows and slices: [`PitchedBuffer`], [`View`] of any memory, and windows of them in [`copy!`] and [`fill!`]. CUDA arrays:
//!   [`ArrayObject`].
//! - Unified memory: [`UnifiedBuffer`]; prefetch and advice by [`MemoryAdvise`](memory::MemoryAdvise).
//! - From iterators: [`DeviceBuffer::try_from_iter`].
//! - Host memory that exists already, page-locked: [`RegisteredBuffer`], [`Context::with_registered`], [`Scope::register`].
//! - Pools: [`MemoryPool`], and in the order of a stream [`DeviceBuffer::drop_on`]. Several devices:
//!   [`Context::enable_peer_access`].
//! - What an address is: [`Context::pointer_attributes`]; what is allocated: [`Context::allocation_statistics`]; what is kept of
//!   page-locked memory: [`Context::locked_statistics`], [`Context::keep_locked_memory`].
//! - Transfers: [`Stream::upload`] and [`Stream::download`] own their buffers while a copy is in flight, and give them back.
//! - Async: a [`Transfer`] is a future, of any executor.
//! - Host functions: [`Stream::launch_host_function`] has a function called when the stream gets there.
//! - Kernels of other libraries: [`Scope::as_raw`] and [`Lent::as_device_ptr`].
//! - Tests without a GPU: [`sim`], which finds leaks, and fails calls on demand.
//! - What may be device data, and what to write where something may not: [`trait@DeviceCopy`].
//!
//! In the repository, `README.md` has the tour, `docs/async.md` says what the guarantees of asynchronous copies rest on,
//! `docs/calls.md` what each form calls, `docs/environment.md` has every variable, and `docs/migration.md` is for programs
//! that use cust or cudarc.

#![warn(clippy::pedantic)]
#![allow(
    clippy::module_name_repetitions,
    clippy::cast_possible_truncation,
    clippy::missing_fields_in_debug,
    clippy::similar_names,
    clippy::single_match_else,
    reason = "modules are private, their types are not; sizes and addresses have 64 bits, asserted in `memory/pointer.rs`; \
              handles mean nothing to a reader; the rest is taste"
)]

#[doc(hidden)]
pub mod __private;
#[cfg(not(target_os = "linux"))]
compile_error!("memcore runs on Linux (and WSL) alone");

mod context;
mod copy;
mod crew;
mod device;
mod driver;
mod error;
mod event;
pub mod layout;
mod macros;
pub mod memory;
mod pages;
pub mod prelude;
mod scope;
mod spin;
mod stream;
mod transfer;

pub use bytemuck;

pub use context::{
    Access, AllocateIn, AllocationStatistics, AllocatorKind, Context, Entered, LockedStatistics, MemoryPool,
    PoolOptions, PoolReuse, PoolStatistics, Staging,
};
pub use device::{Device, DeviceAttribute};
pub use error::{Error, Result, Status, ViewError};
pub use event::Event;
pub use layout::DeviceLayout;
/// Makes a function a `#[test]` with a device of its own, which fails where the device finds a mistake.
///
/// ```
/// use memcore::prelude::*;
///
/// #[memcore::test]
/// fn a_buffer_keeps_its_values() -> Result<(), memcore::Error> {
///     let dev = device_vec![2.0f32; 100]?;
///     assert_eq!(dev.to_vec()?, [2.0; 100]);
///     Ok(())
/// }
///
/// #[memcore::test(devices = 2, order = "all")]
/// fn a_copy_goes_to_the_other_device(context: &Context) -> Result<(), memcore::Error> {
///     let other = Context::new(&Device::new(1)?)?;
///     let source = device_vec![in context; 1u8, 2, 3]?;
///     let mut destination = device_vec![in &other; 0u8; 3]?;
///     copy!(destination <- source)?;
///     assert_eq!(destination.to_vec()?, [1, 2, 3]);
///     Ok(())
/// }
/// ```
///
pub use memcore_derive::test;
pub use memcore_derive::{DeviceCopy, DeviceLayout};
pub use memory::array::{ArrayFlags, ArrayObject, ArrayShape};
pub use memory::{
    AsView, AttachFlag, Chunks, ChunksExact, ChunksExactMut, ChunksMut, DeviceBox, DeviceBuffer, DeviceCopy,
    DeviceIndex, DevicePointer, DeviceSlice, DeviceVariable, LockedBox, LockedBuffer, LockedFlags, MemoryKind,
    MemoryLocation, PitchedBuffer, PointerAttributes, RegisterFlags, RegisteredBuffer, Registration, UnifiedBox,
    UnifiedBuffer, UnifiedPointer, View, View2d, View3d, ViewMemory, ViewMemoryMut,
};
pub use scope::{
    HostSlice, Lend, LendMut, LendView, Lent, LentChunks, LentChunksMut, LentMemory, Scope, Scopes, scope,
};
pub use stream::Stream;
pub use transfer::{Started, Transfer, TransferDestination, TransferError, TransferSource, Transferred};

pub use driver::sim;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;
