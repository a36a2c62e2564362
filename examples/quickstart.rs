//! Sends a file of records to the device and back, works on ranges of it there, and verifies every byte.
//!
//! `cargo run --example quickstart [FILE]`, where FILE holds records of the shape of [`Quake`]; without it a week
//! of earthquakes is read (`examples/data/README.md`). Runs on a GPU where there is one, else on the simulated device.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this program does")]

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use memcore::bytemuck;
use memcore::prelude::*;

const DEFAULT_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/earthquakes.bin");

/// One record. The derive proves at compile time that it is plain data without padding, as the device needs it.
#[derive(Clone, Copy, Debug, DeviceCopy)]
#[repr(C)]
struct Quake {
    unix_ms: i64,
    longitude: f64,
    latitude: f64,
    depth_km: f32,
    magnitude: f32,
}

const BLANK: Quake = Quake { unix_ms: 0, longitude: 0.0, latitude: 0.0, depth_km: 0.0, magnitude: 0.0 };

fn main() -> ExitCode {
    let path = std::env::args_os().nth(1).map_or_else(|| DEFAULT_FILE.into(), PathBuf::from);
    match run(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("quickstart: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let (file, count) = open(path)?;

    // No set-up: the first call opens the default device. This only asks which one that is.
    let context = Context::current()?;
    let device = context.device();
    let (major, minor) = device.driver_version()?;
    let kind = if device.is_simulated() { "simulated, no GPU is used; it answers as CUDA" } else { "CUDA" };
    println!("driver    {kind} {major}.{minor}");
    println!("device    {}: {}", device.ordinal(), device.name()?);

    // The file is read straight into page-locked memory, which the device copies from at full speed.
    let mut quakes = LockedBuffer::<Quake>::zeroed(count)?;
    if quakes.read_from(file)? < count {
        return Err(format!("{} became shorter while it was read", path.display()).into());
    }
    let bytes = quakes.size_in_bytes();
    println!("file      {}: {count} records, {bytes} bytes", path.display());

    // There and back.
    let mut dev = DeviceBuffer::<Quake>::zeroed(count)?;
    let mut back = LockedBuffer::<Quake>::zeroed(count)?;
    let upload = fastest_of_5(|| copy!(dev <- quakes))?;
    let download = fastest_of_5(|| copy!(back <- dev))?;
    verify(&back, &quakes)?;
    println!("verified  all {bytes} bytes that came back");
    println!("cksum     {} {bytes} {}", cksum(bytemuck::cast_slice(&back)), path.display());

    // Ranges of device memory are used like slices. Here the halves swap places, the first tenth is blanked, and the last
    // magnitude is set through a view of the records as numbers.
    let middle = count / 2;
    let tenth = count.div_ceil(10);
    let mut swapped = DeviceBuffer::<Quake>::zeroed(count)?;
    copy!(swapped[..count - middle] <- dev[middle..])?;
    copy!(swapped[count - middle..] <- dev[..middle])?;
    fill!(swapped[..tenth] <- BLANK)?;
    let numbers = swapped.view_as_mut::<f32>()?;
    let last = numbers.len() - 1;
    fill!(numbers[last..] <- 9.5)?;

    // It is fetched in four parts, and the same work on the host says what to expect.
    let part = count.div_ceil(4);
    for (to, from) in back.chunks_mut(part).zip(swapped.chunks(part)) {
        copy!(to <- from)?;
    }
    let mut expected = quakes.to_vec();
    expected.rotate_left(middle);
    expected[..tenth].fill(BLANK);
    expected[count - 1].magnitude = 9.5;
    verify(&back, &expected)?;
    println!("verified  all {bytes} bytes after copies, fills and a view of ranges on the device");

    println!("upload    {}", rate(bytes, upload));
    println!("download  {}", rate(bytes, download));
    let note =
        if device.is_simulated() { "the host's, not a GPU's" } else { "a small file times the call, not the bus" };
    println!("          (one copy from or to page-locked memory and its wait, fastest of 5: {note})");
    Ok(())
}

/// The file and how many records it holds.
fn open(path: &Path) -> Result<(File, usize), String> {
    let (name, record) = (path.display(), size_of::<Quake>());
    let cannot = |error| format!("cannot read {name}: {error}");
    let file = File::open(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    let bytes = usize::try_from(metadata.len()).map_err(|_| format!("{name} is too large"))?;
    if !metadata.is_file() {
        Err(format!("{name} is not a regular file"))
    } else if bytes == 0 {
        Err(format!("{name} is empty"))
    } else if bytes % record != 0 {
        Err(format!("{name} has {bytes} bytes, which is no whole number of records of {record} bytes"))
    } else {
        Ok((file, bytes / record))
    }
}

/// Compares the bytes, not the numbers: no two NaNs are equal, whatever their bytes.
fn verify(got: &[Quake], expected: &[Quake]) -> Result<(), String> {
    let (got, expected): (&[u8], &[u8]) = (bytemuck::cast_slice(got), bytemuck::cast_slice(expected));
    assert_eq!(got.len(), expected.len());
    match got.iter().zip(expected).position(|(got, expected)| got != expected) {
        Some(at) => Err(format!("byte {at} came back as {:#04x} and should be {:#04x}", got[at], expected[at])),
        None => Ok(()),
    }
}

/// The checksum that `cksum` prints: of the bytes, and then of their number without its leading zero bytes.
fn cksum(bytes: &[u8]) -> u32 {
    let crc = crc::Crc::<u32, crc::Table<16>>::new(&crc::CRC_32_CKSUM);
    let number = (bytes.len() as u64).to_le_bytes();
    let significant = number.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let mut digest = crc.digest();
    digest.update(bytes);
    digest.update(&number[..significant]);
    digest.finalize()
}

/// The time of the fastest copy: the first also makes what the later ones use again.
fn fastest_of_5(mut copy: impl FnMut() -> memcore::Result<()>) -> memcore::Result<Duration> {
    let mut fastest = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        copy()?;
        fastest = fastest.min(start.elapsed());
    }
    Ok(fastest)
}

fn rate(bytes: usize, time: Duration) -> String {
    format!("{bytes} bytes in {time:.1?}: {:.3} GB/s", bytes as f64 / time.as_secs_f64() / 1e9)
}
