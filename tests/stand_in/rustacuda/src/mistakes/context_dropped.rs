//! A buffer holds no context, and outlives it: its memory is gone with the context, and it frees it once more.

use std::mem;

use programs::Outcome;
use rustacuda::context::CurrentContext;
use rustacuda::memory::DeviceBuffer;

pub(super) fn wrong() -> Outcome {
    let context = rustacuda::quick_init()?;
    let device = DeviceBuffer::from_slice(&[7u32; 1000])?; //~ leak
    drop(context); //~ freed
    let dropped = DeviceBuffer::drop(device); //~ double_free
    // What is not freed cannot be dropped either: that panics.
    let Err((_, device)) = dropped else { panic!("freed in no context") };
    mem::forget(device);
    Ok(())
}

pub(super) fn right() -> Outcome {
    let context = rustacuda::quick_init()?;
    let device = DeviceBuffer::from_slice(&[7u32; 1000])?;
    CurrentContext::synchronize()?;
    drop(device);
    drop(context);
    Ok(())
}
