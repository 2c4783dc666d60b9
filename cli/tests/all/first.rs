//! The first lines of a report: what to do. On a terminal of 80 columns no table breaks.

use std::path::Path;

use ompchunk_testkit::traces::{Maker, definition, meta};

use crate::common::{clean, must_say, on_terminal, succeed, traces};

fn report(directory: &Path, trace: &Path) -> String {
    let mut command = clean(env!("CARGO_BIN_EXE_ompchunk"));
    succeed(command.arg("report").arg(trace).current_dir(directory))
}

fn first(text: &str) -> Vec<&str> {
    let lines = text.lines().skip_while(|line| *line != "what to do").skip(1);
    lines.take_while(|line| !line.is_empty()).collect()
}

#[test]
fn what_loses_most_comes_first_with_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let trace = traces::small(directory.path(), "app", 2, 300);
    let text = report(directory.path(), &trace);
    let lines = first(&text);
    assert!(lines[1].starts_with("   26.2 ms  20.7 %  a.c:12 in grid::sweep, static,2"), "{text}");
    assert!(lines[2].contains("schedule(dynamic)"), "{text}");
    assert_eq!(lines[3], "  1 other loop loses 5.00 µs (< 0.1 %) of the run: leave it");
    assert_eq!(
        lines[5..],
        ["    ompchunk record --profile -o app-profile.ompchunk ./app", "    ompchunk advise app-profile.ompchunk"]
    );
    let at = |what: &str| text.find(what).unwrap();
    assert!(at("what to do") < at("run: ") && at("run: ") < at("\n#"));
    // It is said once.
    assert_eq!(text.matches("schedule(dynamic)").count(), 1, "{text}");
}

#[test]
fn nothing_to_gain_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let trace = traces::balanced(directory.path(), "app");
    let text = report(directory.path(), &trace);
    assert_eq!(
        first(&text),
        [
            "  no gain from better balance: none of 2 loops loses 1 % of the run, all together 0 s (0.0 %); this trace does \
             not show what else threads spend time on, such as waiting for locks"
        ]
    );
    // Nothing is coloured as if it mattered.
    let mut command = clean(env!("CARGO_BIN_EXE_ompchunk"));
    command.arg("report").arg(&trace).env("CLICOLOR_FORCE", "1");
    let coloured = succeed(&mut command);
    let table = &coloured[coloured.find('#').unwrap()..];
    let table = &table[..table.find("loop 1").unwrap()];
    for colour in ["\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m"] {
        assert!(!table.contains(colour), "{table:?}");
    }
}

/// Five of many that matter are named, those that lose most.
#[test]
fn many_that_matter() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "pid-7", &meta(None));
    let loops: Vec<_> = (0..8).map(|at| definition(at, 10 + at, "work")).collect();
    maker.threads(2, &loops);
    let mut at = 10;
    for the_loop in 0..8u32 {
        let long = 1000 * (u64::from(the_loop) + 1);
        let region = u64::from(the_loop) + 1;
        at = maker.execute(at, region, the_loop, &[&[(long, 0)], &[(100, 0)]]) + 5;
    }
    maker.finish(at);
    let text = report(directory.path(), Path::new("."));
    let named = first(&text).into_iter().filter(|line| line.contains(" in work"));
    let named: Vec<&str> = named.collect();
    assert_eq!(named.len(), 5, "{text}");
    for (line, at) in named.iter().zip([17, 16, 15, 14, 13]) {
        assert!(line.contains(&format!("a.c:{at} ")), "{text}");
    }
    must_say(&text, "  3 more that matter are in the list");
}

/// What is not known is not called nothing, and what is known at least is called so.
#[test]
fn what_is_not_known() {
    let directory = tempfile::tempdir().unwrap();
    let lost = traces::with_losses(directory.path(), "lost");
    let text = report(directory.path(), &lost);
    let lines = first(&text);
    assert!(lines[1].starts_with("         -       -  a.c:12"), "{text}");
    assert!(lines[2].contains("--max-size"), "{text}");
    assert!(!text.contains("nothing to gain") && !text.contains("--profile"), "{text}");
    let sums = traces::sums(directory.path(), "sums");
    let text = report(directory.path(), &sums);
    assert!(first(&text)[1].starts_with("  > 100 µs  10.0 %  a.c:12"), "{text}");
}

