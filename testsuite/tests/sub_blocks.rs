//! Does every program compute the same, bit for bit, when a tool wants sub-blocks? And are these all of each chunk, in order, on the
//! thread that runs it without?
//!
//! One test per executed program of the suite and compiler (`run/`), and per case of `coverage/` with its Fortran. Each is built
//! without and with the plugin and run on each runtime with some team sizes, under the oracle, which judges chunks as ever and
//! sub-blocks beside them. Sub-blocks have few iterations, by `OMPCHUNK_PROFILE`, as programs here are short. Levels rotate;
//! `OMPCHUNK_FULL_MATRIX` has all.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use ompchunk_abi::{LOOP_CHANGEABLE, LOOP_DEALT, LOOP_DIVISIBLE, LOOP_REASSOCIATED};
use ompchunk_testsuite::coverage::build::Builder;
use ompchunk_testsuite::coverage::case::Case;
use ompchunk_testsuite::coverage::compiler::Compiler;
use ompchunk_testsuite::matrix::{self, Build};
use ompchunk_testsuite::oracle::Expected;
use ompchunk_testsuite::program::Program;
use ompchunk_testsuite::records::{self, Record};
use ompchunk_testsuite::runtime::{Attach, Runtime, oracle_tool};
use ompchunk_testsuite::schedules::plan;
use ompchunk_testsuite::session::Session;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist};

const LEVELS: [&str; 3] = ["-O0", "-O2", "-O3"];
/// How long sub-blocks are to be, in turn; the last: as long as the shim finds right.
const SIZES: [&str; 4] =
    ["reassociated,iterations=1", "reassociated,iterations=3", "reassociated,iterations=70", "reassociated"];
/// What is registered beside sub-blocks, in turn: dispatch, chunk, clock, loop.
const BESIDE: [[bool; 4]; 5] =
    [[true; 4], [false; 4], [true, true, false, false], [true, true, true, false], [true, false, false, true]];

fn main() -> ExitCode {
    let mut suite = Suite::default();
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    Llvm::each(&mut suite, |suite, major, llvm| {
        for program in Program::all().expect("readable programs") {
            if program.builds(llvm.major).is_empty() {
                continue;
            }
            for level in levels(&program.name, major) {
                let (llvm, source) = (llvm.clone(), program.source.clone());
                suite.scoped(format!("run/{}/clang-{major}{level}", program.name), move |dir| {
                    of_program(&source, &llvm, level, dir)
                });
            }
        }
    });
    for case in Case::all().expect("readable cases") {
        if case.proposed.is_empty() {
            suite.scoped(format!("coverage/{}", case.file), move |dir| of_case(&case, dir));
        }
    }
    suite.run()
}

fn levels(program: &str, major: u32) -> Vec<&'static str> {
    if matrix::is_full() {
        return LEVELS.into();
    }
    let sum: usize = program.bytes().map(usize::from).sum();
    vec![LEVELS[(sum + major as usize) % LEVELS.len()]]
}

/// A program, built both ways.
struct Subject<'a> {
    stock: PathBuf,
    instrumented: PathBuf,
    environments: &'a [Vec<(String, String)>],
    threads: &'a [u32],
    /// None where the output must do.
    expected: Option<Expected>,
    dir: &'a Path,
}

fn of_program(source: &Path, llvm: &Llvm, level: &'static str, dir: &Path) -> Result<()> {
    let program = Program::read(source)?;
    let build = Build { level, debug: level == "-O2" };
    let subject = Subject {
        stock: dir.join("stock"),
        instrumented: dir.join("instrumented"),
        environments: &program.environments,
        threads: &program.threads,
        expected: Some(Expected {
            dealt: program.dealt.clone(),
            monotonic: program.monotonic.clone(),
            cancelled: program.cancelled.clone(),
            unobserved: program.unobserved,
            ..Expected::default()
        }),
        dir,
    };
    program.compile(llvm, build, None, &subject.stock)?;
    let plugin = dist::plugin(llvm.major)?;
    program.compile(llvm, build, Some(&plugin), &subject.instrumented)?;
    subject.check()
}

