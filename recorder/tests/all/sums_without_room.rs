//! Sums and samples where the disk is full, a file may not grow, or `--max-size` is reached: the program is itself, one
//! sentence says so, and what ran is what is recorded and what is counted as lost.

use std::collections::BTreeMap;
use std::process::Output;

use ompchunk_trace_format::{Ending, Event, Part, Reason, Trace};

use crate::common::{Program, all_chunks, in_order, majors, number, on_a_small_disk, runtimes, text};

const MODES: [&[&str]; 4] =
    [&["--aggregate"], &["--sample", "3"], &["--sample", "2"], &["--aggregate", "--bookkeeping"]];

/// The only part of a run that printed how many chunks ran, all of them told, added up or lost. Some must be lost, unless it `may_fit`.
fn accounted(program: &Program, output: &Output, reason: Reason, may_fit: bool, what: &str) -> Part {
    assert!(output.status.success(), "{what}: {}", text(output));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let sentence = match reason {
        Reason::MaxSize => "Raise --max-size",
        _ => ".trace cannot grow: ",
    };
    let ran = number(output);
    let mut trace = Trace::open(&program.trace()).unwrap();
    let part = trace.parts.remove(0);
    assert_eq!(part.ending(), Ending::Clean, "{what}");
    in_order(&part);
    let mut lost = 0;
    part.for_each(|_, event| {
        if let Event::Lost(event) = event {
            assert_eq!(Reason::from_number(event.reason), Some(reason), "{what}");
            lost += event.chunks;
        }
    })
    .unwrap();
    let head = part.head();
    assert_eq!(head.lost_chunks, lost, "{what}");
    let fits = may_fit && lost == 0;
    assert!(fits || lost > 0, "{what}");
    assert_eq!(head.lost_reason, (!fits).then_some(reason), "{what}");
    let sentences = said.matches(sentence).count();
    assert_eq!(sentences, usize::from(!fits), "{what}: {said}");
    assert_eq!(all_chunks(&part) + lost, ran, "{what}: {said}");
    part
}

/// 300 threads, each with a page or two for its sums, on a disk of 256.
#[test]
fn a_full_disk() {
    let program = Program::compile("late", majors()[0]);
    for runtime in &runtimes() {
        for options in MODES {
            let arguments = ["2000", "300", "9", "5"];
            let Some(output) = on_a_small_disk(&program, runtime, "512k", options, &arguments) else {
                return;
            };
            let what = format!("{} {options:?}", runtime.name);
            accounted(&program, &output, Reason::DiskFull, false, &what);
        }
    }
}

/// An eighth of a small file system stays free for what the program itself writes there.
#[test]
fn the_program_writes_beside_the_recording() {
    let program = Program::compile("beside", majors()[0]);
    let own = program.directory.path().join("small/own");
    let own = own.to_str().unwrap();
    for runtime in &runtimes() {
        for (size, kib) in [("8m", "900"), ("2m", "200")] {
            for (options, threads) in
                [(&[][..], "2"), (&[], "20"), (&["--sample", "2"], "20"), (&["--sample-stacks"], "2")]
            {
                let arguments = ["4000", threads, own, kib];
                let Some(output) = on_a_small_disk(&program, runtime, size, options, &arguments) else {
                    return;
                };
                let what = format!("{} {size} {options:?} {threads}", runtime.name);
                accounted(&program, &output, Reason::DiskFull, false, &what);
                let said = String::from_utf8_lossy(&output.stderr);
                let why = "of its file system stay free for the program. What follows is counted";
                assert_eq!(said.matches(why).count(), 1, "{what}: {said}");
            }
        }
        // Others take what it has left, and the room of blocks that are not written yet.
        for options in [&[][..], &["--sample", "2"], &["--aggregate"]] {
            let arguments = ["800", "20", own, "0"];
            let Some(output) = on_a_small_disk(&program, runtime, "8m", options, &arguments) else {
                return;
            };
            let what = format!("{} {options:?}, others", runtime.name);
            let is_all = options == ["--aggregate"];
            accounted(&program, &output, Reason::DiskFull, is_all, &what);
        }
        // Where there is no more than that, nothing is recorded.
        let Some(output) = on_a_small_disk(&program, runtime, "64k", &[], &["10", "2", own, "4"]) else {
            return;
        };
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.stdout, b"10000\n", "{said}");
        assert!(said.contains("cannot record into "), "{said}");
        assert!(said.contains("8 KiB of its file system stay free"), "{said}");
    }
}

