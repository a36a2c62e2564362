const _: () = {
    #[automatically_derived]
    unsafe impl ::memcore::layout::DeviceLayout for ByHand {
        fn name() -> ::memcore::__private::derive::String {
            ::memcore::__private::derive::c_name("ByHand")
        }
        fn layout() -> ::memcore::layout::Layout {
            use ::memcore::__private::derive::{
                Classify as _, Describe as _, VerifyCopy as _,
            };
            ::memcore::__private::derive::whole(|
                    ByHand { position: __memcore_0, mass: __memcore_1 }: ByHand|
                (__memcore_0, __memcore_1))
                .memcore_verify_copy();
            let __memcore_field_0 = ::memcore::__private::derive::probe(|
                __memcore_value: ByHand|
            __memcore_value.position);
            let __memcore_field_1 = ::memcore::__private::derive::probe(|
                __memcore_value: ByHand|
            __memcore_value.mass);
            ::memcore::__private::derive::verify_device_copy::<ByHand>();
            ::memcore::__private::derive::structure(
                &LAYOUT,
                "ByHand",
                [
                    __memcore_field_0.memcore_describe(),
                    __memcore_field_1.memcore_describe(),
                ],
            )
        }
    }
    const LAYOUT: ::memcore::__private::derive::Layout = ::memcore::__private::derive::Layout::new::<
        ByHand,
    >(
        "ByHand",
        &[
            ::memcore::__private::derive::Field::new(
                "position",
                "_pad0",
                ::memcore::__private::derive::offset_of!(ByHand, position),
                |__memcore_value: ByHand| __memcore_value.position,
            ),
            ::memcore::__private::derive::Field::new(
                "mass",
                "_pad1",
                ::memcore::__private::derive::offset_of!(ByHand, mass),
                |__memcore_value: ByHand| __memcore_value.mass,
            ),
        ],
    );
    const padding_after_position: () = ::memcore::__private::derive::no_gap_after(
        &LAYOUT,
        0,
    );
    const padding_after_mass: () = ::memcore::__private::derive::no_gap_after(
        &LAYOUT,
        1,
    );
};
