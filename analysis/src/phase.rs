//! What a team does between two barriers. A loop with `nowait` lets its threads go on, so loops of one phase
//! run at the same time and wait for each other's slow threads at the barrier that ends it. Here the phase's time,
//! imbalance and waits are apportioned to its loops, so that they add up to what the phase took, and each loop gets
//! what it causes.
//! The thread that is busy longest decides how long the phase takes. What another thread is short of it comes from
//! the loops in which it spent less, in proportion. With a single loop that is all of it.

use crate::merge::Merge;
use crate::share::Share;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leave {
    pub(crate) region: u64,
    pub(crate) barriers: u64,
    pub(crate) team_size: u32,
    pub(crate) thread: u32,
    pub(crate) arrived: u64,
    /// When it went on; `None`: there was no barrier, or its end is missing.
    pub(crate) left: Option<u64>,
    /// The recorder's own time between these.
    pub(crate) recorder: u64,
    /// The loop right before the barrier, if nothing else came between.
    pub(crate) after: Option<u32>,
    /// Executions that it took part in since the barrier before.
    pub(crate) executions: u64,
    /// It was in loops that are not told, too.
    pub(crate) omitted: bool,
    /// When the region was begun by this thread.
    pub(crate) forked: Option<u64>,
    /// When the thread could begin the phase: it began its part of the region, or went on from the barrier before.
    pub(crate) since: Option<u64>,
}

impl Leave {
    /// How long it waited, if all may go on from `released`.
    fn wait(&self, released: u64) -> Option<u64> {
        let wait = self.left?.min(released).saturating_sub(self.arrived);
        Some(wait.saturating_sub(self.recorder))
    }
}

/// A phase, as far as it was told. Used again for others, so that the usual one takes no memory of its own.
#[derive(Debug, Default)]
pub(crate) struct Phase {
    begin: Option<u64>,
    /// By thread and loop, once gathered.
    spent: Vec<Spent>,
    gathered: usize,
    leaves: Vec<Leave>,
    /// Loops whose chunks the runtime deals.
    dealt: Vec<u32>,
    /// For those of the next portion.
    waits: Vec<(u32, u64)>,
    /// All of it is within a chunk of another loop.
    nested: bool,
}

#[derive(Debug, Clone, Copy)]
struct Spent {
    thread: u32,
    the_loop: u32,
    begin: u64,
    inside: u64,
    busy: u64,
    work: u64,
}

/// Gathered again when there are so many more, or twice as many.
const MANY: usize = 64;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Portion {
    pub(crate) the_loop: u32,
    pub(crate) times: Times,
    pub(crate) nested: bool,
    /// From the region's begin to that of its last thread; of the first loop of the region.
    pub(crate) start: Option<u64>,
    /// Each thread's wait at the end of the phase.
    pub(crate) waits: Vec<(u32, u64)>,
}

/// In ticks.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Times {
    /// With one loop between two barriers, from the first thread's begin to the last one's end.
    pub(crate) time: f64,
    /// Work of the average thread.
    pub(crate) average: f64,
    /// The same and what others wait for: the work of the busiest thread where there is one loop between barriers.
    pub(crate) busiest: f64,
    /// Time in chunks of the busiest thread, and what the average one has less, also where it was off its core: what hints must not rest on.
    pub(crate) longest: f64,
    pub(crate) behind: f64,
    /// From the first thread's begin to the last one's, where that is not another loop's doing; of the phase's first loop.
    pub(crate) late: u64,
    /// How much longer the last one was in code of the region before it than the first one.
    pub(crate) code_before: u64,
    /// The time from the first thread's begin to their own, of all threads together.
    pub(crate) late_in_all: u64,
    /// What all threads wait together until the last one has come to the end.
    pub(crate) waited_within: f64,
}

merge!(Times: time, average, busiest, longest, behind, late, code_before, late_in_all, waited_within);

