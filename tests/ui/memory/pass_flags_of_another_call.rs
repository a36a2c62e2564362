//! Each flag where it has a meaning.
use memcore::{AttachFlag, Context, LockedBuffer, LockedFlags, RegisterFlags, RegisteredBuffer, Stream, UnifiedBuffer};

fn main() -> memcore::Result<()> {
    let context = Context::current()?;
    let mut unified = UnifiedBuffer::<u8>::zeroed_with(&context, AttachFlag::Host, 10)?;
    let stream = Stream::new()?;
    // SAFETY: the device does not use it.
    unsafe { unified.attach_single(&stream)? };
    stream.synchronize()?;
    let _read_only = RegisteredBuffer::new_with(&context, RegisterFlags::READ_ONLY, vec![1u8])?;
    let _combined = LockedBuffer::<u8>::zeroed_with(&context, LockedFlags::WRITE_COMBINED, 10)?;
    let _portable = LockedBuffer::<u8>::zeroed_with(&context, LockedFlags::PORTABLE, 10)?;
    Ok(())
}
