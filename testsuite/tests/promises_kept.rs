//! Do programs that rely on which thread runs which iteration, as OpenMP 5.2 promises in 11.5.3, or leave something for the next iteration
//! of a chunk, compute what they compute as compiled, whatever `OMPCHUNK_SCHEDULE` orders?
//!
//! A program of `promises_kept/` has a function for each way to rely on it, and prints how many values each found wrong. Its last lines say how it is
//! built, once, and run. By name a group changes as one or not at all, chunks are cut, and where a promise may go, a line says which.
//!
//! | directive | meaning |
//! |---|---|
//! | `BUILD: clang-22 -O2` | a compiler and its flags, beside `-g`; each line is a test |
//! | `TEAMS: 2x6 …` | team sizes, and the number of rounds with each |
//! | `ENV: NAME=value …` | variables; several lines, several runs under each order, and the first one's elsewhere |
//! | `ORDER: …` | under it no value is wrong, with any of these teams |
//! | `LINES: -O2` | builds with other flags have orders alone, and not the lines below |
//! | `RIGHT: function 5x8 => order` | of that function none is, and nothing is said that was not asked for |
//! | `RIGHT: function 5x8 => order => words` | the same, and this is said |
//! | `SAID: …` | this is said, whatever the values are |
//! | `UNSAID: …` | this is not |
//! | `WRONG: …` | this is said once, and a value is wrong; else the lines above would show nothing |
//! | `BROKEN: …` | this is said, and that it may break a promise; of all such lines, one at least finds a wrong value |

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use ompchunk_testsuite::child::{self, Finished};
use ompchunk_testsuite::directives::Directives;
use ompchunk_testsuite::facts::{Environment, environment, sources};
use ompchunk_testsuite::runtime::{Attach, Runtime};
use ompchunk_testsuite::schedules::VARIABLE;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{dist, program};

const LINES: [&str; 5] = ["RIGHT", "SAID", "UNSAID", "WRONG", "BROKEN"];
const OTHERS: [&str; 5] = ["BUILD", "TEAMS", "ENV", "ORDER", "LINES"];

pub fn trials(suite: &mut Suite) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    for source in sources(&folder(), &["c", "f90"]).expect("programs") {
        let file = source.file_name().expect("a file").to_string_lossy().into_owned();
        let directives = Directives::read(&source, &[&LINES[..], &OTHERS].concat()).expect("directives");
        for build in directives.all("BUILD") {
            let (compiler, flags) = build.split_once(' ').expect("a compiler and flags");
            let (driver, major) = compiler.split_once('-').expect("a compiler and its major");
            let major = major.parse().expect("a major");
            let found = if driver == "flang" { Llvm::find_flang(major) } else { Llvm::find(major) };
            suite.needs(compiler, found, |suite, llvm| {
                let (source, flags) = (source.clone(), flags.to_owned());
                suite
                    .scoped(format!("{file}/{build}"), move |dir| Subject::build(&source, &llvm, &flags, dir)?.judge());
            });
        }
    }
    suite.needs("clang-22", Llvm::find(22), |suite, llvm| {
        suite.scoped("inline_in_two_objects", move |dir| inline_in_two_objects(&llvm, dir));
    });
}

fn folder() -> PathBuf {
    dist::testsuite().join("promises_kept")
}

fn run(
    runtime: &Runtime,
    program: &Path,
    threads: u32,
    order: &str,
    environment: &Environment,
    arguments: &[&str],
) -> Result<Finished> {
    let mut command = runtime.command(program, threads);
    command.args(arguments).env(VARIABLE, order).envs(environment.iter().map(|(name, value)| (name, value)));
    Attach::Preload.apply(&mut command, &[&*dist::restless_shim()?]);
    child::succeed(&mut command).with_context(|| format!("{}, {threads} threads, {order}", runtime.name))
}

/// No function of the program found a wrong value.
fn is_right(finished: &Finished) -> Result<()> {
    let wrong: Vec<&str> = finished.stdout.lines().filter(|line| !line.ends_with(": 0 wrong")).collect();
    ensure!(wrong.is_empty() && !finished.stdout.is_empty(), "{wrong:?}\n{}", finished.stderr);
    Ok(())
}

/// A program, and what it says of itself.
struct Subject {
    program: PathBuf,
    flags: String,
    directives: Directives,
    environments: Vec<Environment>,
}

impl Subject {
    fn build(source: &Path, llvm: &Llvm, flags: &str, dir: &Path) -> Result<Subject> {
        let program = dir.join("program");
        let plugin = dist::plugin(llvm.major)?;
        let mut command = match source.extension().is_some_and(|extension| extension == "f90") {
            true => {
                let mut flang = child::command(llvm.tool("flang"));
                // Its modules go where it is run.
                flang.arg("-fopenmp").arg(format!("-fpass-plugin={}", plugin.display())).current_dir(dir);
                flang
            }
            false => program::compiler(llvm, source, Some(&plugin)),
        };
        child::succeed(command.arg("-g").args(flags.split(' ')).arg(source).arg("-o").arg(&program))?;
        let directives = Directives::read(source, &[&LINES[..], &OTHERS].concat())?;
        let environments = directives.all("ENV").map(environment).collect::<Result<_>>()?;
        Ok(Subject { program, flags: flags.to_owned(), directives, environments })
    }

