//! Builds the small C programs of `tests/c`, runs them under both runtimes, and reads their lines.
//!
//! With `OMPCHUNK_TARGET`, the directory that `scripts/cross.sh` fills, all of that is for that processor, and runs in its emulator.

mod build;

#[allow(unused_imports, reason = "each test file uses its part")]
pub use build::{archive, clang, compile, shim};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

pub use ompchunk_testkit::runtimes::Runtime;

use ompchunk_testkit::runtimes;

/// The system's libomp, and libiomp5 where `OMPCHUNK_IOMP5` names a directory that holds it.
pub fn runtimes() -> &'static [Runtime] {
    static RUNTIMES: OnceLock<Vec<Runtime>> = OnceLock::new();
    RUNTIMES.get_or_init(|| match build::target() {
        None => runtimes::two(),
        Some(_) => {
            eprintln!("left out: libiomp5, which Intel does not build for that processor");
            vec![runtimes::system()]
        }
    })
}

/// How a runtime introduces itself to tools.
pub fn says(runtime: &Runtime) -> &'static str {
    if runtime.name == "libiomp5" { "Intel(R) OMP" } else { "LLVM OMP" }
}

/// A library with a loop, which needs the second runtime.
pub fn second_runtimes_guest(flags: &[&str]) -> Option<PathBuf> {
    let second = runtimes().iter().find_map(|runtime| runtime.directory.as_ref())?;
    let link = second.join("libomp.so.5");
    let library = link.canonicalize().expect("libiomp5");
    let (search, rpath) = (format!("-L{}", parent(&library).display()), rpath(&library));
    let own = ["-shared", "-fPIC", "-fopenmp=libiomp5", &search, &rpath];
    Some(compile("guest-iomp.so", &["guest.c"], &[&own, flags].concat()))
}

/// A directory of this test binary's own.
pub fn scratch() -> PathBuf {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY
        .get_or_init(|| {
            let program = std::env::current_exe().expect("a test has a path");
            let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(program.file_stem().expect("and a name"));
            // What an earlier run left may be older than its sources.
            let _ = std::fs::remove_dir_all(&directory);
            std::fs::create_dir_all(&directory).expect("scratch directory");
            directory
        })
        .clone()
}

/// The program that runs loops.
pub fn driver() -> PathBuf {
    compile("driver", &["driver.c"], &["-fopenmp"])
}

pub fn tool(name: &str, options: &str) -> PathBuf {
    compile(
        &format!("lib{name}.so"),
        &["tool.c"],
        &["-shared", "-fPIC", &format!("-DNAME=\"{name}\""), &format!("-DOPTIONS=\"{options}\"")],
    )
}

/// A path as programs are told it.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The directory that a file is in.
pub fn parent(path: &Path) -> &Path {
    path.parent().expect("a directory")
}

/// Has a program look for its libraries where that one is.
pub fn rpath(library: &Path) -> String {
    format!("-Wl,-rpath,{}", parent(library).display())
}

/// How the shim and the tools come into the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attach {
    ToolLibraries,
    Preload,
}

pub struct Run {
    command: Command,
    runtime: &'static str,
    /// Where it finds its runtime, if that is not the system's.
    directories: Vec<String>,
}

/// The driver's loops, with shim and tool; `options` are the tool's.
pub fn run(runtime: &Runtime, options: &str, loops: &[&str]) -> Output {
    Run::new(&driver(), runtime, loops)
        .attach(Attach::ToolLibraries, &[&shim(), &tool("tool", "dispatch chunk clock")])
        .env("TOOL_OPTIONS", options)
        .output()
}

impl Run {
    pub fn new(program: &Path, runtime: &Runtime, loops: &[&str]) -> Self {
        let mut command = build::program(program);
        command.args(loops).stdin(Stdio::null());
        for name in ["OMP_TOOL", "OMP_TOOL_LIBRARIES", "OMPCHUNK_VERBOSE", "LD_PRELOAD", "TOOL_OPTIONS"] {
            command.env_remove(name);
        }
        // More threads than processors must not spin.
        command.env("KMP_BLOCKTIME", "0");
        command.env_remove("LD_LIBRARY_PATH");
        if let Some(directory) = &runtime.directory {
            command.env("LD_LIBRARY_PATH", directory);
        }
        let directory = runtime.directory.iter();
        Self { command, runtime: runtime.name, directories: directory.map(|path| path.display().to_string()).collect() }
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn verbose(self) -> Self {
        self.env("OMPCHUNK_VERBOSE", "1")
    }

    pub fn attach(mut self, way: Attach, libraries: &[&Path]) -> Self {
        if way == Attach::ToolLibraries {
            let paths: Vec<_> = libraries.iter().map(|library| text(library)).collect();
            return self.env("OMP_TOOL_LIBRARIES", &paths.join(":"));
        }
        // Blanks and colons separate the entries of LD_PRELOAD, and the tree may stand anywhere: names, and
        // directories to search them in, which only colons separate.
        let file_name = |library: &&Path| library.file_name().expect("a file").to_owned();
        let names: Vec<_> = libraries.iter().map(file_name).collect();
        let homes = libraries.iter().map(|library| text(parent(library)));
        let mut directories: Vec<_> = self.directories.iter().map(String::as_str).collect();
        directories.extend(homes);
        self.command.env("LD_LIBRARY_PATH", directories.join(":"));
        let names = names.join(std::ffi::OsStr::new(" "));
        self.env("LD_PRELOAD", text(Path::new(&names)))
    }

    pub fn stderr(mut self, to: Stdio) -> Self {
        self.command.stderr(to);
        self
    }

    /// Starts the program without a descriptor 2.
    pub fn close_stderr(mut self) -> Self {
        use std::os::unix::process::CommandExt as _;
        // SAFETY: `close` may be called between fork and exec.
        unsafe {
            self.command.pre_exec(|| {
                libc::close(libc::STDERR_FILENO);
                Ok(())
            });
        }
        self
    }

    pub fn output(mut self) -> Output {
        let result = self.command.output().expect("the program starts");
        let output = Output {
            text: String::from_utf8_lossy(&result.stdout).into_owned(),
            messages: String::from_utf8_lossy(&result.stderr).into_owned(),
            runtime: self.runtime,
        };
        assert!(result.status.success(), "{:?}: {}\n{output}", self.command, result.status);
        output
    }
}

pub struct Output {
    pub text: String,
    pub messages: String,
    runtime: &'static str,
}

impl std::fmt::Display for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "-- on {}\n-- stdout\n{}-- stderr\n{}", self.runtime, self.text, self.messages)
    }
}

