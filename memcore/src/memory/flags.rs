//! Flags for the driver.

use crate::error::{Error, Result};

/// The bits for the driver.
///
/// # Errors
///
/// [`Error::UnknownFlags`]: what another bit means no proof here knows of.
pub(super) fn bits_of<F: bitflags::Flags<Bits = u32>>(flags: &F, what: &'static str) -> Result<u32> {
    let bits = flags.bits();
    if F::from_bits(bits).is_some() { Ok(bits) } else { Err(Error::UnknownFlags { what, bits }) }
}
