#[ignore]
#[::core::prelude::v1::test]
fn copies() {
    fn copies() -> Result<(), Error> {
        Ok(())
    }
    let settings = ::memcore::__private::test::Options::new();
    ::memcore::__private::test::run(&settings, |_| copies())
}
