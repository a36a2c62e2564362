#[memcore::test]
async fn waits() {}

fn main() {}
