//! The detector against a model that shares nothing with it: a graph of all operations, closed over every rule of CUDA by
//! brute force. Random programs race, or do not, at the same step in both.

use core::ops::Range;

use super::super::{Order, SimOptions, ViolationKind};
use super::rig::{Locked, Rig, call, ok};
use crate::driver::ffi::{CUdeviceptr, CUevent, CUstream};
use crate::error::Status;

const PROGRAMS: u64 = 1000;
const LEN: u64 = 64;

/// Operations by their indices.
type Set = Vec<bool>;

/// Bytes of a buffer, and whether they are written.
#[derive(Clone, Debug)]
struct Use {
    buffer: usize,
    bytes: Range<u64>,
    writes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stream {
    Legacy,
    Blocking(usize),
    NonBlocking(usize),
}

#[derive(Debug)]
struct Operation {
    stream: Stream,
    uses: Vec<Use>,
    /// All that comes before it.
    before: Set,
}

/// Every operation so far, and what the host has waited for.
#[derive(Default)]
struct Model {
    operations: Vec<Operation>,
    host: Set,
    events: Vec<Option<Set>>,
    /// What a stream comes after by the events that it waited for.
    waited: Vec<(Stream, Set)>,
}

fn union(into: &mut Set, other: &Set) {
    if into.len() < other.len() {
        into.resize(other.len(), false);
    }
    for (mine, theirs) in into.iter_mut().zip(other) {
        *mine |= *theirs;
    }
}

fn holds(set: &Set, index: usize) -> bool {
    set.get(index).copied().unwrap_or(false)
}

impl Model {
    /// Whether the work of `earlier` comes before what is queued later on `later`.
    fn orders(earlier: Stream, later: Stream) -> bool {
        match (earlier, later) {
            (Stream::NonBlocking(a), Stream::NonBlocking(b)) | (Stream::Blocking(a), Stream::Blocking(b)) => a == b,
            (Stream::NonBlocking(_), _) | (_, Stream::NonBlocking(_)) => false,
            (Stream::Legacy, _) | (_, Stream::Legacy) => true,
        }
    }

    /// All that comes before the next operation of a stream.
    fn before(&self, stream: Stream) -> Set {
        let mut before = self.host.clone();
        before.resize(self.operations.len(), false);
        for (index, operation) in self.operations.iter().enumerate() {
            if Self::orders(operation.stream, stream) {
                before[index] = true;
                union(&mut before, &operation.before);
            }
        }
        // What a stream has waited for orders what is queued behind the wait; and the wait itself is work of the stream.
        for (waiting, set) in &self.waited {
            if Self::orders(*waiting, stream) {
                union(&mut before, set);
            }
        }
        before
    }

    /// Adds an operation; whether it races with an earlier one.
    fn add(&mut self, stream: Stream, uses: Vec<Use>) -> bool {
        let before = self.before(stream);
        let races = self.operations.iter().enumerate().any(|(index, earlier)| {
            !holds(&before, index)
                && earlier.uses.iter().any(|a| {
                    uses.iter().any(|b| {
                        a.buffer == b.buffer
                            && (a.writes || b.writes)
                            && a.bytes.start < b.bytes.end
                            && b.bytes.start < a.bytes.end
                    })
                })
        });
        self.operations.push(Operation { stream, uses, before });
        races
    }

    /// The host waits for all that came before now on a stream.
    fn host_waits(&mut self, stream: Stream) {
        let before = if let Stream::Legacy = stream {
            self.before(Stream::Legacy)
        } else {
            // A wait for one stream is a wait for its own work, and what that came after.
            let mut own = Set::new();
            for (index, operation) in self.operations.iter().enumerate() {
                if operation.stream == stream {
                    own.resize(own.len().max(index + 1), false);
                    own[index] = true;
                    union(&mut own, &operation.before);
                }
            }
            for (waiting, set) in &self.waited {
                if *waiting == stream {
                    union(&mut own, set);
                }
            }
            own
        };
        union(&mut self.host, &before);
    }

