//! What to write in place of each field that is refused.
#![allow(dead_code)]

fn accepts<T: memcore::DeviceCopy>() {}

mod for_bool {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        flag: u8,
        _pad0: [u8; 3],
        key: u32,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_bool_alias {
    use super::accepts;
    use memcore::DeviceCopy;

    type Flags = [[u8; 4]; 2];

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        key: u64,
        field: Flags,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_box {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        before: u64,
        field: f64,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_cell {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        count: u32,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_char {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        letters: [u32; 2],
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_function {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        before: u64,
        field: u64,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_function_alias {
    use super::accepts;
    use memcore::DeviceCopy;

    type Callback = u64;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        before: u64,
        field: Callback,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_maybe_uninit {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        before: u64,
        field: u64,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_non_null {
    use super::accepts;
    use memcore::DeviceCopy;
    use memcore::prelude::DevicePointer;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        before: u64,
        field: DevicePointer<f32>,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_non_zero {
    use super::accepts;
    use memcore::DeviceCopy;
    use std::num::NonZeroU32;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        key: Option<NonZeroU32>,
        next: u32,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_raw_pointer {
    use super::accepts;
    use memcore::DeviceCopy;
    use memcore::prelude::DevicePointer;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        before: u64,
        field: DevicePointer<f32>,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_raw_pointer_alias {
    use super::accepts;
    use memcore::DeviceCopy;
    use memcore::prelude::DevicePointer;

    type Samples = DevicePointer<f32>;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        before: u64,
        field: [Samples; 2],
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_reference {
    use super::accepts;
    use memcore::DeviceCopy;
    use memcore::prelude::DevicePointer;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        before: u64,
        field: DevicePointer<f32>,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_reference_alias {
    use super::accepts;
    use memcore::DeviceCopy;
    use memcore::prelude::DevicePointer;

    type Text = DevicePointer<u8>;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        before: u64,
        field: Text,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_reference_array {
    use super::accepts;
    use memcore::DeviceCopy;
    use memcore::prelude::DevicePointer;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        before: u64,
        field: [DevicePointer<u8>; 2],
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_string {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        before: u64,
        field: [u8; 16],
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_vec {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        before: u64,
        field: [f32; 4],
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_tuple_field {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        pair: [u32; 2],
        nothing: (),
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_struct_without_derive {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Inner {
        value: u32,
    }

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        inner: Inner,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_nested_mistake {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Inner {
        flag: u8,
    }

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        inner: Inner,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_lifetime {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        values: memcore::DevicePointer<f32>,
        count: u64,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_slice {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        before: u64,
        field: [u8; 8],
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_trait_object {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record<T> {
        field: T,
    }

    pub(super) fn check() {
        accepts::<Record<f32>>();
    }
}

mod for_enum_field {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(u32)]
    enum Kind {
        First,
    }

    #[derive(Clone, Copy, DeviceCopy)]
    #[device_copy(checked)]
    #[repr(C)]
    struct Record {
        kind: Kind,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod for_checked_array_as_element {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[device_copy(checked)]
    #[repr(transparent)]
    struct Flags([bool; 2]);

    pub(super) fn check() {
        accepts::<Flags>();
        accepts::<[u8; 2]>();
    }
}

mod for_zeroed {
    use super::accepts;

    pub(super) fn check() {
        accepts::<Option<std::num::NonZeroU32>>();
        let _zeroed = memcore::DeviceBuffer::<f32>::zeroed;
    }
}

fn main() {
    for_bool::check();
    for_bool_alias::check();
    for_box::check();
    for_cell::check();
    for_char::check();
    for_function::check();
    for_function_alias::check();
    for_maybe_uninit::check();
    for_non_null::check();
    for_non_zero::check();
    for_raw_pointer::check();
    for_raw_pointer_alias::check();
    for_reference::check();
    for_reference_alias::check();
    for_reference_array::check();
    for_string::check();
    for_vec::check();
    for_tuple_field::check();
    for_struct_without_derive::check();
    for_nested_mistake::check();
    for_lifetime::check();
    for_slice::check();
    for_trait_object::check();
    for_enum_field::check();
    for_checked_array_as_element::check();
    for_zeroed::check();
}
