#[automatically_derived]
unsafe impl ::memcore::bytemuck::Zeroable for Particle {}
#[automatically_derived]
unsafe impl ::memcore::bytemuck::Pod for Particle
where
    for<'__any> Self: ::memcore::__private::derive::Copy,
{}
const _: () = {
    #[automatically_derived]
    unsafe impl ::memcore::layout::DeviceLayout for Particle {
        fn name() -> ::memcore::__private::derive::String {
            ::memcore::__private::derive::c_name("Particle")
        }
        fn layout() -> ::memcore::layout::Layout {
            use ::memcore::__private::derive::{
                Classify as _, Describe as _, VerifyCopy as _,
            };
            ::memcore::__private::derive::whole(|
                    Particle {
                        position: __memcore_0,
                        mass: __memcore_1,
                        r#type: __memcore_2,
                    }: Particle|
                (__memcore_0, __memcore_1, __memcore_2))
                .memcore_verify_copy();
            let __memcore_field_0 = ::memcore::__private::derive::probe(|
                __memcore_value: Particle|
            __memcore_value.r#type);
            __memcore_field_0.memcore_classify().verify(__memcore_field_0.types);
            ::memcore::__private::derive::structure(
                &LAYOUT,
                "Particle",
                [__memcore_field_0.memcore_describe()],
            )
        }
    }
    const LAYOUT: ::memcore::__private::derive::Layout = ::memcore::__private::derive::Layout::new::<
        Particle,
    >(
        "Particle",
        &[
            ::memcore::__private::derive::Field::number::<
                [::memcore::__private::derive::f32; 3usize],
                _,
                _,
            >(
                "position",
                "_pad0",
                ::memcore::__private::derive::offset_of!(Particle, position),
                |__memcore_value: Particle| __memcore_value.position,
            ),
            ::memcore::__private::derive::Field::number::<
                ::memcore::__private::derive::f32,
                _,
                _,
            >(
                "mass",
                "_pad1",
                ::memcore::__private::derive::offset_of!(Particle, mass),
                |__memcore_value: Particle| __memcore_value.mass,
            ),
            ::memcore::__private::derive::Field::new(
                "r#type",
                "_pad2",
                ::memcore::__private::derive::offset_of!(Particle, r#type),
                |__memcore_value: Particle| __memcore_value.r#type,
            ),
        ],
    );
    const padding_after_mass: () = ::memcore::__private::derive::no_gap_after(
        &LAYOUT,
        1,
    );
    const padding_after_type: () = ::memcore::__private::derive::no_gap_after(
        &LAYOUT,
        2,
    );
    const padding: () = ::memcore::__private::derive::no_other_gap(
        &LAYOUT,
        &[false, true, true],
    );
};
