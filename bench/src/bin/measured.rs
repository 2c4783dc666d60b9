//! What was measured, as data and pages of this tree. For those who work on ompchunk; not installed.
//!
//! `measured keep RESULTS... [NAME=VALUE...]`: results that `ompchunk bench` wrote become data, under the files' names, with what else is
//! known of the runs. `measured pages`: all pages and pictures anew, from the data.

use std::path::Path;

use anyhow::{Context, Result, bail};
use ompchunk_bench::Results;
use ompchunk_bench::summary::run::Run;
use ompchunk_bench::summary::{page::DATA, tree, write_all};

const USAGE: &str = "usage: measured keep RESULTS... [NAME=VALUE...] | measured pages";

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["keep", ref files @ ..] if !files.is_empty() => keep(files),
        ["pages"] => write_all(tree()),
        _ => bail!(USAGE),
    }
}

fn keep(words: &[&str]) -> Result<()> {
    let is_file = |word: &&&str| word.ends_with(".json");
    let facts: Vec<(String, String)> = words
        .iter()
        .filter(|word| !is_file(word))
        .map(|word| {
            let (name, value) = word.split_once('=').context(USAGE)?;
            Ok((name.to_owned(), value.to_owned()))
        })
        .collect::<Result<_>>()?;
    for file in words.iter().filter(is_file) {
        let file = Path::new(file);
        let name = file.file_stem().and_then(|name| name.to_str());
        let mut run = Run::of(&Results::read(file)?);
        run.facts.extend(facts.iter().cloned());
        run.write(&tree().join(DATA), name.context(USAGE)?)?;
    }
    Ok(())
}
