//! `copy!` and `fill!`.

/// Copies `source` to `destination`: `copy!(destination <- source)`.
///
/// Each side is memory of the host (`[T]`, an array, a `Vec`, a [`LockedBuffer`](crate::LockedBuffer),
/// [`RegisteredBuffer`](crate::RegisteredBuffer) or [`UnifiedBuffer`](crate::UnifiedBuffer)), of a device
/// ([`DeviceBuffer`](crate::DeviceBuffer), [`DeviceBox`](crate::DeviceBox), [`DeviceSlice`](crate::DeviceSlice)), or a
/// range of it, owned or borrowed; or a CUDA array ([`ArrayObject`](crate::ArrayObject)). Both have the same element type
/// and length. Between two devices the copy goes from one to the other.
///
/// | form | ordered | on return |
/// |---|---|---|
/// | `copy!(d <- s)` | on a stream of the context's own | complete |
/// | `copy!(d <- s, stream)` | on `stream`, behind what is queued there | complete |
/// | `unsafe { copy!(d <- s, async stream) }` | on `stream` | queued |
///
/// Of a [view](crate::View) of memory in rows, or a [`PitchedBuffer`](crate::PitchedBuffer), each side may be a window:
/// `copy!(image[y0..y1, x0..x1] <- tile[.., ..])`, and with slices `[z0..z1, y0..y1, x0..x1]`. Both have the same extents.
/// What lies outside a window is not touched.
///
/// Calls: one (`cuMemcpyHtoDAsync_v2`, `cuMemcpyDtoHAsync_v2`, `cuMemcpyDtoDAsync_v2` or `cuMemcpyPeerAsync`; of windows
/// `cuMemcpy2DAsync_v2`, `cuMemcpy3DAsync_v2` or `cuMemcpy3DPeerAsync`) and,
/// unless asynchronous, its wait; none for an empty copy or one within the host. A copy into page-locked or unified
/// memory, or to another device, also queues a `cuStreamWriteValue32_v2`, by which it knows that the memory is written
/// even where the wait fails; on a GPU a short copy may watch for what that writes, in place of the wait. A synchronous copy
/// of much pageable memory goes in parts, each of which is such a call and most with a `cuEventRecord` and its
/// `cuEventQuery` or `cuEventSynchronize` ([`Staging`](crate::Staging)). Each operand is evaluated once, the destination first.
///
/// ```
/// use memcore::prelude::*;
///
/// let mut dev = device_vec![0.0f32; 6]?;
/// let host = [1.0, 2.0, 3.0];
/// copy!(dev[..3] <- host)?;
/// copy!(dev[3..5] <- host[1..])?;
///
/// let stream = Stream::new()?;
/// let mut back = vec![0.0; 6];
/// copy!(back <- dev, stream)?;
/// assert_eq!(back, [1.0, 2.0, 3.0, 2.0, 3.0, 0.0]);
/// # Ok::<(), memcore::Error>(())
/// ```
///
/// # Errors
///
/// The value is a [`Result<(), Error>`](crate::Result): [`LengthMismatch`](crate::Error::LengthMismatch), and of windows
/// [`WindowOutside`](crate::Error::WindowOutside), [`ShapeMismatch`](crate::Error::ShapeMismatch) and, where one of several
/// slices of an array does not name them, [`InvalidShape`](crate::Error::InvalidShape);
/// [`Unsupported`](crate::Error::Unsupported) between layers or faces of the same
/// [array](crate::memory::array#layers), where they are not the same ones;
/// [`DifferentDrivers`](crate::Error::DifferentDrivers); [`OtherDevice`](crate::Error::OtherDevice) where the stream is
/// not of the memory's device, or in a copy between devices of neither; [`InvalidValue`](crate::Error::InvalidValue)
/// where bytes that come to the host are no value of their type (then the destination is as it was);
/// [`StreamCapturing`](crate::Error::StreamCapturing); the driver's code.
///
/// A download to pageable memory through the context's page-locked memory ([`Staging`](crate::Staging)) that fails leaves the
/// destination as it was, or written in whole parts that had arrived; nothing writes it later.
///
/// # Panics
///
/// Where an operand's range does, as indexing does.
///
/// # Safety
///
/// Of the asynchronous form alone. Until the copy is known to be complete (the stream, or an event after the copy, has
/// been synchronised without an error):
///
/// - Both sides stay allocated: neither is dropped or freed. A source that is a temporary does not live long enough.
/// - Nothing writes the source; it may be read.
/// - Nothing reads or writes the destination.
/// - Neither is used in a safe copy or fill, but that the source may be the source of another.
///
/// An error of the wait proves nothing.
///
/// ```
/// use memcore::prelude::*;
///
/// let stream = Stream::new()?;
/// let source = locked_vec![7u8; 1024]?;
/// let mut dev = device_vec![0u8; 1024]?;
/// // SAFETY: both live to the end, and nothing uses them before the wait has succeeded.
/// unsafe { copy!(dev <- source, async stream)? };
/// stream.synchronize()?;
/// assert_eq!(dev.to_vec()?, *source);
/// # Ok::<(), memcore::Error>(())
/// ```
#[macro_export]
macro_rules! copy {
    ($($operands:tt)*) => { $crate::__operate!(copy [] $($operands)*) };
}