    fn host_waits_for_all(&mut self) {
        self.host = vec![true; self.operations.len()];
    }
}

/// The program on the simulated device.
struct Run {
    rig: Rig,
    streams: Vec<(Stream, CUstream)>,
    events: Vec<CUevent>,
    buffers: Vec<Buffer>,
    model: Model,
}

#[derive(Clone, Copy)]
enum Buffer {
    Device(CUdeviceptr),
    Pool(CUdeviceptr),
    Locked(Locked),
    Freed,
}

impl Run {
    fn new(order: Order) -> Self {
        let rig = Rig::new(SimOptions::default().order(order));
        let mut streams = vec![(Stream::Legacy, core::ptr::null_mut())];
        for index in 0..2 {
            streams.push((Stream::Blocking(index), rig.stream(0)));
            streams.push((Stream::NonBlocking(index), rig.stream(1)));
        }
        let events: Vec<_> = (0..3).map(|_| rig.event()).collect();
        let mut buffers: Vec<_> = (0..2).map(|_| Buffer::Device(rig.alloc(LEN as usize))).collect();
        buffers.extend((0..2).map(|_| Buffer::Locked(rig.locked(LEN as usize))));
        let model = Model { events: vec![None; events.len()], ..Model::default() };
        Self { rig, streams, events, buffers, model }
    }

    fn pick(&self, random: &mut fastrand::Rng) -> (Stream, CUstream) {
        self.streams[random.usize(..self.streams.len())]
    }

    /// A live buffer that `fits`.
    fn buffer(&self, random: &mut fastrand::Rng, fits: fn(&Buffer) -> bool) -> Option<usize> {
        let all: Vec<_> = (0..self.buffers.len()).filter(|index| fits(&self.buffers[*index])).collect();
        random.choice(all)
    }

    fn address(&self, buffer: usize) -> u64 {
        match self.buffers[buffer] {
            Buffer::Device(address) | Buffer::Pool(address) => address,
            Buffer::Locked(locked) => locked.pointer.addr() as u64,
            Buffer::Freed => unreachable!("only live buffers are used"),
        }
    }

    /// Makes one step; whether the model says that it races.
    fn step(&mut self, random: &mut fastrand::Rng) -> bool {
        let is_device = |buffer: &Buffer| matches!(buffer, Buffer::Device(_) | Buffer::Pool(_));
        let is_locked = |buffer: &Buffer| matches!(buffer, Buffer::Locked(_));
        let (name, stream) = self.pick(random);
        let start = random.u64(..LEN);
        let len = random.u64(1..=LEN - start);
        let bytes = start..start + len;
        let of = |buffer, bytes: &Range<u64>, writes| Use { buffer, bytes: bytes.clone(), writes };
        match random.u32(..20) {
            0 | 1 => {
                // A memset of rows of those bytes.
                let Some(dst) = self.buffer(random, is_device) else { return false };
                let width = random.u64(1..=len);
                let pitch = random.u64(width..=len);
                let rows = (len - width) / pitch + 1;
                let at = self.address(dst) + start;
                ok!(self.rig, memset_d2d8_async(at, pitch as usize, 1, width as usize, rows as usize, stream));
                let row = |row| start + row * pitch..start + row * pitch + width;
                self.model.add(name, (0..rows).map(|index| of(dst, &row(index), true)).collect())
            }
            2 | 3 => {
                let Some(dst) = self.buffer(random, is_device) else { return false };
                ok!(self.rig, memset_d8_async(self.address(dst) + start, 1, len as usize, stream));
                self.model.add(name, vec![of(dst, &bytes, true)])
            }
            4..6 => {
                let (Some(dst), Some(src)) = (self.buffer(random, is_device), self.buffer(random, is_device)) else {
                    return false;
                };
                let (to, from) = (self.address(dst) + start, self.address(src) + start);
                ok!(self.rig, memcpy_dtod_async(to, from, len as usize, stream));
                self.model.add(name, vec![of(src, &bytes, false), of(dst, &bytes, true)])
            }
            6..10 => {
                let (Some(dev), Some(host)) = (self.buffer(random, is_device), self.buffer(random, is_locked)) else {
                    return false;
                };
                let (dev_at, host_at) = (self.address(dev) + start, self.address(host) + start);
                let pointer = core::ptr::with_exposed_provenance_mut(host_at as usize);
                if random.bool() {
                    ok!(self.rig, memcpy_htod_async(dev_at, pointer, len as usize, stream));
                    self.model.add(name, vec![of(host, &bytes, false), of(dev, &bytes, true)])
                } else {
                    ok!(self.rig, memcpy_dtoh_async(pointer, dev_at, len as usize, stream));
                    self.model.add(name, vec![of(dev, &bytes, false), of(host, &bytes, true)])
                }
            }
            10 => {
                // Synchronous: legacy-stream order, and the host waits for a copy from page-locked memory.
                let (Some(dev), Some(host)) = (self.buffer(random, is_device), self.buffer(random, is_locked)) else {
                    return false;
                };
                let pointer = core::ptr::with_exposed_provenance((self.address(host) + start) as usize);
                ok!(self.rig, memcpy_htod(self.address(dev) + start, pointer, len as usize));
                let races = self.model.add(Stream::Legacy, vec![of(host, &bytes, false), of(dev, &bytes, true)]);
                self.model.host_waits(Stream::Legacy);
                races
            }
            11 => {
                let Some(dst) = self.buffer(random, is_device) else { return false };
                ok!(self.rig, memset_d8(self.address(dst) + start, 2, len as usize));
                self.model.add(Stream::Legacy, vec![of(dst, &bytes, true)])
            }
            12 | 13 => {
                let index = random.usize(..self.events.len());
                ok!(self.rig, event_record(self.events[index], stream));
                // The record is an operation of its stream, with no memory of its own.
                let races = self.model.add(name, Vec::new());
                let last = self.model.operations.len() - 1;
                let mut set = self.model.operations[last].before.clone();
                set.resize(last + 1, false);
                set[last] = true;
                self.model.events[index] = Some(set);
                races
            }
            14 | 15 => {
                let index = random.usize(..self.events.len());
                let Some(set) = self.model.events[index].clone() else { return false };
                ok!(self.rig, stream_wait_event(stream, self.events[index], 0));
                self.model.waited.push((name, set));
                false
            }
            16 => {
                ok!(self.rig, stream_synchronize(stream));
                self.model.host_waits(name);
                false
            }
            17 => self.look(random, name, stream),
            18 => {
                let mut address = 0;
                ok!(self.rig, mem_alloc_async(&mut address, LEN as usize, stream));
                self.buffers.push(Buffer::Pool(address));
                self.model.add(name, vec![of(self.buffers.len() - 1, &(0..LEN), true)])
            }
            _ => {
                let Some(gone) = self.buffer(random, |buffer| matches!(buffer, Buffer::Pool(_))) else { return false };
                ok!(self.rig, mem_free_async(self.address(gone), stream));
                self.buffers[gone] = Buffer::Freed;
                self.model.add(name, vec![of(gone, &(0..LEN), true)])
            }
        }
    }

