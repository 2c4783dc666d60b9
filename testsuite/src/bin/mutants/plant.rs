//! A copy of the tree with mutants in it, all in one build: which ones, their text, and which of them compile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::fuzz::rng::Rng;
use ompchunk_testsuite::planted::{FAULTS, Fault};
use serde_json::Value;

use crate::mutant::Mutant;
use crate::rooms::{ROOMS, Room};
use crate::sites::{Change, Site, sites};

/// So many more are tried than wanted, in percent: about every tenth does not compile.
const MORE: usize = 40;

/// In place of a function's name.
const BY_HAND: &str = "planted by hand";

/// Writes `count` mutants that compile into the tree, the same ones for a seed, and the faults that are planted by hand.
pub fn plant(tree: &Path, major: &str, seed: u64, count: usize) -> Result<Vec<Mutant>> {
    let quota = count.div_ceil(ROOMS.len());
    let mut originals = read(tree)?;
    let mut tried = Vec::new();
    for (at, room) in ROOMS.iter().enumerate() {
        let mut rng = Rng::new(seed.wrapping_add(at as u64));
        let sampled = sample(room, tree, &originals, quota + quota * MORE / 100 + 1, &mut rng)?;
        ensure!(!sampled.is_empty(), "{}: nothing to change", room.name);
        tried.extend(sampled);
    }
    let by_hand = by_hand(tree, &mut originals)?;
    // None within another.
    let is_free = |one: &Mutant| by_hand.iter().all(|hand| hand.file != one.file || apart(&hand.range, &one.range));
    tried.retain(is_free);
    tried.extend(by_hand);
    make_crate(tree)?;
    let packages: BTreeSet<&str> = ROOMS.iter().map(|room| room.package).collect();
    for package in packages {
        add(&tree.join(package).join("Cargo.toml"), "dependencies", "mutant = { path = \"../mutant\" }")?;
    }
    // Warnings about parentheses, and about what is not reached.
    add(&tree.join("Cargo.toml"), "workspace.lints.rust", "warnings = \"allow\"")?;
    loop {
        let ranges = write(tree, &originals, &tried)?;
        let wrong = wrong(tree, major, &tried, &ranges)?;
        eprintln!("{} mutants, {} of them do not compile", tried.len(), wrong.len());
        if wrong.is_empty() {
            break;
        }
        let mut at = 0..;
        tried.retain(|_| at.next().is_some_and(|at| !wrong.contains(&at)));
    }
    let mut kept = Vec::new();
    for room in &ROOMS {
        let sampled = tried.iter().filter(|tried| tried.room == room.name && tried.function != BY_HAND);
        kept.extend(sampled.take(quota).cloned());
    }
    kept.truncate(count);
    kept.extend(tried.into_iter().filter(|tried| tried.function == BY_HAND));
    write(tree, &originals, &kept)?;
    Ok(kept)
}

fn read(tree: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let files = ROOMS.iter().flat_map(|room| room.files(tree));
    files.map(|file| Ok((file.clone(), fs::read_to_string(tree.join(&file))?))).collect()
}

/// Their files may be of no room.
fn by_hand(tree: &Path, texts: &mut BTreeMap<PathBuf, String>) -> Result<Vec<Mutant>> {
    let mutant = |fault: &Fault| {
        let start = fault.place(tree)?;
        let file = PathBuf::from(fault.file);
        let text = texts.entry(file.clone()).or_insert(fs::read_to_string(tree.join(&file))?);
        let line = text[..start].matches('\n').count() + 1;
        let change = Change::Expression(fault.is.to_owned());
        let (kind, function) = (BY_HAND, BY_HAND.to_owned());
        let site = Site { kind, function, line, range: start..start + fault.was.len(), change };
        Ok(Mutant::new(fault.room, file, text, site))
    };
    FAULTS.iter().map(mutant).collect()
}

/// About as many of each kind, wherever they are; none within another.
fn sample(
    room: &Room,
    tree: &Path,
    texts: &BTreeMap<PathBuf, String>,
    count: usize,
    rng: &mut Rng,
) -> Result<Vec<Mutant>> {
    let mut kinds: BTreeMap<&str, Vec<(PathBuf, Site)>> = BTreeMap::new();
    for file in room.files(tree) {
        let found = sites(&texts[&file]).with_context(|| file.display().to_string())?;
        for site in found {
            kinds.entry(site.kind).or_default().push((file.clone(), site));
        }
    }
    let mut chosen: Vec<(PathBuf, Site)> = Vec::new();
    while chosen.len() < count && !kinds.is_empty() {
        let names: Vec<&str> = kinds.keys().copied().collect();
        let kind = *rng.pick(&names);
        let left = kinds.get_mut(kind).expect("it is one of them");
        let (file, site) = left.swap_remove(rng.below(left.len() as u64) as usize);
        if left.is_empty() {
            kinds.remove(kind);
        }
        let is_free = |(other, taken): &(PathBuf, Site)| *other != file || apart(&taken.range, &site.range);
        if chosen.iter().all(is_free) {
            chosen.push((file, site));
        }
    }
    Ok(chosen.into_iter().map(|(file, site)| Mutant::new(room.name, file.clone(), &texts[&file], site)).collect())
}

fn apart(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.end <= b.start || b.end <= a.start
}

