#[automatically_derived]
unsafe impl<T, U> ::memcore::bytemuck::Zeroable for Tagged<T, U>
where
    T: ::memcore::bytemuck::Pod,
    Self: 'static,
{}
#[automatically_derived]
unsafe impl<T, U> ::memcore::bytemuck::Pod for Tagged<T, U>
where
    T: ::memcore::bytemuck::Pod,
    Self: 'static,
    for<'__any> Self: ::memcore::__private::derive::Copy,
{}
const _: () = {
    fn __memcore_fields<T, U>()
    where
        T: ::memcore::bytemuck::Pod + 'static,
        U: 'static,
    {
        use ::memcore::__private::derive::{Classify as _, NotPhantom as _, Peel as _};
        let _ = ::memcore::__private::derive::whole(|
            Tagged { 0: __memcore_0, 1: __memcore_1 }: Tagged<T, U>|
        (__memcore_0, __memcore_1));
        let __memcore_field_0 = ::memcore::__private::derive::probe(|
            __memcore_value: Tagged<T, U>|
        __memcore_value.0);
        let __memcore_field_1 = ::memcore::__private::derive::probe(|
            __memcore_value: Tagged<T, U>|
        __memcore_value.1);
        __memcore_field_0.memcore_classify().verify(__memcore_field_0.types);
        __memcore_field_1.memcore_classify().verify(__memcore_field_1.types);
    }
    fn __memcore_copy<T, U>()
    where
        T: ::memcore::__private::derive::Copy,
        U: ::memcore::__private::derive::Copy,
    {
        ::memcore::__private::derive::verify_copy::<Tagged<T, U>>();
    }
};
#[automatically_derived]
unsafe impl<T, U> ::memcore::layout::DeviceLayout for Tagged<T, U>
where
    T: ::memcore::bytemuck::Pod + ::memcore::layout::DeviceLayout,
{
    fn name() -> ::memcore::__private::derive::String {
        ::memcore::__private::derive::instance_name(
            "Tagged",
            &[<T as ::memcore::layout::DeviceLayout>::name()],
        )
    }
    fn layout() -> ::memcore::layout::Layout {
        use ::memcore::__private::derive::Describe as _;
        let _ = ::memcore::__private::derive::whole(|
            Tagged { 0: __memcore_0, 1: __memcore_1 }: Tagged<T, U>|
        (__memcore_0, __memcore_1));
        let __memcore_field_0 = ::memcore::__private::derive::probe(|
            __memcore_value: Tagged<T, U>|
        __memcore_value.0);
        let __memcore_field_1 = ::memcore::__private::derive::probe(|
            __memcore_value: Tagged<T, U>|
        __memcore_value.1);
        let __memcore_fields = [
            (
                "0",
                ::memcore::__private::derive::offset_of!(Tagged < T, U >, 0),
                __memcore_field_0.memcore_describe(),
            ),
            (
                "1",
                ::memcore::__private::derive::offset_of!(Tagged < T, U >, 1),
                __memcore_field_1.memcore_describe(),
            ),
        ];
        ::memcore::__private::derive::generic_structure::<
            Tagged<T, U>,
        >(<Self as ::memcore::layout::DeviceLayout>::name(), __memcore_fields)
    }
}
