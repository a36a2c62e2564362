//! Random programs of copies, fills and slices, compared with the same program on plain vectors.

use memcore::prelude::*;
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::rig::{Outcome, random_programs, tests, turns};

tests!(random_programs_agree_with_a_plain_model);

const LEN: usize = 64;

/// One step on the buffers 0 and 1: device ones, with a host vector and a page-locked one beside them.
#[derive(Clone, Debug)]
enum Step {
    Fill { buffer: usize, at: usize, len: usize, value: u16, stream: Option<usize> },
    Upload { buffer: usize, at: usize, from: usize, len: usize, locked: bool, stream: Option<usize> },
    Download { buffer: usize, at: usize, to: usize, len: usize, locked: bool, stream: Option<usize> },
    Between { to: usize, at: usize, from: usize, len: usize, stream: Option<usize> },
    Within { buffer: usize, middle: usize, len: usize },
    Bytes { buffer: usize, at: usize, len: usize, value: u8 },
    Renew { buffer: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let span = || (0..LEN, 0..LEN, 0..LEN).prop_map(|(a, b, len)| (a, b, len.min(LEN - a.max(b))));
    let stream = || prop::option::of(0..2_usize);
    prop_oneof![
        (0..2_usize, span(), any::<u16>(), stream()).prop_map(|(buffer, (at, _, len), value, stream)| Step::Fill {
            buffer,
            at,
            len,
            value,
            stream
        }),
        (0..2_usize, span(), any::<bool>(), stream()).prop_map(|(buffer, (at, from, len), locked, stream)| {
            Step::Upload { buffer, at, from, len, locked, stream }
        }),
        (0..2_usize, span(), any::<bool>(), stream())
            .prop_map(|(buffer, (at, to, len), locked, stream)| Step::Download { buffer, at, to, len, locked, stream }),
        (0..2_usize, span(), stream()).prop_map(|(to, (at, from, len), stream)| Step::Between {
            to,
            at,
            from,
            len,
            stream
        }),
        (0..2_usize, 1..LEN).prop_map(|(buffer, middle)| Step::Within {
            buffer,
            middle,
            len: middle.min(LEN - middle)
        }),
        (0..2_usize, span(), any::<u8>()).prop_map(|(buffer, (at, _, len), value)| Step::Bytes {
            buffer,
            at,
            len,
            value
        }),
        (0..2_usize).prop_map(|buffer| Step::Renew { buffer }),
    ]
}

struct Plain {
    devs: [Vec<u16>; 2],
    host: Vec<u16>,
    locked: Vec<u16>,
}

struct Real {
    devs: [DeviceBuffer<u16>; 2],
    host: Vec<u16>,
    locked: LockedBuffer<u16>,
    streams: [Stream; 2],
}

impl Plain {
    fn run(&mut self, step: &Step) {
        match *step {
            Step::Fill { buffer, at, len, value, .. } => self.devs[buffer][at..at + len].fill(value),
            Step::Upload { buffer, at, from, len, locked, .. } => {
                let source = if locked { &self.locked } else { &self.host };
                self.devs[buffer][at..at + len].copy_from_slice(&source[from..from + len]);
            }
            Step::Download { buffer, at, to, len, locked, .. } => {
                let target = if locked { &mut self.locked } else { &mut self.host };
                target[to..to + len].copy_from_slice(&self.devs[buffer][at..at + len]);
            }
            Step::Between { to, at, from, len, .. } => {
                let source = self.devs[1 - to][from..from + len].to_vec();
                self.devs[to][at..at + len].copy_from_slice(&source);
            }
            Step::Within { buffer, middle, len } => self.devs[buffer].copy_within(..len, middle),
            Step::Bytes { buffer, at, len, value } => {
                self.devs[buffer][at..at + len].fill(u16::from_ne_bytes([value, value]));
            }
            Step::Renew { buffer } => self.devs[buffer] = vec![0xABCD; LEN],
        }
    }
}

impl Real {
    fn run(&mut self, step: &Step) -> memcore::Result<()> {
        let Self { devs, host, locked: page_locked, streams } = self;
        match *step {
            Step::Fill { buffer, at, len, value, stream: None } => fill!(devs[buffer][at..at + len] <- value),
            Step::Fill { buffer, at, len, value, stream: Some(stream) } => {
                fill!(devs[buffer][at..at + len] <- value, streams[stream])
            }
            Step::Upload { buffer, at, from, len, locked, stream } => {
                let source = if locked { &page_locked[from..from + len] } else { &host[from..from + len] };
                match stream {
                    None => copy!(devs[buffer][at..at + len] <- source),
                    Some(stream) => copy!(devs[buffer][at..at + len] <- source, streams[stream]),
                }
            }
            Step::Download { buffer, at, to, len, locked, stream } => {
                let target = if locked { &mut page_locked[to..to + len] } else { &mut host[to..to + len] };
                match stream {
                    None => copy!(target <- devs[buffer][at..at + len]),
                    Some(stream) => copy!(target <- devs[buffer][at..at + len], streams[stream]),
                }
            }
            Step::Between { to, at, from, len, stream } => {
                let [first, second] = devs;
                let (target, source) = if to == 0 { (first, &*second) } else { (second, &*first) };
                match stream {
                    None => copy!(target[at..at + len] <- source[from..from + len]),
                    Some(stream) => copy!(target[at..at + len] <- source[from..from + len], streams[stream]),
                }
            }
            Step::Within { buffer, middle, len } => {
                let (left, right) = devs[buffer].split_at_mut(middle);
                copy!(right[..len] <- left[..len])
            }
            Step::Bytes { buffer, at, len, value } => devs[buffer][at..at + len].set_8(value),
            Step::Renew { buffer } => {
                devs[buffer] = device_vec![0xABCD_u16; LEN]?;
                Ok(())
            }
        }
    }
}

fn random_programs_agree_with_a_plain_model(_: &Context) -> Outcome {
    let mut runner = random_programs(Config { cases: turns(200), failure_persistence: None, ..Config::default() });
    runner.run(&prop::collection::vec(step(), 1..40), |steps| {
        let start: Vec<u16> = (0..LEN as u16).collect();
        let mut plain = Plain { devs: [start.clone(), vec![7; LEN]], host: start.clone(), locked: vec![9; LEN] };
        let failed = |error: memcore::Error| TestCaseError::fail(error.to_string());
        let mut real = Real {
            devs: [DeviceBuffer::from_slice(&start).map_err(failed)?, DeviceBuffer::filled(7, LEN).map_err(failed)?],
            host: start,
            locked: LockedBuffer::filled(9, LEN).map_err(failed)?,
            streams: [Stream::new().map_err(failed)?, Stream::new().map_err(failed)?],
        };
        for step in &steps {
            plain.run(step);
            real.run(step).map_err(failed)?;
        }
        prop_assert_eq!(&plain.host, &real.host);
        prop_assert_eq!(&plain.locked[..], &real.locked[..]);
        for (plain, real) in plain.devs.iter().zip(&real.devs) {
            prop_assert_eq!(plain, &real.to_vec().map_err(failed)?);
        }
        Ok(())
    })?;
    Ok(())
}
