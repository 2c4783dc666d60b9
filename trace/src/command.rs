//! What `ompchunk record` started, word by word, for the recorder: a program may write over its arguments, and the kernel has no
//! others.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Longer commands are not handed on: they leave a program little room for its environment.
const MOST: usize = 32 << 10;

/// A process, and the words with which it starts another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The process that starts it.
    pub parent: u32,
    /// The program and its arguments.
    pub words: Vec<OsString>,
}

impl Command {
    /// As a variable's value: a number and a word per line. `None`: it is too long.
    #[must_use]
    pub fn value(&self) -> Option<OsString> {
        let mut bytes = self.parent.to_string().into_bytes();
        for word in &self.words {
            bytes.push(b'\n');
            for byte in word.as_bytes() {
                match byte {
                    b'\n' => bytes.extend(b"\\n"),
                    b'\\' => bytes.extend(b"\\\\"),
                    _ => bytes.push(*byte),
                }
            }
        }
        (bytes.len() <= MOST).then(|| OsString::from_vec(bytes))
    }

    /// What [`Command::value`] has made.
    #[must_use]
    pub fn of(value: &OsStr) -> Option<Command> {
        let mut lines = value.as_bytes().split(|byte| *byte == b'\n');
        let parent = std::str::from_utf8(lines.next()?).ok()?.parse().ok()?;
        let words = lines.map(word).collect::<Option<_>>()?;
        Some(Command { parent, words })
    }
}

fn word(line: &[u8]) -> Option<OsString> {
    let (mut bytes, mut rest) = (Vec::new(), line.iter());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' if *rest.next()? == b'n' => b'\n',
            byte => *byte,
        });
    }
    Some(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_as_they_went() {
        let words = ["./app", "", "a b", "\\n", "two\nlines\\", "-n\t7"];
        let words = words.map(OsString::from).to_vec();
        let command = Command { parent: 7, words };
        assert_eq!(Command::of(&command.value().unwrap()), Some(command));
        let mut long = Command::of("7\n./app".as_ref()).unwrap();
        assert_eq!(long.words, ["./app"]);
        long.words.push("x".repeat(MOST).into());
        assert_eq!(long.value(), None);
        assert_eq!(Command::of("no number".as_ref()), None);
    }
}
