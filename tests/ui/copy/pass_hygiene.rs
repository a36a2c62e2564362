//! The macros need no name of the caller's: no prelude, other things under their names, shadowed constructors.
#![no_implicit_prelude]
#![deny(warnings, clippy::pedantic)]
#![forbid(unsafe_code)]

mod core {}
mod std {}
mod memory {}

struct Now;
struct Result;
#[allow(non_snake_case, dead_code)]
fn Ok() {}
#[allow(non_snake_case, dead_code)]
fn Err() {}

fn main() {
    let _ = (Now, Result);
    let stream = ::memcore::Stream::new().unwrap();
    let mut dev = ::memcore::device_vec![0u8; 4].unwrap();
    let r#type = [1, 2, 3, 4];
    ::memcore::copy!(dev <- r#type).unwrap();
    ::memcore::copy!(dev[..2] <- r#type[2..], stream).unwrap();
    ::memcore::fill!(dev[1..] <- 0).unwrap();
    let value = ::memcore::device_box![1.0f32].unwrap();
    let locked = ::memcore::locked_vec![1u8, 2].unwrap();
    ::std::assert_eq!((dev.to_vec().unwrap()[0], locked[1], value.len()), (3, 2, 1));
}
