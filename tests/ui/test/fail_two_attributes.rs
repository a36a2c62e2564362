#[memcore::test]
#[test]
fn copies() {}

fn main() {}
