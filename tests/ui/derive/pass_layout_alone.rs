//! `DeviceLayout` of types whose `Pod` comes from elsewhere.
#![allow(dead_code)]

use memcore::{DeviceLayout, bytemuck};

#[derive(Clone, Copy, DeviceLayout)]
#[repr(C)]
struct Record {
    key: u32,
    position: glam::Vec3,
}

unsafe impl bytemuck::Zeroable for Record {}
unsafe impl bytemuck::Pod for Record {}

#[derive(Clone, Copy, DeviceLayout)]
#[repr(C)]
struct Pair<T>(T, T);

unsafe impl<T: bytemuck::Zeroable> bytemuck::Zeroable for Pair<T> {}
unsafe impl<T: bytemuck::Pod> bytemuck::Pod for Pair<T> {}

fn main() {
    assert_eq!(Record::layout().fields()[1].offset(), 4);
    assert_eq!(Pair::<Record>::layout().size(), 32);
}
