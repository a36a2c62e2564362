#[automatically_derived]
unsafe impl ::memcore::bytemuck::NoUninit for Record
where
    for<'__any> Self: ::memcore::__private::derive::Copy,
{}
#[automatically_derived]
unsafe impl ::memcore::bytemuck::CheckedBitPattern for Record
where
    for<'__any> Self: ::memcore::__private::derive::Copy,
{
    type Bits = ::memcore::__private::derive::Bits<
        Record,
        { ::memcore::__private::derive::size_of::<Record>() },
    >;
    fn is_valid_bit_pattern(
        __memcore_bits: &Self::Bits,
    ) -> ::memcore::__private::derive::bool {
        use ::memcore::__private::derive::{Classify as _, Peel as _};
        let __memcore_field_0 = ::memcore::__private::derive::probe(|
            __memcore_value: Record|
        __memcore_value.flags);
        let __memcore_field_1 = ::memcore::__private::derive::probe(|
            __memcore_value: Record|
        __memcore_value.letter);
        let __memcore_valid = true
            && __memcore_field_0
                .memcore_classify()
                .check(
                    __memcore_field_0
                        .memcore_elements()
                        .memcore_peel()
                        .memcore_peel()
                        .memcore_peel(),
                    ::memcore::__private::derive::place(
                        __memcore_bits,
                        ::memcore::__private::derive::offset_of!(Record, flags),
                        "flags",
                    ),
                )
            && __memcore_field_1
                .memcore_classify()
                .check(
                    __memcore_field_1.memcore_elements().memcore_peel().memcore_peel(),
                    ::memcore::__private::derive::place(
                        __memcore_bits,
                        ::memcore::__private::derive::offset_of!(Record, letter),
                        "letter",
                    ),
                );
        __memcore_valid
    }
}
#[automatically_derived]
unsafe impl ::memcore::__private::derive::Unfit for Record {
    type Reason = ::memcore::__private::derive::Checked;
}
const _: () = {
    #[automatically_derived]
    unsafe impl ::memcore::layout::DeviceLayout for Record {
        fn name() -> ::memcore::__private::derive::String {
            ::memcore::__private::derive::c_name("Record")
        }
        fn layout() -> ::memcore::layout::Layout {
            use ::memcore::__private::derive::{
                Classify as _, Describe as _, VerifyCopy as _,
            };
            ::memcore::__private::derive::whole(|
                    Record { flags: __memcore_0, letter: __memcore_1 }: Record|
                (__memcore_0, __memcore_1))
                .memcore_verify_copy();
            let __memcore_field_0 = ::memcore::__private::derive::probe(|
                __memcore_value: Record|
            __memcore_value.flags);
            let __memcore_field_1 = ::memcore::__private::derive::probe(|
                __memcore_value: Record|
            __memcore_value.letter);
            ::memcore::__private::derive::structure(
                &LAYOUT,
                "Record",
                [
                    __memcore_field_0.memcore_describe(),
                    __memcore_field_1.memcore_describe(),
                ],
            )
        }
    }
    const LAYOUT: ::memcore::__private::derive::Layout = ::memcore::__private::derive::Layout::new::<
        Record,
    >(
        "Record",
        &[
            ::memcore::__private::derive::Field::new(
                "flags",
                "_pad0",
                ::memcore::__private::derive::offset_of!(Record, flags),
                |__memcore_value: Record| __memcore_value.flags,
            ),
            ::memcore::__private::derive::Field::new(
                "letter",
                "_pad1",
                ::memcore::__private::derive::offset_of!(Record, letter),
                |__memcore_value: Record| __memcore_value.letter,
            ),
        ],
    );
    const padding: () = ::memcore::__private::derive::no_other_gap(
        &LAYOUT,
        &[false, false],
    );
};
