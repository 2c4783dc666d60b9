//! What is said of explicit tasks, of traces made by hand: each cause where the numbers allow it alone, and nothing where they allow another.

use crate::common::made_tasks::{Made, Run, run};
use crate::common::near;

fn hint(made: &[Made], team: u32, work: u64, span: Option<u64>) -> Option<&'static str> {
    run(made, team, work, span).hint.map(|hint| hint.code)
}

#[test]
fn small_deep_tasks_need_a_cutoff() {
    // A binary tree of 2^18 tasks.
    let depths: Vec<u64> = (1..18).map(|depth| 1 << depth).collect();
    let all: u64 = depths.iter().sum();
    let tree = |each| [Made::new(all, all, each, 1, &depths), Made::new(0, 0, 0, 0, &[])];
    // 0.6 s of work, and 1.4 s of two threads for the rest.
    let found = run(&tree(2), 2, 300_000, Some(1000)).hint.unwrap();
    assert_eq!(found.code, "cutoff");
    let expected = "create none deeper than 5, where there are 32 already";
    assert!(found.text.contains(expected), "{}", found.text);
    // All that tasks work themselves, 2 µs each, may be the creation of those and the recorder's.
    let deeper = (all - 62) as f64;
    near(found.lost_seconds, (1.4 * deeper / all as f64 + 2e-6 * all as f64) / 2.0);
    // Without 2 µs of the recorder's for each, and with pieces of a sixteenth of a thread's 0.3 s.
    near(found.least_seconds, (1.4 * deeper / all as f64 - 2e-6 * deeper) / 2.0 - 0.3 / 16.0);
    assert!(found.text.ends_with(". Estimate: saves 419 ms to 962 ms of 1.00 s"), "{}", found.text);
    // Tasks that take longer than the rest.
    assert_eq!(hint(&tree(6), 2, 790_000, Some(1000)), None);
    // A part of the 2 µs is for the one that a task creates: without it 1.5 µs, and the rest with it 1.8 µs; or 1.6 µs and 1.3 µs.
    let depths: Vec<u64> = (1..20).map(|depth| 1 << depth).collect();
    let larger = [Made::new((1 << 20) - 2, (1 << 20) - 2, 2, 1, &depths)];
    let code = |elapsed, work| {
        let run = Run { made: &larger, team: 2, work, span: Some(1000), elapsed, off_core: 0, locked: 0 };
        run.tasks().hint.map(|hint| hint.code)
    };
    assert_eq!(code(1_800_000, 1_100_000), Some("cutoff"));
    assert_eq!(code(1_600_000, 1_100_000), None);
    // Threads may be without a task.
    assert_eq!(hint(&tree(2), 2, 300_000, Some(100_000)), None);
    // Not inside each other.
    let flat = [Made::new(all, all, 2, 1, &[all]), Made::new(0, 0, 0, 0, &[])];
    assert_eq!(hint(&flat, 2, 300_000, Some(1000)), None);
}

/// Two threads need less than 7 µs for a task: where more is lost, they had no core.
#[test]
fn no_runtime_takes_longer_than_this_for_a_task() {
    let depths: Vec<u64> = (1..18).map(|depth| 1 << depth).collect();
    let tree = |size: usize| {
        let all = depths[..size].iter().sum();
        hint(&[Made::new(all, all, 1, 1, &depths[..size])], 2, 300_000, Some(1000))
    };
    assert_eq!(tree(17), Some("cutoff"));
    // 131,070 tasks, and 1.4 s: 10.7 µs each.
    assert_eq!(tree(16), None);
}

#[test]
fn one_thread_may_create_too_slowly() {
    // It creates 100,000 tasks in 0.98 s, and runs some.
    let one = |each| [Made::new(100_000, 2_000, each, 1, &[2_000]), Made::new(0, 98_000, each, 0, &[98_000])];
    let region = |outside: u64, each: u64| (outside + 100_000 * each) / 8;
    let code = |outside, each| {
        let span = Some(outside + 1000);
        hint(&one(each), 8, region(outside, each), span)
    };
    assert_eq!(code(980_000, 5), Some("one-creator"));
    // Seven threads are busy with what comes.
    assert_eq!(code(980_000, 60), None);
    // Nothing ran while it worked outside of tasks.
    assert_eq!(code(900_000, 5), None);
    // Several create them: then it is the chain, whatever that is made of.
    let two = [Made::new(50_000, 50_000, 5, 1, &[50_000]), Made::new(50_000, 50_000, 5, 1, &[50_000])];
    let found = hint(&two, 8, region(980_000, 5), Some(900_000));
    assert_eq!(found, Some("chain"));
}

