//! The owner of an array, without a type.

use std::sync::Arc;

use super::descriptor::ArrayDescriptor;
use super::limits::{is_beyond_all, wrong_extent};
use crate::context::{Inner, Relaxed, freed_at_exit};
use crate::driver::ffi::{CUDA_ARRAY3D_DESCRIPTOR, CUarray, Handle};
use crate::driver::{Driver, check, symbol};
use crate::error::{Error, Result, Status};

/// An array and the context it belongs to, which it keeps open. Dropped, it is destroyed.
pub(super) struct RawArray {
    context: Arc<Inner>,
    /// INVARIANT: this value's own, and once it is dropped or destroyed nothing pending uses it: safe operations have
    /// waited, and the others' contract says so.
    handle: Handle<CUarray>,
    /// Whether its slices are layers or faces.
    has_layers: bool,
    is_destroyed: bool,
}

impl RawArray {
    /// A new array, whose contents are whatever they are.
    #[track_caller]
    pub(super) fn create(context: Arc<Inner>, descriptor: &ArrayDescriptor) -> Result<Self> {
        let raw = descriptor.raw()?;
        if is_beyond_all(&descriptor.shape()) {
            // None of the extents is what the driver would take, so that one is found wrong.
            let wrong = wrong_extent(context.device(), &descriptor.shape());
            return Err(wrong.unwrap_or(Error::Unsupported { what: "an array of such extents" }));
        }
        match create_or_make_room(&context, &raw) {
            Ok(handle) => {
                let has_layers = descriptor.shape().kind().has_layers();
                Ok(Self { context, handle, has_layers, is_destroyed: false })
            }
            Err(error) if error.status() == Some(Status::INVALID_VALUE) => {
                Err(wrong_extent(context.device(), &descriptor.shape()).unwrap_or(error))
            }
            Err(error) => Err(context.explain(error, descriptor.size_in_bytes())),
        }
    }

    /// The array of a handle, whose slices are layers or faces, or not.
    ///
    /// # Safety
    ///
    /// It is a live array of the context, nobody else's from here on, and no pending work uses it.
    pub(super) const unsafe fn adopt(context: Arc<Inner>, handle: CUarray, has_layers: bool) -> Self {
        Self { context, handle: Handle(handle), has_layers, is_destroyed: false }
    }

    pub(super) fn handle(&self) -> CUarray {
        self.handle.0
    }

    pub(super) const fn has_layers(&self) -> bool {
        self.has_layers
    }

    pub(super) const fn context(&self) -> &Arc<Inner> {
        &self.context
    }

    /// Destroys the array now, or gives it back with the reason why not.
    #[track_caller]
    pub(super) fn free(mut self) -> Result<(), (Error, Self)> {
        // SAFETY: an owner gives its array up, and by its invariant nothing pending uses it.
        match freed_at_exit(unsafe { destroy(&self.context, self.handle) }) {
            Ok(()) => {
                self.is_destroyed = true;
                Ok(())
            }
            Err(error) => Err((error, self)),
        }
    }
}

impl Drop for RawArray {
    fn drop(&mut self) {
        if self.is_destroyed {
            return;
        }
        // SAFETY: an owner gives its array up, and by its invariant nothing pending uses it.
        if let Err(error) = freed_at_exit(unsafe { destroy(&self.context, self.handle) }) {
            self.context.note_drop_error(error);
        }
    }
}

/// A new array. When memory runs out, pending frees are awaited, the pool is trimmed and the call made once more.
#[track_caller]
fn create_or_make_room(context: &Inner, descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> Result<Handle<CUarray>> {
    let bound = context.bind()?;
    let _relaxed = Relaxed::new(bound.driver());
    match try_create(bound.driver(), descriptor) {
        Err(Error::Driver { status: Status::OUT_OF_MEMORY, .. }) => {
            context.make_room(None)?;
            try_create(bound.driver(), descriptor)
        }
        other => other,
    }
}

#[track_caller]
fn try_create(driver: &dyn Driver, descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> Result<Handle<CUarray>> {
    let mut handle: CUarray = core::ptr::null_mut();
    // SAFETY: `handle` is writable and the descriptor readable for the length of the call.
    check(symbol::array_create_3d, unsafe { driver.array_create_3d(&raw mut handle, descriptor) })?;
    Ok(Handle(handle))
}

/// What the driver says of an array.
///
/// # Safety
///
/// It is a live array of the context.
#[track_caller]
pub(super) unsafe fn describe(context: &Inner, array: CUarray) -> Result<CUDA_ARRAY3D_DESCRIPTOR> {
    let bound = context.bind()?;
    let mut descriptor = CUDA_ARRAY3D_DESCRIPTOR::default();
    // SAFETY: `descriptor` is writable for the length of the call; the array is alive.
    let status = unsafe { bound.driver().array_descriptor_3d(&raw mut descriptor, array) };
    check(symbol::array_descriptor_3d, status)?;
    Ok(descriptor)
}

/// # Safety
///
/// The array is the caller's and used no more, not by pending work either.
#[track_caller]
unsafe fn destroy(context: &Inner, array: Handle<CUarray>) -> Result<()> {
    let bound = context.bind()?;
    let _relaxed = Relaxed::new(bound.driver());
    if context.is_unsettled() {
        // The device may still write this memory.
        return Err(Error::Unsettled);
    }
    // SAFETY: the caller's contract.
    check(symbol::array_destroy, unsafe { bound.driver().array_destroy(array.0) })
}
