//! `#[derive(DeviceCopy)]` on plain data, as a program sees it. What it refuses is in `tests/ui/derive`, and data that is
//! checked when it comes back in `derive_checked.rs`.

use std::{
    marker::PhantomData,
    mem::{align_of, offset_of, size_of},
    num::{NonZeroU32, Wrapping},
};

use memcore::{bytemuck, prelude::*};

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C)]
struct Particle {
    id: u32,
    kind: u8,
    _pad1: [u8; 3],
    position: [f32; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C)]
struct Pair(Particle, Particle);

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(transparent)]
struct Meters(f64);

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed)]
struct Dense {
    kind: u8,
    key: u64,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed(2))]
struct HalfDense {
    kind: u16,
    key: u64,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, align(16))]
struct Aligned {
    value: [f32; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C)]
struct Unit;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Marked {
    key: u64,
    owner: PhantomData<Vec<String>>,
    unit: Unit,
    optional: Option<NonZeroU32>,
    wrapping: Wrapping<u32>,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Large {
    values: [[u16; 64]; 33],
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
union Bits {
    number: f32,
    integer: u32,
    bytes: [u8; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C)]
struct OneType<T, const N: usize> {
    first: T,
    others: [T; N],
    marker: PhantomData<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C, packed)]
struct DensePair<T, U>(T, U);

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[device_copy(instances(Mixed<f32, u32>, Mixed<[u8; 2], i16>))]
#[repr(C)]
struct Mixed<T, U> {
    one: T,
    other: U,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C)]
struct Foreign {
    vector: glam::Vec3,
    half: half::f16,
    halves: [half::bf16; 3],
    complex: num_complex::Complex<f32>,
    matrix: nalgebra::Matrix2<f32>,
    scale: f32,
    next: DevicePointer<String>,
    optional: Option<NonZeroU32>,
    wrapping: Wrapping<[u16; 2]>,
}

fn device_copy<T: DeviceCopy>() -> (usize, usize) {
    (size_of::<T>(), align_of::<T>())
}

#[test]
fn derived_types_satisfy_every_bound() {
    fn pod<T: bytemuck::Pod>() {}
    fn both_ways<T: bytemuck::NoUninit + bytemuck::CheckedBitPattern>() {}
    macro_rules! check {
        ($($type:ty: $size:literal, $align:literal;)*) => {$(
            pod::<$type>();
            both_ways::<$type>();
            assert_eq!(device_copy::<$type>(), ($size, $align), stringify!($type));
            assert_eq!(device_copy::<[$type; 3]>(), (3 * $size, $align), stringify!([$type; 3]));
        )*};
    }
    check! {
        Particle: 20, 4;
        Pair: 40, 4;
        Meters: 8, 8;
        Dense: 9, 1;
        HalfDense: 10, 2;
        Aligned: 16, 16;
        Unit: 0, 1;
        Marked: 16, 8;
        Large: 4224, 2;
        Bits: 4, 4;
        OneType<u64, 3>: 32, 8;
        OneType<Particle, 0>: 20, 4;
        DensePair<u8, f64>: 9, 1;
        Mixed<f32, u32>: 8, 4;
        Mixed<[u8; 2], i16>: 4, 2;
        Foreign: 64, 8;
    }
}

#[test]
fn bytes_are_those_of_the_fields() {
    let particle = Particle { id: 0x0403_0201, kind: 5, _pad1: [6, 7, 8], position: [1.0, -2.5, 0.0] };
    let bytes = bytemuck::bytes_of(&particle);
    assert_eq!(bytes[..4], 0x0403_0201_u32.to_ne_bytes());
    assert_eq!(bytes[4..8], [5, 6, 7, 8]);
    assert_eq!(offset_of!(Particle, position), 8);
    assert_eq!(bytes[12..16], (-2.5_f32).to_ne_bytes());
    assert_eq!(*bytemuck::from_bytes::<Particle>(bytes), particle);
}

