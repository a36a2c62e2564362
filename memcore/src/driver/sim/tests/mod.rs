//! Tests through the driver's entry points.

mod ordering;
mod rig;
