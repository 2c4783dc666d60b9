//! `ompchunk export --to gprofng` where something is wrong: with the trace, the program, the disk, the names.

use std::fs;
use std::path::Path;

use crate::common::gprofng::{
    adds_up, built, compile, export, named, newest, record, says_nothing_of_note, shell, table,
};
use crate::common::{fail, finish, gprofng as experiment, hundred, lacks, majors, must_say, ompchunk, succeed};

fn refused(trace: &Path, to: &Path) -> (String, String) {
    let (code, said) = fail(ompchunk(&["export"]).arg(trace).args(["--to", "gprofng"]).arg(to));
    assert_eq!(code, 1, "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    (lines[0].to_owned(), lines[1].to_owned())
}

#[test]
fn nothing_is_overwritten() {
    let Some((directory, app)) = built() else { return };
    let trace = record(&app, &["2", "2"]);
    let to = directory.path().join("there.er");
    fs::create_dir(&to).unwrap();
    let there = format!("ompchunk: {} is there already", to.display());
    let next = "ompchunk: next: name a directory that is not there: nothing that is there is overwritten";
    assert_eq!(refused(&trace, &to), (there.clone(), next.to_owned()));
    fs::remove_dir(&to).unwrap();
    std::os::unix::fs::symlink("nowhere", &to).unwrap();
    assert_eq!(refused(&trace, &to), (there, next.to_owned()));
    for name in ["there", "-", "there.er.old"] {
        let (error, next) = refused(&trace, Path::new(name));
        assert_eq!(error, format!("ompchunk: {name} is no name of an experiment: it must end in .er"));
        assert_eq!(next, "ompchunk: next: name a directory like app.er, which is not there yet");
    }
    let (error, _) = refused(&trace, &directory.path().join("no/such/app.er"));
    must_say(&error, "cannot write");
}

#[test]
fn without_stacks() {
    let directory = tempfile::tempdir().unwrap();
    let app = hundred(directory.path(), majors()[0], &[]);
    let trace = directory.path().join("app.ompchunk");
    succeed(ompchunk(&["record", "-o"]).arg(&trace).arg(&app));
    let to = directory.path().join("app.er");
    assert_eq!(
        refused(&trace, &to),
        (
            "ompchunk: the trace has no sampled stacks".to_owned(),
            "ompchunk: next: ompchunk record --sample-stacks".to_owned()
        )
    );
    assert!(!to.exists());
}

/// Whatever the limit: a whole experiment, or one error and nothing left.
#[test]
fn a_full_disk_is_one_error() {
    let Some((directory, app)) = built() else { return };
    let trace = record(&app, &["2", "5"]);
    let try_with = |limit: usize| {
        let to = directory.path().join(format!("limit-{limit}.er"));
        let mut command = shell(&format!("ulimit -f {limit}; exec \"$@\""));
        command.args([env!("CARGO_BIN_EXE_ompchunk"), "export"]).arg(&trace);
        let (status, _, said) = finish(command.args(["--to", "gprofng"]).arg(&to));
        if to.exists() {
            assert_eq!((status, &*said), (Some(0), ""));
            adds_up(&table(&to, &["-functions"]));
            return true;
        }
        assert_eq!(status, Some(1), "{said}");
        assert!(said.contains("cannot write") && said.lines().count() == 2, "{said}");
        false
    };
    // In halves of a kibibyte.
    let whole: Vec<bool> = [0, 1, 2, 3, 4, 8, 1000].into_iter().map(try_with).collect();
    assert!(!whole[0] && !whole[1] && whole[6], "{whole:?}");
}

/// The names of a binary that is another one now are not those of the program that ran.
#[test]
fn a_program_that_has_changed() {
    let Some((directory, app)) = built() else { return };
    let trace = record(&app, &["2", "10"]);
    let before = table(&export(&trace).0, &["-functions"]);
    let unknown = |why: &str| {
        let (experiment, said) = export(&trace);
        let begin = format!("ompchunk: functions and lines of {} are not known: {why}", app.display());
        assert!(said.starts_with(&begin) && said.lines().count() == 1, "{said}");
        let functions = table(&experiment, &["-functions"]);
        adds_up(&functions);
        named(&functions, "<unknown> (app)");
        assert!(functions.iter().all(|function| function.name != "burn"), "{functions:?}");
        let total = |rows| named(rows, "<Total>").seconds;
        assert_eq!(total(&functions), total(&before));
    };
    compile(directory.path(), majors()[0], &["-fopenmp", "-DOTHER", "-O1"]);
    unknown("it is no longer the file that was loaded");
    fs::write(&app, "no program").unwrap();
    unknown("");
    fs::remove_file(&app).unwrap();
    unknown("No such file");
    fs::create_dir(&app).unwrap();
    unknown("it is no file");
}

/// As much as is there, or one error; never a crash, and never what gprofng cannot read.
#[test]
fn stacks_that_are_cut() {
    let Some((directory, app)) = built() else { return };
    let trace = record(&app, &["2", "10"]);
    let stacks = fs::read_dir(&trace).unwrap().map(|dir| dir.unwrap().path());
    let stacks = stacks.into_iter().find(|stack| stack.extension().is_some_and(|extension| extension == "stacks"));
    let stacks = stacks.expect("a file of stacks");
    let whole = fs::read(&stacks).unwrap();
    for number in 0..12 {
        let cut = whole.len() * number / 12 + number;
        let mut bytes = whole[..cut.min(whole.len())].to_vec();
        if number % 3 == 2 {
            let at = bytes.len() / 2;
            bytes[at..].iter_mut().step_by(97).for_each(|byte| *byte ^= 0x55);
        }
        fs::write(&stacks, &bytes).unwrap();
        let to = directory.path().join(format!("cut-{number}.er"));
        let mut command = ompchunk(&["export"]);
        let (status, _, said) = finish(command.arg(&trace).args(["--to", "gprofng"]).arg(&to));
        match status {
            Some(0) => adds_up(&table(&to, &["-functions"])),
            _ => {
                assert_eq!((status, said.lines().count()), (Some(1), 2), "{said}");
                assert!(!to.exists());
            }
        }
    }
}

/// Directories, programs, functions and arguments may be called anything.
#[test]
fn hostile_names() {
    if lacks(&["gprofng"]) {
        return;
    }
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("a \"b\" <c> & 'd' %41% \u{e9}\n<process>");
    fs::create_dir(&directory).unwrap();
    let app = newest(&directory);
    let odd = app.with_file_name("app\"><event kind='x'>&amp;%3c%");
    fs::rename(&app, &odd).unwrap();
    let trace = directory.join("t.ompchunk");
    let mut command = ompchunk(&["record", "--sample-stacks", "-o"]);
    command.arg(&trace).arg(&odd).args(["2", "5", "10", "<a&b>\"%22%\n"]);
    succeed(&mut command);
    let (experiment, said) = export(&trace);
    says_nothing_of_note(&said);
    let functions = table(&experiment, &["-functions"]);
    adds_up(&functions);
    named(&functions, "burn");
    let lines = table(&experiment, &["-lines"]);
    assert!(lines.iter().any(|line| line.name.starts_with("burn, line")), "{lines:?}");
    let header = experiment::display(&experiment, &["-header"]);
    assert!(header.contains("No errors") && header.contains("No warnings"), "{header}");
    must_say(&header, "<a&b>\"%22%");
}

/// What was killed is told up to then, and gprofng says so.
#[test]
fn a_program_that_was_killed() {
    let Some((directory, app)) = built() else { return };
    let trace = directory.path().join("killed.ompchunk");
    let mut command = ompchunk(&["record", "--sample-stacks", "-o"]);
    command.arg(&trace).args(["timeout", "-s", "KILL", "1"]).arg(&app).args(["2", "1000"]);
    let (status, ..) = finish(&mut command);
    assert_ne!(status, Some(0));
    let (experiment, said) = export(&trace);
    must_say(&said, "is cut");
    let functions = table(&experiment, &["-functions"]);
    adds_up(&functions);
    named(&functions, "burn");
    let header = experiment::display(&experiment, &["-header"]);
    must_say(&header, "experiment was not closed");
}
