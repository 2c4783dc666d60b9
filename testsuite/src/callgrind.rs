//! What functions execute, counted by valgrind's callgrind. Parsing is pure.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::runtime::{Attach, Runtime};
use crate::suite::{Missing, Suite};
use crate::toolchain::Llvm;
use crate::{child, dist, program};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    pub instructions: u64,
    pub loads: u64,
    pub stores: u64,
    pub branches: u64,
}

impl Cost {
    pub fn plus(self, other: Cost) -> Cost {
        self.with(other, u64::wrapping_add)
    }

    /// This without the other, which is part of it.
    pub fn minus(self, other: Cost) -> Cost {
        self.with(other, u64::wrapping_sub)
    }

    fn with(self, other: Cost, of: impl Fn(u64, u64) -> u64) -> Cost {
        Cost {
            instructions: of(self.instructions, other.instructions),
            loads: of(self.loads, other.loads),
            stores: of(self.stores, other.stores),
            branches: of(self.branches, other.branches),
        }
    }
}

/// By function: the cost of it and of what it called, summed over all its calls and all threads.
pub type Counts = BTreeMap<String, Cost>;

pub fn find() -> Result<(), Missing> {
    match Command::new("valgrind").arg("--version").output() {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err(Missing::Here("valgrind is not installed: apt-get install valgrind".into())),
    }
}

pub fn suite_on_libiomp5(suite: &mut Suite, test: fn(&Llvm, &Runtime, &Path) -> Result<()>) {
    suite.needs("instruction counts", find(), |suite, ()| {
        suite.needs("second runtime", Runtime::libiomp5(), |suite, runtime| {
            Llvm::each_counted(suite, |suite, major, llvm| {
                let runtime = runtime.clone();
                suite.scoped(format!("clang-{major}"), move |dir| test(&llvm, &runtime, dir));
            });
        });
    });
}

/// Tests on every runtime that there is, one for each clang.
pub fn suite(suite: &mut Suite, test: fn(&Llvm, &Path) -> Result<()>) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    suite.needs("instruction counts", find(), |suite, ()| {
        Llvm::each_counted(suite, |suite, major, llvm| {
            suite.scoped(format!("clang-{major}"), move |dir| test(&llvm, dir));
        });
    });
}

/// The same at each of these levels of optimization.
pub fn suite_of_levels(suite: &mut Suite, levels: &'static [&str], test: fn(&Llvm, &str, &Path) -> Result<()>) {
    suite.needs("instruction counts", find(), |suite, ()| {
        Llvm::each_counted(suite, |suite, major, llvm| {
            for level in levels {
                let llvm = llvm.clone();
                suite.scoped(format!("clang-{major}{level}"), move |dir| test(&llvm, level, dir));
            }
        });
    });
}

/// Compiles a program of `callgrind/`. Symbols are bound before anything is counted.
pub fn compile(llvm: &Llvm, source: &str, plugin: Option<&Path>, flags: &[&str], dir: &Path) -> Result<PathBuf> {
    let source = dist::testsuite().join("callgrind").join(source);
    let to = dir.join(if plugin.is_some() { "plugin" } else { "plain" });
    let mut clang = program::compiler(llvm, &source, plugin);
    clang.arg("-Wl,-z,now").args(flags).arg(&source);
    child::succeed(clang.arg("-o").arg(&to))?;
    Ok(to)
}

/// Runs it with these tools; the one of `callgrind/` has the callback of that name, if it is not empty.
pub fn listened(runtime: &Runtime, program: &Path, threads: u32, libraries: &[&Path], callback: &str) -> Command {
    let mut command = runtime.command(program, threads);
    if !libraries.is_empty() {
        Attach::ToolLibraries.apply(&mut command, libraries);
    }
    if !callback.is_empty() {
        command.env("CALLBACK", callback);
    }
    command
}

/// Tasks by which the two lengths of `tasks.c` differ.
const TASKS: u64 = 40;

/// `tasks.c`, without and with the plugin. Padding before an aligned loop is an instruction too, or none.
pub fn compile_tasks(llvm: &Llvm, dir: &Path) -> Result<[PathBuf; 2]> {
    let flags = ["-O2", "-falign-loops=1"];
    let plugin = dist::plugin(llvm.major)?;
    let compile = |plugin: Option<&Path>| compile(llvm, "tasks.c", plugin, &flags, dir);
    Ok([compile(None)?, compile(Some(&plugin))?])
}

/// Instructions per task that runs then, with the runtime's.
pub fn count_tasks(command: &Command, when: &str, dir: &Path) -> Result<f64> {
    let counts = parse(&run(command, dir, &[])?)?;
    let of = |length: &str| {
        let function = format!("{length}_{when}");
        let cost = counts.get(&function);
        cost.with_context(|| format!("callgrind saw no {function}"))
    };
    let (few, many) = (of("few")?, of("many")?);
    ensure!(many.instructions > few.instructions, "{when}: {few:?} for few tasks, {many:?} for many");
    Ok(many.minus(*few).instructions as f64 / TASKS as f64)
}

