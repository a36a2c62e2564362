//! `device_vec!`, `device_box!` and their kin.

/// A new [`DeviceBuffer`](crate::DeviceBuffer), written like `vec!`.
///
/// | form | elements |
/// |---|---|
/// | `device_vec![a, b, c]` | these, uploaded |
/// | `device_vec![value; len]` | `len` times `value`, filled on the device |
/// | `device_vec![in &context; …]` | either, in `context` and not in the current one |
/// | `device_vec![in &pool; …]` | either, from a [`MemoryPool`](crate::MemoryPool) |
///
/// The value is a [`Result`](crate::Result); errors and driver calls are the constructors'
/// ([`from_slice`](crate::DeviceBuffer::from_slice), [`filled`](crate::DeviceBuffer::filled)). Complete on return.
///
/// ```
/// use memcore::prelude::*;
///
/// let dev = device_vec![1.0f32, 2.0, 3.0]?;
/// let ones = device_vec![1u8; 1 << 20]?;
/// assert_eq!((dev.len(), ones.len()), (3, 1048576));
///
/// let context = Context::current()?;
/// let here = device_vec![in &context; 0i64; 16]?;
/// assert_eq!(here.to_vec()?, [0; 16]);
/// # Ok::<(), memcore::Error>(())
/// ```
#[macro_export]
macro_rules! device_vec {
    ($($elements:tt)*) => { $crate::__buffer!(DeviceBuffer $($elements)*) };
}

/// A new [`LockedBuffer`](crate::LockedBuffer), written like `vec!`; the forms are those of
/// [`device_vec!`](crate::device_vec), but for pools.
///
/// The value is a [`Result`](crate::Result); errors and driver calls are the constructors'
/// ([`from_slice`](crate::LockedBuffer::from_slice), [`filled`](crate::LockedBuffer::filled)).
///
/// ```
/// use memcore::prelude::*;
///
/// let mut locked = locked_vec![0u8; 4096]?;
/// locked[..3].copy_from_slice(b"abc");
/// assert_eq!(&locked[..4], b"abc\0");
/// # Ok::<(), memcore::Error>(())
/// ```
#[macro_export]
macro_rules! locked_vec {
    ($($elements:tt)*) => { $crate::__buffer!(LockedBuffer $($elements)*) };
}

/// A new [`UnifiedBuffer`](crate::UnifiedBuffer), written like `vec!`; the forms are those of
/// [`device_vec!`](crate::device_vec), but for pools.
///
/// The value is a [`Result`](crate::Result); errors and driver calls are the constructors'
/// ([`from_slice`](crate::UnifiedBuffer::from_slice), [`filled`](crate::UnifiedBuffer::filled)).
///
/// ```
/// use memcore::prelude::*;
///
/// let unified = unified_vec![1.0f64; 100]?;
/// assert_eq!(unified.iter().sum::<f64>(), 100.0);
/// # Ok::<(), memcore::Error>(())
/// ```
#[macro_export]
macro_rules! unified_vec {
    ($($elements:tt)*) => { $crate::__buffer!(UnifiedBuffer $($elements)*) };
}

/// A new [`DeviceBox`](crate::DeviceBox): `device_box![value]`, or `device_box![in &context; value]`, or
/// `device_box![in &pool; value]`.
///
/// The value is a [`Result`](crate::Result); errors and driver calls are those of
/// [`DeviceBox::new`](crate::DeviceBox::new). Complete on return.
///
/// ```
/// use memcore::prelude::*;
///
/// let answer = device_box![42u64]?;
/// assert_eq!(answer.to_value()?, 42);
/// # Ok::<(), memcore::Error>(())
/// ```
#[macro_export]
macro_rules! device_box {
    ($($value:tt)+) => { $crate::__boxed!(DeviceBox $($value)+) };
}

/// A new [`LockedBox`](crate::LockedBox): `locked_box![value]`, or `locked_box![in &context; value]`.
///
/// The value is a [`Result`](crate::Result); errors and driver calls are those of
/// [`LockedBox::new`](crate::LockedBox::new).
///
/// ```
/// use memcore::prelude::*;
///
/// let mut counter = locked_box![0u32]?;
/// *counter += 1;
/// assert_eq!(*counter, 1);
/// # Ok::<(), memcore::Error>(())
/// ```
#[macro_export]
macro_rules! locked_box {
    ($($value:tt)+) => { $crate::__boxed!(LockedBox $($value)+) };
}

/// A new [`UnifiedBox`](crate::UnifiedBox): `unified_box![value]`, or `unified_box![in &context; value]`.
///
/// The value is a [`Result`](crate::Result); errors and driver calls are those of
/// [`UnifiedBox::new`](crate::UnifiedBox::new).
///
/// ```
/// use memcore::prelude::*;
///
/// let mut counter = unified_box![0u32]?;
/// *counter += 1;
/// assert_eq!(*counter, 1);
/// # Ok::<(), memcore::Error>(())
/// ```
#[macro_export]
macro_rules! unified_box {
    ($($value:tt)+) => { $crate::__boxed!(UnifiedBox $($value)+) };
}

/// The forms that the boxes share.
#[doc(hidden)]
#[macro_export]
macro_rules! __boxed {
    ($boxed:ident in $context:expr; $value:expr) => {
        $crate::$boxed::new_in($context, &$value)
    };
    ($boxed:ident $value:expr) => {
        $crate::$boxed::new(&$value)
    };
}

/// The forms that the buffers share.
#[doc(hidden)]
#[macro_export]
macro_rules! __buffer {
    ($buffer:ident in $context:expr; $value:expr; $len:expr) => { $crate::$buffer::filled_in($context, $value, $len) };
    ($buffer:ident in $context:expr; $($value:expr),* $(,)?) => { $crate::$buffer::from_slice_in($context, &[$($value),*]) };
    ($buffer:ident $value:expr; $len:expr) => { $crate::$buffer::filled($value, $len) };
    ($buffer:ident $($value:expr),* $(,)?) => { $crate::$buffer::from_slice(&[$($value),*]) };
}