fn of_case(case: &Case, dir: &Path) -> Result<()> {
    let compilers = Compiler::exact(case);
    if compilers.is_empty() {
        // No compiler of the table makes a program of it that is right: docs/coverage.md says why.
        return Ok(());
    }
    let plan = plan(&case.file, 1, 0, 1);
    let (name, compiler) = &compilers[plan.compiler % compilers.len()];
    let level = LEVELS[plan.runs[0].runtime % LEVELS.len()];
    let variant = if plan.debug { format!("{level} -g") } else { level.to_owned() };
    let builder = Builder { case, compiler, variant: &variant, dir };
    let context = format!("{name}, {variant}");
    let stock = builder.stock()?;
    let stock = stock.map_err(|said| anyhow::anyhow!("{context}: {}", said.stderr))?;
    let (instrumented, _) = builder.instrumented()?;
    let judged = !case.unjudged && !case.is_the_runtimes();
    let subject = Subject {
        stock,
        instrumented,
        environments: &case.environments,
        threads: &case.threads,
        expected: judged.then(|| case.expected()),
        dir,
    };
    subject.check().context(context)
}

impl Subject<'_> {
    fn check(&self) -> Result<()> {
        let records = records::of_file(&self.instrumented)?;
        for record in &records {
            let said = record.flags & (LOOP_DIVISIBLE | LOOP_REASSOCIATED);
            let says_one = said != 0 && said != LOOP_DIVISIBLE | LOOP_REASSOCIATED;
            let may_be = record.flags & (LOOP_CHANGEABLE | LOOP_DEALT) == LOOP_CHANGEABLE;
            ensure!(says_one || said == 0 && !may_be, "{record:?} does not say whether results stay the same");
        }
        let mut number = records.len();
        let mut seen = 0;
        for runtime in Runtime::complete() {
            for &threads in self.threads {
                for environment in self.environments {
                    number += 1;
                    let mut session = Session::new(&runtime, threads, self.dir);
                    session.environment = environment.clone();
                    // Runtimes warn of code that is not clang's.
                    let quiet = ("KMP_WARNINGS".to_owned(), "false".to_owned());
                    session.environment.push(quiet);
                    session.attach = [Attach::Preload, Attach::ToolLibraries][number % 2];
                    let size = SIZES[number % SIZES.len()];
                    let run = self.run(&session, size, BESIDE[number % BESIDE.len()]);
                    seen += run
                        .with_context(|| format!("on {}, {threads} threads, {size}, {environment:?}", runtime.name))?;
                }
            }
        }
        let cancels = self.environments.iter().flatten();
        let cancels = cancels.into_iter().any(|(name, _)| name == "OMP_CANCELLATION");
        ensure!(seen > 0 || cancels || !records.iter().all(is_divided) || records.is_empty(), "no sub-block was seen");
        Ok(())
    }

    /// Gives how many sub-blocks were seen; one, where nobody looks.
    fn run(&self, session: &Session, size: &str, beside: [bool; 4]) -> Result<u64> {
        let stock = session.run(&self.stock, &[])?;
        let mut divided = session.clone();
        let profile = ("OMPCHUNK_PROFILE".to_owned(), size.to_owned());
        divided.environment.push(profile);
        let [dispatch, chunk, clock, loops] = beside;
        let (shim, oracle) = (&*dist::shim()?, oracle_tool()?);
        // Without the events of chunks there is little to judge.
        let expected = self.expected.as_ref().filter(|_| dispatch || chunk);
        let (output, seen) = match expected {
            Some(expected) => {
                let expected = Expected { dispatch, chunk, clock, loops, sub_blocks: true, ..expected.clone() };
                let (output, verdict) = divided.observe(&self.instrumented, &[shim, oracle], &expected)?;
                (output, verdict.sub_blocks)
            }
            None => {
                let mut command = divided.command(&self.instrumented, &[shim, oracle]);
                command.env("ORACLE_LOG", &session.log);
                command.env("ORACLE_EVENTS", "sub-block");
                (child::succeed(&mut command)?.stdout, 1)
            }
        };
        ensure!(output == stock, "the output is\n{output}instead of\n{stock}");
        Ok(seen)
    }
}

/// Are there sub-blocks, if it runs at all?
fn is_divided(record: &Record) -> bool {
    record.flags & (LOOP_CHANGEABLE | LOOP_DEALT) == LOOP_CHANGEABLE && record.schedule == 34
}
