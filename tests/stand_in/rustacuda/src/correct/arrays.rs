//! Arrays: the library makes and describes them, and has no copies for them.

use programs::Outcome;
use rustacuda::memory::array::{ArrayFormat, ArrayObject};

pub(super) fn run() -> Outcome {
    let _context = rustacuda::quick_init()?;
    for (array, dims) in [
        (ArrayObject::new_1d(64, ArrayFormat::UnsignedInt8, 4)?, [64, 0, 0]),
        (ArrayObject::new_2d([32, 16], ArrayFormat::SignedInt32, 1)?, [32, 16, 0]),
        (ArrayObject::new([8, 8, 8], ArrayFormat::UnsignedInt16, 2)?, [8, 8, 8]),
        (ArrayObject::new_layered([8, 4], 3, ArrayFormat::Float, 1)?, [8, 4, 3]),
    ] {
        assert_eq!(array.descriptor()?.dims(), dims);
    }
    Ok(())
}
