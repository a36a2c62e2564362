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
//! device where there is no GPU. Nothing falls back silently: without a driver the error names the files that were
//! tried. In code, [`sim::Sim`] makes simulated devices of its own.

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
mod device;
mod driver;
mod error;
mod event;
pub mod layout;
mod macros;
pub mod memory;
pub mod prelude;
mod scope;
mod stream;
mod transfer;

pub use bytemuck;

pub use context::{AllocatorKind, Context, Entered};
pub use device::{Device, DeviceAttribute};
pub use error::{Error, Result, Status, ViewError};
pub use event::Event;
pub use layout::DeviceLayout;
pub use memcore_derive::{DeviceCopy, DeviceLayout};
pub use memory::{
    Chunks, ChunksExact, ChunksExactMut, ChunksMut, DeviceBox, DeviceBuffer, DeviceCopy, DeviceIndex, DevicePointer,
    DeviceSlice, DeviceVariable, LockedBox, LockedBuffer, UnifiedBox, UnifiedBuffer, UnifiedPointer,
};
pub use scope::{HostSlice, Lend, LendMut, Lent, LentChunks, LentChunksMut, LentMemory, Scope, Scopes, scope};
pub use stream::Stream;
pub use transfer::{Started, Transfer, TransferDestination, TransferError, TransferSource, Transferred};

pub use driver::sim;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;
