//! Every kind of wait, allocation and free.

use memcore::prelude::*;
use memcore::{AttachFlag, LockedFlags, RegisterFlags, TransferError};

pub(crate) fn everything(context: &Context) -> memcore::Result<()> {
    let stream = Stream::new()?;
    let event = Event::new()?;
    let mut dev = device_vec![1_u8; 100_000]?;
    let mut locked = locked_vec![0_u8; 100_000]?;
    copy!(locked <- dev)?;
    fill!(dev <- 2, stream)?;
    stream.record(&event)?;
    event.synchronize()?;
    assert!(event.query()? && stream.query()?);
    stream.synchronize()?;
    stream.scope(|s| {
        let scratch = s.device_vec::<u8>(100)?;
        fill!(scratch <- 3, s)?;
        copy!(locked <- dev, s)
    })?;
    assert!(locked.iter().all(|byte| *byte == 2));
    let download = stream.download(dev, vec![0; 100_000]).map_err(TransferError::into_error)?;
    let (mut dev, host) = download.wait().map_err(TransferError::into_error)?;
    assert_eq!(host[99_999], 2);
    let mut unified = unified_vec![1_u8; 4096]?;
    if let Some(pool) = context.memory_pool() {
        let mut pooled = device_vec![in &pool; 4_u8; 10_000]?;
        pooled.copy_within(1.., 0)?;
        pooled.drop_on(&stream).map_err(|(error, _)| error)?;
        pool.trim(0)?;
    }
    unified.advise_read_mostly(true)?;
    unified.prefetch_device(&stream, context.device())?;
    unified.attach(&stream, AttachFlag::Host)?;
    assert!(unified.query_read_mostly()?);
    fill!(unified <- 2, stream)?;
    copy!(dev[..4096] <- unified)?;
    drop(unified);
    assert!(!LockedBox::new_with(context, LockedFlags::WRITE_COMBINED, &1_u8)?.device_ptr()?.is_null());
    let mut registered = RegisteredBuffer::new_with(context, RegisterFlags::PORTABLE, host)?;
    copy!(registered <- dev)?;
    let mut host = registered.unregister().map_err(|(error, _)| error)?;
    context.with_registered(&mut host, RegisterFlags::empty(), |host| copy!(dev <- *host))?;
    stream.scope(|s| copy!(*s.register(&mut host, RegisterFlags::empty())? <- dev, s))?;
    context.trim(0)
}
