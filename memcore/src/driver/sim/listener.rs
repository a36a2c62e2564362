//! Where the process's own simulator tells what it finds: a file, stderr, or the log.

use core::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use log::LevelFilter;

use super::options::Audience;

/// Who hears of violations as they are found.
#[derive(Debug)]
pub(super) struct Listener {
    file: Option<Mutex<File>>,
}

impl Listener {
    /// As the variables want it. A file is added to: several processes may have the same.
    pub(super) fn new(audience: &Audience) -> Self {
        let file = audience.file.as_ref().and_then(|name| {
            let opened = OpenOptions::new().create(true).append(true).open(name);
            let why_not = |error: io::Error| say(&format_args!("MEMCORE_SIM_REPORT={name} cannot be written: {error}"));
            opened.map_err(why_not).ok()
        });
        Self { file: file.map(Mutex::new) }
    }

    /// Hears it, unless the log is to be told.
    pub(super) fn hears(&self, what: &dyn fmt::Display) -> bool {
        if let Some(file) = &self.file {
            let text = format!("simulated device: {what}\n");
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            // In one piece, which those of other processes do not come between.
            if file.write_all(text.as_bytes()).is_err() {
                say(what);
            }
            return true;
        }
        // It would be lost otherwise.
        let is_logged = log::max_level() != LevelFilter::Off;
        if !is_logged {
            say(what);
        }
        !is_logged
    }
}

/// Says something on stderr. Not `eprintln!`, which panics where that is closed; then there is no one to tell.
fn say(what: &dyn fmt::Display) {
    let _ = io::stderr().write_all(format!("simulated device: {what}\n").as_bytes());
}
