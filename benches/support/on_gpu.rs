//! A program that measures on a GPU, and where there is none says so.

use std::process::ExitCode;

use memcore::prelude::*;

pub fn on_gpu(run: impl FnOnce(&Device) -> Result<(), Box<dyn std::error::Error>>) -> ExitCode {
    match Device::new(0) {
        Ok(device) if !device.is_simulated() => match run(&device) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        },
        _ => {
            println!("no GPU here: nothing to measure");
            ExitCode::SUCCESS
        }
    }
}
