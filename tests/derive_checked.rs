//! Derived types that have invalid bit patterns: what comes back is checked, and the error says where it is wrong.

#![allow(dead_code, reason = "fields that are there for their bytes")]

use std::{
    marker::PhantomData,
    mem::offset_of,
    num::{NonZero, NonZeroU16, NonZeroU32},
};

use bytemuck::{CheckedBitPattern, NoUninit, checked};
use memcore::{Error, prelude::*};

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(u32)]
enum Kind {
    First = 7,
    Second,
    Last = u32::MAX,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(i8)]
enum Sign {
    Minus = -1,
    Zero,
    Plus,
}

type Flags = [[bool; 2]; 3];

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[device_copy(checked)]
#[repr(C)]
struct Inner {
    kind: Kind,
    flags: Flags,
    sign: Sign,
    flag: bool,
    letter: char,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[device_copy(checked)]
#[repr(C)]
struct Outer {
    key: NonZeroU32,
    number: f32,
    inner: [Inner; 2],
    pair: Pair,
    tag: PhantomData<String>,
    last: bool,
    r#type: [bool; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[device_copy(checked)]
#[repr(C)]
struct Pair(NonZeroU16, Wrapper);

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[device_copy(checked)]
#[repr(transparent)]
struct Wrapper([Sign; 2]);

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked)]
#[repr(C, packed)]
struct Dense {
    flag: bool,
    number: f64,
    letter: char,
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked)]
#[repr(C, align(16))]
struct Aligned {
    flags: [bool; 16],
    next: DevicePointer<Aligned>,
    rest: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[device_copy(checked, instances(Flagged<u16, 2>, Flagged<char, 4>))]
#[repr(C)]
struct Flagged<T, const N: usize> {
    value: T,
    flags: [bool; N],
}

const INNER: Inner =
    Inner { kind: Kind::Second, flags: [[true, false]; 3], sign: Sign::Minus, flag: true, letter: '\u{10ffff}' };
const OUTER: Outer = Outer {
    key: NonZeroU32::MIN,
    number: f32::NEG_INFINITY,
    inner: [INNER; 2],
    pair: Pair(NonZeroU16::MAX, Wrapper([Sign::Zero, Sign::Plus])),
    tag: PhantomData,
    last: false,
    r#type: [true; 3],
};

/// What `values` become on their way to a device and back, where `bytes` are written over the last one, at `offset`.
fn round_trip<T: DeviceCopy>(values: &[T], offset: usize, bytes: &[u8]) -> memcore::Result<Vec<T>> {
    let mut all = bytemuck::cast_slice::<T, u8>(values).to_vec();
    let start = (values.len() - 1) * size_of::<T>() + offset;
    all[start..start + bytes.len()].copy_from_slice(bytes);
    let dev = DeviceBuffer::from_slice(&all)?;
    // The bytes are the device's: a kernel may write anything.
    dev.view_as::<T>()?.to_vec()
}

#[test]
fn values_come_back() {
    assert_eq!(round_trip(&[OUTER; 100], 0, &[]), Ok(vec![OUTER; 100]));
    let kinds = [Kind::First, Kind::Second, Kind::Last];
    assert_eq!(round_trip(&kinds, 0, &[]), Ok(kinds.to_vec()));
    let signs = [Sign::Minus, Sign::Zero, Sign::Plus];
    assert_eq!(round_trip(&signs, 0, &[]), Ok(signs.to_vec()));
    let flagged = [Flagged { value: 'x', flags: [true, false, true, false] }];
    assert_eq!(round_trip(&flagged, 0, &[]), Ok(flagged.to_vec()));
    let flagged = [Flagged { value: 3_u16, flags: [true; 2] }];
    assert_eq!(round_trip(&flagged, 0, &[]), Ok(flagged.to_vec()));
}

#[test]
fn a_value_that_is_none_is_named_by_its_index_and_path() {
    let inner = offset_of!(Outer, inner) + size_of::<Inner>();
    let pair = offset_of!(Outer, pair);
    let cases: [(usize, &[u8], &str); 14] = [
        (0, &[0; 4], "key"),
        (inner, &[9, 0, 0, 0], "inner[1].kind"),
        (offset_of!(Outer, inner), &[0, 0, 0, 7], "inner[0].kind"),
        (inner + offset_of!(Inner, flags), &[2], "inner[1].flags[0][0]"),
        (inner + offset_of!(Inner, flags) + 3, &[2], "inner[1].flags[1][1]"),
        (inner + offset_of!(Inner, flags) + 5, &[255], "inner[1].flags[2][1]"),
        (inner + offset_of!(Inner, sign), &[2], "inner[1].sign"),
        (inner + offset_of!(Inner, flag), &[3], "inner[1].flag"),
        (inner + offset_of!(Inner, letter), &[0, 0xd8, 0, 0], "inner[1].letter"),
        (inner + offset_of!(Inner, letter), &[0, 0, 0x11, 0], "inner[1].letter"),
        (pair, &[0, 0], "pair.0"),
        (pair + 3, &[7], "pair.1.0[1]"),
        (offset_of!(Outer, last), &[2], "last"),
        (offset_of!(Outer, r#type) + 2, &[2], "type[2]"),
    ];
    for (offset, bytes, path) in cases {
        let error = round_trip(&[OUTER; 1000], offset, bytes).unwrap_err();
        let type_name = std::any::type_name::<Outer>();
        let wanted = Error::InvalidValue { index: 999, type_name, field: Some(path.to_owned()) };
        assert_eq!(error, wanted);
        let text =
            format!("element 999 came back with bytes that are no valid {type_name}: look at its field `{path}`");
        assert_eq!(error.to_string(), text);
    }
    let error = round_trip(&[Kind::First; 10], 0, &[0; 4]).unwrap_err();
    assert_eq!(error, Error::InvalidValue { index: 9, type_name: std::any::type_name::<Kind>(), field: None });
}

#[test]
fn the_first_invalid_field_of_the_first_invalid_element_is_named() {
    let mut bytes = bytemuck::cast_slice::<Outer, u8>(&[OUTER; 3]).to_vec();
    bytes[size_of::<Outer>() + offset_of!(Outer, last)] = 2;
    bytes[size_of::<Outer>() + offset_of!(Outer, pair)..][..2].fill(0);
    bytes[2 * size_of::<Outer>()..].fill(0xff);
    let dev = DeviceBuffer::from_slice(&bytes).unwrap();
    let error = dev.view_as::<Outer>().unwrap().to_vec().unwrap_err();
    let Error::InvalidValue { index, field, .. } = &error else { panic!("{error}") };
    assert_eq!((*index, field.as_deref()), (1, Some("pair.0")));
}

#[test]
fn nothing_is_written_to_the_destination() {
    let dev = DeviceBuffer::from_slice(&[0xff_u8; size_of::<Outer>()]).unwrap();
    let mut back = [OUTER];
    assert!(copy!(back <- dev.view_as::<Outer>().unwrap()).is_err());
    assert_eq!(back, [OUTER]);
    // A check that nobody asks about leaves no trace for the next that somebody does.
    assert!(checked::try_from_bytes::<Wrapper>(&[9, 9]).is_err());
    let error = dev.view_as::<Sign>().unwrap().to_vec();
    assert!(error.is_ok_and(|signs| signs == [Sign::Minus; size_of::<Outer>()]));
}

#[test]
fn bits_have_the_size_and_the_alignment_of_the_type() {
    fn check<T: CheckedBitPattern + NoUninit>(size: usize, align: usize) {
        assert_eq!((size_of::<T>(), align_of::<T>()), (size, align));
        assert_eq!((size_of::<T::Bits>(), align_of::<T::Bits>()), (size, align), "{}", std::any::type_name::<T>());
    }
    check::<Kind>(4, 4);
    check::<Sign>(1, 1);
    check::<Inner>(16, 4);
    check::<Outer>(48, 4);
    check::<Wrapper>(2, 1);
    check::<Dense>(13, 1);
    check::<Aligned>(32, 16);
    check::<Flagged<char, 4>>(8, 4);
    check::<Flagged<u16, 2>>(4, 2);
}

#[test]
fn references_are_cast_too() {
    let words = [u32::from_ne_bytes([7, 0, 0, 0]); 4];
    let inner: Result<&Inner, _> = checked::try_from_bytes(bytemuck::bytes_of(&words));
    assert!(inner.is_err(), "7 is no `bool`");
    let bytes = bytemuck::bytes_of(&INNER);
    assert_eq!(checked::try_from_bytes::<Inner>(bytes), Ok(&INNER));
    assert_eq!(checked::try_cast_slice::<u8, Sign>(&[0xff, 0, 1]), Ok(&[Sign::Minus, Sign::Zero, Sign::Plus][..]));
    assert!(checked::try_cast_slice::<u8, Sign>(&[0xff, 2]).is_err());
}

#[test]
fn packed_and_aligned_structs_are_checked_where_their_fields_are() {
    let dense = Dense { flag: true, number: 0.5, letter: 'x' };
    let aligned = Aligned { flags: [true; 16], next: DevicePointer::null(), rest: 1 };
    assert_eq!({ round_trip(&[dense; 3], 0, &[]).unwrap()[2].number }, 0.5);
    assert!(round_trip(&[aligned; 3], 0, &[]).is_ok());
    let field = |error: Error| match error {
        Error::InvalidValue { index: 2, field: Some(field), .. } => field,
        other => panic!("{other}"),
    };
    assert_eq!(field(round_trip(&[dense; 3], 9, &[0xff; 4]).err().unwrap()), "letter");
    assert_eq!(field(round_trip(&[dense; 3], 0, &[9]).err().unwrap()), "flag");
    assert_eq!(field(round_trip(&[aligned; 3], 15, &[9]).err().unwrap()), "flags[15]");
}

#[test]
fn enums_are_checked_as_they_are_and_not_as_they_are_written() {
    let all: Vec<_> = (0..=u8::MAX).filter(|byte| checked::try_from_bytes::<Sign>(&[*byte]).is_ok()).collect();
    assert_eq!(all, [0, 1, 255]);
    assert_eq!(checked::try_from_bytes::<Edited>(&[1]), Ok(&Edited::Second));
    assert_eq!(checked::try_from_bytes::<Edited>(&[2]), Ok(&Edited::First));
    assert!(checked::try_from_bytes::<Edited>(&[7]).is_err());
}

/// An attribute below the derive gives its variants other numbers than the derive has read.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[memcore_test_macros::replace_body(First = 2, Second = 1)]
#[repr(u8)]
enum Edited {
    First = 1,
    Second = 7,
}

#[test]
fn other_checked_types_come_back_too() {
    let keys: [NonZero<u64>; 2] = [NonZero::<u64>::MIN, NonZero::<u64>::MAX];
    assert_eq!(round_trip(&keys, 0, &[]), Ok(keys.to_vec()));
    assert!(round_trip(&keys, 0, &[0; 8]).is_err());
    assert_eq!(round_trip(&['a', 'b'], 0, &[]), Ok(vec!['a', 'b']));
    assert!(round_trip(&['a', 'b'], 0, &[0xff; 4]).is_err());
    let optional = [NonZeroU32::new(4), None];
    assert_eq!(round_trip(&optional, 0, &[]), Ok(optional.to_vec()));
}
