#[memcore::test]
fn copies() {}

fn main() {}
