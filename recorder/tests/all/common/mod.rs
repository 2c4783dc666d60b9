//! What the tests of the recorder share: programs, runtimes, runs under the command, and what a trace must hold whatever the program.

pub mod devices;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};

use ompchunk_testkit::missing;
use ompchunk_trace_format::{Ending, Event, LoopBegin, Part, Trace};

pub use ompchunk_testkit::runtimes::{Runtime, oldest, two as runtimes};
pub use ompchunk_testkit::{clean, product, repository};

/// The newest two clangs that there is a plugin for.
pub fn majors() -> Vec<u32> {
    let mut majors = ompchunk_testkit::compilers::majors();
    majors.truncate(2);
    if majors.len() < 2 {
        missing(&format!("two clangs with a plugin, found {majors:?}"));
    }
    majors
}

/// What `tasks.c` is to create: kind and size.
pub const TASKS: [[&str; 2]; 10] = [
    ["fib", "14"],
    ["tree", "8"],
    ["untied", "200"],
    ["undeferred", "200"],
    ["taskloop", "100"],
    ["taskgroup", "100"],
    ["detached", "100"],
    ["wavefront", "12"],
    ["nested", "20"],
    ["serial", "10"],
];

/// `tests/programs`, each program a file.
pub fn programs() -> PathBuf {
    ompchunk_testkit::parted("recorder/tests/programs")
}

/// One of them, compiled, and a directory for its traces.
pub struct Program {
    pub directory: tempfile::TempDir,
    pub path: PathBuf,
}

impl Program {
    pub fn compile(name: &str, major: u32) -> Program {
        Program::compile_with(name, major, &[])
    }

    /// `with`: what it is linked with besides.
    pub fn compile_with(name: &str, major: u32, with: &[&str]) -> Program {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("app");
        let source = programs().join(format!("{name}.c"));
        let mut command = clean(product("bin/ompchunk"));
        command
            .env("OMPCHUNK_CC", format!("clang-{major}"))
            .args(["cc", "-O2", "-g", "-fopenmp"])
            .arg(source)
            .args(with)
            .arg("-o")
            .arg(&path);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{command:?}\n{output:?}");
        Program { directory, path }
    }

    pub fn trace(&self) -> PathBuf {
        self.directory.path().join("trace")
    }

    /// `ompchunk record -o trace OPTIONS app ARGUMENTS` on a runtime, where no trace is any more.
    pub fn record(&self, runtime: &Runtime, options: &[&str], arguments: &[&str]) -> Command {
        let _ = std::fs::remove_dir_all(self.trace());
        let mut command = clean(product("bin/ompchunk"));
        command.args(["record", "-o"]).arg(self.trace());
        command.args(options).arg(&self.path).args(arguments);
        runtime.serve(&mut command);
        command.env("KMP_BLOCKTIME", "0").env("OMP_DYNAMIC", "false");
        command
    }

    /// The trace of a run that ends as it should, with the program's output.
    pub fn recorded(&self, runtime: &Runtime, options: &[&str], arguments: &[&str]) -> (Trace, String) {
        let mut command = self.record(runtime, options, arguments);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{command:?}\n{}", text(&output));
        let trace = Trace::open(&self.trace()).unwrap();
        for part in &trace.parts {
            assert_eq!(part.ending(), Ending::Clean);
            in_order(part);
        }
        (trace, String::from_utf8(output.stdout).unwrap())
    }
}

/// The program with the recorder as a tool, attached by hand: nobody keeps what it has not written.
pub fn by_hand(program: &Program, runtime: &Runtime, arguments: &[&str]) -> Command {
    let _ = std::fs::remove_dir_all(program.trace());
    let mut command = clean(&program.path);
    let tools = ["lib/libompchunk_rt.so", "lib/libompchunk_trace.so"].map(product);
    let tools = tools.map(|tool| tool.into_os_string().into_string().unwrap());
    command.args(arguments).env("OMP_TOOL_LIBRARIES", tools.join(":")).env("OMPCHUNK_TRACE", program.trace());
    runtime.serve(&mut command);
    command
}

/// A run whose trace is on a file system of this size, in a name space of our own; `None`: this machine lets nobody mount.
pub fn on_a_small_disk(
    program: &Program,
    runtime: &Runtime,
    size: &str,
    options: &[&str],
    arguments: &[&str],
) -> Option<Output> {
    let place = program.directory.path().join("small");
    std::fs::create_dir_all(&place).unwrap();
    let run = program.record(runtime, options, arguments);
    let script = format!(
        "mount -t tmpfs -o size={size} none \"$0\" || exit 77\n\
         TRACE=$1; shift\n\"$@\"; code=$?\ncp -r \"$0/trace\" \"$TRACE\"\nexit $code"
    );
    // The trace goes to the small file system.
    let mut words = vec![run.get_program().to_owned()];
    words.extend(run.get_args().map(ToOwned::to_owned));
    let at = words.iter().position(|word| word == "-o").unwrap();
    words[at + 1] = place.join("trace").into();
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", &script]).args([&place, &program.trace()]).args(words);
    for (name, value) in run.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let _ = std::fs::remove_dir_all(program.trace());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) || said.contains("unshare failed") {
        missing(&format!("this machine lets nobody mount: {said}"));
        return None;
    }
    Some(output)
}

/// The number that a process printed, and nothing else.
pub fn number(output: &Output) -> u64 {
    let printed = String::from_utf8_lossy(&output.stdout);
    printed.trim().parse().unwrap()
}

/// What a process said, for messages.
pub fn text(output: &Output) -> String {
    format!("{}\n{}{}", output.status, String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

pub fn in_order(part: &Part) {
    let checked = part.check().unwrap();
    assert!(checked.events > 0);
    assert!(checked.violations.is_empty(), "{:#?}", checked.violations);
}

/// A thread's chunk, by its iterations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    pub lane: u32,
    pub lower: u64,
    pub iterations: u64,
    pub line: u32,
    pub begin: LoopBegin,
}

/// All chunks of a part, each with its loop.
pub fn chunks(part: &Part) -> Vec<Ran> {
    let mut lines = BTreeMap::new();
    let mut open: BTreeMap<u32, Vec<LoopBegin>> = BTreeMap::new();
    let mut found = Vec::new();
    part.for_each(|at, event| match event {
        Event::Loop(the_loop) => {
            lines.insert(the_loop.the_loop, the_loop.line);
        }
        Event::LoopBegin(loop_begin) => open.entry(at.lane).or_default().push(*loop_begin),
        Event::LoopEnd { .. } => {
            open.get_mut(&at.lane).unwrap().pop();
        }
        Event::Chunk(chunk) => {
            let begin = *open[&at.lane].last().unwrap();
            found.push(Ran {
                lane: at.lane,
                lower: chunk.lower,
                iterations: chunk.iterations,
                line: lines[&begin.the_loop],
                begin,
            });
        }
        _ => {}
    })
    .unwrap();
    found
}

/// Chunks that are told and those that are added up.
pub fn all_chunks(part: &Part) -> u64 {
    let mut count = chunks(part).len() as u64;
    part.for_each(|_, event| {
        if let Event::Aggregate(event) = event {
            assert!(event.histogram.counts().sum::<u64>() <= event.chunks);
            count += event.chunks;
        }
    })
    .unwrap();
    count
}
