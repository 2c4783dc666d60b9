//! Do loops that rely on each other's threads run as one where the program finds out itself how they run?
//!
//! Chains of `nowait` loops of all widths and directions, one of which leaves its last value, in teams of all sizes and with few and
//! many iterations. The program notes by which thread each iteration ran.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::child::{self, Finished};
use ompchunk_testsuite::runtime::{Attach, Runtime};
use ompchunk_testsuite::schedules::VARIABLE;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{dist, program, records};

pub fn trials(suite: &mut Suite) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    suite.needs("third runtime", Runtime::libomp16(), |_, _| {});
    Llvm::newest(
        suite,
        &[
            ("groups_as_one", groups_as_one),
            ("groups_of_several_threads", groups_of_several_threads),
            ("groups_of_another_run", groups_of_another_run),
        ],
    );
}

/// Nothing went wrong, and something ran.
fn is_right(finished: &Finished) -> Result<()> {
    let right = finished.stdout.contains(" iterations, 0 wrong\n");
    ensure!(right, "{finished:?}");
    Ok(())
}

/// A program of a group of six loops and one of two.
fn groups(llvm: &Llvm, dir: &Path, level: &str) -> Result<PathBuf> {
    let source = dist::testsuite().join("schedules/group.c");
    let program = dir.join("group");
    let mut command = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
    command.args(["-g", "-pthread", "-Wl,--build-id", level]);
    child::succeed(command.arg(&source).arg("-o").arg(&program))?;
    let records = records::of_file(&program)?;
    let mut sizes: Vec<usize> = records.iter().map(|record| record.group.len()).collect();
    sizes.sort_unstable();
    ensure!(sizes == [2, 2, 6, 6, 6, 6, 6, 6], "{sizes:?}");
    Ok(program)
}

/// Runs it with any blocks and ways; or, where its iterations cost something, with those that are found out.
fn group(
    program: &Path,
    (runtime, threads): (&Runtime, u32),
    order: &str,
    (cost, primaries): (u32, u32),
    more: &[(&str, &str)],
) -> Result<Finished> {
    let mut command = runtime.command(program, threads);
    command.args([threads, cost, primaries].map(|number| number.to_string()));
    command.env(VARIABLE, order);
    if cost == 0 {
        command.env("OMPCHUNK_BALANCE", "restless");
    }
    command.envs(more.iter().copied());
    Attach::Preload.apply(&mut command, &[&*dist::restless_shim()?]);
    let finished = child::succeed(&mut command)?;
    let context = || format!("{}, {order}, {threads}, {cost}, {primaries}, {more:?}", runtime.name);
    // Who changes one alone is found out.
    match order.starts_with('!') {
        true => ensure!(is_right(&finished).is_err(), "{}", context()),
        false => is_right(&finished).with_context(context)?,
    }
    Ok(finished)
}

/// All loops of a group give a thread the same iterations, however they run.
fn groups_as_one(llvm: &Llvm, dir: &Path) -> Result<()> {
    for (number, runtime) in Runtime::installed().iter().enumerate() {
        let program = groups(llvm, dir, ["-O0", "-O2", "-O1"][number % 3])?;
        for threads in 1..=8 {
            let on = (runtime, threads);
            for order in ["*=balanced", "*=adaptive", "group.c:78=adaptive; again=balanced"] {
                for cost in [0, 40] {
                    let said = group(&program, on, order, (cost, 1), &[])?.stdout;
                    let differ = said.ends_with("parts differ\n");
                    let context = || format!("{}, {order}, {threads}, {cost}", runtime.name);
                    ensure!(differ == (threads > 1), "{}: {said}", context());
                }
            }
        }
        let on = (runtime, 4);
        group(&program, on, "!group.c:78=adaptive; *=adaptive", (0, 1), &[])?;
        // Where the last thread may not have the last iteration, no loop of a group has blocks.
        let greedy = [("KMP_SCHEDULE", "static,greedy")];
        let said = group(&program, on, "*=balanced", (0, 1), &greedy)?.stdout;
        ensure!(said.ends_with("alike\n"), "{}: {said}", runtime.name);
        group(&program, on, "*=adaptive", (0, 1), &greedy)?;
        // To somebody who listens, and knows pairs of loops.
        for order in ["*=balanced", "*=adaptive", "chain=static,3|balanced"] {
            let check = [("OMPCHUNK_RUN", "check=1")];
            let said = group(&program, on, order, (0, 1), &check)?.stderr;
            ensure!(said.contains("nothing moved: 18 pairs of 8 loops"), "{said}");
        }
    }
    Ok(())
}

/// Several threads begin regions with the same groups at once: what one knows of a group says nothing of another's.
fn groups_of_several_threads(llvm: &Llvm, dir: &Path) -> Result<()> {
    let program = groups(llvm, dir, "-O2")?;
    for runtime in Runtime::installed() {
        for order in ["*=balanced", "*=adaptive", "chain=adaptive; again=balanced"] {
            for (cost, primaries) in [(0, 2), (0, 4), (20, 3)] {
                for threads in [2, 5] {
                    let on = (&runtime, threads);
                    group(&program, on, order, (cost, primaries), &[])?;
                    // Loops that are too short run as compiled, and are looked at now and then.
                    let calm = [("OMPCHUNK_BALANCE", "")];
                    group(&program, on, order, (cost, primaries), &calm)?;
                }
            }
        }
    }
    Ok(())
}

/// There is one line for a group, also in what the next run begins with. If that says that it is dealt, it is not.
fn groups_of_another_run(llvm: &Llvm, dir: &Path) -> Result<()> {
    let program = groups(llvm, dir, "-O1")?;
    let file = dir.join("learned");
    let learned = file.display().to_string();
    let costs = vec!["1"; 256].join(",");
    let more = [("OMPCHUNK_LEARNED", &*learned), ("OMPCHUNK_RUN", "decisions=-")];
    for runtime in Runtime::complete() {
        std::fs::write(&file, "")?;
        for _ in 0..3 {
            let Finished { stderr: said, .. } = group(&program, (&runtime, 2), "*=adaptive", (60, 1), &more)?;
            let is_dealt = said.contains("guided") || said.contains("dynamic");
            ensure!(said.lines().count() == 3 && !is_dealt, "{said}");
            let text = std::fs::read_to_string(&file)?;
            let mut edited = String::new();
            for line in text.lines() {
                let edited_line = match &line.split('\t').collect::<Vec<_>>()[..] {
                    [build, place, _, _] => format!("{build}\t{place}\tguided,3\t{costs}\n"),
                    _ => format!("{line}\n"),
                };
                edited.push_str(&edited_line);
            }
            std::fs::write(&file, edited)?;
        }
        let text = std::fs::read_to_string(&file)?;
        ensure!(text.matches("guided,3").count() == 2, "{text}");
    }
    Ok(())
}
