use memcore::DeviceCopy;

mod allowed {
    use memcore_test_macros::align_to_16 as must_use;

    #[derive(Clone, Copy, memcore::DeviceCopy)]
    #[must_use]
    #[repr(C)]
    struct Pair<T>(T, T);
}

mod documented {
    use memcore_test_macros::align_to_16 as doc;

    #[derive(Clone, Copy, memcore::DeviceCopy)]
    #[doc = "A pair."]
    #[repr(C)]
    struct Pair<T>(T, T);
}

mod repeated {
    use memcore_test_macros::align_to_16 as repr;

    #[derive(Clone, Copy, memcore::DeviceCopy)]
    #[repr(C)]
    struct Pair<T>(T, T);
}

mod optioned {
    use memcore_test_macros::align_to_16 as device_copy;

    #[derive(Clone, Copy, memcore::DeviceCopy)]
    #[device_copy(crate = "memcore")]
    #[repr(C)]
    struct Pair<T>(T, T);
}

mod tooled {
    use memcore_test_macros as clippy;

    #[derive(Clone, Copy, memcore::DeviceCopy)]
    #[clippy::align_to_16]
    #[repr(C)]
    struct Pair<T>(T, T);
}

mod derived {
    use memcore_test_macros::align_to_16 as derive;

    #[std::prelude::v1::derive(Clone, Copy, memcore::DeviceCopy)]
    #[derive]
    #[repr(C)]
    struct Pair<T>(T, T);
}

fn accepts<T: DeviceCopy>() {}

fn main() {}
