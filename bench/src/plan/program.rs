//! A program of the user's: what comes after `--`.

use std::ffi::OsString;
use std::path::Path;

use super::options::Options;
use crate::error::Error;

/// What the user wrote after `--`.
#[derive(Debug, PartialEq)]
pub struct Words {
    /// The compiler.
    pub compiler: OsString,
    /// Its arguments, but those that name its output.
    pub arguments: Vec<OsString>,
    /// The program and its arguments.
    pub run: Vec<OsString>,
}

/// How to compile and how to run, with `--` between.
pub fn split(words: &[OsString]) -> Result<Words, Error> {
    let two = "after -- comes how to compile the program, then -- once more and how to run it";
    let at = words.iter().position(|word| word == "--").ok_or_else(|| Error::Words(two.into()))?;
    let (compile, run) = (&words[..at], &words[at + 1..]);
    let (Some((compiler, rest)), false) = (compile.split_first(), run.is_empty()) else {
        return Err(Error::Words(two.into()));
    };
    let mut arguments = Vec::new();
    let mut rest = rest.iter();
    // Both builds are put elsewhere, under names of their own.
    while let Some(word) = rest.next() {
        match word.to_str() {
            Some("-o") => drop(rest.next()),
            Some("-c" | "-S" | "-E" | "-fsyntax-only") => {
                let only = word.to_string_lossy();
                return Err(Error::Words(format!("with {only} the compiler makes no program")));
            }
            Some(text) if text.starts_with("-o") && !text.starts_with("-object") => {}
            _ => arguments.push(word.clone()),
        }
    }
    Ok(Words { compiler: compiler.clone(), arguments, run: run.to_vec() })
}

/// Is there one, and nothing to compile it with?
pub fn is_program(options: &Options) -> Result<(), Error> {
    let Some(first) = options.program.first() else {
        let why = "--schedule needs a program that is compiled already, after --";
        return Err(Error::Compiled(why.to_owned()));
    };
    // As without --schedule, where compiling comes first.
    let name = Path::new(first).file_name().unwrap_or_default().to_string_lossy();
    let compiles = name.starts_with("clang") || name.starts_with("flang");
    if compiles && options.program.iter().any(|word| word == "--") {
        let why = format!("{} is a compiler, and with --schedule nothing is compiled", first.to_string_lossy());
        return Err(Error::Compiled(why));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Words, Error> {
        split(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn how_to_compile_and_how_to_run() {
        let words = of("clang -O2 -o app x.c -oother -fopenmp -- ./app 1 -- 2").unwrap();
        assert_eq!(words.compiler, "clang");
        assert_eq!(words.arguments, ["-O2", "x.c", "-fopenmp"]);
        assert_eq!(words.run, ["./app", "1", "--", "2"]);
    }

    #[test]
    fn what_is_missing_is_told() {
        for line in ["clang x.c", "clang x.c --", "-- ./app"] {
            assert!(of(line).unwrap_err().to_string().starts_with("after -- comes"), "{line}");
        }
        let error = of("clang -c x.c -- ./x").unwrap_err().to_string();
        assert_eq!(error, "with -c the compiler makes no program");
    }
}
