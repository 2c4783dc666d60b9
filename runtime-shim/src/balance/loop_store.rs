//! What is kept of a loop in the regions within one of one thread. It is never given back.

use core::alloc::Layout;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::alloc;
use std::sync::Mutex;

use ompchunk_abi::overrides::{Dealt, Learned};
use ompchunk_abi::{LOOP_STOCK, LoopRecord};
use ompchunk_guest::floats::Floats;
use ompchunk_guest::memory;

use crate::balance::correction::Steady;
use crate::balance::costs::{Costs, PIECES, Pieces, cost_before, parts_for, share};
use crate::balance::learned_file::{self, Entry};
use crate::balance::part_times::{Found, Times, Watch};
use crate::balance::plan::{Can, Correction, Mode, Plan, is_uneven_for_blocks};
use crate::balance::quiet_loops::Quiet;
use crate::balance::restless_blocks;
use crate::balance::trial::Trial;
use crate::overrides::group::{Key, place_of};
use crate::{overrides::group, overrides::override_messages, thread::numbers};

/// Threads of the largest team of which cuts are kept.
const CUT_TEAM: usize = 64;

/// A loop that runs, alone or as one of a group, of which something is kept.
pub(crate) struct Subject {
    pub(crate) record: &'static LoopRecord,
    pub(crate) key: Key,
    pub(crate) learned: Learned,
    pub(crate) can_balance: bool,
    /// Iterations of a chunk of the source; 1: there are none.
    pub(crate) whole: u32,
}

/// What is kept of a pair of a loop and a region around.
pub(crate) struct Kept {
    sums: [AtomicU64; PIECES + 1],
    /// Where the blocks of a team of so many end, as shares, so that its threads need not compute that; 0: of none.
    cut_team: AtomicU32,
    cuts: [AtomicU64; CUT_TEAM],
    mode: AtomicU64,
    pub(crate) watch: Watch,
    pub(crate) pieces: Pieces,
    /// Images met when the loop last ran.
    met: AtomicU32,
    /// The value of the last iteration is read, which the runtime says of the team's last thread.
    pub(crate) keeps_last: bool,
    can: Can,
    quiet: Option<Quiet<'static>>,
    /// Ended regions around when it is timed again.
    pub(super) due: AtomicU64,
    pub(super) next: AtomicPtr<Kept>,
    /// It was timed in this region, and so was another.
    pub(super) has_run: AtomicBool,
    pub(super) next_run: AtomicPtr<Kept>,
    pub(super) control: Mutex<Control>,
}

/// What decides of it, and its name for what is said at the end.
pub(super) struct Control {
    pub(super) name: String,
    /// What the next run knows it by.
    pub(super) key: Option<String>,
    pub(super) learner: Learner,
}

pub(super) enum Learner {
    Balanced(Steady),
    Adaptive(Box<Trial>),
}

impl Learner {
    fn next(&mut self, found: &Found) -> Plan {
        match self {
            Learner::Balanced(steady) => steady.next(found),
            Learner::Adaptive(trial) => trial.next(found),
        }
    }
}

impl Kept {
    const LAYOUT: Layout = Layout::new::<Kept>();

    /// Null: there is no memory. What was learned counts from the first region on, if it `may_begin_changed`, else from the second.
    pub(super) fn new(subject: &Subject, quiet: Option<Quiet<'static>>, may_begin_changed: bool) -> *mut Kept {
        if memory::is_short() {
            return ptr::null_mut();
        }
        let place = if subject.key.is_of_group() { group::place(subject.record) } else { place_of(subject.record) };
        let key = learned_file::key(subject.record, place);
        let entry = learned_file::entry_for(key.as_deref());
        Self::with_entry(subject, (override_messages::name(place), key), entry, quiet, may_begin_changed)
    }

