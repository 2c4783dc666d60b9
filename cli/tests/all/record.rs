//! `ompchunk record`: where a trace goes, what is refused before the program starts, and that the program is itself.

pub mod gcc;

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use ompchunk_trace_format::Trace;

use crate::common::recorded::{chunks, record};
use crate::common::{self, fail, finish, hundred, majors, must_say, ompchunk};

#[test]
fn a_run_is_recorded_once() {
    let directory = tempfile::tempdir().unwrap();
    hundred(directory.path(), majors()[0], &[]);
    let trace = directory.path().join("app.ompchunk");
    let said = finish(record(directory.path(), &["./app"]).env("OMP_TOOL", "disabled")).2;
    assert!(said.starts_with("ompchunk: app.ompchunk: 1 loop, 100 chunks, "), "{said}");
    assert_eq!(chunks(&trace), [(None, 100)]);
    let names = || -> Vec<_> {
        let entries = std::fs::read_dir(&trace).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    };
    let before = names();
    // Who names the directory means that one.
    let (_, said) = fail(&mut record(directory.path(), &["-o", "app.ompchunk", "./app"]));
    assert_eq!(
        said,
        "ompchunk: app.ompchunk holds the trace of an earlier run\n\
         ompchunk: next: -o with another directory, or --force to replace it\n"
    );
    assert_eq!(names(), before);
    assert_eq!(finish(&mut record(directory.path(), &["--force", "./app"])).0, Some(0));
    assert_ne!(names(), before);
    assert_eq!(chunks(&trace), [(None, 100)]);
    assert!(!directory.path().join("app.ompchunk.1").exists());
}

/// What ranks share stays where it is: others may be about to write there.
#[test]
fn a_rank_moves_no_earlier_trace() {
    let directory = tempfile::tempdir().unwrap();
    hundred(directory.path(), majors()[0], &[]);
    let rank = |number: &str| {
        let mut command = record(directory.path(), &["./app"]);
        command.env("PMI_RANK", number).env("PMI_SIZE", "2");
        command
    };
    assert_eq!(finish(&mut rank("0")).0, Some(0));
    let (_, said) = fail(&mut rank("0"));
    must_say(&said, "holds the trace of an earlier run");
    assert_eq!(finish(&mut rank("1")).0, Some(0));
    assert_eq!(chunks(&directory.path().join("app.ompchunk")), [(Some(0), 100), (Some(1), 100)]);
    assert!(!directory.path().join("app.ompchunk.1").exists());
}

#[test]
fn refused_before_the_program_starts() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |output: &str, wanted: &str| {
        let mut command = record(directory.path(), &["-o", output, "touch", "started"]);
        let (code, said) = fail(&mut command);
        assert_eq!(code, 1);
        assert!(said.contains(wanted) && said.contains("ompchunk: next: -o "), "{said}");
        assert!(!directory.path().join("started").exists());
    };
    std::fs::write(directory.path().join("file"), "").unwrap();
    refused("file/trace", "cannot write to file/trace: Not a directory");
    refused("file", "cannot write to file: ");
    // Not ours to put files into.
    refused(".", ". is not empty, and what is in it is no trace");
    for words in [["--sample", "0", "true"], ["--max-size", "255K", "true"]] {
        let (code, _) = fail(&mut record(directory.path(), &words));
        assert_eq!(code, 2);
    }
}

/// Nobody's disk is filled by a run that was forgotten.
#[test]
fn a_part_has_a_largest_size() {
    let directory = tempfile::tempdir().unwrap();
    hundred(directory.path(), majors()[0], &[]);
    for (options, largest) in
        [(&[][..], Some(4 << 30)), (&["--max-size", "1M"], Some(1 << 20)), (&["--max-size", "0"], None)]
    {
        let options = [options, &["--force", "./app"]].concat();
        let (code, _, said) = finish(&mut record(directory.path(), &options));
        assert_eq!(code, Some(0), "{said}");
        let trace = Trace::open(&directory.path().join("app.ompchunk")).unwrap();
        assert_eq!(trace.parts[0].meta().mode.max_size, largest);
    }
}

