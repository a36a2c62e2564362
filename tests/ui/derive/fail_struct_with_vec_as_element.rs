use memcore::prelude::*;

#[derive(Clone)]
struct Record {
    values: Vec<f32>,
}

fn main() -> memcore::Result<()> {
    let records = vec![Record { values: vec![1.0] }];
    let _dev = DeviceBuffer::from_slice(&records)?;
    Ok(())
}
