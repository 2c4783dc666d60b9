//! Does every program compute the same under any schedule that `OMPCHUNK_SCHEDULE` orders?
//!
//! One test per executed program of the suite (`run/`, and `coverage/` with its Fortran): built with one compiler at one
//! level, without and with the plugin, run under a handful of schedules on a runtime each ([`ompchunk_testsuite::schedules`] says how they are
//! picked). The output must be the stock program's, in which every iteration and every value counts; of programs whose loops can
//! all be changed, the oracle judges the events too. `OMPCHUNK_SCHEDULES_ROUNDS=n` is the long form: n builds of each program;
//! `OMPCHUNK_SCHEDULES_SEED` picks others.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use ompchunk_abi::{LOOP_CHANGEABLE, LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LOOP_FREE, fixed};
use ompchunk_testsuite::coverage::build::Builder;
use ompchunk_testsuite::coverage::case::Case;
use ompchunk_testsuite::coverage::compiler::Compiler;
use ompchunk_testsuite::matrix::Build;
use ompchunk_testsuite::oracle::Expected;
use ompchunk_testsuite::program::Program;
use ompchunk_testsuite::records::Record;
use ompchunk_testsuite::runtime::{Attach, Runtime, oracle_tool};
use ompchunk_testsuite::schedules::{Plan, VARIABLE, number, order, plan, quiet, runs};
use ompchunk_testsuite::session::Session;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, records};

/// Executions of each build.
const RUNS: usize = 4;

fn main() -> ExitCode {
    let seed = number("OMPCHUNK_SCHEDULES_SEED", 0).expect("a number");
    let rounds = number("OMPCHUNK_SCHEDULES_ROUNDS", 1).expect("a number");
    let mut suite = Suite::default();
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    suite.needs("third runtime", Runtime::libomp16(), |_, _| {});
    for round in 0..rounds {
        for program in Program::all().expect("readable programs") {
            let plan = plan(&program.name, seed, round, RUNS);
            suite.scoped(format!("run/{}/{round}", program.name), move |dir| of_program(&program, &plan, dir));
        }
        for case in Case::all().expect("readable cases") {
            if !case.proposed.is_empty() {
                // Their runtime is to come.
                continue;
            }
            let plan = plan(&case.file, seed, round, RUNS);
            suite.scoped(format!("coverage/{}/{round}", case.file), move |dir| of_case(&case, &plan, dir));
        }
    }
    suite.run()
}

/// A program, built both ways.
struct Subject<'a> {
    source: &'a Path,
    stock: PathBuf,
    instrumented: PathBuf,
    environments: &'a [Vec<(String, String)>],
    /// What the oracle may hold a run against in which all loops are dealt; none where the output must do.
    expected: Option<Expected>,
    /// What iterations compute depends on the thread that runs them, as with `firstprivate` variables that they count up.
    by_thread: bool,
    dir: &'a Path,
}

fn of_program(program: &Program, plan: &Plan, dir: &Path) -> Result<()> {
    let llvms: Vec<Llvm> =
        Llvm::installed().into_iter().filter(|llvm| !program.builds(llvm.major).is_empty()).collect();
    if llvms.is_empty() && Llvm::others().is_some() {
        // None that is named compiles it rightly.
        return Ok(());
    }
    let llvm = &llvms[plan.compiler % llvms.len()];
    let build = Build { level: plan.level, debug: plan.debug };
    let subject = Subject {
        source: &program.source,
        stock: dir.join("stock"),
        instrumented: dir.join("instrumented"),
        environments: &program.environments,
        expected: Some(Expected {
            cancelled: program.cancelled.clone(),
            unobserved: program.unobserved,
            ..Expected::default()
        }),
        by_thread: program.by_thread,
        dir,
    };
    let context = format!("clang {}, {}", llvm.major, build.name());
    program.compile(llvm, build, None, &subject.stock)?;
    let plugin = dist::plugin(llvm.major)?;
    program.compile(llvm, build, Some(&plugin), &subject.instrumented)?;
    subject.check(plan).context(context)
}

