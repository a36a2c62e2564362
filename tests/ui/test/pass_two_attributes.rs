#[memcore::test]
#[should_panic(expected = "on purpose")]
#[ignore = "not today"]
fn copies() {
    panic!("on purpose");
}

fn main() {}
