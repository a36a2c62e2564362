#[memcore::test]
fn copies() {
    fn of<T>() {}
    of::<u8>();
}

fn main() {}
