//! `ArrayObject::drop` frees the array, and then drops the object, which frees it once more.

use std::panic;

use programs::Outcome;
use rustacuda::memory::array::{ArrayFormat, ArrayObject};

pub(super) fn wrong() -> Outcome {
    let _context = rustacuda::quick_init()?;
    let array = ArrayObject::new_1d(64, ArrayFormat::Float, 1)?;
    let dropped = panic::catch_unwind(|| ArrayObject::drop(array)); //~ double_free freed
    assert!(dropped.is_err());
    Ok(())
}

pub(super) fn right() -> Outcome {
    let _context = rustacuda::quick_init()?;
    let array = ArrayObject::new_1d(64, ArrayFormat::Float, 1)?;
    drop(array);
    Ok(())
}
