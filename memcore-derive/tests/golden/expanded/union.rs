#[automatically_derived]
unsafe impl ::memcore::bytemuck::Zeroable for Bits {}
#[automatically_derived]
unsafe impl ::memcore::bytemuck::Pod for Bits
where
    for<'__any> Self: ::memcore::__private::derive::Copy,
{}
const _: () = {
    #[automatically_derived]
    unsafe impl ::memcore::layout::DeviceLayout for Bits {
        fn name() -> ::memcore::__private::derive::String {
            ::memcore::__private::derive::c_name("Bits")
        }
        fn layout() -> ::memcore::layout::Layout {
            use ::memcore::__private::derive::{Classify as _, Describe as _};
            let __memcore_field_0 = ::memcore::__private::derive::probe_put(|
                __memcore_value,
            | -> Bits { Bits { number: __memcore_value } });
            let __memcore_field_1 = ::memcore::__private::derive::probe_put(|
                __memcore_value,
            | -> Bits { Bits { integer: __memcore_value } });
            ::memcore::__private::derive::verify_copy::<Bits>();
            __memcore_field_0.memcore_classify().verify(__memcore_field_0.types);
            __memcore_field_1.memcore_classify().verify(__memcore_field_1.types);
            ::memcore::__private::derive::union::<
                Bits,
            >(
                "Bits",
                [
                    ("number", __memcore_field_0.memcore_describe()),
                    ("integer", __memcore_field_1.memcore_describe()),
                ],
            )
        }
        fn pointee() -> ::memcore::__private::derive::String {
            ::memcore::__private::derive::union_pointee(
                &<Self as ::memcore::layout::DeviceLayout>::name(),
            )
        }
    }
    const size_of_number: () = ::memcore::__private::derive::fills_union(
        "Bits",
        "number",
        |__memcore_value| -> Bits { Bits { number: __memcore_value } },
    );
    const size_of_integer: () = ::memcore::__private::derive::fills_union(
        "Bits",
        "integer",
        |__memcore_value| -> Bits { Bits { integer: __memcore_value } },
    );
};