impl Phase {
    pub(crate) fn executed(&mut self, shares: &[Share], nested: bool) {
        self.nested |= nested;
        for share in shares {
            self.begin = Some(self.begin.map_or(share.begin, |begin| begin.min(share.begin)));
            let recorder = share.off.outside().saturating_add(share.between.outside());
            let inside = share.end.saturating_sub(share.begin);
            if share.is_dealt() && !self.dealt.contains(&share.the_loop) {
                self.dealt.push(share.the_loop);
            }
            self.spent.push(Spent {
                thread: share.thread,
                the_loop: share.the_loop,
                begin: share.begin,
                inside: inside.saturating_sub(recorder),
                busy: share.busy,
                work: share.work(),
            });
        }
        if self.spent.len() > 2 * self.gathered + MANY {
            self.gather();
        }
    }

    fn gather(&mut self) {
        self.spent.sort_unstable_by_key(|spent| (spent.thread, spent.the_loop));
        self.spent.dedup_by(|next, to| {
            let same = (to.thread, to.the_loop) == (next.thread, next.the_loop);
            if same {
                to.begin = to.begin.min(next.begin);
                merge_fields!(to, next: inside, busy, work);
            }
            same
        });
        self.gathered = self.spent.len();
    }

    pub(crate) fn clear(&mut self) {
        self.begin = None;
        self.spent.clear();
        self.gathered = 0;
        self.leaves.clear();
        self.dealt.clear();
        self.nested = false;
    }

    pub(crate) fn leaves(&mut self, leave: Leave) {
        self.leaves.push(leave);
    }

    pub(crate) fn is_over(&self) -> bool {
        let team = self.leaves.first().map(|leave| leave.team_size);
        self.leaves.len() as u64 >= u64::from(team.unwrap_or(u32::MAX))
    }

    pub(crate) fn apportion(&mut self, mut tell: impl FnMut(&Portion)) {
        self.gather();
        let same = |two: &[Spent]| two[0].the_loop == two[1].the_loop;
        match self.spent.first() {
            Some(first) if self.spent.windows(2).all(same) && self.waits_for(first.the_loop) => {
                let portion = self.apportion_one(first.the_loop);
                tell(&portion);
                self.waits = portion.waits;
            }
            _ => self.apportion_all().iter().for_each(tell),
        }
    }

    /// Nobody waits for another loop.
    fn waits_for(&self, the_loop: u32) -> bool {
        let others = |leave: &Leave| leave.executions == 1 && leave.after.is_some_and(|after| after != the_loop);
        !self.leaves.iter().any(others)
    }

    /// A single loop, as in nearly all phases, gets all of it.
    fn apportion_one(&mut self, the_loop: u32) -> Portion {
        let mut waits = std::mem::take(&mut self.waits);
        waits.clear();
        let due = self.due();
        let late = |spent: &Spent| spent.begin.saturating_sub(due);
        let inside = |spent: &Spent| (spent.inside + late(spent)) as f64;
        let most = |of: &dyn Fn(&Spent) -> f64| self.spent.iter().map(of).fold(0.0, f64::max);
        let busy = |spent: &Spent| spent.busy as f64;
        let work = |spent: &Spent| spent.work as f64;
        let mean = |of: &dyn Fn(&Spent) -> f64| self.spent.iter().map(of).sum::<f64>() / self.spent.len() as f64;
        let (time, longest, average) = (most(&inside), most(&busy), mean(&work));
        let behind = longest - mean(&busy);
        let short = self.short(the_loop, most(&work) - average, behind);
        let mut portion = Portion {
            the_loop,
            nested: self.nested,
            times: Times {
                time,
                average,
                // What is lost in a loop is not more than its time.
                busiest: (average + short).min(time).max(average),
                longest: longest.min(time),
                behind,
                late: self.spent.iter().map(late).max().unwrap_or(0),
                code_before: self.code_before(),
                late_in_all: self.spent.iter().map(late).fold(0, u64::saturating_add),
                waited_within: (time - mean(&inside)) * self.spent.len() as f64,
            },
            start: None,
            waits,
        };
        self.start(std::slice::from_mut(&mut portion));
        let released = self.released();
        for leave in &self.leaves {
            let Some(wait) = released.and_then(|released| leave.wait(released)) else { continue };
            if leave.after == Some(the_loop) && leave.executions == 1 {
                portion.waits.push((leave.thread, wait));
                continue;
            }
            let at = self.spent.binary_search_by_key(&leave.thread, |spent| spent.thread);
            if let Ok(at) = at {
                let booked = (time - inside(&self.spent[at])).min(wait as f64) as u64;
                if booked > 0 {
                    portion.waits.push((leave.thread, booked));
                }
            }
        }
        portion
    }

