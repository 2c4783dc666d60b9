//! Does an instrumented program compute what it computed, and are its events exact?
//!
//! One test per program of `run/`, compiler and build ([`ompchunk_testsuite::matrix`] says which
//! builds). Each compiles the program without and with the plugin and runs it with each team size on each runtime
//! at -O0 and -O2 with the newest compiler; else, and in an emulator, with every other pair of them, which the build picks:
//!
//! | build | process | expected |
//! |---|---|---|
//! | stock | alone | the output to compare with |
//! | plugin | no shim | same output |
//! | plugin | shim, no tool | same output |
//! | plugin | shim and oracle | same output, every event exact, as many iterations seen as printed |
//! | plugin | shim and oracle that registers less | same output, exact in what it registered |
//! | stock | shim and oracle | same output, and for programs without static loops exactly as many of the runtime's own events as without shim |

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::matrix::{self, Build};
use ompchunk_testsuite::oracle::{Expected, Verdict};
use ompchunk_testsuite::program::Program;
use ompchunk_testsuite::runtime::{Attach, Runtime, oracle_tool};
use ompchunk_testsuite::session::{Session, printed_runs};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::{Llvm, MAJORS};
use ompchunk_testsuite::{child, dist, records, target};

fn main() -> ExitCode {
    let mut suite = Suite::default();
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    for (major, llvm) in Llvm::every() {
        suite.needs(&format!("clang-{major}"), llvm, |suite, llvm| {
            for program in Program::all().expect("readable programs") {
                for build in program.builds(llvm.major) {
                    let (source, llvm) = (program.source.clone(), llvm.clone());
                    suite.scoped(format!("{}/clang-{}/{}", program.name, llvm.major, build.name()), move |dir| {
                        Case::build(&source, &llvm, build, dir)?.check()
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
    /// Which pairs of runtime and team size: the odd or the even ones, or all.
    pairs: Option<usize>,
    dir: PathBuf,
}

impl Case {
    fn build(source: &Path, llvm: &Llvm, build: Build, dir: &Path) -> Result<Case> {
        let program = Program::read(source)?;
        let (stock, instrumented) = (dir.join("stock"), dir.join("instrumented"));
        program.compile(llvm, build, None, &stock)?;
        program.compile(llvm, build, Some(&dist::plugin(llvm.major)?), &instrumented)?;
        // Both ways to attach are used all over the matrix.
        let attach = if build.debug { Attach::Preload } else { Attach::ToolLibraries };
        let is_wide = target::current().is_none() && llvm.major == MAJORS[0] && matrix::few().contains(&build);
        let pairs = (!is_wide && !matrix::is_full()).then(|| build.name().len() + llvm.major as usize);
        Ok(Case { program, stock, instrumented, attach, pairs, dir: dir.to_owned() })
    }

    fn check(&self) -> Result<()> {
        let found = records::of_file(&self.instrumented)?.len();
        let right = self.program.loops;
        ensure!(found == right, "{found} loops are instrumented, not {right}");
        for (place, runtime) in Runtime::complete().into_iter().enumerate() {
            for (number, &threads) in self.program.threads.iter().enumerate() {
                if self.pairs.is_some_and(|which| (which + place + number) % 2 == 1) {
                    continue;
                }
                for environment in &self.program.environments {
                    let session = Session {
                        environment: environment.clone(),
                        attach: self.attach,
                        ..Session::new(&runtime, threads, &self.dir)
                    };
                    self.check_in(&session, number)
                        .with_context(|| format!("on {}, {threads} threads, {environment:?}", runtime.name))?;
                }
            }
        }
        Ok(())
    }

    fn check_in(&self, session: &Session, number: usize) -> Result<()> {
        let (shim, oracle) = (&*dist::shim()?, oracle_tool()?);
        let stock = session.run(&self.stock, &[])?;
        let same = |output: String, what: &str| {
            ensure!(output == stock, "{what}: the output is\n{output}instead of\n{stock}");
            Ok(())
        };
        same(session.run(&self.instrumented, &[])?, "no shim")?;
        // What is said on standard error when there is no tool is tested in bad_input.rs.
        let no_tool = child::succeed(&mut session.command(&self.instrumented, &[shim]))?;
        same(no_tool.stdout, "shim without tool")?;

        let all = self.expected([true; 4]);
        let (output, verdict) = session.observe(&self.instrumented, &[shim, oracle], &all)?;
        same(output, "shim and oracle")?;
        self.check_runs(&verdict, &stock)?;

        let fewer = self.expected(
            [
                [false, true, false, false],
                [true, false, false, false],
                [true, true, false, true],
                [false, true, true, false],
            ][number % 4],
        );
        let (output, _) = session.observe(&self.instrumented, &[shim, oracle], &fewer)?;
        same(output, "fewer callbacks")?;

        if self.program.loops == self.program.dealt.len() {
            let own = self.expected([true, false, false, false]);
            let (_, alone) = session.observe(&self.stock, &[oracle], &own)?;
            let (output, shimmed) = session.observe(&self.stock, &[shim, oracle], &own)?;
            same(output, "stock program with shim")?;
            for (what, found) in [("stock", shimmed), ("instrumented", verdict)] {
                let (found, right) = (found.runtimes_own, alone.runtimes_own);
                ensure!(found == right, "{what}: {found} of the runtime's {right} events arrived");
            }
        }
        Ok(())
    }

    /// The oracle sat in every iteration that the program says it ran.
    fn check_runs(&self, verdict: &Verdict, output: &str) -> Result<()> {
        // What a cancelled loop ran depends on time, and no output tells of it.
        let mut seen = verdict.iterations.clone();
        seen.retain(|the_loop, _| !self.program.cancelled.contains(the_loop));
        let printed = printed_runs(output);
        ensure!(self.program.unobserved || seen == printed, "the oracle saw {seen:?}, the program says {printed:?}");
        Ok(())
    }

    fn expected(&self, [dispatch, chunk, clock, loops]: [bool; 4]) -> Expected {
        Expected {
            dealt: self.program.dealt.clone(),
            monotonic: self.program.monotonic.clone(),
            from_one: BTreeSet::new(),
            cancelled: self.program.cancelled.clone(),
            user_known: self.program.user_known.clone(),
            user_unknown: self.program.user_unknown.clone(),
            unjudged: BTreeSet::new(),
            distribute: BTreeSet::new(),
            begun_twice: false,
            unobserved: self.program.unobserved,
            all_dealt: false,
            sub_blocks: false,
            dispatch,
            chunk,
            clock,
            loops,
        }
    }
}
