//! Texts in an experiment's XML, as gprofng's own parser understands them.

use std::fmt::Write;

/// Of an attribute's value or an element's content. What is special, or no letter that can be printed, becomes `%XX%`.
pub(super) fn escaped(text: &str) -> String {
    let mut to = String::new();
    for byte in text.bytes() {
        match byte {
            // It would be the text's end.
            0 => to.push('?'),
            b'"' | b'\'' | b'&' | b'<' | b'>' | b'%' | ..=0x1f | 0x7f.. => {
                write!(to, "%{byte:02x}%").expect("memory does not fail");
            }
            _ => to.push(char::from(byte)),
        }
    }
    to
}

/// Seconds with nine digits behind the point.
pub(super) fn seconds(ns: u64) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_special_is_left() {
        assert_eq!(escaped("a<b>::c(\"%41%\")"), "a%3c%b%3e%::c(%22%%25%41%25%%22%)");
        assert_eq!(escaped("\n\0\u{e9}"), "%0a%?%c3%%a9%");
        assert_eq!(seconds(1_000_000_007), "1.000000007");
    }
}
