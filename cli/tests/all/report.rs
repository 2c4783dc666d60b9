//! `ompchunk report`: its text, its JSON and its page, of traces made by hand.

use std::path::Path;
use std::process::Command;

use ompchunk_testkit::traces::{Maker, definition, meta};

use crate::common::traces::small as trace;
use crate::common::{self, clean, fail, finish, must_say, succeed, traces};

fn report(arguments: &[&str], directory: &Path) -> Command {
    let mut command = clean(env!("CARGO_BIN_EXE_ompchunk"));
    command.arg("report").args(arguments).current_dir(directory);
    command
}

#[test]
fn the_list_and_the_costliest_loop() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), "app.ompchunk", 2, 300);
    insta::assert_snapshot!(succeed(&mut report(&["app.ompchunk"], directory.path())));
}

/// On a terminal of 60 columns, which `script` makes.
#[test]
fn prose_fits_the_terminal() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), "app.ompchunk", 2, 300);
    let command = format!("stty rows 40 cols 60; '{}' report app.ompchunk", env!("CARGO_BIN_EXE_ompchunk"));
    let mut script = clean("script");
    script.args(["-qec", &command, "/dev/null"]).env("NO_COLOR", "1");
    let text = succeed(script.current_dir(&directory)).replace('\r', "");
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(60), "{text}");
    // Nothing is left away: these lines are longer than that.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = succeed(&mut report(&["app.ompchunk"], directory.path()));
    let sentences: Vec<&str> =
        whole.lines().filter(|line| line.contains("parallel efficiency ") || line.contains(": shortest ")).collect();
    assert_eq!(sentences.len(), 2, "{whole}");
    for sentence in sentences {
        assert!(sentence.len() > 60);
        assert!(words(&text).contains(&words(sentence)), "{text}");
    }
}

/// Also of those that are named.
#[test]
fn the_top_of_what_is_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), "app.ompchunk", 2, 300);
    let text = |words: &[&str]| {
        let words = [&["app.ompchunk", "--loop", "1", "--loop", "2"], words].concat();
        succeed(&mut report(&words, directory.path()))
    };
    let seen = |text: &str| text.matches("\nloop 1  ").count() + text.matches("\nloop 2  ").count();
    let one = text(&["--top", "1"]);
    assert_eq!(seen(&one), 1, "{one}");
    must_say(&one, "1 more: --top 0 lists all");
    assert_eq!(seen(&text(&["--top", "0"])), 2);
    assert_eq!(seen(&text(&[])), 2);
}

#[test]
fn a_page_on_standard_output() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), "app.ompchunk", 2, 300);
    let page = |to: &str| succeed(&mut report(&["app.ompchunk", "--html", to], directory.path()));
    let said = page("page.html");
    assert!(said.starts_with("wrote ") && said.lines().count() == 1, "{said}");
    let file = std::fs::read_to_string(directory.path().join("page.html")).unwrap();
    assert_eq!(page("-"), file);
    assert!(!directory.path().join("-").exists());
}

#[test]
fn before_and_after() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), "before", 2, 300);
    trace(directory.path(), "after", 1, 0);
    let arguments = ["after", "--diff", "before"];
    insta::assert_snapshot!(succeed(&mut report(&arguments, directory.path())));
}

/// Each with each: nothing is said that was not measured, and what is in the JSON is documented.
#[test]
fn runs_that_have_little_to_compare() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    trace(at, "small", 2, 300);
    traces::ranks(at, "ranks", 3);
    traces::no_loops(at, "no-loops");
    traces::with_losses(at, "losses");
    traces::sums(at, "sums");
    traces::extremes(at, "extremes");
    let names = ["small", "ranks", "no-loops", "losses", "sums", "extremes"];
    let mut keys = Vec::new();
    for (before, after) in names.iter().flat_map(|name| names.map(|after| (*name, after))) {
        let text = succeed(&mut report(&[after, "--diff", before], at));
        for wrong in ["NaN", "inf ", "slower", "faster"] {
            assert!(!text.contains(wrong), "{wrong}: {text}");
        }
        let json = ["--json", after, "--diff", before];
        let value = crate::common::json(&mut report(&json, at));
        assert_eq!(value["schema"], "ompchunk-report-diff");
        fields("", &value, &mut keys);
    }
    let text = |before, after| succeed(&mut report(&[after, "--diff", before], at));
    for (before, after, sentence) in [
        ("no-loops", "no-loops", "no loop in either run\n"),
        ("no-loops", "small", "no loop is in both runs\n"),
        ("small", "small", "no loop differs beyond the noise of its executions; for 1 of 2 this cannot be told"),
        ("sums", "sums", "a.c:12: cannot be told: executions were only counted"),
        ("losses", "losses", "a.c:12: cannot be told: chunks are lost"),
        ("small", "small", "a.c:40: cannot be told: 1 complete execution before and 1 after"),
    ] {
        let text = text(before, after);
        assert!(text.contains(sentence), "{sentence}: {text}");
    }
    common::are_documented(keys.iter().map(|key| name(key)));
}

