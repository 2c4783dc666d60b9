//! Does a program give under other schedules what it gives as compiled?

use std::path::Path;

use anyhow::{Context, Result};

use super::ast::Program;
use super::{print_c, print_fortran, simpler};
use crate::child;
use crate::fuzz::ast::Language;
use crate::fuzz::build;
use crate::fuzz::config::{Case, Config};
use crate::fuzz::judge::{is_same, libraries};
use crate::fuzz::subject::{Blame, Counts, Depth, Failure, Kind, Subject};
use crate::schedules::VARIABLE;
use crate::session::Session;

/// How often a program must give the same without ompchunk, before a difference is ompchunk's.
const CONTROLS: usize = 20;

impl Subject for Case<Program> {
    fn judge_as(&self, _: Depth, dir: &Path) -> Result<Counts, Failure> {
        self.judge_orders(dir).or_else(|failure| {
            self.judge_stock(dir)?;
            Err(failure)
        })
    }

    fn simpler(&self) -> Vec<Case<Program>> {
        simpler::simpler(self)
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
        self.session_of(self.program.threads, dir)
    }
}

impl Case<Program> {
    fn session_of(&self, threads: u32, dir: &Path) -> Session {
        // libomp warns a tool's user that flang's code does not say what kind of construct it begins.
        let environment = [("OMP_SCHEDULE", "dynamic,2"), ("KMP_WARNINGS", "false")];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Session {
            environment: environment.into(),
            attach: self.config.attach,
            ..Session::new(&self.config.host, threads, dir)
        }
    }

    fn judge_orders(&self, dir: &Path) -> Result<Counts, Failure> {
        let (program, right) = self.instrumented(dir)?;
        if self.program.is_the_same_on_all_teams() {
            let alone = self.session_of(1, dir).run(&program, &[]);
            is_same(&alone.blame(Kind::Unattached)?, &right).blame(Kind::Unattached)?;
        }
        let mut counts = Counts { loops: self.program.loops().len() as u64, ..Counts::default() };
        for (order, observed) in &self.config.orders {
            let changed = self.judge_order(&program, order, *observed, &right, dir);
            counts.changed += 1;
            counts.changed_loops += changed.with_context(|| format!("{VARIABLE}='{order}'")).blame(Kind::Changed)?;
        }
        Ok(counts)
    }

    /// Gives how many loops were changed.
    fn judge_order(&self, program: &Path, order: &str, observed: bool, right: &str, dir: &Path) -> Result<u64> {
        let libraries = libraries()?;
        let libraries: Vec<&Path> = libraries.iter().map(|path| &**path).collect();
        let libraries = &libraries[..if observed { 2 } else { 1 }];
        let mut command = self.session(dir).command(program, libraries);
        command
            .env(VARIABLE, order)
            .env("OMPCHUNK_VERBOSE", "1")
            .env("OMPCHUNK_BALANCE", "restless")
            .env("ORACLE_LOG", dir.join("changed.log"));
        let finished = child::succeed(&mut command)?;
        is_same(&finished.stdout, right).with_context(|| format!("the shim said:\n{}", finished.stderr))?;
        Ok(finished.stderr.matches(" changes the loop ").count() as u64)
    }

    /// The program without ompchunk gives always the same, and on one thread, too, if it does not depend on their number.
    fn judge_stock(&self, dir: &Path) -> Result<(), Failure> {
        let source = self.write(dir).blame(Kind::Machine)?;
        let stock = dir.join("stock");
        build::build(&self.config, &source, None, &stock).blame(Kind::StockCompile)?;
        let threads = match self.program.is_the_same_on_all_teams() {
            true => 1,
            false => self.program.threads,
        };
        let right = self.session_of(threads, dir).run(&stock, &[]);
        let right = right.blame(Kind::StockRun)?;
        for _ in 0..CONTROLS {
            let again = self.session(dir).run(&stock, &[]).blame(Kind::StockRun)?;
            is_same(&again, &right).blame(Kind::StockResult)?;
        }
        Ok(())
    }
}
