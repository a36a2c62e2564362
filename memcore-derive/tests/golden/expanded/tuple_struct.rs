#[automatically_derived]
unsafe impl ::memcore::bytemuck::Zeroable for Pair {}
#[automatically_derived]
unsafe impl ::memcore::bytemuck::Pod for Pair
where
    for<'__any> Self: ::memcore::__private::derive::Copy,
{}
const _: () = {
    #[automatically_derived]
    unsafe impl ::memcore::layout::DeviceLayout for Pair {
        fn name() -> ::memcore::__private::derive::String {
            ::memcore::__private::derive::c_name("Pair")
        }
        fn layout() -> ::memcore::layout::Layout {
            use ::memcore::__private::derive::{
                Classify as _, Describe as _, VerifyCopy as _,
            };
            ::memcore::__private::derive::whole(|
                    Pair { 0: __memcore_0, 1: __memcore_1 }: Pair|
                (__memcore_0, __memcore_1))
                .memcore_verify_copy();
            ::memcore::__private::derive::structure(&LAYOUT, "Pair", [])
        }
    }
    const LAYOUT: ::memcore::__private::derive::Layout = ::memcore::__private::derive::Layout::new::<
        Pair,
    >(
        "Pair",
        &[
            ::memcore::__private::derive::Field::number::<
                ::memcore::__private::derive::u8,
                _,
                _,
            >(
                "0",
                "",
                ::memcore::__private::derive::offset_of!(Pair, 0),
                |__memcore_value: Pair| __memcore_value.0,
            ),
            ::memcore::__private::derive::Field::number::<
                ::memcore::__private::derive::u64,
                _,
                _,
            >(
                "1",
                "",
                ::memcore::__private::derive::offset_of!(Pair, 1),
                |__memcore_value: Pair| __memcore_value.1,
            ),
        ],
    );
    const padding: () = ::memcore::__private::derive::no_other_gap(
        &LAYOUT,
        &[false, false],
    );
};
