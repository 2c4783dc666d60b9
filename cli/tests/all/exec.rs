//! A program that becomes another one (`exec`): one process, with a part for each program that recorded.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::{self, finish, majors, must_say, ompchunk, succeed};

/// Runs 1000 chunks, and then the argument list from the second word on; waits at the end if the first says so.
const PROGRAM: &str = r#"#include <stdio.h>
#include <string.h>
#include <unistd.h>
static double data[100];
int main(int argc, char **argv) {
  for (int repetition = 0; repetition < 10; repetition++)
#pragma omp parallel for schedule(static, 1) num_threads(2)
    for (int i = 0; i < 100; i++)
      data[i] += i;
  if (argc > 2) {
    execvp(argv[2], argv + 2);
    return 9;
  }
  puts("ran");
  fflush(stdout);
  if (!strcmp(argv[1], "wait"))
    getchar();
  return 0;
}
"#;

fn program() -> tempfile::TempDir {
    common::built(PROGRAM, majors()[0])
}

fn at(directory: &Path, words: &[&str]) -> Command {
    let mut command = ompchunk(words);
    command.current_dir(directory);
    command
}

fn json(directory: &Path) -> serde_json::Value {
    crate::common::json(&mut at(directory, &["report", "t", "--json"]))
}

/// Says what is wrong where one process is taken for several, or its end for a crash.
fn one_process(directory: &Path, parts: u64) {
    let found = json(directory);
    assert_eq!(found["parts"].as_array().unwrap().len() as u64, parts);
    assert_eq!(found["run"]["processes"], 1);
    assert_eq!(found["run"]["threads"], 2);
    assert_eq!(found["loops"][0]["chunks"], 1000 * parts);
    assert!(found["loops"][0]["rank_load_balance"].is_null());
    let text = succeed(&mut at(directory, &["report", "t"]));
    must_say(&text, &format!("1 process, {parts} parts on 1 host, 2 threads, "));
    for word in ["killed", "crashed", "mean of", "load balance between"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    assert_eq!(text.matches("became another program (exec)").count() as u64, parts - 1, "{text}");
    let checked = succeed(&mut at(directory, &["report", "t", "--check"]));
    assert_eq!(checked.matches("; ends where the process became another program").count() as u64, parts - 1);
    assert!(!checked.contains("; cut at"), "{checked}");
}

#[test]
fn a_program_that_becomes_itself_again() {
    let directory = program();
    let words = ["record", "-o", "t", "./app", "-", "./app", "-", "./app", "-"];
    for options in [&[][..], &["--aggregate"]] {
        let mut command = at(directory.path(), &words[..1]);
        command.arg("--force").args(options).args(&words[1..]);
        let (code, out, said) = finish(&mut command);
        assert_eq!((code, out.as_str()), (Some(0), "ran\n"), "{said}");
        assert_eq!(said.matches("became another program (exec): that is pid-").count(), 2, "{said}");
        assert!(!said.contains("is cut") && said.contains("3 parts"), "{said}");
        one_process(directory.path(), 3);
    }
}

/// Reads the line that the program says where it waits.
fn started(command: &mut Command) -> Child {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut said = [0; 4];
    child.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
    assert_eq!(&said, b"ran\n");
    child
}

/// While the second program runs, the first one's part is not being written any more.
#[test]
fn a_part_of_before_is_not_still_written() {
    let directory = program();
    let words = ["record", "-o", "t", "./app", "-", "./app", "wait"];
    let mut child = started(&mut at(directory.path(), &words));
    let found = json(directory.path());
    let codes: Vec<&str> =
        found["notes"].as_array().unwrap().iter().map(|json| json["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["exec", "growing"], "{found:#}");
    assert_eq!(found["parts"][0]["growing"], false);
    assert_eq!(found["parts"][1]["growing"], true);
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    one_process(directory.path(), 2);
    // One that became a program without OpenMP goes on, and writes nothing.
    let shell = "echo ran; read line";
    let words = ["record", "--force", "-o", "t", "./app", "-", "sh", "-c", shell];
    let mut child = started(&mut at(directory.path(), &words));
    let found = json(directory.path());
    assert_eq!(found["notes"][0]["code"], "cut", "{found:#}");
    assert!(found["notes"][0]["text"].as_str().unwrap().contains("(exec)"));
    drop(child.stdin.take());
    child.wait().unwrap();
}

/// A process that goes on when `record` ends has left nothing of its first program unwritten.
#[test]
fn what_was_before_is_kept() {
    let directory = program();
    for then in [&["./app", "wait"][..], &["sh", "-c", "echo ran; read line"]] {
        // The background process has the pipe; the shell that started it ends.
        let script = "exec 3<&0; ./app - \"$@\" <&3 & read line < fifo";
        let _ = std::fs::remove_file(directory.path().join("fifo"));
        succeed(common::clean("mkfifo").arg("fifo").current_dir(&directory));
        let mut command = at(directory.path(), &["record", "--force", "-o", "t", "sh", "-c", script, "sh"]);
        let mut child = started(command.args(then));
        std::fs::write(directory.path().join("fifo"), "\n").unwrap();
        // Its output is the background process's too, so it is not read to the end.
        assert_eq!(child.wait().unwrap().code(), Some(0));
        let found = json(directory.path());
        assert_eq!(found["parts"][0]["chunks"], 1000, "{found:#}");
        drop(child.stdin.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let first = found["parts"][0]["file"].as_str().unwrap().to_owned();
        let of_first = said.lines().find(|line| line.contains(&first)).expect(&said);
        assert!(!of_first.contains("still being written"), "{said}");
    }
}
