//! The schedules of a file, as far as a program's loops can be measured under them: each entry that counts for a loop that ran.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use ompchunk_abi::overrides::{Entry, Pattern, Schedule, Table, file};
use ompchunk_abi::{LOOP_CHANGEABLE, LOOP_FREE, fixed};
use ompchunk_toolchain::Failure;
use ompchunk_trace_format::{Event, Trace};

use super::runs::Trial;
use crate::repeat::LoopPlace;
use crate::table::printable;

/// A loop that ran, as its definition has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    place: LoopPlace,
    flags: u32,
    fixed: u8,
    instrumented: bool,
    /// Lines of its group, itself included.
    group: BTreeSet<u32>,
}

#[derive(Debug, Default)]
pub struct Listed {
    /// Loops in turns, those of a group together.
    pub trials: Vec<Trial>,
    /// Entries that only the whole program tells of.
    pub whole_only: Vec<String>,
    /// Entries that change nothing, each with the reason.
    pub idle: Vec<(String, String)>,
}

/// Reads a file; one without entries says nothing, and would pass for ever.
pub fn read(path: &Path) -> Result<Table, Failure> {
    let name = printable(&path.to_string_lossy());
    let unusable = |why| {
        Failure::new(
            format!("--gate: {why}"),
            "--gate takes the file that `ompchunk tune PROG` writes, with a line such as solver.c:118=dynamic,16 for each loop",
        )
    };
    let text = file::read(path).map_err(|cause| unusable(format!("cannot read {name}: {cause}")))?;
    let table =
        Table::parse(&text).map_err(|mistake| unusable(format!("line {} of {name}, {mistake}", mistake.line)))?;
    if table.entries().is_empty() { Err(unusable(format!("{name} has no schedule"))) } else { Ok(table) }
}

pub fn seen(trace: &Path) -> Result<BTreeSet<Seen>> {
    let mut all = BTreeSet::new();
    for part in &Trace::open(trace)?.parts {
        part.for_each(|_, event| {
            if let Event::Loop(definition) = event {
                all.insert(Seen {
                    place: LoopPlace::from_definition(definition),
                    flags: definition.flags,
                    fixed: definition.fixed,
                    instrumented: definition.instrumented,
                    group: definition.group.loops().map(|grouped| grouped.line).collect(),
                });
            }
        })?;
    }
    Ok(all)
}

impl Seen {
    /// Why it keeps its schedule under an entry, if it does.
    fn stays(&self, pattern: &Pattern) -> Option<String> {
        if !self.instrumented {
            return Some("it was compiled without the plugin".to_owned());
        }
        if self.flags & LOOP_CHANGEABLE == 0 {
            let why = fixed::sentence(self.fixed).unwrap_or("its record does not say why");
            return Some(format!("its schedule cannot be changed: {why}"));
        }
        let is_free = self.flags & LOOP_FREE != 0;
        (*pattern == Pattern::All && !is_free)
            .then(|| "something may rely on its threads, and * leaves it as it is".to_owned())
    }

    /// As the shim is told: as the entry has it, or, of one that means several loops, by its own position.
    fn name(&self, entry: &Entry) -> String {
        let mark = if entry.insists { "!" } else { "" };
        match &entry.pattern {
            Pattern::At(..) => {
                (entry.text.rsplit_once('=')).map_or(entry.text.clone(), |(name, _)| name.trim().to_owned())
            }
            _ if self.place.file.is_empty() || self.place.line == 0 => format!("{mark}{}", self.place.function),
            _ => format!("{mark}{}:{}", self.place.file, self.place.line),
        }
    }
}

pub fn listed(table: &Table, seen: &BTreeSet<Seen>) -> Listed {
    let mut all = Listed::default();
    // Place among the trials, by group and schedule.
    let mut groups: BTreeMap<(String, BTreeSet<u32>, String), usize> = BTreeMap::new();
    for (number, entry) in table.entries().iter().enumerate() {
        let meant: Vec<&Seen> =
            (seen.iter()).filter(|the_loop| table.find(the_loop.place.named()) == Some(number)).collect();
        let stays = |the_loop: &&Seen| the_loop.stays(&entry.pattern);
        let (kept, changed): (Vec<&Seen>, Vec<&Seen>) =
            meant.into_iter().partition(|the_loop| stays(the_loop).is_some());
        if changed.is_empty() {
            let why = kept.first().and_then(stays).unwrap_or_else(|| "no loop ran for which it counts".to_owned());
            all.idle.push((entry.text.clone(), why));
            continue;
        }
        let schedule = match entry.schedules[..] {
            [only] if only.learned().is_none() => only,
            _ => {
                all.whole_only.push(entry.text.clone());
                continue;
            }
        };
        if schedule == Schedule::Source {
            continue;
        }
        for the_loop in changed {
            let name = the_loop.name(entry);
            let key = (the_loop.place.file.clone(), the_loop.group.clone(), schedule.to_string());
            let in_group = !the_loop.group.is_empty() && !entry.insists;
            match groups.get(&key).filter(|_| in_group) {
                Some(&at) if all.trials[at].loops.contains(&name) => {}
                Some(&at) => all.trials[at].loops.push(name),
                None if all.trials.iter().any(|trial| trial.loops.contains(&name)) => {}
                None => {
                    if in_group {
                        groups.insert(key, all.trials.len());
                    }
                    all.trials.push(Trial { loops: vec![name], schedule: schedule.to_string() });
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn the_loop(line: u32, flags: u32, group: &[u32]) -> Seen {
        Seen {
            place: LoopPlace { file: "/src/a.c".into(), line, column: 3, function: "f".into() },
            flags,
            fixed: 0,
            instrumented: true,
            group: group.iter().copied().collect(),
        }
    }

    fn listed_in(text: &str) -> Listed {
        let free = LOOP_CHANGEABLE | LOOP_FREE;
        let seen = [
            the_loop(3, free, &[]),
            the_loop(5, LOOP_CHANGEABLE, &[5, 7]),
            the_loop(7, LOOP_CHANGEABLE, &[5, 7]),
            the_loop(9, 0, &[]),
        ];
        listed(&Table::parse(text).unwrap(), &seen.into_iter().collect())
    }

    fn entries(listed: &Listed) -> Vec<String> {
        let joined = |trial: &Trial| trial.entries().join(";");
        listed.trials.iter().map(joined).collect()
    }

    #[test]
    fn a_group_is_one_trial_and_stars_leave_it() {
        let both = listed_in("a.c:5=static,4\na.c:7=static,4  # why");
        assert_eq!(entries(&both), ["a.c:5=static,4;a.c:7=static,4"]);
        assert_eq!(entries(&listed_in("*=dynamic")), ["/src/a.c:3=dynamic"]);
        assert_eq!(entries(&listed_in("!a.c:5=guided")), ["!a.c:5=guided"]);
        let narrow = listed_in("*=dynamic;a.c:3=source");
        assert!(entries(&narrow).is_empty() && narrow.idle.len() == 1);
    }

    #[test]
    fn what_changes_nothing_says_why() {
        let idle = |text: &str| listed_in(text).idle.remove(0).1;
        assert_eq!(idle("a.c:4=dynamic"), "no loop ran for which it counts");
        assert!(idle("a.c:9=dynamic").starts_with("its schedule cannot be changed"));
        let learned = listed_in("a.c:3=adaptive; f=dynamic|guided");
        assert_eq!(learned.whole_only, ["a.c:3=adaptive", "f=dynamic|guided"]);
    }
}
