//! The command line, declared, for help, completions and man pages too. Says nothing of how a command does its work.

mod repeated;

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use ompchunk_analysis::Order;
use ompchunk_export::{FORMATS, Format, TABLES, Table};
use ompchunk_toolchain::libgomp::Wish;
use ompchunk_toolchain::schedule_option::Schedules;
use ompchunk_trace_format::settings::LARGEST;
use ompchunk_trace_format::{Mode, Settings};

pub use self::repeated::{Scale, Tune};
use crate::condition::Condition;
use crate::values::{ToolParser, choice, loop_to_come, part_size, ranks, seconds};

/// Where every thread-second of an OpenMP program goes, and what makes it faster.
#[derive(Debug, Parser)]
#[command(name = "ompchunk", version)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile C: clang with the plugin that fits it
    ///
    /// Everything after `cc` goes to the compiler as it is; exit code and diagnostics are the
    /// compiler's. The compiler is the one that OMPCHUNK_CC names, else clang-22, clang-19, ... (those
    /// that a plugin is installed for), else clang. OMPCHUNK=off compiles without the plugin. With --schedules FILE as the first
    /// argument, a program that is linked has the shim and these schedules inside, and OMPCHUNK_SCHEDULE counts more.
    #[command(disable_help_flag = true)]
    Cc(Compile),
    /// Compile C++: clang++ with the plugin that fits it (OMPCHUNK_CXX names another)
    ///
    /// As `ompchunk cc`, for C++.
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(Compile),
    /// Compile Fortran: flang with the plugin that fits it (OMPCHUNK_FC names another)
    #[command(disable_help_flag = true)]
    Fc(Compile),
    /// Run a program with the shim and tools attached
    ///
    /// Sets OMP_TOOL_LIBRARIES to the shim, the tools and what it held before, and OMP_TOOL=enabled. With --schedule or
    /// --balance, loops run under other schedules, also without a tool. Exit code and output are the program's.
    Run(Run),
    /// Run a program and record every chunk
    ///
    /// Writes a directory with one part per process: PROG.ompchunk, or the one that -o names. A summary at the end says what
    /// is in it. An earlier trace in PROG.ompchunk is kept: it becomes PROG.ompchunk.1, or gets the number after the
    /// highest that is there. A directory that -o names or that several ranks share is not moved; --force replaces the trace
    /// in it. A trace that another run is writing is never touched. Output and exit code are the program's; but the exit code
    /// is 125 if the program's is 0 and nothing was recorded (except for one of several ranks).
    #[command(mut_arg("schedules", |arg| arg.hide(true)))]
    Record(Record),
    /// List the worksharing loops of a program, library, object or archive
    ///
    /// Reads what the plugin left in the file; works on stripped files and runs nothing. Says of each loop whether
    /// --schedule and OMPCHUNK_SCHEDULE can change its schedule. Of a program that was compiled without the plugin, it lists the
    /// calls that begin static loops.
    Loops(Loops),
    /// Say where the time of a recorded run went, loop by loop
    ///
    /// Shows how much of the run was serial, in parallel regions and in loops, and what the loops lost. Then it lists
    /// the loops, those that lost most first, with balance and efficiency as the POP project defines them, and gives
    /// details of the first one or of those that --loop names. Reads traces of any length in constant memory.
    Report(Report),
    /// Say which schedule to write for the loops of a recorded run, and what that would save
    ///
    /// Predicts from what iterations cost how long each loop would take under static, dynamic and guided with chunk sizes
    /// in powers of two, and at what dealing chunks costs on this machine. Loops under schedule(static) need a trace of
    /// `ompchunk record --profile`. Predictions are ratios to the schedule as it is, and intervals; where no gain is certain the
    /// advice is to leave it.
    Advise(Advise),
    /// Find out which schedules make a program faster, and prove it on the same binary
    ///
    /// Runs the program many times, with the same arguments: once for a profile of its loops, from which other schedules are
    /// predicted and printed, then with these and the source's in turns, until the difference is known or the time is over, and
    /// last the whole program as it is and with what was faster. Writes that to a file for OMPCHUNK_SCHEDULE=@FILE. Standard input
    /// is given to each run if it is a file.
    Tune(Tune),
    /// Find out what a program loses with more threads: more expensive iterations, or waiting
    ///
    /// Records the program with several values of OMP_NUM_THREADS, in turns and several times, and sets the runs against each
    /// other, loop by loop: time, speedup, how much more work the same iterations are, and how long threads wait. Standard input
    /// is given to each run if it is a file.
    #[command(mut_arg("schedules", |arg| arg.hide(true)))]
    Scale(Scale),
    /// Write a recorded run in the format of another tool
    ///
    /// One format at a time.
    Export(Export),
    /// Check everything that ompchunk needs, and say what to do about what is missing
    ///
    /// Compiles and runs small programs in a temporary directory. The exit code is 1 if something
    /// required is missing.
    Doctor(Doctor),
    /// Measure what a chunk costs on this machine, or what the plugin costs a program
    ///
    /// Without a command after `--`: static loops of many chunk sizes, built by plain clang and with the plugin (OMPCHUNK_CC
    /// names the compiler), and run with shim, tool and recorder, randomly interleaved. With `-- clang ... app.c -- ./app args`:
    /// that program, built without and with the plugin, and run in pairs. Results go to a JSON file, and as text to the terminal.
    Bench(ompchunk_bench::Options),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Write the man pages into a directory
    Man(Man),
    /// Measure what a runtime takes to deal chunks, for advise
    #[command(hide = true)]
    MeasureDealing(MeasureDealing),
}

