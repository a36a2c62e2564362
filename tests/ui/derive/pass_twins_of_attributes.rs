//! What to write in place of each attribute that is refused.
#![allow(dead_code, clippy::new_ret_no_self, clippy::wrong_self_convention)]

fn accepts<T: memcore::DeviceCopy>() {}

mod repr_align {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    #[repr(align(8))]
    struct Record {
        key: u64,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod repr_missing {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        key: u64,
    }

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(transparent)]
    struct Key(u64);

    pub(super) fn check() {
        accepts::<Record>();
        accepts::<Key>();
    }
}

mod repr_packed {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C, packed)]
    struct Record {
        kind: u8,
        key: u64,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod option_on_field {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[device_copy()]
    #[repr(C)]
    struct Record {
        key: u64,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod option_unknown {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[device_copy(crate = "memcore")]
    #[repr(C)]
    struct Record {
        key: u64,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod crate_path {
    use super::accepts;
    use memcore::DeviceCopy;

    mod prelude {
        pub use memcore as device;
    }

    #[derive(Clone, Copy, DeviceCopy)]
    #[device_copy(crate = "crate::crate_path::prelude::device")]
    #[repr(C)]
    struct Record {
        key: u64,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod not_copy {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        key: u64,
    }

    #[derive(DeviceCopy)]
    #[repr(C)]
    struct ByHand {
        key: u64,
    }

    impl Copy for ByHand {}

    impl Clone for ByHand {
        fn clone(&self) -> Self {
            *self
        }
    }

    pub(super) fn check() {
        accepts::<Record>();
        accepts::<ByHand>();
    }
}

mod foreign_method {
    use super::accepts;
    use memcore::DeviceCopy;

    trait Layout: Sized {
        fn new(self) {}
        fn plain(self) {}
        fn memcore_verify_copy(&self) {}
    }

    impl<T> Layout for T {}

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        flag: u64,
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

fn main() {
    repr_align::check();
    repr_missing::check();
    repr_packed::check();
    option_on_field::check();
    option_unknown::check();
    crate_path::check();
    not_copy::check();
    foreign_method::check();
}
