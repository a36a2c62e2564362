//! Asks memcore what its argument says, in the environment it is run in. Prints the answer; or the error, as text and as
//! `Debug` shows it, and exits with 1.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this program does")]

use std::process::ExitCode;

use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};

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
        "log" => {
            log::set_logger(&Stderr).unwrap();
            log::set_max_level(log::LevelFilter::Info);
            name(&Device::new(0)?)
        }
        "on another thread" => {
            let sim = Sim::new(SimOptions::default());
            let context = Context::new(&sim.device(0)?)?;
            let _entered = context.enter();
            std::thread::spawn(|| name(Context::current()?.device())).join().unwrap()
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

struct Stderr;

impl log::Log for Stderr {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        eprintln!("{} {}", record.level(), record.args());
    }

    fn flush(&self) {}
}

fn name(device: &Device) -> memcore::Result<String> {
    let kind = if device.is_simulated() { "simulated" } else { "CUDA" };
    Ok(format!("{kind} device {}: {}", device.ordinal(), device.name()?))
}
