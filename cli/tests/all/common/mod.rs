//! What the tests of the command share: where the products are, which compilers there are, and processes in a clean environment.

pub mod acc;
pub mod gprofng;
pub mod recorded;
pub mod stacks;
pub mod traces;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub use ompchunk_testkit::compilers::{majors, majors_of};
pub use ompchunk_testkit::{clean, dist, fail, finish, missing, parted, repository, succeed};

/// A loop of 100 chunks on two threads, in line 3.
pub const HUNDRED: &str = "int main(void) {\n  int i;\n\
#pragma omp parallel for schedule(static, 1) num_threads(2)\n  \
for (i = 0; i < 100; i++)\n    __asm__ volatile(\"\");\n  return 0;\n}\n";

/// The command under test, with the products of `dist/`.
pub fn ompchunk(arguments: &[&str]) -> Command {
    let mut command = clean(env!("CARGO_BIN_EXE_ompchunk"));
    command.env("OMPCHUNK_LIBDIR", dist().join("lib")).args(arguments);
    command
}

/// As one writes it into `CC` and its like: its words are split at blanks, so the command is found by `PATH`, and may stand anywhere.
pub fn by_name(command: &mut Command) -> &mut Command {
    let exe = Path::new(env!("CARGO_BIN_EXE_ompchunk"));
    let mut path = OsString::from(exe.parent().expect("target/<profile>"));
    if let Some(others) = std::env::var_os("PATH") {
        path.push(":");
        path.push(others);
    }
    command.env("PATH", path).env("OMPCHUNK_LIBDIR", dist().join("lib"))
}

/// What a command prints, which must be JSON.
#[track_caller]
pub fn json(command: &mut Command) -> serde_json::Value {
    let text = succeed(command);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[track_caller]
pub fn number(of: &serde_json::Value, name: &str) -> f64 {
    of[name].as_f64().unwrap_or_else(|| panic!("{name} in {of}"))
}

/// The page of the JSON form names each of these fields.
#[track_caller]
pub fn are_documented(keys: impl IntoIterator<Item = impl AsRef<str>>) {
    let document = repository().join("docs/report-json.md");
    let document = std::fs::read_to_string(document).expect("the page");
    for key in keys {
        let key = key.as_ref();
        let is_there = document.contains(&format!("`{key}`"));
        assert!(is_there, "{key} is not in docs/report-json.md");
    }
}

#[track_caller]
pub fn must_say(text: &str, part: &str) {
    assert!(text.contains(part), "{part:?} is not in\n{text}");
}

/// What a terminal of so many columns gets, whatever the exit code is. The words are a shell's.
pub fn on_terminal(directory: &Path, columns: usize, words: &str) -> String {
    let program = env!("CARGO_BIN_EXE_ompchunk");
    let command = format!("stty cols {columns} rows 24; NO_COLOR=1 \"{program}\" {words} || true");
    let mut script = clean("script");
    script
        .args(["-qec", &command, "/dev/null"])
        .env("TERM", "xterm")
        .env("OMPCHUNK_LIBDIR", dist().join("lib"))
        .current_dir(directory);
    succeed(&mut script).replace('\r', "")
}

pub fn directory(name: &str, text: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(directory.path().join(name), text).expect("a file in it");
    directory
}

pub fn script(directory: &Path, name: &str, text: &str) -> PathBuf {
    let source = directory.join("script");
    std::fs::write(&source, text).expect("a script");
    let path = directory.join(name);
    // By another process: were it open for writing here, a child that another thread starts meanwhile
    // would have it open too, and a file that somebody writes cannot be run.
    succeed(clean("install").args(["-m", "755"]).args([&source, &path]));
    path
}

/// Compiles in a directory, with the plugin. Words are split at blanks.
pub fn compile(directory: impl AsRef<Path>, major: u32, words: &str) {
    let mut compile = ompchunk(&["cc"]);
    compile.args(words.split_whitespace()).env("OMPCHUNK_CC", format!("clang-{major}"));
    succeed(compile.current_dir(directory));
}

pub fn compile_to(source: &Path, to: &Path, major: u32, words: &[&str]) {
    let mut compile = ompchunk(&["cc", "-O2", "-g", "-fopenmp"]);
    compile.env("OMPCHUNK_CC", format!("clang-{major}"));
    succeed(compile.arg(source).arg("-o").arg(to).args(words));
}

/// For the oldest runtime too: what a later compiler calls it need not have.
pub fn oldest_major() -> u32 {
    majors().into_iter().min().expect("one")
}

/// A directory with a program `app` that is compiled from this source.
pub fn built(source: &str, major: u32) -> tempfile::TempDir {
    let directory = directory("app.c", source);
    compile(&directory, major, "-O2 -g -fopenmp app.c -o app");
    directory
}

/// Compiles `HUNDRED` to a program `app` in a directory, with the plugin.
pub fn hundred(directory: &Path, major: u32, flags: &[&str]) -> PathBuf {
    std::fs::write(directory.join("app.c"), HUNDRED).expect("a source");
    let words = format!("-O2 -fopenmp app.c -o app {}", flags.join(" "));
    compile(directory, major, &words);
    directory.join("app")
}

/// Debian's chromium, or another that is there. Without one the test is skipped, which fails with CI set.
pub fn browser() -> Option<&'static str> {
    let all = ["chromium", "chromium-browser", "google-chrome"];
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found = all.into_iter().find(is_there);
    if found.is_none() {
        missing("no browser (apt-get install chromium)");
    }
    found
}

/// The processors that this process may use.
pub fn processors() -> Vec<u32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("its processors");
    let range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| text.trim().parse::<u32>().unwrap();
        number(first)..=number(last)
    };
    list.split(',').flat_map(range).collect()
}

pub struct Busy(Vec<Child>);

impl Busy {
    /// So many, on these processors as `taskset` has them, or wherever the system puts them.
    pub fn on(processors: Option<&str>, count: usize) -> Busy {
        let start = |_| {
            let mut command = match processors {
                Some(processors) => {
                    let mut taskset = clean("taskset");
                    taskset.args(["-c", processors, "sh"]);
                    taskset
                }
                None => Command::new("sh"),
            };
            command.args(["-c", "while :; do :; done"]);
            command.stdout(Stdio::null()).spawn().unwrap()
        };
        Busy((0..count).map(start).collect())
    }

    /// Twice as many as there are cores.
    pub fn everywhere() -> Busy {
        let cores = std::thread::available_parallelism().unwrap().get();
        Busy::on(None, 2 * cores)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Is one of these programs missing, so that a test is skipped?
pub fn lacks(needed: &[&str]) -> bool {
    let lacked = needed.iter().find(|needed| Command::new(needed).arg("--version").output().is_err());
    if let Some(lacked) = lacked {
        missing(&format!("no {lacked} (make setup)"));
    }
    lacked.is_some()
}

/// What programs begin with whose work takes so much of its thread's own processor time.
pub const WORK: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
/* The thread's number by an address: a loop that asks by name stays as it is. */
static int (*who_runs)(void);
__attribute__((constructor)) static void find_who_runs(void) { who_runs = (int (*)(void))dlsym(0, "omp_get_thread_num"); }
static void work(long microseconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < microseconds);
}
"#;
