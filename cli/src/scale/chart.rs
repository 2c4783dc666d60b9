//! A chart of ranges against threads, as SVG: a line through the medians, and the range of each as a bar. Colours are the page's.

use ompchunk_figures::Interval;

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 36.0;
/// Labels of the vertical axis, beside 0.
const STEPS: usize = 4;

pub struct Chart<'a> {
    pub title: &'a str,
    /// The smallest team first.
    pub points: &'a [(u32, Interval)],
    /// Without a loss it would fall as threads are added; else it would stay.
    pub falls: bool,
    pub label: &'a dyn Fn(f64) -> String,
}

impl Chart<'_> {
    pub fn svg(&self) -> String {
        let (Some((first, least)), Some((last, _))) = (self.points.first(), self.points.last()) else {
            return String::new();
        };
        let ideal = |threads: u32| match self.falls {
            true => least.middle * f64::from(*first) / f64::from(threads),
            false => least.middle,
        };
        let power = |threads: u32| f64::from(threads).log2();
        let span = (power(*last) - power(*first)).max(1.0);
        let across = |threads: u32| LEFT + (power(threads) - power(*first)) / span * (WIDTH - LEFT - RIGHT);
        let ends = self.points.iter().flat_map(|(threads, range)| [range.high, ideal(*threads)]);
        let most = round_up(ends.fold(f64::MIN_POSITIVE, f64::max));
        let up = |value: f64| HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" role=\"img\" aria-label=\"{0}\"><text x=\"{LEFT}\" y=\"14\" \
             class=\"head\">{0}</text>",
            self.title
        );
        self.axes(&mut svg, &across, &up, most);
        svg += &line("ideal", self.points.iter().map(|(threads, _)| (across(*threads), up(ideal(*threads)))));
        svg += &line("middle", self.points.iter().map(|(threads, range)| (across(*threads), up(range.middle))));
        for (threads, point) in self.points {
            let (x, low, high, middle) = (across(*threads), up(point.low), up(point.high), up(point.middle));
            svg += &format!(
                "<path class=\"range\" d=\"M{x:.1} {low:.1}V{high:.1}\"/>\
                 <circle class=\"point\" cx=\"{x:.1}\" cy=\"{middle:.1}\" r=\"3\"/>"
            );
        }
        svg + "</svg>"
    }

    fn axes(&self, svg: &mut String, across: &dyn Fn(u32) -> f64, up: &dyn Fn(f64) -> f64, most: f64) {
        for step in 0..=STEPS {
            let value = most * step as f64 / STEPS as f64;
            let (y, end) = (up(value), WIDTH - RIGHT);
            let (x, text) = (LEFT - 6.0, (self.label)(value));
            *svg += &format!(
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{end}\"/><text x=\"{x}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                y + 4.0
            );
        }
        // Labels that have no room would cover each other.
        let mut free = 0.0;
        for (threads, _) in self.points {
            let x = across(*threads);
            if x >= free {
                let y = HEIGHT - BOTTOM + 16.0;
                *svg += &format!("<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{threads}</text>");
                free = x + 28.0;
            }
        }
        let (x, y) = (f64::midpoint(LEFT, WIDTH - RIGHT), HEIGHT - 4.0);
        *svg += &format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">threads</text>");
    }
}

fn line(class: &str, all: impl Iterator<Item = (f64, f64)>) -> String {
    let places: Vec<String> = all.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    format!("<polyline class=\"{class}\" points=\"{}\"/>", places.join(" "))
}

/// So that the labels are short: 1, 2, 4 or 8 times a power of ten.
fn round_up(value: f64) -> f64 {
    let power = 10.0_f64.powf(value.log10().floor());
    let times = [1.0, 2.0, 4.0, 8.0, 10.0].map(|step| step * power);
    times.into_iter().find(|time| *time >= value * 0.999).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (value, wanted) in [(1.0, 1.0), (1.1, 2.0), (3.0, 4.0), (0.07, 0.08), (85.0, 100.0)] {
            assert!((round_up(value) / wanted - 1.0).abs() < 1e-9, "{value}");
        }
    }

    #[test]
    fn each_team_has_a_point() {
        let range = |middle: f64| Interval { low: middle * 0.9, middle, high: middle * 1.1 };
        let points = [(1, range(4.0)), (2, range(2.0)), (4, range(1.0))];
        let chart = Chart { title: "time", points: &points, falls: true, label: &|seconds| format!("{seconds} s") };
        let svg = chart.svg();
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains(">8 s<") && svg.contains(">0 s<"), "{svg}");
        assert!(!svg.contains("NaN"));
        assert_eq!(Chart { points: &[], ..chart }.svg(), "");
    }
}
