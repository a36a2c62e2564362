//! What page-locked and unified buffers have in common: the whole of `Box<[T]>`, and the constructors.

/// Writes the public surface of a buffer that wraps a `HostArray`, and what it is to the host.
macro_rules! host_buffer {
    ($buffer:ident, $flags:ty, $raw:ty, $to_raw:expr, $from_raw:expr, $made_by:literal, $freed_by:literal,
     $write_example:literal) => {
        impl<T> $buffer<T> {
            /// A copy of `source`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn from_slice(source: &[T]) -> Result<Self>
            where
                T: DeviceCopy,
            {
                Ok(Self { array: HostArray::copied(None, <$flags>::default(), source)? })
            }

            /// As [`from_slice`](Self::from_slice), in `context`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn from_slice_in(context: &Context, source: &[T]) -> Result<Self>
            where
                T: DeviceCopy,
            {
                Ok(Self { array: HostArray::copied(Some(context), <$flags>::default(), source)? })
            }

            /// As [`from_slice_in`](Self::from_slice_in), of memory with `flags`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn from_slice_with(context: &Context, flags: $flags, source: &[T]) -> Result<Self>
            where
                T: DeviceCopy,
            {
                Ok(Self { array: HostArray::copied(Some(context), flags, source)? })
            }

            /// `len` elements of zero bytes.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn zeroed(len: usize) -> Result<Self>
            where
                T: Zeroable,
            {
                Ok(Self { array: HostArray::zeros(None, <$flags>::default(), len)? })
            }

            /// As [`zeroed`](Self::zeroed), in `context`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn zeroed_in(context: &Context, len: usize) -> Result<Self>
            where
                T: Zeroable,
            {
                Ok(Self { array: HostArray::zeros(Some(context), <$flags>::default(), len)? })
            }

            /// As [`zeroed_in`](Self::zeroed_in), of memory with `flags`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn zeroed_with(context: &Context, flags: $flags, len: usize) -> Result<Self>
            where
                T: Zeroable,
            {
                Ok(Self { array: HostArray::zeros(Some(context), flags, len)? })
            }

            /// `len` times `value`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[doc(alias = "new")]
            #[track_caller]
            pub fn filled(value: T, len: usize) -> Result<Self>
            where
                T: DeviceCopy,
            {
                Ok(Self { array: HostArray::repeated(None, <$flags>::default(), value, len)? })
            }

            /// As [`filled`](Self::filled), in `context`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn filled_in(context: &Context, value: T, len: usize) -> Result<Self>
            where
                T: DeviceCopy,
            {
                Ok(Self { array: HostArray::repeated(Some(context), <$flags>::default(), value, len)? })
            }

            /// As [`filled_in`](Self::filled_in), of memory with `flags`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn filled_with(context: &Context, flags: $flags, value: T, len: usize) -> Result<Self>
            where
                T: DeviceCopy,
            {
                Ok(Self { array: HostArray::repeated(Some(context), flags, value, len)? })
            }

            /// Room for `len` elements, whose bytes are whatever they are.
            ///
            /// # Errors
            ///
            /// See the type's page.
            ///
            /// # Safety
            ///
            /// Every element is written before anything reads it, or makes a reference to it as a `T`: take the pointer
            /// of [`into_raw_parts`](Self::into_raw_parts), write through it, and put the buffer together again.
            ///
            /// ```
            /// use memcore::prelude::*;
            ///
            #[doc = concat!("// SAFETY: nothing touches the elements before they are written below.")]
            #[doc = concat!("let (pointer, len) = unsafe { ", stringify!($buffer), "::<u32>::uninitialized(4)? }.into_raw_parts();")]
            #[doc = $write_example]
            /// // SAFETY: the parts of a buffer that was just taken apart, written now.
            #[doc = concat!("let buffer = unsafe { ", stringify!($buffer), "::from_raw_parts(pointer, len) };")]
            /// assert_eq!(*buffer, [7; 4]);
            /// # Ok::<(), memcore::Error>(())
            /// ```
            #[doc(alias = "alloc")]
            #[track_caller]
            pub unsafe fn uninitialized(len: usize) -> Result<Self> {
                // SAFETY: the caller's contract.
                Ok(Self { array: unsafe { HostArray::uninitialized(None, <$flags>::default(), len)? } })
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
            pub unsafe fn uninitialized_in(context: &Context, len: usize) -> Result<Self> {
                // SAFETY: the caller's contract.
                Ok(Self { array: unsafe { HostArray::uninitialized(Some(context), <$flags>::default(), len)? } })
            }

            /// As [`uninitialized_in`](Self::uninitialized_in), of memory with `flags`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            ///
            /// # Safety
            ///
            /// As [`uninitialized`](Self::uninitialized).
            #[track_caller]
            pub unsafe fn uninitialized_with(context: &Context, flags: $flags, len: usize) -> Result<Self> {
                // SAFETY: the caller's contract.
                Ok(Self { array: unsafe { HostArray::uninitialized(Some(context), flags, len)? } })
            }

            /// How many bytes the elements have.
            #[must_use]
            pub fn size_in_bytes(&self) -> usize {
                size_of_val(self.as_slice())
            }

            /// The elements.
            #[must_use]
            pub fn as_slice(&self) -> &[T] {
                &self.array
            }

            /// The elements, mutably.
            #[must_use]
            pub fn as_mut_slice(&mut self) -> &mut [T] {
                &mut self.array
            }

            #[doc = concat!("Frees the memory (", $freed_by, "; it may wait for device work) and says whether that worked; on a failure the buffer")]
            /// comes back with the error.
            ///
            /// # Errors
            ///
            /// The driver's code, with the buffer; [`Error::Unsettled`].
            #[track_caller]
            pub fn try_free(self) -> Result<(), (Error, Self)> {
                self.array.try_free().map_err(|(error, array)| (error, Self { array }))
            }

            /// Gives up ownership: the memory is freed when [`from_raw_parts`](Self::from_raw_parts) makes a buffer of
            /// it again. Its context stays open for the life of the process.
            #[must_use = "the memory is leaked unless it is put together again"]
            pub fn into_raw_parts(self) -> ($raw, usize) {
                let (pointer, len) = self.array.into_raw_parts();
                ($to_raw(pointer), len)
            }

            /// Takes ownership of memory: made by [`into_raw_parts`](Self::into_raw_parts), or by another library with
            #[doc = concat!("`", $made_by, "`.")]
            ///
            /// If no context can be opened to free it in, it leaks, which is logged.
            ///
            /// # Safety
            ///
            /// `pointer` is the start of such an allocation, of at least `len` elements, initialised, aligned for `T`,
            /// not used by pending work, and nobody else's from here on; the context that it was made in is open in
            /// memcore. A `len` of 0 asks for nothing, and takes nothing over.
            #[must_use]
            pub unsafe fn from_raw_parts(pointer: $raw, len: usize) -> Self {
                // SAFETY: the caller's contract.
                Self { array: unsafe { HostArray::from_raw_parts($from_raw(pointer), len) } }
            }

            /// The memory for the rest of the process: it is never freed.
            #[must_use]
            pub fn leak<'a>(self) -> &'a mut [T]
            where
                T: 'a,
            {
                self.array.leak()
            }

            /// The same memory as `U`s.
            ///
            /// ```
            /// use memcore::prelude::*;
            ///
            #[doc = concat!("let buffer = ", stringify!($buffer), "::from_slice(&[1.0f32, 2.0])?;")]
            /// assert_eq!(buffer.view_as::<u32>()?, [0x3F80_0000, 0x4000_0000]);
            /// # Ok::<(), memcore::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`Error::InvalidView`] if the size is no multiple of `U`'s, the address is not aligned for `U`, or `U`
            /// has no bytes.
            pub fn view_as<U: AnyBitPattern>(&self) -> Result<&[U]>
            where
                T: NoUninit,
            {
                self.array.view_as()
            }

            /// The same memory as `U`s, mutably.
            ///
            /// # Errors
            ///
            /// As [`view_as`](Self::view_as).
            pub fn view_as_mut<U: AnyBitPattern + NoUninit>(&mut self) -> Result<&mut [U]>
            where
                T: NoUninit + AnyBitPattern,
            {
                self.array.view_as_mut()
            }

            /// The same memory as a buffer of `U`s, which frees it.
            ///
            /// # Errors
            ///
            /// As [`view_as`](Self::view_as), with the buffer.
            pub fn cast<U: AnyBitPattern>(self) -> Result<$buffer<U>, (Error, Self)>
            where
                T: NoUninit,
            {
                let cast = self.array.cast().map(|array| $buffer { array });
                cast.map_err(|(error, array)| (error, Self { array }))
            }

            /// Fills the buffer from its start with what `reader` gives, until it is full or the reader ends, and
            /// returns how many elements were read. The bytes go straight into this memory; it waits for the reader
            /// alone.
            ///
            /// ```
            /// use memcore::prelude::*;
            ///
            #[doc = concat!("let mut buffer = ", stringify!($buffer), "::filled(0u16, 4)?;")]
            /// let read = buffer.read_from(&mut [1, 0, 2, 0].as_slice())?;
            /// assert_eq!((read, &buffer[..read]), (2, [1u16.to_le(), 2u16.to_le()].as_slice()));
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            ///
            /// # Errors
            ///
            /// The reader's own; [`UnexpectedEof`](std::io::ErrorKind::UnexpectedEof) if it ends in the middle of an
            /// element.
            pub fn read_from(&mut self, reader: impl Read) -> io::Result<usize>
            where
                T: NoUninit + AnyBitPattern,
            {
                self.array.read_from(reader)
            }
        }

        host_slice!($buffer);

        /// An empty buffer, which makes no driver call.
        impl<T> Default for $buffer<T> {
            fn default() -> Self {
                Self { array: HostArray::EMPTY }
            }
        }
    };
}

/// What an owner of several elements is to the host, which has `as_slice` and `as_mut_slice`: the traits that `Box<[T]>` has.
macro_rules! host_slice {
    ($buffer:ident) => {
        impl<T> Deref for $buffer<T> {
            type Target = [T];

            fn deref(&self) -> &[T] {
                self.as_slice()
            }
        }

        impl<T> DerefMut for $buffer<T> {
            fn deref_mut(&mut self) -> &mut [T] {
                self.as_mut_slice()
            }
        }

        host_traits!($buffer, [T]);

        impl<'a, T> IntoIterator for &'a $buffer<T> {
            type Item = &'a T;
            type IntoIter = core::slice::Iter<'a, T>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }

        impl<'a, T> IntoIterator for &'a mut $buffer<T> {
            type Item = &'a mut T;
            type IntoIter = core::slice::IterMut<'a, T>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter_mut()
            }
        }

        /// Shows address and length, as all of memcore's memory does; `{:?}` of the slice shows the contents.
        impl<T> fmt::Debug for $buffer<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let pointer = self.as_slice().as_ptr();
                f.debug_struct(stringify!($buffer)).field("address", &pointer).field("len", &self.len()).finish()
            }
        }
    };
}