#[test]
fn ranks_share_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    hundred(directory.path(), majors()[0], &[]);
    for (rank, variable) in ["SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"].iter().enumerate() {
        let rank = rank.to_string();
        let mut command = record(directory.path(), &["-o", "all", "./app"]);
        command.env(variable, &rank).env("SLURM_STEP_ID", "0");
        assert_eq!(finish(&mut command).0, Some(0));
        // Each its own once.
        fail(&mut command);
        assert!(directory.path().join(format!("all/rank-{rank}.trace")).exists());
    }
    let wanted: Vec<_> = (0..4).map(|rank| (Some(rank), 100)).collect();
    assert_eq!(chunks(&directory.path().join("all")), wanted);
}

#[test]
fn the_program_is_itself() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = record(directory.path(), &["sh", "-c", "printf %s \"$1\"; exit 5", "-", "a  b"]);
    let (code, stdout, said) = finish(&mut command);
    assert_eq!((code, stdout.as_str()), (Some(5), "a  b"));
    must_say(&said, "nothing was recorded: no OpenMP runtime");
    assert!(!directory.path().join("sh.ompchunk").exists());
    let killed = record(directory.path(), &["sh", "-c", "kill -9 $$"]).output();
    assert_eq!(killed.unwrap().status.signal(), Some(9));
    assert_eq!(fail(&mut record(directory.path(), &["no-such-program"])).0, 127);
    assert!(!directory.path().join("no-such-program.ompchunk").exists());
}

/// Scripts learn that nothing was recorded from the exit code, unless the program has one of its own.
#[test]
fn nothing_recorded_is_no_success() {
    let directory = tempfile::tempdir().unwrap();
    for (script, code) in [("exit 0", 125), ("exit 5", 5), ("exit 125", 125)] {
        let (found, _, said) = finish(&mut record(directory.path(), &["sh", "-c", script]));
        assert_eq!(found, Some(code), "{said}");
        must_say(&said, "nothing was recorded: ");
    }
    // A launcher would end the other ranks.
    let mut rank = record(directory.path(), &["true"]);
    rank.env("PMI_RANK", "1").env("PMI_SIZE", "2");
    let (code, _, said) = finish(&mut rank);
    assert_eq!(code, Some(0), "{said}");
    must_say(&said, "rank 1 of 2: nothing was recorded: ");
    // With regions and no loops there is something.
    std::fs::write(
        directory.path().join("app.c"),
        "int main(void) {\n#pragma omp parallel\n  __asm__ volatile(\"\");\n  return 0;\n}\n",
    )
    .unwrap();
    common::compile(&directory, majors()[0], "-fopenmp app.c -o app");
    assert_eq!(finish(&mut record(directory.path(), &["./app"])).0, Some(0));
    // Where it is said.
    let help = common::succeed(&mut ompchunk(&["record", "--help"]));
    must_say(&help, "125");
}

/// A report of a program that failed says so: what it recorded may not be what was meant to run.
#[test]
fn how_the_program_ended_is_in_the_report() {
    let directory = tempfile::tempdir().unwrap();
    const LOOP: &str = "#include <stdlib.h>\nint main(int count, char **words) {\n\
         #pragma omp parallel for schedule(static, 1)\n  for (int i = 0; i < 10; i++) __asm__ volatile(\"\");\n  \
         if (count > 2) abort();\n  return count > 1 ? 3 : 0;\n}\n";
    std::fs::write(directory.path().join("app.c"), LOOP).unwrap();
    common::compile(&directory, majors()[0], "-fopenmp app.c -o app");
    for (words, how) in
        [(&["a"][..], Some("with exit code 3")), (&["a", "b"], Some("by signal 6 (SIGABRT)")), (&[], None)]
    {
        let recording = [&["--force", "-o", "trace", "./app"], words].concat();
        let output = record(directory.path(), &recording).output().unwrap();
        assert_eq!(output.status.success(), how.is_none(), "{output:?}");
        let text = common::succeed(ompchunk(&["report", "trace"]).current_dir(&directory));
        match how {
            Some(how) => must_say(&text, &format!(" ended {how}")),
            None => assert!(!text.contains(" ended "), "{text}"),
        }
    }
}