#[test]
fn several_ranks_with_something_missing() {
    let directory = tempfile::tempdir().unwrap();
    for rank in 0..2u64 {
        let mut maker = Maker::new(directory.path(), &format!("rank-{rank}"), &meta(Some(rank)));
        maker.threads(2, &[definition(0, 12, "main")]);
        let time = 1000 * (rank + 1);
        let end = maker.execute(10, 1, 0, &[&[(time, 0)], &[(time / 2, 0)]]);
        maker.task(0, end, 2, 2);
        maker.begin(0, end, 0, 4);
        if rank == 0 {
            maker.abandon();
        } else {
            maker.lost(0, end, 3);
            maker.finish(end + 10);
        }
    }
    let text = succeed(&mut report(&["."], directory.path()));
    insta::assert_snapshot!(text);
    let one = succeed(&mut report(&[".", "--rank", "1"], directory.path()));
    assert!(!one.contains("rank 0"), "{one}");
    let (_, error) = fail(&mut report(&[".", "--rank", "5"], directory.path()));
    must_say(&error, "it has 0-1");
}

/// Whoever reads the JSON relies on these: what is missing here was removed, which needs a new version.
#[test]
fn the_schema_is_stable() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), "app", 2, 300);
    let value = crate::common::json(&mut report(&["app", "--json"], directory.path()));
    assert_eq!(value["schema"], "ompchunk-report");
    assert_eq!(value["version"], 2);
    let mut keys = Vec::new();
    fields("", &value, &mut keys);
    // What only several processes have.
    traces::ranks(directory.path(), "ranks", 64);
    let value = crate::common::json(&mut report(&["ranks", "--json"], directory.path()));
    fields("", &value, &mut keys);
    keys.sort();
    keys.dedup();
    insta::assert_snapshot!(keys.join("\n"));
    common::are_documented(keys.iter().map(|key| name(key)));
}

/// A field's name, without where it stands.
fn name(path: &str) -> &str {
    let last = path.rsplit('.').next().unwrap_or(path);
    last.trim_end_matches("[]")
}

fn fields(path: &str, value: &serde_json::Value, to: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(all) => {
            for (name, value) in all {
                let path = format!("{path}.{name}");
                to.push(path.clone());
                fields(&path, value, to);
            }
        }
        serde_json::Value::Array(all) => {
            for value in all {
                fields(&format!("{path}[]"), value, to);
            }
        }
        _ => {}
    }
}

#[test]
fn nothing_recorded_and_nothing_found() {
    let directory = tempfile::tempdir().unwrap();
    Maker::new(directory.path(), "pid-7", &meta(None)).finish(10);
    let text = succeed(&mut report(&["."], directory.path()));
    must_say(&text, "no loop was recorded");
    let (code, error) = fail(&mut report(&[".", "--loop", "x.c:1"], directory.path()));
    assert_eq!(code, 1);
    must_say(&error, "no loop of the trace is x.c:1");
    must_say(&error, "next: ");
    let (_, error) = fail(&mut report(&["nowhere"], directory.path()));
    must_say(&error, "nowhere");
}

#[test]
fn colours_only_where_they_are_wanted() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), "app", 2, 300);
    let plain = succeed(&mut report(&["app"], directory.path()));
    assert!(!plain.contains('\u{1b}'), "standard output is no terminal");
    let forced = succeed(report(&["app"], directory.path()).env("CLICOLOR_FORCE", "1"));
    must_say(&forced, "\u{1b}[1m");
    assert!(!forced.contains("\u{1b}[31m\""), "a name is no colour");
    let none = succeed(report(&["app"], directory.path()).env("NO_COLOR", "1"));
    assert_eq!(none, plain);
}

/// What a terminal of 60 columns gets, from a pseudo-terminal.
fn on_terminal(directory: &Path, environment: &str) -> String {
    let program = env!("CARGO_BIN_EXE_ompchunk");
    let command = format!("stty cols 60 rows 24; {environment} \"{program}\" report app");
    let mut script = clean("script");
    script.args(["-qec", &command, "/dev/null"]);
    succeed(script.env("TERM", "xterm").current_dir(directory))
}

