//! Arrays asked about, taken apart, put together and given back.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;

use super::ArrayObject;
use super::descriptor::ArrayDescriptor;
use super::element::{ArrayElement, assert_layout};
use super::owner::{RawArray, describe};
use crate::context::Context;
use crate::error::{Error, Result};

impl<T> ArrayObject<T> {
    /// What the driver says of the array. Does not wait. Driver function: `cuArray3DGetDescriptor_v2`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn descriptor(&self) -> Result<ArrayDescriptor> {
        // SAFETY: an owner's array lives.
        let raw = unsafe { describe(self.array.context(), self.array.handle())? };
        ArrayDescriptor::from_raw(&raw).ok_or(Error::Unsupported { what: "an array of this format or these flags" })
    }

    /// The handle (`CUarray`, `cudaArray_t`), for textures and surfaces of other libraries. The array stays its owner's.
    #[must_use]
    pub fn as_raw(&self) -> *mut c_void {
        self.array.handle().cast()
    }

    /// Destroys the array and says whether that worked; on a failure it comes back with the error. The driver waits for all
    /// work of the context. Driver function: `cuArrayDestroy`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let image = ArrayObject::<f32>::zeroed([16, 16])?;
    /// if let Err((error, image)) = image.try_free() {
    ///     eprintln!("{image:?} could not be destroyed: {error}");
    /// }
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The driver's code, with the array; [`Error::Unsettled`].
    #[track_caller]
    pub fn try_free(self) -> Result<(), (Error, Self)> {
        let Self { array, shape, marker } = self;
        // Called by name, and not through `map_err`, so that the place is the caller's.
        match array.free() {
            Ok(()) => Ok(()),
            // INVARIANT: the same array.
            Err((error, array)) => Err((error, Self { array, shape, marker })),
        }
    }

    /// Gives up ownership: the handle (`CUarray`) is destroyed by whoever has it, or by [`from_raw`](Self::from_raw)'s
    /// array. The context stays open for the life of the process.
    #[must_use = "the array is leaked unless it is put together again"]
    pub fn into_raw(self) -> *mut c_void {
        ManuallyDrop::new(self).as_raw()
    }
}

impl<T> ArrayObject<T> {
    /// Takes ownership of an array (`CUarray`, `cudaArray_t`) of another library, or of [`into_raw`](Self::into_raw). Does
    /// not wait. Driver function: `cuArray3DGetDescriptor_v2`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let image = ArrayObject::<f32>::zeroed([16, 16])?;
    /// let (context, handle) = (image.context(), image.into_raw());
    /// // SAFETY: the handle is that of an array that was just taken apart.
    /// let again = unsafe { ArrayObject::<f32>::from_raw(&context, handle)? };
    /// assert_eq!(again.extents(), [1, 16, 16]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ArrayElement`] if its elements are others than `T`; [`Error::Unsupported`] for what no array here is; the
    /// driver's code. The array is the caller's then, as it was.
    ///
    /// # Safety
    ///
    /// `array` is a live array of `context`, initialised, not used by pending work, and nobody else's from here on.
    #[track_caller]
    pub unsafe fn from_raw(context: &Context, array: *mut c_void) -> Result<Self>
    where
        T: ArrayElement,
    {
        const { assert_layout::<T>() };
        let handle = array.cast();
        // SAFETY: the caller's contract.
        let raw = unsafe { describe(&context.inner, handle)? };
        let Some(descriptor) = ArrayDescriptor::from_raw(&raw) else {
            return Err(Error::Unsupported { what: "an array of this format or these flags" });
        };
        if (descriptor.format(), descriptor.channels()) != (T::FORMAT, T::CHANNELS) {
            return Err(Error::ArrayElement {
                type_name: core::any::type_name::<T>(),
                format: raw.format,
                channels: raw.channels,
            });
        }
        // SAFETY: the caller hands it over.
        let array = unsafe { RawArray::adopt(context.inner.clone(), handle, descriptor.shape().kind().has_layers()) };
        // INVARIANT: just compared.
        Ok(Self { array, shape: descriptor.shape(), marker: PhantomData })
    }
}
