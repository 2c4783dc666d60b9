//! `ompchunk record` and `report` with real ranks: under every MPI launcher that is installed, one at least.
//! `mpirun ompchunk record`, `ompchunk record mpirun`, and what comes of ranks that die.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ompchunk_trace_format::{Ending, Event, Part, Trace};

use crate::common::{self, dist, fail, finish, majors, must_say, succeed};

/// Ten runs of a loop of 50 chunks on two threads, and in the sixth what the argument says.
const PROGRAM: &str = "#include <mpi.h>\n#include <signal.h>\n#include <string.h>\n#include <sys/wait.h>\n\
#include <unistd.h>\n\
static void sweep(void) {\n  int i;\n\
#pragma omp parallel for schedule(static, 2) num_threads(2)\n  \
for (i = 0; i < 100; i++)\n    __asm__ volatile(\"\");\n}\n\
int main(int argc, char **argv) {\n  int rank, step;\n  const char *what = argc > 1 ? argv[1] : \"\";\n  \
MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  \
for (step = 0; step < 10; step++) {\n    sweep();\n    MPI_Barrier(MPI_COMM_WORLD);\n    \
if (step != 5)\n      continue;\n    \
if (rank == 1 && !strcmp(what, \"abort\"))\n      MPI_Abort(MPI_COMM_WORLD, 3);\n    \
if (rank == 1 && !strcmp(what, \"kill\"))\n      kill(getpid(), SIGKILL);\n    \
if (rank == 1 && !strcmp(what, \"fork\")) {\n      pid_t child = fork();\n      \
if (child == 0) {\n        sweep();\n        _exit(0);\n      }\n      waitpid(child, 0, 0);\n    }\n  }\n  \
MPI_Finalize();\n  return 0;\n}\n";

/// An MPI implementation by the ending of its commands.
struct Mpi {
    name: &'static str,
    /// Names the compiler behind `mpicc`.
    compiler: &'static str,
    directory: tempfile::TempDir,
}

