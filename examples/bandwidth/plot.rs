//! Draws results: GB/s, or time where nothing is moved, against size.

use std::error::Error;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

use crate::results::{Results, Row, size_name};

/// The one font, for every text: it comes with the program.
const FONT: &str = "sans-serif";

/// The size of a chart alone, and of one among others.
const ALONE: (u32, u32) = (1200, 760);
const AMONG: (u32, u32) = (800, 500);
const ACROSS: usize = 2;
const HEADER: u32 = 44;

const COLOURS: [RGBColor; 11] = [
    RGBColor(31, 119, 180),
    RGBColor(255, 127, 14),
    RGBColor(44, 160, 44),
    RGBColor(214, 39, 40),
    RGBColor(148, 103, 189),
    RGBColor(140, 86, 75),
    RGBColor(227, 119, 194),
    RGBColor(110, 110, 110),
    RGBColor(188, 189, 34),
    RGBColor(23, 190, 207),
    RGBColor(0, 0, 0),
];

type Drawn = Result<(), Box<dyn Error>>;

/// The library that stands for the driver itself.
const DRIVER: &str = "raw";

/// One chart: its title, and its series.
struct Chart<'a> {
    title: &'a str,
    series: Vec<Series<'a>>,
}

struct Series<'a> {
    name: &'a str,
    /// The same for a name in every chart.
    colour: RGBColor,
    rows: Vec<&'a Row>,
}

/// Draws `stem.svg` and `stem.png` in `out`: where there is one library, a chart of its paths for each kind of memory, else a
/// chart of all libraries for each path, as times the driver's speed where the driver itself was measured. The same results
/// give the same bytes.
pub(crate) fn draw(results: &Results, out: &Path, stem: &str) -> Result<[PathBuf; 2], Box<dyn Error>> {
    register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT).map_err(|_| "the font is damaged")?;
    let charts = charts(results);
    if charts.is_empty() {
        return Err(format!("nothing to draw in {stem}: no work was measured at two sizes").into());
    }
    let size = match charts.len() {
        1 => (ALONE.0, ALONE.1 + HEADER),
        count => (AMONG.0 * ACROSS as u32, AMONG.1 * count.div_ceil(ACROSS) as u32 + HEADER),
    };
    let files = ["svg", "png"].map(|extension| out.join(format!("{stem}.{extension}")));
    let cannot = |file: &Path, error: &dyn Error| format!("cannot write {}: {error}", file.display());

    let mut text = String::new();
    draw_all(&SVGBackend::with_string(&mut text, size).into_drawing_area(), results, &charts)?;
    fs::write(&files[0], text).map_err(|error| cannot(&files[0], &error))?;

    // Tried first: the library's own error does not say what is wrong with the file.
    fs::write(&files[1], []).map_err(|error| cannot(&files[1], &error))?;
    draw_all(&BitMapBackend::new(&files[1], size).into_drawing_area(), results, &charts)?;
    Ok(files)
}

