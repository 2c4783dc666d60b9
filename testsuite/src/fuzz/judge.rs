//! One program, built and run in every way, and held against what it must do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::{Context, Result, anyhow, ensure};
use regex::Regex;

use super::ast::{Language, Program};
use super::config::{Case, Config};
use super::subject::{Blame, Counts, Depth, Failure, Kind, Subject};
use super::{build, print_c, print_fortran, shrink};
use crate::oracle::Expected;
use crate::records::Record;
use crate::runtime::oracle_tool;
use crate::schedules::VARIABLE;
use crate::session::{Session, printed_runs};
use crate::{child, dist, records};
use ompchunk_abi::CONSTRUCT_SECTIONS;

impl Subject for Case<Program> {
    fn judge_as(&self, depth: Depth, dir: &Path) -> Result<Counts, Failure> {
        if depth == Depth::Whole {
            return self.judge(dir);
        }
        self.judge_schedules(dir).or_else(|failure| {
            self.judge(dir)?;
            // Not again: it is a failure all the same.
            Err(failure)
        })
    }

    fn simpler(&self) -> Vec<Case<Program>> {
        shrink::simpler(self)
    }

    fn config(&self) -> &Config {
        &self.config
    }

    fn language(&self) -> Language {
        self.program.language
    }

    fn text(&self) -> String {
        match self.program.language {
            Language::C => print_c::print(&self.program),
            Language::Fortran => print_fortran::print(&self.program),
        }
    }

    fn session(&self, dir: &Path) -> Session {
        let host = &self.config.host;
        let mut environment = vec![
            ("OMP_MAX_ACTIVE_LEVELS", self.program.levels.to_string()),
            ("OMP_CANCELLATION", self.program.cancellation.to_string()),
            ("OMP_SCHEDULE", "dynamic,2".to_owned()),
            // Loops are too short to learn what their iterations cost.
            ("OMPCHUNK_BALANCE", "restless".to_owned()),
        ];
        if self.program.has_teams() {
            environment.push(("KMP_TEAMS_THREAD_LIMIT", "12".to_owned()));
        }
        if self.program.language == Language::Fortran || self.config.uses_ir_builder() {
            // libomp warns a tool's user that such code does not say what kind of construct it begins.
            environment.push(("KMP_WARNINGS", "false".to_owned()));
        }
        Session {
            environment: environment.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            attach: self.config.attach,
            ..Session::new(host, self.program.threads, dir)
        }
    }
}

impl Case<Program> {
    fn judge_schedules(&self, dir: &Path) -> Result<Counts, Failure> {
        let (program, right) = self.instrumented(dir)?;
        self.judge_stock(&right).blame(Kind::Unattached)?;
        let (changed, changed_loops) = self.judge_orders(&program, &right, dir)?;
        Ok(Counts { changed, changed_loops, ..Counts::default() })
    }

    pub fn judge(&self, dir: &Path) -> Result<Counts, Failure> {
        let source = self.write(dir).blame(Kind::Machine)?;
        let (stock, instrumented) = (dir.join("stock"), dir.join("instrumented"));
        build::build(&self.config, &source, None, &stock).blame(Kind::StockCompile)?;
        let session = self.session(dir);
        let right = session.run(&stock, &[]).blame(Kind::StockRun)?;
        self.judge_stock(&right).blame(Kind::StockResult)?;

        let plugin = dist::plugin(self.config.llvm.major).blame(Kind::Machine)?;
        build::build(&self.config, &source, Some(&plugin), &instrumented).blame(Kind::Compile)?;
        let loops = self.judge_records(&instrumented).blame(Kind::Records)?;
        session.run(&instrumented, &[]).and_then(|output| is_same(&output, &right)).blame(Kind::Unattached)?;

        let libraries = libraries().blame(Kind::Machine)?;
        let libraries: Vec<&Path> = libraries.iter().map(|path| &**path).collect();
        let (output, verdict) =
            session.observe(&instrumented, &libraries, &self.expected()).map_err(|error| Failure {
                kind: match format!("{error:#}").contains(" violations, the first of them") {
                    true => Kind::Events,
                    false => Kind::Attached,
                },
                message: format!("{error:#}"),
            })?;
        is_same(&output, &right).blame(Kind::Attached)?;
        if !self.program.unobserved {
            self.judge_seen(verdict.iterations.clone(), &right).blame(Kind::Events)?;
        }
        let (changed, changed_loops) = self.judge_orders(&instrumented, &right, dir)?;
        Ok(Counts {
            changed,
            changed_loops,
            loops,
            chunks: verdict.chunks,
            iterations: verdict.iterations.values().sum(),
        })
    }

