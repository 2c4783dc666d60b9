//! The stock LLVM toolchains of the machine.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::matrix;
use crate::suite::{Missing, Suite};

/// The majors a plugin is built for, newest first; with [`OLDEST`], `majors` in `scripts/common.sh` are the same.
pub const MAJORS: [u32; 3] = [22, 19, 16];

/// One more, with less: the IR tests, and programs at -O0 and -O2. It is the oldest with opaque pointers, and what is particular to it is in its IR.
pub const OLDEST: u32 = 15;

/// Names other majors in their place, with blanks between them, as for `scripts/common.sh`.
const OTHERS: &str = "OMPCHUNK_LLVMS";

#[derive(Debug, Clone)]
pub struct Llvm {
    pub major: u32,
    bin: PathBuf,
}

/// A test of a compiler, in a folder of its own.
pub type Test = fn(&Llvm, &Path) -> Result<()>;

impl Llvm {
    /// The toolchain of one major, if clang and opt of it are installed.
    pub fn find(major: u32) -> Result<Llvm, Missing> {
        let bin = PathBuf::from(format!("/usr/lib/llvm-{major}/bin"));
        for tool in ["clang", "clang++", "opt"] {
            if !bin.join(tool).is_file() {
                return Err(Missing::Here(format!(
                    "{} is not installed: apt-get install clang-{major} llvm-{major}",
                    bin.join(tool).display()
                )));
            }
        }
        Ok(Llvm { major, bin })
    }

    pub fn find_flang(major: u32) -> Result<Llvm, Missing> {
        let llvm = Llvm::find(major)?;
        let flang = llvm.tool("flang");
        if !flang.is_file() {
            return Err(Missing::Here(format!("{} is not installed: apt-get install flang-{major}", flang.display())));
        }
        Ok(llvm)
    }

    /// The majors that `OMPCHUNK_LLVMS` names in the place of [`MAJORS`], if it names any.
    pub fn others() -> Option<Vec<u32>> {
        let named = std::env::var(OTHERS).unwrap_or_default();
        let majors: Vec<u32> =
            named.split_whitespace().map(|word| word.parse().expect("majors in OMPCHUNK_LLVMS")).collect();
        (!majors.is_empty()).then_some(majors)
    }

    /// Every supported major, or each that `OMPCHUNK_LLVMS` names: the toolchain, or why there is none.
    pub fn all() -> Vec<(u32, Result<Llvm, Missing>)> {
        let majors = Llvm::others().unwrap_or(MAJORS.into());
        let found = majors.into_iter().map(|major| (major, Llvm::find(major)));
        found.collect()
    }

    /// Adds tests for each of them.
    pub fn each(suite: &mut Suite, add: impl Fn(&mut Suite, u32, Llvm)) {
        Llvm::each_of(suite, usize::MAX, add);
    }

    /// Adds tests of the newest alone, each in a folder of its own.
    pub fn newest(suite: &mut Suite, tests: &[(&'static str, Test)]) {
        Llvm::each_of(suite, 1, |suite, _, llvm| {
            for &(name, test) in tests {
                let llvm = llvm.clone();
                suite.scoped(name, move |dir| test(&llvm, dir));
            }
        });
    }

    fn each_of(suite: &mut Suite, newest: usize, add: impl Fn(&mut Suite, u32, Llvm)) {
        for (major, llvm) in Llvm::all().into_iter().take(newest) {
            let name = format!("clang-{major}");
            suite.needs(&name, llvm, |suite, llvm| add(suite, major, llvm));
        }
    }

    /// Adds tests that count instructions, which takes long, for the two newest of them; [`matrix::is_full`] has all.
    pub fn each_counted(suite: &mut Suite, add: impl Fn(&mut Suite, u32, Llvm)) {
        let counted = if matrix::is_full() { usize::MAX } else { 2 };
        Llvm::each_of(suite, counted, add);
    }

    /// All and, unless others are named, [`OLDEST`].
    pub fn every() -> Vec<(u32, Result<Llvm, Missing>)> {
        let oldest = Llvm::others().is_none().then(|| (OLDEST, Llvm::find(OLDEST)));
        Llvm::all().into_iter().chain(oldest).collect()
    }

    pub fn installed() -> Vec<Llvm> {
        Llvm::all().into_iter().filter_map(|(_, llvm)| llvm.ok()).collect()
    }

    pub fn tool(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// The driver for a source file: clang++ for C++, else clang.
    pub fn driver(&self, source: &std::path::Path) -> PathBuf {
        match source.extension() {
            Some(extension) if extension == "cpp" => self.tool("clang++"),
            _ => self.tool("clang"),
        }
    }

    /// Its own lld, which full and thin LTO need.
    pub fn lld(&self) -> Result<PathBuf, Missing> {
        let lld = self.tool("ld.lld");
        if !lld.is_file() {
            return Err(Missing::Here(format!(
                "{} is not installed: apt-get install lld-{}",
                lld.display(),
                self.major
            )));
        }
        Ok(lld)
    }
}
