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
//!
//! # Layers
//!
//! The slices of a layered array are layers, those of a cubemap faces. A copy from one to another of the same array is
//! refused ([`Error::Unsupported`](crate::Error::Unsupported)): a driver (580.159.04) takes the source's layer from the
//! destination then, and says nothing. Copies between two arrays, between parts of one layer, and between slices of a 3-D array
//! are not concerned. To move a layer, copy it to other memory and back.
//!
//! ```
//! use memcore::memory::array::ArrayShape;
//! use memcore::prelude::*;
//!
//! let mut layers = ArrayObject::from_slice(&[1u8, 2, 3, 4], ArrayShape::new_layered_1d(2, 2))?;
//! let (mut first, second) = layers.as_view_mut().split_at(1)?;
//! assert!(matches!(copy!(first <- second), Err(memcore::Error::Unsupported { .. })));
//! let between = second.as_shared().to_vec()?;
//! copy!(first <- between)?;
//! assert_eq!(layers.to_vec()?, [3, 4, 3, 4]);
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
