//! Random copies and fills of windows, compared with the same on plain vectors.

use std::ops::Range;

use memcore::prelude::*;
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::rig::{Outcome, random_programs, tests, turns};

tests!(random_windows_agree_with_a_plain_model);

/// Slices, rows and columns of everything.
pub(crate) const ALL: [usize; 3] = [3, 4, 5];
pub(crate) const LEN: usize = ALL[0] * ALL[1] * ALL[2];

/// Where something lies: the host, page-locked memory, a device buffer, or rows with a pitch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    Host,
    Locked,
    Device,
    Pitched,
}

#[derive(Clone, Debug)]
enum Step {
    Copy { to: Where, from: Where, at: [usize; 3], of: [usize; 3], extents: [usize; 3], flat: bool },
    Fill { to: Where, at: [usize; 3], extents: [usize; 3], value: [u16; 3] },
}

fn place() -> impl Strategy<Value = Where> {
    prop_oneof![Just(Where::Host), Just(Where::Locked), Just(Where::Device), Just(Where::Pitched)]
}

/// Extents, and two positions where they fit.
pub(crate) fn parts() -> impl Strategy<Value = ([usize; 3], [usize; 3], [usize; 3])> {
    let axis = |all: usize| (0..=all).prop_flat_map(move |extent| (Just(extent), 0..=all - extent, 0..=all - extent));
    let [z, y, x] = ALL.map(axis);
    (z, y, x).prop_map(|(z, y, x)| ([z.0, y.0, x.0], [z.1, y.1, x.1], [z.2, y.2, x.2]))
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (place(), place(), parts(), any::<bool>())
            .prop_filter("two memories", |(to, from, ..)| to != from)
            .prop_map(|(to, from, (extents, at, of), flat)| Step::Copy { to, from, at, of, extents, flat }),
        1 => (place(), parts(), any::<[u16; 3]>(), any::<bool>()).prop_map(|(to, (extents, at, _), value, same)| {
            Step::Fill { to, at, extents, value: if same { [value[0]; 3] } else { value } }
        }),
    ]
}

pub(crate) fn range(at: usize, extent: usize) -> Range<usize> {
    at..at + extent
}

/// The positions of a part, in the order of the elements.
pub(crate) fn positions(at: [usize; 3], extents: [usize; 3]) -> impl Iterator<Item = usize> {
    let [_, rows, columns] = ALL;
    range(at[0], extents[0]).flat_map(move |z| {
        range(at[1], extents[1]).flat_map(move |y| range(at[2], extents[2]).map(move |x| (z * rows + y) * columns + x))
    })
}

type Element = [u16; 3];

struct Real {
    host: Vec<Element>,
    locked: LockedBuffer<Element>,
    dev: DeviceBuffer<Element>,
    pitched: PitchedBuffer<Element>,
}

impl Real {
    fn run(&mut self, step: &Step) -> memcore::Result<()> {
        let Self { host, locked, dev, pitched } = self;
        let [_, rows, columns] = ALL;
        match *step {
            Step::Fill { to, at, extents, value } => {
                let [z, y, x] = [0, 1, 2].map(|axis| range(at[axis], extents[axis]));
                match to {
                    Where::Host => fill!(host.as_3d_mut([rows, columns])?[z, y, x] <- value),
                    Where::Locked => fill!(locked.as_3d_mut([rows, columns])?[z, y, x] <- value),
                    Where::Device => fill!(dev.as_3d_mut([rows, columns])?[z, y, x] <- value),
                    Where::Pitched => fill!(pitched.as_view_mut().in_slices_of(rows)?[z, y, x] <- value),
                }
            }
            Step::Copy { to, from, at, of, extents, flat } => {
                macro_rules! copied {
                    ($to:expr, $from:expr) => {{
                        let to = $to.window(range(at[0], extents[0]), range(at[1], extents[1]), range(at[2], extents[2]))?;
                        let from = $from.window(range(of[0], extents[0]), range(of[1], extents[1]), range(of[2], extents[2]))?;
                        if flat && extents[0] == 1 {
                            copy!(to.slice(0)? <- from.slice(0)?)
                        } else {
                            let mut to = to;
                            copy!(to <- from)
                        }
                    }};
                }
                let slice = [rows, columns];
                macro_rules! from_any {
                    ($to:expr, [$($other:ident: $value:expr),*]) => {
                        match from { $(Where::$other => copied!($to, $value),)* _ => unreachable!("two memories") }
                    };
                }
                match to {
                    Where::Host => from_any!(host.as_3d_mut(slice)?, [
                        Locked: locked.as_3d(slice)?, Device: dev.as_3d(slice)?, Pitched: pitched.as_view().in_slices_of(rows)?
                    ]),
                    Where::Locked => from_any!(locked.as_3d_mut(slice)?, [
                        Host: host.as_3d(slice)?, Device: dev.as_3d(slice)?, Pitched: pitched.as_view().in_slices_of(rows)?
                    ]),
                    Where::Device => from_any!(dev.as_3d_mut(slice)?, [
                        Host: host.as_3d(slice)?, Locked: locked.as_3d(slice)?, Pitched: pitched.as_view().in_slices_of(rows)?
                    ]),
                    Where::Pitched => from_any!(pitched.as_view_mut().in_slices_of(rows)?, [
                        Host: host.as_3d(slice)?, Locked: locked.as_3d(slice)?, Device: dev.as_3d(slice)?
                    ]),
                }
            }
        }
    }
}

fn random_windows_agree_with_a_plain_model(_: &Context) -> Outcome {
    let mut runner = random_programs(Config { cases: turns(200), failure_persistence: None, ..Config::default() });
    runner.run(&prop::collection::vec(step(), 1..20), |steps| {
        let start = |first: u16| (0..LEN as u16).map(|i| [first + i, i, 7]).collect::<Vec<Element>>();
        let mut plain = [start(0), start(1000), start(2000), start(3000)];
        let failed = |error: memcore::Error| TestCaseError::fail(error.to_string());
        let mut real = Real {
            host: start(0),
            locked: LockedBuffer::from_slice(&start(1000)).map_err(failed)?,
            dev: DeviceBuffer::from_slice(&start(2000)).map_err(failed)?,
            pitched: PitchedBuffer::from_slice(&start(3000), ALL[2]).map_err(failed)?,
        };
        for step in &steps {
            match *step {
                Step::Copy { to, from, at, of, extents, .. } => {
                    for (at, of) in positions(at, extents).zip(positions(of, extents)) {
                        plain[to as usize][at] = plain[from as usize][of];
                    }
                }
                Step::Fill { to, at, extents, value } => {
                    positions(at, extents).for_each(|at| plain[to as usize][at] = value);
                }
            }
            real.run(step).map_err(failed)?;
        }
        let [host, locked, dev, pitched] = &plain;
        prop_assert_eq!(host, &real.host);
        prop_assert_eq!(&locked[..], &real.locked[..]);
        prop_assert_eq!(dev, &real.dev.to_vec().map_err(failed)?);
        prop_assert_eq!(pitched, &real.pitched.to_vec().map_err(failed)?);
        Ok(())
    })?;
    Ok(())
}
