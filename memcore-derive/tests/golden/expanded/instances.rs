#[automatically_derived]
unsafe impl crate::device::bytemuck::Zeroable for Mixed<f32, u32> {}
#[automatically_derived]
unsafe impl crate::device::bytemuck::Pod for Mixed<f32, u32>
where
    for<'__any> Self: crate::device::__private::derive::Copy,
{}
const _: () = {
    #[automatically_derived]
    unsafe impl crate::device::layout::DeviceLayout for Mixed<f32, u32> {
        fn name() -> crate::device::__private::derive::String {
            crate::device::__private::derive::c_name("Mixed_f32_u32")
        }
        fn layout() -> crate::device::layout::Layout {
            use crate::device::__private::derive::{
                Classify as _, Describe as _, VerifyCopy as _,
            };
            crate::device::__private::derive::whole(|
                    Mixed { one: __memcore_0, other: __memcore_1 }: Mixed<f32, u32>|
                (__memcore_0, __memcore_1))
                .memcore_verify_copy();
            let __memcore_field_0 = crate::device::__private::derive::probe(|
                __memcore_value: Mixed<f32, u32>|
            __memcore_value.one);
            let __memcore_field_1 = crate::device::__private::derive::probe(|
                __memcore_value: Mixed<f32, u32>|
            __memcore_value.other);
            __memcore_field_0.memcore_classify().verify(__memcore_field_0.types);
            __memcore_field_1.memcore_classify().verify(__memcore_field_1.types);
            crate::device::__private::derive::structure(
                &LAYOUT,
                "Mixed_f32_u32",
                [
                    __memcore_field_0.memcore_describe(),
                    __memcore_field_1.memcore_describe(),
                ],
            )
        }
    }
    const LAYOUT: crate::device::__private::derive::Layout = crate::device::__private::derive::Layout::new::<
        Mixed<f32, u32>,
    >(
        "Mixed<f32, u32>",
        &[
            crate::device::__private::derive::Field::new(
                "one",
                "_pad0",
                crate::device::__private::derive::offset_of!(Mixed < f32, u32 >, one),
                |__memcore_value: Mixed<f32, u32>| __memcore_value.one,
            ),
            crate::device::__private::derive::Field::new(
                "other",
                "_pad1",
                crate::device::__private::derive::offset_of!(Mixed < f32, u32 >, other),
                |__memcore_value: Mixed<f32, u32>| __memcore_value.other,
            ),
        ],
    );
    const padding_after_one: () = crate::device::__private::derive::no_gap_after(
        &LAYOUT,
        0,
    );
    const padding_after_other: () = crate::device::__private::derive::no_gap_after(
        &LAYOUT,
        1,
    );
};
#[automatically_derived]
unsafe impl crate::device::bytemuck::Zeroable for Mixed<u8, [i8; 3]> {}
#[automatically_derived]
unsafe impl crate::device::bytemuck::Pod for Mixed<u8, [i8; 3]>
where
    for<'__any> Self: crate::device::__private::derive::Copy,
{}
const _: () = {
    #[automatically_derived]
    unsafe impl crate::device::layout::DeviceLayout for Mixed<u8, [i8; 3]> {
        fn name() -> crate::device::__private::derive::String {
            crate::device::__private::derive::c_name("Mixed_u8_i8_3")
        }
        fn layout() -> crate::device::layout::Layout {
            use crate::device::__private::derive::{
                Classify as _, Describe as _, VerifyCopy as _,
            };
            crate::device::__private::derive::whole(|
                    Mixed { one: __memcore_0, other: __memcore_1 }: Mixed<u8, [i8; 3]>|
                (__memcore_0, __memcore_1))
                .memcore_verify_copy();
            let __memcore_field_0 = crate::device::__private::derive::probe(|
                __memcore_value: Mixed<u8, [i8; 3]>|
            __memcore_value.one);
            let __memcore_field_1 = crate::device::__private::derive::probe(|
                __memcore_value: Mixed<u8, [i8; 3]>|
            __memcore_value.other);
            __memcore_field_0.memcore_classify().verify(__memcore_field_0.types);
            __memcore_field_1.memcore_classify().verify(__memcore_field_1.types);
            crate::device::__private::derive::structure(
                &LAYOUT,
                "Mixed_u8_i8_3",
                [
                    __memcore_field_0.memcore_describe(),
                    __memcore_field_1.memcore_describe(),
                ],
            )
        }
    }
    const LAYOUT: crate::device::__private::derive::Layout = crate::device::__private::derive::Layout::new::<
        Mixed<u8, [i8; 3]>,
    >(
        "Mixed<u8, [i8; 3]>",
        &[
            crate::device::__private::derive::Field::new(
                "one",
                "_pad0",
                crate::device::__private::derive::offset_of!(Mixed < u8, [i8; 3] >, one),
                |__memcore_value: Mixed<u8, [i8; 3]>| __memcore_value.one,
            ),
            crate::device::__private::derive::Field::new(
                "other",
                "_pad1",
                crate::device::__private::derive::offset_of!(
                    Mixed < u8, [i8; 3] >, other
                ),
                |__memcore_value: Mixed<u8, [i8; 3]>| __memcore_value.other,
            ),
        ],
    );
    const padding_after_one: () = crate::device::__private::derive::no_gap_after(
        &LAYOUT,
        0,
    );
    const padding_after_other: () = crate::device::__private::derive::no_gap_after(
        &LAYOUT,
        1,
    );
};