/// One rank working more than another is no loss of the loop's: 100 µs in one rank, nothing in the other.
#[test]
fn sums_of_ranks() {
    let directory = tempfile::tempdir().unwrap();
    for (rank, (one, two)) in (0..).zip([(400, 200), (900, 900)]) {
        let mode = ompchunk_trace_format::Mode { aggregate: true, ..Default::default() };
        let meta = ompchunk_trace_format::Meta { mode, ..meta(Some(rank)) };
        let mut maker = Maker::new(directory.path(), &format!("rank-{rank}"), &meta);
        maker.threads(2, &[definition(0, 12, "main")]);
        maker.aggregate(0, 1000, (10, 40, one), &[0, 0, 0, 40]);
        maker.aggregate(1, 1000, (10, 40, two), &[0, 0, 0, 40]);
        maker.finish(1000);
    }
    let text = report(directory.path(), Path::new("."));
    assert!(first(&text)[1].starts_with(" > 50.0 µs   5.0 %  a.c:12"), "{text}");
}

#[test]
fn loops_of_which_only_the_runtime_tells() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "pid-7", &meta(None));
    let plain = ompchunk_trace_format::LoopDefinition { instrumented: false, ..definition(0, 12, "main") };
    maker.threads(2, &[plain]);
    for lane in 0..2 {
        maker.task(lane, 10, 1, 2);
        maker.begin(lane, 10, 0, 10);
        let end = ompchunk_trace_format::Event::LoopEnd { the_loop: 0 };
        maker.put(lane, 500 + u64::from(lane) * 400, &end);
    }
    maker.finish(1000);
    let text = report(directory.path(), Path::new("."));
    assert!(first(&text)[2].contains("compile it with ompchunk cc"), "{text}");
    assert!(!text.contains("--profile"), "{text}");
}

/// The command is one for a shell, whatever the program is called; ranks are started as before.
#[test]
fn the_command_can_be_pasted() {
    let directory = tempfile::tempdir().unwrap();
    let (trace, _) = traces::long_names(directory.path(), "app");
    let text = report(directory.path(), &trace);
    let command = "    ompchunk record --profile -o solver-profile.ompchunk './build/with a blank/solver' --mesh=mmm";
    assert!(first(&text).iter().any(|line| line.starts_with(command)), "{text}");
    let ranks = traces::ranks(directory.path(), "ranks", 4);
    assert!(report(directory.path(), &ranks).contains("behind mpirun or srun as before:"));
}

#[test]
fn tables_fit_80_columns() {
    let makers: [fn(&Path) -> (); 8] = [
        |directory| drop(traces::small(directory, "app", 2, 300)),
        |directory| drop(traces::ranks(directory, "app", 64)),
        |directory| drop(traces::long_names(directory, "app")),
        |directory| drop(traces::no_loops(directory, "app")),
        |directory| drop(traces::with_losses(directory, "app")),
        |directory| drop(traces::sums(directory, "app")),
        |directory| drop(traces::balanced(directory, "app")),
        |directory| drop(traces::extremes(directory, "app")),
    ];
    for make in makers {
        let directory = tempfile::tempdir().unwrap();
        make(directory.path());
        for columns in [80, 60] {
            let text = on_terminal(directory.path(), columns, "report app");
            let command = |line: &str| line.starts_with("    ompchunk ");
            for line in text.lines().filter(|line| !command(line)) {
                assert!(line.chars().count() <= columns, "{line}\n{text}");
            }
            let head = text.lines().find(|line| line.starts_with('#'));
            let Some(head) = head else { continue };
            let place = |what: &str| head.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
            assert!(place("lost") < place("of run") && place("of run") < place("loop"));
            // A number and its unit stay together.
            for line in text.lines() {
                let begin = line.trim_start();
                let torn = ["% ", "%)", "ms ", "ms)", "µs ", "s "];
                assert!(!torn.iter().any(|torn| begin.starts_with(torn)), "{text}");
            }
        }
    }
}

