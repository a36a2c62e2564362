const BYTES: u64 = 1 << 20;

#[memcore::test(devices = 1)]
fn one_device() {}

#[memcore::test(devices = 32, order = "random:0", memory = 2 * BYTES, without_pools)]
fn three_options() {}

#[memcore::test(order = "lazy")]
fn order() {}

#[memcore::test(crate = "memcore")]
fn krate() {}

#[memcore::test()]
fn none() {}

fn main() {}
