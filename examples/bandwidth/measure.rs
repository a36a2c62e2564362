//! The paths that are measured.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use memcore::prelude::*;

use crate::results::Row;

/// Each path is measured for so long at each size, but at least and at most so often.
const TIME: Duration = Duration::from_millis(100);
const RUNS: std::ops::RangeInclusive<usize> = 5..=200;

/// What destinations hold before a copy that is verified.
const POISON: f32 = -1.0;
/// What fills write.
const FILLED: f32 = 7.25;

/// The elements of a row, and how many of them a window takes.
const ROW: usize = 1024;
const COLUMNS: usize = 1000;

/// The paths, in the order of the table.
const PATHS: [(&str, Measure); 11] = [
    ("page-locked to device", page_locked_up),
    ("device to page-locked", page_locked_down),
    ("pageable to device", pageable_up),
    ("device to pageable", pageable_down),
    ("device to a new Vec", new_vec),
    ("device to device", between),
    ("fill", fill),
    ("pageable window to device", pageable_window_up),
    ("device to pageable window", pageable_window_down),
    ("page-locked window to device", page_locked_window_up),
    ("device to page-locked window", page_locked_window_down),
];

type Measure = fn(&mut Buffers, usize) -> memcore::Result<(usize, Vec<f64>)>;

/// Every path at every size up to `max_bytes`, from 4 bytes on in steps of four times.
pub(crate) fn all(max_bytes: usize) -> Result<Vec<Row>, Box<dyn Error>> {
    let sizes: Vec<_> = std::iter::successors(Some(4_usize), |size| size.checked_mul(4))
        .take_while(|&size| size <= max_bytes)
        .collect();
    let mut buffers = Buffers::new(sizes.last().map_or(1, |size| size / size_of::<f32>()))?;
    // Drawn where a person looks on, and nowhere else.
    let progress = ProgressBar::new((PATHS.len() * sizes.len()) as u64)
        .with_style(ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?);
    let mut rows = Vec::new();
    for (name, measure) in PATHS {
        progress.set_message(name);
        for &size in &sizes {
            let (elements, samples) = measure(&mut buffers, size / size_of::<f32>())?;
            let bytes = (elements * size_of::<f32>()) as u64;
            rows.push(Row::new("memcore", name, bytes, bytes, 1, samples));
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    Ok(rows)
}

/// Memory of each kind, all of it written, so that no measured copy is the first to touch a page.
struct Buffers {
    dev: DeviceBuffer<f32>,
    other: DeviceBuffer<f32>,
    pageable: Vec<f32>,
    pageable_back: Vec<f32>,
    locked: LockedBuffer<f32>,
    locked_back: LockedBuffer<f32>,
}

impl Buffers {
    fn new(len: usize) -> memcore::Result<Self> {
        let mut state = 0_u32;
        let pageable: Vec<_> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            1.0 + (state >> 9) as f32 / (1 << 23) as f32
        })
        .take(len)
        .collect();
        Ok(Self {
            dev: DeviceBuffer::from_slice(&pageable)?,
            other: DeviceBuffer::from_slice(&pageable)?,
            locked: LockedBuffer::from_slice(&pageable)?,
            locked_back: LockedBuffer::from_slice(&pageable)?,
            pageable_back: pageable.clone(),
            pageable,
        })
    }

    /// Makes the device's memory hold nothing of the source.
    fn poison(&mut self, len: usize) -> memcore::Result<()> {
        fill!(self.dev[..len] <- POISON)
    }

    /// Whether the device's memory has what the host's has.
    fn verify(&mut self, len: usize) -> memcore::Result<()> {
        copy!(self.locked_back[..len] <- self.dev[..len])?;
        verify(&self.locked_back[..len], &self.pageable[..len]);
        Ok(())
    }
}

#[track_caller]
fn verify(found: &[f32], expected: &[f32]) {
    assert!(found == expected, "a copy of {} elements is not what was copied", expected.len());
}

/// Nanoseconds of each call. What a call returns is dropped outside the time.
fn time<T>(mut call: impl FnMut() -> memcore::Result<T>) -> memcore::Result<Vec<f64>> {
    let (mut samples, start) = (Vec::new(), Instant::now());
    while samples.len() < *RUNS.start() || (samples.len() < *RUNS.end() && start.elapsed() < TIME) {
        let before = Instant::now();
        let result = call()?;
        samples.push(before.elapsed().as_nanos() as f64);
        drop(black_box(result));
    }
    Ok(samples)
}

fn page_locked_up(buffers: &mut Buffers, len: usize) -> memcore::Result<(usize, Vec<f64>)> {
    buffers.poison(len)?;
    copy!(buffers.dev[..len] <- buffers.locked[..len])?;
    buffers.verify(len)?;
    Ok((len, time(|| copy!(buffers.dev[..len] <- buffers.locked[..len]))?))
}

