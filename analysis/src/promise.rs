//! What the program may rely on in a loop: which of its iterations a thread runs (OpenMP 5.2, section 11.5.3). The plugin finds it
//! out, the trace's definitions tell it, and nothing may be suggested that breaks it.

use ompchunk_abi::{LOOP_FREE, LOOP_MAPPED, bound};
use ompchunk_trace_format::{Grouped, LoopDefinition};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Promise {
    /// Not looked into: the loop was compiled without the plugin, or plugin or recorder are older than this knowledge.
    #[default]
    Unknown,
    Free,
    /// These loops alone, of which it is one: they give a thread the same iterations, so they may all get the same static schedule.
    Group(Vec<Grouped>),
    Bound(&'static str),
}

impl Promise {
    pub(crate) fn from_definition(loop_definition: &LoopDefinition<'_>) -> Promise {
        let has = |flag| loop_definition.flags & flag != 0;
        let group = || loop_definition.group.loops().collect();
        match loop_definition.bound {
            _ if !loop_definition.instrumented => Promise::Unknown,
            _ if has(LOOP_FREE) => Promise::Free,
            _ if has(LOOP_MAPPED) && !loop_definition.group.is_empty() => Promise::Group(group()),
            // A group that is too large to be told.
            _ if has(LOOP_MAPPED) => Promise::Bound(bound::sentence(bound::PAIR)),
            bound::UNKNOWN => Promise::Unknown,
            bound => Promise::Bound(bound::sentence(bound)),
        }
    }

    /// The one that allows less, where several parts tell of the loop.
    pub(crate) fn or_stricter(self, other: &Promise) -> Promise {
        let rank = |promise: &Promise| match promise {
            Promise::Free => 0,
            Promise::Unknown => 1,
            Promise::Group(_) => 2,
            Promise::Bound(_) => 3,
        };
        if rank(other) > rank(&self) { other.clone() } else { self }
    }

    pub fn bound(&self) -> Option<&'static str> {
        match self {
            Promise::Bound(why) => Some(why),
            _ => None,
        }
    }

    pub fn group(&self) -> &[Grouped] {
        match self {
            Promise::Group(loops) => loops,
            _ => &[],
        }
    }

    pub fn others(&self, line: Option<u32>) -> String {
        let others = self.group().iter().map(|group| group.line);
        let others = others.filter(|line_of_other| Some(*line_of_other) != line && *line_of_other != 0);
        match &others.map(|line| line.to_string()).collect::<Vec<_>>()[..] {
            [] => "the loops around it".to_owned(),
            [only] => format!("the loop at line {only}"),
            lines => format!("the loops at lines {}", lines.join(", ")),
        }
    }

    /// What would help the loop at this line, where `usual` does if nothing relies on its threads.
    pub(crate) fn cure(&self, line: Option<u32>, usual: &str) -> String {
        match self {
            Promise::Free | Promise::Unknown => usual.to_owned(),
            Promise::Group(_) => format!(
                "it gives a thread the same iterations as {}, so no chunks may be dealt, and only one schedule(static,c) \
                 for all of them can help",
                self.others(line)
            ),
            Promise::Bound(why) => format!("leave its schedule: {why}"),
        }
    }

    /// May the runtime deal its iterations to whoever comes first, as far as anything is known of it?
    pub fn may_be_dealt(&self) -> bool {
        matches!(self, Promise::Free | Promise::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use ompchunk_abi::LOOP_CHANGEABLE;
    use ompchunk_trace_format::Group;

    use super::*;

    fn promise(instrumented: bool, flags: u32, bound: u8, group: &[u8]) -> Promise {
        Promise::from_definition(&LoopDefinition {
            instrumented,
            construct: 1,
            bits: 32,
            variable_bits: 32,
            bound,
            flags,
            schedule: 34,
            line: 3,
            function: b"f",
            file: b"a.c",
            group: Group::from(group),
            ..LoopDefinition::default()
        })
    }

    #[test]
    fn what_a_definition_says() {
        let pair = Promise::Bound(bound::sentence(bound::PAIR));
        assert_eq!(promise(true, LOOP_CHANGEABLE | LOOP_FREE, 0, &[]), Promise::Free);
        assert_eq!(promise(true, LOOP_CHANGEABLE, 0, &[]), Promise::Unknown);
        assert_eq!(promise(false, 0, 0, &[]), Promise::Unknown);
        assert_eq!(promise(true, LOOP_CHANGEABLE, bound::PAIR, &[]), pair);
        assert_eq!(promise(true, LOOP_MAPPED, bound::PAIR, &[]), pair);
        let group = promise(true, LOOP_MAPPED, bound::PAIR, &[0; 24]);
        assert_eq!(group.group().len(), 2);
        assert!(!group.may_be_dealt() && group.bound().is_none());
        assert!(!pair.may_be_dealt() && Promise::Unknown.may_be_dealt());
    }

    #[test]
    fn nothing_is_suggested_that_breaks_it() {
        let of = |promise: Promise| promise.cure(Some(3), "dynamic");
        assert_eq!(of(Promise::Free), "dynamic");
        let grouped = |line| Grouped { line, column: 1, changeable: true };
        let group = |lines: &[u32]| Promise::Group(lines.iter().copied().map(grouped).collect());
        let pair = of(group(&[3, 5]));
        assert!(pair.contains("as the loop at line 5, so no chunks may be dealt"), "{pair}");
        assert_eq!(group(&[3, 5, 7]).others(Some(3)), "the loops at lines 5, 7");
        assert_eq!(group(&[3]).others(Some(3)), "the loops around it");
        assert_eq!(of(Promise::Bound("why")), "leave its schedule: why");
    }

    #[test]
    fn of_two_the_stricter() {
        let bound = Promise::Bound("why");
        assert_eq!(Promise::Free.or_stricter(&Promise::Unknown), Promise::Unknown);
        assert_eq!(bound.clone().or_stricter(&Promise::Free), bound);
        assert_eq!(Promise::Group(Vec::new()).or_stricter(&bound), bound);
    }
}
