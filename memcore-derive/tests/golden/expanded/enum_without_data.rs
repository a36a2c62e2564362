#[automatically_derived]
unsafe impl ::memcore::bytemuck::NoUninit for Kind
where
    for<'__any> Self: ::memcore::__private::derive::Copy,
{}
#[automatically_derived]
unsafe impl ::memcore::bytemuck::CheckedBitPattern for Kind
where
    for<'__any> Self: ::memcore::__private::derive::Copy,
{
    type Bits = ::memcore::__private::derive::u8;
    fn is_valid_bit_pattern(
        __memcore_bits: &Self::Bits,
    ) -> ::memcore::__private::derive::bool {
        #[allow(deprecated)]
        let __memcore_valid = Kind::First {} as ::memcore::__private::derive::u8
            == *__memcore_bits
            || Kind::Second {} as ::memcore::__private::derive::u8 == *__memcore_bits;
        __memcore_valid
    }
}
#[automatically_derived]
unsafe impl ::memcore::__private::derive::Unfit for Kind {
    type Reason = ::memcore::__private::derive::Checked;
}
const _: () = {
    #[automatically_derived]
    unsafe impl ::memcore::layout::DeviceLayout for Kind {
        fn name() -> ::memcore::__private::derive::String {
            ::memcore::__private::derive::c_name("Kind")
        }
        fn layout() -> ::memcore::layout::Layout {
            ::memcore::__private::derive::verify_copy::<Kind>();
            #[allow(deprecated)]
            let _: fn(Kind) = |__memcore_value| match __memcore_value {
                Kind::First {} | Kind::Second {} => {}
            };
            #[allow(deprecated)]
            let __memcore_variants = [
                (
                    "First",
                    Kind::First {} as ::memcore::__private::derive::u8
                        as ::memcore::__private::derive::i128,
                ),
                (
                    "Second",
                    Kind::Second {} as ::memcore::__private::derive::u8
                        as ::memcore::__private::derive::i128,
                ),
            ];
            ::memcore::__private::derive::enumeration::<
                Kind,
                ::memcore::__private::derive::u8,
            >("Kind", __memcore_variants)
        }
        fn pointee() -> ::memcore::__private::derive::String {
            ::memcore::__private::derive::no_pointee()
        }
    }
    const padding_after_integer: () = ::memcore::__private::derive::is_its_integer::<
        Kind,
        ::memcore::__private::derive::u8,
    >("Kind");
};
