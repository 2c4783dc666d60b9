//! Plots as SVG: values over chunk size, with their intervals. Pure; the colours are the page's.

use std::fmt::Write as _;

use super::words::escaped;
use crate::plan::case::ascending;
use crate::results::stats::Interval;

/// One line of a plot.
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Which colour of the page it takes.
    pub colour: usize,
    /// Chunk size and value.
    pub points: Vec<(u32, Interval)>,
}

/// What is drawn.
pub struct Plot {
    /// Above it.
    pub title: String,
    /// What the values are.
    pub unit: &'static str,
    /// What the sizes along it are of.
    pub over: &'static str,
    /// A line across, such as a bar to clear, with its name.
    pub limit: Option<(f64, String)>,
    /// The lines.
    pub lines: Vec<Line>,
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 34.0;

impl Plot {
    /// The plot with its title and legend.
    pub fn svg(&self) -> String {
        let (x, y) = (self.horizontal(), self.vertical());
        let title = escaped(&self.title);
        let mut text = format!(
            "<figure><figcaption>{title}</figcaption>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">\n"
        );
        self.grid(&mut text, &x, &y);
        for line in &self.lines {
            draw(&mut text, line, (self.unit, self.over), &x, &y);
        }
        text += "</svg>\n<p class=\"legend\">";
        for line in &self.lines {
            let (colour, name) = (line.colour, escaped(&line.name));
            text += &format!("<span class=\"c{colour}\">{name}</span> ");
        }
        text + "</p></figure>\n"
    }

    fn horizontal(&self) -> Axis {
        let points = self.lines.iter().flat_map(|line| &line.points);
        let sizes = ascending(points.map(|(size, _)| *size));
        let ticks = sizes.iter().map(|size| (place(*size), size.to_string()));
        let end = |size: Option<&u32>| size.map_or(0.0, |size| place(*size));
        Axis {
            low: end(sizes.first()),
            high: end(sizes.last()).max(end(sizes.first()) + 1.0),
            from: LEFT + 12.0,
            to: WIDTH - RIGHT - 12.0,
            ticks: ticks.collect(),
        }
    }

    fn vertical(&self) -> Axis {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let middles = || points().map(|(_, of)| of.middle);
        let mut low = middles().fold(f64::INFINITY, f64::min);
        let mut high = middles().fold(f64::NEG_INFINITY, f64::max);
        // An interval that is much wider than what it is about must not make all else flat.
        let reach = (high - low).max(high.abs() * 0.02);
        for (_, of) in points() {
            low = low.min(of.low.max(low - reach));
            high = high.max(of.high.min(high + reach));
        }
        if let Some((limit, _)) = self.limit {
            (low, high) = (low.min(limit), high.max(limit));
        }
        if !(low.is_finite() && high.is_finite()) {
            (low, high) = (0.0, 1.0);
        }
        let step = step(high - low);
        let (low, high) = ((low / step).floor() * step, ((high / step).ceil() * step).max(low + step));
        let digits = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
        let count = ((high - low) / step).round() as usize;
        let ticks = (0..=count).map(|tick| low + tick as f64 * step);
        let ticks = ticks.map(|value| (value, format!("{value:.digits$}")));
        Axis { low, high, from: HEIGHT - BOTTOM, to: TOP, ticks: ticks.collect() }
    }

    fn grid(&self, text: &mut String, x: &Axis, y: &Axis) {
        for (value, name) in &y.ticks {
            let at = y.at(*value);
            let _ = writeln!(
                text,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                at + 4.0
            );
        }
        for (value, name) in &x.ticks {
            let _ = writeln!(
                text,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
                x.at(*value),
                HEIGHT - BOTTOM + 16.0
            );
        }
        let _ = writeln!(
            text,
            "<text x=\"{LEFT}\" y=\"{:.1}\">{} over {}</text>",
            HEIGHT - 2.0,
            escaped(self.unit),
            escaped(self.over)
        );
        if let Some((limit, name)) = &self.limit {
            let at = y.at(*limit);
            let _ = writeln!(
                text,
                "<line class=\"limit\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"><title>{}</title></line>",
                WIDTH - RIGHT,
                escaped(name)
            );
        }
    }
}

fn draw(text: &mut String, line: &Line, (unit, over): (&str, &str), x: &Axis, y: &Axis) {
    let colour = line.colour;
    let at = |size: u32| x.at(place(size));
    let points: Vec<String> =
        line.points.iter().map(|(size, of)| format!("{:.1},{:.1}", at(*size), y.at(of.middle))).collect();
    let _ = writeln!(text, "<polyline class=\"c{colour}\" points=\"{}\"/>", points.join(" "));
    for (size, of) in &line.points {
        let (across, low, high) = (at(*size), y.at(of.low), y.at(of.high));
        let _ = writeln!(
            text,
            "<g class=\"c{colour}\"><line x1=\"{across:.1}\" x2=\"{across:.1}\" y1=\"{low:.1}\" y2=\"{high:.1}\"/>\
             <circle cx=\"{across:.1}\" cy=\"{:.1}\" r=\"3\"><title>{}, {over} {size}: {:.4} [{:.4}, {:.4}] {}\
             </title></circle></g>",
            y.at(of.middle),
            escaped(&line.name),
            of.middle,
            of.low,
            of.high,
            escaped(unit)
        );
    }
}

/// Sizes double along an axis.
fn place(size: u32) -> f64 {
    f64::from(size).log2()
}

/// A mapping of values to places.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Values beyond the ends are drawn at them.
    fn at(&self, value: f64) -> f64 {
        let value = if value.is_nan() { self.low } else { value };
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.from + share * (self.to - self.from)
    }
}

/// A round distance between about five ticks.
fn step(reach: f64) -> f64 {
    let rough = (reach / 5.0).max(1e-9);
    let power = 10f64.powf(rough.log10().floor());
    let mut times = [1.0, 2.0, 5.0].into_iter();
    power * times.find(|times| rough <= power * times).unwrap_or(10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_steps() {
        assert_eq!([step(1.0), step(12.0), step(26.0), step(0.04)], [0.2, 5.0, 10.0, 0.01]);
    }

    fn plot(points: Vec<(u32, Interval)>) -> String {
        let line = Line { name: "a & b".into(), colour: 1, points };
        Plot { title: "t".into(), unit: "ns", over: "chunk size", limit: Some((5.0, "bar".into())), lines: vec![line] }
            .svg()
    }

    #[test]
    fn points_are_within_and_named() {
        let of = |middle| Interval { low: middle - 1.0, middle, high: f64::INFINITY };
        let text = plot(vec![(1, of(2.0)), (4096, of(3.0))]);
        assert_eq!(text.matches("<circle").count(), 2);
        assert!(text.contains("a &amp; b, chunk size 4096: 3.0000"), "{text}");
        assert!(!text.contains("inf\"") && !text.contains("NaN"), "{text}");
        for place in text.split(" cy=\"").skip(1) {
            let place: f64 = place.split('"').next().unwrap().parse().unwrap();
            assert!((0.0..=HEIGHT).contains(&place));
        }
    }

    #[test]
    fn nothing_to_draw_is_no_error() {
        assert!(!plot(vec![]).contains("NaN"));
    }
}
