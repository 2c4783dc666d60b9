//! Tables of text. Where the terminal is narrower, the columns that matter least are left away.

use anstyle::Style;
use ompchunk_trace_format::without_control;
use unicode_width::UnicodeWidthStr;

use crate::prose::wrapped;

const GAP: usize = 2;
/// A text column is not cut below this.
const LEAST: usize = 12;

#[derive(Debug, Clone)]
pub struct Field {
    pub title: &'static str,
    left: bool,
    /// Columns of a higher number go first; 0: never.
    leave: u8,
    /// What does not fit goes on in further lines instead of being cut.
    wraps: bool,
    cell: Cell,
}

impl Field {
    pub fn text(title: &'static str, leave: u8, cell: impl Into<Cell>) -> Field {
        Field { title, left: true, leave, wraps: false, cell: cell.into() }
    }

    /// Sentences, as the last column.
    pub fn prose(title: &'static str, cell: impl Into<Cell>) -> Field {
        Field { wraps: true, ..Field::text(title, 0, cell) }
    }

    pub fn number(title: &'static str, leave: u8, cell: impl Into<Cell>) -> Field {
        Field { left: false, ..Field::text(title, leave, cell) }
    }

    pub fn value(&self) -> &str {
        &self.cell.text
    }
}

#[derive(Debug, Clone, Default)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub fn styled(text: impl Into<String>, style: Style) -> Cell {
        Cell { style, ..Cell::from(text.into()) }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell { text: printable(text.as_ref()), style: Style::new() }
    }
}

/// The table, each line after `indent` spaces and not wider than `width`, if that can be. All rows have the columns of the first.
pub fn render(rows: &[Vec<Field>], indent: usize, width: Option<usize>) -> String {
    let Some(columns) = rows.first() else { return String::new() };
    let mut widths: Vec<usize> = (0..columns.len())
        .map(|at| rows.iter().map(|row| row[at].value().width()).chain([columns[at].title.width()]).max().unwrap_or(0))
        .collect();
    let mut shown: Vec<usize> = (0..columns.len())
        // What no row has need not be there.
        .filter(|at| columns[*at].leave == 0 || rows.iter().any(|row| !matches!(row[*at].value(), "" | "-")))
        .collect();
    if let Some(width) = width {
        fit(columns, &mut shown, &mut widths, width.saturating_sub(indent));
    }
    let mut text = String::new();
    let bold = Style::new().bold();
    let title = |column: &Field| Field { cell: Cell::styled(column.title, bold), ..column.clone() };
    let head: Vec<Field> = columns.iter().map(title).collect();
    for row in std::iter::once(&head).chain(rows) {
        put_row(row, &shown, &widths, indent, &mut text);
    }
    text
}

fn put_row(row: &[Field], shown: &[usize], widths: &[usize], indent: usize, text: &mut String) {
    let mut line = " ".repeat(indent);
    let mut begin = indent;
    let mut rest = Vec::new();
    for (place, at) in shown.iter().enumerate() {
        let (column, width) = (&row[*at], widths[*at]);
        let is_last = place + 1 == shown.len();
        let mut cell = column.cell.clone();
        let mut room = width;
        if column.wraps && cell.text.width() > width {
            let lines = wrapped(&cell.text, Some(width));
            let mut lines = lines.lines().map(ToOwned::to_owned);
            cell.text = lines.next().unwrap_or_default();
            rest.extend(lines);
            // A word that is wider than the column is not cut either.
            room = cell.text.width();
        }
        put(&mut line, &cell, room, column.left, is_last);
        if !is_last {
            line += &" ".repeat(GAP);
            begin += width + GAP;
        }
    }
    *text += line.trim_end();
    text.push('\n');
    for line in rest {
        *text += &format!("{}{line}\n", " ".repeat(begin));
    }
}