#[derive(Debug, Args)]
pub struct Compile {
    /// The compiler's arguments
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct Run {
    /// A tool: its path, or the short name of one that came with ompchunk, such as chunk-balance. The
    /// first tool that accepts gets the events. Alone, schedule-check says on standard error where --schedule moved iterations that
    /// loops promise to the same thread
    #[arg(short, long = "tool", value_name = "LIB", value_parser = ToolParser, hide_possible_values = true)]
    pub tools: Vec<OsString>,
    /// OMPCHUNK_VERBOSE=1.
    #[arg(short, long, hide = true)]
    pub verbose: bool,
    #[command(flatten)]
    pub schedules: Schedules,
    /// Let the program find out itself which schedules are faster (`*=adaptive`), and say at the end what it decided. With FILE, begin
    /// with what an earlier run left there, and leave there what this one learns (OMPCHUNK_LEARNED)
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub balance: Option<Option<PathBuf>>,
    /// With --balance, also loops that were compiled without the plugin, of which nobody has proven that results stay
    #[arg(long, requires = "balance")]
    pub unproven: bool,
    /// Write that to a JSON file instead
    #[arg(long, value_name = "FILE", requires = "balance")]
    pub json: Option<PathBuf>,
    /// Before, the file of --balance.
    #[arg(long, value_name = "FILE", requires = "balance", hide = true)]
    pub learned: Option<PathBuf>,
    /// Before, --tool schedule-check.
    #[arg(long, conflicts_with = "tools", hide = true)]
    pub check: bool,
    /// The OpenMP runtime: a file, libomp, or as-linked. Programs that need libgomp, which has no tools interface, run on
    /// libomp, if that has all functions they call; libomp is the word for those that load what needs libgomp later, as Python does
    #[arg(long, value_name = "FILE")]
    pub runtime: Option<Wish>,
    /// The program and its arguments
    #[arg(value_name = "PROG", required = true, trailing_var_arg = true)]
    pub program: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct Record {
    /// The directory for the trace
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace the trace of an earlier run that is there
    #[arg(short, long)]
    pub force: bool,
    /// Limit per process, such as 500M; later events are counted, not recorded [default: 4G; 0: no limit]
    #[arg(long, value_name = "SIZE", value_parser = part_size)]
    pub max_size: Option<u64>,
    /// Record one in N executions of each loop chunk by chunk, and only sums of the others
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub sample: Option<u64>,
    /// Record sums only: per loop and thread, how many chunks and how long they took
    #[arg(long)]
    pub aggregate: bool,
    /// Also record what iterations cost, within the chunks of each thread: a profile over the iterations of each loop
    #[arg(long, conflicts_with = "aggregate")]
    pub profile: bool,
    /// Also sample the stack of each thread, HZ times per second of its CPU time [default: 1000; the kernel's tick may allow
    /// fewer]
    #[arg(
        long,
        value_name = "HZ",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1000",
        value_parser = clap::value_parser!(u32).range(1..=10_000)
    )]
    pub sample_stacks: Option<u32>,
    /// Also time the bookkeeping between chunks, which costs a second reading of the clock per chunk
    #[arg(long)]
    pub bookkeeping: bool,
    /// Also record explicit tasks one by one: who creates them, where and when they run, what they depend on
    #[arg(long, conflicts_with_all = ["aggregate", "sample"])]
    pub tasks: bool,
    /// Also record on which processor each chunk begins, and with --tasks each task: for the scatter of grain graphs
    #[arg(long, conflicts_with = "aggregate")]
    pub cpus: bool,
    #[command(flatten)]
    pub schedules: Schedules,
    /// Record only these loops: FILE:LINE or FILE:LINE:COLUMN, or a part of a file's or function's name
    #[arg(short, long = "loop", value_name = "LOOP", value_parser = loop_to_come)]
    pub loops: Vec<String>,
    /// Leave out the first N executions of each loop, which only warm up; each thread counts its own
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip: u64,
    /// Stop recording after so long; the program goes on
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// The OpenMP runtime: a file, libomp, or as-linked. Programs that need libgomp, which has no tools interface, run on
    /// libomp, if that has all functions they call; libomp is the word for those that load what needs libgomp later, as Python does
    #[arg(long, value_name = "FILE")]
    pub runtime: Option<Wish>,
    /// The program and its arguments
    #[arg(value_name = "PROG", required = true, trailing_var_arg = true)]
    pub program: Vec<OsString>,
}

