#[memcore::test(devices = 0)]
fn no_device() {}

#[memcore::test(devices = 33)]
fn too_many_devices() {}

#[memcore::test(devices)]
fn devices_without_a_number() {}

#[memcore::test(order = "random", memory = , without_pools = true)]
fn three_mistakes() {}

#[memcore::test(order = lazy)]
fn order_without_quotes() {}

#[memcore::test(order = "lazy", order = "eager")]
fn given_twice() {}

#[memcore::test(crate = memcore)]
fn crate_without_quotes() {}

fn main() {}
