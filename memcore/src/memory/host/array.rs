//! An owned array in host memory of any kind: what page-locked and unified buffers and boxes are made of.

use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit, forget};
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use core::slice;
use std::io::{self, Read};

use bytemuck::{AnyBitPattern, NoUninit, Zeroable};

use super::owner::{Allocated, HostOwner};
use crate::context::{Contents, Context};
use crate::error::{Error, Result};
use crate::memory::DeviceCopy;
use crate::memory::size::{bytes_of, view_len};

/// `len` elements in memory of the kind `K`, owned.
pub(super) struct HostArray<T, K: Allocated> {
    /// INVARIANT: `None` where there are no bytes, or where they are not this array's to free.
    owner: Option<HostOwner<K>>,
    /// INVARIANT: aligned; `len` elements, this array's alone, while it lives; dangling where they have no bytes. They
    /// are initialised, or the caller of `uninitialized` keeps them from being referred to.
    pointer: NonNull<T>,
    len: usize,
    marker: PhantomData<T>,
}

// SAFETY: the elements are the array's own, as a `Box<[T]>`'s are.
unsafe impl<T: Send, K: Allocated> Send for HostArray<T, K> {}
// SAFETY: as above.
unsafe impl<T: Sync, K: Allocated> Sync for HostArray<T, K> {}

impl<T, K: Allocated> HostArray<T, K> {
    pub(super) const EMPTY: Self = Self { owner: None, pointer: NonNull::dangling(), len: 0, marker: PhantomData };

    #[track_caller]
    pub(super) fn copied(context: Option<&Context>, flags: K::Flags, source: &[T]) -> Result<Self>
    where
        T: DeviceCopy,
    {
        let array = Self::allocate(context, flags, source.len(), Contents::Any)?;
        // SAFETY: as many elements on both sides, the one new memory; `T` is `Copy`.
        unsafe { array.pointer.as_ptr().copy_from_nonoverlapping(source.as_ptr(), source.len()) };
        K::written(flags);
        Ok(array)
    }

    #[track_caller]
    pub(super) fn zeros(context: Option<&Context>, flags: K::Flags, len: usize) -> Result<Self>
    where
        T: Zeroable,
    {
        let array = Self::allocate(context, flags, len, Contents::Zeros)?;
        K::written(flags);
        Ok(array)
    }

    #[track_caller]
    pub(super) fn repeated(context: Option<&Context>, flags: K::Flags, value: T, len: usize) -> Result<Self>
    where
        T: DeviceCopy,
    {
        let array = Self::allocate(context, flags, len, Contents::Any)?;
        let room = array.pointer.as_ptr().cast::<MaybeUninit<T>>();
        if size_of::<T>() == 0 {
            return Ok(array); // `len` may be astronomical.
        }
        // SAFETY: the new memory has room for `len` elements, and is borrowed for this statement alone.
        unsafe { slice::from_raw_parts_mut(room, len) }.fill(MaybeUninit::new(value));
        K::written(flags);
        Ok(array)
    }

    /// Room for `len` elements, whose bytes are whatever they are.
    ///
    /// # Safety
    ///
    /// Every element is written before anything reads it, or makes a reference to it as a `T`.
    #[track_caller]
    pub(super) unsafe fn uninitialized(context: Option<&Context>, flags: K::Flags, len: usize) -> Result<Self> {
        Self::allocate(context, flags, len, Contents::Any)
    }

    /// Room for `len` elements: the caller initialises them before the array is given out, unless zeros are values.
    #[track_caller]
    fn allocate(context: Option<&Context>, flags: K::Flags, len: usize, contents: Contents) -> Result<Self> {
        let bytes = bytes_of::<T>(len)?;
        if bytes == 0 {
            return Ok(Self { len, ..Self::EMPTY });
        }
        let context = match context {
            Some(context) => context.clone(),
            None => Context::current()?,
        };
        let owner = HostOwner::allocate(context.inner, bytes, flags, contents)?;
        let pointer = owner.pointer().cast::<T>();
        if !pointer.is_aligned() {
            return Err(Error::Unsupported { what: "host memory of such an alignment" });
        }
        Ok(Self { owner: Some(owner), pointer, len, marker: PhantomData })
    }