/// Writes a value to every element of `destination`: `fill!(destination <- value)`.
///
/// The destination is memory of a device or the host, or a range of it; the value has its element type. With a third
/// operand, `fill!(destination <- value, stream)`, the fill is ordered on that stream. Complete on return.
///
/// Of a [view](crate::View) of memory in rows the destination may be a window, `fill!(image[y0..y1, x0..x1] <- value)`; its
/// calls are those of [`View::fill`](crate::View::fill) of that memory.
///
/// Calls: one `cuMemsetD8Async`, `cuMemsetD16Async` or `cuMemsetD32Async` where the value's bytes repeat every 1, 2 or
/// 4; else one `cuMemcpyHtoDAsync_v2` of the value and ⌈log₂ len⌉ `cuMemcpyDtoDAsync_v2` that double it; and the wait.
///
/// ```
/// use memcore::prelude::*;
///
/// let mut dev = device_vec![0u32; 4]?;
/// fill!(dev[1..3] <- 7)?;
/// assert_eq!(dev.to_vec()?, [0, 7, 7, 0]);
/// # Ok::<(), memcore::Error>(())
/// ```
///
/// # Errors
///
/// The value is a [`Result<(), Error>`](crate::Result): of windows [`WindowOutside`](crate::Error::WindowOutside) and
/// [`InvalidShape`](crate::Error::InvalidShape); [`DifferentDrivers`](crate::Error::DifferentDrivers);
/// [`OtherDevice`](crate::Error::OtherDevice); of arrays [`HostAllocation`](crate::Error::HostAllocation), if there is no
/// room for a row; [`StreamCapturing`](crate::Error::StreamCapturing); the driver's code.
///
/// # Panics
///
/// Where the destination's range does, as indexing does.
#[macro_export]
macro_rules! fill {
    ($($operands:tt)*) => { $crate::__operate!(fill [] $($operands)*) };
}