/// What each lane has: chunks that are told, and that are added up.
fn by_lane(part: &Part) -> BTreeMap<u32, (u64, u64)> {
    let mut all: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    part.for_each(|at, event| match event {
        Event::Chunk(_) => all.entry(at.lane).or_default().0 += 1,
        Event::Aggregate(aggregate) => all.entry(at.lane).or_default().1 += aggregate.chunks,
        _ => {}
    })
    .unwrap();
    all
}

/// Two threads fill all the room; six come later, and have their share of it in the end.
#[test]
fn late_threads_have_room() {
    let program = Program::compile("late", majors()[0]);
    for runtime in &runtimes() {
        for options in [&["--sample", "2"][..], &["--sample", "3"]] {
            let what = format!("{} {options:?}", runtime.name);
            let options: Vec<&str> = ["--max-size", "1M"].iter().chain(options).copied().collect();
            let arguments = ["9000", "8", "12000", "0"];
            let output = program.record(runtime, &options, &arguments).output().unwrap();
            let part = accounted(&program, &output, Reason::MaxSize, false, &what);
            assert!(part.size() <= 1 << 20, "{what}: {}", part.size());
            let all = by_lane(&part);
            println!("{what}: {all:?}");
            assert_eq!(all.len(), 8, "{what}: {all:?}");
            let told = || all.values().map(|by_lane| by_lane.0);
            let (least, most) = (told().min().unwrap(), told().max().unwrap());
            assert!(most < 3 * least, "{what}: {all:?}");
        }
    }
}

/// More threads than blocks, and threads that come and go when there is no room left.
#[test]
fn more_threads_than_room() {
    let program = Program::compile("late", majors()[0]);
    for runtime in &runtimes() {
        for (size, arguments) in [
            ("256K", ["3000", "300", "20", "0"]),
            ("512K", ["9000", "2", "0", "30"]),
            ("256K", ["6000", "40", "300", "20"]),
        ] {
            for options in MODES {
                let what = format!("{} {size} {options:?} {arguments:?}", runtime.name);
                let options: Vec<&str> = ["--max-size", size].iter().chain(options).copied().collect();
                let output = program.record(runtime, &options, &arguments).output().unwrap();
                if options.contains(&"--aggregate") && arguments[1] == "2" {
                    // The sums of few threads fit.
                    let trace = Trace::open(&program.trace()).unwrap();
                    assert_eq!(trace.parts[0].head().lost_reason, None, "{what}");
                    continue;
                }
                // How often 40 threads write their sums depends on how long the run takes.
                let may_fit = options.contains(&"--aggregate") && arguments[1] == "40";
                let part = accounted(&program, &output, Reason::MaxSize, may_fit, &what);
                let limit = size.trim_end_matches('K').parse::<u64>().unwrap() << 10;
                assert!(part.size() <= limit, "{what}: {}", part.size());
            }
        }
    }
}

/// A file that may not grow any more.
#[test]
fn a_file_size_limit() {
    let program = Program::compile("end", majors()[0]);
    for runtime in &runtimes() {
        let output = program.record(runtime, &["--sample", "2"], &["limit"]).output().unwrap();
        assert_eq!(output.status.code(), Some(5), "{}", text(&output));
        assert_eq!(output.stdout, b"done\n");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.matches("cannot grow: ").count(), 1, "{said}");
        let trace = Trace::open(&program.trace()).unwrap();
        let head = trace.parts[0].head();
        assert_eq!(head.lost_reason, Some(Reason::DiskFull));
        assert_eq!(all_chunks(&trace.parts[0]) + head.lost_chunks, 1_000_000);
        assert!(head.lost_chunks > 0);
        in_order(&trace.parts[0]);
    }
}

/// Both at once, with threads that come and go: a full disk under a limit that is reached.
#[test]
fn a_full_disk_and_a_limit() {
    let program = Program::compile("late", majors()[0]);
    for runtime in &runtimes() {
        for (disk, limit) in [("240k", "256K"), ("512k", "512K"), ("400k", "1M")] {
            for sample in ["2", "30"] {
                let options = ["--sample", sample, "--max-size", limit];
                let arguments = ["6000", "30", "300", "40"];
                let Some(output) = on_a_small_disk(&program, runtime, disk, &options, &arguments) else {
                    return;
                };
                assert!(output.status.success(), "{}", text(&output));
                let ran = number(&output);
                let trace = Trace::open(&program.trace()).unwrap();
                let part = &trace.parts[0];
                in_order(part);
                let lost = part.head().lost_chunks;
                assert_eq!(all_chunks(part) + lost, ran, "{disk} {limit} {}", text(&output));
            }
        }
    }
}
