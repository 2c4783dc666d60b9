//! Whatever becomes of the trace and of descriptors: the program is as without the recorder, its files are its own, and what can still be kept is.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use ompchunk_trace_format::{Ending, Part, Reason, Trace};

use crate::common::{self, Program, Runtime, all_chunks, chunks, clean, in_order, majors, product, runtimes, text};

/// Chunks of one execution of the loop in harm.c and counted.c.
const CHUNKS: usize = 1000;
/// Executions before and after the attack.
const BEFORE: usize = 20;
const AFTER: usize = 100;

fn mine(program: &Program) -> PathBuf {
    let mine = program.directory.path().join("mine");
    let _ = std::fs::remove_dir_all(&mine);
    std::fs::create_dir(&mine).unwrap();
    mine
}

/// The program under `ompchunk record`; it must end as it does alone.
fn attack(program: &Program, runtime: &Runtime, what: &str) -> String {
    let mine = mine(program);
    let mut command = program.record(runtime, &[], &[what]);
    let output = command.arg(program.trace()).arg(&mine).output().unwrap();
    // Where nothing is left, record says so in its exit code; the program itself ended as it does.
    let code = if is_gone(what) { 125 } else { 0 };
    assert_eq!(output.status.code(), Some(code), "{what}: {}", text(&output));
    assert_eq!(output.stdout, b"done\n", "{what}");
    String::from_utf8(output.stderr).unwrap()
}

fn is_gone(what: &str) -> bool {
    ["remove", "replace", "move"].iter().any(|it| what.contains(it))
}

/// Nobody keeps what it has not written.
fn by_hand(program: &Program, runtime: &Runtime, what: &str) -> Command {
    let mut command = common::by_hand(program, runtime, &[what]);
    command.arg(program.trace()).arg(mine(program));
    command
}

fn only_part(program: &Program) -> Part {
    let mut trace = Trace::open(&program.trace()).unwrap();
    assert_eq!(trace.parts.len(), 1);
    trace.parts.remove(0)
}

#[test]
fn descriptors_are_the_programs() {
    let program = Program::compile("harm", majors()[0]);
    for runtime in &runtimes() {
        for what in ["closefrom", "dup2"] {
            // The program itself looks into its files.
            let said = attack(&program, runtime, what);
            let part = only_part(&program);
            assert_eq!(part.ending(), Ending::Clean, "{what}: {said}");
            in_order(&part);
            let all = (BEFORE + AFTER) * CHUNKS;
            assert_eq!(chunks(&part).len(), all, "{what}, {}: {said}", runtime.name);
            assert!(said.contains("0 chunks lost"), "{said}");
        }
    }
}

#[test]
fn closed_standard_streams() {
    let program = Program::compile("harm", majors()[0]);
    for runtime in &runtimes() {
        for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
            let plain = by_hand(&program, runtime, "nothing");
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("exec \"$@\" {closed}"), "sh"]);
            shell.arg(plain.get_program()).args(plain.get_args());
            let envs = plain.get_envs().filter_map(|(name, value)| Some((name, value?)));
            shell.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).envs(envs);
            let output = shell.output().unwrap();
            assert!(output.status.success(), "{closed}: {}", text(&output));
            let part = only_part(&program);
            assert_eq!(part.ending(), Ending::Clean, "{closed}");
            assert_eq!(chunks(&part).len(), (BEFORE + AFTER) * CHUNKS, "{closed}");
        }
    }
}

#[test]
fn a_truncated_part() {
    let program = Program::compile("harm", majors()[0]);
    for runtime in &runtimes() {
        for what in ["truncate", "truncate, signals blocked"] {
            let said = attack(&program, runtime, what);
            assert_eq!(said.matches("was truncated while it was recorded").count(), 1, "{said}");
            let part = only_part(&program);
            assert_eq!(part.head().lost_reason, Some(Reason::Truncated), "{said}");
            let mut report = clean(product("bin/ompchunk"));
            let report = report.arg("report").arg(program.trace()).output().unwrap();
            let report = String::from_utf8_lossy(&report.stdout).into_owned();
            let note = "the file was truncated while it was recorded";
            assert!(report.contains(note), "{report}");
            assert!(!report.contains("?+0x0"), "{report}");
            assert_eq!(part.ending(), Ending::Clean);
        }
    }
}

