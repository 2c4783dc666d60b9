//! Sub-blocks of chunks, from a runtime that says what it is told to: they stand behind their chunk or nowhere, whatever comes
//! between. (Under the real shim: `testsuite/tests/profile.rs`.)

use std::collections::HashMap;
use std::process::Output;

use ompchunk_trace_format::{Event, Meta, Part, SubBlock, Trace};
use tempfile::TempDir;

use crate::common::{clean, in_order, majors, product, programs, repository, text};

/// The runtime, and a directory for traces.
struct Runtime {
    directory: TempDir,
}

impl Runtime {
    fn compile() -> Runtime {
        let directory = tempfile::tempdir().unwrap();
        let source = programs().join("divided.c");
        let mut command = clean(format!("clang-{}", majors()[0]));
        let include = repository().join("runtime-shim/include");
        command.args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I"]);
        command.arg(include).arg(source).arg("-o");
        let output = command.arg(directory.path().join("app")).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        Runtime { directory }
    }

    fn run(&self, environment: &[(&str, &str)], script: &str) -> Output {
        let trace = self.directory.path().join("trace");
        let _ = std::fs::remove_dir_all(&trace);
        let mut command = clean(self.directory.path().join("app"));
        command
            .arg(product("lib/libompchunk_trace.so"))
            .args(script.split_whitespace())
            .env("OMPCHUNK_TRACE", trace)
            .envs(environment.iter().copied());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        output
    }

    /// The parts, in the order of their beginning.
    fn parts(&self) -> Vec<Part> {
        let mut parts = Trace::open(&self.directory.path().join("trace")).unwrap().parts;
        parts.sort_by_key(|part| part.meta().started);
        parts.iter().for_each(in_order);
        parts
    }

    /// With a profile: the sub-blocks of the one part, and its metadata.
    fn profile(&self, more: &str, script: &str) -> (Vec<SubBlock>, Meta) {
        self.run(&[("OMPCHUNK_RECORD", &format!("profile,{more}"))], script);
        let parts = self.parts();
        let [part] = &parts[..] else { panic!("{} parts", parts.len()) };
        (pieces(part), part.meta().clone())
    }
}

fn pieces(part: &Part) -> Vec<SubBlock> {
    let mut found = Vec::new();
    part.for_each(|_, event| {
        if let Event::SubBlock(event) = event {
            found.push(*event);
        }
    })
    .unwrap();
    found
}

fn piece(lower: u64, iterations: u64, flags: u32) -> SubBlock {
    SubBlock::new(lower, iterations, flags)
}

#[test]
fn they_are_told_where_they_are_wanted() {
    let runtime = Runtime::compile();
    let wide = 1_u64 << 40;
    let script = format!("region loop chunk:0:10 piece:0:4:1 piece:4:6:2 chunk:{wide}:8 piece:{wide}:8:3 end join");
    let (found, meta) = runtime.profile("", &script);
    assert_eq!(found, [piece(0, 4, 1), piece(4, 6, 2), piece(wide, 8, 3)]);
    assert!(meta.mode.profile);
    assert_eq!(meta.events["sub_block"], 3);
    // Not asked for, or not there.
    let output = runtime.run(&[], &script);
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "0 0");
    let parts = runtime.parts();
    assert_eq!(pieces(&parts[0]), []);
    assert!(!parts[0].meta().mode.profile);
    let environment = [("OMPCHUNK_RECORD", "profile"), ("NO_SUB_BLOCKS", "1")];
    let output = runtime.run(&environment, &script);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("no profile is recorded: this libompchunk_rt is older"), "{said}");
    assert!(!runtime.parts()[0].meta().mode.profile);
}

/// A sub-block whose chunk is not in the trace is not there either, and the next chunk's are.
#[test]
fn they_are_behind_their_chunk_or_nowhere() {
    let runtime = Runtime::compile();
    let whole = [piece(0, 1, 1), piece(1, 1, 2)];
    for (more, script, expected) in [
        // Without the first, as of a shim that lost it.
        ("", "region loop chunk:0:2 piece:1:1:2 end join", 0),
        // A pause within a chunk, in the loop's last one or before.
        ("", "region loop chunk:0:2 piece:0:1:1 pause piece:1:1:2 end join", 1),
        (
            "",
            "region loop chunk:0:2 piece:0:1:1 pause start piece:1:1:2 chunk:2:2 piece:2:1:1 piece:3:1:2 end join
             region loop chunk:0:2 piece:0:1:1 piece:1:1:2 end join",
            3,
        ),
        // A sub-block is long, so that it goes the other way.
        ("", "region loop chunk:0:2 work:1 piece:0:1:1 work:1 piece:1:1:2 work:1 end join", 2),
        // Loops that are left out, and executions.
        ("loop=other.c:1", "many:4:2", 0),
        ("loop=a.c:7", "many:4:2", 8),
        ("skip=3", "many:4:2", 2),
        ("sample=2", "many:4:2", 4),
        // A loop inside a sub-block.
        (
            "",
            "region loop chunk:0:2 piece:0:1:1 region loop chunk:0:2 piece:0:1:1 piece:1:1:2 end join piece:1:1:2 end join",
            4,
        ),
    ] {
        let (found, _) = runtime.profile(more, script);
        assert_eq!(found.len(), expected, "{script} {more}: {found:?}");
        if expected == 2 {
            assert_eq!(found, whole, "{script}");
        }
    }
}