    /// Waits for events and for everything, and queries.
    fn look(&mut self, random: &mut fastrand::Rng, name: Stream, stream: CUstream) -> bool {
        match random.u32(..4) {
            0 => {
                ok!(self.rig, context_synchronize());
                self.model.host_waits_for_all();
            }
            1 => {
                let index = random.usize(..self.events.len());
                if let Some(set) = self.model.events[index].clone() {
                    ok!(self.rig, event_synchronize(self.events[index]));
                    union(&mut self.model.host, &set);
                }
            }
            2 => {
                if call!(self.rig, stream_query(stream)) == Status::SUCCESS {
                    self.model.host_waits(name);
                }
            }
            _ => {
                let index = random.usize(..self.events.len());
                if let Some(set) = self.model.events[index].clone()
                    && call!(self.rig, event_query(self.events[index])) == Status::SUCCESS
                {
                    union(&mut self.model.host, &set);
                }
            }
        }
        false
    }

    /// Whether the detector has found a race.
    fn has_raced(&self) -> bool {
        use ViolationKind::{HostInFlight, ReadAfterWrite, UseAfterFree, WriteAfterRead, WriteAfterWrite};
        self.rig.sim.violations().iter().any(|violation| {
            matches!(violation.kind(), ReadAfterWrite | WriteAfterRead | WriteAfterWrite | UseAfterFree | HostInFlight)
        })
    }
}

#[test]
fn random_programs_race_where_the_model_says() {
    let (mut racy, mut clean) = (0, 0);
    for seed in 0..PROGRAMS {
        let mut random = fastrand::Rng::with_seed(seed);
        let order = [Order::Lazy, Order::Eager, Order::Random(seed)][seed as usize % 3];
        let mut run = Run::new(order);
        let steps = 2 + random.usize(..24);
        let mut raced = false;
        for step in 0..steps {
            raced = run.step(&mut random);
            assert_eq!(
                run.has_raced(),
                raced,
                "seed {seed}, step {step}: {:#?}\n{:#?}",
                run.model.operations,
                run.rig.sim.violations()
            );
            if raced {
                break;
            }
        }
        if raced { racy += 1 } else { clean += 1 }
    }
    assert!(racy > 200 && clean > 200, "{racy} racy, {clean} clean programs: too few of a kind to tell anything");
}
