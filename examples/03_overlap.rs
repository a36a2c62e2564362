//! Sends a large file through the device in chunks: while one chunk is uploaded, the device works on the one before and
//! the one before that is downloaded. Prints when each step of each chunk ran, and what the same steps take one after
//! the other.
//!
//! `cargo run --release --example 03_overlap [FILE]`; without FILE, 256 MiB are made up. Runs on a GPU where there is
//! one, else on the simulated device, which takes no time of its own: there the timeline says when the host ran each
//! step.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this program does")]

use std::error::Error;
use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use memcore::prelude::*;

/// What goes through the device at a time, unless the file is small.
const CHUNK: usize = 16 << 20;

/// Each chunk gets a header from the device: so many bytes of the chunk's number.
const HEADER: usize = 64;

fn main() -> ExitCode {
    match run(std::env::args_os().nth(1).map(PathBuf::from)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("03_overlap: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(file: Option<PathBuf>) -> Result<(), Box<dyn Error>> {
    let source = read(file)?;
    let chunk = CHUNK.min(source.len().div_ceil(8)).max(HEADER);
    let device = Context::current()?.device().clone();
    println!("device    {}{}", device.name()?, if device.is_simulated() { ", no GPU is used" } else { "" });
    println!("data      {} bytes in chunks of {chunk}", source.len());

    let mut data = Data {
        dev: DeviceBuffer::zeroed(source.len())?,
        worked: DeviceBuffer::zeroed(source.len())?,
        result: LockedBuffer::zeroed(source.len())?,
        source,
    };
    // Each way once to warm up.
    data.one_after_the_other(chunk)?;
    let start = Instant::now();
    data.one_after_the_other(chunk)?;
    let serial = start.elapsed();
    data.verify(chunk)?;

    let streams = [Stream::new()?, Stream::new()?, Stream::new()?];
    let marks = data.source.chunks(chunk).map(|_| Marks::new()).collect::<memcore::Result<Vec<_>>>()?;
    let origin = Event::new()?;
    data.overlapped(chunk, &streams, &origin, &marks)?;
    data.result.fill(0);
    let start = Instant::now();
    data.overlapped(chunk, &streams, &origin, &marks)?;
    let overlapped = start.elapsed();
    data.verify(chunk)?;

    timeline(&origin, &marks)?;
    let bytes = data.source.len();
    println!("in turn   {}", rate(bytes, serial));
    println!(
        "overlap   {}, {:.2} times as fast",
        rate(bytes, overlapped),
        serial.as_secs_f64() / overlapped.as_secs_f64()
    );
    if device.is_simulated() {
        println!("          (the host's, not a GPU's: the simulated device takes no time of its own)");
    }
    println!("verified  every byte of {bytes}");
    Ok(())
}

/// The file, or bytes made up, in page-locked memory: what a device copies while the host goes on.
fn read(file: Option<PathBuf>) -> Result<LockedBuffer<u8>, Box<dyn Error>> {
    let Some(path) = file else {
        let mut bytes = LockedBuffer::<u8>::zeroed(256 << 20)?;
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = (i.wrapping_mul(0x9E37_79B1) >> 16) as u8;
        }
        return Ok(bytes);
    };
    let name = path.display();
    let cannot = |error| format!("cannot read {name}: {error}");
    let file = File::open(&path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if !metadata.is_file() {
        return Err(format!("{name} is not a regular file").into());
    }
    let len = usize::try_from(metadata.len()).map_err(|_| format!("{name} is too large"))?;
    if len == 0 {
        return Err(format!("{name} is empty").into());
    }
    let mut bytes = LockedBuffer::<u8>::zeroed(len)?;
    if bytes.read_from(file).map_err(cannot)? < len {
        return Err(format!("{name} became shorter while it was read").into());
    }
    Ok(bytes)
}

struct Data {
    source: LockedBuffer<u8>,
    dev: DeviceBuffer<u8>,
    worked: DeviceBuffer<u8>,
    result: LockedBuffer<u8>,
}

/// The marks around the three steps of a chunk.
struct Marks([Event; 6]);

impl Marks {
    fn new() -> memcore::Result<Self> {
        let event = Event::new;
        Ok(Self([event()?, event()?, event()?, event()?, event()?, event()?]))
    }
}

impl Data {
    /// Each step when the last is done.
    fn one_after_the_other(&mut self, chunk: usize) -> memcore::Result<()> {
        let device = self.dev.chunks_mut(chunk).zip(self.worked.chunks_mut(chunk));
        let host = self.source.chunks(chunk).zip(self.result.chunks_mut(chunk));
        for (i, ((dev, worked), (source, result))) in device.zip(host).enumerate() {
            copy!(dev <- source)?;
            copy!(worked <- dev)?;
            let header = HEADER.min(worked.len());
            fill!(worked[..header] <- i as u8)?;
            copy!(result <- worked)?;
        }
        Ok(())
    }

    /// The same steps on three streams. Each hands a chunk to the next with one event, and nobody waits before the end.
    fn overlapped(
        &mut self,
        chunk: usize,
        [up, work, down]: &[Stream; 3],
        origin: &Event,
        marks: &[Marks],
    ) -> memcore::Result<()> {
        up.record(origin)?;
        up.scope(|up| {
            let dev = up.lend(&mut self.dev).chunks_mut(chunk);
            work.scope(|work| {
                let device = dev.zip(work.lend(&mut self.worked).chunks_mut(chunk));
                down.scope(|down| {
                    let host = self.source.chunks(chunk).zip(self.result.chunks_mut(chunk));
                    for (i, ((dev, worked), (source, result))) in device.zip(host).enumerate() {
                        let mark = |scope: &Scope<'_, '_>, place: usize| scope.stream().record(&marks[i].0[place]);
                        mark(up, 0)?;
                        copy!(dev <- source, up)?;
                        mark(up, 1)?;

                        let dev = work.take_over_ref(dev, up)?; // behind the upload, and not before
                        mark(work, 2)?;
                        copy!(worked <- dev, work)?;
                        let header = HEADER.min(worked.len());
                        fill!(worked[..header] <- i as u8, work)?;
                        mark(work, 3)?;

                        let worked = down.take_over_ref(worked, work)?;
                        mark(down, 4)?;
                        copy!(result <- worked, down)?;
                        mark(down, 5)?;
                    }
                    Ok(())
                })
            })
        })
    }

    fn verify(&self, chunk: usize) -> Result<(), Box<dyn Error>> {
        for (i, (source, result)) in self.source.chunks(chunk).zip(self.result.chunks(chunk)).enumerate() {
            let header = HEADER.min(source.len());
            if result[..header].iter().any(|byte| *byte != i as u8) || result[header..] != source[header..] {
                return Err(format!("chunk {i} came back wrong").into());
            }
        }
        Ok(())
    }
}

/// Prints a line for each step of each chunk, to scale.
fn timeline(origin: &Event, marks: &[Marks]) -> memcore::Result<()> {
    const WIDTH: f64 = 60.0;
    let mut times = Vec::new();
    for Marks(marks) in marks {
        let at = |place: usize| marks[place].elapsed_since(origin).map(|time| time.as_secs_f64());
        times.push([at(0)?, at(1)?, at(2)?, at(3)?, at(4)?, at(5)?]);
    }
    let end = times.iter().flatten().fold(f64::MIN_POSITIVE, |end, time| end.max(*time));
    println!("timeline  {:.3} ms: u upload, w work, d download", end * 1e3);
    for (i, times) in times.iter().enumerate() {
        let mut line = vec![b' '; WIDTH as usize + 1];
        for (letter, step) in [b'u', b'w', b'd'].into_iter().zip(times.chunks(2)) {
            let column = |time: f64| (time / end * WIDTH) as usize;
            line[column(step[0])..=column(step[1])].fill(letter);
        }
        println!("chunk {i:3} |{}|", String::from_utf8_lossy(&line));
    }
    Ok(())
}

fn rate(bytes: usize, time: Duration) -> String {
    format!("{:.3} ms, {:.2} GB/s each way", time.as_secs_f64() * 1e3, bytes as f64 / 1e9 / time.as_secs_f64())
}
