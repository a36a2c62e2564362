#[memcore::test]
fn copies<T>() {}

fn main() {}
