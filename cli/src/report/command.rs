//! Command lines as a shell takes them: traces have names from anywhere, and each is one word, whatever is in it.

use std::ffi::OsString;
use std::path::PathBuf;

use ompchunk_trace_format::Part;

pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if !word.chars().any(char::is_control) {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    let mut text = "$'".to_owned();
    for c in word.chars() {
        match c {
            '\'' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.extend(c.to_string().bytes().map(|byte| format!("\\x{byte:02x}"))),
            c => text.push(c),
        }
    }
    text + "'"
}

pub fn line<T: AsRef<str>>(words: &[T]) -> String {
    words.iter().map(|word| quoted(word.as_ref())).collect::<Vec<String>>().join(" ")
}

pub fn recorded(parts: &[&Part]) -> String {
    let words = parts.first().map_or(&[][..], |part| &part.meta().command);
    line(words)
}

/// The recorded program's file, if it is still there.
pub fn recorded_program(parts: &[&Part]) -> Option<PathBuf> {
    let meta = parts.first()?.meta();
    let name = meta.command.first()?;
    if name.contains('/') {
        Some(PathBuf::from(&meta.directory).join(name))
    } else {
        ompchunk_toolchain::program::find(&OsString::from(name))
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn plain_words_stay_plain() {
        assert_eq!(quoted("./app-1.2"), "./app-1.2");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted(""), "''");
    }

    /// A shell makes the same words of them again.
    #[test]
    fn a_shell_reads_them_back() {
        let words = ["$(touch x)", "a'b", "*", "~", "a\nb\u{1b}[2J", "\u{85}é", "-n", "a\\b\tc'", "#", "!x"];
        let line = line(&words);
        assert!(!line.chars().any(char::is_control));
        let script = format!("printf '%s\\0' {line}");
        let printed = Command::new("bash").args(["-c", &script]).output().unwrap();
        let expected = words.iter().map(|word| format!("{word}\0"));
        assert_eq!(String::from_utf8_lossy(&printed.stdout), expected.collect::<String>());
    }
}
