//! Does an instrumented program compute what it computed, and are its events exact?
//!
//! One test per program of `run/`, compiler and build ([`ompchunk_testsuite::matrix`] says which
//! builds). Each compiles the program without and with the plugin and runs it with each team size on
//! each runtime:
//!
//! | build | process | expected |
//! |---|---|---|
//! | stock | alone | the output to compare with |
//! | plugin | no shim | same output |
//! | plugin | shim, no tool | same output |
//! | plugin | shim and oracle | same output, every event exact, as many iterations seen as printed |
//! | plugin | shim and oracle that registers less | same output, exact in what it registered |
//! | stock | shim and oracle | same output, and for programs without static loops as many of the runtime's own events as without shim |

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::log::Log;
use ompchunk_testsuite::matrix::Build;
use ompchunk_testsuite::oracle::{self, Expected, Verdict};
use ompchunk_testsuite::program::Program;
use ompchunk_testsuite::runtime::{Attach, Runtime, oracle_tool};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, records, workdir};
use regex::Regex;

fn main() -> ExitCode {
    let mut suite = Suite::default();
    suite.needs("second runtime", Runtime::libiomp5(), |_, _| {});
    for (major, llvm) in Llvm::all() {
        suite.needs(&format!("clang-{major}"), llvm, |suite, llvm| {
            for program in Program::all().expect("readable programs") {
                for build in program.builds(llvm.major) {
                    let name = format!("{}/clang-{}/{}", program.name, llvm.major, build.name());
                    let (source, llvm) = (program.source.clone(), llvm.clone());
                    suite.test(name.clone(), move || {
                        workdir::scoped(&name, |dir| {
                            Case::build(&source, &llvm, build, dir)?.check()
                        })
                    });
                }
            }
        });
    }
    suite.run()
}

/// A program, built both ways.
struct Case {
    program: Program,
    stock: PathBuf,
    instrumented: PathBuf,
    attach: Attach,
    log: PathBuf,
}

/// One way to run it.
struct Setting<'a> {
    runtime: &'a Runtime,
    threads: u32,
    environment: &'a [(String, String)],
}

impl Case {
    fn build(source: &Path, llvm: &Llvm, build: Build, dir: &Path) -> Result<Case> {
        let program = Program::read(source)?;
        let (stock, instrumented) = (dir.join("stock"), dir.join("instrumented"));
        program.compile(llvm, build, None, &stock)?;
        program.compile(llvm, build, Some(&dist::plugin(llvm.major)?), &instrumented)?;
        // Both ways to attach are used all over the matrix.
        let attach = if build.debug {
            Attach::Preload
        } else {
            Attach::ToolLibraries
        };
        Ok(Case {
            program,
            stock,
            instrumented,
            attach,
            log: dir.join("oracle.log"),
        })
    }

    fn check(&self) -> Result<()> {
        let loops = records::of_file(&self.instrumented)?.len();
        ensure!(
            loops == self.program.loops,
            "{loops} loop records, but {} loops are expected to be instrumented",
            self.program.loops
        );
        for runtime in &Runtime::installed() {
            for (number, &threads) in self.program.threads.iter().enumerate() {
                for environment in &self.program.environments {
                    let setting = Setting {
                        runtime,
                        threads,
                        environment,
                    };
                    self.check_setting(&setting, number).with_context(|| {
                        format!("on {}, {threads} threads, {environment:?}", runtime.name)
                    })?;
                }
            }
        }
        Ok(())
    }

