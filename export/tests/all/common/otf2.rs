//! An archive as `otf2-print` of Debian's otf2-tools reads it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub kind: String,
    /// Tenths of a nanosecond.
    pub time: u64,
    /// The region's name, or whatever else there is.
    pub what: String,
    /// By name, as they are printed.
    pub attributes: BTreeMap<String, String>,
}

impl Record {
    /// An attribute that is a whole number.
    pub fn number(&self, name: &str) -> Option<i128> {
        self.attributes.get(name).map(|value| value.parse().expect("a number"))
    }
}

/// Can archives be written and read here? Where `CI` is set they must be.
pub fn is_here() -> bool {
    let is_here = Command::new("otf2-print").arg("--version").output().is_ok();
    if !is_here {
        assert!(std::env::var_os("CI").is_none(), "otf2-tools are not installed");
        eprintln!("skipped: otf2-tools are not installed (make setup)");
    }
    is_here
}

fn print(archive: &Path, words: &[&str]) -> String {
    let mut command = Command::new("otf2-print");
    let output = command.args(words).arg(archive.join("traces.otf2")).output();
    let output = output.expect("otf2-print");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

pub fn definitions(archive: &Path) -> Vec<String> {
    print(archive, &["-G"]).lines().map(str::to_owned).collect()
}

/// The events of each location, checked: timestamps ascend, what is entered is left, and teams and forks end.
pub fn events(archive: &Path) -> BTreeMap<u64, Vec<Record>> {
    let text = print(archive, &[]);
    let mut all: BTreeMap<u64, Vec<Record>> = BTreeMap::new();
    let mut last = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(attributes) = line.trim().strip_prefix("ADDITIONAL ATTRIBUTES: ") {
            let of: &mut Record = all.get_mut(&last).expect("a location").last_mut().expect("an event");
            for attribute in attributes.split("), (") {
                let fields: Vec<&str> = attribute.trim_matches(['(', ')']).split("; ").collect();
                let name = fields[0].split('"').nth(1).expect("a name");
                of.attributes.insert(name.into(), fields[2].into());
            }
            continue;
        }
        let (Some(Ok(location)), Some(Ok(time))) =
            (words.get(1).map(|word| word.parse()), words.get(2).map(|word| word.parse()))
        else {
            continue;
        };
        last = location;
        let record = Record {
            kind: words[0].into(),
            time,
            what: line.split('"').nth(1).unwrap_or_default().into(),
            attributes: BTreeMap::new(),
        };
        all.entry(location).or_default().push(record);
    }
    all.values().for_each(|records| check(records));
    all
}

fn check(records: &[Record]) {
    let mut open: Vec<(&str, &str)> = Vec::new();
    let mut last = 0;
    for record in records {
        assert!(record.time >= last, "{record:?} after {last}");
        last = record.time;
        let begins = match record.kind.as_str() {
            "ENTER" | "THREAD_FORK" | "THREAD_TEAM_BEGIN" => {
                open.push((&record.kind, &record.what));
                continue;
            }
            "LEAVE" => "ENTER",
            "THREAD_JOIN" => "THREAD_FORK",
            "THREAD_TEAM_END" => "THREAD_TEAM_BEGIN",
            _ => continue,
        };
        let (kind, what) = open.pop().expect("something open");
        assert_eq!(kind, begins, "{record:?}");
        assert!(kind == "THREAD_FORK" || what == record.what, "{what} {record:?}");
    }
    assert_eq!(open, [], "left open");
}

/// Records of a kind of region: its `ENTER` and its `LEAVE`.
pub fn entered<'r>(records: &'r [Record], begins_with: &str) -> Vec<(&'r Record, &'r Record)> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    for record in records {
        match record.kind.as_str() {
            "ENTER" => open.push(record),
            "LEAVE" => {
                let enter: &Record = open.pop().expect("entered");
                if enter.what.starts_with(begins_with) {
                    found.push((enter, record));
                }
            }
            _ => {}
        }
    }
    found.sort_by_key(|(enter, _)| enter.time);
    found
}