    fn judge(&self) -> Result<()> {
        let mut broken = Vec::new();
        for runtime in Runtime::complete() {
            self.orders(&runtime)?;
            let has_lines = self.directives.one("LINES").is_none_or(|flags| flags == self.flags);
            for (way, line) in self.directives.iter().filter(|(way, _)| has_lines && LINES.contains(way)) {
                self.line(&runtime, way, line, &mut broken)
                    .with_context(|| format!("{}, {way}: {line}", runtime.name))?;
            }
        }
        ensure!(broken.is_empty() || broken.contains(&true), "nothing relies on anything");
        Ok(())
    }

    /// Every way to rely on it, under every kind of schedule.
    fn orders(&self, runtime: &Runtime) -> Result<()> {
        for team in self.directives.words::<String>("TEAMS")? {
            for order in self.directives.all("ORDER") {
                for environment in &self.environments {
                    let finished = self.run(runtime, &team, order, environment, &[])?;
                    is_right(&finished)
                        .with_context(|| format!("{}, {team}, {order}, {environment:?}", runtime.name))?;
                }
            }
        }
        Ok(())
    }

    /// `team`: so many threads, `x`, so many rounds.
    fn run(
        &self,
        runtime: &Runtime,
        team: &str,
        order: &str,
        environment: &Environment,
        function: &[&str],
    ) -> Result<Finished> {
        let (threads, rounds) = team.split_once('x').with_context(|| format!("a team {team}"))?;
        run(runtime, &self.program, threads.parse()?, order, environment, &[&[rounds], function].concat())
    }

    /// One function under one order.
    fn line(&self, runtime: &Runtime, way: &str, line: &str, broken: &mut Vec<bool>) -> Result<()> {
        let parts: Vec<&str> = line.split(" => ").collect();
        let (subject, order, words) = match parts[..] {
            [subject, order] if way == "RIGHT" => (subject, order, None),
            [subject, order, words] => (subject, order, Some(words)),
            _ => bail!("function team => order => words"),
        };
        let (function, team) = subject.split_once(' ').context("a function and a team")?;
        let run = || self.run(runtime, team, order, &self.environments[0], &[function]);
        let mut finished = run()?;
        for _ in 1..10 {
            // Beside other programs one thread may get all that the runtime deals.
            if way == "WRONG" && is_right(&finished).is_ok() {
                finished = run()?;
            }
        }
        let lines = || finished.stderr.lines();
        let said = words.map_or(0, |words| lines().filter(|line| line.contains(words)).count());
        let is_right = is_right(&finished).is_ok();
        let asked_for =
            |line: &str| [", too: ", "may break", "no loop that ran"].iter().any(|words| line.contains(words));
        let fits = match way {
            "RIGHT" if words.is_none() => is_right && lines().all(asked_for),
            "RIGHT" => is_right && said > 0,
            "SAID" => said > 0,
            "UNSAID" => said == 0,
            "WRONG" => said == 1 && !is_right,
            _ => {
                broken.push(!is_right);
                said > 0 && finished.stderr.contains("may break a promise")
            }
        };
        ensure!(fits, "{finished:?}");
        Ok(())
    }
}

/// One object has the plugin's code of an inline function, the other has none, or one that cannot be changed.
fn inline_in_two_objects(llvm: &Llvm, dir: &Path) -> Result<()> {
    let plugin = dist::plugin(llvm.major)?;
    let object = |file: &str, to: &str, plugin: Option<&Path>, copies: Option<&str>| {
        let (source, object) = (folder().join(file), dir.join(to));
        let mut command = program::compiler(llvm, &source, plugin);
        if let Some(copies) = copies {
            command.env("OMPCHUNK_COPIES", copies);
        }
        command.args(["-g", "-O2", "-c"]).arg(&source).arg("-o").arg(&object);
        child::succeed(&mut command).map(|_| object)
    };
    let with = object("there.cpp", "there.o", Some(&plugin), None)?;
    let others = [
        object("here.cpp", "plain.o", None, None)?,
        object("here.cpp", "report.o", Some(&plugin), Some("report"))?,
        object("here.cpp", "same.o", Some(&plugin), None)?,
    ];
    let restless = environment("OMPCHUNK_BALANCE=restless")?;
    for here in &others {
        let program = dir.join("inline");
        let mut link = program::compiler(llvm, &folder().join("there.cpp"), None);
        child::succeed(link.arg(&with).arg(here).arg("-o").arg(&program))?;
        for runtime in Runtime::complete() {
            for order in ["*=dynamic,3", "inline.h=static,7", "loop=dynamic,3"] {
                let finished = run(&runtime, &program, 4, order, &restless, &[])?;
                is_right(&finished).with_context(|| format!("{order}, {}", here.display()))?;
            }
        }
    }
    Ok(())
}