#[test]
fn a_part_that_is_removed() {
    let program = Program::compile("harm", majors()[0]);
    for runtime in &runtimes() {
        for what in ["remove", "replace", "remove directory", "close, remove directory", "move directory"] {
            let said = attack(&program, runtime, what);
            let told = said.matches("was removed or replaced while it was recorded").count();
            assert_eq!(told, 1, "{what}: {said}");
            if what != "replace" {
                assert!(said.contains("nothing is left of the recording: "), "{said}");
            }
            assert!(!said.contains("no OpenMP runtime asked"), "{said}");
            if what == "replace" {
                let left = std::fs::read_dir(program.trace()).unwrap();
                for entry in left.map(Result::unwrap) {
                    let words = std::fs::read(entry.path()).unwrap();
                    assert_eq!(words, b"The program's own.\n\0", "somebody else's file");
                }
            }
            if what == "move directory" {
                // What can still be kept is, wherever it is now.
                let moved = program.directory.path().join("mine/moved");
                let trace = Trace::open(&moved).unwrap();
                assert_eq!(chunks(&trace.parts[0]).len(), (BEFORE + AFTER) * CHUNKS);
            }
        }
    }
}

/// A process that changes its root directory finds nothing at the trace's path. Its part is not gone, and what another process
/// would make there is no part of the trace.
#[test]
fn another_root_directory() {
    let program = Program::compile("jailed", majors()[0]);
    let jail = tempfile::tempdir().unwrap();
    for runtime in &runtimes() {
        for who in ["self", "child"] {
            let words = [who, jail.path().to_str().unwrap()];
            let output = program.record(runtime, &[], &words).output().unwrap();
            if output.status.code() == Some(77) {
                eprintln!("skipped: no other root here: {}", text(&output));
                assert!(std::env::var_os("CI").is_none(), "CI needs chroot");
                return;
            }
            assert!(output.status.success(), "{who}: {}", text(&output));
            assert_eq!(output.stdout, b"done\n", "{who}");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!said.contains("removed or replaced"), "{who}: {said}");
            let not_recorded = said.matches("is not recorded: it has another root directory");
            let expected = usize::from(who == "child");
            assert_eq!(not_recorded.count(), expected, "{who}: {said}");
            let part = only_part(&program);
            assert_eq!(part.ending(), Ending::Clean, "{who}: {said}");
            assert_eq!(chunks(&part).len(), 2 * CHUNKS, "{who}: {said}");
            let made = std::fs::read_dir(jail.path()).unwrap().count();
            assert_eq!(made, 0, "{who}: {said}");
        }
    }
}

/// Threads that write at the same time do not look like somebody who truncates.
#[test]
fn an_ordinary_part() {
    let program = Program::compile("counted", majors()[0]);
    let counts = program.directory.path().join("counts");
    for runtime in &runtimes() {
        for _ in 0..5 {
            let arguments = [counts.to_str().unwrap(), "1500", "3"];
            let output = program.record(runtime, &[], &arguments).output().unwrap();
            assert!(output.status.success(), "{}", text(&output));
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains(" 1,500,000 chunks") && said.contains("0 chunks lost"), "{said}");
            assert!(!said.contains("truncated"), "{said}");
            assert_eq!(only_part(&program).head().lost_reason, None);
        }
    }
}