    /// # Safety
    ///
    /// `pointer` is the start of an allocation of this kind, of at least `len` elements, initialised, aligned for `T`,
    /// not used by pending work, and nobody else's from here on. A `len` of 0 asks for nothing, and takes nothing over.
    pub(super) unsafe fn from_raw_parts(pointer: *mut T, len: usize) -> Self {
        let Some(start) = NonNull::new(pointer).filter(|_| len != 0 && size_of::<T>() != 0) else {
            return Self { len, ..Self::EMPTY };
        };
        // SAFETY: the caller hands over the allocation at this address.
        let owner = unsafe { HostOwner::adopt(start.cast(), len * size_of::<T>()) }
            .inspect_err(|error| log::error!("host memory at {pointer:p} cannot be freed: {error}"))
            .ok();
        Self { owner, pointer: start, len, marker: PhantomData }
    }

    pub(super) fn into_raw_parts(self) -> (*mut T, usize) {
        let parts = (self.pointer.as_ptr(), self.len);
        forget(self);
        parts
    }

    pub(super) fn leak<'a>(self) -> &'a mut [T]
    where
        T: 'a,
        K: 'a,
    {
        let leaked = ManuallyDrop::new(self);
        // SAFETY: by the invariant `len` initialised elements, which are never freed, and nothing else refers to them.
        unsafe { slice::from_raw_parts_mut(leaked.pointer.as_ptr(), leaked.len) }
    }

    #[track_caller]
    pub(super) fn try_free(mut self) -> Result<(), (Error, Self)> {
        // No `map`: the line that a report names does not pass through it.
        let Some(owner) = self.owner.take() else { return Ok(()) };
        match owner.free() {
            Ok(()) => Ok(()),
            Err((error, owner)) => {
                self.owner = Some(owner);
                Err((error, self))
            }
        }
    }

    pub(super) fn address(&self) -> u64 {
        self.pointer.as_ptr().expose_provenance() as u64
    }

    /// The address for a device, as the driver says; the host's where there is no memory.
    #[track_caller]
    pub(super) fn device_address(&self) -> Result<u64> {
        match &self.owner {
            Some(owner) => owner.device_address(),
            None => Ok(self.address()),
        }
    }

    pub(super) fn view_as<U: AnyBitPattern>(&self) -> Result<&[U]>
    where
        T: NoUninit,
    {
        let (pointer, len) = self.view()?;
        // SAFETY: the same initialised bytes, as many and aligned, any of which are a `U`; borrowed as `self` is.
        Ok(unsafe { slice::from_raw_parts(pointer.as_ptr(), len) })
    }

    pub(super) fn view_as_mut<U: AnyBitPattern + NoUninit>(&mut self) -> Result<&mut [U]>
    where
        T: NoUninit + AnyBitPattern,
    {
        let (pointer, len) = self.view()?;
        // SAFETY: the same initialised bytes, as many and aligned, any of which are a `U` and a `T`; borrowed as `self`
        // is.
        Ok(unsafe { slice::from_raw_parts_mut(pointer.as_ptr(), len) })
    }

    pub(super) fn cast<U: AnyBitPattern>(mut self) -> Result<HostArray<U, K>, (Error, Self)>
    where
        T: NoUninit,
    {
        match self.view() {
            Ok((pointer, len)) => Ok(HostArray { owner: self.owner.take(), pointer, len, marker: PhantomData }),
            Err(error) => Err((error, self)),
        }
    }

    /// Where the elements would lie as `U`s, and how many: aligned, dangling where there are none.
    fn view<U>(&self) -> Result<(NonNull<U>, usize)> {
        let len = view_len::<T, U>(self.pointer.addr().get() as u64, self.len)?;
        Ok((if len == 0 { NonNull::dangling() } else { self.pointer.cast() }, len))
    }

    /// Fills the array from its start until it is full or the reader ends; how many elements were read.
    pub(super) fn read_from(&mut self, mut reader: impl Read) -> io::Result<usize>
    where
        T: NoUninit + AnyBitPattern,
    {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(self);
        let mut filled = 0;
        while filled < bytes.len() {
            match reader.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) if count > bytes.len() - filled => {
                    return Err(io::Error::other("the reader says that it read more than there was room for"));
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let size = size_of::<T>().max(1);
        if filled % size != 0 {
            let message = format!("the data ends {} bytes into an element of {size}", filled % size);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        Ok(filled / size)
    }
}

impl<T, K: Allocated> Deref for HostArray<T, K> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: by the invariant `len` initialised elements, which are borrowed as `self` is.
        unsafe { slice::from_raw_parts(self.pointer.as_ptr(), self.len) }
    }
}

impl<T, K: Allocated> DerefMut for HostArray<T, K> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: by the invariant `len` initialised elements, which are borrowed as `self` is.
        unsafe { slice::from_raw_parts_mut(self.pointer.as_ptr(), self.len) }
    }
}