/// Writes all files anew, also those without mutants: cargo goes by their times. Where each mutant stands in what was written.
fn write(tree: &Path, originals: &BTreeMap<PathBuf, String>, mutants: &[Mutant]) -> Result<Vec<Range<usize>>> {
    let mut ranges = vec![0..0; mutants.len()];
    for (file, text) in originals {
        let mut inside: Vec<usize> = (0..mutants.len()).filter(|&at| mutants[at].file == *file).collect();
        inside.sort_by_key(|&at| (mutants[at].range.start, mutants[at].range.end));
        let (mut written, mut done) = (String::new(), 0);
        for at in inside {
            let mutant = &mutants[at];
            written += &text[done..mutant.range.start];
            let start = written.len();
            written += &code(mutant, at + 1, &text[mutant.range.clone()]);
            ranges[at] = start..written.len();
            done = mutant.range.end;
        }
        written += &text[done..];
        fs::write(tree.join(file), written)?;
    }
    Ok(ranges)
}

/// What stands at its place.
fn code(mutant: &Mutant, number: usize, was: &str) -> String {
    let on = format!("::mutant::on({number})");
    match &mutant.change {
        Change::Expression(with) => format!("(if {on} {{ {with} }} else {{ {was} }})"),
        Change::Returns(value) => format!(" if {on} {{ return {value}; }} "),
        Change::Nothing => format!("if !{on} {{ {was} }}"),
    }
}

/// Which of them the compiler refuses, by its messages.
fn wrong(tree: &Path, major: &str, mutants: &[Mutant], ranges: &[Range<usize>]) -> Result<BTreeSet<usize>> {
    let mut wrong = BTreeSet::new();
    let mut is_built = true;
    let packages =
        ["ompchunk-rt", "ompchunk-recorder", "ompchunk-trace-format", "ompchunk-analysis", "ompchunk-advice"];
    let mut others: Vec<&str> = vec!["build", "--lib", "--keep-going"];
    others.extend(packages.iter().flat_map(|package| ["-p", package]));
    let (feature, folder) = (format!("llvm{major}"), format!("target/llvm-{major}"));
    let pass =
        vec!["build", "--release", "--lib", "-p", "ompchunk-pass", "--features", &feature, "--target-dir", &folder];
    for arguments in [others, pass] {
        let mut command = Command::new("cargo");
        command.args(arguments).arg("--message-format=json").current_dir(tree).stderr(Stdio::null());
        let output = command.output().context("cargo")?;
        is_built &= output.status.success();
        let mut unknown = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
            let message = &message["message"];
            if message["level"] == "error" && !blame(message, mutants, ranges, &mut wrong) {
                unknown.push(message["rendered"].as_str().unwrap_or_default().to_owned());
            }
        }
        ensure!(output.status.success() || !wrong.is_empty(), "{command:?} fails:\n{}", unknown.join("\n"));
    }
    ensure!(is_built || !wrong.is_empty(), "the tree does not build");
    Ok(wrong)
}

/// Whether a message says that some of them are wrong, which are added.
fn blame(message: &Value, mutants: &[Mutant], ranges: &[Range<usize>], wrong: &mut BTreeSet<usize>) -> bool {
    let before = wrong.len();
    for span in message["spans"].as_array().into_iter().flatten() {
        let file = Path::new(span["file_name"].as_str().unwrap_or_default());
        let byte = |name: &str| span[name].as_u64().unwrap_or_default() as usize;
        let at = byte("byte_start")..byte("byte_end");
        wrong.extend((0..mutants.len()).filter(|&index| mutants[index].file == file && !apart(&ranges[index], &at)));
    }
    wrong.len() > before
}

/// The crate that says which one is on.
fn make_crate(tree: &Path) -> Result<()> {
    let folder = tree.join("mutant");
    fs::create_dir_all(folder.join("src"))?;
    let manifest = "[package]\nname = \"mutant\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n";
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::write(folder.join("src/lib.rs"), include_str!("switch.rs"))?;
    Ok(())
}

/// Adds a line to a table of a manifest.
fn add(manifest: &Path, table: &str, line: &str) -> Result<()> {
    let text = fs::read_to_string(manifest)?;
    let with = text.replacen(&format!("\n[{table}]\n"), &format!("\n[{table}]\n{line}\n"), 1);
    ensure!(with != text, "{}: no [{table}]", manifest.display());
    Ok(fs::write(manifest, with)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(text: &str, at: usize) -> Mutant {
        Mutant::new("trace", PathBuf::from("a.rs"), text, sites(text).unwrap()[at].clone())
    }

    #[test]
    fn code_does_what_it_did_unless_one_is_on() {
        let text = "fn f() -> bool { g(); a < b }";
        let written: Vec<String> =
            [0, 2, 3].iter().map(|&at| mutant(text, at)).map(|one| code(&one, 7, &text[one.range.clone()])).collect();
        assert_eq!(
            written,
            [
                " if ::mutant::on(7) { return true; } ",
                "if !::mutant::on(7) { g(); }",
                "(if ::mutant::on(7) { a <= b } else { a < b })",
            ]
        );
    }

    #[test]
    fn what_the_compiler_points_at_is_left_out() {
        let text = "fn f() -> bool { g(); a < b }";
        let mutants = [mutant(text, 2), mutant(text, 3)];
        let message = serde_json::json!({"spans": [{"file_name": "a.rs", "byte_start": 45, "byte_end": 50}]});
        let mut wrong = BTreeSet::new();
        assert!(blame(&message, &mutants, &[17..44, 45..90], &mut wrong));
        assert_eq!(wrong, BTreeSet::from([1]));
    }
}