    /// The same of a loop by its name and key, of which an earlier run knew that.
    fn with_entry(
        subject: &Subject,
        (name, key): (String, Option<String>),
        entry: Option<Entry>,
        quiet: Option<Quiet<'static>>,
        may_begin_changed: bool,
    ) -> *mut Kept {
        // SAFETY: it has a size.
        let new = unsafe { alloc::alloc_zeroed(Self::LAYOUT) }.cast::<Kept>();
        if new.is_null() {
            return new;
        }
        let is_stock = subject.record.flags & LOOP_STOCK != 0;
        let can = Can {
            balance: subject.can_balance,
            deal: !subject.key.is_of_group() && !is_stock,
            chunks: !is_stock,
            whole: subject.whole,
        };
        let (learner, mode) = match subject.learned {
            Learned::Balanced => (Learner::Balanced(Steady::default()), Mode::Balanced),
            Learned::Adaptive => {
                let learned = entry.as_ref().map(|entry| Trial::after_a_run(entry.mode, can));
                let trial = learned.unwrap_or_else(|| Trial::new(can));
                let mode = trial.mode();
                (Learner::Adaptive(Box::new(trial)), mode)
            }
        };
        let control = Control { name, key, learner };
        // SAFETY: memory of that layout that nobody else knows; all else of it are atomics, of which zeros are values.
        let kept = unsafe {
            (&raw mut (*new).control).write(Mutex::new(control));
            (&raw mut (*new).keeps_last).write(subject.key.keeps_last());
            (&raw mut (*new).can).write(can);
            &*new
        };
        kept.set_mode(mode);
        match restless_blocks::is_on() {
            true => kept.be_restless(subject.learned, 0),
            false => kept.replace(&entry.map_or_else(Costs::even, |entry| entry.costs)),
        }
        if subject.learned == Learned::Adaptive && !may_begin_changed {
            kept.set_mode(Mode::Source);
        }
        // Whatever else: only the end of a region that was timed leads on.
        kept.watch.set(true);
        // SAFETY: as above. Last, as another thread's may be kept instead: until then nothing is said by this one.
        unsafe { (&raw mut (*new).quiet).write(quiet) };
        new
    }

    /// Safety: [`Kept::new`] has made it, and nobody else knows it.
    pub(super) unsafe fn drop(kept: *mut Kept) {
        // SAFETY: the caller's promise.
        unsafe {
            ptr::drop_in_place(&raw mut (*kept).control);
            alloc::dealloc(kept.cast(), Self::LAYOUT);
        }
    }

    /// The loop is in use, as one that asks.
    #[inline]
    pub(super) fn stamp(&self) {
        let met = numbers::images_met() as u32;
        if self.met.load(Ordering::Relaxed) != met {
            self.met.store(met, Ordering::Relaxed);
        }
    }

    #[inline]
    pub(crate) fn mode(&self) -> Mode {
        unpacked(self.mode.load(Ordering::Acquire))
    }

    fn set_mode(&self, mode: Mode) {
        self.mode.store(packed(mode), Ordering::Release);
    }

    /// Where a thread's block begins and ends, as shares of the iterations.
    pub(crate) fn shares(&self, thread: u32, team: u32) -> [u64; 2] {
        let is_cut = self.cut_team.load(Ordering::Acquire) == team;
        let end = |threads: u32| {
            // What `share` gives.
            let cut = self.cuts.get((threads as usize).wrapping_sub(1));
            match cut.filter(|_| is_cut && threads <= team) {
                Some(cut) => cut.load(Ordering::Acquire),
                None => self.share(threads, team),
            }
        };
        [end(thread), end(thread + 1)]
    }

    fn share(&self, threads: u32, team: u32) -> u64 {
        share(|piece| self.sum(piece), threads, team)
    }

    fn sum(&self, pieces: usize) -> u64 {
        // Pairs with `replace`, though the runtime's begin of the region does as well.
        self.sums[pieces].load(Ordering::Acquire)
    }

    pub(crate) fn part_took(&self, part: [u64; 2], iterations: u64, took: u64) {
        let before = |share| cost_before(|piece| self.sum(piece), share);
        self.pieces.took(part, iterations, took, before);
    }

