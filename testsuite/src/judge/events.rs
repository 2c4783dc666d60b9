//! As compiled: does an instrumented program compute what it computed, and are its events exact?

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::{Built, Known, same};
use crate::matrix::Build;
use crate::oracle::{Expected, Verdict};
use crate::program::Program;
use crate::runtime::{Attach, Runtime, oracle_tool};
use crate::session::{Session, printed_runs};
use crate::toolchain::Llvm;
use crate::{child, dist};

/// What the oracle registers, if not all: dispatch, chunk, clock, loop.
const FEWER: [[bool; 4]; 4] =
    [[false, true, false, false], [true, false, false, false], [true, true, false, true], [false, true, true, false]];

impl<'a> Known<'a> {
    pub fn from_program(program: &'a Program) -> Known<'a> {
        Known { facts: &program.facts, expected: Some(&program.facts.expected), judged_changed: true }
    }
}

impl<'a> Built<'a> {
    pub fn of_program(program: &'a Program, llvm: &Llvm, build: Build, dir: &'a Path) -> Result<Built<'a>> {
        let [stock, instrumented] = ["stock", "instrumented"].map(|name| dir.join(name));
        program.compile(llvm, build, None, &stock)?;
        program.compile(llvm, build, Some(&dist::plugin(llvm.major)?), &instrumented)?;
        Built::new(Known::from_program(program), [stock, instrumented], (build.debug, Vec::new()), dir)
    }

    /// With each pair of runtime and team size, or, for `pairs`, with the odd or the even ones.
    pub fn events(&self, program: &Program, pairs: Option<usize>) -> Result<()> {
        let (found, right) = (self.records.len(), program.loops);
        ensure!(found == right, "{found} loops are instrumented, not {right}");
        for (place, runtime) in Runtime::complete().into_iter().enumerate() {
            for (number, &threads) in program.facts.threads.iter().enumerate() {
                if pairs.is_some_and(|which| (which + place + number) % 2 == 1) {
                    continue;
                }
                for environment in &program.facts.environments {
                    let mut session = self.session(&runtime, threads, environment);
                    // Both ways to attach are used all over the matrix.
                    session.attach = if self.debug { Attach::Preload } else { Attach::ToolLibraries };
                    self.events_in(program, &session, FEWER[number % FEWER.len()])
                        .with_context(|| format!("on {}, {threads} threads, {environment:?}", runtime.name))?;
                }
            }
        }
        Ok(())
    }

    fn events_in(&self, program: &Program, session: &Session, fewer: [bool; 4]) -> Result<()> {
        let (shim, oracle) = (&*dist::shim()?, oracle_tool()?);
        let stock = &self.stock(session)??;
        same(&session.run(&self.instrumented, &[])?, stock, "no shim")?;
        // What is said on standard error when there is no tool is tested in bad_input.rs.
        let no_tool = child::succeed(&mut session.command(&self.instrumented, &[shim]))?;
        same(&no_tool.stdout, stock, "shim without tool")?;

        let all = &program.facts.expected;
        let (output, verdict) = session.observe(&self.instrumented, &[shim, oracle], all)?;
        same(&output, stock, "shim and oracle")?;
        check_runs(program, &verdict, stock)?;

        let (output, _) = session.observe(&self.instrumented, &[shim, oracle], &all.registering(fewer))?;
        same(&output, stock, "fewer callbacks")?;

        // Without static loops, exactly as many of the runtime's own events arrive as without shim.
        if program.loops == all.dealt.len() {
            let own = all.registering([true, false, false, false]);
            let (_, alone) = session.observe(&self.stock, &[oracle], &own)?;
            let (output, shimmed) = session.observe(&self.stock, &[shim, oracle], &own)?;
            same(&output, stock, "stock program with shim")?;
            for (what, found) in [("stock", shimmed), ("instrumented", verdict)] {
                let (found, right) = (found.runtimes_own, alone.runtimes_own);
                ensure!(found == right, "{what}: {found} of the runtime's {right} events arrived");
            }
        }
        Ok(())
    }

    /// One run, as compiled and under the oracle.
    pub fn observed(&self, session: &Session, expected: &Expected) -> Result<()> {
        session.observe(&self.instrumented, &[&dist::shim()?, oracle_tool()?], expected)?;
        Ok(())
    }
}

/// The oracle sat in every iteration that the program says it ran.
fn check_runs(program: &Program, verdict: &Verdict, output: &str) -> Result<()> {
    // What a cancelled loop ran depends on time, and no output tells of it.
    let mut seen = verdict.iterations.clone();
    seen.retain(|the_loop, _| !program.facts.expected.cancelled.contains(the_loop));
    let printed = printed_runs(output);
    ensure!(
        program.facts.expected.unobserved || seen == printed,
        "the oracle saw {seen:?}, the program says {printed:?}"
    );
    Ok(())
}