fn charts(results: &Results) -> Vec<Chart<'_>> {
    // Typed calls in turns with raw ones are ratios near 1: a table has them.
    let is_drawn = |row: &&Row| row.threads == 1 && !row.work.starts_with("in turns");
    let rows: Vec<_> = results.rows.iter().filter(is_drawn).collect();
    let one_library = rows.iter().all(|row| row.library == rows[0].library);
    let (mut charts, mut names) = (Vec::<Chart<'_>>::new(), Vec::new());
    for &row in &rows {
        let (title, name) = if one_library { (memory(&row.work), &row.work) } else { (&*row.work, &row.library) };
        let chart = found(&mut charts, |chart| chart.title == title, || Chart { title, series: Vec::new() });
        let order = if one_library {
            chart.series.iter().position(|series| series.name == name).unwrap_or(chart.series.len())
        } else {
            names.iter().position(|other| other == &name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let new = || Series { name, colour: COLOURS[order % COLOURS.len()], rows: Vec::new() };
        found(&mut chart.series, |series| series.name == name, new).rows.push(row);
    }
    charts.retain(|chart| {
        let mut all = chart.series.iter();
        (one_library || all.len() > 1)
            && all.any(|series| series.rows.iter().any(|row| row.bytes != series.rows[0].bytes))
    });
    charts
}

/// The host's memory that a path has, as a title.
fn memory(path: &str) -> &'static str {
    match path {
        _ if path.contains("page-locked") => "page-locked memory",
        _ if path.contains("pageable") || path.contains("Vec") => "pageable memory",
        _ => "on the device",
    }
}

/// The one that is meant, or a new one at the end.
fn found<T>(all: &mut Vec<T>, is_meant: impl FnMut(&T) -> bool, new: impl FnOnce() -> T) -> &mut T {
    let at = all.iter().position(is_meant).unwrap_or_else(|| {
        all.push(new());
        all.len() - 1
    });
    &mut all[at]
}

fn draw_all<B: DrawingBackend>(root: &DrawingArea<B, Shift>, results: &Results, charts: &[Chart<'_>]) -> Drawn
where
    B::ErrorType: 'static,
{
    root.fill(&WHITE)?;
    root.draw(&Text::new(results.about.line(), (16, 14), (FONT, 20)))?;
    let (_, area) = root.split_vertically(HEADER);
    if let [chart] = charts {
        draw_chart(&area, chart, 18)?;
    } else {
        for (area, chart) in area.split_evenly((charts.len().div_ceil(ACROSS), ACROSS)).iter().zip(charts) {
            draw_chart(area, chart, 15)?;
        }
    }
    root.present()?;
    Ok(())
}

/// What the height of a point is.
enum Unit<'a> {
    /// How many times as fast as the driver at the same size.
    Times(&'a [&'a Row]),
    Rate,
    Time,
}

impl Unit<'_> {
    fn name(&self) -> &'static str {
        match self {
            Self::Times(_) => "times the driver's speed",
            Self::Rate => "GB/s",
            Self::Time => "µs",
        }
    }

    /// What is drawn of a row at one of its times: nothing at a size that the driver was not measured at.
    fn height(&self, row: &Row, nanoseconds: f64) -> Option<f64> {
        match self {
            Self::Times(driver) => Some(driver.iter().find(|driver| driver.bytes == row.bytes)?.median / nanoseconds),
            Self::Rate => Some(row.rate(nanoseconds)),
            Self::Time => Some(nanoseconds / 1e3),
        }
    }
}

/// Sizes stand by their power of two.
fn power(bytes: f64) -> f64 {
    bytes.max(1.0).log2()
}

/// From the least to the greatest, with a tenth more on both sides.
fn span(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (least, most) = values.fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)));
    least / 1.1..most * 1.1
}

fn draw_chart<B: DrawingBackend>(area: &DrawingArea<B, Shift>, chart: &Chart<'_>, letters: u32) -> Drawn
where
    B::ErrorType: 'static,
{
    let rows = || chart.series.iter().flat_map(|series| &series.rows);
    let driver = chart.series.iter().find(|series| series.name == DRIVER);
    let unit = match driver {
        Some(driver) => Unit::Times(&driver.rows),
        None if rows().all(|row| row.moves == 0) => Unit::Time,
        None => Unit::Rate,
    };
    let sizes = span(rows().map(|row| row.bytes as f64));
    let heights = span(rows().flat_map(|row| [row.p10, row.p90].map(|time| unit.height(row, time))).flatten());
    // Above the lines there is room for the legend where they do not rise from below it.
    let heights = if driver.is_some() { heights.start..heights.end * 3.0 } else { heights };
    let mut plane = ChartBuilder::on(area)
        .caption(chart.title, (FONT, letters + 4))
        .margin(12)
        .margin_right(36)
        .x_label_area_size(letters * 5 / 2)
        .y_label_area_size(letters * 4)
        .build_cartesian_2d(power(sizes.start)..power(sizes.end), heights.log_scale())?;
    plane
        .configure_mesh()
        .max_light_lines(0)
        .bold_line_style(RGBColor(225, 225, 225))
        .label_style((FONT, letters))
        .x_labels(16)
        .x_label_formatter(&|power| size_name(power.exp2().round() as u64))
        .y_label_formatter(&|value| format!("{}", (value * 1e6).round() / 1e6))
        .y_desc(unit.name())
        .draw()?;
    for &Series { name, colour, rows: ref points } in &chart.series {
        let at = |row: &Row, time| Some((power(row.bytes as f64), unit.height(row, time)?));
        let middles: Vec<_> = points.iter().filter_map(|row| at(row, row.median)).collect();
        let width = if name == "memcore" { 3 } else { 2 };
        plane
            .draw_series(LineSeries::new(middles.iter().copied(), colour.stroke_width(width)))?
            .label(if name == DRIVER { "driver" } else { name })
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
        // From a tenth of the calls to nine.
        plane.draw_series(
            points
                .iter()
                .filter_map(|row| Some(PathElement::new([at(row, row.p10)?, at(row, row.p90)?], colour.mix(0.5)))),
        )?;
        plane.draw_series(middles.into_iter().map(|at| Circle::new(at, 3, colour.filled())))?;
    }
    plane
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(RGBColor(200, 200, 200))
        .label_font((FONT, letters))
        .draw()?;
    Ok(())
}
