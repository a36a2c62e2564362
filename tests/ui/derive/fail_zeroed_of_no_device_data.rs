use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let _strings = DeviceBuffer::<String>::zeroed(4)?;
    let _letters = DeviceBuffer::<Option<char>>::zeroed(4)?;
    Ok(())
}
