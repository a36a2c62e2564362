//! An owned CUDA array.

use core::fmt;
use core::marker::PhantomData;

use super::descriptor::ArrayDescriptor;
use super::element::{ArrayElement, assert_layout};
use super::owner::RawArray;
use super::shape::ArrayShape;
use crate::context::Context;
use crate::error::Result;
use crate::memory::size::same_len;

/// A CUDA array of `T`s, which it owns.
///
/// Its memory is laid out as the driver likes and has no address: textures and surfaces are made of its handle
/// ([`as_raw`](Self::as_raw)), and data comes and goes by copies. Dropped, it is destroyed; the driver waits then for all
/// work of the context. The drop never panics, and a failure goes to
/// [`Context::take_drop_errors`](crate::Context::take_drop_errors).
///
/// The constructors without `_in` use the current context ([`Context::current`]). All are complete on return, and call
/// `cuArray3DCreate_v2` and what their own text names. Their errors are
/// [`Error::ArrayExtent`](crate::Error::ArrayExtent), where there is no array of such extents on the device;
/// [`Error::UnknownFlags`](crate::Error::UnknownFlags);
/// [`Error::Unsupported`](crate::Error::Unsupported) for flags that the kind of array does not have;
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory); the driver's code; and, without `_in`, what opening the default
/// context fails with. A failed constructor leaves nothing behind.
///
/// ```
/// use memcore::prelude::*;
///
/// let mut image = ArrayObject::from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
/// fill!(image[.., 0] <- 0.0)?;
/// copy!(image[1, 1..] <- [8.0, 9.0])?;
/// assert_eq!(image.to_vec()?, [0.0, 2.0, 3.0, 0.0, 8.0, 9.0]);
/// # Ok::<(), memcore::Error>(())
/// ```
pub struct ArrayObject<T> {
    pub(super) array: RawArray,
    // INVARIANT: the array has these extents, and elements of the format and channels of `T`.
    pub(super) shape: ArrayShape,
    pub(super) marker: PhantomData<T>,
}

impl<T> ArrayObject<T> {
    /// An array of zeros. Driver functions: those of [`View::fill`](crate::View::fill) of an array.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn zeroed(shape: impl Into<ArrayShape>) -> Result<Self>
    where
        T: ArrayElement,
    {
        Self::repeated(None, T::zeroed(), shape.into())
    }

    /// As [`zeroed`](Self::zeroed), in `context`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn zeroed_in(context: &Context, shape: impl Into<ArrayShape>) -> Result<Self>
    where
        T: ArrayElement,
    {
        Self::repeated(Some(context), T::zeroed(), shape.into())
    }

    /// An array of `value`s. Driver functions: those of [`View::fill`](crate::View::fill) of an array.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn filled(value: T, shape: impl Into<ArrayShape>) -> Result<Self>
    where
        T: ArrayElement,
    {
        Self::repeated(None, value, shape.into())
    }

    /// As [`filled`](Self::filled), in `context`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn filled_in(context: &Context, value: T, shape: impl Into<ArrayShape>) -> Result<Self>
    where
        T: ArrayElement,
    {
        Self::repeated(Some(context), value, shape.into())
    }

    /// A copy of `source`, which has the elements row after row and slice after slice. Driver functions:
    /// `cuMemcpy2DAsync_v2`, or of several slices `cuMemcpy3DAsync_v2`; `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if the shape has not as many elements; see the type's page.
    #[track_caller]
    pub fn from_slice(source: &[T], shape: impl Into<ArrayShape>) -> Result<Self>
    where
        T: ArrayElement,
    {
        Self::copied(None, source, shape.into())
    }

    /// As [`from_slice`](Self::from_slice), in `context`.
    ///
    /// # Errors
    ///
    /// As [`from_slice`](Self::from_slice).
    #[track_caller]
    pub fn from_slice_in(context: &Context, source: &[T], shape: impl Into<ArrayShape>) -> Result<Self>
    where
        T: ArrayElement,
    {
        Self::copied(Some(context), source, shape.into())
    }

    /// An array whose elements are whatever they are.
    ///
    /// # Errors
    ///
    /// See the type's page.
    ///
    /// # Safety
    ///
    /// No element is read before it is written, neither by the host nor by a kernel.
    #[track_caller]
    pub unsafe fn uninitialized(shape: impl Into<ArrayShape>) -> Result<Self>
    where
        T: ArrayElement,
    {
        Self::create(None, shape.into())
    }

    /// As [`uninitialized`](Self::uninitialized), in `context`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    ///
    /// # Safety
    ///
    /// As [`uninitialized`](Self::uninitialized).
    #[track_caller]
    pub unsafe fn uninitialized_in(context: &Context, shape: impl Into<ArrayShape>) -> Result<Self>
    where
        T: ArrayElement,
    {
        Self::create(Some(context), shape.into())
    }

    #[track_caller]
    fn repeated(context: Option<&Context>, value: T, shape: ArrayShape) -> Result<Self>
    where
        T: ArrayElement,
    {
        let mut array = Self::create(context, shape)?;
        array.as_view_mut().fill(value)?;
        Ok(array)
    }

    #[track_caller]
    fn copied(context: Option<&Context>, source: &[T], shape: ArrayShape) -> Result<Self>
    where
        T: ArrayElement,
    {
        same_len(shape.len(), source.len())?;
        let mut array = Self::create(context, shape)?;
        array.copy_from(source)?;
        Ok(array)
    }

    /// A new array: the caller initialises the elements before it is given out.
    #[track_caller]
    fn create(context: Option<&Context>, shape: ArrayShape) -> Result<Self>
    where
        T: ArrayElement,
    {
        const { assert_layout::<T>() };
        let context = match context {
            Some(context) => context.clone(),
            None => Context::current()?,
        };
        let array = RawArray::create(context.inner, &ArrayDescriptor::new(shape, T::FORMAT, T::CHANNELS))?;
        // INVARIANT: just made so.
        Ok(Self { array, shape, marker: PhantomData })
    }
}

impl<T> ArrayObject<T> {
    /// Kind, extents and flags.
    #[must_use]
    pub const fn shape(&self) -> ArrayShape {
        self.shape
    }

    /// `[slices, rows, columns]`, in elements; layers and faces are slices. What the array does not have is 1.
    #[must_use]
    pub const fn extents(&self) -> [usize; 3] {
        self.shape.extents()
    }

    /// How many elements there are: at least one.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "there is no empty array")]
    pub fn len(&self) -> usize {
        self.shape.len()
    }

    /// The bytes of all elements, without what the driver's layout adds.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.len() * size_of::<T>()
    }

    /// The context that the array belongs to.
    #[must_use]
    pub fn context(&self) -> Context {
        Context { inner: self.array.context().clone() }
    }
}

/// Shows the shape, not the elements.
impl<T> fmt::Debug for ArrayObject<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrayObject").field("handle", &self.array.handle()).field("shape", &self.shape).finish()
    }
}
