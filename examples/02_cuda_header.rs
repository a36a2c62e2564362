//! Writes the CUDA C++ header for the program's structs, and a file with an array of them that has been to a device:
//!
//! ```text
//! cargo run --example 02_cuda_header [FOLDER]
//! ```
//!
//! They are `records.h` and `records.bin` in FOLDER; without it in `cuda_header` in cargo's target folder (the one that
//! `CARGO_TARGET_DIR` names, else `target`). It says where they are. Runs on a GPU where there is one, else on the
//! simulated device.
//!
//! `tests/cuda_header/reads_every_field.cu` is the other side: compiled against the header, it finds in the file what is
//! written here, in every field of every struct.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this program does")]

use std::{
    env,
    error::Error,
    fs,
    num::NonZeroU32,
    path::{Path, PathBuf},
    process::ExitCode,
};

use memcore::{bytemuck, layout::cuda_header, prelude::*};

/// How many structs are in the file.
const COUNT: u32 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(u16)]
enum Kind {
    Solid = 1,
    Liquid,
    Gas = 400,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
union Bits {
    number: f32,
    integer: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C, packed)]
struct Dense {
    code: u8,
    value: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C)]
struct Pair<T> {
    first: T,
    others: [T; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(transparent)]
struct Meters(f64);

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked)]
#[repr(C, align(16))]
struct Record {
    position: [f32; 3],
    mass: f32,
    id: u64,
    next: DevicePointer<Record>,
    matrix: [[i16; 3]; 2],
    kind: Kind,
    flags: [bool; 2],
    letter: char,
    key: NonZeroU32,
    bits: Bits,
    pair: Pair<i32>,
    height: Meters,
    dense: [Dense; 2],
    r#class: i8,
    _pad: [u8; 13],
}

/// The record of this index: every field says which it is.
fn record(index: u32) -> Record {
    let number = f64::from(index);
    let small = (index % 1000) as i16;
    Record {
        position: [index as f32, index as f32 + 0.25, -(index as f32)],
        mass: index as f32 * 0.5,
        id: u64::from(index) << 33,
        next: DevicePointer::from_raw(u64::from(index) * 16),
        matrix: [[small, small + 1, small + 2], [-small, -small - 1, -small - 2]],
        kind: [Kind::Solid, Kind::Liquid, Kind::Gas][index as usize % 3],
        flags: [index.is_multiple_of(2), index.is_multiple_of(5)],
        letter: char::from_u32(0x4e00 + index).expect("a Chinese character"),
        key: NonZeroU32::new(index + 1).expect("not 0"),
        bits: Bits { number: index as f32 * 2.0 },
        pair: Pair { first: -(index as i32), others: [index as i32, 7] },
        height: Meters(number / 4.0),
        dense: [Dense { code: (index % 256) as u8, value: number }, Dense { code: 255, value: -number }],
        r#class: (index % 100) as i8 - 50,
        _pad: [0; 13],
    }
}

fn main() -> ExitCode {
    let folder = env::args_os().nth(1).map_or_else(default_folder, PathBuf::from);
    match run(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("02_cuda_header: {error}");
            ExitCode::FAILURE
        }
    }
}

fn default_folder() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Path::new(&target).join("cuda_header")
}

fn run(folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    write(&folder.join("records.h"), cuda_header(&[Record::layout()])?.as_bytes())?;
    println!("header    {}", folder.join("records.h").display());

    let records: Vec<Record> = (0..COUNT).map(record).collect();
    let dev = DeviceBuffer::from_slice(&records)?;
    let back = dev.to_vec()?;
    assert_eq!(bytemuck::cast_slice::<_, u8>(&back), bytemuck::cast_slice::<_, u8>(&records));
    let file = folder.join("records.bin");
    write(&file, bytemuck::cast_slice(&back))?;
    println!("records   {}: {COUNT} of {} bytes, back from the device", file.display(), size_of::<Record>());
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
