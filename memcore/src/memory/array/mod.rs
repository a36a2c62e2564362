//! CUDA arrays: device memory that textures are sampled from and surfaces read and written, in a layout of the driver's own.
//!
//! An [`ArrayObject`] is made with an [`ArrayShape`], holds [`ArrayElement`]s, and has no address: what moves data is a copy
//! of all or of a part.
//!
//! ```
//! use memcore::memory::array::{ArrayFlags, ArrayFormat, ArrayShape};
//! use memcore::prelude::*;
//!
//! let shape = ArrayShape::new_2d([480, 640]).with_flags(ArrayFlags::SURFACE_LOAD_STORE);
//! let image = ArrayObject::<[u8; 4]>::zeroed(shape)?;
//! let described = image.descriptor()?;
//! assert_eq!((described.format(), described.channels()), (ArrayFormat::U8, 4));
//! assert_eq!(described.shape(), shape);
//! # Ok::<(), memcore::Error>(())
//! ```

mod descriptor;
mod element;
mod fill;
mod format;
mod limits;
mod object;
mod owner;
mod pair;
mod place;
mod raw;
mod shape;
mod view;

pub use descriptor::ArrayDescriptor;
pub use element::{ArrayElement, Channel, Half};
pub use format::ArrayFormat;
pub use object::ArrayObject;
pub(crate) use pair::{run_from, run_into};
pub(crate) use place::ArrayPlace;
pub use shape::{ArrayFlags, ArrayKind, ArrayShape};
pub(crate) use view::windows_of_one_slice;