/// Runs a program under callgrind; the command's environment is kept.
pub fn count(command: &Command, dir: &Path) -> Result<Counts> {
    // For loads, stores and branches; what they simulate beside is not looked at.
    let text = run(command, dir, &["--cache-sim=yes", "--branch-sim=yes"])?;
    parse(&text)
}

/// By executable or library, the instructions of the whole program.
pub fn count_by_object(command: &Command, dir: &Path) -> Result<BTreeMap<String, u64>> {
    by_object(&run(command, dir, &[])?)
}

fn run(command: &Command, dir: &Path, options: &[&str]) -> Result<String> {
    let file = dir.join("callgrind.out");
    let mut valgrind = child::command("valgrind");
    valgrind.args(["--tool=callgrind", "--compress-strings=no", "--compress-pos=no"]);
    valgrind.args(options);
    valgrind.arg(format!("--callgrind-out-file={}", file.display()));
    // A recording that no variable names goes where the program runs.
    valgrind.arg(command.get_program()).args(command.get_args()).current_dir(dir);
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => valgrind.env(name, value),
            None => valgrind.env_remove(name),
        };
    }
    child::succeed(&mut valgrind)?;
    std::fs::read_to_string(&file).context("callgrind's output")
}

/// Sums the cost lines below each `ob=`, without those of calls, by file name.
fn by_object(text: &str) -> Result<BTreeMap<String, u64>> {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    let (mut object, mut of_call) = (String::new(), false);
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("ob=") {
            object = path.rsplit('/').next().unwrap_or_default().to_owned();
        } else if line.starts_with("calls=") {
            of_call = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit()) && !std::mem::take(&mut of_call) {
            let cost = cost(line, &["Ir"]).with_context(|| line.to_owned())?;
            *sums.entry(object.clone()).or_default() += cost.instructions;
        }
    }
    Ok(sums)
}

/// Sums the cost lines below each `fn=`: a call's line holds everything that was called.
fn parse(text: &str) -> Result<Counts> {
    let mut counts = Counts::new();
    let mut events: Vec<&str> = Vec::new();
    let mut function = None;
    for line in text.lines() {
        if let Some(names) = line.strip_prefix("events: ") {
            events = names.split_whitespace().collect();
        } else if let Some(name) = line.strip_prefix("fn=") {
            function = Some(name.to_owned());
        } else if line.starts_with(|c: char| c.is_ascii_digit())
            && let Some(name) = &function
        {
            let cost = cost(line, &events).with_context(|| line.to_owned())?;
            let sum = counts.entry(name.clone()).or_default();
            *sum = sum.plus(cost);
        }
    }
    Ok(counts)
}

/// The cost in a line with a position and as many numbers as there are events; zeros at the end are left out.
fn cost(line: &str, events: &[&str]) -> Result<Cost> {
    let mut cost = Cost::default();
    for (number, event) in line.split_whitespace().skip(1).zip(events) {
        let number: u64 = number.parse()?;
        match *event {
            "Ir" => cost.instructions += number,
            "Dr" => cost.loads += number,
            "Dw" => cost.stores += number,
            "Bc" | "Bi" => cost.branches += number,
            _ => {}
        }
    }
    Ok(cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_count_for_the_caller() {
        let text = "events: Ir Dr Dw I1mr Bc Bcm Bi\n\nfl=a.c\nfn=main\n16 400 10 20 9 30 9 1\ncfn=f\n\
                    calls=2 50\n16 1000\n17 5 1\n\nfn=f\n51 1000\n\nfn=main\n18 1\ntotals: 1406\n";
        let counts = parse(text).unwrap();
        let of_main = Cost { instructions: 1406, loads: 11, stores: 20, branches: 31 };
        assert_eq!(counts["main"], of_main);
        assert_eq!(counts["f"].instructions, 1000);
        assert_eq!(of_main.minus(of_main), Cost::default());
        assert!(parse("events: Ir\nfn=f\n1 x\n").is_err());
    }

    #[test]
    fn calls_count_for_the_object_that_is_called() {
        let text = "events: Ir\n\nob=/bin/a\nfl=a.c\nfn=main\n16 400\ncob=/lib/b.so\ncfn=f\n\
                    calls=2 50\n16 1000\n17 5\n\nob=/lib/b.so\nfn=f\n51 1000\n\ntotals: 1405\n";
        let sums = by_object(text).unwrap();
        assert_eq!((sums["a"], sums["b.so"]), (405, 1000));
    }
}
