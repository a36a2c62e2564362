//! The bandwidth example, run as its users run it, on the simulated device.

#[path = "../../tests/support/example.rs"]
mod example;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::Value;

static BANDWIDTH: LazyLock<PathBuf> = LazyLock::new(|| example::built("bandwidth"));

/// The paths, as the table and the plots name them.
const PATHS: [&str; 11] = [
    "page-locked to device",
    "device to page-locked",
    "pageable to device",
    "device to pageable",
    "device to a new Vec",
    "device to device",
    "fill",
    "pageable window to device",
    "device to pageable window",
    "page-locked window to device",
    "device to page-locked window",
];

fn run(arguments: &[&str]) -> Output {
    Command::new(&*BANDWIDTH).args(arguments).env("MEMCORE_DRIVER", "sim").output().unwrap()
}

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bandwidth").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// What a run that succeeds prints.
#[track_caller]
fn said(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a run that fails says, and nothing before it.
#[track_caller]
fn failure(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!((output.status.code(), &*output.stdout), (Some(1), &[][..]), "{output:?}");
    String::from_utf8(output.stderr).unwrap().trim_end().to_owned()
}

/// The size of a picture, and its text: what an SVG says, without its marks.
fn svg(text: &str) -> ((u32, u32), Vec<&str>) {
    assert!(text.starts_with("<svg ") && text.trim_end().ends_with("</svg>"), "no SVG");
    let number =
        |name: &str| text.split_once(&format!(" {name}=\"")).unwrap().1.split('"').next().unwrap().parse().unwrap();
    let texts =
        text.split("<text ").skip(1).map(|text| text.split_once('>').unwrap().1.split('<').next().unwrap().trim());
    ((number("width"), number("height")), texts.collect())
}

#[test]
fn prints_and_draws_each_path() {
    let out = folder("measured");
    let json = out.join("results.json");
    let table = said(&["--max-bytes", "4096", "--out", out.to_str().unwrap(), "--json", json.to_str().unwrap()]);
    assert!(table.lines().next().unwrap().contains(": the speed of the simulator, not of a GPU"), "{table}");
    for path in PATHS {
        let (_, rows) = table.split_once(&format!("\n{path}\n")).unwrap_or_else(|| panic!("no {path}: {table}"));
        let rows: Vec<_> = rows.lines().skip(1).take_while(|line| !line.is_empty()).collect();
        // 4, 16, 64, 256, 1024 and 4096 bytes; each row has a size and its unit, three rates, a time and the runs.
        assert_eq!(rows.len(), 6, "{path}: {rows:?}");
        for row in rows {
            let words: Vec<_> = row.split_whitespace().collect();
            let numbers: Vec<f64> = words[2..].iter().map(|word| word.parse().unwrap()).collect();
            assert_eq!(numbers.len(), 5, "{row}");
            assert!(
                numbers[1] <= numbers[0] && numbers[0] <= numbers[2] && numbers[3] > 0.0 && numbers[4] >= 5.0,
                "{row}"
            );
        }
    }

    let results: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(results["about"]["simulated"], true);
    assert_eq!(results["rows"].as_array().unwrap().len(), PATHS.len() * 6);

    let drawn = fs::read_to_string(out.join("bandwidth.svg")).unwrap();
    let (size, texts) = svg(&drawn);
    assert_eq!(size, (1600, 1044));
    for text in PATHS.into_iter().chain([
        "page-locked memory",
        "pageable memory",
        "on the device",
        "GB/s",
        "4 B",
        "1 KiB",
        "4 KiB",
    ]) {
        assert!(texts.contains(&text), "no {text:?} in {texts:?}");
    }
    assert!(texts[0].ends_with(": the speed of the simulator, not of a GPU"), "{texts:?}");

    let image = image::open(out.join("bandwidth.png")).unwrap().into_rgb8();
    assert_eq!(image.dimensions(), size);
    // The text of the first line, and the name of the unit turned upright.
    let dark = |x: std::ops::Range<u32>, y: std::ops::Range<u32>| {
        y.flat_map(|y| x.clone().map(move |x| (x, y))).filter(|&(x, y)| image.get_pixel(x, y)[1] < 100).count()
    };
    assert!(dark(16..400, 10..40) > 200 && dark(0..30, 230..350) > 20, "no text");
    // The legends' lines of the first path of each chart and of the one chart's fifth, which nothing covers.
    for colour in [[31, 119, 180], [148, 103, 189]] {
        assert!(image.pixels().filter(|pixel| pixel.0 == colour).count() > 30, "{colour:?}");
    }
}

#[test]
fn saved_results_are_drawn_again_to_the_byte() {
    let (out, again) = (folder("first"), folder("again"));
    let json = out.join("bandwidth.json");
    said(&["--max-bytes", "64", "--out", out.to_str().unwrap(), "--json", json.to_str().unwrap()]);
    let drawn = said(&["--draw", json.to_str().unwrap(), "--out", again.to_str().unwrap()]);
    assert_eq!(drawn.lines().count(), 2, "{drawn}");
    for file in ["bandwidth.svg", "bandwidth.png"] {
        assert_eq!(fs::read(out.join(file)).unwrap(), fs::read(again.join(file)).unwrap(), "{file}");
    }
}

#[test]
fn what_is_wrong_is_said_before_anything_is_measured() {
    let out = folder("wrong");
    let taken = out.join("taken");
    fs::write(&taken, "no results").unwrap();
    let taken = taken.to_str().unwrap();
    let size = "--max-bytes takes a size from 16 on, as 65536, 64K, 16M or 1G, not";
    for (arguments, wrong) in [
        (&["--max-bytes", "15"][..], format!("{size} 15")),
        (&["--max-bytes", "1000000G"], "--max-bytes: the device has ".into()),
        (&["--max-bytes", "much"], format!("{size} much")),
        (&["--max-bytes", "1T"], format!("{size} 1T")),
        (&["--max-bytes", "99999999999999999999"], format!("{size} 99999999999999999999")),
        (&["--max-bytes"], "--max-bytes takes a value\nusage: ".into()),
        (&["--fast"], "no option --fast\nusage: ".into()),
        (&["file"], "no argument file is taken\nusage: ".into()),
        (&["--draw"], "--draw takes the files that --json wrote\nusage: ".into()),
        (&["--draw", "x", "--json", "y"], "--draw measures nothing: leave --max-bytes and --json out\nusage: ".into()),
        (&["--out", taken], format!("cannot make the folder {taken}: File exists")),
        (&["--json", "/nowhere/x.json"], "cannot write /nowhere/x.json: No such file".into()),
        (&["--draw", "/nowhere/x.json"], "cannot read /nowhere/x.json: No such file".into()),
        (&["--draw", taken], format!("{taken} holds no results of a measurement: ")),
    ] {
        let said = failure(arguments);
        assert!(said.starts_with(&format!("bandwidth: {wrong}")), "{arguments:?}: {said}");
    }
    // A picture's place is taken by a folder.
    fs::create_dir(out.join("bandwidth.png")).unwrap();
    let output = run(&["--max-bytes", "64", "--out", out.to_str().unwrap()]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with(&format!("bandwidth: cannot write {}: Is a directory", out.join("bandwidth.png").display())),
        "{said}"
    );
}
