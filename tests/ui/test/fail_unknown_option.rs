#[memcore::test(device = 2)]
fn copies() {}

#[memcore::test(cuda::order = "lazy", gpu, devices = 2)]
fn fills() {}

fn main() {}
