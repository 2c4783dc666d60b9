//! Under other schedules: does a program compute the same under any that `OMPCHUNK_SCHEDULE` orders, and are its events exact?

use std::process::Command;

use anyhow::{Context, Result};
use ompchunk_abi::{LOOP_CHANGEABLE, LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LOOP_FREE};

use super::{Built, Instead, same};
use crate::oracle::Expected;
use crate::records::Record;
use crate::runtime::{Attach, Runtime, oracle_tool};
use crate::schedules::{Run, VARIABLE, order, quiet, runs};
use crate::session::Session;
use crate::{child, dist, target};

impl Built<'_> {
    pub fn sessions(&self, runs: &[Run]) -> Vec<(Run, Session)> {
        let runtimes = Runtime::installed();
        let environments = &self.known.facts.environments;
        let session = |(number, run): (usize, &Run)| {
            let runtime = &runtimes[run.runtime % runtimes.len()];
            let mut session = self.session(runtime, run.threads, &environments[number % environments.len()]);
            session.environment.extend(quiet());
            session.attach = [Attach::Preload, Attach::ToolLibraries][number % 2];
            (*run, session)
        };
        runs.iter().enumerate().map(session).collect()
    }

    /// The output must be the stock program's, in which every iteration and every value counts; where all loops are changed,
    /// the oracle judges the events of every other run, too.
    pub fn schedules(&self, sessions: &[(Run, Session)]) -> Result<()> {
        // By name all that can be, else what is free.
        let of_all = LOOP_CHANGEABLE | if self.debug { 0 } else { LOOP_FREE };
        let changes = |record: &Record| record.flags & of_all == of_all && (self.debug || !has_chunks(record));
        let all = !self.records.is_empty() && self.records.iter().all(changes);
        for (run, session) in sessions {
            // The oracle knows no loop that is dealt in one region and not in the next.
            let one = !run.schedule.contains('|') && run.schedule != "adaptive";
            let observed = all && one && !self.cancels() && session.attach == Attach::ToolLibraries;
            let context = || format!("on {}, {run:?}", session.runtime.name);
            self.changed(session, run.schedule, observed).with_context(context)?;
        }
        Ok(())
    }

    /// Without a tool, or under the oracle.
    fn changed(&self, session: &Session, schedule: &str, observed: bool) -> Result<()> {
        let stock = match self.stock(session)? {
            Err(Instead::Lacks(_)) => return Ok(()),
            stock => stock?,
        };
        let mut changed = session.clone();
        let order = order(&self.known.facts.source, self.debug, schedule);
        let variables = [(VARIABLE, order), ("OMPCHUNK_BALANCE", "restless".to_owned())];
        changed.environment.extend(variables.map(|(name, value)| (name.to_owned(), value)));
        let shim = dist::restless_shim()?;
        let output = match self.known.expected {
            Some(expected) if observed && self.known.judged_changed => {
                let libraries = [&*shim, oracle_tool()?];
                changed.observe(&self.instrumented, &libraries, &under(expected, schedule))?.0
            }
            // What is said of loops that cannot be changed is tested elsewhere.
            _ => child::succeed(&mut changed.command(&self.instrumented, &[&shim]))?.stdout,
        };
        self.is_same(&output, &stock, schedule)?;
        // A program without the plugin can have other blocks, and names for its loops if it has lines.
        if self.debug && has_stock_loops() {
            let has_sizes = self.records.iter().any(|record| record.flags & LOOP_CHUNKED != 0);
            let place = session.threads as usize / 2 % 2;
            for schedule in [["balanced", "adaptive"][place], ["static,3", "static"][place]] {
                if has_sizes || !schedule.starts_with("static") {
                    let output = child::succeed(&mut self.by_command(session, schedule)?)?.stdout;
                    self.is_same(&output, &stock, &format!("{schedule}, without the plugin"))?;
                }
            }
        }
        Ok(())
    }

    fn is_same(&self, output: &str, stock: &str, what: &str) -> Result<()> {
        match self.known.facts.by_thread {
            true => same(&runs(output), &runs(stock), what),
            false => same(output, stock, what),
        }
    }

    /// The stock program as users change its loops, with the shim that cuts blocks anywhere.
    fn by_command(&self, session: &Session, schedule: &str) -> Result<Command> {
        let libraries = dist::restless_shim()?;
        let alone = Session { arguments: Vec::new(), ..session.clone() };
        let mut command = alone.command(&dist::command()?, &[]);
        command.env("OMPCHUNK_LIBDIR", libraries.parent().unwrap_or(&libraries));
        command.env("OMPCHUNK_BALANCE", "restless").args(["run", "--schedule"]);
        command.arg(order(&self.known.facts.source, true, schedule)).arg(&self.stock).args(&session.arguments);
        Ok(command)
    }
}

/// Is there a library to preload for such programs?
fn has_stock_loops() -> bool {
    cfg!(target_arch = "x86_64") && target::current().is_none()
}

/// What is expected where all loops have that schedule.
fn under(expected: &Expected, schedule: &str) -> Expected {
    Expected {
        // Else static loops step from chunk to chunk, as if it stood in the source.
        all_dealt: !["static", "static,1", "static,5", "balanced"].contains(&schedule),
        dealt: expected.dealt.clone(),
        cancelled: expected.cancelled.clone(),
        unobserved: expected.unobserved,
        ..Expected::all_events()
    }
}

/// Has it chunks in the source, or may it have, which `*` does not cut?
fn has_chunks(record: &Record) -> bool {
    let kind = record.schedule & !(3 << 29);
    let is_known = record.flags & LOOP_CHUNKED == 0 || record.flags & LOOP_CHUNK_KNOWN != 0;
    // `runtime`, and what the modifier `simd` makes longer.
    matches!(kind, 37 | 45 | 47) || !is_known || record.chunk > 1
}
