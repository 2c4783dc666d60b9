//! Loops of known costs, simulated region by region.

use super::super::costs::{Costs, WHOLE, iterations_before};
use super::*;

use ompchunk_abi::overrides::{Dealt, Schedule};

/// A loop of a program: what its iterations cost in nanoseconds, by region.
type Cost<'a> = &'a dyn Fn(u64, u64) -> f64;

const ITERATIONS: u64 = 1000;
const TEAM: u32 = 4;
/// What one chunk costs that the runtime deals.
const DEALING: f64 = 200.0;

const ALL: Can = Can { balance: true, deal: true, chunks: true, whole: 1 };
const NO_BLOCKS: Can = Can { balance: false, ..ALL };
/// A group's loops.
const NOT_DEALT: Can = Can { deal: false, ..ALL };

struct Simulated {
    trial: Trial,
    costs: Costs,
    plan: Plan,
    /// Region by region: how it ran, and what its busiest thread took.
    ran: Vec<(Mode, f64)>,
}

impl Simulated {
    fn run(can: Can, regions: u64, cost: Cost<'_>) -> Simulated {
        let mut run = Simulated {
            trial: Trial::new(can),
            costs: Costs::even(),
            plan: Plan::from_mode(Mode::Source),
            ran: Vec::new(),
        };
        let mut pause = 0;
        for region in 0..regions {
            let ticks = run.ticks(&|iteration| cost(region, iteration));
            let busiest = ticks.iter().max().copied().unwrap();
            run.ran.push((run.plan.mode, busiest as f64));
            if pause > 0 {
                pause -= 1;
                continue;
            }
            let mut times = Times::new(&ticks);
            times.iterations = ITERATIONS;
            run.plan = run.trial.next(&Found::Times(times));
            pause = run.plan.pause;
            let after = run.costs.after(&ticks).unwrap();
            match run.plan.correction {
                Correction::None => {}
                Correction::Whole => run.costs = after,
                Correction::HalfWay => run.costs = run.costs.half_way(&after),
            }
        }
        run
    }

    fn ticks(&self, cost: &dyn Fn(u64) -> f64) -> Vec<u64> {
        let sum = |begin, end| (begin..end).map(cost).sum::<f64>();
        let share = |thread| match self.plan.mode {
            Mode::Balanced => self.costs.share(thread, TEAM),
            Mode::Source | Mode::Dealt(..) | Mode::StaticChunked(_) => WHOLE / u64::from(TEAM) * u64::from(thread),
        };
        let end = |thread| iterations_before(share(thread), ITERATIONS);
        if let Mode::Dealt(_, chunk) = self.plan.mode {
            let chunks = ITERATIONS as f64 / f64::from(chunk) / f64::from(TEAM);
            let of_thread = sum(0, ITERATIONS) / f64::from(TEAM) + chunks * DEALING;
            return vec![of_thread as u64; TEAM as usize];
        }
        let chunks_of = |thread: u32, chunk: u32| {
            let is_its = |iteration: &u64| iteration / u64::from(chunk) % u64::from(TEAM) == u64::from(thread);
            (0..ITERATIONS).filter(is_its).map(cost).sum::<f64>()
        };
        (0..TEAM)
            .map(|thread| match self.plan.mode {
                Mode::StaticChunked(chunk) => chunks_of(thread, chunk) as u64,
                _ => sum(end(thread), end(thread + 1)) as u64,
            })
            .collect()
    }

    fn time(&self) -> f64 {
        self.ran.iter().map(|(_, time)| time).sum()
    }

    fn last(&self) -> Mode {
        self.ran.last().unwrap().0
    }
}

/// What it would take as compiled.
fn as_compiled(regions: u64, cost: Cost<'_>) -> f64 {
    let part = ITERATIONS / u64::from(TEAM);
    let of = |region: u64, thread: u64| {
        (thread * part..(thread + 1) * part).map(|iteration| cost(region, iteration)).sum::<f64>()
    };
    (0..regions).map(|region| (0..TEAM.into()).map(|thread| of(region, thread)).fold(0.0, f64::max)).sum()
}

