//! Which tasks `depend` clauses put behind which: as the specification says, among tasks of one creator, by address.

use std::collections::HashMap;

const IN: u32 = 1;
const OUT: u32 = 2;
const INOUT: u32 = 3;
const MUTEXINOUTSET: u32 = 4;
const INOUTSET: u32 = 7;
const OUT_ALL_MEMORY: u32 = 34;
const INOUT_ALL_MEMORY: u32 = 35;

/// Of the tasks of one creator.
#[derive(Debug, Default)]
pub(crate) struct Depends {
    variables: HashMap<u64, Variable>,
    /// The last task that is behind all of them, and before all that follow.
    all: Option<u32>,
}

/// The tasks that named an address last, which may run side by side, and those before.
#[derive(Debug, Default)]
struct Variable {
    class: u32,
    before: Vec<u32>,
    now: Vec<u32>,
}

impl Depends {
    /// A task has that dependence. Gives the tasks right before it.
    pub(crate) fn add(&mut self, task: u32, kind: u32, variable: u64) -> Vec<u32> {
        match kind {
            OUT_ALL_MEMORY | INOUT_ALL_MEMORY => {
                let mut before: Vec<u32> = self.all.into_iter().collect();
                for (_, variable) in self.variables.drain() {
                    before.extend(variable.now);
                }
                self.all = Some(task);
                before.retain(|earlier| *earlier != task);
                before
            }
            IN | OUT | INOUT | MUTEXINOUTSET | INOUTSET => self.name(task, kind, variable),
            // Of loops, or of a later version.
            _ => Vec::new(),
        }
    }

    fn name(&mut self, task: u32, kind: u32, variable: u64) -> Vec<u32> {
        let all = self.all;
        let known = self.variables.entry(variable).or_insert_with(|| Variable {
            class: 0,
            before: Vec::new(),
            now: all.into_iter().collect(),
        });
        let class = if kind == OUT { INOUT } else { kind };
        let may_run_beside = class == known.class && class != INOUT;
        if !may_run_beside {
            known.class = class;
            known.before = std::mem::take(&mut known.now);
        }
        known.now.push(task);
        let others = known.before.iter().copied();
        others.filter(|earlier| *earlier != task).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_reads_is_behind_who_wrote_and_before_who_writes_next() {
        let mut depends = Depends::default();
        assert!(depends.add(0, OUT, 8).is_empty());
        assert_eq!(depends.add(1, IN, 8), [0]);
        assert_eq!(depends.add(2, IN, 8), [0]);
        assert!(depends.add(3, IN, 16).is_empty());
        assert_eq!(depends.add(4, INOUT, 8), [1, 2]);
        assert_eq!(depends.add(5, OUT, 8), [4]);
        assert_eq!(depends.add(6, INOUTSET, 8), [5]);
        assert_eq!(depends.add(7, INOUTSET, 8), [5]);
        assert_eq!(depends.add(8, MUTEXINOUTSET, 8), [6, 7]);
        assert_eq!(depends.add(8, MUTEXINOUTSET, 8), [6, 7]);
        assert_eq!(depends.add(9, IN, 8), [8, 8]);
    }

    #[test]
    fn all_memory_is_between_all() {
        let mut depends = Depends::default();
        depends.add(0, OUT, 8);
        depends.add(1, IN, 16);
        let mut before = depends.add(2, INOUT_ALL_MEMORY, 0);
        before.sort_unstable();
        assert_eq!(before, [0, 1]);
        assert_eq!(depends.add(3, IN, 8), [2]);
        assert_eq!(depends.add(4, IN, 99), [2]);
    }
}
