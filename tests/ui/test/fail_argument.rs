#[memcore::test]
fn by_value(context: memcore::Context) {}

#[memcore::test]
fn mutable(context: &mut memcore::Context) {}

#[memcore::test]
fn two(context: &memcore::Context, other: &memcore::Context) {}

struct Suite;

impl Suite {
    #[memcore::test]
    fn method(&self) {}
}

fn main() {}
