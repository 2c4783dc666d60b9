//! Modules to mutate: what compilers make of the test suite's sources, in the forms that passes leave
//! behind, cut down to one function and what it needs.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::text::{Function, Module, START};
use crate::fuzz::rng::Rng;
use crate::ir::edit;
use crate::passes::FORMS;
use crate::toolchain::Llvm;
use crate::{child, dist};

#[derive(Debug, Clone)]
pub struct Seed {
    /// Whose IR it is.
    pub llvm: Llvm,
    pub origin: String,
    /// Its text, with a name for each value.
    pub text: String,
}

#[derive(Debug)]
pub struct Corpus {
    llvms: Vec<Llvm>,
    sources: Vec<PathBuf>,
}

/// Whole pipelines; what is done to the frontend's output is one of these or of [`FORMS`], and most often nothing, as in production.
const PIPELINES: [&str; 6] =
    ["default<O1>", "default<O2>", "default<O3>", "default<Os>", "thinlto-pre-link<O2>", "lto-pre-link<O2>"];

/// Beyond that, opt takes its time and shows nothing that a smaller module would not.
const MOST_LINES: usize = 1200;

impl Corpus {
    /// What the machine can compile.
    pub fn survey() -> Result<Corpus> {
        let llvms = Llvm::installed();
        if llvms.is_empty() {
            bail!("no clang of a supported major is installed");
        }
        let mut sources = Vec::new();
        for dir in ["ir", "ir/reject", "run", "coverage"] {
            for entry in std::fs::read_dir(dist::testsuite().join(dir))? {
                let path = entry?.path();
                let extension = path.extension().and_then(|e| e.to_str());
                if matches!(extension, Some("c" | "cpp" | "f90" | "ll" | "edit")) {
                    sources.push(path);
                }
            }
        }
        sources.sort();
        Ok(Corpus { llvms, sources })
    }

    /// The seed of a number, and how many draws gave no module with a static loop.
    pub fn seed(&self, rng: &mut Rng, dir: &Path) -> Result<(Seed, u64)> {
        for fruitless in 0..200 {
            let (llvm, source) = (rng.pick(&self.llvms), rng.pick(&self.sources));
            if let Some(seed) = make(rng, llvm, source, dir)? {
                return Ok((seed, fruitless));
            }
        }
        bail!("200 draws gave no module with a static loop; is the toolchain complete?")
    }
}

/// The module, unless this compiler makes none of it, or none with a static loop.
fn make(rng: &mut Rng, llvm: &Llvm, source: &Path, dir: &Path) -> Result<Option<Seed>> {
    let (compiled, formed, cut) = (dir.join("1.ll"), dir.join("2.ll"), dir.join("3.ll"));
    let source = &edit::file(source, dir)?;
    let Some((mut compiler, how)) = compiler(rng, llvm, source) else {
        return Ok(None);
    };
    compiler.arg("-o").arg(&compiled);
    let pipeline = match rng.chance(45) {
        true => "",
        false => *rng.pick(&[&PIPELINES[..], &FORMS].concat()),
    };
    if !quietly(&mut compiler)? || !has_loop(&compiled)? {
        return Ok(None);
    }
    let mut opt = child::command(llvm.tool("opt"));
    opt.arg(format!("-passes={}", [pipeline, "instnamer"].join(",").trim_start_matches(',')));
    if !quietly(opt.args(["-S", "-o"]).arg(&formed).arg(&compiled))? {
        return Ok(None);
    }
    let text = read(&formed)?;
    let functions = with_loop(&text);
    if functions.is_empty() {
        return Ok(None);
    }
    let (name, text) = match text.lines().count() < MOST_LINES / 3 && rng.chance(30) {
        true => ("whole", text),
        false => {
            let name = rng.pick(&functions);
            if !extract(rng, llvm, name, &formed, &cut)? {
                return Ok(None);
            }
            (name.as_str(), read(&cut)?)
        }
    };
    // Types without a name have numbers, too.
    if text.lines().count() > MOST_LINES || !START.is_match(&text) || text.contains("\n%0 = type") {
        return Ok(None);
    }
    let mut module = Module::parse(&text);
    module.name_values();
    // What this module cannot read and print again would give no mutant.
    let text = module.to_string();
    std::fs::write(&cut, &text)?;
    let mut verify = child::command(llvm.tool("opt"));
    if !quietly(verify.args(["-passes=verify", "-disable-output"]).arg(&cut))? {
        return Ok(None);
    }
    let file = source.file_name().unwrap_or_default().to_string_lossy();
    Ok(Some(Seed {
        llvm: llvm.clone(),
        origin: format!("{file}: LLVM {}, {how}; {pipeline}; {name}", llvm.major),
        text,
    }))
}

/// Cuts a function out of a module, with what it calls or without.
fn extract(rng: &mut Rng, llvm: &Llvm, function: &str, from: &Path, to: &Path) -> Result<bool> {
    let mut extract = child::command(llvm.tool("llvm-extract"));
    extract.arg(format!("-func={function}"));
    // Without it, the source locations lose their contents.
    extract.arg("--keep-const-init");
    if rng.chance(40) {
        extract.arg("--recursive");
    }
    quietly(extract.args(["-S", "-o"]).arg(to).arg(from))
}

/// A command that prints the frontend's output.
fn compiler(rng: &mut Rng, llvm: &Llvm, source: &Path) -> Option<(Command, String)> {
    let extension = source.extension().and_then(|e| e.to_str())?;
    let mut flags: Vec<&str> = vec!["-S", "-emit-llvm"];
    let program = match extension {
        "ll" => {
            let mut opt = child::command(llvm.tool("opt"));
            opt.args(["-passes=verify", "-S"]).arg(source);
            return Some((opt, "as it is".to_owned()));
        }
        "f90" => {
            let flang = llvm.tool("flang");
            if !flang.is_file() {
                return None;
            }
            flags.push("-O0");
            flang
        }
        _ => {
            // -O0 marks functions optnone; -O1 with the passes left out does not.
            flags.push(["-O1", "-O0"][usize::from(rng.chance(15))]);
            flags.extend(["-Xclang", "-disable-llvm-passes"]);
            for (percent, flag) in [(15, "-ftrapv"), (10, "-fsanitize=undefined"), (10, "-fsanitize=address")] {
                if rng.chance(percent) {
                    flags.push(flag);
                }
            }
            if rng.chance(10) {
                flags.extend(["-Xclang", "-fopenmp-enable-irbuilder"]);
            }
            llvm.driver(source)
        }
    };
    if rng.chance(15) {
        flags.push("-g");
    }
    let mut command = child::command(program);
    command.arg("-fopenmp").args(&flags);
    if extension != "f90" {
        command.arg("-I").arg(dist::testsuite().join("run"));
    }
    command.arg(source);
    Some((command, flags.join(" ")))
}

/// Runs it; whether it succeeded. What a compiler cannot do is not asked for here.
fn quietly(command: &mut Command) -> Result<bool> {
    Ok(child::finish(command)?.status.success())
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn has_loop(path: &Path) -> Result<bool> {
    Ok(START.is_match(&read(path)?))
}

/// Names of the functions in which a static loop starts.
fn with_loop(text: &str) -> Vec<String> {
    let module = Module::parse(text);
    let starts = |function: &&Function| {
        let mut lines = function.blocks.iter().flat_map(|block| &block.lines);
        lines.any(|line| START.is_match(line))
    };
    let found = module.functions.iter().filter(starts);
    found.map(|function| function.name().trim_matches('"').to_owned()).collect()
}
