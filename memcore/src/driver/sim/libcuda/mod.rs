//! The simulated device in the place of `libcuda.so.1`: the driver's functions with C linkage, under its own names.
//!
//! A program that calls them was checked by no compiler of ours. So whatever it passes is looked at before it is used: a
//! handle is looked up, as ever, and an address is first asked of the system.

// `export` makes a C function of each entry point, by the seam's table and by that of `entry_points`, which has what only
// programs of others call; `caller` says where they were called. What the machine does for the second table is in
// `context`, `settings`, `device`, `streams`, `pools`, `copies`, `managed`, `pointer`. `process` is what the functions
// share, `argument` looks at what they are given. `proc_address` finds a function by name and version, of which
// `versions.txt` has the table; `error` has the names of codes, `unsupported` the rest of the driver's functions.

mod argument;
mod caller;
mod context;
mod copies;
mod device;
mod entry_points;
mod error;
mod export;
mod managed;
mod pointer;
mod pools;
mod proc_address;
mod process;
mod settings;
mod streams;
mod unsupported;

pub(super) use argument::{is_accessible, is_callable};
pub(super) use caller::Stack;
pub(super) use export::is_entry_point;
pub(super) use settings::Settings;
