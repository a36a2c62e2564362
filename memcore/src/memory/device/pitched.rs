//! An owned 2-D array of device memory.

use core::fmt;
use core::marker::PhantomData;

use bytemuck::Zeroable;

use super::owner::DeviceMemory;
use crate::context::{Context, keep_open_contexts};
use crate::copy::Order;
use crate::error::{Error, Result};
use crate::memory::operand::{ToDestination, ToSource};
use crate::memory::pair::Pair;
use crate::memory::size::bytes_of;
use crate::memory::view::grid::Grid;
use crate::memory::{AsView, DeviceCopy, DevicePointer, DeviceSlice, View2d};

/// Rows of `T`s in device memory, which it owns, each of which begins where the device reads it fast: the driver pads rows to
/// a *pitch*.
///
/// [`as_view`](Self::as_view) and [`as_view_mut`](Self::as_view_mut) have its windows and rows; `copy!` and `fill!` take the
/// buffer as a whole too. Extents are `[rows, columns]`. What lies between the rows is never
/// touched. For slices of rows see [`View2d::in_slices_of`](crate::View::in_slices_of).
///
/// The constructors without `_in` use the current context ([`Context::current`]), and are complete on return. They call
/// `cuMemAllocPitch_v2` for elements of 4, 8 or 16 bytes, whichever is the least that holds a `T` (16 for a larger one), and
/// what their own text names. Their errors are [`Error::OutOfMemory`], [`Error::SizeOverflow`] and [`Error::Unsupported`]
/// (an alignment that the driver does not give), the driver's code and, without `_in`, what opening the default context
/// fails with. A failed constructor leaves nothing allocated. Dropped, the memory is freed (`cuMemFree_v2`, which may wait
/// for device work); the drop does not panic, and a failure goes to
/// [`Context::take_drop_errors`](crate::Context::take_drop_errors). A buffer without elements, and one of a type without
/// bytes, has no memory and makes no driver call.
///
/// ```
/// use memcore::prelude::*;
///
/// let mut image = PitchedBuffer::from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], 3)?;
/// assert!(image.pitch_in_bytes() >= 12);
/// fill!(image[.., 0] <- 0.0)?;
/// assert_eq!(image.to_vec()?, [0.0, 2.0, 3.0, 0.0, 5.0, 6.0]);
/// # Ok::<(), memcore::Error>(())
/// ```
pub struct PitchedBuffer<T> {
    /// INVARIANT: `None` where there are no bytes, or where they are not this buffer's to free.
    memory: Option<DeviceMemory>,
    /// INVARIANT: rows in device memory that is this buffer's alone, initialised, or the caller of an `uninitialized`
    /// constructor answers for their not being read.
    grid: Grid<2>,
    marker: PhantomData<T>,
}

impl<T> PitchedBuffer<T> {
    /// `[rows, columns]` elements of zero bytes. Driver functions: `cuMemsetD2D8Async`, `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn zeroed(extents: [usize; 2]) -> Result<Self>
    where
        T: Zeroable,
    {
        Self::zeros(None, extents)
    }

    /// As [`zeroed`](Self::zeroed), in `context`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn zeroed_in(context: &Context, extents: [usize; 2]) -> Result<Self>
    where
        T: Zeroable,
    {
        Self::zeros(Some(context), extents)
    }

