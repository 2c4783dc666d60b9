//! The compilers of the table.

use std::path::Path;
use std::process::Command;

use crate::suite::Missing;
use crate::toolchain::Llvm;
use crate::{child, program};

use super::case::Case;

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
        vec![
            ("clang 22", clang(22)),
            ("clang 19", clang(19)),
            ("clang 16", clang(16)),
            (
                "flang 22",
                Llvm::find_flang(22).map(|llvm| Compiler {
                    llvm,
                    fortran: true,
                }),
            ),
        ]
    }

    /// The major version.
    pub fn major(&self) -> u32 {
        self.llvm.major
    }

    /// The case is written in its language.
    pub fn reads(&self, case: &Case) -> bool {
        self.fortran == case.is_fortran()
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
