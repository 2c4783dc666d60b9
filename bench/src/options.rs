//! How to measure, as the command line says it, and the program after `--`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use ompchunk_toolchain::Failure;

#[derive(Debug, Args)]
pub struct Options {
    /// The OpenMP runtime to run on: a file such as libiomp5.so, of a release build
    #[arg(long, value_name = "LIBRARY")]
    pub runtime: Option<PathBuf>,
    /// Seconds to measure for at most; less when everything is known to 1 % before. With fewer than 10, few figures: shows that
    /// everything works, tells little
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    pub time: f64,
    /// Before, --time 2.
    #[arg(long, hide = true)]
    pub quick: bool,
    /// With a program: run it under ompchunk record, too
    #[arg(long, requires = "program", hide = true)]
    pub record: bool,
    /// The file for the results, JSON
    #[arg(short, long, value_name = "FILE", default_value = "ompchunk-bench.json")]
    pub output: PathBuf,
    /// A program instead of single chunks: how to compile it, `--`, how to run it
    #[arg(last = true, value_name = "COMPILE -- RUN")]
    pub program: Vec<OsString>,
}

impl Options {
    pub fn seconds(&self) -> f64 {
        if self.quick { 2.0 } else { self.time }
    }

    pub fn is_short(&self) -> bool {
        self.seconds() < 10.0
    }
}

#[derive(Debug, PartialEq)]
pub struct Words {
    pub compiler: OsString,
    /// Its arguments, but those that name its output.
    pub arguments: Vec<OsString>,
    pub run: Vec<OsString>,
}

/// How to compile and how to run, with `--` between.
pub fn split(words: &[OsString]) -> Result<Words, Failure> {
    let mistaken = |what: &str| Failure::new(what, "ompchunk bench -- clang-22 -O2 -fopenmp app.c -- ./app arguments");
    let two = || mistaken("after -- comes how to compile the program, then -- once more and how to run it");
    let at = words.iter().position(|word| word == "--").ok_or_else(two)?;
    let (compile, run) = (&words[..at], &words[at + 1..]);
    let (Some((compiler, rest)), false) = (compile.split_first(), run.is_empty()) else { return Err(two()) };
    let mut arguments = Vec::new();
    let mut rest = rest.iter();
    // Both builds are put elsewhere, under names of their own.
    while let Some(word) = rest.next() {
        match word.to_str() {
            Some("-o") => drop(rest.next()),
            Some(only @ ("-c" | "-S" | "-E" | "-fsyntax-only")) => {
                return Err(mistaken(&format!("with {only} the compiler makes no program")));
            }
            Some(text) if text.starts_with("-o") && !text.starts_with("-object") => {}
            _ => arguments.push(word.clone()),
        }
    }
    Ok(Words { compiler: compiler.clone(), arguments, run: run.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<Words, Failure> {
        split(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn how_to_compile_and_how_to_run() {
        let words = words("clang -O2 -o app x.c -oother -fopenmp -- ./app 1 -- 2").unwrap();
        assert_eq!(words.compiler, "clang");
        assert_eq!(words.arguments, ["-O2", "x.c", "-fopenmp"]);
        assert_eq!(words.run, ["./app", "1", "--", "2"]);
    }

    #[test]
    fn what_is_missing_is_told() {
        for line in ["clang x.c", "clang x.c --", "-- ./app"] {
            assert!(words(line).unwrap_err().to_string().starts_with("after -- comes"), "{line}");
        }
        let error = words("clang -c x.c -- ./x").unwrap_err().to_string();
        assert_eq!(error, "with -c the compiler makes no program");
    }
}
