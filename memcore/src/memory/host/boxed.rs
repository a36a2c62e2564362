//! What page-locked and unified boxes have in common: the whole of `Box<T>`, and the constructors.

/// Writes the public surface of a box that wraps a `HostArray` of length 1, and what it is to the host.
macro_rules! host_box {
    ($box:ident, $flags:ty, $raw:ty, $to_raw:expr, $from_raw:expr) => {
        impl<T> $box<T> {
            /// A copy of `value`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn new(value: &T) -> Result<Self>
            where
                T: DeviceCopy,
            {
                Ok(Self { array: HostArray::copied(None, <$flags>::default(), core::slice::from_ref(value))? })
            }

            /// As [`new`](Self::new), in `context`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn new_in(context: &Context, value: &T) -> Result<Self>
            where
                T: DeviceCopy,
            {
                Ok(Self { array: HostArray::copied(Some(context), <$flags>::default(), core::slice::from_ref(value))? })
            }

            /// As [`new_in`](Self::new_in), of memory with `flags`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn new_with(context: &Context, flags: $flags, value: &T) -> Result<Self>
            where
                T: DeviceCopy,
            {
                Ok(Self { array: HostArray::copied(Some(context), flags, core::slice::from_ref(value))? })
            }

            /// A value of zero bytes.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn zeroed() -> Result<Self>
            where
                T: Zeroable,
            {
                Ok(Self { array: HostArray::zeros(None, <$flags>::default(), 1)? })
            }

            /// As [`zeroed`](Self::zeroed), in `context`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn zeroed_in(context: &Context) -> Result<Self>
            where
                T: Zeroable,
            {
                Ok(Self { array: HostArray::zeros(Some(context), <$flags>::default(), 1)? })
            }

            /// As [`zeroed_in`](Self::zeroed_in), of memory with `flags`.
            ///
            /// # Errors
            ///
            /// See the type's page.
            #[track_caller]
            pub fn zeroed_with(context: &Context, flags: $flags) -> Result<Self>
            where
                T: Zeroable,
            {
                Ok(Self { array: HostArray::zeros(Some(context), flags, 1)? })
            }

            /// Room for a value, whose bytes are whatever they are.
            ///
            /// # Errors
            ///
            /// See the type's page.
            ///
            /// # Safety
            ///
            /// The value is written before anything reads it, or makes a reference to it as a `T`: take the pointer of
            /// [`into_raw`](Self::into_raw), write through it, and put the box together again.
            #[doc(alias = "alloc")]
            #[track_caller]
            pub unsafe fn uninitialized() -> Result<Self> {
                // SAFETY: the caller's contract.
                Ok(Self { array: unsafe { HostArray::uninitialized(None, <$flags>::default(), 1)? } })
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
            pub unsafe fn uninitialized_in(context: &Context) -> Result<Self> {
                // SAFETY: the caller's contract.
                Ok(Self { array: unsafe { HostArray::uninitialized(Some(context), <$flags>::default(), 1)? } })
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
            pub unsafe fn uninitialized_with(context: &Context, flags: $flags) -> Result<Self> {
                // SAFETY: the caller's contract.
                Ok(Self { array: unsafe { HostArray::uninitialized(Some(context), flags, 1)? } })
            }

            /// Frees the memory and says whether that worked; on a failure the box comes back with the error.
            ///
            /// # Errors
            ///
            /// The driver's code, with the box; [`Error::Unsettled`].
            #[track_caller]
            pub fn try_free(self) -> Result<(), (Error, Self)> {
                self.array.try_free().map_err(|(error, array)| (error, Self { array }))
            }

            /// Gives up ownership: the memory is freed when [`from_raw`](Self::from_raw) makes a box of it again. Its
            /// context stays open for the life of the process.
            #[must_use = "the memory is leaked unless it is put together again"]
            pub fn into_raw(self) -> $raw {
                $to_raw(self.array.into_raw_parts().0)
            }

            /// Takes ownership of a value in memory of this kind.
            ///
            /// # Safety
            ///
            /// As the buffer's `from_raw_parts` with a length of 1.
            #[must_use]
            pub unsafe fn from_raw(pointer: $raw) -> Self {
                // SAFETY: the caller's contract.
                Self { array: unsafe { HostArray::from_raw_parts($from_raw(pointer), 1) } }
            }

            /// The value for the rest of the process: it is never freed.
            #[must_use]
            pub fn leak<'a>(self) -> &'a mut T
            where
                T: 'a,
            {
                &mut self.array.leak()[0]
            }
        }

        impl<T> Deref for $box<T> {
            type Target = T;

            fn deref(&self) -> &T {
                &self.array[0]
            }
        }

        impl<T> DerefMut for $box<T> {
            fn deref_mut(&mut self) -> &mut T {
                &mut self.array[0]
            }
        }

        host_traits!($box, T);

        impl<T: fmt::Display> fmt::Display for $box<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }

        impl<T> fmt::Pointer for $box<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Pointer::fmt(&self.array.as_ptr(), f)
            }
        }

        /// Shows the address, as all of memcore's memory does; `{}` shows the value.
        impl<T> fmt::Debug for $box<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($box)).field(&self.array.as_ptr()).finish()
            }
        }
    };
}

pub(super) use host_box;