/// What an owner that derefs to `$target` is to the host: the traits that `Box` has.
macro_rules! host_traits {
    ($owner:ident, $target:ty) => {
        impl<T> AsRef<$target> for $owner<T> {
            fn as_ref(&self) -> &$target {
                self
            }
        }

        impl<T> AsMut<$target> for $owner<T> {
            fn as_mut(&mut self) -> &mut $target {
                self
            }
        }

        impl<T> Borrow<$target> for $owner<T> {
            fn borrow(&self) -> &$target {
                self
            }
        }

        impl<T> BorrowMut<$target> for $owner<T> {
            fn borrow_mut(&mut self) -> &mut $target {
                self
            }
        }

        impl<T: PartialEq> PartialEq for $owner<T> {
            fn eq(&self, other: &Self) -> bool {
                **self == **other
            }
        }

        impl<T: Eq> Eq for $owner<T> {}

        impl<T: PartialOrd> PartialOrd for $owner<T> {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                (**self).partial_cmp(&**other)
            }
        }

        impl<T: Ord> Ord for $owner<T> {
            fn cmp(&self, other: &Self) -> Ordering {
                (**self).cmp(&**other)
            }
        }

        impl<T: Hash> Hash for $owner<T> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                (**self).hash(state);
            }
        }
    };
}

pub(super) use {host_buffer, host_slice, host_traits};
