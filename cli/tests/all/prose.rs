//! What the documents name in prose is there: subcommands and options of `ompchunk`, targets and variables of `make`, options of the compilers,
//! variables `OMPCHUNK_*`. A code span is checked that begins like a command, or is one option. (Commands in blocks are run: `documents.rs`.)

use std::collections::BTreeMap;

use regex::Regex;

use crate::common::{self, clean, finish, ompchunk, repository, succeed};

/// Options that documents name and that are other programs': GNU ld's, perf's and those of tools that are written about.
const OTHERS: [&str; 5] = ["--forloop", "--mpi", "--removechunkstart", "--time", "--verify"];

/// What tells of the past may name what was there then.
const PAST: [&str; 2] = ["CHANGELOG.md", "results/"];

/// An option's names, and whether a value follows.
type Options = BTreeMap<String, bool>;

fn subcommands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    listed
        .take_while(|line| !line.is_empty())
        // What goes on in a second line stands further in.
        .filter_map(|line| line.strip_prefix("  ").filter(|suffix| !suffix.starts_with(' ')))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

fn options(help: &str) -> Options {
    let line = Regex::new(r"^ +(?:(-\w)(?:, )?)?(--[a-z][a-z0-9-]*)?( <|\[=| \[)?").expect("a regex");
    let mut found = Options::new();
    for text in help.lines().filter(|text| text.trim_start().starts_with('-')) {
        if let Some(parts) = line.captures(text) {
            for name in [parts.get(1), parts.get(2)].into_iter().flatten() {
                found.insert(name.as_str().to_owned(), parts.get(3).is_some());
            }
        }
    }
    found
}

/// What `ompchunk` knows: the options of each subcommand, by its words.
struct Known(BTreeMap<String, Options>);

impl Known {
    fn ask() -> Known {
        let help = |words: &[&str]| succeed(ompchunk(words).arg("--help"));
        let mut known = BTreeMap::from([(String::new(), options(&help(&[])))]);
        for name in subcommands(&help(&[])) {
            // Theirs are the compiler's; help has none.
            if ["cc", "c++", "fc", "help"].contains(&&*name) {
                known.insert(name, Options::new());
                continue;
            }
            let text = help(&[&name]);
            known.insert(name, options(&text));
        }
        Known(known)
    }

    /// What is wrong with the words behind `ompchunk`, which may be a beginning only.
    fn judge(&self, words: &[&str]) -> Option<String> {
        let name = match words {
            [name, ..] if !name.starts_with('-') => (*name).to_owned(),
            _ => String::new(),
        };
        let Some(options) = self.0.get(&name) else {
            return Some(format!("ompchunk has no {name}"));
        };
        if ["cc", "c++", "fc"].contains(&&*name) {
            return None;
        }
        // What stands behind the program of `run` and `record` is the program's.
        let passes_on = ["run", "record"].contains(&&*name);
        let mut words = words[usize::from(!name.is_empty())..].iter();
        while let Some(word) = words.next() {
            if *word == "--" || passes_on && !word.starts_with('-') {
                return None;
            }
            if !word.starts_with('-') || *word == "-" {
                continue;
            }
            let (option, value) = word.split_once('=').map_or((*word, false), |(o, _)| (o, true));
            match options.get(option) {
                None => return Some(format!("ompchunk {name} has no {option}")),
                Some(true) if !value => drop(words.next()),
                Some(_) => {}
            }
        }
        None
    }

    fn has_option(&self, option: &str) -> bool {
        self.0.values().any(|options| options.contains_key(option))
    }
}

/// What is wrong with the words behind `make`.
fn judge_make(words: &[&str]) -> Option<String> {
    let file = std::fs::read_to_string(repository().join("Makefile")).expect("a Makefile");
    let targets = Regex::new(r"(?m)^([a-z][a-z0-9 -]*):").expect("a regex");
    let targets: Vec<&str> = targets
        .captures_iter(&file)
        .flat_map(|line| line.get(1).map_or("", |line| line.as_str()).split_whitespace())
        .collect();
    let mut git = clean("git");
    git.args(["grep", "-hoE", r"\b[A-Z_]{1,}\b", "--", "Makefile", "scripts"]);
    let variables = succeed(git.current_dir(repository()));
    words.iter().find_map(|word| match word.split_once('=') {
        Some((name, _)) if variables.lines().any(|variable| variable == name) => None,
        None if targets.contains(word) => None,
        _ => Some(format!("make has no {word}")),
    })
}

/// What is wrong with the words behind a compiler's name.
fn judge_compiler(driver: &str, words: &[&str]) -> Option<String> {
    let name = driver.split('-').next().unwrap_or(driver);
    // A name without a number is any that is served.
    let known = ["clang", "clang++", "flang"].contains(&name)
        && ["", "-22", "-19", "-16", "-15"].contains(&&driver[name.len()..]);
    if !known {
        return Some(format!("{driver} is no compiler that is served"));
    }
    let (_, _, said) = finish(clean(format!("{name}-22")).arg("-###").args(words));
    let unknown = ["unknown argument", "unsupported option", "unsupported argument"];
    let line = said.lines().find(|line| unknown.iter().any(|unknown| line.contains(unknown)))?;
    Some(line.to_owned())
}

/// A code span, and the line where it begins.
type Span = (usize, String);

