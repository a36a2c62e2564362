#[should_panic(expected = "on purpose")]
#[::core::prelude::v1::test]
pub(crate) fn copies() {
    fn copies(context: &Context) {
        panic!("on purpose");
    }
    let settings = cuda::__private::test::Options::new()
        .devices(2u32)
        .memory(1 << 20)
        .without_pools()
        .every_order();
    let settings = settings.should_panic("on purpose");
    cuda::__private::test::run(
        &settings,
        |context| copies(<&Context as cuda::__private::test::Argument<'_>>::of(context)),
    )
}
