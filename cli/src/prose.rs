//! Sentences on a terminal: broken between words where a line is full. Tables have their own way (`table`).

use unicode_width::UnicodeWidthStr;

/// Further in than the line that is continued.
const HANGING: usize = 2;

pub fn first_names(all: impl ExactSizeIterator<Item = impl AsRef<str>>, most: usize) -> String {
    let more = all.len().saturating_sub(most);
    let names: Vec<String> = all.take(most).map(|name| name.as_ref().to_owned()).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names.join(", ") + &more
}

/// They stay with their number.
const UNITS: [&str; 5] = ["s", "ms", "µs", "ns", "%"];

/// The same text in lines that are not wider than `width`, if their words are not.
pub fn wrapped(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
    };
    let mut to = String::new();
    for line in text.lines() {
        wrap(line, width, &mut to);
        to.push('\n');
    }
    to
}

fn wrap(line: &str, width: usize, to: &mut String) {
    if visible(line) <= width {
        *to += line;
        return;
    }
    let inside = line.trim_start_matches(' ');
    let indent = line.len() - inside.len();
    *to += &" ".repeat(indent);
    let mut used = indent;
    for (number, word) in words(inside).into_iter().enumerate() {
        let word = word.as_str();
        let wide = visible(word);
        if number > 0 && used + 1 + wide > width {
            to.truncate(to.trim_end_matches(' ').len());
            to.push('\n');
            used = indent + HANGING;
            *to += &" ".repeat(used);
        } else if number > 0 {
            to.push(' ');
            used += 1;
        }
        *to += word;
        used += wide;
    }
}

/// What stays together: words, and a number with its unit.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in line.split(' ') {
        let unit = anstream::adapter::strip_str(word).to_string();
        let unit = unit.trim_end_matches([',', ';', ':', '.', ')']);
        match words.last_mut().filter(|_| UNITS.contains(&unit)) {
            Some(last) if last.ends_with(|c: char| c.is_ascii_digit()) => {
                last.push(' ');
                *last += word;
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// Colours take no room.
fn visible(text: &str) -> usize {
    anstream::adapter::strip_str(text).to_string().width()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words() {
        let text = "  one two  three\n\n  \u{1b}[33mfour\u{1b}[0m 5 µs\n";
        assert_eq!(wrapped(text, None), text);
        assert_eq!(wrapped(text, Some(16)), text);
        assert_eq!(wrapped(text, Some(10)), "  one two\n    three\n\n  \u{1b}[33mfour\u{1b}[0m\n    5 µs\n");
        // A word is never broken.
        assert_eq!(wrapped("a/long/path b", Some(4)), "a/long/path\n  b\n");
    }
}
