#[memcore::test(
    devices = 2,
    order = "random:12",
    memory = 64 << 20,
    without_pools,
    without_concurrent_managed_access,
    crate = "::memcore"
)]
fn copies() {}

fn main() {}
