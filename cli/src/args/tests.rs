//! What the command line means.

use clap::CommandFactory;

use super::*;

fn run(words: &[&str]) -> Run {
    let words = ["ompchunk", "run"].iter().chain(words);
    match Arguments::try_parse_from(words).unwrap().command {
        Command::Run(run) => run,
        other => panic!("{other:?}"),
    }
}

#[test]
fn is_consistent() {
    Arguments::command().debug_assert();
}

#[test]
fn a_programs_options_are_the_programs() {
    let parsed = run(&["--tool", "a", "-t", "b", "./app", "--tool", "c", "--", "-v"]);
    assert_eq!(parsed.tools, ["a", "b"]);
    assert!(!parsed.verbose);
    assert_eq!(parsed.program, ["./app", "--tool", "c", "--", "-v"]);
}

/// Before the program they are ours, so that a typing error is not taken for a program.
#[test]
fn unknown_options_before_the_program() {
    for command in ["run", "record"] {
        for words in [
            &["--typo", "./app"][..],
            &["--typo=3", "./app", "-v"],
            &["-x", "./app"],
            &["--typo"],
            &["--typo", "--", "./app"],
        ] {
            let words = [&["ompchunk", command], words].concat();
            let error = Arguments::try_parse_from(words).expect_err("unknown");
            assert_eq!(error.kind(), clap::error::ErrorKind::UnknownArgument);
            let said = error.to_string();
            assert!(said.contains("--typo") || said.contains("-x"), "{said}");
        }
    }
}

#[test]
fn two_dashes_end_our_options() {
    let parsed = run(&["-v", "--", "--odd-name", "--", "x"]);
    assert!(parsed.verbose);
    assert_eq!(parsed.program, ["--odd-name", "--", "x"]);
}