/// 300,000 tasks of one thread, most of which the other one runs, and 20 are ready at a time.
fn many(each: u64) -> Made {
    Made { queued: 20_000_000, moved: 250_000, ..Made::new(300_000, 300_000, each, 1, &[300_000]) }
}

#[test]
fn small_tasks_in_a_row_should_be_larger() {
    // One thread works 0.4 s outside of tasks, of which creating them is 0.3 s, and the rest of the region is 1.0 s.
    let small = |made: Made, span| hint(&[made], 2, 500_000, span);
    let outside = Some(400_000);
    assert_eq!(small(many(2), outside), Some("small-tasks"));
    assert_eq!(small(many(6), outside), None);
    // Too few are ready to say that nobody waits for them, and too many that all do.
    let few = Made { queued: 4_000_000, ..many(2) };
    assert_eq!(small(few, outside), None);
    // Tasks that wait for each other are not ready, and where no span is known, they may do that.
    assert_eq!(small(many(2), Some(900_000)), Some("chain"));
    assert_eq!(small(many(2), None), None);
    // It may do other things than creating them.
    let untimed = Made { untimed: true, ..many(2) };
    assert_eq!(small(untimed, outside), None);
    // The other thread ran so few that it had no core, or slept.
    let alone = Made { moved: 1000, ..many(2) };
    assert_eq!(small(alone, outside), None);
}

#[test]
fn all_threads_may_create_small_tasks_all_the_time() {
    // Two threads, 400,000 tasks of 1 µs each; what they do outside of these takes 1.4 µs a task, of which creation is 1 µs.
    let busy = |each: u64, creation| {
        let made = || Made { queued: 20_000_000, ..Made::new(400_000, 400_000, each, creation, &[400_000]) };
        run(&[made(), made()], 2, 960_000, Some(600_000)).hint
    };
    let found = busy(1, 1).unwrap();
    assert_eq!(found.code, "small-tasks");
    assert!(found.text.contains("to create, find"), "{}", found.text);
    // ... and what they take themselves, which may be the recorder's.
    near(found.lost_seconds, 1.0);
    assert_eq!(found.least_seconds, 0.0);
    // Nothing is known of what creating them takes, so that it may be other code, which is no loss.
    let untimed = |each| {
        let made = || Made { queued: 20_000_000, untimed: true, ..Made::new(400_000, 400_000, each, 0, &[400_000]) };
        hint(&[made(), made()], 2, 960_000, Some(600_000))
    };
    assert_eq!(untimed(1), None);
    // They take longer than that.
    assert!(busy(2, 0).is_none());
}

#[test]
fn tasks_may_be_fewer_than_threads() {
    let few = [Made::new(3, 3, 300_000, 1, &[3])];
    assert_eq!(hint(&few, 8, 112_500, Some(300_000)), Some("few-tasks"));
    // The thread that creates it does as much itself, or nothing.
    let only = [Made::new(1, 1, 300_000, 1, &[1])];
    assert_eq!(hint(&only, 2, 300_000, Some(300_000)), None);
    assert_eq!(hint(&only, 2, 150_000, Some(300_000)), Some("few-tasks"));
    let enough = [Made::new(80, 80, 90_000, 1, &[80])];
    assert_eq!(hint(&enough, 8, 950_000, Some(90_000)), None);
}