#[test]
fn terminals() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), "app", 2, 300);
    assert!(on_terminal(directory.path(), "").contains("\u{1b}[1m"));
    let plain = on_terminal(directory.path(), "NO_COLOR=1");
    assert!(!plain.contains('\u{1b}'), "{plain}");
    let list: Vec<&str> = plain.lines().skip_while(|line| !line.starts_with('#')).take(3).collect();
    assert_eq!(list.len(), 3, "{plain}");
    assert!(list.iter().all(|line| line.trim_end().chars().count() <= 60), "{plain}");
    assert!(list[0].contains("efficiency") && !list[0].contains("median"), "{plain}");
}

#[test]
fn order_is_checked() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "pid-7", &meta(None));
    maker.threads(1, &[definition(0, 12, "main")]);
    maker.chunk(0, 5, 0, 2, 0);
    let path = maker.finish(10);
    let (code, out, _) = finish(&mut report(&[".", "--check"], directory.path()));
    assert_eq!(code, Some(1));
    must_say(&out, "1 out of order");
    must_say(&out, "tick 5: a chunk outside of a loop");
    std::fs::remove_file(path).unwrap();
    Maker::new(directory.path(), "pid-8", &meta(None)).finish(10);
    let out = succeed(&mut report(&[".", "--check"], directory.path()));
    must_say(&out, "in order");
}

/// Without a browser: what the page is made of.
#[test]
fn a_page_in_one_file() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), "app", 2, 300);
    let said = succeed(&mut report(&["app", "--html", "r.html"], directory.path()));
    assert!(said.ends_with("r.html\n"), "{said}");
    let page = std::fs::read_to_string(directory.path().join("r.html")).unwrap();
    for outside in ["src=", "@import", "url(", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("</script>").count(), 2, "names do not end the script");
    let (_, error) = fail(&mut report(&["app", "--html", "no/r.html"], directory.path()));
    must_say(&error, "cannot write no/r.html");
}

/// A program whose first loop lets its slow thread fall behind: the second one ends where all wait. On any machine the
/// loops take no longer than the run, and the first pays for the wait.
#[test]
fn a_loop_with_nowait_pays_for_what_it_causes() {
    const PROGRAM: &str = "#include <time.h>\n\
static void work(long us) {\n  struct timespec t = {0, us * 1000};\n  nanosleep(&t, 0);\n}\n\
int main(void) {\n\
#pragma omp parallel num_threads(2)\n  for (int run = 0; run < 5; run++) {\n\
#pragma omp for schedule(static, 1) nowait\n    for (int i = 0; i < 2; i++) work(i ? 2000 : 30000);\n\
#pragma omp for schedule(static, 1) nowait\n    for (int i = 0; i < 2; i++) work(2000);\n\
#pragma omp for schedule(static, 1)\n    for (int i = 0; i < 2; i++) work(2000);\n  }\n  return 0;\n}\n";
    let directory = common::directory("app.c", PROGRAM);
    let clang = format!("clang-{}", common::majors()[0]);
    succeed(
        common::ompchunk(&["cc", "-g", "-fopenmp", "app.c", "-o", "app"])
            .env("OMPCHUNK_CC", clang)
            .current_dir(&directory),
    );
    succeed(common::ompchunk(&["record", "./app"]).current_dir(&directory));
    let json = succeed(&mut report(&["app.ompchunk", "--json"], directory.path()));
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let loops = value["loops"].as_array().unwrap();
    assert_eq!(loops.len(), 3, "{json}");
    let sum: f64 = loops.iter().map(|the_loop| the_loop["seconds"].as_f64().unwrap()).sum();
    let run = value["parts"][0]["seconds"].as_f64().unwrap();
    assert!(sum <= run, "loops {sum}, run {run}");
    let mut waits: Vec<_> = loops
        .iter()
        .map(|the_loop| (the_loop["barrier_seconds"].as_f64().unwrap(), the_loop["line"].as_u64().unwrap()))
        .collect();
    waits.sort_by(|one, other| other.0.total_cmp(&one.0));
    let ([(most, line), rest @ ..], all) = (&waits[..], waits.iter().map(|wait| wait.0).sum::<f64>()) else {
        panic!("{json}")
    };
    assert_eq!(*line, 9, "{waits:?}");
    assert!(*most > 0.5 * all && rest.len() == 2, "{waits:?}");
}
