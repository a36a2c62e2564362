//! Downloads that are waited for: cudarc returns a `Vec` whose copy may still be under way.

use std::sync::Arc;

use cudarc::driver::{CudaStream, DevicePtr, DeviceRepr, DriverError};

/// What is on the device when all that is queued before has run.
pub(crate) fn download<T: DeviceRepr>(
    stream: &Arc<CudaStream>,
    device: &impl DevicePtr<T>,
) -> Result<Vec<T>, DriverError> {
    let host = stream.clone_dtoh(device)?;
    stream.synchronize()?;
    Ok(host)
}
