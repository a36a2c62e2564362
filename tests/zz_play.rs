#![allow(dead_code, missing_docs)]
use memcore::{bytemuck, layout::*, prelude::*};
use std::{marker::PhantomData, num::*};

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(u8)]
enum Kind {
    A = 1,
    B = 7,
    C = 255,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(i64)]
enum Wide {
    Lo = i64::MIN,
    Mid,
    Hi = i64::MAX,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C)]
#[device_copy(checked)]
struct Inner {
    kind: Kind,
    flag: bool,
    flags: [[bool; 3]; 2],
    letter: char,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C)]
#[device_copy(checked)]
struct Outer {
    id: NonZeroU32,
    inner: [Inner; 2],
    x: f32,
    ptr: DevicePointer<Outer>,
    w: Wide,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
union Bits {
    f: f32,
    u: u32,
    b: [u8; 4],
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: [T; 2],
    p: PhantomData<u64>,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Row<const N: usize> {
    a: [u8; N],
    b: u8,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(transparent)]
struct Tag<T, U>(T, PhantomData<U>);

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed)]
struct Pk<T, U> {
    a: T,
    b: U,
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(instances(Mixed<f32, u32>, Mixed<u8, i8>))]
#[repr(C)]
struct Mixed<T, U> {
    a: T,
    b: U,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed(2))]
struct P2 {
    a: u16,
    k: u64,
    x: [u8; 2],
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, align(16))]
struct Al {
    z: u64,
    zz: u64,
    a: [f32; 4],
    r#class: [u128; 1],
    ptr: DevicePointer<Al>,
    q: DevicePointer<f32>,
    b: Bits,
    c: [Bits; 3],
}

#[derive(Clone, Copy)]
#[repr(C)]
struct F3 {
    a: u32,
}
unsafe impl bytemuck::Zeroable for F3 {}
unsafe impl bytemuck::Pod for F3 {}

#[derive(Clone, Copy, DeviceLayout)]
#[repr(C)]
struct Ly(f32, F3x, [F3x; 2]);
unsafe impl bytemuck::Zeroable for Ly {}
unsafe impl bytemuck::Pod for Ly {}
#[derive(Clone, Copy)]
#[repr(C)]
struct F3x {
    a: u32,
}
unsafe impl bytemuck::Zeroable for F3x {}
unsafe impl bytemuck::Pod for F3x {}

#[test]
fn play() {
    println!(
        "{}",
        cuda_header(&[
            Outer::layout(),
            Al::layout(),
            P2::layout(),
            Pair::<f32>::layout(),
            Row::<3>::layout(),
            Tag::<f64, String>::layout(),
            Pk::<u8, f64>::layout(),
            Mixed::<u8, i8>::layout(),
            Ly::layout(),
            Wide::layout()
        ])
        .unwrap()
    );
    let inner = Inner { kind: Kind::B, flag: true, flags: [[true; 3]; 2], letter: 'x' };
    let outer = Outer { id: NonZeroU32::MIN, inner: [inner; 2], x: 1.0, ptr: DevicePointer::null(), w: Wide::Hi };
    let mut bytes = vec![outer; 10].iter().flat_map(|o| bytemuck::bytes_of(o).to_vec()).collect::<Vec<u8>>();
    let dev = DeviceBuffer::from_slice(&bytes).unwrap();
    assert_eq!(dev.view_as::<Outer>().unwrap().to_vec().unwrap()[9], outer);
    let n = bytes.len() - size_of::<Outer>();
    bytes[n + 4 + 12 + 6] = 2;
    let dev = DeviceBuffer::from_slice(&bytes).unwrap();
    println!("{}", dev.view_as::<Outer>().unwrap().to_vec().unwrap_err());
}