/// The code spans of a document, but for its blocks.
fn spans(document: &str) -> Vec<Span> {
    let mut prose = String::new();
    let mut fenced = false;
    for line in document.lines() {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        if !fenced && !fence {
            prose.push_str(line);
        }
        prose.push('\n');
    }
    // A span may go on in the next line, but not over an empty one.
    let span = Regex::new(r"``((?:[^`\n]|\n[^\n]|`[^`])+)``|`((?:[^`\n]|\n[^\n`])+)`").expect("a regex");
    let found = span.captures_iter(&prose).filter_map(|captures| {
        let text = captures.get(1).or(captures.get(2))?;
        let line = prose[..text.start()].matches('\n').count() + 1;
        Some((line, text.as_str().split_whitespace().collect::<Vec<_>>().join(" ")))
    });
    found.collect()
}

/// What is wrong with a span; nothing with one that is no command.
fn judge(known: &Known, span: &str) -> Option<String> {
    let words: Vec<&str> = span.split_whitespace().collect();
    // Not what stands for something: `...`, `<number>`, `…`.
    let words: Vec<&str> =
        words.into_iter().filter(|word| !["...", "…"].contains(word) && !word.contains('<')).collect();
    match words[..] {
        ["ompchunk", ref rest @ ..] => known.judge(rest),
        ["make", ref rest @ ..] => judge_make(rest),
        [driver, ref rest @ ..] if driver.starts_with("clang") || driver.starts_with("flang") => {
            judge_compiler(driver, rest)
        }
        [option, ..] if option.starts_with("--") && option.len() > 2 => {
            let name = option.split('=').next().unwrap_or(option);
            let is_there =
                known.has_option(name) || OTHERS.contains(&name) || judge_compiler("clang", &[option]).is_none();
            (!is_there).then(|| format!("nobody has {option}"))
        }
        // A name may stand for the option with any value.
        [option] if option.starts_with("-f") || option.starts_with("-g") => {
            judge_compiler("clang", &[option]).filter(|_| judge_compiler("clang", &[&format!("{option}=x")]).is_some())
        }
        _ => None,
    }
}

/// The variables of ompchunk's that a text names, with their lines. `OMPCHUNK_*` is none.
fn variables(text: &str) -> Vec<Span> {
    let name = Regex::new(r"\bOMPCHUNK_[A-Z0-9_]*[A-Z0-9]").expect("a regex");
    (1..)
        .zip(text.lines())
        .flat_map(|(line, text)| name.find_iter(text).map(move |name| (line, name.as_str().to_owned())))
        .collect()
}

/// The variables that some code reads.
fn read() -> Vec<String> {
    let mut git = clean("git");
    // In Rust a string of its own; in scripts and the Makefile by their way to ask for one.
    git.args(["grep", "-hoE"])
        .arg(r#""OMPCHUNK_[A-Z0-9_]+"|\$+\{?OMPCHUNK_[A-Z0-9_]+"#)
        .args(["--", "*.rs", "*.sh", "*.c", "*.cpp", "Makefile", ":!cli/tests/all/prose.rs"]);
    let found = succeed(git.current_dir(repository()));
    found.lines().map(|text| text.trim_matches(['"', '$', '{']).to_owned()).collect()
}

#[test]
fn what_prose_names_is_there() {
    if common::lacks(&["clang-22", "clang++-22", "flang-22", "git"]) {
        return;
    }
    let (known, read) = (Known::ask(), read());
    let mut git = clean("git");
    git.args(["ls-files", "*.md"]).current_dir(repository());
    let (mut commands, mut wrong) = (0, Vec::new());
    for name in succeed(&mut git).lines().filter(|name| !PAST.iter().any(|past| name.starts_with(past))) {
        let document = std::fs::read_to_string(repository().join(name)).unwrap();
        for (line, span) in spans(&document) {
            commands += usize::from(span.starts_with("ompchunk ") || span.starts_with("make "));
            if let Some(why) = judge(&known, &span) {
                wrong.push(format!("{name}:{line}: `{span}`: {why}"));
            }
        }
        for (line, variable) in variables(&document) {
            if !read.contains(&variable) {
                wrong.push(format!("{name}:{line}: nothing reads {variable}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(commands > 60, "only {commands} commands were found");
}

#[test]
fn what_is_not_there_is_found() {
    let known = Known::ask();
    for right in [
        "ompchunk",
        "ompchunk --version",
        "ompchunk record -o dir --sample 3 ./app --whatever",
        "ompchunk cc -O9 --x",
        "ompchunk bench --time N -- compile -- run",
        "make",
        "make fuzz WHAT=modules N=1",
        "clang -fopenmp app.o -ltool",
        "clang-19 -O2",
        "--loop",
    ] {
        assert_eq!(judge(&known, right), None, "{right}");
    }
    for wrong in [
        "ompchunk recrod ./app", "ompchunk --verbose", "ompchunk record --no-such ./app", "ompchunk bench --layouts 3",
        "ompchunk report --sort wait --rnk 3", "make everything", "make fuzz SEEDS=3", "clang-22 -fno-such-thing a.c",
        "clang-12 -O2", "--no-such", "-fno-such-thing",
    ] {
        assert!(judge(&known, wrong).is_some(), "{wrong}");
    }
    let text = "a `b\nc` d\n```sh\n`e`\n```\n``f`g`` `h`\n\n`no\n\nend` OMPCHUNK_* OMPCHUNK_X_Y.\n";
    let found: Vec<Span> = [(1, "b c"), (6, "f`g"), (6, "h")].map(|(line, span)| (line, span.to_owned())).into();
    assert_eq!(spans(text)[..3], found[..]);
    assert_eq!(variables(text), [(10, "OMPCHUNK_X_Y".to_owned())]);
    assert!(!read().contains(&"OMPCHUNK_X".to_owned()));
}
