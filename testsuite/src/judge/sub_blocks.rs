//! Where a tool wants sub-blocks: does a program compute the same, bit for bit? And are these all of each chunk, in order, on the
//! thread that runs it without?
//!
//! The oracle judges chunks as ever and sub-blocks beside them. These have few iterations, by `OMPCHUNK_PROFILE`, as programs here are short.

use anyhow::{Context, Result, ensure};
use ompchunk_abi::{LOOP_CHANGEABLE, LOOP_DEALT};

use super::{Built, same};
use crate::oracle::Expected;
use crate::records::Record;
use crate::runtime::{Attach, Runtime, oracle_tool};
use crate::session::Session;
use crate::{child, dist};

/// How long sub-blocks are to be, in turn; the last: as long as the shim finds right.
const SIZES: [&str; 4] =
    ["reassociated,iterations=1", "reassociated,iterations=3", "reassociated,iterations=70", "reassociated"];
/// What is registered beside sub-blocks, in turn: dispatch, chunk, clock, loop.
const BESIDE: [[bool; 4]; 5] =
    [[true; 4], [false; 4], [true, true, false, false], [true, true, true, false], [true, false, false, true]];

impl Built<'_> {
    /// On each runtime with each team size.
    pub fn sub_blocks(&self) -> Result<()> {
        let mut number = self.records.len();
        let mut seen = 0;
        for runtime in Runtime::complete() {
            for &threads in &self.known.facts.threads {
                for environment in &self.known.facts.environments {
                    number += 1;
                    let mut session = self.session(&runtime, threads, environment);
                    session.attach = [Attach::Preload, Attach::ToolLibraries][number % 2];
                    let size = SIZES[number % SIZES.len()];
                    let divided = self.divided(&session, size, BESIDE[number % BESIDE.len()]);
                    seen += divided
                        .with_context(|| format!("on {}, {threads} threads, {size}, {environment:?}", runtime.name))?;
                }
            }
        }
        let all = !self.records.is_empty() && self.records.iter().all(is_divided);
        ensure!(seen > 0 || self.cancels() || !all, "no sub-block was seen");
        Ok(())
    }

    /// Gives how many sub-blocks were seen; one, where nobody looks.
    fn divided(&self, session: &Session, size: &str, beside: [bool; 4]) -> Result<u64> {
        let stock = self.stock(session)??;
        let mut divided = session.clone();
        divided.environment.push(("OMPCHUNK_PROFILE".to_owned(), size.to_owned()));
        let libraries = [&*dist::shim()?, oracle_tool()?];
        let [dispatch, chunk, ..] = beside;
        // Without the events of chunks there is little to judge.
        let expected = self.known.expected.filter(|_| dispatch || chunk);
        let (output, seen) = match expected {
            Some(expected) => {
                let expected = Expected { sub_blocks: true, ..expected.registering(beside) };
                let (output, verdict) = divided.observe(&self.instrumented, &libraries, &expected)?;
                (output, verdict.sub_blocks)
            }
            None => {
                let mut command = divided.command(&self.instrumented, &libraries);
                command.env("ORACLE_LOG", &session.log).env("ORACLE_EVENTS", "sub-block");
                (child::succeed(&mut command)?.stdout, 1)
            }
        };
        same(&output, &stock, "sub-blocks")?;
        Ok(seen)
    }
}

fn is_divided(record: &Record) -> bool {
    record.flags & (LOOP_CHANGEABLE | LOOP_DEALT) == LOOP_CHANGEABLE && record.schedule == 34
}
