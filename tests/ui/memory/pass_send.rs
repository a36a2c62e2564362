//! `Send` and `Sync` follow the element type.
use memcore::prelude::*;

fn send_and_sync<T: Send + Sync>() {}

fn main() {
    send_and_sync::<DeviceBuffer<f32>>();
    send_and_sync::<DeviceBox<f32>>();
    send_and_sync::<LockedBuffer<f32>>();
    send_and_sync::<DevicePointer<*mut u8>>();
    send_and_sync::<Context>();
    send_and_sync::<Stream>();
    send_and_sync::<memcore::Event>();
    send_and_sync::<memcore::Error>();
}
