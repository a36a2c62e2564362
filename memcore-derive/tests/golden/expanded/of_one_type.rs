#[automatically_derived]
unsafe impl<T, const N: usize> ::memcore::bytemuck::Zeroable for Row<T, N>
where
    T: Copy + Send + ::memcore::bytemuck::Pod,
    Self: 'static,
{}
#[automatically_derived]
unsafe impl<T, const N: usize> ::memcore::bytemuck::Pod for Row<T, N>
where
    T: Copy + Send + ::memcore::bytemuck::Pod,
    Self: 'static,
    for<'__any> Self: ::memcore::__private::derive::Copy,
{}
const _: () = {
    fn __memcore_fields<T, const N: usize>()
    where
        T: Copy + Send + ::memcore::bytemuck::Pod + 'static,
    {
        use ::memcore::__private::derive::{Classify as _, NotPhantom as _, Peel as _};
        let _ = ::memcore::__private::derive::whole(|
            Row {
                first: __memcore_0,
                others: __memcore_1,
                marker: __memcore_2,
            }: Row<T, N>|
        (__memcore_0, __memcore_1, __memcore_2));
        let __memcore_field_0 = ::memcore::__private::derive::probe(|
            __memcore_value: Row<T, N>|
        __memcore_value.first);
        let __memcore_field_1 = ::memcore::__private::derive::probe(|
            __memcore_value: Row<T, N>|
        __memcore_value.others);
        let __memcore_field_2 = ::memcore::__private::derive::probe(|
            __memcore_value: Row<T, N>|
        __memcore_value.marker);
        __memcore_field_0.memcore_classify().verify(__memcore_field_0.types);
        __memcore_field_1.memcore_classify().verify(__memcore_field_1.types);
        __memcore_field_2.memcore_classify().verify(__memcore_field_2.types);
        let __memcore_first = __memcore_field_0
            .memcore_elements()
            .memcore_peel()
            .memcore_peel();
        __memcore_field_0
            .memcore_elements()
            .memcore_peel()
            .memcore_peel()
            .memcore_hold()
            .verify(
                __memcore_field_0.memcore_elements().memcore_peel().memcore_peel(),
                __memcore_first,
            );
        __memcore_field_1
            .memcore_elements()
            .memcore_peel()
            .memcore_peel()
            .memcore_peel()
            .memcore_hold()
            .verify(
                __memcore_field_1
                    .memcore_elements()
                    .memcore_peel()
                    .memcore_peel()
                    .memcore_peel(),
                __memcore_first,
            );
        __memcore_field_2
            .memcore_elements()
            .memcore_peel()
            .memcore_peel()
            .memcore_hold()
            .verify(
                __memcore_field_2.memcore_elements().memcore_peel().memcore_peel(),
                __memcore_first,
            );
    }
    fn __memcore_copy<T, const N: usize>()
    where
        T: Copy + Send + ::memcore::__private::derive::Copy,
    {
        ::memcore::__private::derive::verify_copy::<Row<T, N>>();
    }
};
#[automatically_derived]
unsafe impl<T, const N: usize> ::memcore::layout::DeviceLayout for Row<T, N>
where
    T: Copy + Send + ::memcore::bytemuck::Pod + ::memcore::layout::DeviceLayout,
{
    fn name() -> ::memcore::__private::derive::String {
        ::memcore::__private::derive::instance_name(
            "Row",
            &[
                <T as ::memcore::layout::DeviceLayout>::name(),
                ::memcore::__private::derive::argument(N),
            ],
        )
    }
    fn layout() -> ::memcore::layout::Layout {
        use ::memcore::__private::derive::Describe as _;
        let _ = ::memcore::__private::derive::whole(|
            Row {
                first: __memcore_0,
                others: __memcore_1,
                marker: __memcore_2,
            }: Row<T, N>|
        (__memcore_0, __memcore_1, __memcore_2));
        let __memcore_field_0 = ::memcore::__private::derive::probe(|
            __memcore_value: Row<T, N>|
        __memcore_value.first);
        let __memcore_field_1 = ::memcore::__private::derive::probe(|
            __memcore_value: Row<T, N>|
        __memcore_value.others);
        let __memcore_field_2 = ::memcore::__private::derive::probe(|
            __memcore_value: Row<T, N>|
        __memcore_value.marker);
        let __memcore_fields = [
            (
                "first",
                ::memcore::__private::derive::offset_of!(Row < T, N >, first),
                __memcore_field_0.memcore_describe(),
            ),
            (
                "others",
                ::memcore::__private::derive::offset_of!(Row < T, N >, others),
                __memcore_field_1.memcore_describe(),
            ),
            (
                "marker",
                ::memcore::__private::derive::offset_of!(Row < T, N >, marker),
                __memcore_field_2.memcore_describe(),
            ),
        ];
        ::memcore::__private::derive::generic_structure::<
            Row<T, N>,
        >(<Self as ::memcore::layout::DeviceLayout>::name(), __memcore_fields)
    }
}
