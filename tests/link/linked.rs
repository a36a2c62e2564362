//! Uses memcore beside a crate that really links libcuda, and prints what each says.
#![allow(clippy::print_stdout, reason = "printing is what this program does")]

use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let dev = device_vec![1u8, 2, 3]?;
    println!("linked {}, copied {:?}", truly_links::init(), dev.to_vec()?);
    Ok(())
}
