//! What the tests' programs are built of, and with what, and how they are started.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

use ompchunk_testkit::{compilers, parted};

use super::scratch;

/// What `scripts/cross.sh` has filled, if another processor than this machine's is under test.
pub fn target() -> Option<&'static Path> {
    static TARGET: OnceLock<Option<PathBuf>> = OnceLock::new();
    TARGET.get_or_init(|| std::env::var_os("OMPCHUNK_TARGET").map(PathBuf::from)).as_deref()
}

/// Starts a program of the processor under test.
pub fn program(program: &Path) -> Command {
    let Some(target) = target() else {
        return Command::new(program);
    };
    let mut command = Command::new(target.join("bin/emulator"));
    command.arg("-L").arg(target.join("sysroot")).arg(program);
    command
}

/// `libompchunk_rt.so` of the profile that this test was built in.
pub fn shim() -> PathBuf {
    artifact("libompchunk_rt.so")
}

/// `libompchunk_rt.a` of the same.
pub fn archive() -> PathBuf {
    artifact("libompchunk_rt.a")
}

fn artifact(name: &str) -> PathBuf {
    if let Some(target) = target() {
        let path = target.join("dist/lib").join(name);
        assert!(path.exists(), "no {}: scripts/cross.sh build", path.display());
        return path;
    }
    let program = std::env::current_exe().expect("a test has a path");
    let dependencies = program.parent().expect("target/<profile>/deps");
    let direct = dependencies.join(name);
    let artifact = if direct.exists() { direct } else { dependencies.parent().expect("target/<profile>").join(name) };
    assert!(artifact.exists(), "no {name} beside {}: run `cargo build -p ompchunk-rt`", program.display());
    artifact
}

/// The C compiler, which compiles for the processor under test.
pub fn clang() -> Command {
    let mut command = Command::new(compilers::clang());
    if let Some(target) = target() {
        let triple = std::fs::read_to_string(target.join("triple")).expect("scripts/cross.sh fetch");
        command.arg(format!("--target={}", triple.trim()));
        command.arg(format!("--sysroot={}", target.join("sysroot").display()));
        command.args(["--ld-path=/usr/lib/llvm-22/bin/ld.lld", "-Wno-unused-command-line-argument"]);
    }
    command
}

/// Compiles files of `tests/c`, or of absolute paths, once per set of flags. Tests run side by side, so each set has a
/// directory of its own, which also is the place for what comes with it.
pub fn compile(output: &str, sources: &[&str], flags: &[&str]) -> PathBuf {
    static DONE: Mutex<()> = Mutex::new(());
    let _turn = DONE.lock().unwrap_or_else(PoisonError::into_inner);

    let mut hasher = DefaultHasher::new();
    (sources, flags, compilers::clang()).hash(&mut hasher);
    let directory = scratch().join(format!("{:016x}", hasher.finish()));
    let path = directory.join(output);
    if path.exists() {
        return path;
    }
    std::fs::create_dir_all(&directory).expect("scratch directory");
    let crate_directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = parted("runtime-shim/tests/c");
    let mut command = clang();
    command.args(["-g", "-O1", "-Wall", "-Wextra", "-Werror"]);
    command.arg("-I").arg(crate_directory.join("include"));
    command.arg("-idirafter").arg(omp_headers());
    command.args(sources.iter().map(|source| programs.join(source)));
    command.args(flags).arg("-o").arg(&path);
    let result = command.output().expect("clang starts");
    assert!(result.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&result.stderr));
    path
}

/// A directory with `omp.h` and `omp-tools.h`, for compilers that have none of their own.
fn omp_headers() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| compilers::omp_headers(&scratch()).expect("links to headers"))
}
