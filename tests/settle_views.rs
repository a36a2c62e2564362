//! What `settle` promises holds of windows and arrays: of memory that the host, or another device, sees, no byte moves once a
//! call has returned, or a scope has ended, whatever the wait said.

use std::thread::sleep;
use std::time::Duration;

use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions};
use memcore::{Result, Status};

/// So long after a call no byte of its operands may move any more.
const LONG: Duration = Duration::from_millis(200);

const WIDTH: usize = 64;

/// What the forms are made of.
struct Operands {
    locked: LockedBuffer<u8>,
    unified: UnifiedBuffer<u8>,
    dev: DeviceBuffer<u8>,
    array: ArrayObject<u8>,
    stream: Stream,
}

impl Operands {
    fn new() -> Result<Self> {
        Ok(Self {
            locked: locked_vec![9_u8; WIDTH * WIDTH]?,
            unified: unified_vec![1_u8; WIDTH * WIDTH]?,
            dev: device_vec![7_u8; WIDTH * WIDTH]?,
            array: ArrayObject::from_slice(&[7_u8; WIDTH * WIDTH], [WIDTH, WIDTH])?,
            stream: Stream::new()?,
        })
    }

    /// What the host sees.
    fn seen(&self) -> [Vec<u8>; 2] {
        [self.locked.to_vec(), self.unified.to_vec()]
    }
}

type Form = (&'static str, fn(&mut Operands) -> Result<()>);

const FORMS: [Form; 10] = [
    ("rows to page-locked", |o| copy!(o.locked.as_2d_mut(WIDTH)?[.., 1..] <- o.dev.as_2d(WIDTH)?[.., 1..])),
    (
        "rows to unified, by the host's address",
        |o| copy!(o.unified.as_2d_mut(WIDTH)?[.., 1..] <- o.dev.as_2d(WIDTH)?[.., 1..]),
    ),
    (
        "rows to unified, by the device's",
        |o| copy!(o.unified.as_device_slice_mut().as_2d_mut(WIDTH)?[.., 1..] <- o.dev.as_2d(WIDTH)?[.., 1..]),
    ),
    ("fill of unified rows", |o| fill!(o.unified.as_device_slice_mut().as_2d_mut(WIDTH)?[.., 1..] <- 5)),
    ("array to page-locked", |o| copy!(o.locked <- o.array)),
    ("array to page-locked rows", |o| copy!(o.locked.as_2d_mut(WIDTH)? <- o.array)),
    ("rows to page-locked in a scope", |o| {
        let (mut to, from) = (o.locked.as_2d_mut(WIDTH)?, o.dev.as_2d(WIDTH)?);
        o.stream.scope(|s| copy!(to[.., 1..] <- from[.., 1..], s))
    }),
    ("array to page-locked in a scope", |o| {
        let mut to = o.locked.as_2d_mut(WIDTH)?;
        o.stream.scope(|s| copy!(to <- o.array, s))
    }),
    ("rows to unified in a scope", |o| {
        let (mut to, from) = (o.unified.as_device_slice_mut().as_2d_mut(WIDTH)?, o.dev.as_2d(WIDTH)?);
        o.stream.scope(|s| copy!(to[.., 1..] <- from[.., 1..], s))
    }),
    ("fill of unified rows in a scope", |o| {
        let mut to = o.unified.as_device_slice_mut().as_2d_mut(WIDTH)?;
        o.stream.scope(|s| fill!(to[.., 1..] <- 5, s))
    }),
];

#[test]
fn no_byte_moves_after_a_call_has_returned() {
    for (name, run) in FORMS {
        let waits = {
            // How many waits come before the form's own.
            let sim = Sim::new(SimOptions::default());
            let context = Context::new(&sim.device(0).unwrap()).unwrap();
            let _entered = context.enter();
            let _operands = Operands::new().unwrap();
            sim.calls().iter().filter(|call| **call == "cuStreamSynchronize").count() as u64
        };
        let fault = Fault::sticky("cuStreamSynchronize", waits + 1, Status::ILLEGAL_ADDRESS);
        let sim = Sim::new(SimOptions::default().fail(fault));
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        let _entered = context.enter();
        let mut operands = Operands::new().unwrap();
        let before = operands.seen();
        let error = run(&mut operands).expect_err(name);
        assert_eq!(error.status(), Some(Status::ILLEGAL_ADDRESS), "{name}");
        let after = operands.seen();
        assert!(after != before, "{name}: what was queued in the dead context lands all the same");
        sleep(LONG);
        assert!(operands.seen() == after, "{name}: bytes moved after the call had returned");
    }
}

/// The memory of the other device is as much at stake, and its context is well.
#[test]
fn rows_on_another_device_are_settled() {
    let run = |fault: Option<Fault>| {
        let options = SimOptions::default().devices(2);
        let sim = Sim::new(fault.map_or(options.clone(), |fault| options.fail(fault)));
        let (here, there) =
            (Context::new(&sim.device(0).unwrap()).unwrap(), Context::new(&sim.device(1).unwrap()).unwrap());
        let near = DeviceBuffer::filled_in(&here, 7_u8, WIDTH * WIDTH).unwrap();
        let mut far = DeviceBuffer::filled_in(&there, 1_u8, WIDTH * WIDTH).unwrap();
        let stream = Stream::new_in(&here).unwrap();
        let waits = sim.calls().iter().filter(|call| **call == "cuStreamSynchronize").count() as u64;
        let from = near.as_2d(WIDTH).unwrap();
        let result = copy!(far.as_2d_mut(WIDTH).unwrap()[.., 1..] <- from[.., 1..], stream);
        let landed = far.to_vec().map(|far| far.iter().filter(|byte| **byte == 7).count());
        (waits, result, landed)
    };
    let (waits, result, landed) = run(None);
    assert_eq!((result, landed), (Ok(()), Ok(WIDTH * (WIDTH - 1))));
    let (_, result, landed) = run(Some(Fault::sticky("cuStreamSynchronize", waits + 1, Status::ILLEGAL_ADDRESS)));
    assert_eq!(result.unwrap_err().status(), Some(Status::ILLEGAL_ADDRESS));
    assert_eq!(landed, Ok(WIDTH * (WIDTH - 1)), "the other device's memory was read before all had landed");
}
