//! A table of entries.

use core::fmt;

use crate::overrides::shown;
use crate::overrides::{Learned, Pattern, Place, Schedule};

/// Loops, and the schedules under which they run, in turn from region to region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub pattern: Pattern,
    pub schedules: Vec<Schedule>,
    /// The user wants it whatever promise that breaks (`!`).
    pub insists: bool,
    /// As written, without comments.
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    entries: Vec<Entry>,
}

/// Why a text is no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub entry: String,
    /// Where it stands, from 1 on.
    pub line: usize,
    pub why: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}': {}", shown(&self.entry), self.why)
    }
}

/// Most schedules that one entry alternates between.
const MOST: usize = 1024;

impl Table {
    /// Reads a text. Entries without content are none.
    pub fn parse(text: &str) -> Result<Table, Mistake> {
        let mut entries = Vec::new();
        // As some editors begin a file.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (line, content) in (1..).zip(text.lines()) {
            let content = content.split('#').next().unwrap_or_default();
            for entry in content.split(';').map(str::trim).filter(|entry| !entry.is_empty()) {
                entries.push(parse_entry(entry).map_err(|why| Mistake { entry: entry.to_owned(), line, why })?);
            }
        }
        Ok(Table { entries })
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry that counts for a loop, by its number.
    pub fn find(&self, place: Place<'_>) -> Option<usize> {
        let meant = (0..self.entries.len()).filter(|&at| self.entries[at].pattern.means(place));
        meant.max_by_key(|&at| (self.entries[at].pattern.weight(), at))
    }

    /// Does an entry name more than one schedule?
    pub fn alternates(&self) -> bool {
        self.entries.iter().any(|entry| entry.schedules.len() > 1)
    }

    /// Does an entry say `balanced` or `adaptive`?
    pub fn learns(&self) -> bool {
        self.entries.iter().flat_map(|entry| &entry.schedules).any(|schedule| schedule.learned().is_some())
    }
}

fn parse_entry(entry: &str) -> Result<Entry, String> {
    let Some((pattern, schedules)) = entry.rsplit_once('=') else {
        return Err("it has no '='; write LOOP=SCHEDULE, as in solver.c:118=dynamic,16".to_owned());
    };
    let schedules: Vec<Schedule> = schedules.split('|').map(Schedule::parse).collect::<Result<_, _>>()?;
    let is_adaptive = |schedule: &Schedule| schedule.learned() == Some(Learned::Adaptive);
    if schedules.len() > 1 && schedules.iter().any(is_adaptive) {
        return Err("'adaptive' takes turns by itself; name it alone".to_owned());
    }
    if schedules.len() > MOST {
        return Err(format!("more than {MOST} schedules in turn"));
    }
    let insisted = pattern.trim_start().strip_prefix('!');
    let (insists, pattern) = (insisted.is_some(), Pattern::parse(insisted.unwrap_or(pattern))?);
    if insists && pattern == Pattern::All {
        return Err("'!*' would break promises of loops that nobody looked at; name the loop".to_owned());
    }
    Ok(Entry { pattern, schedules, insists, text: entry.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, place: Place<'_>) -> Option<String> {
        let table = Table::parse(text).unwrap();
        table.find(place).map(|at| table.entries()[at].schedules[0].to_string())
    }

    const PLACE: Place<'_> = Place { file: "src/solver.c", line: 118, column: 3, function: "assemble" };

    #[test]
    fn the_narrower_counts_and_then_the_later() {
        let cases = [
            ("assemble=guided; *=static,64", Some("guided")),
            ("*=static,64;assemble=guided", Some("guided")),
            ("solver.c:118=auto;assemble=guided", Some("auto")),
            ("assemble=guided;solver.c=dynamic", Some("dynamic")),
            ("*=dynamic;*=guided", Some("guided")),
            ("other=dynamic", None),
            ("", None),
            (" ; \n # nothing\n", None),
            ("solver.c:118=dynamic,2 # why\n", Some("dynamic,2")),
            ("\u{feff}assemble=guided\r\n", Some("guided")),
        ];
        for (text, wanted) in cases {
            assert_eq!(found(text, PLACE).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn alternatives() {
        let table = Table::parse("a.c:3=dynamic,16|static,8|source").unwrap();
        assert!(table.alternates());
        let schedules: Vec<_> = table.entries()[0].schedules.iter().map(ToString::to_string).collect();
        assert_eq!(schedules, ["dynamic,16", "static,8", "source"]);
        assert!(!Table::parse("a.c:3=dynamic").unwrap().alternates());
    }

    #[test]
    fn a_user_may_insist() {
        let table = Table::parse("!a.c:3=dynamic; a.c:4=static").unwrap();
        let insists: Vec<bool> = table.entries().iter().map(|entry| entry.insists).collect();
        assert_eq!(insists, [true, false]);
        assert_eq!(table.entries()[0].text, "!a.c:3=dynamic");
        assert!(Table::parse("!*=dynamic").unwrap_err().why.contains("name the loop"));
    }

    #[test]
    fn a_mistake_names_its_place() {
        for (text, line, entry, why) in [
            ("a.c:3", 1, "a.c:3", "no '='"),
            ("a=dynamic\nb=dinamic", 2, "b=dinamic", "no schedule"),
            ("=dynamic", 1, "=dynamic", "missing"),
            ("a=dynamic||guided", 1, "a=dynamic||guided", "no schedule"),
            ("a=", 1, "a=", "no schedule"),
        ] {
            let mistake = Table::parse(text).unwrap_err();
            assert_eq!((mistake.line, &mistake.entry[..]), (line, entry), "{text}");
            assert!(mistake.why.contains(why), "{mistake:?}");
        }
        let long = format!("{}\u{1b}[2J", "x".repeat(1 << 20));
        let said = Table::parse(&long).unwrap_err().to_string();
        assert!(said.len() < 300 && said.contains("xxx...': it has no '='"), "{said}");
        let said = Table::parse("a=\u{1b}[2J").unwrap_err().to_string();
        assert!(said.contains("\\u{1b}[2J") && !said.contains('\u{1b}'), "{said}");
        let long = format!("a={}", "y".repeat(1 << 20));
        assert!(Table::parse(&long).unwrap_err().to_string().len() < 400);
        let many = format!("a={}", ["static"; 1025].join("|"));
        assert!(Table::parse(&many).unwrap_err().why.contains("1024"));
    }
}
