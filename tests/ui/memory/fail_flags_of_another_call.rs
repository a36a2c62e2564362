//! Flags that mean nothing to a call, or something else, are none of its type.
use memcore::{AttachFlag, Context, LockedBuffer, LockedFlags, RegisterFlags, RegisteredBuffer, UnifiedBuffer};

fn main() -> memcore::Result<()> {
    let context = Context::current()?;
    let _single = UnifiedBuffer::<u8>::zeroed_with(&context, AttachFlag::Single, 10)?;
    let _combined = RegisteredBuffer::new_with(&context, RegisterFlags::WRITE_COMBINED, vec![1u8])?;
    let _io = RegisteredBuffer::new_with(&context, RegisterFlags::IO_MEMORY, vec![1u8])?;
    let _read_only = LockedBuffer::<u8>::zeroed_with(&context, LockedFlags::READ_ONLY, 10)?;
    let _other = LockedBuffer::<u8>::zeroed_with(&context, RegisterFlags::PORTABLE, 10)?;
    Ok(())
}
