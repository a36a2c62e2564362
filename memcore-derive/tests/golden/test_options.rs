#[should_panic(expected = "on purpose")]
pub(crate) fn copies(context: &Context) {
    panic!("on purpose");
}