/// Collects the tokens before `<-`, which cannot follow an expression in a macro's pattern, and looks for windows, which are
/// no expressions, on both sides; then expands the operation.
#[doc(hidden)]
#[macro_export]
macro_rules! __operate {
    // A destination that ends in `[a, b]` or `[a, b, c]` is a window.
    ($operation:ident [$($d:tt)*] $last:tt [$x:expr, $y:expr $(, $z:expr)? $(,)?] <- $($rest:tt)+) => {
        $crate::__operate!(@last $last $operation [$($d)* $last] [$x, $y $(, $z)?] $($rest)+)
    };
    ($operation:ident [$($d:tt)*] $last:tt <- $($rest:tt)+) => {
        $crate::__operate!(@last $last $operation [$($d)* $last] [] $($rest)+)
    };

    // One that ends in a call or `?` is a temporary, which is taken by value: a view may live shorter than what it stands for.
    (@last ($($call:tt)*) $operation:ident [* $($d:tt)+] [$($w:tt)*] $($rest:tt)+) => {
        $crate::__operate!(@source $operation [__as_copy_destination * $($d)+] [$($w)*] [] $($rest)+)
    };
    (@last ($($call:tt)*) $operation:ident [$first:tt $($d:tt)+] [$($w:tt)*] $($rest:tt)+) => {
        $crate::__operate!(@source $operation [__into_copy_destination $first $($d)+] [$($w)*] [] $($rest)+)
    };
    (@last ? $operation:ident [$($d:tt)+] [$($w:tt)*] $($rest:tt)+) => {
        $crate::__operate!(@source $operation [__into_copy_destination $($d)+] [$($w)*] [] $($rest)+)
    };
    (@last $last:tt $operation:ident [$($d:tt)+] [$($w:tt)*] $($rest:tt)+) => {
        $crate::__operate!(@source $operation [__as_copy_destination $($d)+] [$($w)*] [] $($rest)+)
    };

    // A `[..]` after an operator or `mut` is an array; after a name, a call or an index it is an index.
    (@source copy [$($d:tt)+] [$($w:tt)*] [$($source:tt)*] mut [$($array:tt)*] $($rest:tt)*) => {
        $crate::__operate!(@source copy [$($d)+] [$($w)*] [$($source)* mut [$($array)*]] $($rest)*)
    };
    (@source copy [$($d:tt)+] [$($w:tt)*] [$($source:tt)*] $name:ident [$x:expr, $y:expr $(, $z:expr)? $(,)?] $($on:tt)*) => {
        $crate::__operate!(@copy [$($d)+] [$($w)*] [$($source)* $name] [$x, $y $(, $z)?] $($on)*)
    };
    (@source copy [$($d:tt)+] [$($w:tt)*] [$($source:tt)*] ($($call:tt)*) [$x:expr, $y:expr $(, $z:expr)? $(,)?] $($on:tt)*) => {
        $crate::__operate!(@copy [$($d)+] [$($w)*] [$($source)* ($($call)*)] [$x, $y $(, $z)?] $($on)*)
    };
    (@source copy [$($d:tt)+] [$($w:tt)*] [$($source:tt)*] [$($index:tt)*] [$x:expr, $y:expr $(, $z:expr)? $(,)?] $($on:tt)*) => {
        $crate::__operate!(@copy [$($d)+] [$($w)*] [$($source)* [$($index)*]] [$x, $y $(, $z)?] $($on)*)
    };
    (@source copy [$($d:tt)+] [$($w:tt)*] [$($source:tt)*] . $field:tt [$x:expr, $y:expr $(, $z:expr)? $(,)?] $($on:tt)*) => {
        $crate::__operate!(@copy [$($d)+] [$($w)*] [$($source)* . $field] [$x, $y $(, $z)?] $($on)*)
    };
    (@source copy [$($d:tt)+] [$($w:tt)*] [$($source:tt)*] {$($block:tt)*} [$x:expr, $y:expr $(, $z:expr)? $(,)?] $($on:tt)*) => {
        $crate::__operate!(@copy [$($d)+] [$($w)*] [$($source)* {$($block)*}] [$x, $y $(, $z)?] $($on)*)
    };
    (@source copy [$($d:tt)+] [$($w:tt)*] [$($source:tt)*] ? [$x:expr, $y:expr $(, $z:expr)? $(,)?] $($on:tt)*) => {
        $crate::__operate!(@copy [$($d)+] [$($w)*] [$($source)* ?] [$x, $y $(, $z)?] $($on)*)
    };
    (@source copy [$($d:tt)+] [$($w:tt)*] [$($source:tt)*] $next:tt $($rest:tt)*) => {
        $crate::__operate!(@source copy [$($d)+] [$($w)*] [$($source)* $next] $($rest)*)
    };
    // No window: all of it is an expression, and what it runs on.
    (@source copy [$($d:tt)+] [$($w:tt)*] [$($source:tt)*]) => {
        $crate::__operate!(@whole [$($d)+] [$($w)*] $($source)*)
    };
    (@source fill [$($d:tt)+] [$($w:tt)*] [] $($rest:tt)+) => {
        $crate::__operate!(@fill [$($d)+] [$($w)*] $($rest)+)
    };

    (@whole [$($d:tt)+] [$($w:tt)*] $source:expr $(,)?) => {
        $crate::__operate!(@copy [$($d)+] [$($w)*] [$source] [])
    };
    (@whole [$($d:tt)+] [$($w:tt)*] $source:expr, async $stream:expr $(,)?) => {
        $crate::__operate!(@copy [$($d)+] [$($w)*] [$source] [], async $stream)
    };
    (@whole [$($d:tt)+] [$($w:tt)*] $source:expr, $stream:expr $(,)?) => {
        $crate::__operate!(@copy [$($d)+] [$($w)*] [$source] [], $stream)
    };

    (@copy [$method:ident $($d:tt)+] [] [$($s:tt)+] [], async $stream:expr $(,)?) => {{
        #[allow(unused_imports)]
        use $crate::__private::{IntoDestination as _, On as _, ToDestination as _, ToSource as _};
        $crate::__private::copy_raw(($($d)+).$method(), ($($s)+).__as_copy_source(), ($stream).__as_stream())
    }};
    (@copy [$method:ident $($d:tt)+] [] [$($s:tt)+] [], $stream:expr $(,)?) => {{
        #[allow(unused_imports)]
        use $crate::__private::{IntoDestination as _, On as _, ToDestination as _, ToSource as _};
        $crate::__private::copy(($($d)+).$method(), ($($s)+).__as_copy_source(), ($stream).__as_stream())
    }};
    (@copy [$method:ident $($d:tt)+] [] [$($s:tt)+] [] $(,)?) => {{
        #[allow(unused_imports)]
        use $crate::__private::{IntoDestination as _, ToDestination as _, ToSource as _};
        $crate::__private::copy(($($d)+).$method(), ($($s)+).__as_copy_source(), $crate::__private::Now)
    }};
    (@copy [$method:ident $($d:tt)+] [$($w:tt)*] [$($s:tt)+] [$($v:tt)*], async $stream:expr $(,)?) => {{
        #[allow(unused_imports)]
        use $crate::__private::{IntoDestination as _, On as _, ToDestination as _, ToSource as _};
        $crate::__private::copy_window_raw(
            $crate::__operate!(@window (($($d)+).$method()) [$($w)*]),
            $crate::__operate!(@window (($($s)+).__as_copy_source()) [$($v)*]),
            ($stream).__as_stream(),
        )
    }};
    (@copy [$method:ident $($d:tt)+] [$($w:tt)*] [$($s:tt)+] [$($v:tt)*], $stream:expr $(,)?) => {{
        #[allow(unused_imports)]
        use $crate::__private::{IntoDestination as _, On as _, ToDestination as _, ToSource as _};
        $crate::__private::copy_window(
            $crate::__operate!(@window (($($d)+).$method()) [$($w)*]),
            $crate::__operate!(@window (($($s)+).__as_copy_source()) [$($v)*]),
            ($stream).__as_stream(),
        )
    }};
    (@copy [$method:ident $($d:tt)+] [$($w:tt)*] [$($s:tt)+] [$($v:tt)*] $(,)?) => {{
        #[allow(unused_imports)]
        use $crate::__private::{IntoDestination as _, ToDestination as _, ToSource as _};
        $crate::__private::copy_window(
            $crate::__operate!(@window (($($d)+).$method()) [$($w)*]),
            $crate::__operate!(@window (($($s)+).__as_copy_source()) [$($v)*]),
            $crate::__private::Now,
        )
    }};

    (@window ($operand:expr) []) => { $crate::__private::whole($operand) };
    (@window ($operand:expr) [$($index:expr),+]) => { $crate::__private::window($operand, ($($index),+)) };

    (@fill [$method:ident $($d:tt)+] [$($w:tt)*] $value:expr, async $stream:expr $(,)?) => {
        ::core::compile_error!("`fill!` has no asynchronous form: see `DeviceSlice::set_8_async` and its kin")
    };
    (@fill [$method:ident $($d:tt)+] [] $value:expr, $stream:expr $(,)?) => {{
        #[allow(unused_imports)]
        use $crate::__private::{IntoDestination as _, On as _, ToDestination as _};
        $crate::__private::fill(($($d)+).$method(), $value, ($stream).__as_stream())
    }};
    (@fill [$method:ident $($d:tt)+] [] $value:expr $(,)?) => {{
        #[allow(unused_imports)]
        use $crate::__private::{IntoDestination as _, ToDestination as _};
        $crate::__private::fill(($($d)+).$method(), $value, $crate::__private::Now)
    }};
    (@fill [$method:ident $($d:tt)+] [$($w:tt)+] $value:expr, $stream:expr $(,)?) => {{
        #[allow(unused_imports)]
        use $crate::__private::{IntoDestination as _, On as _, ToDestination as _};
        $crate::__private::fill_window(
            $crate::__operate!(@window (($($d)+).$method()) [$($w)+]), $value, ($stream).__as_stream(),
        )
    }};
    (@fill [$method:ident $($d:tt)+] [$($w:tt)+] $value:expr $(,)?) => {{
        #[allow(unused_imports)]
        use $crate::__private::{IntoDestination as _, ToDestination as _};
        $crate::__private::fill_window(
            $crate::__operate!(@window (($($d)+).$method()) [$($w)+]), $value, $crate::__private::Now,
        )
    }};

    (@$($any:tt)*) => {
        ::core::compile_error!("expected `destination <- source`, `destination <- source, stream` or `destination <- source, async stream`")
    };
    ($operation:ident [$($destination:tt)*] $next:tt $($rest:tt)+) => {
        $crate::__operate!($operation [$($destination)* $next] $($rest)+)
    };
    ($operation:ident [$($destination:tt)*] $($rest:tt)*) => {
        ::core::compile_error!("expected `destination <- source`, `destination <- source, stream` or `destination <- source, async stream`")
    };
}
