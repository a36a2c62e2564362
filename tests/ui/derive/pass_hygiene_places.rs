//! Structs made by macros, in functions and blocks, with fields that `cfg` takes away.
#![allow(dead_code, clippy::non_minimal_cfg)]

use memcore::DeviceCopy;

macro_rules! record {
    ($name:ident { $($field:ident: $type:ty),* }) => {
        #[derive(Clone, Copy, DeviceCopy)]
        #[repr(C)]
        struct $name {
            $($field: $type,)*
            own: u64,
        }
    };
}

macro_rules! bytes {
    ($count:expr) => {
        [u8; $count]
    };
}

record!(Made { first: u32, second: bytes!(4), __memcore_value: u64 });

#[derive(Clone, Copy, DeviceCopy)]
#[cfg_attr(all(), repr(C))]
#[cfg_attr(any(), repr(packed))]
struct Configured {
    kept: u64,
    #[cfg(any())]
    gone: bool,
    #[cfg(all())]
    also_kept: u64,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Case {
    field: u32,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
#[allow(non_camel_case_types)]
struct CASE {
    field: u32,
}

macro_rules! kinds {
    ($name:ident: $integer:ident { $($variant:ident $(= $value:expr)?),* }) => {
        #[derive(Clone, Copy, DeviceCopy)]
        #[repr($integer)]
        enum $name {
            $($variant $(= $value)?,)*
            #[cfg(any())]
            Gone,
        }
    };
}

kinds!(Kind: u16 { First = 1 << 3, Second });

macro_rules! generic {
    ($name:ident<$parameter:ident> { $($field:ident: $type:ty),* }) => {
        #[derive(Clone, Copy, DeviceCopy)]
        #[repr(C)]
        struct $name<$parameter> {
            $($field: $type,)*
            own: $parameter,
        }

        #[derive(Clone, Copy, DeviceCopy)]
        #[device_copy(checked, instances(Checked<$parameter, u16>))]
        #[repr(C)]
        struct Checked<T, U>(T, U, [bool; 2]);

        type $parameter = Kind;
    };
}

generic!(Generic<U> { first: U, second: [U; 2] });

fn accepts<T: DeviceCopy>() {}

fn main() {
    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Local(u32, bytes!(1 + 3));

    let _closure = || {
        #[derive(Clone, Copy, DeviceCopy)]
        #[repr(C)]
        struct Local {
            value: [[u16; 2]; 2],
        }
        accepts::<Local>();
    };
    accepts::<Local>();
    accepts::<Made>();
    accepts::<Kind>();
    accepts::<Generic<f32>>();
    accepts::<Checked<Kind, u16>>();
    accepts::<Configured>();
    accepts::<Case>();
    accepts::<CASE>();
}