fn page_locked_down(buffers: &mut Buffers, len: usize) -> memcore::Result<(usize, Vec<f64>)> {
    copy!(buffers.dev[..len] <- buffers.pageable[..len])?;
    buffers.locked_back[..len].fill(POISON);
    copy!(buffers.locked_back[..len] <- buffers.dev[..len])?;
    verify(&buffers.locked_back[..len], &buffers.pageable[..len]);
    Ok((len, time(|| copy!(buffers.locked_back[..len] <- buffers.dev[..len]))?))
}

fn pageable_up(buffers: &mut Buffers, len: usize) -> memcore::Result<(usize, Vec<f64>)> {
    buffers.poison(len)?;
    copy!(buffers.dev[..len] <- buffers.pageable[..len])?;
    buffers.verify(len)?;
    Ok((len, time(|| copy!(buffers.dev[..len] <- buffers.pageable[..len]))?))
}

fn pageable_down(buffers: &mut Buffers, len: usize) -> memcore::Result<(usize, Vec<f64>)> {
    copy!(buffers.dev[..len] <- buffers.pageable[..len])?;
    buffers.pageable_back[..len].fill(POISON);
    copy!(buffers.pageable_back[..len] <- buffers.dev[..len])?;
    verify(&buffers.pageable_back[..len], &buffers.pageable[..len]);
    Ok((len, time(|| copy!(buffers.pageable_back[..len] <- buffers.dev[..len]))?))
}

fn new_vec(buffers: &mut Buffers, len: usize) -> memcore::Result<(usize, Vec<f64>)> {
    copy!(buffers.dev[..len] <- buffers.pageable[..len])?;
    verify(&buffers.dev[..len].to_vec()?, &buffers.pageable[..len]);
    Ok((len, time(|| buffers.dev[..len].to_vec())?))
}

fn between(buffers: &mut Buffers, len: usize) -> memcore::Result<(usize, Vec<f64>)> {
    copy!(buffers.other[..len] <- buffers.pageable[..len])?;
    buffers.poison(len)?;
    copy!(buffers.dev[..len] <- buffers.other[..len])?;
    buffers.verify(len)?;
    Ok((len, time(|| copy!(buffers.dev[..len] <- buffers.other[..len]))?))
}

fn fill(buffers: &mut Buffers, len: usize) -> memcore::Result<(usize, Vec<f64>)> {
    buffers.poison(len)?;
    fill!(buffers.dev[..len] <- FILLED)?;
    copy!(buffers.locked_back[..len] <- buffers.dev[..len])?;
    assert!(
        buffers.locked_back[..len].iter().all(|&value| value == FILLED),
        "a fill of {len} elements is not its value"
    );
    Ok((len, time(|| fill!(buffers.dev[..len] <- FILLED))?))
}

/// The width of a row and the columns and rows of the window, of about `len` elements.
fn window(len: usize) -> (usize, usize, usize) {
    let width = len.min(ROW);
    (width, (width * COLUMNS / ROW).max(1), len / width)
}

macro_rules! windows {
    (up $up:ident from $source:ident, down $down:ident to $back:ident) => {
        fn $up(buffers: &mut Buffers, len: usize) -> memcore::Result<(usize, Vec<f64>)> {
            let (width, columns, rows) = window(len);
            let copy = |buffers: &mut Buffers| {
                copy!(buffers.dev[..len].as_2d_mut(width)?[.., ..columns] <- buffers.$source[..len].as_2d(width)?[.., ..columns])
            };
            buffers.poison(len)?;
            copy(buffers)?;
            copy!(buffers.locked_back[..len] <- buffers.dev[..len])?;
            verify_window(&buffers.locked_back[..len], &buffers.pageable[..len], width, columns);
            Ok((rows * columns, time(|| copy(buffers))?))
        }

        fn $down(buffers: &mut Buffers, len: usize) -> memcore::Result<(usize, Vec<f64>)> {
            let (width, columns, rows) = window(len);
            let copy = |buffers: &mut Buffers| {
                copy!(buffers.$back[..len].as_2d_mut(width)?[.., ..columns] <- buffers.dev[..len].as_2d(width)?[.., ..columns])
            };
            copy!(buffers.dev[..len] <- buffers.pageable[..len])?;
            buffers.$back[..len].fill(POISON);
            copy(buffers)?;
            verify_window(&buffers.$back[..len], &buffers.pageable[..len], width, columns);
            Ok((rows * columns, time(|| copy(buffers))?))
        }
    };
}
windows!(up pageable_window_up from pageable, down pageable_window_down to pageable_back);
windows!(up page_locked_window_up from locked, down page_locked_window_down to locked_back);

/// Whether the window has the source's elements, and nothing was written beside it.
fn verify_window(found: &[f32], expected: &[f32], width: usize, columns: usize) {
    for (found, expected) in found.chunks(width).zip(expected.chunks(width)) {
        verify(&found[..columns], &expected[..columns]);
        assert!(found[columns..].iter().all(|&value| value == POISON), "a window's copy wrote beside it");
    }
}
