#[memcore::test]
fn waits() {
    async fn work() {}
    drop(work());
}

fn main() {}