/// The fields of one line, `key=value` each.
pub type Line = BTreeMap<String, String>;

impl Output {
    /// The lines that begin with these words, in order.
    pub fn lines(&self, words: &str) -> Vec<Line> {
        let fields = |text: &str| {
            text.split(' ')
                .filter_map(|field| field.split_once('='))
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect()
        };
        self.text.lines().filter_map(|line| line.strip_prefix(words)?.strip_prefix(' ')).map(fields).collect()
    }

    /// Named fields of such lines, as sorted text.
    pub fn fields(&self, words: &str, keys: &[&str]) -> Vec<String> {
        let shown = |line: &Line| {
            let value = |key: &str| line.get(key).map_or("?", String::as_str);
            keys.iter().map(|key| format!("{key}={} ", value(key))).collect()
        };
        let mut texts: Vec<String> = self
            .lines(words)
            .iter()
            .filter(|line| line.get("loop").is_none_or(|number| number != "0"))
            .map(shown)
            .collect();
        texts.sort();
        texts
    }

    /// Both events of instrumented loops are exactly the chunks that ran.
    pub fn assert_exact(&self, tool: &str) {
        self.assert_dispatch_exact(tool);
        self.assert_chunks_exact(tool);
    }

    /// Dispatch events of instrumented loops are exactly the chunks that ran.
    pub fn assert_dispatch_exact(&self, tool: &str) {
        let ran = ranges(&self.lines("ran"));
        let reported: Vec<_> = self.lines(&format!("{tool} dispatch"));
        for line in &reported {
            assert_eq!(line["valid"], "1", "invalid data in {line:?}\n{self}");
        }
        assert_eq!(ran, ranges(&reported), "dispatch events differ from the chunks run\n{self}");
    }

    /// Chunk events of instrumented loops are exactly the chunks that ran.
    pub fn assert_chunks_exact(&self, tool: &str) {
        let keys = ["loop", "team", "thread", "lower", "upper", "last"];
        let events = format!("{tool} chunk");
        for line in self.lines(&events) {
            assert_eq!(line["valid"], "1", "invalid data in {line:?}\n{self}");
        }
        assert_eq!(
            self.fields("ran", &keys),
            self.fields(&events, &keys),
            "chunk events differ from the chunks run\n{self}"
        );
    }

    /// Number of lines that begin with these words.
    pub fn count(&self, words: &str) -> usize {
        self.lines(words).len()
    }

    /// Number of such lines of one loop; of `0`, those of loops that are not instrumented.
    pub fn count_of(&self, words: &str, the_loop: &str) -> usize {
        let lines = self.lines(words);
        lines.iter().filter(|line| line["loop"] == the_loop).count()
    }

    /// The one line of stderr, or all that came with `OMPCHUNK_VERBOSE`.
    pub fn assert_says(&self, part: &str) {
        assert!(self.messages.contains(part), "no {part:?} on stderr\n{self}");
        for line in self.messages.lines() {
            assert!(line.starts_with("ompchunk: "), "foreign line {line:?}\n{self}");
        }
    }

    pub fn assert_quiet(&self) {
        assert_eq!(self.messages, "", "{self}");
    }
}

/// (loop, team, thread, start, iterations) of each instrumented line, sorted.
fn ranges(lines: &[Line]) -> Vec<[u64; 5]> {
    let instrumented = lines.iter().filter(|line| line["loop"] != "0");
    let mut ranges: Vec<_> = instrumented.map(range).collect();
    ranges.sort_unstable();
    ranges
}

fn range(line: &Line) -> [u64; 5] {
    let number = |key: &str| -> u64 {
        let value = line[key].parse();
        value.unwrap_or_else(|_| panic!("{key} in {line:?}"))
    };
    let (start, iterations) = match line.contains_key("start") {
        true => (number("start"), number("iterations")),
        false => (number("lower"), number("upper") + 1 - number("lower")),
    };
    [number("loop"), number("team"), number("thread"), start, iterations]
}
