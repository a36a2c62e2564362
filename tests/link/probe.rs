//! Asks memcore what its argument says, in the environment it is run in. Prints the answer; or the error, as text and as
//! `Debug` shows it, and exits with 1.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this program does")]

use std::process::ExitCode;

use memcore::prelude::*;

fn main() -> ExitCode {
    let question = std::env::args().nth(1).unwrap_or_default();
    match answer(&question) {
        Ok(answer) => {
            println!("{answer}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn answer(question: &str) -> memcore::Result<String> {
    match question {
        "copy" => {
            let dev = device_vec![1u8, 2, 3]?;
            Ok(format!("{:?} by {}", dev.to_vec()?, name(Context::current()?.device())?))
        }
        "context" => name(Context::current()?.device()),
        "device" => name(&Device::new(0)?),
        "name uuid name" => {
            let device = Device::new(0)?;
            Ok(format!("{:?}, {:?}, {:?}", device.name(), device.uuid(), device.name()))
        }
        _ => panic!("no such question: {question:?}"),
    }
}

fn name(device: &Device) -> memcore::Result<String> {
    let kind = if device.is_simulated() { "simulated" } else { "CUDA" };
    Ok(format!("{kind} device {}: {}", device.ordinal(), device.name()?))
}
