//! The simulated device in the place of `libcuda.so.1`: the driver's functions with C linkage, under its own names.
//!
//! A program that calls them was checked by no compiler of ours. So whatever it passes is looked at before it is used: a
//! handle is looked up, as ever, and an address is first asked of the system.

// `export` makes a C function of each entry point, by the seam's table and by that of `entry_points`, which has what only
// programs of others call; `caller` says where they were called. What the machine does for the second table is in
// `context`, `information`, `streams`, `callback`, `pointers` and `copies`. `process` is what the functions share; `argument`
// looks at what they are given. `proc_address` finds a function by name and version, of which `versions.txt` has the table.
// `names` has the texts of codes, and `unsupported` the rest of the driver's functions.

mod argument;
mod callback;
mod caller;
mod context;
mod copies;
mod entry_points;
mod export;
mod information;
mod names;
mod pointers;
mod proc_address;
mod process;
mod streams;
mod unsupported;

pub(super) use argument::is_accessible;
pub(super) use caller::Stack;
pub(super) use export::has_entry_point;