    /// How many runs under other schedules there were, and how many loops they changed.
    fn judge_orders(&self, program: &Path, right: &str, dir: &Path) -> Result<(u64, u64), Failure> {
        if self.program.cancellation && !self.config.orders_cancel {
            let mut case = self.clone();
            case.program.cancellation = false;
            let right = case.session(dir).run(program, &[]);
            return case.judge_orders(program, &right.blame(Kind::Unattached)?, dir);
        }
        let libraries = libraries().blame(Kind::Machine)?;
        let libraries: Vec<&Path> = libraries.iter().map(|path| &**path).collect();
        let mut loops = 0;
        for (order, observed) in &self.config.orders {
            let libraries = &libraries[..if *observed { 2 } else { 1 }];
            loops += self
                .judge_changed(program, order, libraries, right, dir)
                .with_context(|| format!("{VARIABLE}='{order}'"))
                .blame(Kind::Changed)?;
        }
        match (self.program.cancellation, loops) {
            (false, _) => Ok((self.config.orders.len() as u64, loops)),
            (true, 0) => Ok((0, 0)),
            (true, 1..) => Err(anyhow!("{loops} loops are changed that can be cancelled")).blame(Kind::Changed),
        }
    }

    /// Under other schedules it does what it did, though on other threads. Gives how many loops had another one.
    fn judge_changed(&self, program: &Path, order: &str, libraries: &[&Path], right: &str, dir: &Path) -> Result<u64> {
        static THREADS: LazyLock<Regex> = LazyLock::new(|| Regex::new(", threads [0-9a-f]{16}").expect("a regex"));
        let mut session = self.session(dir);
        let variables = [(VARIABLE, order), ("REPORT_VALUES", "1"), ("OMPCHUNK_VERBOSE", "1")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        session.environment.extend(variables);
        let mut command = session.command(program, libraries);
        command.env("ORACLE_LOG", dir.join("changed.log"));
        // What is said of loops that are left as they are is tested elsewhere.
        let finished = child::succeed(&mut command)?;
        let output = finished.stdout;
        self.judge_stock(&output)?;
        let without = |text: &str| THREADS.replace_all(text, "").into_owned();
        is_same(&without(&output), &without(right))?;
        let changed = finished.stderr.matches(" changes the loop ").count();
        Ok(changed as u64)
    }

    /// What the oracle holds its log against.
    pub fn expected(&self) -> Expected {
        let (dispatch, chunk, clock) = self.config.events;
        Expected {
            dealt: self.program.dealt(),
            monotonic: self.program.monotonic(),
            cancelled: self.program.cancelled(),
            // OpenMPIRBuilder has the runtime count the iterations of such loops from 1.
            from_one: match (self.program.language, self.config.uses_ir_builder()) {
                (Language::C, false) => BTreeSet::new(),
                (Language::C, true) => self.program.built(),
                (Language::Fortran, _) => self.program.dealt(),
            },
            user_known: match self.config.uses_ir_builder() {
                true => BTreeSet::new(),
                false => self.program.counting(true),
            },
            user_unknown: self.program.counting(false),
            unobserved: self.program.unobserved,
            dispatch,
            chunk,
            clock,
            ..Expected::all_events()
        }
    }

    /// The stock program against what the generator knows it must do.
    fn judge_stock(&self, output: &str) -> Result<()> {
        if self.program.unobserved {
            return Ok(());
        }
        for place in self.program.loops() {
            let (l, executions) = (place.the_loop, place.executions);
            let runs = executions * l.trip();
            if l.cancel.is_some() {
                continue;
            }
            if runs == 0 {
                let id = l.id;
                ensure!(!output.contains(&format!("loop {id}: ")), "loop {id} runs in\n{output}");
                continue;
            }
            let sum = l.checksum().wrapping_mul(executions);
            let line = format!("loop {}: {runs} runs, values {sum:016x},", l.id);
            ensure!(output.contains(&line), "no `{line}` in\n{output}");
        }
        Ok(())
    }

    /// As many loop records as loops, of which this returns the number, and one for all `sections` that clang marks.
    fn judge_records(&self, executable: &Path) -> Result<u64> {
        let is_sections = |record: &Record| record.construct == CONSTRUCT_SECTIONS;
        let (sections, loops): (Vec<_>, Vec<_>) = records::of_file(executable)?.into_iter().partition(is_sections);
        let right = match self.program.language {
            Language::Fortran => 0,
            _ => self.program.sections(),
        };
        ensure!(sections.len() == right, "{} sections constructs are instrumented, not {right}", sections.len());
        let found = loops.len() as u64;
        let places = self.program.loops();
        let (mut least, mut most) = (0, 0);
        for place in places {
            most += place.records;
            least += if place.droppable { 0 } else { place.records };
        }
        ensure!((least..=most).contains(&found), "{found} loops are instrumented, not {least} to {most}");
        Ok(most)
    }

    /// The oracle sat in every iteration that the program says it ran.
    fn judge_seen(&self, mut seen: BTreeMap<u64, u64>, output: &str) -> Result<()> {
        let cancelled = self.program.cancelled();
        seen.retain(|the_loop, _| !cancelled.contains(the_loop));
        let printed = printed_runs(output);
        ensure!(seen == printed, "the oracle saw {seen:?}, the program says {printed:?}");
        Ok(())
    }
}

pub fn is_same(output: &str, right: &str) -> Result<()> {
    ensure!(output == right, "the output is\n{output}instead of\n{right}");
    Ok(())
}

/// Shim and oracle, in this order.
pub fn libraries() -> Result<[PathBuf; 2]> {
    Ok([dist::restless_shim()?, oracle_tool().map_err(|error| anyhow!("{error:#}"))?.to_owned()])
}
