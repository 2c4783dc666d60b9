//! Whether another schedule would deal a loop out better: at most one hint.

use super::facts::{ACCEPTABLE, Facts, WORTHWHILE, new_note, time};
use crate::metrics::balance;
use crate::model::{LoopReport, Note, ThreadReport, WorstChunk};
use crate::process::by_thread;

/// Iterations that are dealt evenly.
const EVEN: f64 = 0.95;
/// A thread that takes so many times as long as every other one for an iteration is slow.
const SLOW: f64 = 1.3;
/// Dispatching costs little of a chunk that takes so long.
const DISPATCHED: f64 = 10e-6;
/// Fewer chunks for each thread share nothing more evenly.
const FEW: f64 = 4.0;
/// So many chunks for each thread are spread over the whole loop.
const SPREAD: f64 = 8.0;

pub(super) fn hint(loop_report: &LoopReport, facts: &Facts) -> Option<Note> {
    let metrics = &loop_report.metrics;
    let balanced = metrics.load_balance.or(loop_report.total_load_balance)?;
    // Where a thread comes late, the others have run all chunks: what looks like balance is not the schedule's.
    // Beside other work: of what a run would take if the machine were the loop's.
    let of = if facts.is_disturbed() { metrics.seconds.min(facts.busiest / facts.processes) } else { metrics.seconds };
    let worthwhile = loop_report.executions == 0 || metrics.imbalance_seconds >= WORTHWHILE * of;
    if !loop_report.chunks_complete || !worthwhile || loop_report.threads.len() < 2 {
        return None;
    }
    let dealt = Dealt::from_report(loop_report, facts);
    if balanced >= ACCEPTABLE {
        return dealt.large_chunks();
    }
    // Where threads take what comes next, it is another one each time that ends last.
    if let Some(found) = dealt.large_chunks() {
        return Some(found);
    }
    // With few of them it may be another thread each time that runs one more.
    if let Some(found) = dealt.few_iterations() {
        return Some(found);
    }
    let together =
        loop_report.total_load_balance.filter(|together| *together >= ACCEPTABLE && loop_report.executions > 1);
    if let Some(together) = together {
        // Which other work that is has been said.
        if facts.is_disturbed() {
            return None;
        }
        let why = match dealt.knows_cores() && dealt.is_static {
            // Their times are without what was taken from them.
            true => {
                let cure = dealt.cure("schedule(dynamic) follows costs that change");
                format!(
                    "its threads were on their cores, so iterations cost more in some runs than in others, or data move; {cure}"
                )
            }
            false => {
                "the cause is probably other work on the machine, or data that move, and not the schedule".to_owned()
            }
        };
        return new_note(
            "changing-threads",
            format!(
                "each run waits for a slow thread, but not always the same one (balance {:.0} %, over all runs \
                 together {:.0} %): {why}",
                balanced * 100.0,
                together * 100.0
            ),
        );
    }
    if facts.uneven * 2 < loop_report.executions {
        return some_runs(loop_report, facts.uneven, facts.is_disturbed());
    }
    if let Some(longest) = dealt.long_chunk() {
        return dealt.about_long_chunk(longest);
    }
    dealt.slow_thread().or_else(|| dealt.uneven_cost()).or_else(|| dealt.few_chunks()).or_else(|| dealt.uneven_count())
}

fn some_runs(loop_report: &LoopReport, uneven: u64, disturbed: bool) -> Option<Note> {
    // The first run has a hint of its own, and so have threads that lose their cores.
    if uneven < 2 || disturbed {
        return None;
    }
    new_note(
        "some-runs",
        format!(
            "{uneven} of {} runs are uneven, the others are not: the cause is probably something that happens now and then, and not \
             the schedule",
            loop_report.executions
        ),
    )
}

struct Dealt<'a> {
    loop_report: &'a LoopReport,
    is_static: bool,
    is_guided: bool,
    team: f64,
    chunks: f64,
    /// Each chunk is an iteration: there is none smaller.
    single: bool,
    /// What each thread would work in an execution if all worked the same.
    fair: f64,
    work: Vec<f64>,
    runs: f64,
    processes: f64,
    /// Iterations of the average thread to those of the busiest, in the least even rank.
    counts: Option<f64>,
}

