//! Any program: built without and with the plugin side by side, run in randomly interleaved pairs, while
//! nobody listens. What the two print, and how they end, must be the same.
//!
//! With `--record` the build with the plugin also runs under `ompchunk record`: what recording costs, from outside.
//!
//! With several layouts each build is linked several times, behind code that is never run: what then differs between
//! two of plain clang is what any change of a program may cost or save, and what a figure of the plugin is to be held
//! against.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::build::{Workshop, succeeded};
use super::conditions;
use super::runs::{Runs, Way, runtime_of, shown};
use crate::plan::options::Options;
use crate::plan::program::{Words, split};
use crate::plan::variant::{self, Build, Role, Variant};
use crate::results::{Results, VariantInfo};

/// The rows of the table of variants that a program is run in.
const VARIANTS: [&str; 3] = ["plain", "plain-again", "plugin"];
/// The same with `--record`.
const RECORDED: &str = "recorder";

/// Measures.
pub fn run(options: &Options) -> Result<Results> {
    let words = split(&options.program)?;
    let workshop = Workshop::new(Some(&words.compiler), options.runtime.as_deref())?;
    let is_wanted =
        |variant: &&Variant| VARIANTS.contains(&variant.name) || (options.record && variant.name == RECORDED);
    let variants = variant::ALL.iter().filter(is_wanted);
    let variants: Vec<Variant> = variants.copied().collect();
    let mut results = Results::new("program");
    results.setup = conditions::setup();
    results.setup.compiler = workshop.version.line.clone();
    results.setup.flags = shown(&words.arguments);
    results.setup.program = shown(&words.run);
    results.setup.seed = options.seed;
    results.variants = variants.iter().map(VariantInfo::from).collect();
    let [plain, plugin] = [Build::Plain, Build::Plugin].map(|which| build(&workshop, &words, which, options.layouts));
    let (plain, plugin) = (plain?, plugin?);
    let put_first = |command: &mut Command| workshop.runtime.put_first(command);
    results.setup.runtime = runtime_of(&plain[0], put_first).unwrap_or_default();
    results.warnings = conditions::worth(conditions::of_machine(1), &results.setup.runtime)?;

    let has_plugin = |variant: &Variant| matches!(variant.role, Role::Off | Role::Recorder);
    let ways = variants.iter().map(|variant| {
        let programs = if has_plugin(variant) { &plugin } else { &plain };
        way(&workshop, *variant, programs.clone())
    });
    let base = "without the plugin";
    let mut runs = Runs::new(&workshop.bench, &words.run, ways.collect(), base, options.layouts);
    runs.look_at_base()?;
    for (at, _) in variants.iter().enumerate().filter(|(_, variant)| has_plugin(variant)) {
        let left = runs.run(at, &[])?.0;
        runs.judge(at, &left)?;
    }
    runs.measure(results, options)
}

/// Code that is never run, and moves what is linked behind it.
fn padding_of(layout: u32) -> String {
    format!("\t.text\n\t.p2align 6\n\t.skip {}, 0x90\n\t.section .note.GNU-stack,\"\",@progbits\n", 16 * layout)
}

/// Builds it with or without the plugin in each layout.
fn build(workshop: &Workshop, words: &Words, which: Build, layouts: u32) -> Result<Vec<PathBuf>> {
    let name = Path::new(&words.run[0]).file_name().unwrap_or(OsStr::new("program"));
    let of_layout = |layout: u32| -> Result<PathBuf> {
        let directory = workshop.bench.path(&format!("{}-{layout}", which.name()));
        std::fs::create_dir(&directory).context("a directory for a build")?;
        let program = directory.join(name);
        let mut arguments = words.arguments.clone();
        if layouts > 1 {
            let padding = directory.join("padding.s");
            std::fs::write(&padding, padding_of(layout)).context("a file for a build")?;
            arguments.insert(0, padding.into_os_string());
        }
        arguments.extend(["-o".into(), program.clone().into_os_string()]);
        let mut command = workshop.compile(which, &arguments);
        let compiled = workshop.bench.finish_here(&mut command)?;
        let how = if which == Build::Plain { "without" } else { "with" };
        succeeded(&compiled, &format!("the program {how} the plugin"))?;
        Ok(program)
    };
    (0..layouts).map(of_layout).collect()
}

/// How a variant runs.
fn way<'a>(workshop: &'a Workshop, variant: Variant, programs: Vec<PathBuf>) -> Way<'a> {
    let command = move |layout: usize| {
        let program = &programs[layout];
        let mut command = match variant.role {
            // As a user does it: what the command takes to start and to sum up is in it.
            Role::Recorder => {
                let mut record = Command::new(std::env::current_exe()?);
                record.args(["record", "--force", "-o"]);
                record.arg(workshop.bench.path("trace")).arg(program);
                record
            }
            _ => Command::new(program),
        };
        workshop.runtime.put_first(&mut command);
        Ok(command)
    };
    Way { info: VariantInfo::from(&variant), command: Box::new(command), prints_the_same: true }
}