/// The lines of what differs between ranks.
fn between(text: &str) -> Vec<&str> {
    let is_head = |line: &&str| line.starts_with("what differs between ");
    let lines = text.lines().skip_while(|line| !is_head(line)).skip(1);
    lines.take_while(|line| !line.is_empty()).collect()
}

/// Ranks 5, 21, 37 and 53 of 64 have more to do in the first loop, and nothing differs in the second.
#[test]
fn what_differs_between_ranks_comes_first() {
    let directory = tempfile::tempdir().unwrap();
    let trace = traces::ranks(directory.path(), "app", 64);
    let text = report(directory.path(), &trace);
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    assert!(at("what differs between ranks") < at("what to do"));
    assert!(at("  ranks: load balance") < at(" chunks: shortest"));
    let lines = between(&text);
    assert!(lines[1].contains("120 in solver::relax"), "{text}");
    assert!(
        lines[2].contains("; ranks 5,21,37,53 take 1.")
            && lines[2].contains(", with the same number of iterations: iterations cost more there"),
        "{text}"
    );
    assert!(lines[3].starts_with("  1 other loop takes less than 1 %"), "{text}");
    // Two ranks: neither of them stands out.
    let two = traces::ranks(directory.path(), "two", 2);
    let text = report(directory.path(), &two);
    assert!(!between(&text).iter().any(|between| between.contains("stand")), "{text}");
    // One process differs from nothing.
    let one = traces::small(directory.path(), "one", 2, 300);
    assert!(between(&report(directory.path(), &one)).is_empty());
}

/// Nothing is known to differ in ranks that are not there, or whose recording has no end.
#[test]
fn ranks_that_are_missing() {
    let directory = tempfile::tempdir().unwrap();
    let trace = traces::ranks(directory.path(), "app", 16);
    for gone in [3, 4, 9] {
        std::fs::remove_file(trace.join(format!("rank-{gone}.trace"))).unwrap();
    }
    let whole = std::fs::read(trace.join("rank-7.trace")).unwrap();
    std::fs::write(trace.join("rank-7.trace"), &whole[..whole.len() / 2]).unwrap();
    let text = report(directory.path(), &trace);
    must_say(&text, "note: no part of rank 3-4,9 is here");
    must_say(&text, "note: rank 7: the trace is cut");
    assert!(!between(&text).join("").contains("run it"), "{text}");
    // Whoever asks for some has asked for no others.
    let mut some = clean(env!("CARGO_BIN_EXE_ompchunk"));
    let some = succeed(some.args(["report", "app", "--rank", "5-15"]).current_dir(directory.path()));
    assert!(!some.contains("no part of rank"), "{some}");
}

/// Shells allow 1024 open files, and a run may have more ranks.
#[test]
fn more_ranks_than_files_that_may_be_open() {
    let directory = tempfile::tempdir().unwrap();
    traces::ranks(directory.path(), "app", 64);
    let mut shell = clean("sh");
    let line = "ulimit -Sn 40; exec \"$0\" report app";
    shell.args(["-c", line, env!("CARGO_BIN_EXE_ompchunk")]);
    let text = succeed(shell.current_dir(directory.path()));
    must_say(&text, "64 ranks on 1 host");
    assert!(!text.contains("no part of rank"), "{text}");
}

/// A host's name is another machine's: it is text, and nothing that steers a terminal.
#[test]
fn hosts_with_hostile_names() {
    let directory = tempfile::tempdir().unwrap();
    for rank in 0..6u64 {
        let meta = ompchunk_trace_format::Meta {
            host: if rank < 2 { "\u{1b}[31mred" } else { "b" }.into(),
            pid: 20 + rank as u32,
            ..meta(Some(rank))
        };
        let mut maker = Maker::new(directory.path(), &format!("rank-{rank}"), &meta);
        maker.threads(1, &[definition(0, 12, "main")]);
        let micros = if rank < 2 { 500 } else { 100 };
        maker.execute(10, 1, 0, &[&[(micros, 0)]]);
        maker.finish(1000);
    }
    let text = report(directory.path(), Path::new("."));
    assert!(text.contains("all on ") && text.contains("(ranks 0-1) take 5.00 times"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
}