impl Mpi {
    /// All that are installed, each with the program compiled by `mpicc` with `ompchunk cc` behind it.
    fn all() -> Vec<Mpi> {
        let found: Vec<Mpi> = [("openmpi", "OMPI_CC"), ("mpich", "MPICH_CC")]
            .into_iter()
            .filter(|(name, _)| {
                let version = Command::new(format!("mpicc.{name}")).arg("-show").output();
                version.is_ok_and(|version| version.status.success())
            })
            .map(|(name, compiler)| Mpi { name, compiler, directory: common::directory("app.c", PROGRAM) })
            .collect();
        assert!(!found.is_empty(), "no mpicc.openmpi, no mpicc.mpich: make setup");
        for mpi in &found {
            let mut compile = common::clean(format!("mpicc.{}", mpi.name));
            common::by_name(&mut compile)
                .env(mpi.compiler, "ompchunk cc")
                .env("OMPCHUNK_CC", format!("clang-{}", majors()[0]))
                .args(["-O2", "-g", "-fopenmp", "app.c", "-o", "app"])
                .current_dir(mpi.directory.path());
            succeed(&mut compile);
        }
        found
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn launch(&self, ranks: u32) -> Vec<String> {
        let mut words = vec![format!("mpirun.{}", self.name), "-np".into(), ranks.to_string()];
        if self.name == "openmpi" {
            words.push("--oversubscribe".into());
        }
        words
    }

    /// `mpirun -np RANKS ompchunk record WORDS`
    fn record(&self, ranks: u32, words: &[&str]) -> Command {
        let mut all = self.launch(ranks);
        all.extend([env!("CARGO_BIN_EXE_ompchunk").into(), "record".into()]);
        all.extend(words.iter().map(|&word| word.into()));
        self.command(&all)
    }

    fn command(&self, words: &[String]) -> Command {
        // Ranks that wait for one that has refused would wait for ever.
        let mut command = common::clean("timeout");
        command.args(["--foreground", "300", &words[0]]);
        for (name, _) in std::env::vars() {
            if ["SLURM_", "PMI", "MPI"].iter().any(|prefix| name.starts_with(prefix)) {
                command.env_remove(name);
            }
        }
        command
            .args(&words[1..])
            .current_dir(self.directory.path())
            .env("OMPCHUNK_LIBDIR", dist().join("lib"))
            // Two that start at once fail to make the directory that Open MPI has for all runs of a user.
            .env("OMPI_MCA_orte_tmpdir_base", self.directory.path())
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            // Ranks of Open MPI do not find each other where the machine has no network.
            .env("OMPI_MCA_btl", "self,vader");
        command
    }

    fn chunks(&self, directory: &str) -> Vec<(String, u64)> {
        let trace = Trace::open(&self.path(directory)).unwrap();
        let mut all: Vec<_> = trace.parts.iter().map(|part| (name(part), chunks(part))).collect();
        all.sort();
        all
    }

    fn report(&self, arguments: &[&str]) -> String {
        let mut command = common::ompchunk(&["report"]);
        succeed(command.args(arguments).current_dir(self.directory.path()))
    }
}

fn name(part: &Part) -> String {
    let name = part.path().file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn chunks(part: &Part) -> u64 {
    let mut chunks = 0;
    part.for_each(|_, event| chunks += u64::from(matches!(event, Event::Chunk(_)))).unwrap();
    chunks
}

fn lines(said: &str) -> Vec<&str> {
    said.lines().filter(|line| line.starts_with("ompchunk: ")).collect()
}

fn whole(ranks: &[u32]) -> Vec<(String, u64)> {
    let part = |rank: &u32| (format!("rank-{rank}.trace"), 500);
    ranks.iter().map(part).collect()
}

#[test]
fn each_rank_records_itself() {
    for mpi in Mpi::all() {
        let (code, _, said) = finish(&mut mpi.record(4, &["./app"]));
        assert_eq!(code, Some(0), "{}: {said}", mpi.name);
        let said = lines(&said);
        assert_eq!(said.len(), 1, "{}: {said:?}", mpi.name);
        assert!(said[0].starts_with("ompchunk: app.ompchunk: rank 0 of 4: 1 loop, 500 chunks, "), "{said:?}");
        assert_eq!(mpi.chunks("app.ompchunk"), whole(&[0, 1, 2, 3]));
        let text = mpi.report(&["app.ompchunk"]);
        must_say(&text, "\n4 ranks on 1 host, 8 threads, ");
        must_say(&text, "40 runs of 100 iterations on 2 threads");
        must_say(&text, "ranks: load balance");
        assert!(!text.contains("note:"), "{text}");
        let one = mpi.report(&["app.ompchunk", "--rank", "2"]);
        must_say(&one, "10 runs of 100 iterations");
        let checked = mpi.report(&["app.ompchunk", "--check"]);
        assert_eq!(checked.matches(", in order").count(), 4, "{checked}");
        let page = mpi.path("page.html");
        mpi.report(&["app.ompchunk", "--html", page.to_str().unwrap()]);
        assert!(std::fs::read_to_string(page).unwrap().contains("rank 3"));
    }
}

/// Whichever rank comes first, none may begin to record beside what another run left behind: the others would wait for it for ever.
#[test]
fn a_trace_is_of_one_run() {
    for mpi in Mpi::all() {
        for (ranks, others) in [(2, 4), (4, 2)] {
            let directory = format!("{ranks}");
            let before: Vec<u32> = (0..ranks).collect();
            finish(&mut mpi.record(ranks, &["-o", &directory, "./app"]));
            // MPICH gives runs no names: what tells them apart is the time between.
            std::thread::sleep(Duration::from_millis(100));
            assert_eq!(mpi.chunks(&directory), whole(&before), "{}", mpi.name);
            let (_, said) = fail(&mut mpi.record(others, &["-o", &directory, "./app"]));
            must_say(&said, "holds the trace of an earlier run");
            must_say(&said, "ompchunk: rank ");
            assert_eq!(mpi.chunks(&directory), whole(&before), "{}", mpi.name);
            succeed(&mut mpi.record(others, &["-o", &directory, "--force", "./app"]));
            let after: Vec<u32> = (0..others).collect();
            assert_eq!(mpi.chunks(&directory), whole(&after), "{}", mpi.name);
        }
    }
}

#[test]
fn a_launcher_is_a_program_too() {
    for mpi in Mpi::all() {
        let mut words: Vec<String> = [env!("CARGO_BIN_EXE_ompchunk"), "record", "-o", "all"].map(String::from).into();
        words.extend(mpi.launch(4));
        words.push("./app".into());
        // As in a batch script, whose own process Slurm gives a number too.
        let batch = |words: &[String]| {
            let mut command = mpi.command(words);
            command.env("SLURM_PROCID", "0").env("SLURM_JOB_ID", "7");
            command
        };
        let (code, _, said) = finish(&mut batch(&words));
        assert_eq!(code, Some(0), "{}: {said}", mpi.name);
        must_say(&said, "ompchunk: all: 1 loop, 2,000 chunks, ");
        must_say(&said, " events in 4 parts, ");
        assert_eq!(mpi.chunks("all"), whole(&[0, 1, 2, 3]));
        fail(&mut batch(&words));
        words.insert(2, "--force".into());
        succeed(&mut batch(&words));
        assert_eq!(mpi.chunks("all"), whole(&[0, 1, 2, 3]));
    }
}

#[test]
fn ranks_that_die_leave_what_they_stored() {
    for mpi in Mpi::all() {
        for how in ["abort", "kill"] {
            let (code, said) = fail(&mut mpi.record(2, &["-o", how, "./app", how]));
            assert_ne!(code, 0, "{}: {said}", mpi.name);
            let trace = Trace::open(&mpi.path(how)).unwrap();
            let parts: Vec<_> = trace.parts.iter().map(name).collect();
            assert_eq!(parts, ["rank-0.trace", "rank-1.trace"], "{}: {said}", mpi.name);
            assert!(trace.parts.iter().all(|part| chunks(part) >= 250), "{said}");
            let killed = &trace.parts[1];
            if how == "kill" {
                assert_eq!(chunks(killed), 300);
                assert_ne!(killed.ending(), Ending::Clean);
                must_say(&said, "kill/rank-1.trace is cut: ");
            }
            let text = mpi.report(&[how]);
            must_say(&text, "2 ranks on 1 host");
        }
        assert_nobody_waits(mpi.directory.path());
    }
}

/// No rank whose command was killed runs on.
fn assert_nobody_waits(directory: &Path) {
    let program = std::fs::canonicalize(directory.join("app")).unwrap();
    let runs = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let mut programs = processes.filter_map(|process| std::fs::read_link(process.path().join("exe")).ok());
        programs.any(|found| found == program)
    };
    for _ in 0..600 {
        if !runs() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("{} still runs", program.display());
}

#[test]
fn a_rank_that_forks() {
    for mpi in Mpi::all() {
        succeed(&mut mpi.record(2, &["-o", "fork", "./app", "fork"]));
        let mut wanted = whole(&[0, 1]);
        wanted.insert(1, ("rank-1.1.trace".into(), 50));
        let mut found = mpi.chunks("fork");
        found.sort();
        assert_eq!(found, wanted, "{}", mpi.name);
        let text = mpi.report(&["fork"]);
        must_say(&text, "\n2 ranks in 3 processes on 1 host, ");
        must_say(&text, "  rank 1.1 ");
    }
}
