//! What is measured of a library.

use crate::pattern::{self, POISON, WHOLE};
use crate::rows::Rows;
use crate::sample::time;
use crate::{Options, Worker, threads};

/// A row of 1024 `f32`, and the 1000 of them that are copied.
pub const PITCH: usize = 4096;
pub const COLUMNS: usize = 4000;
const ROWS: usize = 4096;

/// Copies in one sample of the submission.
const BATCH: usize = 1000;

/// What can be measured alone, by `--only`.
pub(crate) const GROUPS: [&str; 7] =
    ["submit", "page-locked", "pageable", "device", "windows", "allocations", "threads"];

pub(crate) fn all<W: Worker>(worker: &W, options: &Options, rows: Rows<'_>) {
    let has = |group| options.only.as_deref().is_none_or(|only| only == group);
    let mut works = Works { worker, options, rows };
    let largest = works.sizes().last().unwrap_or(4);
    options.say("memory for all works");
    let mut locked = worker.host(largest);
    let locked = locked.as_mut();
    let mut pageable = vec![0; largest];
    pattern::write(locked);
    pattern::write(&mut pageable);
    if has("submit") {
        works.submit(&locked[..4096.min(largest)]);
    }
    for bytes in works.sizes() {
        if has("page-locked") {
            works.copies(bytes, "page-locked", &mut locked[..bytes]);
        }
        if has("pageable") {
            works.copies(bytes, "pageable", &mut pageable[..bytes]);
        }
        if has("device") {
            works.device(bytes, locked);
        }
    }
    if has("windows") {
        works.windows(&mut pageable);
    }
    if has("allocations") {
        works.allocations();
    }
    if has("threads") {
        threads::all::<W>(options, &mut works.rows, locked, &mut pageable);
    }
}

struct Works<'a, W> {
    worker: &'a W,
    options: &'a Options,
    rows: Rows<'a>,
}