#[test]
fn a_chain_leaves_threads_idle() {
    let chain = |longest| [Made { longest, ..Made::new(100, 100, 9_900, 1, &[100]) }];
    assert_eq!(hint(&chain(9_900), 4, 250_000, Some(950_000)), Some("chain"));
    // One that is so long may have waited for a core.
    assert_eq!(hint(&chain(900_000), 4, 250_000, Some(950_000)), None);
    // Threads wait though many could be busy: the numbers name no cause.
    assert_eq!(hint(&chain(9_900), 4, 250_000, Some(20_000)), None);
    // A span that is not known is none.
    assert_eq!(hint(&chain(9_900), 4, 250_000, None), None);
}

/// 40 tasks of 5 ms, one of which may be longer, on two threads.
fn with_long(longest: u64) -> [Made; 1] {
    [Made { longest, queued: 40_000_000, ..Made::new(40, 40, 5_000 + longest / 40, 1, &[40]) }]
}

#[test]
fn one_task_may_be_longer_than_all_others() {
    // 0.2 s in the others and 0.9 s in one: 1.1 s of two threads' 2.0 s.
    let found = run(&with_long(900_000), 2, 550_000, Some(900_000)).hint;
    let found = found.unwrap();
    assert_eq!(found.code, "long-task");
    let expected = "one task of app+0x1000 takes 900 ms of the 1.00 s";
    assert!(found.text.contains(expected), "{}", found.text);
    near(found.lost_seconds, 0.45);
    // A thread's share is 0.55 s, and the task alone takes more.
    assert_eq!(found.least_seconds, 0.0);
    assert!(found.text.contains("Divide it. Estimate: saves at most 450 ms of 1.00 s"), "{}", found.text);
    // One that could be over with the others, if it began with them: a share is 0.75 s.
    let late = run(&with_long(550_000), 2, 750_000, Some(550_000)).hint;
    let late = late.unwrap();
    let expected = "Divide it, or create it before the others. Estimate: saves 62.5 ms to 250 ms of 1.00 s";
    assert!(late.text.contains(expected), "{}", late.text);
    // Also where its place in the order is the cause, and where no span is known.
    assert_eq!(hint(&with_long(600_000), 2, 700_000, None), Some("long-task"));
    // 99 ms, in an execution of 0.11 s among others that are short.
    let short = [Made { longest: 99_000, ..Made::new(40, 40, 3_000, 1, &[40]) }];
    let run_of = |made: &[Made], elapsed, work| {
        let run = Run { made, team: 2, work, span: None, elapsed, off_core: 0, locked: 0 };
        run.tasks().hint.map(|hint| hint.code)
    };
    assert_eq!(run_of(&short, 110_000, 60_000), None);
    let short = [Made { longest: 101_000, ..Made::new(40, 40, 3_000, 1, &[40]) }];
    assert_eq!(run_of(&short, 110_000, 60_000), Some("long-task"));
    // Others are a third as long: a few that lost their core now and then.
    let similar = [Made { longest: 600_000, ..Made::new(4, 4, 300_000, 1, &[4]) }];
    assert_eq!(hint(&similar, 2, 700_000, None), None);
    // It is less than half of the time.
    assert_eq!(hint(&with_long(450_000), 2, 700_000, None), None);
    // Threads are idle for longer than it runs.
    assert_eq!(hint(&with_long(600_000), 2, 650_000, None), None);
}

#[test]
fn a_task_that_was_held_up_is_not_called_long() {
    let held_up = |off_core, locked| {
        let made = with_long(900_000);
        let run =
            Run { made: &made, team: 2, work: 550_000, span: Some(900_000), elapsed: 1_000_000, off_core, locked };
        run.tasks().hint.map(|hint| hint.code)
    };
    assert_eq!(held_up(90_000, 100_000), Some("long-task"));
    // More than a twentieth of thread time off a core.
    assert_eq!(held_up(110_000, 0), None);
    // Both together are a quarter of it.
    assert_eq!(held_up(90_000, 150_000), None);
}

