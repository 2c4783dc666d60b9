//! The compilers of the table.

use std::path::Path;
use std::process::Command;

use crate::suite::Missing;
use crate::toolchain::Llvm;
use crate::{child, program};

use super::case::{Case, Outcome};

#[derive(Debug, Clone)]
pub struct Compiler {
    pub llvm: Llvm,
    fortran: bool,
}

pub type Found = Result<Compiler, Missing>;

/// A compiler that the table has a column of.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    major: u32,
    fortran: bool,
    /// Tested by `make test-elsewhere` alone, where a Debian has it.
    elsewhere: bool,
}

/// All columns, in the table's order. flang 21 is none: its programs die of chunked loops without iterations.
pub const COLUMNS: [Column; 12] = [
    Column::usual("clang 22", 22, false),
    Column::usual("clang 19", 19, false),
    Column::usual("clang 16", 16, false),
    Column::usual("flang 22", 22, true),
    Column::elsewhere("clang 23", 23, false),
    Column::elsewhere("clang 21", 21, false),
    Column::elsewhere("clang 20", 20, false),
    Column::elsewhere("clang 18", 18, false),
    Column::elsewhere("clang 17", 17, false),
    Column::elsewhere("flang 23", 23, true),
    Column::usual("clang of LLVM 24, as proposed", 22, false),
    Column::usual("flang of LLVM 24, as proposed", 22, true),
];

impl Column {
    const fn usual(name: &'static str, major: u32, fortran: bool) -> Column {
        Column { name, major, fortran, elsewhere: false }
    }

    const fn elsewhere(name: &'static str, major: u32, fortran: bool) -> Column {
        Column { elsewhere: true, ..Column::usual(name, major, fortran) }
    }

    /// It is looked for on this machine: one of those that `OMPCHUNK_LLVMS` names, or a usual one.
    fn is_wanted(self) -> bool {
        match Llvm::others() {
            Some(majors) => self.elsewhere && majors.contains(&self.major),
            None => !self.elsewhere,
        }
    }

    fn find(self) -> Found {
        let Column { major, fortran, .. } = self;
        let llvm = match fortran {
            true => Llvm::find_flang(major)?,
            false => Llvm::find(major)?,
        };
        Ok(Compiler { llvm, fortran })
    }

    /// It has each case once, without further flags: the compiler is there for its form of the IR, not for its flags and linkers.
    pub fn is_plain(self) -> bool {
        self.elsewhere || self.name == "clang 16"
    }

    /// The case is written in the compiler's language, and for such a compiler.
    pub fn reads(self, case: &Case) -> bool {
        self.fortran == case.is_fortran() && self.name.ends_with("as proposed") != case.proposed.is_empty()
    }
}

impl Compiler {
    pub fn wanted() -> Vec<(Column, Found)> {
        let wanted = COLUMNS.into_iter().filter(|column| column.is_wanted());
        wanted.map(|column| (column, column.find())).collect()
    }

    pub fn major(&self) -> u32 {
        self.llvm.major
    }

    /// The installed ones that make a program of the case that is right.
    pub fn exact(case: &Case) -> Vec<(&'static str, Compiler)> {
        let mut exact = Vec::new();
        for (column, compiler) in Compiler::wanted() {
            let reading = compiler.ok().filter(|_| column.reads(case));
            let is_exact = |compiler: &Compiler| matches!(case.outcome(compiler.major()), Outcome::Exact);
            let right = reading.filter(is_exact);
            exact.extend(right.map(|compiler| (column.name, compiler)));
        }
        exact
    }

    pub fn command(&self, case: &Case, plugin: Option<&Path>) -> Command {
        if !self.fortran {
            let mut clang = program::compiler(&self.llvm, &case.facts.source, plugin);
            clang.arg("-I").arg(crate::dist::testsuite().join("run"));
            return clang;
        }
        // The executable exports the oracle's hook.
        let mut flang = child::command(self.llvm.tool("flang"));
        flang.args(["-fopenmp", "-Wl,--export-dynamic"]);
        if let Some(plugin) = plugin {
            flang.arg(format!("-fpass-plugin={}", plugin.display()));
        }
        flang
    }
}
