//! Contexts that are current, for memory, which has none of its own, and streams in them.

use std::sync::Arc;

use oxicuda_driver::{Context, CudaResult, Device, PrimaryContext, Stream};

/// A context of the first device, current on this thread.
pub(crate) struct Open {
    pub(crate) context: Arc<Context>,
}

impl Open {
    pub(crate) fn new() -> CudaResult<Self> {
        oxicuda_driver::init()?;
        let context = Arc::new(Context::new(&Device::get(0)?)?);
        context.set_current()?;
        Ok(Self { context })
    }

    pub(crate) fn stream(&self) -> CudaResult<Stream> {
        Stream::new(&self.context)
    }
}

/// A device's primary context, which the library's copies between devices take.
pub(crate) struct Primary {
    pub(crate) device: Device,
    pub(crate) context: Arc<Context>,
    _primary: PrimaryContext,
}

impl Primary {
    pub(crate) fn new(ordinal: i32) -> CudaResult<Self> {
        oxicuda_driver::init()?;
        let device = Device::get(ordinal)?;
        let primary = PrimaryContext::retain(&device)?;
        #[allow(unsafe_code, reason = "the library has no other way to make a primary context current")]
        // SAFETY: the context is retained for as long as this value is there, and programs drop what they make in it before.
        let context = Arc::new(unsafe { Context::from_raw_borrowed(primary.raw(), device) });
        Ok(Self { device, context, _primary: primary })
    }
}