impl<'a> Dealt<'a> {
    fn from_report(loop_report: &'a LoopReport, facts: &Facts) -> Dealt<'a> {
        let work = by_thread(&loop_report.threads, ThreadReport::work_seconds);
        let schedule = loop_report.identity.schedule.as_deref();
        let team = f64::from(loop_report.team_size.map_or(work.len() as u32, |team_size| team_size[1]).max(1));
        // Counted ones are the average thread's.
        let runs =
            (loop_report.executions + loop_report.incomplete_executions + loop_report.counted_executions).max(1) as f64;
        let ranks = loop_report.threads.chunk_by(|one, other| one.part == other.part);
        let counts = ranks.filter_map(|rank| balance(rank.iter().map(|rank| rank.iterations as f64)));
        Dealt {
            is_guided: schedule.is_some_and(|schedule| schedule.contains("guided")),
            is_static: schedule.is_some_and(|schedule| schedule.contains("static")),
            team,
            chunks: loop_report.chunks as f64 / runs,
            single: loop_report.iterations == loop_report.chunks,
            fair: work.iter().sum::<f64>() / team / runs,
            work,
            runs,
            processes: facts.processes,
            counts: counts.reduce(f64::min),
            loop_report,
        }
    }

    /// Time off a core is known, so times of work are without it.
    fn knows_cores(&self) -> bool {
        self.loop_report.off_core.is_some()
    }

    fn or_busy(&self) -> &'static str {
        if self.knows_cores() { "" } else { " or busy with something else" }
    }

    fn cure(&self, usual: &str) -> String {
        self.loop_report.promise.cure(self.loop_report.identity.line, usual)
    }

    fn few_iterations(&self) -> Option<Note> {
        let most = self.loop_report.trip_count.map(|[_, high]| high)?;
        let team = self.team;
        if most as f64 >= 2.0 * team || !self.single && !self.is_as_even_as_can_be() {
            return None;
        }
        let helps = "no schedule helps, only more iterations (collapse(2), where the nest allows it) or dividing the work within one";
        let core = format!("or a core is slower{}", self.or_busy());
        let text = match most {
            1 => format!("1 iteration for {team} threads: {helps}; an if clause saves starting the team"),
            most if most as f64 <= team => {
                format!("{most} iterations for {team} threads: they differ in cost, {core}; {helps}")
            }
            most => format!(
                "{most} iterations for {team} threads cannot be shared evenly, {core}: if each costs the same, {helps}"
            ),
        };
        new_note("few-iterations", text)
    }

    /// No thread runs more iterations than one has to, whatever the schedule.
    fn is_as_even_as_can_be(&self) -> bool {
        let Some([least, most]) = self.loop_report.trip_count.filter(|trip_count| trip_count[0] > 0) else {
            return false;
        };
        let share = (most as f64 / self.team).ceil();
        let busiest = self.loop_report.threads.iter().map(|thread| thread.iterations).max();
        least == most && busiest.unwrap_or(0) as f64 <= share * self.runs
    }

    /// A chunk that takes longer than all the work that each thread should have.
    fn long_chunk(&self) -> Option<&WorstChunk> {
        let all = self.loop_report.worst_chunks.iter();
        let longest = all.max_by(|one, other| {
            let (one, other) = (one.work_seconds(), other.work_seconds());
            one.total_cmp(&other)
        })?;
        let is_long = longest.work_seconds() > self.fair && self.chunks >= 2.0 * self.team;
        is_long.then_some(longest)
    }

    /// `None`: nothing is known of it.
    fn about_long_chunk(&self, longest: &WorstChunk) -> Option<Note> {
        let [first, last] = longest.logical;
        let longer = |worst_chunk: &&WorstChunk| worst_chunk.work_seconds() > self.fair;
        let long = self.loop_report.worst_chunks.iter().filter(longer);
        let again = long.filter(|long| long.logical == longest.logical).count();
        let what = if first == last {
            format!("iteration {first} takes {}", time(longest.work_seconds()))
        } else {
            format!("iterations {first} to {last} take {}", time(longest.work_seconds()))
        };
        let fair = format!(
            "more than the {} that each of {} threads would work if all worked the same",
            time(self.fair),
            self.team
        );
        let cure = match first == last {
            true => self.bounded_by(longest.work_seconds()),
            false if self.is_guided => self.cure("schedule(dynamic) with smaller chunks divides them"),
            false => self.cure("a smaller chunk divides them"),
        };
        if again > 1 {
            return new_note("long-chunk", format!("{what} (it is long in other runs, too), {fair}: {cure}"));
        }
        // In one run of many, others show that it is not the iterations.
        if self.loop_report.executions > 1 {
            return None;
        }
        let otherwise = if self.knows_cores() {
            "something else held it up, on its core"
        } else {
            "its thread was taken off its core"
        };
        new_note("long-chunk", format!("{what}, {fair}: if it is the same in another run, {cure}; if not, {otherwise}"))
    }

    /// What is left to win where an iteration takes so long.
    fn bounded_by(&self, longest: f64) -> String {
        let metrics = &self.loop_report.metrics;
        let run = metrics.seconds * self.processes / self.loop_report.executions.max(1) as f64;
        let rest = run - longest;
        let divide = "only dividing the work within it makes it shorter";
        if self.loop_report.executions == 0 || rest < WORTHWHILE * run {
            return format!("no run is shorter than that iteration, and {divide}");
        }
        format!(
            "no run is shorter than that iteration, and {divide}; a run takes {}, and for the other {}, {}",
            time(run),
            time(rest),
            self.cure(
                "a schedule that begins that iteration earlier, or gives its thread less other work, saves part of it"
            )
        )
    }