    /// What a thread is late after: nothing where one comes from a loop that is not told.
    fn due(&self) -> u64 {
        if self.leaves.iter().any(|leave| leave.omitted) { u64::MAX } else { self.begin.unwrap_or(0) }
    }

    /// [`Times::code_before`], of what makes the last thread late.
    fn code_before(&self) -> u64 {
        let since = |thread| self.leaves.iter().find(|leave| leave.thread == thread).and_then(|leave| leave.since);
        let begins = || self.threads().filter_map(|thread| Some((first(thread)?.0, since(thread[0].thread)?)));
        match (begins().min(), begins().max()) {
            (Some((earliest, before)), Some((latest, since))) if self.due() != u64::MAX => {
                let longer = latest.saturating_sub(since).saturating_sub(earliest.saturating_sub(before));
                longer.min(latest - earliest)
            }
            _ => 0,
        }
    }

    /// What the average thread has less than the busiest one, of what others wait for.
    fn short(&self, the_loop: u32, work: f64, busy: f64) -> f64 {
        // A thread that loses its core leaves its chunks to the others where they are dealt out: nobody waits then.
        if self.dealt.contains(&the_loop) { work.min(busy) } else { work }
    }

    fn threads(&self) -> impl Iterator<Item = &[Spent]> {
        self.spent.chunk_by(|one, next| one.thread == next.thread)
    }

    fn apportion_all(&self) -> Vec<Portion> {
        let mut loops: Vec<u32> = self.spent.iter().map(|spent| spent.the_loop).collect();
        loops.sort_unstable();
        loops.dedup();
        let mut portions: Vec<Portion> = loops
            .iter()
            .map(|the_loop| Portion { the_loop: *the_loop, nested: self.nested, ..Portion::default() })
            .collect();
        let due = self.due();
        // A thread that comes late to the phase does so to its first loop.
        let late = |of: &[Spent], the_loop: u32| match first(of) {
            Some((at, first)) if first == the_loop => at.saturating_sub(due),
            _ => 0,
        };
        let table = |of: &dyn Fn(&[Spent], &Spent) -> u64| -> Vec<Vec<f64>> {
            self.threads()
                .map(|thread| {
                    let mut row = vec![0.0; loops.len()];
                    for spent in thread {
                        if let Ok(at) = loops.binary_search(&spent.the_loop) {
                            row[at] = of(thread, spent) as f64;
                        }
                    }
                    row
                })
                .collect()
        };
        let inside = table(&|thread, spent| spent.inside + late(thread, spent.the_loop));
        let (time, busy) = (even(&inside), even(&table(&|_, spent| spent.busy)));
        let work = even(&table(&|_, spent| spent.work));
        for (at, portion) in portions.iter_mut().enumerate() {
            let (whole, average) = (time[at].0 + time[at].1, work[at].0);
            let short = self.short(portion.the_loop, work[at].1, busy[at].1);
            let late = || self.threads().map(|thread| late(thread, portion.the_loop));
            portion.times = Times {
                time: whole,
                average,
                busiest: (average + short).min(whole).max(average),
                longest: (busy[at].0 + busy[at].1).min(whole),
                behind: busy[at].1,
                late: late().max().unwrap_or(0),
                code_before: 0,
                late_in_all: late().fold(0, u64::saturating_add),
                waited_within: time[at].1 * inside.len() as f64,
            };
        }
        let latest = self.threads().filter_map(first).max();
        if let Some(portion) = latest.and_then(|(_, of)| portions.iter_mut().find(|portion| portion.the_loop == of)) {
            portion.times.code_before = self.code_before();
        }
        self.start(&mut portions);
        self.waits(&inside, &mut portions);
        portions
    }