    /// Keeps where the blocks of such a team end. No thread is in the loop.
    fn cut(&self, team: u32) {
        if team as usize > CUT_TEAM {
            return;
        }
        for (threads, cut) in (1..=team).zip(&self.cuts) {
            cut.store(self.share(threads, team), Ordering::Release);
        }
        self.cut_team.store(team, Ordering::Release);
    }

    pub(super) fn costs(&self) -> Costs {
        Costs(self.sums.iter().map(|kept| kept.load(Ordering::Acquire)).collect())
    }

    /// No thread is in the loop.
    fn replace(&self, costs: &Costs) {
        self.cut_team.store(0, Ordering::Release);
        for (kept, sum) in self.sums.iter().zip(&costs.0) {
            kept.store(*sum, Ordering::Release);
        }
    }

    /// A region has ended in which it was timed, the so-manieth within the one around; no thread is in the loop.
    pub(super) fn region_ended(&self, ended: u64) {
        let _floats = Floats::keep();
        let found = self.watch.collect();
        let times = if let Found::Times(times) = &found { Some(times) } else { None };
        let measured = self.pieces.collect(times);
        // Nobody else holds it but one that prints what was decided.
        let Ok(mut control) = self.control.try_lock() else { return };
        if restless_blocks::is_on() {
            let is_adaptive = matches!(control.learner, Learner::Adaptive(_));
            return self.be_restless(if is_adaptive { Learned::Adaptive } else { Learned::Balanced }, ended);
        }
        let plan = control.learner.next(&found);
        drop(control);
        self.pieces.set_parts(times.map_or(0, |times| next_parts(&plan, times, &measured)));
        if let Some(times) = times {
            self.correct(plan.correction, &times.ticks, measured);
            self.cut(times.ticks.len() as u32);
        }
        self.set_mode(plan.mode);
        self.pause(plan, ended);
    }

    fn correct(&self, correction: Correction, ticks: &[u64], measured: Option<Costs>) {
        if correction == Correction::None {
            return;
        }
        if let (Correction::Whole, Some(costs)) = (correction, measured) {
            return self.replace(&costs);
        }
        let before = self.costs();
        let Some(after) = before.after(ticks) else { return };
        match correction {
            Correction::None => {}
            Correction::Whole => self.replace(&after),
            Correction::HalfWay => self.replace(&before.half_way(&after)),
        }
    }

    fn pause(&self, plan: Plan, ended: u64) {
        self.watch.set(plan.pause == 0);
        if plan.pause == 0 {
            return;
        }
        // Loops of a program come due together, so that all of them are looked through seldom.
        let due = ended.saturating_add(plan.pause);
        let step = plan.pause.min(8);
        self.due.store(due.div_ceil(step).saturating_mul(step), Ordering::Relaxed);
        if plan.mode == Mode::Source
            && let Some(quiet) = self.quiet
        {
            quiet.hush(self.met.load(Ordering::Relaxed));
        }
    }

    /// So many regions around have ended: is it timed again?
    pub(super) fn wake(&self, ended: u64) {
        if self.watch.is_on() || self.due.load(Ordering::Relaxed) > ended {
            return;
        }
        self.watch.set(true);
        if let Some(quiet) = self.quiet {
            quiet.open();
        }
    }

    /// For tests: any blocks and any mode.
    fn be_restless(&self, learned: Learned, ended: u64) {
        self.pieces.set_parts(restless_blocks::parts());
        self.replace(&restless_blocks::odd());
        self.cut(restless_blocks::team());
        let plan = if learned == Learned::Adaptive { restless_blocks::plan(self.can) } else { Plan::BALANCED };
        self.set_mode(plan.mode);
        self.pause(plan, ended);
    }
}

/// In how many parts blocks run in the next region. They are divided after a correction by the times of blocks, which were so uneven that
/// more than one may be needed; the next one is by the times of blocks again, which sees what dividing them changes.
fn next_parts(plan: &Plan, times: &Times, measured: &Option<Costs>) -> u32 {
    let is_guess = plan.correction == Correction::Whole && measured.is_none();
    if is_guess && plan.pause == 0 && is_uneven_for_blocks(times) { parts_for(times) } else { 0 }
}

