//! What a team does between two barriers. A loop with `nowait` lets its threads go on, so loops of one phase
//! run at the same time and wait for each other's slow threads at the barrier that ends it. Here the phase's time,
//! imbalance and waits are dealt out to its loops, so that they add up to what the phase took, and each loop gets
//! what it causes.
//!
//! The thread that is busy longest decides how long the phase takes. What another thread is short of it comes from
//! the loops in which it spent less, in proportion. With a single loop that is all of it.

use crate::lane::Share;

/// A thread has come to the end of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leave {
    pub(crate) region: u64,
    /// Barriers that the thread had passed before.
    pub(crate) barriers: u64,
    pub(crate) team_size: u32,
    pub(crate) thread: u32,
    /// When it came to the barrier.
    pub(crate) arrived: u64,
    /// When it went on; `None`: there was no barrier, or its end is missing.
    pub(crate) left: Option<u64>,
    /// The loop right before the barrier, if nothing else came between.
    pub(crate) after: Option<u32>,
    /// Executions that it took part in since the barrier before.
    pub(crate) executions: u64,
    /// When the region was begun by this thread.
    pub(crate) forked: Option<u64>,
    /// When the thread began its part of the region.
    pub(crate) began: u64,
}

impl Leave {
    /// How long it waited, if all may go on from `released`.
    fn wait(&self, released: u64) -> Option<u64> {
        Some(self.left?.min(released).saturating_sub(self.arrived))
    }
}

/// A phase, as far as it was told. Used again for others, so that the usual one takes no memory of its own.
#[derive(Debug, Default)]
pub(crate) struct Phase {
    /// When its first execution begins.
    begin: Option<u64>,
    /// By thread and loop, once gathered.
    spent: Vec<Spent>,
    /// So many were left when they were last gathered.
    gathered: usize,
    leaves: Vec<Leave>,
    /// All of it is within a chunk of another loop.
    nested: bool,
}

/// A thread's time in one of the phase's loops.
#[derive(Debug, Clone, Copy)]
struct Spent {
    thread: u32,
    the_loop: u32,
    /// When it first began it.
    begin: u64,
    inside: u64,
    busy: u64,
}

/// Gathered again when there are so many more, or twice as many.
const MANY: usize = 64;

/// What a loop gets of a phase, in ticks.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Part {
    pub(crate) the_loop: u32,
    pub(crate) time: f64,
    pub(crate) average: f64,
    pub(crate) busiest: f64,
    pub(crate) nested: bool,
    /// From the first thread's begin to the last one's; of the phase's first loop.
    pub(crate) late: u64,
    /// From the region's begin to that of its last thread; of the first loop of the region.
    pub(crate) start: Option<u64>,
    /// Each thread's wait at the end of the phase.
    pub(crate) waits: Vec<(u32, u64)>,
}

impl Phase {
    /// A complete execution: each thread's share of it.
    pub(crate) fn executed(&mut self, shares: &[Share], nested: bool) {
        self.nested |= nested;
        for share in shares {
            self.begin = Some(self.begin.map_or(share.begin, |it| it.min(share.begin)));
            self.spent.push(Spent {
                thread: share.thread,
                the_loop: share.the_loop,
                begin: share.begin,
                inside: share.end.saturating_sub(share.begin),
                busy: share.busy,
            });
        }
        if self.spent.len() > 2 * self.gathered + MANY {
            self.gather();
        }
    }

    /// One for each thread and loop.
    fn gather(&mut self) {
        self.spent
            .sort_unstable_by_key(|it| (it.thread, it.the_loop));
        self.spent.dedup_by(|next, to| {
            let same = (to.thread, to.the_loop) == (next.thread, next.the_loop);
            if same {
                to.begin = to.begin.min(next.begin);
                to.inside = to.inside.saturating_add(next.inside);
                to.busy = to.busy.saturating_add(next.busy);
            }
            same
        });
        self.gathered = self.spent.len();
    }

    /// For the next phase.
    pub(crate) fn clear(&mut self) {
        self.begin = None;
        self.spent.clear();
        self.gathered = 0;
        self.leaves.clear();
        self.nested = false;
    }

    pub(crate) fn leaves(&mut self, leave: Leave) {
        self.leaves.push(leave);
    }

    /// All threads have come to its end.
    pub(crate) fn is_over(&self) -> bool {
        let team = self.leaves.first().map_or(u32::MAX, |it| it.team_size);
        self.leaves.len() as u64 >= u64::from(team)
    }