impl<W: Worker> Works<'_, W> {
    /// From 4 bytes on, in steps of four times.
    fn sizes(&self) -> impl Iterator<Item = usize> + use<W> {
        let (least, most) = (self.options.min_bytes, self.options.max_bytes);
        let all = std::iter::successors(Some(4_usize), |size| Some(size * 4));
        all.skip_while(move |&size| size < least).take_while(move |&size| size <= most)
    }

    fn add(&mut self, work: &str, bytes: usize, moves: usize, samples: Vec<f64>) {
        self.rows.add::<W>(work, bytes, moves, 1, samples);
    }

    fn submit(&mut self, locked: &[u8]) {
        let (worker, bytes) = (self.worker, locked.len());
        self.rows.begins("submit page-locked to device", bytes, 1);
        let mut dev = worker.device(bytes);
        let mut samples = Vec::new();
        for _ in 0..20 {
            let before = std::time::Instant::now();
            for _ in 0..BATCH {
                // SAFETY: both live until the wait below, and nothing writes to them.
                unsafe { worker.submit(&mut dev, locked) };
            }
            samples.push(before.elapsed().as_nanos() as f64 / BATCH as f64);
            worker.wait();
        }
        self.add("submit page-locked to device", bytes, 0, samples);
    }

    /// Makes the device's memory hold nothing of what is copied to it next. `host` holds the pattern before and after.
    fn poison(&self, dev: &mut W::Device, host: &mut [u8]) {
        if self.options.verify {
            host.fill(POISON);
            self.worker.upload(dev, host);
            pattern::write(host);
        }
    }

    /// Host memory of a kind, up and down. It holds the pattern before and after.
    fn copies(&mut self, bytes: usize, kind: &str, host: &mut [u8]) {
        let worker = self.worker;
        let (up, down) = (format!("{kind} to device"), format!("device to {kind}"));
        self.rows.begins(&up, bytes, 1);
        let mut dev = worker.device(bytes);
        self.poison(&mut dev, host);
        worker.upload(&mut dev, host);
        let samples = time(|| worker.upload(&mut dev, host));
        self.add(&up, bytes, bytes, samples);
        if self.options.verify {
            host.fill(POISON);
        }
        self.rows.begins(&down, bytes, 1);
        worker.download(host, &dev);
        if self.options.verify {
            pattern::verify(&up, host, WHOLE);
            // The last of the measured copies finds poison too.
            host.fill(POISON);
        }
        let samples = time(|| worker.download(host, &dev));
        self.add(&down, bytes, bytes, samples);
        if self.options.verify {
            pattern::verify(&down, host, WHOLE);
        }
    }

    /// What leaves the host's memory alone, and what makes a new vector.
    fn device(&mut self, bytes: usize, locked: &mut [u8]) {
        let worker = self.worker;
        self.rows.begins("device to device", bytes, 1);
        let (mut dev, mut other) = (worker.device(bytes), worker.device(bytes));
        worker.upload(&mut other, &locked[..bytes]);
        self.poison(&mut dev, &mut locked[..bytes]);
        worker.between(&mut dev, &other);
        let samples = time(|| worker.between(&mut dev, &other));
        self.add("device to device", bytes, bytes, samples);
        if self.options.verify {
            locked[..bytes].fill(POISON);
            worker.download(&mut locked[..bytes], &dev);
            pattern::verify("device to device", &locked[..bytes], WHOLE);
        }
        drop(other);
        if bytes >= 1 << 16 || bytes == 4 {
            self.rows.begins("device to a new Vec", bytes, 1);
            if self.options.verify {
                pattern::verify("device to a new Vec", &worker.to_vec(&dev), WHOLE);
            }
            let samples = time(|| worker.to_vec(&dev));
            self.add("device to a new Vec", bytes, bytes, samples);
        }
        self.rows.begins("fill", bytes, 1);
        if !worker.fill(&mut dev) {
            return;
        }
        let samples = time(|| worker.fill(&mut dev));
        self.add("fill", bytes, bytes, samples);
        if self.options.verify {
            locked[..bytes].fill(POISON);
            worker.download(&mut locked[..bytes], &dev);
            assert!(locked[..bytes].iter().all(|&byte| byte == 0), "fill: {bytes} bytes are not all zeros");
            pattern::write(&mut locked[..bytes]);
        }
    }

    fn windows(&mut self, pageable: &mut [u8]) {
        let (worker, rows) = (self.worker, ROWS.min(pageable.len() / PITCH));
        if rows == 0 {
            return;
        }
        let (bytes, moves) = (rows * PITCH, rows * COLUMNS);
        self.rows.begins("pageable window to device, and back", bytes, 1);
        let (host, mut dev) = (&mut pageable[..bytes], worker.device(bytes));
        worker.upload(&mut dev, &vec![POISON; bytes]);
        if !worker.upload_rows(&mut dev, host, rows) {
            return;
        }
        let samples = time(|| worker.upload_rows(&mut dev, host, rows));
        self.add("pageable window to device", bytes, moves, samples);
        host.fill(POISON);
        worker.download(host, &dev);
        pattern::verify("pageable window to device", host, (PITCH, COLUMNS));
        host.fill(POISON);
        worker.download_rows(host, &dev, rows);
        pattern::verify("device to pageable window", host, (PITCH, COLUMNS));
        let samples = time(|| worker.download_rows(host, &dev, rows));
        self.add("device to pageable window", bytes, moves, samples);
        pattern::write(host);
    }

    fn allocations(&mut self) {
        let (worker, most) = (self.worker, self.options.max_bytes);
        for bytes in [4, 1 << 20, 64 << 20, 1 << 30].into_iter().filter(|&bytes| bytes <= most) {
            self.rows.begins("allocate, wait and free", bytes, 1);
            worker.allocate(bytes);
            let samples = time(|| worker.allocate(bytes));
            self.add("allocate, wait and free", bytes, 0, samples);
        }
        let bytes = most.min(64 << 20);
        self.rows.begins("zeroed, drop and wait", bytes, 1);
        worker.zeroed(bytes);
        let samples = time(|| worker.zeroed(bytes));
        self.add("zeroed, drop and wait", bytes, 0, samples);
        for bytes in [1 << 20, 64 << 20, 1 << 30].into_iter().filter(|&bytes| bytes <= most) {
            self.rows.begins("page-locked allocation and free", bytes, 1);
            let mut samples = Vec::new();
            worker.keep_pages(false);
            drop(worker.locked(bytes));
            for _ in 0..if bytes < 1 << 30 { 9 } else { 3 } {
                let before = std::time::Instant::now();
                drop(worker.locked(bytes));
                samples.push(before.elapsed().as_nanos() as f64);
            }
            self.add("page-locked allocation and free", bytes, 0, samples);
            if W::KEEPS_PAGES {
                worker.keep_pages(true);
                drop(worker.locked(bytes));
                let samples = time(|| drop(worker.locked(bytes)));
                self.add("page-locked allocation and free, again", bytes, 0, samples);
            }
        }
    }
}