#[test]
fn a_child_has_those_of_its_own_chunks() {
    let runtime = Runtime::compile();
    let script = "region loop chunk:0:2 piece:0:1:1 fork piece:1:1:2 chunk:2:2 piece:2:1:1 piece:3:1:2 end join";
    runtime.run(&[("OMPCHUNK_RECORD", "profile")], script);
    let parts = runtime.parts();
    let [parent, child] = &parts[..] else { panic!("{} parts", parts.len()) };
    let second = [piece(2, 1, 1), piece(3, 1, 2)];
    assert_eq!(pieces(parent), [&[piece(0, 1, 1), piece(1, 1, 2)][..], &second].concat());
    assert_eq!(pieces(child), second);
}

/// What has no room is counted; blocks end anywhere.
#[test]
fn none_is_lost_silently() {
    let runtime = Runtime::compile();
    let (found, _) = runtime.profile("", "many:3:9000");
    assert_eq!(found.len(), 27_000);
    runtime.profile("max-size=200000", "many:3:9000");
    let part = &runtime.parts()[0];
    let head = part.head();
    let kept = pieces(part).len() as u64;
    assert!(kept > 3000 && kept < 20_000, "{kept}");
    // Besides them, of what is lost: begins and ends.
    let lost = head.lost_events;
    assert!((27_000 - kept..27_000 - kept + 40).contains(&lost), "{kept} {lost}");
}

/// What sub-blocks lasted, and what of that they were off a core, in ticks, by their first iterations.
fn lasted_and_off(part: &Part) -> (HashMap<u64, u64>, HashMap<u64, u64>) {
    let mut running = None;
    let (mut lasted, mut off) = (HashMap::new(), HashMap::new());
    let mut since = 0;
    part.for_each(|at, event| match event {
        Event::SubBlock(_) | Event::LoopEnd { .. } => {
            if let Some(lower) = running {
                *lasted.entry(lower).or_default() += at.ticks - since;
            }
            since = at.ticks;
            running = match event {
                Event::SubBlock(sub_block) => Some(sub_block.lower),
                _ => None,
            };
        }
        Event::OffCore(off_core) => *off.entry(running.unwrap_or(99)).or_default() += off_core.ticks,
        _ => {}
    })
    .unwrap();
    (lasted, off)
}

/// A long sub-block that had no core is told from an expensive one. A thread may lose its core between two readings of the clocks,
/// too, which are then of different times.
#[test]
fn time_off_a_core_is_told_at_a_sub_block() {
    let runtime = Runtime::compile();
    let script = "region loop chunk:0:3 piece:0:1:1 work:3 piece:1:1:0 sleep:3 piece:2:1:2 work:3 end join";
    let mut found = Vec::new();
    for _ in 0..5 {
        runtime.profile("", script);
        let part = &runtime.parts()[0];
        assert!(part.meta().clock.cpu_read.is_some());
        let (lasted, off) = lasted_and_off(part);
        // Three milliseconds each, as far as the machine lets it; of the second, all but nothing on a core.
        let slept = off.get(&1).is_some_and(|off| off * 10 > lasted[&1] * 9);
        let worked = |lower| lasted[&lower] - off.get(&lower).copied().unwrap_or(0);
        if slept && [0, 2].iter().all(|it| worked(*it) > worked(1)) {
            return;
        }
        found.push((lasted, off));
    }
    panic!("{found:?}");
}

#[test]
fn some_regions_keep_their_chunks_whole() {
    let runtime = Runtime::compile();
    let output = runtime.run(&[("OMPCHUNK_RECORD", "profile")], "many:800:2");
    let part = &runtime.parts()[0];
    let found = pieces(part).len();
    assert!((2 * 670..2 * 730).contains(&found), "{found}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers: Vec<usize> = said.split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert_eq!(numbers[0], numbers[1] + 1, "{said}");
    assert_eq!(found, 2 * (800 - numbers[1]), "each time it is one region");
    // A pause has its way: nothing is asked for while it lasts.
    let environment = [("OMPCHUNK_RECORD", "profile")];
    runtime.run(&environment, "many:10:2 pause many:100:2 start many:1:2");
    let found = pieces(&runtime.parts()[0]).len();
    assert!((16..=22).contains(&found), "{found}");
}

#[test]
fn a_profile_and_sums_exclude_each_other() {
    let runtime = Runtime::compile();
    let mut command = clean(runtime.directory.path().join("app"));
    command
        .arg(product("lib/libompchunk_trace.so"))
        .env("OMPCHUNK_TRACE", runtime.directory.path().join("none"))
        .env("OMPCHUNK_RECORD", "profile,aggregate");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output);
    assert!(said.contains("OMPCHUNK_RECORD: profile and aggregate exclude each other"), "{said}");
}