    /// What its loops get.
    pub(crate) fn deal(&mut self) -> Vec<Part> {
        self.gather();
        let same = |two: &[Spent]| two[0].the_loop == two[1].the_loop;
        match self.spent.first() {
            Some(first) if self.spent.windows(2).all(same) && self.waits_for(first.the_loop) => {
                vec![self.deal_one(first.the_loop)]
            }
            _ => self.deal_all(),
        }
    }

    /// Nobody waits for another loop.
    fn waits_for(&self, the_loop: u32) -> bool {
        let others = |it: &Leave| it.executions == 1 && it.after.is_some_and(|it| it != the_loop);
        !self.leaves.iter().any(others)
    }

    /// A single loop, as in nearly all phases, gets all of it.
    fn deal_one(&self, the_loop: u32) -> Part {
        let begin = self.begin.unwrap_or(0);
        let late = |it: &Spent| it.begin.saturating_sub(begin);
        let inside = |it: &Spent| (it.inside + late(it)) as f64;
        let most = |of: &dyn Fn(&Spent) -> f64| self.spent.iter().map(of).fold(0.0, f64::max);
        let busy = |it: &Spent| it.busy as f64;
        let time = most(&inside);
        let average = self.spent.iter().map(busy).sum::<f64>() / self.spent.len() as f64;
        let mut part = Part {
            the_loop,
            nested: self.nested,
            time,
            average,
            // What is lost in a loop is not more than its time.
            busiest: most(&busy).min(time).max(average),
            late: self.spent.iter().map(late).max().unwrap_or(0),
            ..Part::default()
        };
        self.start(std::slice::from_mut(&mut part));
        let released = self.released();
        for leave in &self.leaves {
            let Some(wait) = released.and_then(|it| leave.wait(it)) else {
                continue;
            };
            if leave.after == Some(the_loop) && leave.executions == 1 {
                part.waits.push((leave.thread, wait));
                continue;
            }
            let at = self
                .spent
                .binary_search_by_key(&leave.thread, |it| it.thread);
            if let Ok(at) = at {
                let booked = (time - inside(&self.spent[at])).min(wait as f64) as u64;
                if booked > 0 {
                    part.waits.push((leave.thread, booked));
                }
            }
        }
        part
    }

    /// Of a row per thread, and where it is in `spent`.
    fn threads(&self) -> impl Iterator<Item = &[Spent]> {
        self.spent.chunk_by(|one, next| one.thread == next.thread)
    }

    fn deal_all(&self) -> Vec<Part> {
        let mut loops: Vec<u32> = self.spent.iter().map(|it| it.the_loop).collect();
        loops.sort_unstable();
        loops.dedup();
        let mut parts: Vec<Part> = loops
            .iter()
            .map(|the_loop| Part {
                the_loop: *the_loop,
                nested: self.nested,
                ..Part::default()
            })
            .collect();
        let begin = self.begin.unwrap_or(0);
        // A thread that comes late to the phase does so to its first loop.
        let late = |of: &[Spent], the_loop: u32| match first(of) {
            Some((at, first)) if first == the_loop => at.saturating_sub(begin),
            _ => 0,
        };
        let table = |of: &dyn Fn(&[Spent], &Spent) -> u64| -> Vec<Vec<f64>> {
            self.threads()
                .map(|spent| {
                    let mut row = vec![0.0; loops.len()];
                    for it in spent {
                        if let Ok(at) = loops.binary_search(&it.the_loop) {
                            row[at] = of(spent, it) as f64;
                        }
                    }
                    row
                })
                .collect()
        };
        let inside = table(&|thread, it| it.inside + late(thread, it.the_loop));
        let busy = table(&|_, it| it.busy);
        let (time, work) = (even(&inside), even(&busy));
        for (at, part) in parts.iter_mut().enumerate() {
            part.time = time[at].0 + time[at].1;
            part.average = work[at].0;
            // What is lost in a loop is not more than its time.
            part.busiest = (work[at].0 + work[at].1).min(part.time).max(part.average);
            let late = self.threads().map(|thread| late(thread, part.the_loop));
            part.late = late.max().unwrap_or(0);
        }
        self.start(&mut parts);
        self.waits(&inside, &mut parts);
        parts
    }

    /// Nobody goes on before all have come. A thread that has nothing to do next learns later that it may go on.
    fn released(&self) -> Option<u64> {
        self.leaves.iter().filter_map(|it| it.left).min()
    }

    /// What it took to begin the region belongs to the loop that comes first in it.
    fn start(&self, parts: &mut [Part]) {
        let forked = self.leaves.iter().find_map(|it| it.forked);
        let first = first(&self.spent).map(|(_, the_loop)| the_loop);
        let last = self.leaves.iter().map(|it| it.began).max();
        let (Some(forked), Some(last), Some(first)) = (forked, last, first) else {
            return;
        };
        let part = parts.iter_mut().find(|it| it.the_loop == first);
        if let Some(part) = part.filter(|_| self.is_over()) {
            part.start = Some(last.saturating_sub(forked));
        }
    }