#[test]
fn tasks_that_are_not_deferred_are_what_threads_wait_for() {
    let at_once = |undeferred| [Made { undeferred, ..Made::new(10_000, 10_000, 90, 1, &[10, 90, 900, 9_000]) }];
    // 1.0 s of work in a second of two threads.
    let found = run(&at_once(10_000), 2, 500_000, Some(10_000)).hint;
    let found = found.unwrap();
    assert_eq!(found.code, "undeferred");
    let expected = "10000 of 10000 tasks (app+0x1000 and the like) run at once";
    assert!(found.text.contains(expected), "{}", found.text);
    // The first of them may be deferred, as where it is final.
    assert_eq!(hint(&at_once(9_999), 2, 500_000, None), Some("undeferred"));
    // With two, both threads may have one.
    assert_eq!(hint(&at_once(9_998), 2, 500_000, None), None);
    // Two threads worked: the other one in the one that is deferred.
    assert_eq!(hint(&at_once(9_999), 2, 600_000, None), None);
    // The if clause is true for those of a few levels, which are many.
    assert_eq!(hint(&at_once(9_900), 2, 500_000, None), None);
}

#[test]
fn nothing_else_is_said_of_tasks_that_run_at_once() {
    let depths: Vec<u64> = (1..18).map(|depth| 1 << depth).collect();
    let all: u64 = depths.iter().sum();
    let tree = |undeferred| [Made { undeferred, ..Made::new(all, all, 2, 1, &depths) }];
    assert_eq!(hint(&tree(0), 2, 300_000, Some(1000)), Some("cutoff"));
    // Four are deferred: enough for two threads. Of a chain through the others the span knows nothing.
    assert_eq!(hint(&tree(all - 4), 2, 300_000, Some(1000)), None);
}

#[test]
fn one_thread_may_work_long_before_it_creates_tasks() {
    // 0.6 s of its own code, then 400 tasks of 2 ms for two threads, which wait 0.2 s each on average.
    let bursts = |queued, moved| [Made { queued, moved, ..Made::new(400, 400, 2_000, 1, &[400]) }];
    let (late, before) = (bursts(80_000_000, 200), Some(610_000));
    let found = run(&late, 2, 700_000, before).hint.unwrap();
    assert_eq!(found.code, "serial-part");
    let expected = "600 ms of the 1.00 s that app+0x2000 takes are code outside of its tasks";
    assert!(found.text.contains(expected), "{}", found.text);
    near(found.lost_seconds, 0.2998);
    // 1.4 s of work for two threads, and a piece of a quarter of that share: 0.875 s.
    near(found.least_seconds, 0.125);
    assert!(found.text.ends_with(". Estimate: saves 125 ms to 300 ms of 1.00 s"), "{}", found.text);
    // They begin as soon as they are there: it may be what leads from one to the next.
    assert_eq!(hint(&bursts(400_000, 200), 2, 700_000, before), None);
    // The other thread has its share of none: it may have had no core while they came one by one.
    assert_eq!(hint(&bursts(80_000_000, 50), 2, 700_000, before), None);
    // Both threads may have worked that, or a span says nothing of it.
    assert_eq!(hint(&late, 2, 700_000, Some(310_000)), None);
    assert_eq!(hint(&late, 2, 700_000, None), None);
    // Threads lose more than that explains.
    let long = [Made { queued: 80_000_000, moved: 200, ..Made::new(400, 400, 1_000, 1, &[400]) }];
    assert_eq!(hint(&long, 2, 400_000, Some(410_000)), None);
}

/// The same work, and where it ends when one comes after the other it is the shortest: what is longer ran one after the other, too.
#[test]
fn what_one_thread_does_between_tasks_is_told_from_what_it_does_before_them() {
    // 10,000 tasks of 20 µs, and the rest of the work is outside of tasks, of which creation is little.
    let code = |outside: u64, queued| {
        let made = [Made { queued, moved: 5_000, ..Made::new(10_000, 10_000, 20, 1, &[10_000]) }];
        hint(&made, 2, (outside + 200_000) / 2, Some(outside))
    };
    assert_eq!(code(980_000, 20_000), Some("one-creator"));
    // In part: both are possible, and it is no chain of tasks.
    assert_eq!(code(930_000, 210_000_000), None);
    assert_eq!(code(900_000, 210_000_000), Some("serial-part"));
    // Each waits 5 ms, as one does for a thread that yields.
    assert_eq!(code(900_000, 50_000_000), None);
}
