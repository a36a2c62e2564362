//! How fast memory moves, by size and by path: prints a table, and draws GB/s against size as SVG and PNG.
//!
//! `cargo run --release --example bandwidth [-- --max-bytes 64M --out DIR --json FILE]`. Runs on a GPU where there is one,
//! else on the simulated device, whose speed is the host's and is said to be. `--draw FILE...` draws what `--json` saved,
//! or `benches/peers`, and measures nothing.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this program does")]

mod measure;
mod options;
mod plot;
#[allow(unreachable_pub, missing_docs, reason = "benches/peers has the same file")]
mod results;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use memcore::prelude::*;

use options::{Options, USAGE};
use results::{About, Results, size_name};

fn main() -> ExitCode {
    match Options::read(std::env::args_os().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bandwidth: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    if options.help {
        println!("{USAGE}");
        return Ok(());
    }
    // What cannot be written is said before anything is measured.
    let out = options.out.clone().unwrap_or_else(default_out);
    fs::create_dir_all(&out).map_err(|error| format!("cannot make the folder {}: {error}", out.display()))?;
    if !options.draw.is_empty() {
        for file in &options.draw {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            draw(&Results::read(file)?, &out, &stem)?;
        }
        return Ok(());
    }
    let context = Context::current()?;
    let device = context.device().clone();
    let about = about(&device)?;
    let max_bytes = options.max_bytes.unwrap_or(if device.is_simulated() { 16 << 20 } else { 1 << 30 });
    // Two buffers on the device, and half as much again for a new one of rows.
    let (free, _) = context.memory_info()?;
    if max_bytes as u64 > free / 3 {
        return Err(format!("--max-bytes: the device has {free} bytes free, three times {max_bytes} are needed").into());
    }
    if let Some(file) = &options.json {
        Results { about: about.clone(), rows: Vec::new() }.write(file)?;
    }
    println!("{}", about.line());
    let results = Results { about, rows: measure::all(max_bytes)? };
    print_table(&results);
    if let Some(file) = &options.json {
        results.write(file)?;
    }
    draw(&results, &out, "bandwidth")
}

/// Beside the program: cargo's target directory has it in `release/examples`.
fn default_out() -> PathBuf {
    let program = std::env::current_exe().ok();
    let target = program.as_deref().and_then(|path| path.ancestors().nth(3));
    target.unwrap_or(Path::new(".")).join("bandwidth")
}

fn about(device: &Device) -> Result<About, Box<dyn Error>> {
    let (major, minor) = device.driver_version()?;
    let kernel = results::kernel_driver().filter(|_| !device.is_simulated());
    Ok(About {
        program: "examples/bandwidth".into(),
        device: device.name()?,
        driver: format!("CUDA {major}.{minor}{}", kernel.map(|kernel| format!(" ({kernel})")).unwrap_or_default()),
        simulated: device.is_simulated(),
        host: results::host(),
        date: results::today(),
        libraries: vec!["memcore".into()],
    })
}

fn print_table(results: &Results) {
    let mut work = "";
    for row in &results.rows {
        if row.work != work {
            work = &row.work;
            println!("\n{work}\n{:>10}  {:>9} {:>9} {:>9}  {:>12}  runs", "size", "GB/s", "p10", "p90", "us");
        }
        let (low, middle, high) = (row.rate(row.p90), row.rate(row.median), row.rate(row.p10));
        let (size, time) = (size_name(row.bytes), row.median / 1e3);
        println!("{size:>10}  {middle:>9.3} {low:>9.3} {high:>9.3}  {time:>12.1}  {}", row.runs);
    }
    println!();
}

fn draw(results: &Results, out: &Path, stem: &str) -> Result<(), Box<dyn Error>> {
    for file in plot::draw(results, out, stem)? {
        println!("plot      {}", file.display());
    }
    Ok(())
}