/// One OMPT tool can be active. Where it is not the recorder, or another one is asked for in vain, that is said.
#[test]
fn other_tools() {
    let directory = tempfile::tempdir().unwrap();
    hundred(directory.path(), majors()[0], &[]);
    // By a short name: blanks separate the entries of LD_PRELOAD.
    let other = Path::new("./libchunk-print.so");
    std::os::unix::fs::symlink(common::dist().join("lib/tools/libchunk-print.so"), directory.path().join(other))
        .unwrap();
    let said = |variable: &str, name: &str, wanted: i32| {
        let mut command = record(directory.path(), &["-o", name, "./app"]);
        let (code, stdout, said) = finish(command.env(variable, other));
        assert_eq!(code, Some(wanted));
        (stdout, said)
    };
    let (stdout, text) = said("OMP_TOOL_LIBRARIES", "list", 0);
    assert_eq!(stdout, "");
    let wanted = format!("ompchunk: {}, of OMP_TOOL_LIBRARIES, will not run: ", other.display());
    assert_eq!(text.matches(&wanted).count(), 1, "{text}");
    assert_eq!(chunks(&directory.path().join("list")), [(None, 100)]);
    let (_, text) = said("LD_PRELOAD", "preload", 125);
    must_say(&text, "nothing was recorded: ");
    must_say(&text, "ompchunk: next: without LD_PRELOAD: ");
    assert!(!directory.path().join("preload").exists());
    // Ours is no other.
    let shim = common::dist().join("lib/libompchunk_rt.so");
    let mut command = record(directory.path(), &["-o", "shim", "./app"]);
    let text = finish(command.env("OMP_TOOL_LIBRARIES", shim)).2;
    assert_eq!(text.lines().count(), 1, "{text}");
}

/// A script that is recorded, what it goes on to print, and its first line.
fn started(directory: &Path, script: &str) -> (Child, BufReader<ChildStdout>, String) {
    let mut command = record(directory, &["sh", "-c", script]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    (child, output, line)
}

/// Launchers end a job with a signal that cannot be passed on.
#[test]
fn a_killed_command_leaves_no_program_behind() {
    let directory = tempfile::tempdir().unwrap();
    let (mut child, mut output, _) = started(directory.path(), "echo $$; exec sleep 600");
    child.kill().unwrap();
    child.wait().unwrap();
    // The program has the other end of the pipe.
    assert_eq!(Read::read(&mut output, &mut [0; 1]).unwrap(), 0);
}

/// The runtime of a process that a signal ends cannot remove its own, which would end a later process with the same number.
#[test]
fn a_killed_programs_registration_goes_with_it() {
    let directory = tempfile::tempdir().unwrap();
    for (end, is_left) in [("kill -KILL $$", false), ("exit 3", true)] {
        let script = format!("f=/dev/shm/__KMP_REGISTERED_LIB_$$_$(id -u); : > $f; echo $f; {end}");
        let (mut child, _, line) = started(directory.path(), &script);
        child.wait().unwrap();
        let file = Path::new(line.trim_end());
        assert_eq!(file.exists(), is_left, "{script}");
        let _ = std::fs::remove_file(file);
    }
}

/// A signal that is sent to the command reaches the program, which decides what comes of it.
#[test]
fn signals_are_passed_on() {
    let directory = tempfile::tempdir().unwrap();
    let script = "trap 'echo caught; exit 7' TERM; echo ready; while :; do sleep 0.1; done";
    let (mut child, mut output, mut line) = started(directory.path(), script);
    assert_eq!(line, "ready\n");
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(7));
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\ncaught\n");
}
