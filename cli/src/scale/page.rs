//! `--html`: the same in one file, with charts of time and of work against the number of threads. It has no script and fetches nothing.

use ompchunk_figures::Interval;

use super::chart::Chart;
use super::curve::Point;
use super::found::{Found, Judged};
use super::text::{Head, name, row, run_row};
use crate::report::units::time;
use crate::table::{Field, printable};

const FRAME: &str = include_str!("page/page.html");
/// Pages look alike.
const STYLES: [&str; 2] = [include_str!("../report/page/page.css"), include_str!("page/page.css")];

pub fn page(head: &Head<'_>, found: &Found) -> String {
    let mut body = String::new();
    for note in head.notes {
        body += &format!("<p class=\"hint\">{}</p>\n", escaped(note));
    }
    let rows: Vec<_> = found.run.iter().map(run_row).collect();
    body += &format!("<h2>The run</h2>\n{}", table(&rows));
    let times = found.run.iter().filter_map(|point| Some((point.threads, point.seconds?)));
    let (title, points) = ("time of the run", &times.collect::<Vec<_>>()[..]);
    body += &Chart { title, points, falls: true, label: &time }.svg();
    if let Some(together) = found.together_shown() {
        body += &section("All loops together", together, &[]);
    }
    for the_loop in &found.loops {
        body += &section(&name(the_loop), &the_loop.judged, &the_loop.remarks);
    }
    // The program's words come last: nothing in them is taken for a mark.
    FRAME
        .replace("/*STYLE*/", &STYLES.concat())
        .replace("<!--RUNS-->", &head.runs(""))
        .replace("<!--TITLE-->", &escaped(head.command))
        .replace("<!--BODY-->", &body)
}

fn section(title: &str, judged: &Judged, remarks: &[String]) -> String {
    let curve = &judged.curve;
    let mut text = format!("<section><h2>{}</h2>\n", escaped(title));
    if let Some(verdict) = &judged.verdict {
        text += &format!("<p class=\"sentence loses\">{}</p>\n", escaped(&verdict.says));
    }
    for remark in remarks {
        text += &format!("<p class=\"hint\">{}</p>\n", escaped(remark));
    }
    let of = |value: fn(&Point) -> Option<Interval>| {
        curve.points.iter().filter_map(|point| Some((point.threads, value(point)?))).collect::<Vec<_>>()
    };
    text += &Chart { title: "time", points: &of(|point| point.seconds), falls: true, label: &time }.svg();
    let (title, points) = ("work, as a multiple of the smallest team's", &of(|point| point.work_inflation)[..]);
    text += &Chart { title, points, falls: false, label: &|times| format!("{times:.2}") }.svg();
    let rows: Vec<_> = curve.points.iter().map(row).collect();
    text + &table(&rows) + "</section>\n"
}

fn table(rows: &[Vec<Field>]) -> String {
    let Some(columns) = rows.first() else { return String::new() };
    let titles: String = columns.iter().map(|column| format!("<th>{}</th>", column.title)).collect();
    let cells = |row: &Vec<Field>| -> String {
        row.iter().map(|field| format!("<td>{}</td>", escaped(field.value()))).collect()
    };
    let rows: String = rows.iter().map(|row| format!("<tr>{}</tr>\n", cells(row))).collect();
    format!("<div class=\"wide\"><table><thead><tr>{titles}</tr></thead><tbody>\n{rows}</tbody></table></div>\n")
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in printable(text).chars() {
        match letter {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_elements() {
        assert_eq!(escaped("a<b>&\"c\u{1b}"), "a&lt;b&gt;&amp;&quot;c\\u{1b}");
    }
}
