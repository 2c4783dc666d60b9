//! The OpenMP programs of this repository, as GCC compiles them: recorded on libomp they print and end as alone on libgomp, or it is said which
//! function keeps them there.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use ompchunk_testkit::inputs;

use crate::common::{clean, finish, ompchunk};
use crate::record::gcc::MOVED;

const FOLDERS: [&str; 4] = ["run", "coverage", "schedules", "promises_kept"];

/// As GCC compiles it, the one never ends; the other prints what nobody has set.
const LEFT_OUT: [&str; 2] = ["coverage/setjmp.c", "coverage/dealt_lastprivate.c"];

/// At least so many run on libomp; what GCC does not compile, and what cannot be moved, is the rest.
const LEAST: usize = 150;

#[derive(Debug, PartialEq, Eq)]
enum Became {
    /// Clang's alone.
    NotCompiled,
    Alike,
    /// Alone it prints now one thing, now another.
    Varies,
    /// By the function that keeps it there.
    Kept,
    Other(String),
}

fn programs() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = FOLDERS
        .iter()
        .flat_map(|folder| std::fs::read_dir(inputs().join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "c" || end == "cpp"))
        .filter(|path| !LEFT_OUT.iter().any(|left_out| path.ends_with(left_out)))
        .collect();
    all.sort();
    all
}

fn steered<'c>(command: &'c mut Command, at: &Path) -> &'c mut Command {
    // Which thread runs what is not what they shall agree in.
    command.current_dir(at).env("OMP_NUM_THREADS", "3").env("REPORT_VALUES", "1")
}

fn became(source: &Path) -> Became {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let compiler = if source.extension().is_some_and(|end| end == "c") { "gcc" } else { "g++" };
    let mut compile = clean(compiler);
    compile.args(["-O1", "-w", "-fopenmp", "-I"]).arg(inputs().join("run")).arg(source).args(["-o", "app", "-lm"]);
    if finish(compile.current_dir(at)).0 != Some(0) {
        return Became::NotCompiled;
    }
    let alone = || {
        let (code, printed, said) = finish(steered(&mut clean("./app"), at));
        (code, printed, said.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let mut record = ompchunk(&["record", "-o", "t", "./app"]);
    let (code, printed, said) = finish(steered(&mut record, at));
    let (ours, its): (Vec<&str>, Vec<&str>) = said.lines().partition(|line| line.starts_with("ompchunk: "));
    let its = its.into_iter().map(str::to_owned).collect();
    let is_kept = ours
        .iter()
        .any(|line| line.contains("does only a part of GOMP_") || line.contains("cannot take its calls of GOMP_"));
    let wanted = alone();
    if is_kept && code == Some(125) {
        return if (wanted.0, &wanted.1) == (Some(0), &printed) { Became::Kept } else { Became::Other(said) };
    }
    let found = (code, printed, its);
    if found != wanted {
        let varies = (0..20).any(|_| alone() != wanted);
        return if varies { Became::Varies } else { Became::Other(format!("{found:?}\nis not\n{wanted:?}\n{said}")) };
    }
    if ours.iter().any(|line| line.contains(MOVED)) { Became::Alike } else { Became::Other(said) }
}

#[test]
fn they_run_as_on_libgomp() {
    let left = Mutex::new(programs());
    let all = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap().pop();
                    let Some(source) = next else { break };
                    let found = became(&source);
                    all.lock().unwrap().push((source, found));
                }
            });
        }
    });
    let all = all.into_inner().unwrap();
    let others: Vec<_> = all.iter().filter(|(_, became)| matches!(became, Became::Other(_))).collect();
    assert!(others.is_empty(), "{others:?}");
    let count = |wanted: Became| all.iter().filter(|(_, became)| *became == wanted).count();
    let (alike, varies) = (count(Became::Alike), count(Became::Varies));
    println!("{alike} alike, {varies} vary, {} kept, of {}", count(Became::Kept), all.len());
    assert!(alike >= LEAST && varies <= 5, "{all:#?}");
}
