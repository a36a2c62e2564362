#[automatically_derived]
unsafe impl ::memcore::bytemuck::Zeroable for Unit {}
#[automatically_derived]
unsafe impl ::memcore::bytemuck::Pod for Unit
where
    for<'__any> Self: ::memcore::__private::derive::Copy,
{}
const _: () = {
    #[automatically_derived]
    unsafe impl ::memcore::layout::DeviceLayout for Unit {
        fn name() -> ::memcore::__private::derive::String {
            ::memcore::__private::derive::c_name("Unit")
        }
        fn layout() -> ::memcore::layout::Layout {
            use ::memcore::__private::derive::{
                Classify as _, Describe as _, VerifyCopy as _,
            };
            ::memcore::__private::derive::whole(|Unit {}: Unit| ())
                .memcore_verify_copy();
            ::memcore::__private::derive::structure(&LAYOUT, "Unit", [])
        }
    }
    const LAYOUT: ::memcore::__private::derive::Layout = ::memcore::__private::derive::Layout::new::<
        Unit,
    >("Unit", &[]);
};