/// From 0 to 1, alike in each run.
fn random(region: u64, iteration: u64) -> f64 {
    let mixed = (region << 32 ^ iteration).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

#[test]
fn an_even_loop_runs_as_compiled_and_is_hardly_timed() {
    let cost = |_, _| 1000.0;
    let run = Simulated::run(ALL, 2000, &cost);
    assert!(run.ran.iter().all(|(mode, _)| *mode == Mode::Source));
    assert_eq!(run.trial.outcome.unwrap().regions, 3);
    assert_eq!(run.time(), as_compiled(2000, &cost));
}

#[test]
fn a_triangle_is_balanced_within_few_regions() {
    let cost = |_, iteration| 2.0 * iteration as f64;
    let run = Simulated::run(ALL, 200, &cost);
    assert_eq!(run.last(), Mode::Balanced);
    let outcome = run.trial.outcome.unwrap();
    assert!(outcome.regions <= 12, "{}", outcome.regions);
    let (low, high) = outcome.interval.unwrap();
    assert!(low > 0.5 && high < 0.65, "{low} {high}");
    // The best there is takes 4/7.
    let part = run.time() / as_compiled(200, &cost);
    assert!(part < 0.60, "{part}");
}

#[test]
fn what_no_block_can_balance_is_dealt() {
    // Each time a few other iterations take long.
    let cost = |region, iteration: u64| match random(region, iteration) < 0.02 {
        true => 400_000.0,
        false => 500.0,
    };
    let run = Simulated::run(ALL, 400, &cost);
    assert!(matches!(run.last(), Mode::Dealt(..)), "{:?}", run.last());
    let part = run.time() / as_compiled(400, &cost);
    assert!(part < 0.90, "{part}");
    assert!(run.trial.outcome.unwrap().decisions <= 2);
}

#[test]
fn a_group_is_never_dealt() {
    let cost = |region, iteration: u64| match random(region, iteration) < 0.02 {
        true => 400_000.0,
        false => 500.0,
    };
    for can in [NOT_DEALT, Can { balance: false, ..NOT_DEALT }] {
        let run = Simulated::run(can, 400, &cost);
        let is_dealt = |(mode, _): &(Mode, f64)| matches!(mode, Mode::Dealt(..));
        assert!(!run.ran.iter().any(is_dealt));
        assert!(run.ran.iter().any(|(mode, _)| matches!(mode, Mode::StaticChunked(_))));
    }
    let dealt = Mode::from_schedule(Schedule::dealt(Dealt::Guided, 3)).unwrap();
    assert_eq!(Trial::after_a_run(dealt, ALL).mode(), dealt);
    assert_eq!(Trial::after_a_run(dealt, NOT_DEALT).mode(), Mode::Source);
}

#[test]
fn random_costs_get_chunks_soon_and_keep_them() {
    // Each time other stretches of 16 iterations are dear, so all that an execution takes differs from the next by a sixth.
    for start in 0..10 {
        let cost = |region: u64, iteration: u64| match random(region + start * 10_000, iteration / 16) < 0.2 {
            true => 4000.0,
            false => 400.0,
        };
        let run = Simulated::run(ALL, 1000, &cost);
        let as_decided = |(mode, _): &&(Mode, f64)| matches!(mode, Mode::StaticChunked(_) | Mode::Dealt(..));
        let regions = run.ran.iter().filter(as_decided).count();
        assert!(regions > 800, "{start}: {regions}");
        let part = run.time() / as_compiled(1000, &cost);
        assert!(part < 0.84, "{start}: {part}");
    }
}

/// What a loop that is dealt in the source, iterations of so many nanoseconds one by one, takes under a way, if a chunk costs so much.
fn dealt_times(mode: Mode, iteration: f64, dealing: f64) -> Times {
    let chunk = match mode {
        Mode::Dealt(_, chunk) => chunk,
        Mode::StaticChunked(_) => ITERATIONS as u32,
        Mode::Source | Mode::Balanced => 1,
    };
    let chunks = ITERATIONS / u64::from(chunk);
    let of_thread = (ITERATIONS as f64 * iteration + chunks as f64 * dealing) / f64::from(TEAM);
    let mut times = Times::new(&[of_thread as u64; TEAM as usize]);
    (times.iterations, times.chunks) = (ITERATIONS, chunks);
    times
}

#[test]
fn a_loop_that_is_dealt_too_short_chunks_is_dealt_others_or_none() {
    let run = |iteration, dealing| {
        let mut trial = Trial::new(NO_BLOCKS);
        let mut mode = Mode::Source;
        let mut regions = 0;
        while trial.outcome.is_none() {
            let times = dealt_times(mode, iteration, dealing);
            mode = trial.next(&Found::Times(times)).mode;
            regions += 1;
        }
        (mode, regions)
    };
    // Dealing one costs as much as running one.
    let (mode, regions) = run(200.0, 200.0);
    assert!(matches!(mode, Mode::StaticChunked(_)), "{mode:?}");
    assert!(regions <= 12, "{regions}");
    // It costs nothing: that is found soon. Or chunks are long enough, and nothing is tried.
    assert_eq!(run(200.0, 0.0), (Mode::Source, 11));
    assert_eq!(run(30_000.0, 200.0), (Mode::Source, 3));
}

#[test]
fn chunks_that_hold_all_that_is_dear_become_shorter() {
    // Four iterations that follow each other are as dear as all others, elsewhere each time.
    let cost = |region: u64, iteration: u64| match iteration / 4 == 150 + 6 * (region % 8) {
        true => 250_000.0,
        false => 1000.0,
    };
    let run = Simulated::run(ALL, 200, &cost);
    assert_eq!(run.last(), Mode::StaticChunked(1));
    let outcome = run.trial.outcome.unwrap();
    assert!(outcome.regions <= 20, "{}", outcome.regions);
    assert_eq!(outcome.tried[2], Some(Mode::StaticChunked(1)));
}

#[test]
fn chunks_are_tried_where_blocks_only_seemed_even() {
    // Blocks of a triangle are even while they are learned; then other parts are dear each time.
    let cost = |region: u64, iteration: u64| match (iteration + region * 340) % ITERATIONS < 150 {
        _ if region < 5 => 2.0 * iteration as f64,
        true => 4000.0,
        false => 400.0,
    };
    let run = Simulated::run(ALL, 60, &cost);
    let is_chunked = matches!(run.last(), Mode::StaticChunked(_) | Mode::Dealt(..));
    assert!(is_chunked, "{:?}", run.last());
    let outcome = run.trial.outcome.unwrap();
    assert_eq!(outcome.tried[0], Some(Mode::Balanced));
    assert_eq!(outcome.decisions, 1);
}

#[test]
fn what_chunks_mix_is_not_dealt_where_dealing_is_dear() {
    // Everywhere else a part is dear each time, so no block stays right; iterations are so short that chunks for dealing are large.
    let cost = |region: u64, iteration: u64| match (iteration + region * 340) % ITERATIONS < 150 {
        true => 400.0,
        false => 40.0,
    };
    let run = Simulated::run(ALL, 400, &cost);
    assert!(matches!(run.last(), Mode::StaticChunked(1..=4)), "{:?}", run.last());
    let outcome = run.trial.outcome.unwrap();
    assert!(outcome.regions <= 32, "{}", outcome.regions);
    assert!(outcome.tried.contains(&Some(run.last())));
}

#[test]
fn the_first_region_of_a_learned_way_does_not_count() {
    let mut trial = Trial::after_a_run(Mode::Balanced, ALL);
    let times = |ticks: &[u64]| Found::Times(Times::new(ticks));
    let cold = trial.next(&times(&[10_000, 900_000]));
    assert_eq!(cold, Plan::BALANCED);
    let even = trial.next(&times(&[10_000, 10_000]));
    assert_eq!((even.mode, even.pause), (Mode::Balanced, PAUSES.0));
    // Where such blocks cannot be had, what was learned says nothing.
    assert_eq!(Trial::after_a_run(Mode::Balanced, NO_BLOCKS).mode(), Mode::Source);
}

#[test]
fn where_blocks_cannot_be_had_the_loop_gets_chunks() {
    let cost = |_, iteration| 100.0 * iteration as f64;
    let run = Simulated::run(NO_BLOCKS, 100, &cost);
    assert!(matches!(run.last(), Mode::Dealt(..) | Mode::StaticChunked(_)));
    // Iterations of a nanosecond: a chunk that is worth dealing is half of the loop.
    let short = |_, iteration| 0.02 * iteration as f64;
    let run = Simulated::run(NO_BLOCKS, 100, &short);
    assert_eq!(run.last(), Mode::StaticChunked(3));
    let outcome = run.trial.outcome.unwrap();
    assert_eq!(outcome.tried, [None, None, Some(run.last())]);
}

#[test]
fn costs_that_move_are_followed() {
    // A front that goes through the loop.
    let cost = |region: u64, iteration: u64| {
        let front = region * 2 % ITERATIONS;
        if iteration.abs_diff(front) < 100 { 20_000.0 } else { 1000.0 }
    };
    let run = Simulated::run(ALL, 500, &cost);
    let part = run.time() / as_compiled(500, &cost);
    assert!(part < 0.70, "{part}");
}

#[test]
fn costs_that_change_again_and_again_are_looked_at_as_often() {
    // A triangle that turns round every 50 regions.
    let cost = |region: u64, iteration: u64| match region / 50 % 2 {
        0 => 20.0 * iteration as f64,
        _ => 20.0 * (ITERATIONS - iteration) as f64,
    };
    let run = Simulated::run(ALL, 3000, &cost);
    let part = run.time() / as_compiled(3000, &cost);
    // The best there is takes 4/7.
    assert!(part < 0.60, "{part}");
}

#[test]
fn a_loop_that_changes_is_tried_anew() {
    let turned = |region: u64, iteration: u64| match region < 300 {
        true => 1000.0,
        false => 2.0 * iteration as f64,
    };
    let run = Simulated::run(ALL, 600, &turned);
    assert_eq!(run.last(), Mode::Balanced);
    let changed = (300..600).find(|region| run.ran[*region].0 == Mode::Balanced);
    assert!(changed.unwrap() < 300 + 70, "{changed:?}");
    // And the other way round.
    let evened = |region: u64, iteration: u64| turned(899 - region, iteration);
    let run = Simulated::run(ALL, 900, &evened);
    let last: f64 = run.ran[850..].iter().map(|(_, time)| time).sum();
    assert!(last < 50.0 * 250_000.0 * 1.03, "{last}");
}

#[test]
fn what_tells_nothing_decides_nothing_and_what_is_short_stays() {
    let mut trial = Trial::new(ALL);
    for _ in 0..10 {
        assert_eq!(trial.next(&Found::Nothing), Plan::from_mode(Mode::Source));
    }
    assert!(trial.outcome.is_none());
    let plan = trial.next(&Found::TooShort);
    assert_eq!((plan.mode, plan.pause), (Mode::Source, PAUSES.0));
}

#[test]
fn no_way_cuts_chunks_of_the_source() {
    let cost = |region, iteration: u64| match random(region, iteration) < 0.02 {
        true => 400_000.0,
        false => 500.0,
    };
    for whole in [7, 20, 300] {
        let can = Can { whole, ..NO_BLOCKS };
        let run = Simulated::run(can, 400, &cost);
        let ways = run.ran.iter().map(|(mode, _)| *mode);
        assert!(ways.clone().all(|mode| mode.keeping(whole) == mode));
        let is_tried = |wanted: fn(&Mode) -> bool| ways.clone().any(|mode| wanted(&mode));
        let has_room = whole < 300;
        assert_eq!(is_tried(|mode| matches!(mode, Mode::Dealt(..))), has_room);
        assert_eq!(is_tried(|mode| matches!(mode, Mode::StaticChunked(_))), has_room);
        // What another run decided, or wrote a file by hand.
        for (written, kept) in [("guided,3", "dynamic"), ("static,7", "static"), ("dynamic,299", "dynamic")] {
            let mode = Mode::from_schedule(Schedule::parse(written).unwrap()).unwrap();
            let chunk: u32 = written.split_once(',').unwrap().1.parse().unwrap();
            let schedule = Trial::after_a_run(mode, can).mode().schedule().unwrap();
            let text = schedule.to_string();
            let chunk = chunk.next_multiple_of(whole);
            assert!(text.ends_with(&format!("{kept},{chunk}")), "{written}: {text}");
        }
    }
    let longest = Mode::StaticChunked(65_536);
    assert_eq!(longest.keeping(65_537), Mode::Source);
}