    /// Nobody goes on before all have come. A thread that has nothing to do next learns later that it may go on.
    fn released(&self) -> Option<u64> {
        self.leaves.iter().filter_map(|leave| leave.left).min()
    }

    /// What it took to begin the region belongs to the loop that comes first in it.
    fn start(&self, all: &mut [Portion]) {
        let forked = self.leaves.iter().find_map(|leave| leave.forked);
        let first = first(&self.spent).map(|(_, the_loop)| the_loop);
        let last = self.leaves.iter().filter_map(|leave| leave.since).max();
        let (Some(forked), Some(last), Some(first)) = (forked, last, first) else { return };
        let portion = all.iter_mut().find(|portion| portion.the_loop == first);
        if let Some(portion) = portion.filter(|_| self.is_over()) {
            portion.start = Some(last.saturating_sub(forked));
        }
    }

    fn waits(&self, inside: &[Vec<f64>], portions: &mut Vec<Portion>) {
        let released = self.released();
        let threads: Vec<u32> = self.threads().map(|threads| threads[0].thread).collect();
        let fullest = fullest(inside);
        for leave in &self.leaves {
            let Some(wait) = released.and_then(|released| leave.wait(released)) else { continue };
            if let Some(the_loop) = leave.after.filter(|_| leave.executions == 1) {
                portion(portions, the_loop).waits.push((leave.thread, wait));
                continue;
            }
            let row = threads.binary_search(&leave.thread).ok();
            let Some((row, fullest)) = row.zip(fullest) else { continue };
            let short = short(&inside[fullest], &inside[row]);
            let all: f64 = short.iter().sum();
            let sum = |row: usize| inside[row].iter().sum::<f64>();
            // What no loop explains has another cause.
            let booked = (sum(fullest) - sum(row)).min(wait as f64);
            for (portion, short) in portions.iter_mut().zip(&short) {
                if *short > 0.0 {
                    portion.waits.push((leave.thread, (booked * short / all) as u64));
                }
            }
        }
    }
}

/// Where a thread was first, or all of them: when, and in which loop.
fn first(spent: &[Spent]) -> Option<(u64, u32)> {
    spent.iter().map(|spent| (spent.begin, spent.the_loop)).min()
}

fn portion(all: &mut Vec<Portion>, the_loop: u32) -> &mut Portion {
    let at = all.iter().position(|portion| portion.the_loop == the_loop);
    let at = at.unwrap_or_else(|| {
        all.push(Portion { the_loop, ..Portion::default() });
        all.len() - 1
    });
    &mut all[at]
}

pub(crate) fn fullest(rows: &[Vec<f64>]) -> Option<usize> {
    let sum = |row: &Vec<f64>| row.iter().sum::<f64>();
    (0..rows.len()).max_by(|one, other| sum(&rows[*one]).total_cmp(&sum(&rows[*other])))
}

pub(crate) fn short(than: &[f64], row: &[f64]) -> Vec<f64> {
    than.iter().zip(row).map(|(most, row)| (most - row).max(0.0)).collect()
}

/// For each column its mean, and its share of what the rows are short of the fullest one: together they add up to that.
pub(crate) fn even(rows: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let Some(fullest) = fullest(rows).map(|at| &rows[at]) else { return Vec::new() };
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
mod tests;
