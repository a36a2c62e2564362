//! Random copies and fills of windows of arrays, compared with the same on plain vectors.

use memcore::memory::array::ArrayShape;
use memcore::prelude::*;
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::rig::{Outcome, random_programs, tests, turns};
use crate::view_model::{ALL, LEN, parts, positions, range};

tests!(random_windows_of_arrays_agree_with_a_plain_model);

type Element = [u16; 2];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    Host,
    Device,
    Volume,
    Layers,
}

#[derive(Clone, Debug)]
enum Step {
    /// `run` for the side that is no array: as many elements one after another, from the start.
    Copy {
        to: Where,
        from: Where,
        at: [usize; 3],
        of: [usize; 3],
        extents: [usize; 3],
        run: bool,
    },
    Fill {
        to: Where,
        at: [usize; 3],
        extents: [usize; 3],
        value: Element,
    },
}

fn place() -> impl Strategy<Value = Where> {
    prop_oneof![Just(Where::Host), Just(Where::Device), Just(Where::Volume), Just(Where::Layers)]
}

fn array() -> impl Strategy<Value = Where> {
    prop_oneof![Just(Where::Volume), Just(Where::Layers)]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (array(), place(), parts(), any::<[bool; 2]>())
            .prop_filter("two memories", |(array, other, ..)| array != other)
            .prop_map(|(array, other, (extents, at, of), [run, turned])| {
                let (to, from) = if turned { (other, array) } else { (array, other) };
                Step::Copy { to, from, at, of, extents, run }
            }),
        1 => (array(), parts(), any::<Element>())
            .prop_map(|(to, (extents, at, _), value)| Step::Fill { to, at, extents, value }),
    ]
}

struct Real {
    host: Vec<Element>,
    dev: DeviceBuffer<Element>,
    volume: ArrayObject<Element>,
    layers: ArrayObject<Element>,
}

impl Real {
    fn run(&mut self, step: &Step) -> memcore::Result<()> {
        let Self { host, dev, volume, layers } = self;
        let slice = [ALL[1], ALL[2]];
        match *step {
            Step::Fill { to, at, extents, value } => {
                let array = if to == Where::Volume { volume } else { layers };
                let [z, y, x] = [0, 1, 2].map(|axis| range(at[axis], extents[axis]));
                fill!(array[z, y, x] <- value)
            }
            Step::Copy { to, from, at, of, extents, run } => {
                let [z, y, x] = [0, 1, 2].map(|axis| range(at[axis], extents[axis]));
                let [w, v, u] = [0, 1, 2].map(|axis| range(of[axis], extents[axis]));
                let len = extents.iter().product::<usize>();
                match (to, from, run) {
                    (Where::Volume, Where::Layers, _) => copy!(volume[z, y, x] <- layers[w, v, u]),
                    (Where::Layers, Where::Volume, _) => copy!(layers[z, y, x] <- volume[w, v, u]),
                    (Where::Volume, Where::Host, true) => copy!(volume[z, y, x] <- host[..len]),
                    (Where::Volume, Where::Host, false) => copy!(volume[z, y, x] <- host.as_3d(slice)?[w, v, u]),
                    (Where::Volume, _, true) => copy!(volume[z, y, x] <- dev[..len]),
                    (Where::Volume, _, false) => copy!(volume[z, y, x] <- dev.as_3d(slice)?[w, v, u]),
                    (Where::Layers, Where::Host, true) => copy!(layers[z, y, x] <- host[..len]),
                    (Where::Layers, Where::Host, false) => copy!(layers[z, y, x] <- host.as_3d(slice)?[w, v, u]),
                    (Where::Layers, _, true) => copy!(layers[z, y, x] <- dev[..len]),
                    (Where::Layers, _, false) => copy!(layers[z, y, x] <- dev.as_3d(slice)?[w, v, u]),
                    (Where::Host, Where::Volume, true) => copy!(host[..len] <- volume[w, v, u]),
                    (Where::Host, Where::Volume, false) => copy!(host.as_3d_mut(slice)?[z, y, x] <- volume[w, v, u]),
                    (Where::Host, _, true) => copy!(host[..len] <- layers[w, v, u]),
                    (Where::Host, _, false) => copy!(host.as_3d_mut(slice)?[z, y, x] <- layers[w, v, u]),
                    (Where::Device, Where::Volume, true) => copy!(dev[..len] <- volume[w, v, u]),
                    (Where::Device, Where::Volume, false) => copy!(dev.as_3d_mut(slice)?[z, y, x] <- volume[w, v, u]),
                    (Where::Device, _, true) => copy!(dev[..len] <- layers[w, v, u]),
                    (Where::Device, _, false) => copy!(dev.as_3d_mut(slice)?[z, y, x] <- layers[w, v, u]),
                }
            }
        }
    }
}

/// The positions of one side: of what is no array perhaps the first ones.
fn side(place: Where, at: [usize; 3], extents: [usize; 3], run: bool) -> Vec<usize> {
    let is_array = matches!(place, Where::Volume | Where::Layers);
    if run && !is_array { (0..extents.iter().product()).collect() } else { positions(at, extents).collect() }
}

fn random_windows_of_arrays_agree_with_a_plain_model(_: &Context) -> Outcome {
    let mut runner = random_programs(Config { cases: turns(200), failure_persistence: None, ..Config::default() });
    runner.run(&prop::collection::vec(step(), 1..20), |steps| {
        let start = |first: u16| (0..LEN as u16).map(|i| [first + i, i]).collect::<Vec<Element>>();
        let mut plain = [start(0), start(1000), start(2000), start(3000)];
        let failed = |error: memcore::Error| TestCaseError::fail(error.to_string());
        let layers = ArrayShape::new_layered_2d(ALL[0], [ALL[1], ALL[2]]);
        let mut real = Real {
            host: start(0),
            dev: DeviceBuffer::from_slice(&start(1000)).map_err(failed)?,
            volume: ArrayObject::from_slice(&start(2000), ALL).map_err(failed)?,
            layers: ArrayObject::from_slice(&start(3000), layers).map_err(failed)?,
        };
        for step in &steps {
            match *step {
                Step::Copy { to, from, at, of, extents, run } => {
                    for (at, of) in side(to, at, extents, run).into_iter().zip(side(from, of, extents, run)) {
                        plain[to as usize][at] = plain[from as usize][of];
                    }
                }
                Step::Fill { to, at, extents, value } => {
                    for at in positions(at, extents) {
                        plain[to as usize][at] = value;
                    }
                }
            }
            real.run(step).map_err(failed)?;
        }
        let [host, dev, volume, layers] = &plain;
        prop_assert_eq!(host, &real.host);
        prop_assert_eq!(dev, &real.dev.to_vec().map_err(failed)?);
        prop_assert_eq!(volume, &real.volume.to_vec().map_err(failed)?);
        prop_assert_eq!(layers, &real.layers.to_vec().map_err(failed)?);
        Ok(())
    })?;
    Ok(())
}
