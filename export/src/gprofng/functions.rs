//! Functions, files and lines. gprofng 2.40 reads no DWARF 5, and knows no functions that were put inline; so all are declared as
//! functions that the program made at run time, which have their lines with them. Their addresses are ours, and the same in all
//! processes: gprofng adds up what is alike in all.

use std::collections::BTreeMap;

use super::packet;
use super::text::escaped;

/// Bytes that a line takes of a function.
const LINE: u64 = 8;
/// Where functions begin, and how far they are from each other.
const FIRST: u64 = 0x10_0000;
const ROOM: u64 = 1 << 24;
/// A source file that is none.
const UNKNOWN: &str = "(unknown)";
const MOST_LINES: usize = (ROOM / LINE) as usize;

/// A function in a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    name: String,
    file: String,
    /// The region's own: a line with work that is also a construct's would be counted as overhead.
    construct: bool,
}

/// Declares them.
#[derive(Debug, Default)]
pub(super) struct Functions {
    numbers: BTreeMap<Key, usize>,
    /// The lines of each, in the order in which they came.
    lines: Vec<Vec<u32>>,
}

/// Which function, which of its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line(usize, usize);

impl Functions {
    pub(super) fn line(&mut self, name: &str, file: &str, line: u32, construct: bool) -> Line {
        let key = Key { name: name.to_owned(), file: file.to_owned(), construct };
        let next = self.lines.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.lines.push(Vec::new());
        }
        let lines = &mut self.lines[number];
        let known = lines.iter().position(|known| *known == line);
        let index = known.unwrap_or_else(|| {
            if lines.len() < MOST_LINES {
                lines.push(line);
            }
            lines.len() - 1
        });
        Line(number, index)
    }

    /// A line's address, which never changes.
    pub(super) fn address(line: Line) -> u64 {
        FIRST + line.0 as u64 * ROOM + line.1 as u64 * LINE
    }

    /// What is loaded, and its lines: the contents of two files of each of so many experiments.
    pub(super) fn write(&self, processes: usize) -> (String, Vec<u8>) {
        let (mut map, mut lines) = (String::new(), Vec::new());
        for (key, number) in &self.numbers {
            let begin = Functions::address(Line(*number, 0));
            let of = &self.lines[*number];
            let size = (of.len() as u64 * LINE).max(LINE);
            let name = escaped(&key.name);
            map += &format!(
                "<event kind=\"map\" object=\"function\" tstamp=\"0.000000000\" vaddr=\"0x{begin:x}\" size=\"{size}\" name=\"{name}\"/>\n"
            );
            // Functions of several processes are added up by their lines.
            let (file, most) = match key.file.is_empty() {
                true if processes < 2 => continue,
                true => (UNKNOWN, &1),
                false => (&*key.file, &0),
            };
            let known = of.iter().map(|line| most.max(line)).enumerate();
            let known = known.map(|(index, line)| ((index as u64 * LINE) as u32, *line));
            let known: Vec<(u32, u32)> = known.collect();
            lines.extend(packet::function(begin, file, &known));
        }
        (map, lines)
    }
}
