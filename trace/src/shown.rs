//! Names as a terminal may have them: it obeys what names of files may contain, and a name with a line break looks like two
//! lines.

use std::path::Path;

/// A path for a message, its control characters escaped.
#[must_use]
pub fn shown(path: &Path) -> String {
    without_control(&path.to_string_lossy())
}

/// A text for one line of a message.
#[must_use]
pub fn without_control(text: &str) -> String {
    text.chars().fold(String::new(), |mut text, letter| {
        match letter.is_control() {
            true => text.extend(letter.escape_default()),
            false => text.push(letter),
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal() {
        let name = Path::new("a\u{1b}[31mb\nc\u{9b}d \u{fc}");
        assert_eq!(shown(name), "a\\u{1b}[31mb\\nc\\u{9b}d \u{fc}");
    }
}