    fn waits(&self, inside: &[Vec<f64>], parts: &mut Vec<Part>) {
        let released = self.released();
        let threads: Vec<u32> = self.threads().map(|it| it[0].thread).collect();
        let fullest = fullest(inside);
        for leave in &self.leaves {
            let Some(wait) = released.and_then(|it| leave.wait(it)) else {
                continue;
            };
            if let Some(the_loop) = leave.after.filter(|_| leave.executions == 1) {
                of(parts, the_loop).waits.push((leave.thread, wait));
                continue;
            }
            let row = threads.binary_search(&leave.thread).ok();
            let Some((row, fullest)) = row.zip(fullest) else {
                continue;
            };
            let short = short(&inside[fullest], &inside[row]);
            let all: f64 = short.iter().sum();
            let sum = |row: usize| inside[row].iter().sum::<f64>();
            // What no loop explains has another cause.
            let booked = (sum(fullest) - sum(row)).min(wait as f64);
            for (part, short) in parts.iter_mut().zip(&short) {
                if *short > 0.0 {
                    let share = (booked * short / all) as u64;
                    part.waits.push((leave.thread, share));
                }
            }
        }
    }
}

/// Where a thread was first, or all of them: when, and in which loop.
fn first(spent: &[Spent]) -> Option<(u64, u32)> {
    spent.iter().map(|it| (it.begin, it.the_loop)).min()
}

fn of(parts: &mut Vec<Part>, the_loop: u32) -> &mut Part {
    let at = parts.iter().position(|it| it.the_loop == the_loop);
    let at = at.unwrap_or_else(|| {
        parts.push(Part {
            the_loop,
            ..Part::default()
        });
        parts.len() - 1
    });
    &mut parts[at]
}

fn fullest(rows: &[Vec<f64>]) -> Option<usize> {
    let sum = |row: &Vec<f64>| row.iter().sum::<f64>();
    (0..rows.len()).max_by(|one, other| sum(&rows[*one]).total_cmp(&sum(&rows[*other])))
}

/// Where a row has less than another.
fn short(than: &[f64], row: &[f64]) -> Vec<f64> {
    than.iter()
        .zip(row)
        .map(|(most, it)| (most - it).max(0.0))
        .collect()
}

/// For each column its mean, and its share of what the rows are short of the fullest one: both together add up to
/// the fullest row.
fn even(rows: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let Some(fullest) = fullest(rows).map(|at| &rows[at]) else {
        return Vec::new();
    };
    let most: f64 = fullest.iter().sum();
    let count = rows.len() as f64;
    let mut columns = vec![(0.0, 0.0); fullest.len()];
    for row in rows {
        let missing = most - row.iter().sum::<f64>();
        let short = short(fullest, row);
        let all: f64 = short.iter().sum();
        for (at, column) in columns.iter_mut().enumerate() {
            column.0 += row[at] / count;
            if all > 0.0 {
                column.1 += missing * short[at] / all / count;
            }
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_column_is_as_long_as_its_longest() {
        assert_eq!(even(&[vec![30.0], vec![10.0]]), [(20.0, 10.0)]);
    }

    /// Each loop has a slow thread, but another one: nobody waits, and nothing is lost.
    #[test]
    fn what_evens_out_is_not_lost() {
        let columns = even(&[vec![30.0, 10.0], vec![10.0, 30.0]]);
        assert_eq!(columns, [(20.0, 0.0), (20.0, 0.0)]);
    }

    /// The first loop has all of the imbalance; the second is even.
    #[test]
    fn the_cause_pays() {
        let columns = even(&[vec![30.0, 10.0], vec![10.0, 10.0]]);
        assert_eq!(columns, [(20.0, 10.0), (10.0, 0.0)]);
    }

    proptest::proptest! {
        #[test]
        fn columns_add_up_to_the_fullest_row(
            rows in proptest::collection::vec(proptest::collection::vec(0u32..1000, 3), 1..6)
        ) {
            let rows: Vec<Vec<f64>> = rows
                .into_iter()
                .map(|row| row.into_iter().map(f64::from).collect())
                .collect();
            let most = rows.iter().map(|row| row.iter().sum::<f64>()).fold(0.0, f64::max);
            let columns = even(&rows);
            let sum: f64 = columns.iter().map(|it| it.0 + it.1).sum();
            proptest::prop_assert!((sum - most).abs() < 1e-6 * (1.0 + most));
            proptest::prop_assert!(columns.iter().all(|it| it.1 >= 0.0));
        }
    }
}
