//! `OMPCHUNK_SCHEDULE='*=balanced'`: blocks become what takes as long. Iterations take so much of their thread's own processor time, so
//! what is asked does not depend on what else the machine does. And `ompchunk run --balance`: a loop gets them where they are faster.

use std::fs;
use std::path::Path;

use crate::common::{self, WORK, directory, majors, ompchunk, succeed};

/// Iteration i of 64 takes (i + 1) times as long as the first; with an argument the first takes longest from the middle of the run on.
/// Each region says how many iterations thread 0 of the team ran.
const PROGRAM: &str = r#"#include <stdlib.h>
int main(int argc, char **argv) {
  int regions = atoi(argv[1]);
  for (int region = 0; region < regions; region++) {
    int ran[64] = {0}, by_first = 0, wrong = 0;
    int is_turned = argc > 2 && region >= regions / 2;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 64; i++) {
      work(4 * (is_turned ? 64 - i : i + 1));
      ran[i]++;
      if (who_runs() == 0) {
#pragma omp atomic
        by_first++;
      }
    }
    for (int i = 0; i < 64; i++) wrong += ran[i] != 1;
    printf("%d %d\n", by_first, wrong);
  }
}
"#;

/// Iterations that thread 0 ran in each region.
fn blocks(directory: &Path, before: &[&str], arguments: &[&str]) -> Vec<u32> {
    let words = [before, &["--schedule", "*=balanced", "./app"], arguments].concat();
    let output = succeed(ompchunk(&words).current_dir(directory));
    let lines = output.lines().map(|line| line.split_once(' ').expect(line));
    lines
        .map(|(block, wrong)| {
            assert_eq!(wrong, "0", "{output}");
            block.parse().unwrap()
        })
        .collect()
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn blocks_of_a_triangle_take_as_long() {
    for major in majors() {
        let directory = common::built(&[WORK, PROGRAM].concat(), major);
        // sqrt(1/2) of 64 iterations are half of the work.
        let is_half = |block: &u32| (43..=47).contains(block);
        for before in [&["run"][..], &["record", "-o", "trace"]] {
            let found = blocks(directory.path(), before, &["24"]);
            assert_eq!(found[..2], [32, 32], "the first region does not count: {found:?}");
            assert!(found[12..].iter().all(is_half), "{before:?}: {found:?}");
        }
        // What is recorded says what ran.
        let report = succeed(ompchunk(&["report", "--json", "trace"]).current_dir(directory.path()));
        let report: serde_json::Value = serde_json::from_str(&report).expect(&report);
        assert_eq!(report["loops"][0]["schedule"], "balanced", "{report}");
        // And they follow a loop that changes: the middle goes to the other side.
        let found = blocks(directory.path(), &["run"], &["240", "turned"]);
        assert!(is_half(&found[100]), "{found:?}");
        assert!((17..=21).contains(found.last().unwrap()), "{found:?}");
    }
}

/// A triangle, and a loop whose iterations take as long. Each region says how many iterations of both thread 0 of the team ran.
const TWO_LOOPS: &str = r#"static int ran[64], by_first;
static void run(int i, long microseconds) {
  work(microseconds);
  ran[i]++;
  if (who_runs() == 0) {
#pragma omp atomic
    by_first++;
  }
}
static void say(int regions) {
  int wrong = 0;
  for (int i = 0; i < 64; i++) wrong += ran[i] != regions;
  printf("%d %d ", by_first, wrong);
  by_first = 0;
}
int main(void) {
  for (int region = 1; region <= 100; region++) {
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 64; i++) run(i, 4 * (i + 1));
    say(2 * region - 1);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 64; i++) run(i, 100);
    say(2 * region);
    puts("");
  }
}
"#;

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn a_program_balances_itself_where_that_is_faster() {
    for major in majors() {
        let directory = directory("app.c", &[WORK, TWO_LOOPS].concat());
        let mut compile = ompchunk(&["cc", "-O1", "-g", "-fopenmp", "app.c", "-o", "app"]);
        compile.env("OMPCHUNK_CC", format!("clang-{major}"));
        succeed(compile.current_dir(directory.path()));
        let balance = ["run", "--balance", "--json", "decided.json", "./app"];
        let record = ["record", "-o", "trace", "--schedule", "*=adaptive", "./app"];
        for command in [&balance[..], &record] {
            let output = succeed(ompchunk(command).current_dir(directory.path()));
            let regions: Vec<Vec<u32>> = output.lines().map(numbers).collect();
            assert_eq!(regions.len(), 100, "{output}");
            assert!(regions.iter().all(|region| region[1] == 0 && region[3] == 0), "{output}");
            // As compiled until there is something to correct, and then half of the work: sqrt(1/2) of 64 iterations.
            assert_eq!(regions[0][0], 32, "{output}");
            assert!((43..=47).contains(&regions[99][0]), "{output}");
            assert_eq!(regions[99][2], 32, "{output}");
        }
        let text = fs::read_to_string(directory.path().join("decided.json")).unwrap();
        let decided: serde_json::Value = serde_json::from_str(&text).expect(&text);
        let [triangle, even] = [0, 1].map(|number| &decided["loops"][number]);
        assert_eq!(triangle["loop"], "app.c:32:1", "{text}");
        assert_eq!(triangle["runs"], "balanced", "{text}");
        assert_eq!(triangle["tried"][0], "balanced", "{text}");
        // Iterations 33 to 64 as compiled, then 46 to 64: 1552 and 1045 units.
        let between = |name: &str| triangle[name].as_f64().expect(name);
        assert!(between("ratio_low") < 0.70 && between("ratio_high") > 0.64, "{text}");
        assert!(triangle["timed_regions_until_decided"].as_u64() < Some(32), "{text}");
        assert_eq!(even["runs"], "as compiled", "{text}");
    }
}

