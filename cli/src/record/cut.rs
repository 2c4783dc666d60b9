//! Parts without an end: how the program itself came to its end is known, of processes that it started only where they were.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitStatus;

use ompchunk_trace_format::{Event, shown};

use crate::child::Ended;
use crate::prose::first_names;

const NAMED: usize = 3;

/// Regions of a part that have begun and not ended.
#[derive(Debug, Default)]
pub(super) struct Open(HashMap<u32, u64>);

impl Open {
    pub(super) fn follow(&mut self, lane: u32, event: &Event<'_>) {
        match event {
            Event::ParallelBegin { .. } => *self.0.entry(lane).or_default() += 1,
            Event::ParallelEnd { .. } => {
                let regions = self.0.entry(lane).or_default();
                *regions = regions.saturating_sub(1);
            }
            _ => {}
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Cut {
    /// Parts of the program itself, and why.
    own: Vec<(String, String)>,
    outside: Vec<String>,
    inside: Vec<String>,
}

impl Cut {
    pub(super) fn add(&mut self, path: &Path, pid: u32, open: &Open, program: Option<Ended>) {
        let name = shown(path);
        match program.filter(|program| program.pid == pid) {
            Some(program) => self.own.push((name, reason(program.status))),
            None if open.0.values().any(|regions| *regions > 0) => self.inside.push(name),
            None => self.outside.push(name),
        }
    }

    pub(super) fn text(&self) -> String {
        let own = self.own.iter();
        let mut text: String = own.map(|(name, why)| format!("ompchunk: {name} is cut: {why}\n")).collect();
        text += &line(
            &self.outside,
            "ended outside parallel regions and without exit, as by _exit or a signal; what was recorded until then is there",
        );
        text += &line(
            &self.inside,
            "ended inside a parallel region and without exit: by a crash, a signal or _exit; what was recorded until then is there",
        );
        text
    }
}

fn reason(status: ExitStatus) -> String {
    let how = match status.code() {
        Some(code) => format!(
            "the program ended with code {code} and without exit, as by _exit, or no more could be written (ulimit -f)"
        ),
        // `signal: 9 (SIGKILL)`
        None => format!("the program was ended by {}", status.to_string().replacen(':', "", 1)),
    };
    how + "; what was recorded until then is there"
}

fn line(parts: &[String], what: &str) -> String {
    let named = first_names(parts.iter(), NAMED);
    match parts.len() {
        0 => String::new(),
        1 => format!("ompchunk: {named} is cut: its process {what}\n"),
        some => format!("ompchunk: {some} parts are cut ({named}): their processes {what}\n"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn many_parts_are_one_line() {
        let mut cut = Cut::default();
        let open = Open::default();
        for pid in 1..=500 {
            let path = format!("app.ompchunk/pid-{pid}.trace");
            cut.add(Path::new(&path), pid, &open, None);
        }
        let text = cut.text();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.starts_with("ompchunk: 500 parts are cut ("), "{text}");
        assert!(text.contains("and 497 more"), "{text}");
        assert!(text.contains("_exit"), "{text}");
    }

    #[test]
    fn the_program_itself() {
        let of = |raw: i32| {
            let status = ExitStatus::from_raw(raw);
            let mut cut = Cut::default();
            let program = Some(Ended { pid: 7, status });
            cut.add(Path::new("a/pid-7.trace"), 7, &Open::default(), program);
            cut.text()
        };
        assert!(of(4 << 8).contains("with code 4 and without exit, as by _exit"));
        assert!(of(9).contains("by signal 9 (SIGKILL)"));
    }
}
