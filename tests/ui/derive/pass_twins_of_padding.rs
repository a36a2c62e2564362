//! What to write in place of each gap.
#![allow(dead_code)]

fn accepts<T: memcore::DeviceCopy>() {}

mod padding_align {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C, align(16))]
    struct Record {
        key: u64,
        _pad0: [u8; 8],
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod padding_between {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Particle {
        id: u32,
        kind: u8,
        _pad1: [u8; 3],
        position: [f32; 3],
    }

    pub(super) fn check() {
        accepts::<Particle>();
    }
}

mod padding_empty_array {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        kind: [u8; 8],
        tail: [u64; 0],
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod padding_every_gap {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        a: u8,
        _pad0: [u8; 1],
        b: u16,
        _pad2: u8,
        _pad3: [u8; 3],
        c: u32,
        r#type: u8,
        _pad5: [u8; 3],
        d: u64,
        e: u8,
        _pad7: [u8; 7],
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod padding_nested {
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
        kind: [u8; 4],
        inner: [Inner; 2],
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod padding_packed {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C, packed(2))]
    struct Record {
        kind: u8,
        _pad0: u8,
        key: u64,
    }

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C, packed)]
    struct Dense {
        kind: u8,
        key: u64,
    }

    pub(super) fn check() {
        accepts::<Record>();
        accepts::<Dense>();
    }
}

mod padding_tail {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        key: u64,
        flag: u16,
        _pad1: [u8; 6],
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod padding_tuple {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record(u8, [u8; 3], u32);

    pub(super) fn check() {
        accepts::<Record>();
    }
}

mod array_of_any_size {
    use super::accepts;
    use memcore::DeviceCopy;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Record {
        small: [f32; 33],
        odd: [u8; 4],
        wide: [[u64; 64]; 2],
        large: [u64; 100_001],
    }

    pub(super) fn check() {
        accepts::<Record>();
    }
}

fn main() {
    padding_align::check();
    padding_between::check();
    padding_empty_array::check();
    padding_every_gap::check();
    padding_nested::check();
    padding_packed::check();
    padding_tail::check();
    padding_tuple::check();
    array_of_any_size::check();
}