fn of_case(case: &Case, plan: &Plan, dir: &Path) -> Result<()> {
    let compilers = Compiler::exact(case);
    if compilers.is_empty() {
        // No compiler of the table makes a program of it that is right: docs/coverage.md says why.
        return Ok(());
    }
    let (name, compiler) = &compilers[plan.compiler % compilers.len()];
    let level = match (case.is_fortran(), plan.level) {
        // flang has no -Os.
        (true, "-Os") => "-O1",
        (_, level) => level,
    };
    let flags = if plan.debug { "-g" } else { "" };
    let variant = format!("{level} {flags}");
    let builder = Builder { case, compiler, variant: &variant, dir };
    let context = format!("{name}, {variant}");
    let stock = builder.stock()?;
    let stock = stock.map_err(|said| anyhow::anyhow!("{context}: {}", said.stderr))?;
    let (instrumented, _) = builder.instrumented()?;
    let expected = case.expected();
    // OpenMPIRBuilder tells the runtime of one iteration where there is none, and the runtime then tells the tool.
    let canonical = case.is_fortran() || case.file.contains("irbuilder");
    let judged = !canonical && !case.unjudged && !case.is_the_runtimes() && expected.distribute.is_empty();
    let subject = Subject {
        source: &case.source,
        stock,
        instrumented,
        environments: &case.environments,
        expected: judged.then_some(Expected {
            user_known: Default::default(),
            user_unknown: Default::default(),
            ..expected
        }),
        by_thread: case.by_thread,
        dir,
    };
    subject.check(plan).context(context)
}

impl Subject<'_> {
    fn check(&self, plan: &Plan) -> Result<()> {
        let records = records::of_file(&self.instrumented)?;
        for record in &records {
            let changeable = record.flags & LOOP_CHANGEABLE != 0;
            ensure!(
                changeable == (record.fixed == 0) && (changeable || fixed::sentence(record.fixed).is_some()),
                "{record:?} does not say why it cannot be changed"
            );
        }
        // By name all that can be, else what is free.
        let of_all = LOOP_CHANGEABLE | if plan.debug { 0 } else { LOOP_FREE };
        let changes = |record: &Record| record.flags & of_all == of_all && (plan.debug || !has_chunks(record));
        let all = !records.is_empty() && records.iter().all(changes);
        let runtimes = Runtime::installed();
        let cancels = self.environments.iter().flatten();
        // Then nothing is changed, and the shim says so.
        let cancels = cancels.into_iter().any(|(name, _)| name == "OMP_CANCELLATION");
        for (number, run) in plan.runs.iter().enumerate() {
            let runtime = &runtimes[run.runtime % runtimes.len()];
            let context = || format!("on {}, {run:?}", runtime.name);
            let environment = &self.environments[number % self.environments.len()];
            let mut session = Session::new(runtime, run.threads, self.dir);
            session.environment = environment.clone();
            session.environment.extend(quiet());
            session.attach = [Attach::Preload, Attach::ToolLibraries][number % 2];
            let order = order(self.source, plan.debug, run.schedule);
            // The oracle knows no loop that is dealt in one region and not in the next.
            let one = !run.schedule.contains('|') && run.schedule != "adaptive";
            let observed = all && one && !cancels && number % 2 == 1;
            self.run(&session, order, observed, is_stepped(run.schedule)).with_context(context)?;
        }
        Ok(())
    }

    /// Without a tool, or under the oracle.
    fn run(&self, session: &Session, order: String, observed: bool, stepped: bool) -> Result<()> {
        let finished = child::finish(&mut session.command(&self.stock, &[]))?;
        if finished.stderr.contains("undefined symbol: __kmpc_") {
            // The compiler calls what this older runtime does not have, as docs/coverage.md says.
            return Ok(());
        }
        let stock = session.run(&self.stock, &[])?;
        let mut changed = session.clone();
        changed.environment.push((VARIABLE.to_owned(), order));
        let restless = ("OMPCHUNK_BALANCE".to_owned(), "restless".to_owned());
        changed.environment.push(restless);
        let shim = dist::shim()?;
        let output = match (&self.expected, observed) {
            (Some(expected), true) => {
                let expected = Expected { all_dealt: !stepped, monotonic: Default::default(), ..expected.clone() };
                let libraries = [&*shim, oracle_tool()?];
                changed.observe(&self.instrumented, &libraries, &expected)?.0
            }
            // What is said of loops that cannot be changed is tested elsewhere.
            _ => child::succeed(&mut changed.command(&self.instrumented, &[&shim]))?.stdout,
        };
        let (output, stock) = match self.by_thread {
            true => (runs(&output), runs(&stock)),
            false => (output, stock),
        };
        ensure!(output == stock, "the output is\n{output}instead of\n{stock}");
        Ok(())
    }
}

/// Has it chunks in the source, or may it have, which `*` does not cut?
fn has_chunks(record: &Record) -> bool {
    let kind = record.schedule & !(3 << 29);
    let is_known = record.flags & LOOP_CHUNKED == 0 || record.flags & LOOP_CHUNK_KNOWN != 0;
    // `runtime`, and what the modifier `simd` makes longer.
    matches!(kind, 37 | 45 | 47) || !is_known || record.chunk > 1
}

/// Do static loops step from chunk to chunk under it, as if it stood in the source? Else the runtime deals.
fn is_stepped(schedule: &str) -> bool {
    ["static", "static,1", "static,5", "balanced"].contains(&schedule)
}