fn fit(columns: &[Field], shown: &mut Vec<usize>, widths: &mut [usize], room: usize) {
    let total =
        |shown: &[usize], widths: &[usize]| shown.iter().map(|at| widths[*at] + GAP).sum::<usize>().saturating_sub(GAP);
    loop {
        let over = total(shown, widths).saturating_sub(room);
        if over == 0 {
            return;
        }
        // A long name gives way before a column does, down to a readable rest.
        let long = shown.iter().copied().filter(|at| columns[*at].left && widths[*at] > 2 * LEAST);
        if let Some(at) = long.max_by_key(|at| widths[*at]) {
            widths[at] = widths[at].saturating_sub(over).max(2 * LEAST);
            continue;
        }
        let may_go = (0..shown.len()).filter(|place| columns[shown[*place]].leave > 0);
        if let Some(place) = may_go.max_by_key(|place| columns[shown[*place]].leave) {
            shown.remove(place);
            continue;
        }
        // Each a little, so that none is cut more than the others.
        let wide = shown.iter().copied().filter(|at| columns[*at].left && widths[*at] > LEAST);
        let Some(at) = wide.max_by_key(|at| widths[*at]) else { return };
        widths[at] -= 1;
    }
}

fn put(line: &mut String, cell: &Cell, width: usize, left: bool, is_last: bool) {
    let text = shortened(&cell.text, width);
    let pad = " ".repeat(width.saturating_sub(text.width()));
    let styled = if text.is_empty() { text } else { format!("{}{text}{:#}", cell.style, cell.style) };
    *line += &match (left, is_last) {
        (true, true) => styled,
        (true, false) => styled + &pad,
        (false, _) => pad + &styled,
    };
}

/// At most `width` wide, cut in the middle, since names differ at their ends.
pub fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let begin = fitting(text.chars(), room / 2);
    let end: String = fitting(text.chars().rev(), room - begin.width()).chars().rev().collect();
    format!("{begin}…{end}")
}

fn fitting(all: impl Iterator<Item = char>, room: usize) -> String {
    let mut some = String::new();
    for c in all {
        some.push(c);
        if some.width() > room {
            some.pop();
            break;
        }
    }
    some
}

/// A terminal obeys what files may contain.
pub fn printable(text: &str) -> String {
    without_control(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(width: Option<usize>) -> String {
        let rows = [["a_file_with_a_long_name.c:12", "1 s", "7"], ["b.c:1", "-", "1000000"]];
        let rows = rows.map(|[name, time, chunks]| {
            vec![Field::text("loop", 0, name), Field::number("time", 0, time), Field::number("chunks", 1, chunks)]
        });
        anstream::adapter::strip_str(&render(&rows, 1, width)).to_string()
    }

    #[test]
    fn as_wide_as_it_must_be() {
        assert_eq!(
            table(None),
            " loop                          time   chunks\n \
             a_file_with_a_long_name.c:12   1 s        7\n \
             b.c:1                            -  1000000\n"
        );
    }

    #[test]
    fn narrow_terminals() {
        assert_eq!(
            table(Some(40)),
            " loop                      time   chunks\n \
             a_file_with…ng_name.c:12   1 s        7\n \
             b.c:1                        -  1000000\n"
        );
        assert_eq!(
            table(Some(20)),
            " loop           time\n \
             a_file…e.c:12   1 s\n \
             b.c:1             -\n"
        );
        assert!(!table(Some(1)).is_empty());
    }

    /// Long names give way evenly, and what is a sentence stays whole.
    #[test]
    fn sentences_go_on_in_further_lines() {
        let rows = [vec![
            Field::text("loop", 0, "a_file_with_a_long_name.c:12"),
            Field::text("function", 0, "a_function_with_a_long_name"),
            Field::number("step", 1, "1"),
            Field::prose("can be changed", "no: its iterations are dealt in order"),
        ]];
        let of = |width| anstream::adapter::strip_str(&render(&rows, 0, width)).to_string();
        assert!(of(None).contains("1  no: its iterations are dealt in order\n"));
        assert_eq!(
            of(Some(60)),
            "loop                 function             can be changed\n\
             a_file_wi…name.c:12  a_functio…long_name  no: its iterations\n\
             \u{20}                                           are dealt in\n\
             \u{20}                                           order\n"
        );
    }

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(printable("a\u{1b}[2J"), "a\\u{1b}[2J");
    }
}