fn numbers(line: &str) -> Vec<u32> {
    line.split_whitespace().map(|word| word.parse().expect(line)).collect()
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn what_was_decided_is_said_or_why_it_cannot_be_written() {
    let directory = directory("app.c", &[WORK, TWO_LOOPS].concat());
    succeed(ompchunk(&["cc", "-O1", "-g", "-fopenmp", "app.c", "-o", "app"]).current_dir(directory.path()));
    let said = |words: &[&str]| {
        let output = ompchunk(words).current_dir(directory.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let table = said(&["run", "--balance", "./app"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(lines[0].starts_with("ompchunk: loop "), "{table}");
    assert!(lines[1].starts_with("ompchunk: app.c:32:1  balanced "), "{table}");
    assert!(lines[2].starts_with("ompchunk: app.c:35:1  as compiled "), "{table}");
    // A loop that is named keeps what it was ordered.
    let named = said(&["run", "--balance", "--schedule", "app.c:32=source", "./app"]);
    assert!(!named.contains("app.c:32"), "{named}");
    let lost = said(&["run", "--balance", "--json", "not/there", "./app"]);
    assert!(lost.contains("decisions: cannot write "), "{lost}");
}

/// What stands on standard error when a program of that source balances itself.
fn said_of(source: &str) -> String {
    let directory = directory("app.c", source);
    let path = directory.path();
    succeed(ompchunk(&["cc", "-O1", "-g", "-fopenmp", "app.c", "-o", "app"]).current_dir(path));
    let output = ompchunk(&["run", "--balance", "./app"]).current_dir(path).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn what_runs_in_blocks_is_said_to_who_wants_to_know_all() {
    let directory = common::built(&[WORK, PROGRAM].concat(), majors()[0]);
    let mut run = ompchunk(&["run", "--schedule", "*=balanced", "./app", "1"]);
    let output = run.current_dir(directory.path()).env("OMPCHUNK_VERBOSE", "1").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("regions timed until decided"), "{said}");
}

#[test]
fn a_program_without_a_loop_that_can_be_balanced_learns_why() {
    let ordered = "int main(void) {\n  int sum = 0;\n#pragma omp parallel for ordered num_threads(2)\n  \
                   for (int i = 0; i < 100; i++)\n#pragma omp ordered\n    sum += i;\n  return sum != 4950;\n}\n";
    let said = said_of(ordered);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("no loop was balanced"), "{said}");
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn short_chunks_of_a_dealt_loop_are_tried_against_others() {
    let dealt = "static double result[3000];\nint main(void) {\n  for (int region = 0; region < 40; region++)\n\
                 #pragma omp parallel for schedule(dynamic) num_threads(2)\n    for (int i = 0; i < 3000; i++)\n      \
                 for (int step = 0; step < 100; step++) result[i] = result[i] * 0.5 + 1;\n  return result[2999] < 1;\n}\n";
    let table = said_of(dealt);
    let line = table.lines().last().unwrap();
    assert!(line.starts_with("ompchunk: app.c:4:1  "), "{table}");
    // A 64th of a thread's iterations, or an eighth of that where a region's threads were uneven, and so on.
    let chunks = [23, 2, 1].map(|chunk| format!(" static,{chunk} "));
    let is_tried = |chunk: &String| line.contains(&**chunk);
    assert!(chunks.iter().any(is_tried), "{table}");
}

/// Iterations of the first loop that thread 0 runs in the first region, and what stands on standard error.
fn first_block(directory: &Path, program: &str, words: &[&str]) -> (u32, String) {
    let words = [&["run", "--json", "decided.json"], words, &[program]].concat();
    let mut command = ompchunk(&words);
    let output = command.current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let first = numbers(lines.lines().next().expect("a region"))[0];
    (first, String::from_utf8(output.stderr).unwrap())
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn the_next_run_begins_with_what_was_learned() {
    let directory = directory("app.c", &[WORK, TWO_LOOPS].concat());
    let path = directory.path();
    let compile = |flags: &[&str], program: &str| {
        let words = [&["cc", "-O1", "-g", "-fopenmp", "app.c", "-Wl,--build-id", "-o", program], flags].concat();
        succeed(ompchunk(&words).current_dir(path));
    };
    compile(&[], "app");
    compile(&["-DOTHER", "-O2"], "other");
    let learned = ["--balance=learned"];
    assert_eq!(first_block(path, "./app", &learned), (32, String::new()));
    let text = fs::read_to_string(path.join("learned")).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
    let (block, said) = first_block(path, "./app", &learned);
    assert!((43..=47).contains(&block) && said.is_empty(), "{block} {said}");
    // Another binary's loops are others, and both are kept.
    assert_eq!(first_block(path, "./other", &learned), (32, String::new()));
    assert_eq!(fs::read_to_string(path.join("learned")).unwrap().lines().count(), 5);
    // What is another's is not written.
    fs::write(path.join("input.dat"), "1 2 3\n").unwrap();
    let (_, said) = first_block(path, "./app", &["--balance=input.dat"]);
    assert!(said.contains("It is left as it is") && said.lines().count() == 1, "{said}");
    assert_eq!(fs::read_to_string(path.join("input.dat")).unwrap(), "1 2 3\n");
    // Damage is said, costs nothing else, and is gone afterwards.
    fs::write(path.join("learned"), &text[..text.len() - 100]).unwrap();
    let (block, said) = first_block(path, "./app", &learned);
    assert_eq!(block, 32);
    assert!(said.contains("line 3 is damaged") && said.lines().count() == 1, "{said}");
    assert_eq!(fs::read_to_string(path.join("learned")).unwrap().lines().count(), 3);
}
