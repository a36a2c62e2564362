//! Tests through the driver's entry points.

#![allow(clippy::borrow_as_ptr, reason = "C entry points take pointers to what they write")]

mod arrays;
mod checking;
mod codes;
mod faults;
mod happens_before;
mod host_copy;
mod mapped;
mod model;
mod ordering;
pub(in crate::driver) mod parts;
mod pitched;
mod pitched_model;
mod resources;
pub(in crate::driver) mod rig;
mod stderr;
mod threads;
mod violations;
