//! Results as text: figures become words (`words`), tables (`tables`, `thesis`) and bars (`bars`, `thesis`) once, and these a page
//! (`page`); each format only writes it down. Everything comes from the results, nothing is measured or asked here.

pub mod bar;
mod bars;
mod csv;
mod format;
mod html;
pub mod markdown;
pub mod page;
mod plot;
pub mod table;
pub mod tables;
mod terminal;
pub mod thesis;
pub mod words;

pub use self::format::Format;
use self::page::pages;
use crate::results::Results;

/// In the wanted format.
pub fn render(results: &[Results], format: Format) -> String {
    match format {
        Format::Csv => csv::render(results),
        Format::Terminal => terminal::render(&pages(results)),
        Format::Markdown => markdown::render(&pages(results)),
        Format::Html => html::render(results, &pages(results)),
    }
}

#[cfg(test)]
mod tests {
    use super::thesis::tests::thesis;
    use super::{Format, render as report};
    use crate::results::run::tests::sample;

    #[test]
    fn one_file_that_needs_nothing() {
        let text = report(&[sample(), sample()], Format::Html);
        assert_eq!(text.matches("<svg").count(), 4);
        assert_eq!(text.matches("<svg").count(), text.matches("</svg>").count());
        for foreign in ["http://", "https://", "<script", "src=", "@import", "url("] {
            assert!(!text.contains(foreign), "{foreign}");
        }
        assert!(text.contains("A &lt;fast&gt; CPU"));
    }

    #[test]
    fn the_thesis_in_every_format() {
        let html = report(&[thesis()], Format::Html);
        // One plot per schedule, one for tasks.
        assert_eq!(html.matches("<svg").count(), 3);
        assert!(html.contains("ratio over number of tasks"), "{html}");
        assert!(!html.contains("NaN"), "{html}");
        for format in [Format::Markdown, Format::Terminal] {
            let text = report(&[thesis()], format);
            let says = ["at most 46 %", "us per loop", "ns per task", "1.200 [1.200, 1.200]"];
            for says in says {
                assert!(text.contains(says), "{says}: {text}");
            }
        }
        let csv = report(&[thesis()], Format::Csv);
        let rows = thesis().cells.len() * thesis().variants.len();
        assert_eq!(csv.matches("\r\nthesis,").count(), rows, "{csv}");
        assert!(csv.contains(",task,task,1000,2,callbacks,420,"), "{csv}");
    }

    #[test]
    fn markdown_and_text_say_the_same() {
        for format in [Format::Markdown, Format::Terminal] {
            let text = report(&[sample()], format);
            assert!(text.contains("16.0 [16.0, 16.0]"), "{text}");
            assert!(text.contains("1 of 2 cells are not known to 1 %"), "{text}");
        }
        let text = report(&[sample()], Format::Markdown);
        let columns: Vec<usize> = text
            .lines()
            .skip_while(|line| !line.starts_with("| chunk"))
            .take(3)
            .map(|line| line.matches('|').count())
            .collect();
        assert!(columns.iter().all(|count| *count == columns[0]), "{columns:?}");
    }
}