/// A process that goes on when the command has ended writes its part by itself.
#[test]
fn a_process_that_outlives_the_run() {
    let program = Program::compile("harm", majors()[0]);
    for runtime in &runtimes() {
        attack(&program, runtime, "outlive");
        // The process that was started may have a part too, if its runtime begins with it.
        let child = || {
            let parts = Trace::open(&program.trace()).unwrap().parts;
            parts.into_iter().find(|part| part.meta().forked_from.is_some())
        };
        let patience = std::time::Instant::now() + Duration::from_secs(60);
        while child().is_none_or(|part| part.ending() != Ending::Clean) {
            assert!(std::time::Instant::now() < patience, "it never ends");
            std::thread::sleep(Duration::from_millis(50));
        }
        let part = child().unwrap();
        in_order(&part);
        assert_eq!(chunks(&part).len(), 3000 * CHUNKS, "{}", runtime.name);
    }
}

/// By hand there is no one to keep what is not written yet; but that is little.
#[test]
fn killed_by_hand() {
    let program = Program::compile("harm", majors()[0]);
    for runtime in &runtimes() {
        let output = by_hand(&program, runtime, "killed later").output().unwrap();
        assert_eq!(output.status.signal(), Some(libc::SIGKILL), "{}", text(&output));
        let part = only_part(&program);
        assert!(matches!(part.ending(), Ending::Cut { .. }));
        // Between loops what was done is written; after a pause, at once.
        let told = chunks(&part).len();
        let all = (BEFORE + AFTER + 1) * CHUNKS;
        assert!((all - CHUNKS..=all).contains(&told), "{told}");
        in_order(&part);
    }
}

/// The program's own counts, by thread.
fn own_counts(path: &std::path::Path) -> Vec<u64> {
    let bytes = std::fs::read(path).unwrap();
    let first = bytes.chunks_exact(64).map(|line| line.first_chunk().unwrap());
    first.map(|count| u64::from_ne_bytes(*count)).collect()
}

/// Every chunk that a thread began to run is told, and at most one more for each thread: the event comes before the iteration.
#[test]
fn killed_at_any_time() {
    killed(&[], 25);
}

/// What is only added up is there as well.
#[test]
fn sums_killed_at_any_time() {
    killed(&["--aggregate"], 10);
}

fn killed(options: &[&str], times: usize) {
    let program = Program::compile("counted", majors()[0]);
    let counts = program.directory.path().join("counts");
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let runtimes = runtimes();
    for runtime in &runtimes {
        for _ in 0..times.div_ceil(runtimes.len()) {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let after = Duration::from_micros(2_000 + (random >> 33) % 150_000);
            let _ = std::fs::remove_file(&counts);
            let mut child = program
                .record(runtime, options, &[counts.to_str().unwrap(), "1000000000"])
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap();
            // The program counts, so it has begun.
            while !std::fs::metadata(&counts).is_ok_and(|metadata| metadata.len() > 0)
                || own_counts(&counts).iter().sum::<u64>() == 0
            {
                assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(after);
            let pids = Command::new("pgrep").arg("-P").arg(child.id().to_string()).output().unwrap();
            let pid: i32 = String::from_utf8(pids.stdout).unwrap().trim().parse().unwrap();
            // SAFETY: the program that was started above, which is not waited for yet.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
            let part = only_part(&program);
            in_order(&part);
            let own: u64 = own_counts(&counts).iter().sum();
            let told = all_chunks(&part);
            assert!((own..=own + 3).contains(&told), "{own} ran, {told} told, {after:?}");
        }
    }
}

#[test]
fn three_hundred_threads() {
    let program = Program::compile("counted", majors()[0]);
    let counts = program.directory.path().join("counts");
    for runtime in &runtimes() {
        let (trace, _) = program.recorded(runtime, &[], &[counts.to_str().unwrap(), "3", "300"]);
        let own: u64 = own_counts(&counts).iter().sum();
        assert_eq!(own, 3 * CHUNKS as u64);
        assert_eq!(chunks(&trace.parts[0]).len() as u64, own);
    }
}
