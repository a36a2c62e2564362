//! The macros: thin names for the typed calls.

mod operate;
mod vec;