impl Record {
    /// What is asked of the recorder.
    pub fn settings(&self) -> Settings {
        let mode = Mode {
            max_size: Some(self.max_size.unwrap_or(LARGEST)),
            sample: self.sample.unwrap_or(1),
            aggregate: self.aggregate,
            profile: self.profile,
            bookkeeping: self.bookkeeping,
            tasks: self.tasks,
            cpus: self.cpus,
            loops: self.loops.clone(),
            skip: self.skip,
            seconds: self.seconds,
            ..Mode::default()
        };
        Settings { mode, sample_stacks: self.sample_stacks.map_or(0, u64::from), ..Settings::default() }
    }
}

#[derive(Debug, Args)]
pub struct Loops {
    /// An ELF program, shared library or object, or an archive of objects
    pub file: PathBuf,
    /// JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(override_usage = "ompchunk export --to <FORMAT> [OPTIONS] <TRACE>... <FILE>")]
pub struct Export {
    /// Directories that were recorded, or single parts, several of which are one run; last what to write, which is overwritten,
    /// and `-` is standard output
    #[arg(required = true, value_name = "TRACE... FILE")]
    pub paths: Vec<PathBuf>,
    /// What to write
    #[arg(long, value_name = "FORMAT", value_parser = choice(FORMATS))]
    pub to: Format,
    /// Which table, as csv or json [default: chunks]
    #[arg(long, value_name = "ROWS", value_parser = choice(TABLES))]
    pub table: Option<Table>,
    /// With graphml or task-stats: the trace of a run with one thread, to which the work of each chunk is compared
    #[arg(long, value_name = "DIR")]
    pub reference: Option<PathBuf>,
    /// With graphml: siblings are a problem if the median distance between their processors' numbers is larger, such as the processors of a
    /// socket where these have consecutive numbers; needs a trace with --cpus
    #[arg(long, value_name = "PROCESSORS", hide = true)]
    pub scatter_limit: Option<u32>,
    /// Only these loops: a number of the list that `ompchunk report` prints, FILE:LINE[:COLUMN], or a part of a file's or
    /// function's name
    #[arg(short, long = "loop", value_name = "LOOP")]
    pub loop_patterns: Vec<String>,
    /// Only these ranks, such as 3 or 0-63,70
    #[arg(short, long = "rank", value_name = "RANKS", value_delimiter = ',', value_parser = ranks)]
    pub ranks: Vec<RangeInclusive<u64>>,
}

#[derive(Debug, Args)]
pub struct Report {
    /// Directories that `ompchunk record` wrote, or single parts of them; the parts of all are one run
    #[arg(required = true, value_name = "DIR")]
    pub traces: Vec<PathBuf>,
    /// Only these loops, in detail: a number of the list, FILE:LINE[:COLUMN], or a part of a file's or function's name
    #[arg(short, long = "loop", value_name = "LOOP")]
    pub loops: Vec<String>,
    /// Order of the list
    #[arg(short, long, value_parser = choice(ORDERS), default_value = "lost")]
    pub sort: Order,
    /// Most loops in the list, and with --loop in detail; 0: all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Only the parts of these ranks, such as 3 or 0-63,70
    #[arg(short, long = "rank", value_name = "RANKS", value_delimiter = ',', value_parser = ranks)]
    pub ranks: Vec<RangeInclusive<u64>>,
    /// Compare with the trace of a run before a change
    #[arg(short, long, value_name = "BEFORE", conflicts_with_all = ["html", "check"])]
    pub diff: Option<PathBuf>,
    /// A condition for the exit code, 3 if it holds and 4 if that cannot be told: 'lost>5%' of the run by loops, or with --diff
    /// 'slower' or 'slower>5%' for any loop, beyond noise
    #[arg(long, value_name = "CONDITION", conflicts_with_all = ["html", "check"])]
    pub fail_if: Vec<Condition>,
    /// Check the order of the events instead; the exit code is 1 if something is out of order
    #[arg(long, conflicts_with_all = ["html", "loops", "json"])]
    pub check: bool,
    /// JSON instead of text (schema ompchunk-report)
    #[arg(long)]
    pub json: bool,
    /// Write a page with pictures, a single file that opens in any browser without a network; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub html: Option<PathBuf>,
}

impl Report {
    /// A condition compares with a run that is not named.
    pub fn lacks_diff(&self) -> bool {
        self.diff.is_none() && self.fail_if.iter().any(|condition| matches!(condition, Condition::Slower(_)))
    }
}

#[derive(Debug, Default, Args)]
pub struct Advise {
    /// A directory that `ompchunk record` wrote, or one part of it
    pub trace: PathBuf,
    /// Simulate a team of so many threads instead of the recorded one
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub threads: Option<u64>,
    /// All schedules that were tried, as a table for each loop
    #[arg(short, long)]
    pub all: bool,
    /// Only these loops: a number of the list that `ompchunk report` prints, FILE:LINE[:COLUMN], or a part of a file's or
    /// function's name
    #[arg(short, long = "loop", value_name = "LOOP")]
    pub loops: Vec<String>,
    /// Most loops in the text; 0: all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Only the parts of these ranks, such as 3 or 0-63,70
    #[arg(short, long = "rank", value_name = "RANKS", value_delimiter = ',', value_parser = ranks)]
    pub ranks: Vec<RangeInclusive<u64>>,
    /// The OpenMP runtime whose dealing is measured; otherwise the one that the recorded program is linked with
    #[arg(long, value_name = "FILE")]
    pub runtime: Option<PathBuf>,
    /// The advised clauses as a unified diff of the sources, for git apply or patch -p1 in this directory; writes no file
    #[arg(long, conflicts_with_all = ["json", "all"])]
    pub patch: bool,
    /// JSON instead of text (schema ompchunk-advice)
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MeasureDealing {
    /// The runtime
    pub library: PathBuf,
    /// The team
    pub threads: u32,
}

#[derive(Debug, Args)]
pub struct Doctor {
    /// JSON instead of text
    #[arg(long, hide = true)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct Man {
    /// The directory, which is created if it is not there
    pub directory: PathBuf,
}

const ORDERS: [(&str, Order, &str); 9] = [
    ("lost", Order::Lost, "Most lost time first: time in which the average thread does no work"),
    ("time", Order::Time, "The costliest first"),
    ("imbalance", Order::Imbalance, "What perfect balance would save, most first"),
    ("efficiency", Order::Efficiency, "The lowest parallel efficiency first"),
    ("barrier", Order::Barrier, "The longest wait that the loop causes at barriers first"),
    ("bookkeeping", Order::Bookkeeping, "The largest share of bookkeeping first"),
    ("chunks", Order::Chunks, "Most chunks first"),
    ("longest", Order::Longest, "The longest chunk first"),
    ("position", Order::Position, "As in the source"),
];

/// The same command line without such options: `--csv FILE --loops` becomes `--to csv --table loops` and, at the end, FILE.
pub fn translated(arguments: &[OsString]) -> Vec<OsString> {
    if arguments.get(1).is_none_or(|word| word != "export") {
        return arguments.to_vec();
    }
    let summarizes = arguments.iter().any(|word| word == "--summarize");
    let (mut words, mut files) = (Vec::new(), Vec::new());
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            words.push(word.clone());
            words.extend(rest.by_ref().cloned());
            break;
        }
        let text = word.to_string_lossy();
        let (option, value) =
            text.split_once('=').map_or((&*text, None), |(option, value)| (option, Some(value.into())));
        let name = option.strip_prefix("--").unwrap_or_default();
        if FORMATS.iter().any(|(known, ..)| *known == name) {
            let name = if name == "graphml" && summarizes { "graphml-summary" } else { name };
            words.extend(["--to".into(), name.into()]);
            files.extend(value.or_else(|| rest.next().cloned()));
        } else if TABLES.iter().any(|(known, ..)| *known == name) {
            words.extend(["--table".into(), name.into()]);
        } else if name != "summarize" {
            words.push(word.clone());
        }
    }
    words.extend(files);
    words
}

#[cfg(test)]
mod tests;
