//! Another processor than this machine's: how compilers are told of it, and how programs for it are run.
//!
//! `OMPCHUNK_TARGET` names a directory that `scripts/cross.sh` has filled:
//!
//! | there | what it is |
//! |---|---|
//! | `triple` | the processor, as compilers call it |
//! | `sysroot/` | libc, libraries of compilers, and the system's OpenMP runtime |
//! | `libomp16/` | LLVM 16's |
//! | `bin/emulator` | runs a program of that processor |
//! | `bin/emulator-with-plugins` | the same, slower to start |
//! | `dist/` | our products for it; the plugin stays this machine's, as compilers are |
//!
//! Whoever starts a process asks [`command`], and need not know of it: a compiler gets its flags, a program for another processor gets the emulator,
//! everything else is this machine's. `OMPCHUNK_TARGET_PAGES` is the size of pages that the emulator says it has.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Links for every target, since it is LLVM's own.
const LINKER: &str = "/usr/lib/llvm-22/bin/ld.lld";

/// What the variable names.
#[derive(Debug)]
pub struct Target {
    directory: PathBuf,
    triple: String,
    pages: Option<String>,
}

/// The processor under test, unless it is this machine's.
///
/// # Panics
///
/// If `OMPCHUNK_TARGET` names something else than such a directory: nothing may be tested here in its place.
pub fn current() -> Option<&'static Target> {
    static TARGET: OnceLock<Option<Target>> = OnceLock::new();
    let read = || {
        let directory = PathBuf::from(std::env::var_os("OMPCHUNK_TARGET")?);
        let triple = std::fs::read_to_string(directory.join("triple")).unwrap_or_else(|error| {
            panic!("OMPCHUNK_TARGET={}: {error}; next: scripts/cross.sh fetch", directory.display())
        });
        Some(Target { directory, triple: triple.trim().to_owned(), pages: std::env::var("OMPCHUNK_TARGET_PAGES").ok() })
    };
    TARGET.get_or_init(read).as_ref()
}

/// A command that starts `program`, whatever processor it is for.
pub fn command(program: &OsStr) -> Command {
    match current() {
        Some(target) => target.command(program),
        None => Command::new(program),
    }
}

/// Flags with which a program needs more than a compiler and libc: sanitizers' and profiles' libraries are not fetched, and the former
/// want the address space as it is without an emulator.
pub fn can_link(flags: &str) -> bool {
    current().is_none() || !["-fsanitize=", "profile"].iter().any(|flag| flags.contains(flag))
}

impl Target {
    /// Where our products for it are.
    pub fn dist(&self) -> PathBuf {
        self.directory.join("dist")
    }

    /// Where LLVM 16's runtime for it is.
    pub fn libomp16(&self) -> PathBuf {
        self.directory.join("libomp16")
    }

    /// The processor, as compilers call it.
    pub fn triple(&self) -> &str {
        &self.triple
    }

    /// Runs a program of that processor, with pages of so many bytes.
    pub fn emulate(&self, program: &Path, pages: Option<&str>) -> Command {
        let mut command = Command::new(self.directory.join("bin/emulator"));
        if let Some(pages) = pages {
            command.args(["-p", pages]);
        }
        command.arg("-L").arg(self.directory.join("sysroot"));
        command.arg(program);
        command
    }

    /// Runs it with a plugin of the emulator's, whose output comes on standard error. What the caller adds to the environment is the
    /// program's, but for `LD_LIBRARY_PATH`.
    pub fn plugged(&self, program: &Path, plugin: &Path) -> Command {
        // The one that is linked statically has no plugins.
        let mut command = Command::new(self.directory.join("bin/emulator-with-plugins"));
        command.arg("-plugin").arg(plugin).args(["-d", "plugin"]);
        command.arg("-L").arg(self.directory.join("sysroot"));
        command.arg(program);
        command
    }

    fn command(&self, program: &OsStr) -> Command {
        let name = Path::new(program).file_name().unwrap_or_default();
        let mut command = Command::new(program);
        match name.to_str() {
            Some("clang" | "clang++") => {
                command.args(self.flags());
                command.arg(format!("--ld-path={LINKER}"));
                command.arg("-Wno-unused-command-line-argument");
            }
            Some("flang") => {
                command.args(self.flags());
                // It knows no `--ld-path`, and finds its own. Its library for that processor is among its other files there.
                command.args(["-fuse-ld=lld", "-resource-dir"]);
                let files = "sysroot/usr/lib/llvm-22/lib/clang/22";
                command.arg(self.directory.join(files));
            }
            _ if is_foreign(Path::new(program)) => {
                command = self.emulate(Path::new(program), self.pages.as_deref());
            }
            _ => {}
        }
        command
    }

    fn flags(&self) -> [String; 2] {
        [format!("--target={}", self.triple), format!("--sysroot={}", self.directory.join("sysroot").display())]
    }
}

/// A program, and not one for this machine's processor.
fn is_foreign(program: &Path) -> bool {
    match (machine(program), machine(Path::new("/proc/self/exe"))) {
        (Some(program), Some(own)) => program != own,
        _ => false,
    }
}

/// The processor that an ELF file is for.
fn machine(program: &Path) -> Option<[u8; 2]> {
    let mut head = [0; 20];
    File::open(program).ok()?.read_exact(&mut head).ok()?;
    head.starts_with(b"\x7fELF").then(|| [head[18], head[19]])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target() -> Target {
        Target {
            directory: PathBuf::from("/target"),
            triple: "aarch64-linux-gnu".to_owned(),
            pages: Some("65536".to_owned()),
        }
    }

    fn words(command: &Command) -> Vec<String> {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn compilers_are_told_of_it() {
        let words = words(&target().command(OsStr::new("/usr/lib/llvm-22/bin/clang++")));
        assert_eq!(
            words[..3],
            ["/usr/lib/llvm-22/bin/clang++", "--target=aarch64-linux-gnu", "--sysroot=/target/sysroot"]
        );
    }

    #[test]
    fn its_programs_are_emulated_and_others_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("program");
        let own = std::fs::read("/proc/self/exe").unwrap();
        let mut foreign = own[..64].to_vec();
        std::fs::write(&program, &foreign).unwrap();
        assert_eq!(words(&target().command(program.as_os_str())).len(), 1);
        foreign[18] ^= 1;
        std::fs::write(&program, &foreign).unwrap();
        let words = words(&target().command(program.as_os_str()));
        assert_eq!(words[..5], ["/target/bin/emulator", "-p", "65536", "-L", "/target/sysroot"]);
        assert_eq!(words[5], program.to_string_lossy());
    }
}