const SOURCE: u64 = 0;
const BALANCED: u64 = 1;
const DYNAMIC: u64 = 2;
const GUIDED: u64 = 3;
const STATIC_CHUNKED: u64 = 4;

fn packed(mode: Mode) -> u64 {
    match mode {
        Mode::Source => SOURCE,
        Mode::Balanced => BALANCED,
        Mode::Dealt(Dealt::Guided, chunk) => GUIDED | u64::from(chunk) << 32,
        Mode::Dealt(Dealt::Dynamic, chunk) => DYNAMIC | u64::from(chunk) << 32,
        Mode::StaticChunked(chunk) => STATIC_CHUNKED | u64::from(chunk) << 32,
    }
}

fn unpacked(mode: u64) -> Mode {
    let chunk = (mode >> 32) as u32;
    match mode as u32 as u64 {
        SOURCE => Mode::Source,
        BALANCED => Mode::Balanced,
        GUIDED => Mode::Dealt(Dealt::Guided, chunk),
        STATIC_CHUNKED => Mode::StaticChunked(chunk),
        _ => Mode::Dealt(Dealt::Dynamic, chunk),
    }
}

#[cfg(test)]
mod tests {
    use ompchunk_abi::LOOP_DIVISIBLE;

    use super::*;
    use crate::balance::block_parts;
    use crate::balance::{Around, Seat};
    use crate::runtime::PlaceInTeam;

    #[test]
    fn a_mode_is_kept_in_a_word() {
        let deal = |kind| Mode::Dealt(kind, 7);
        let all =
            [Mode::Source, Mode::Balanced, deal(Dealt::Guided), deal(Dealt::Dynamic), Mode::StaticChunked(u32::MAX)];
        for mode in all {
            assert_eq!(unpacked(packed(mode)), mode);
        }
    }
    fn record() -> &'static mut LoopRecord {
        // SAFETY: a record of numbers, for which 0 is a value.
        Box::leak(Box::new(unsafe { core::mem::zeroed() }))
    }
    /// A loop that an earlier run found to gain by blocks.
    fn kept(may_begin_changed: bool) -> &'static Kept {
        let (record, learned) = (&*record(), Learned::Adaptive);
        let subject = Subject { record, key: Key::alone(record), learned, can_balance: true, whole: 1 };
        let entry = Entry { mode: Mode::Balanced, costs: Costs::even() };
        // SAFETY: made, and never freed.
        unsafe { &*Kept::with_entry(&subject, Default::default(), Some(entry), None, may_begin_changed) }
    }
    #[test]
    fn a_loop_that_another_region_knows_begins_as_compiled() {
        assert_eq!(kept(true).mode(), Mode::Balanced);
        assert_eq!(kept(false).mode(), Mode::Source);
    }
    #[test]
    fn blocks_run_in_parts_after_a_correction_by_their_own_times() {
        let plan = Plan::BALANCED.corrected(Correction::Whole);
        let times = Times::new(&[10_000, 90_000]);
        assert_eq!(next_parts(&plan, &times, &None), 10);
        assert_eq!(next_parts(&plan, &times, &Some(Costs::even())), 0);
    }
    #[test]
    fn blocks_run_in_parts_only_where_the_loop_may_be_divided() {
        let kept = kept(true);
        kept.pieces.set_parts(2);
        let (first, has_run) = (AtomicPtr::default(), AtomicPtr::default());
        let around = Box::leak(Box::new(Around { number: 1, first, has_run, due: AtomicU64::new(0) }));
        let seat = Seat { kept, around, place: PlaceInTeam { around: 0, thread: 0, team_size: 2 } };
        let record = record();
        assert!(!block_parts::may_be(record, &seat));
        record.flags = LOOP_DIVISIBLE;
        assert!(block_parts::may_be(record, &seat));
    }
}