    fn check_setting(&self, setting: &Setting, number: usize) -> Result<()> {
        let shim = dist::shim()?;
        let oracle = oracle_tool()?;
        let stock = self.run(&self.stock, setting, &[], |_| {})?;
        let same = |output: String, what: &str| {
            ensure!(
                output == stock,
                "{what}: the output is\n{output}instead of\n{stock}"
            );
            Ok(())
        };
        same(
            self.run(&self.instrumented, setting, &[], |_| {})?,
            "no shim",
        )?;
        same(
            self.run(&self.instrumented, setting, &[&shim], |_| {})?,
            "shim without tool",
        )?;

        let (output, verdict) = self.judge(&self.instrumented, setting, &[&shim, oracle], All)?;
        same(output, "shim and oracle")?;
        // What a cancelled loop ran depends on time, and no output tells of it.
        let mut seen = verdict.iterations;
        seen.retain(|the_loop, _| !self.program.cancelled.contains(the_loop));
        let printed = printed_runs(&stock);
        ensure!(
            self.program.unobserved || seen == printed,
            "the oracle saw {seen:?}, the program says {printed:?}"
        );

        let registered = [
            Only("chunk"),
            Only("dispatch"),
            Only("dispatch,chunk"),
            Only("chunk,clock"),
        ];
        let registered = registered[number % registered.len()];
        same(
            self.judge(&self.instrumented, setting, &[&shim, oracle], registered)?
                .0,
            "fewer callbacks",
        )?;

        if self.program.loops == 0 {
            let (_, alone) = self.judge(&self.stock, setting, &[oracle], All)?;
            let (output, shimmed) = self.judge(&self.stock, setting, &[&shim, oracle], All)?;
            same(output, "stock program with shim")?;
            for (what, found) in [
                ("stock", shimmed.runtimes_own),
                ("instrumented", verdict.runtimes_own),
            ] {
                ensure!(
                    found == alone.runtimes_own,
                    "{what}: {found} of the runtime's {} events arrived",
                    alone.runtimes_own
                );
            }
        }
        Ok(())
    }

    fn run(
        &self,
        program: &Path,
        setting: &Setting,
        libraries: &[&Path],
        adjust: impl FnOnce(&mut Command),
    ) -> Result<String> {
        let mut command = setting.runtime.command(program, setting.threads);
        command.envs(
            setting
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        );
        if !libraries.is_empty() {
            self.attach.apply(&mut command, libraries);
        }
        adjust(&mut command);
        let finished = child::succeed(&mut command)?;
        ensure!(
            finished.stderr.is_empty(),
            "{command:?}\nprinted on stderr:\n{}",
            finished.stderr
        );
        Ok(finished.stdout)
    }

    /// Runs under the oracle; any violation is an error.
    fn judge(
        &self,
        program: &Path,
        setting: &Setting,
        libraries: &[&Path],
        registered: Registered,
    ) -> Result<(String, Verdict)> {
        // The log of an earlier run must not be taken for this one's.
        let _ = std::fs::remove_file(&self.log);
        let output = self.run(program, setting, libraries, |command| {
            command.env("ORACLE_LOG", &self.log);
            if let Only(events) = registered {
                command.env("ORACLE_EVENTS", events);
            }
        })?;
        let text = std::fs::read_to_string(&self.log).context("the oracle wrote no log")?;
        let verdict = oracle::judge(
            &Log::parse(&text)?,
            &Expected {
                left_alone: self.program.left_alone.clone(),
                cancelled: self.program.cancelled.clone(),
                unobserved: self.program.unobserved,
                dispatch: registered.has("dispatch"),
                chunk: registered.has("chunk"),
                clock: registered.has("clock"),
            },
        );
        let violations = &verdict.violations;
        ensure!(
            violations.is_empty(),
            "{registered:?}: {} violations, the first of them:\n{}",
            violations.len(),
            violations
                .iter()
                .take(5)
                .map(|v| format!("  {v}\n"))
                .collect::<String>()
        );
        Ok((output, verdict))
    }
}

/// What the oracle registers.
#[derive(Debug, Clone, Copy)]
enum Registered {
    All,
    Only(&'static str),
}
use Registered::{All, Only};

impl Registered {
    fn has(self, event: &str) -> bool {
        match self {
            All => true,
            Only(events) => events.contains(event),
        }
    }
}

/// The runs per loop that the program's reports name.
fn printed_runs(output: &str) -> BTreeMap<u64, u64> {
    let report = Regex::new(r"(?m)^loop (\d+): (\d+) runs").expect("a regex");
    let mut runs = BTreeMap::new();
    for found in report.captures_iter(output) {
        let number = |at: usize| found[at].parse::<u64>().expect("digits");
        if number(2) > 0 {
            *runs.entry(number(1)).or_default() += number(2);
        }
    }
    runs
}
