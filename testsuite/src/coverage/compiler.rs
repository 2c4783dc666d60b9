//! The compilers of the table.

use std::path::Path;
use std::process::Command;

use crate::suite::Missing;
use crate::toolchain::Llvm;
use crate::{child, program};

use super::case::{Case, Outcome};

/// One compiler.
#[derive(Debug, Clone)]
pub struct Compiler {
    /// Its toolchain.
    pub llvm: Llvm,
    fortran: bool,
}

impl Compiler {
    /// All of the table, in its order: a name, and the compiler or why there is none.
    pub fn all() -> Vec<(&'static str, Result<Compiler, Missing>)> {
        let clang = |major| {
            Llvm::find(major).map(|llvm| Compiler {
                llvm,
                fortran: false,
            })
        };
        let flang = || {
            Llvm::find_flang(22).map(|llvm| Compiler {
                llvm,
                fortran: true,
            })
        };
        vec![
            ("clang 22", clang(22)),
            ("clang 19", clang(19)),
            ("clang 16", clang(16)),
            ("flang 22", flang()),
            ("clang of LLVM 24, as proposed", clang(22)),
            ("flang of LLVM 24, as proposed", flang()),
        ]
    }

    /// The major version.
    pub fn major(&self) -> u32 {
        self.llvm.major
    }

    /// The case is written in the language of the compiler of that name, and for such a compiler.
    pub fn reads(name: &str, case: &Case) -> bool {
        name.starts_with("flang") == case.is_fortran()
            && name.ends_with("as proposed") != case.proposed.is_empty()
    }

    /// The installed ones that make a program of the case that is right.
    pub fn exact(case: &Case) -> Vec<(&'static str, Compiler)> {
        let mut exact = Vec::new();
        for (name, compiler) in Compiler::all() {
            let reading = compiler.ok().filter(|_| Compiler::reads(name, case));
            let is_exact =
                |compiler: &Compiler| matches!(case.outcome(compiler.major()), Outcome::Exact);
            exact.extend(reading.filter(is_exact).map(|compiler| (name, compiler)));
        }
        exact
    }

    /// A command that begins to compile the case.
    pub fn command(&self, case: &Case, plugin: Option<&Path>) -> Command {
        if !self.fortran {
            let mut clang = program::compiler(&self.llvm, &case.source, plugin);
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