    /// Dealt on demand, threads end at most a chunk apart.
    fn large_chunks(&self) -> Option<Note> {
        let all = self.loop_report.chunk_seconds.as_ref()?;
        let metrics = &self.loop_report.metrics;
        let iterations = self.loop_report.iterations as f64 / self.loop_report.chunks.max(1) as f64;
        let apart = metrics.imbalance_seconds * self.processes / self.loop_report.executions.max(1) as f64;
        // Not by one chunk that is much longer than others.
        let is_cause = apart <= all.p95.min(2.0 * all.median) && all.median >= WORTHWHILE * self.fair;
        if self.is_static || iterations <= 1.0 || self.loop_report.executions == 0 || !is_cause {
            return None;
        }
        // Of fewer chunks than threads some threads get none.
        if self.chunks < self.team {
            return self.few_chunks();
        }
        new_note(
            "large-chunks",
            format!(
                "half of the chunks take {} or more ({iterations:.0} iterations on average), and a thread works {} in a run: \
                 threads end up to a chunk apart, which costs {} of each run; with a smaller chunk they end \
                 closer together",
                time(all.median),
                time(self.fair),
                time(apart)
            ),
        )
    }

    /// Chunks dealt in turn are spread over the loop: a thread for which they all take longer is slow itself.
    fn slow_thread(&self) -> Option<Note> {
        if !self.is_static || self.chunks < SPREAD * self.team || !self.is_even() {
            return None;
        }
        let cost = |thread_report: &ThreadReport| thread_report.work_seconds() / thread_report.iterations.max(1) as f64;
        let mut threads: Vec<&ThreadReport> = self.loop_report.threads.iter().collect();
        threads.sort_by(|one, other| cost(other).total_cmp(&cost(one)));
        let [slowest, next, ..] = threads[..] else { return None };
        if cost(slowest) < SLOW * cost(next) || slowest.part != next.part {
            return None;
        }
        new_note(
            "slow-thread",
            format!(
                "thread {} takes {} for an iteration, and every other thread {} or less, although chunks are dealt in turn: the \
                 cause may be a slow or shared core, memory that is far away, or iterations whose cost repeats with the team; {}",
                slowest.thread,
                time(cost(slowest)),
                time(cost(next)),
                self.cure("schedule(dynamic) gives that thread less")
            ),
        )
    }

    fn is_even(&self) -> bool {
        self.counts.is_some_and(|counts| counts >= EVEN)
    }

    fn uneven_cost(&self) -> Option<Note> {
        if !self.is_static || !self.is_even() {
            return None;
        }
        let busy = self.work.iter().copied();
        let (least, most) = (busy.clone().fold(f64::INFINITY, f64::min), busy.fold(0.0, f64::max));
        let cure = self.finer();
        new_note(
            "uneven-cost",
            format!(
                "threads get the same number of iterations and work {} to {}: iterations differ in cost, or a core is \
                 slower than others{}; {cure}",
                time(least),
                time(most),
                self.or_busy()
            ),
        )
    }

    /// What shares iterations of unlike cost more evenly, where dispatching costs less than it saves.
    fn finer(&self) -> String {
        let each = self.work.iter().sum::<f64>() / self.loop_report.iterations.max(1) as f64;
        let share = self.loop_report.iterations as f64 / self.runs / self.team;
        // A power of two; without any work it is infinite.
        let chunk = (DISPATCHED / each).max(1.0).log2().ceil().exp2();
        if chunk > (share / FEW).max(1.0) {
            let work = time(each * share);
            return format!(
                "a thread's {work} in a run are too little for smaller chunks, which cost more to dispatch"
            );
        }
        let dynamic = if chunk > 1.0 { format!("schedule(dynamic,{chunk})") } else { "schedule(dynamic)".to_owned() };
        self.cure(&match self.single {
            true => "schedule(dynamic) helps against both".to_owned(),
            false => format!("a smaller chunk helps against the first, {dynamic} against both"),
        })
    }

    fn few_chunks(&self) -> Option<Note> {
        let (chunks, team) = (self.chunks, self.team);
        if self.single || chunks >= 2.0 * team {
            return None;
        }
        new_note("few-chunks", format!("{chunks:.1} chunks for {team} threads: {}", self.smaller()))
    }

    fn uneven_count(&self) -> Option<Note> {
        let counts = self.counts.filter(|counts| self.is_static && !self.single && *counts < EVEN)?;
        new_note(
            "uneven-count",
            format!(
                "threads get different numbers of iterations (the average thread {:.0} % of the most): {}",
                counts * 100.0,
                self.smaller()
            ),
        )
    }

    fn smaller(&self) -> String {
        match self.is_as_even_as_can_be() {
            true => "their number cannot be shared more evenly; if they differ in cost, another schedule may help"
                .to_owned(),
            false => self.cure("a smaller chunk shares them more evenly"),
        }
    }
}