    /// `[rows, columns]` times `value`. Driver functions: those of [`View::fill`](crate::View::fill) of device memory.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn filled(value: T, extents: [usize; 2]) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Self::repeated(None, value, extents)
    }

    /// As [`filled`](Self::filled), in `context`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn filled_in(context: &Context, value: T, extents: [usize; 2]) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Self::repeated(Some(context), value, extents)
    }

    /// A copy of `source`, which is in rows of `width`. Driver functions: `cuMemcpy2DAsync_v2`, `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidShape`] if the length is no multiple of `width`; see the type's page.
    #[track_caller]
    pub fn from_slice(source: &[T], width: usize) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Self::copied(None, source, width)
    }

    /// As [`from_slice`](Self::from_slice), in `context`.
    ///
    /// # Errors
    ///
    /// As [`from_slice`](Self::from_slice).
    #[track_caller]
    pub fn from_slice_in(context: &Context, source: &[T], width: usize) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Self::copied(Some(context), source, width)
    }

    /// Room for `[rows, columns]` elements, whose bytes are whatever they are.
    ///
    /// # Errors
    ///
    /// See the type's page.
    ///
    /// # Safety
    ///
    /// No element is read before it is written, neither by the host nor by a kernel.
    #[track_caller]
    pub unsafe fn uninitialized(extents: [usize; 2]) -> Result<Self> {
        Self::allocate(None, extents)
    }

    /// As [`uninitialized`](Self::uninitialized), in `context`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    ///
    /// # Safety
    ///
    /// As [`uninitialized`](Self::uninitialized).
    #[track_caller]
    pub unsafe fn uninitialized_in(context: &Context, extents: [usize; 2]) -> Result<Self> {
        Self::allocate(Some(context), extents)
    }

    #[track_caller]
    fn zeros(context: Option<&Context>, extents: [usize; 2]) -> Result<Self>
    where
        T: Zeroable,
    {
        let mut buffer = Self::allocate(context, extents)?;
        buffer.as_view_mut().set_zero()?;
        Ok(buffer)
    }

    #[track_caller]
    fn repeated(context: Option<&Context>, value: T, extents: [usize; 2]) -> Result<Self>
    where
        T: DeviceCopy,
    {
        let mut buffer = Self::allocate(context, extents)?;
        buffer.as_view_mut().fill(value)?;
        Ok(buffer)
    }

    #[track_caller]
    fn copied(context: Option<&Context>, source: &[T], width: usize) -> Result<Self>
    where
        T: DeviceCopy,
    {
        let source = source.as_2d(width)?;
        let mut buffer = Self::allocate(context, source.extents())?;
        crate::copy!(buffer <- source)?;
        Ok(buffer)
    }

    /// Room for the elements: the caller initialises them before the buffer is given out.
    #[track_caller]
    fn allocate(context: Option<&Context>, [rows, columns]: [usize; 2]) -> Result<Self> {
        let len =
            rows.checked_mul(columns).ok_or(Error::SizeOverflow { len: usize::MAX, element_size: size_of::<T>() })?;
        let extents = [rows, columns];
        if bytes_of::<T>(len)? == 0 {
            let grid = Grid::new::<T>(0, extents, 0, rows);
            return Ok(Self { memory: None, grid, marker: PhantomData });
        }
        let context = match context {
            Some(context) => context.clone(),
            None => Context::current()?,
        };
        let (memory, pitch) =
            DeviceMemory::allocate_pitched(context.inner, columns * size_of::<T>(), rows, size_of::<T>())?;
        let address = memory.address();
        if !(address | pitch as u64).is_multiple_of(align_of::<T>() as u64) {
            return Err(Error::Unsupported { what: "device memory of such an alignment" });
        }
        Ok(Self { memory: Some(memory), grid: Grid::new::<T>(address, extents, pitch, rows), marker: PhantomData })
    }

    /// `[rows, columns]`.
    #[must_use]
    pub fn extents(&self) -> [usize; 2] {
        self.grid.extents()
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.grid.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of all elements, without what lies between the rows.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.len() * size_of::<T>()
    }

    /// How many bytes one row lies behind the one before.
    #[must_use]
    pub fn pitch_in_bytes(&self) -> usize {
        self.grid.pitch()
    }

    /// The first element's address, for a kernel or another library.
    #[must_use]
    pub fn as_device_ptr(&self) -> DevicePointer<T> {
        DevicePointer::from_raw(self.grid.address())
    }

    /// All rows, to be read.
    #[must_use]
    pub fn as_view(&self) -> View2d<&DeviceSlice<T>> {
        // SAFETY: by the invariant of `grid`; borrowed as `self` is.
        unsafe { View2d::from_grid(self.grid) }
    }

    /// All rows.
    #[must_use]
    pub fn as_view_mut(&mut self) -> View2d<&mut DeviceSlice<T>> {
        // SAFETY: by the invariant of `grid`; borrowed as `self` is.
        unsafe { View2d::from_grid(self.grid) }
    }

    /// The elements, row after row, without what lies between the rows. Complete on return. Driver functions:
    /// `cuMemcpy2DAsync_v2`, `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidValue`], with the index in this order; [`Error::HostAllocation`]; the driver's code.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>>
    where
        T: DeviceCopy,
    {
        self.as_view().to_vec()
    }

    /// Copies all of `source`, a view of the buffer's extents, into the buffer. Complete on return. `copy!(buffer <- source)` is
    /// the same. Driver functions: `cuMemcpy2DAsync_v2`, or from another device `cuMemcpy3DPeerAsync`; `cuStreamSynchronize`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut rows = PitchedBuffer::<u16>::zeroed([2, 2])?;
    /// rows.copy_from(&[1, 2, 3, 4].as_2d(2)?)?;
    /// let mut back = [0; 4];
    /// rows.copy_to(&mut back.as_2d_mut(2)?)?;
    /// assert_eq!(back, [1, 2, 3, 4]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`]; [`Error::DifferentDrivers`]; the driver's code.
    #[track_caller]
    pub fn copy_from<'a, S>(&'a mut self, source: S) -> Result<()>
    where
        S: ToSource,
        View2d<&'a mut DeviceSlice<T>>: Pair<S::Source>,
    {
        self.as_view_mut().copy(source.__as_copy_source(), Order::Now)
    }

    /// Copies all of the buffer into `destination`, a view of its extents. Complete on return. `copy!(destination <- buffer)` is
    /// the same. Driver functions: as for [`copy_from`](Self::copy_from).
    ///
    /// # Errors
    ///
    /// As [`copy_from`](Self::copy_from); to the host [`Error::InvalidValue`], and the destination is as it was.
    #[track_caller]
    pub fn copy_to<'a, D>(&'a self, destination: D) -> Result<()>
    where
        D: ToDestination,
        D::Destination: Pair<View2d<&'a DeviceSlice<T>>>,
    {
        destination.__as_copy_destination().copy(self.as_view(), Order::Now)
    }

    /// Frees the memory (`cuMemFree_v2`, which may wait for device work) and says whether that worked; on a failure the
    /// buffer comes back with the error.
    ///
    /// # Errors
    ///
    /// The driver's code, with the buffer; [`Error::Unsettled`].
    #[allow(clippy::result_large_err, reason = "the buffer comes back by value, as its kin do")]
    #[track_caller]
    pub fn try_free(mut self) -> Result<(), (Error, Self)> {
        let Some(memory) = self.memory.take() else { return Ok(()) };
        match memory.free() {
            Ok(()) => Ok(()),
            Err((error, memory)) => {
                self.memory = Some(memory);
                Err((error, self))
            }
        }
    }

    /// Gives up ownership: address, extents and bytes from row to row. The memory is freed when
    /// [`from_raw_parts`](Self::from_raw_parts) makes a buffer of it again. Its context stays open for the life of the
    /// process. Makes no driver call.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let (pointer, extents, pitch) = PitchedBuffer::from_slice(&[1u8, 2, 3, 4], 2)?.into_raw_parts();
    /// // SAFETY: the parts are those of a buffer that was just taken apart.
    /// let again = unsafe { PitchedBuffer::from_raw_parts(pointer, extents, pitch) };
    /// assert_eq!(again.to_vec()?, [1, 2, 3, 4]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    #[must_use = "the memory is leaked unless it is put together again"]
    pub fn into_raw_parts(self) -> (DevicePointer<T>, [usize; 2], usize) {
        let parts = (self.as_device_ptr(), self.extents(), self.pitch_in_bytes());
        if let Some(memory) = self.memory {
            memory.into_raw();
        }
        parts
    }

    /// Takes ownership of device memory in rows, as [`DeviceBuffer::from_raw_parts`](crate::DeviceBuffer::from_raw_parts)
    /// does of memory without. The driver is asked how it was made (`cuPointerGetAttribute`).
    /// [`into_raw_parts`](Self::into_raw_parts) has an example.
    ///
    /// # Safety
    ///
    /// As [`DeviceBuffer::from_raw_parts`](crate::DeviceBuffer::from_raw_parts), for an allocation of `[rows, columns]`
    /// elements, whose rows begin `pitch_in_bytes` apart, which is no less than a row's and a multiple of the alignment of
    /// `T`.
    #[must_use]
    pub unsafe fn from_raw_parts(pointer: DevicePointer<T>, extents: [usize; 2], pitch_in_bytes: usize) -> Self {
        let grid = Grid::new::<T>(pointer.as_raw(), extents, pitch_in_bytes, extents[0]);
        let memory = if grid.is_empty() {
            None
        } else {
            // SAFETY: the caller hands over the allocation at this address.
            unsafe { DeviceMemory::adopt(pointer.as_raw(), pitch_in_bytes * extents[0]) }
                .inspect_err(|error| {
                    log::error!("device memory at {pointer:?} cannot be freed: {error}");
                    // One of them holds the memory, which the buffer uses all the same.
                    keep_open_contexts();
                })
                .ok()
        };
        Self { memory, grid, marker: PhantomData }
    }
}

impl<'a, T: 'a> ToSource for &'a PitchedBuffer<T> {
    type Source = View2d<&'a DeviceSlice<T>>;

    fn __as_copy_source(self) -> Self::Source {
        self.as_view()
    }
}

impl<'a, T: 'a> ToDestination for &'a mut PitchedBuffer<T> {
    type Destination = View2d<&'a mut DeviceSlice<T>>;

    fn __as_copy_destination(self) -> Self::Destination {
        self.as_view_mut()
    }
}

/// Shows address, extents and pitch, not the elements.
impl<T> fmt::Debug for PitchedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PitchedBuffer")
            .field("address", &self.as_device_ptr())
            .field("extents", &self.extents())
            .field("pitch_in_bytes", &self.pitch_in_bytes())
            .finish()
    }
}