#[test]
fn bytes_of_packed_structs_have_no_gap() {
    let dense = Dense { kind: 1, key: u64::from_ne_bytes([2, 3, 4, 5, 6, 7, 8, 9]) };
    assert_eq!(bytemuck::bytes_of(&dense), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let half = HalfDense { kind: u16::from_ne_bytes([1, 2]), key: u64::from_ne_bytes([3, 4, 5, 6, 7, 8, 9, 10]) };
    assert_eq!(bytemuck::bytes_of(&half), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert_eq!({ half.kind }, u16::from_ne_bytes([1, 2]));
}

#[test]
fn zeroed_values_have_zero_fields() {
    let marked: Marked = bytemuck::Zeroable::zeroed();
    assert_eq!((marked.key, marked.optional, marked.wrapping.0), (0, None, 0));
    assert_eq!((marked.owner, marked.unit), (PhantomData, Unit));
    assert_eq!(<Meters as bytemuck::Zeroable>::zeroed(), Meters(0.0));
    assert_eq!(bytemuck::bytes_of(&<Pair as bytemuck::Zeroable>::zeroed()), [0; 40]);
}

#[test]
fn slices_are_cast_both_ways() {
    let values = [Aligned { value: [1.0, 2.0, 3.0, 4.0] }; 2];
    let floats: &[f32] = bytemuck::cast_slice(&values);
    assert_eq!(floats, [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]);
    let large = [Large { values: [[7; 64]; 33] }];
    assert_eq!(bytemuck::cast_slice::<_, u16>(&large).len(), 64 * 33);
    assert_eq!(large[0].values[32][63], 7);
}

#[test]
fn structs_in_functions_are_derived() {
    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Local {
        r#type: u16,
        rest: [u8; 2],
    }
    let local = Local { r#type: u16::from_ne_bytes([1, 2]), rest: [3, 4] };
    assert_eq!(bytemuck::bytes_of(&local), [1, 2, 3, 4]);
    assert_eq!((local.r#type, local.rest), (u16::from_ne_bytes([1, 2]), [3, 4]));
}

/// Under the lints of a strict crate, which clippy looks at here.
#[deny(clippy::all, clippy::pedantic, clippy::nursery, missing_docs, unused, unused_qualifications)]
#[allow(dead_code, reason = "types that are there for the lints")]
#[allow(unreachable_pub, reason = "a library's type, in a test")]
mod strict {
    /// A record.
    #[derive(Clone, Copy, Debug, memcore::DeviceCopy)]
    #[repr(C)]
    pub struct Record {
        /// A key.
        pub key: u64,
        /// A value of another type.
        pub unit: super::Unit,
    }

    /// A kind.
    #[derive(Clone, Copy, Debug, memcore::DeviceCopy)]
    #[repr(u32)]
    pub enum Kind {
        /// The first.
        First,
        /// The second.
        Second,
    }

    /// Checked.
    #[derive(Clone, Copy, Debug, memcore::DeviceCopy)]
    #[device_copy(checked)]
    #[repr(C)]
    pub struct Checked {
        /// A kind.
        pub kind: Kind,
        /// Flags.
        pub flags: [bool; 4],
    }

    /// A union.
    #[derive(Clone, Copy, memcore::DeviceCopy)]
    #[repr(C)]
    pub union Bits {
        /// A number.
        pub number: f32,
        /// Its bits.
        pub integer: u32,
    }

    /// Of one type.
    #[derive(Clone, Copy, Debug, memcore::DeviceCopy)]
    #[repr(C)]
    pub struct Row<T, const N: usize>
    where
        T: Copy,
    {
        /// The first.
        pub first: T,
        /// The others.
        pub others: [T; N],
    }

    /// Of two types.
    #[derive(Clone, Copy, Debug, memcore::DeviceCopy)]
    #[device_copy(instances(Mixed<f32, u32>))]
    #[repr(C)]
    pub struct Mixed<T, U> {
        /// The first.
        pub first: T,
        /// The second.
        pub second: U,
    }

    /// Dense.
    #[derive(Clone, Copy, Debug, memcore::DeviceCopy)]
    #[repr(C, packed)]
    pub struct Dense<T: Copy> {
        /// The first.
        pub first: u8,
        /// The second.
        pub second: T,
    }
}

#[test]
fn strict_lints_find_nothing() {
    let record = strict::Record { key: 3, unit: Unit };
    assert_eq!(bytemuck::bytes_of(&record), 3_u64.to_ne_bytes());
    assert_eq!((record.key, record.unit), (3, Unit));
}

/// Whether values are the same after they have been to a device.
fn comes_back<T: DeviceCopy + PartialEq + std::fmt::Debug>(values: &[T]) {
    let dev = DeviceBuffer::from_slice(values).unwrap();
    assert_eq!(dev.to_vec().unwrap(), values);
}

#[test]
fn types_of_other_crates_need_no_derive_and_no_feature() {
    comes_back(&[glam::Vec3::new(1.0, 2.0, 3.0), glam::Vec3::ZERO]);
    comes_back(&[glam::Mat4::IDENTITY; 3]);
    comes_back(&[half::f16::from_f32(0.5), half::f16::INFINITY]);
    comes_back(&[half::bf16::from_f32(-2.0)]);
    comes_back(&[num_complex::Complex::new(1.0_f64, -1.0)]);
    comes_back(&[nalgebra::Vector3::new(1.0_f32, 2.0, 3.0)]);
    comes_back(&[nalgebra::Matrix4::<f64>::identity()]);
    let foreign = Foreign {
        vector: glam::Vec3::X,
        half: half::f16::ONE,
        halves: [half::bf16::MIN; 3],
        complex: num_complex::Complex::new(1.0, 2.0),
        matrix: nalgebra::Matrix2::identity(),
        scale: 0.5,
        next: DevicePointer::from_raw(16),
        optional: None,
        wrapping: Wrapping([3, 4]),
    };
    comes_back(&[foreign; 100]);
}

#[test]
fn structs_with_parameters_come_back() {
    comes_back(&[OneType { first: 1_u64, others: [2, 3], marker: PhantomData }; 10]);
    comes_back(&[DensePair(1_u8, 0.5_f64), DensePair(2, -0.5)]);
    comes_back(&[Mixed { one: 1.0_f32, other: 2_u32 }]);
    comes_back(&[Mixed { one: [1_u8, 2], other: -3_i16 }]);
}

#[test]
fn unions_come_back_with_the_bytes_that_they_have() {
    let dev = DeviceBuffer::from_slice(&[Bits { number: 1.0 }, Bits { integer: 7 }]).unwrap();
    let back = dev.to_vec().unwrap();
    let integers: &[u32] = bytemuck::cast_slice(&back);
    assert_eq!(integers, [1.0_f32.to_bits(), 7]);
}
