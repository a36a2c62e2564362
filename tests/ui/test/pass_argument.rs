use memcore::Context;

#[memcore::test]
fn none() {}

#[memcore::test]
fn borrowed(_context: &Context) {}

fn main() {
    // Where no tests are built, nothing else names it.
    let _: Option<Context> = None;
}
