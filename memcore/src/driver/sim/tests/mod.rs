//! Tests through the driver's entry points.

mod checking;
mod codes;
mod faults;
mod model;
mod ordering;
mod resources;
mod rig;
mod threads;
