//! Any program: built without and with the plugin side by side, run in randomly interleaved pairs, while
//! nobody listens. What the two print, and how they end, must be the same.
//!
//! With `--record` the build with the plugin also runs under `ompchunk record`: what recording costs, from outside.
//!
//! With several layouts each build is linked several times, behind code that is never run: what then differs between
//! two of plain clang is what any change of a program may cost or save, and what a figure of the plugin is to be held
//! against.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fastrand::Rng;

use super::build::{Workshop, succeeded};
use super::measure::{Executor, Rules, measure};
use super::results::{Cell, Results, Unit, VariantInfo};
use super::variant::{self, Build, Role, Variant};
use super::{Error, conditions, stats};
use crate::args::BenchOptions;

/// The rows of the table of variants that a program is run in.
const VARIANTS: [&str; 3] = ["plain", "plain-again", "plugin"];
/// The same with `--record`.
const RECORDED: &str = "recorder";

/// Measures.
pub fn run(options: &BenchOptions) -> Result<Results> {
    let words = split(&options.program)?;
    let workshop = Workshop::new(Some(&words.compiler), options.runtime.as_deref())?;
    let variants: Vec<Variant> = variant::ALL
        .iter()
        .filter(|variant| {
            VARIANTS.contains(&variant.name) || (options.record && variant.name == RECORDED)
        })
        .copied()
        .collect();
    let mut results = Results::new("program");
    results.setup = conditions::setup();
    results.setup.compiler = workshop.version.line.clone();
    results.setup.flags = shown(&words.arguments);
    results.setup.program = shown(&words.run);
    results.setup.seed = options.seed;
    results.variants = variants
        .iter()
        .map(|variant| VariantInfo {
            name: variant.name.to_owned(),
            title: variant.title.to_owned(),
            role: variant.role,
        })
        .collect();
    let mut runs = Runs::new(&workshop, &words, &variants, options.layouts)?;
    results.setup.runtime = runtime_of(&workshop, &runs.programs[0][0]).unwrap_or_default();
    results.warnings = conditions::worth(conditions::of_machine(1), &results.setup.runtime)?;
    results.warnings.extend(runs.compare()?);

    runs.clock = Instant::now();
    let names: Vec<&str> = variants.iter().map(|variant| variant.name).collect();
    let threads = u32::try_from(conditions::cores())?;
    let mut cells = [Cell::new(&shown(&words.run), 0, threads, Unit::Run)];
    let rules = Rules {
        budget: Duration::from_secs_f64(if options.quick { 2.0 } else { options.time }),
        rounds: 1,
        layouts: options.layouts as usize,
        least_blocks: if options.layouts == 1 { 10 } else { 3 },
        resolution: 0.01,
    };
    measure(&mut runs, &names, &mut cells, rules, options.seed)?;
    results.setup.seconds = runs.clock.elapsed().as_secs_f64();
    if options.layouts > 1 {
        eprint!("{}", runs.by_layout());
    }
    results.cells = cells.into();
    Ok(results)
}

/// What the user wrote after `--`.
#[derive(Debug, PartialEq)]
struct Words {
    compiler: OsString,
    arguments: Vec<OsString>,
    run: Vec<OsString>,
}

fn split(words: &[OsString]) -> Result<Words, Error> {
    let two = "after -- comes how to compile the program, then -- once more and how to run it";
    let at = words
        .iter()
        .position(|word| word == "--")
        .ok_or_else(|| Error::Words(two.into()))?;
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
                return Err(Error::Words(format!(
                    "with {only} the compiler makes no program"
                )));
            }
            Some(text) if text.starts_with("-o") && !text.starts_with("-object") => {}
            _ => arguments.push(word.clone()),
        }
    }
    Ok(Words {
        compiler: compiler.clone(),
        arguments,
        run: run.to_vec(),
    })
}

fn shown(words: &[OsString]) -> String {
    words.join(OsStr::new(" ")).to_string_lossy().into_owned()
}

/// The runtime's file, as the dynamic linker would tell `ldd`.
fn runtime_of(workshop: &Workshop, program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    workshop.on_runtime(&mut command);
    let output = command.env("LD_TRACE_LOADED_OBJECTS", "1").output().ok()?;
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = listed
        .lines()
        .find(|line| line.contains("libomp") || line.contains("libiomp"))?;
    Some(conditions::resolved(line.split_whitespace().nth(2)?))
}

/// Code that is never run, and moves what is linked behind it.
fn padding_of(layout: u32) -> String {
    format!(
        "\t.text\n\t.p2align 6\n\t.skip {}, 0x90\n\t.section .note.GNU-stack,\"\",@progbits\n",
        16 * layout
    )
}

/// What a run left behind.
struct Left {
    how: String,
    output: Vec<u8>,
}

struct Runs<'a> {
    workshop: &'a Workshop,
    words: &'a Words,
    variants: &'a [Variant],
    /// By variant and layout.
    programs: Vec<Vec<PathBuf>>,
    /// The layout that each variant is in.
    layouts: Vec<usize>,
    /// Times, by variant and layout.
    times: Vec<Vec<Vec<f64>>>,
    /// What the first run left behind.
    first: Option<Left>,
    /// Whether that is the same in every run.
    is_steady: bool,
    clock: Instant,
}

impl<'a> Runs<'a> {
    fn new(
        workshop: &'a Workshop,
        words: &'a Words,
        variants: &'a [Variant],
        layouts: u32,
    ) -> Result<Runs<'a>> {
        let name = Path::new(&words.run[0])
            .file_name()
            .unwrap_or(OsStr::new("program"));
        let build = |build: Build, layout: u32| -> Result<PathBuf> {
            let directory = workshop.bench.path(&format!("{}-{layout}", build.name()));
            std::fs::create_dir(&directory).context("a directory for a build")?;
            let program = directory.join(name);
            let mut arguments = words.arguments.clone();
            if layouts > 1 {
                let padding = directory.join("padding.s");
                std::fs::write(&padding, padding_of(layout)).context("a file for a build")?;
                arguments.insert(0, padding.into_os_string());
            }
            arguments.extend(["-o".into(), program.clone().into_os_string()]);
            let mut command = workshop.compile(build, &arguments);
            let compiled = workshop.bench.finish_here(&mut command)?;
            let how = if build == Build::Plain {
                "without"
            } else {
                "with"
            };
            succeeded(&compiled, &format!("the program {how} the plugin"))?;
            Ok(program)
        };
        let all = |which: Build| -> Result<Vec<PathBuf>> {
            (0..layouts).map(|layout| build(which, layout)).collect()
        };
        let (plain, plugin) = (all(Build::Plain)?, all(Build::Plugin)?);
        let programs = variants.iter().map(|variant| match variant.role {
            Role::Off | Role::Recorder => plugin.clone(),
            _ => plain.clone(),
        });
        Ok(Runs {
            workshop,
            words,
            variants,
            programs: programs.collect(),
            layouts: vec![0; variants.len()],
            times: vec![vec![Vec::new(); layouts as usize]; variants.len()],
            first: None,
            is_steady: true,
            clock: Instant::now(),
        })
    }

    fn run(&self, variant: usize) -> Result<(Left, f64)> {
        let path = self.workshop.bench.path("stdout");
        let program = &self.programs[variant][self.layouts[variant]];
        let mut command = match self.variants[variant].role {
            // As a user does it: what the command takes to start and to sum up is in it.
            Role::Recorder => {
                let mut record = Command::new(std::env::current_exe()?);
                record.args(["record", "--force", "-o"]);
                record.arg(self.workshop.bench.path("trace")).arg(program);
                record
            }
            _ => Command::new(program),
        };
        command
            .args(&self.words.run[1..])
            .stdin(Stdio::null())
            .stdout(File::create(&path)?)
            .stderr(File::create(self.workshop.bench.path("stderr"))?);
        self.workshop.on_runtime(&mut command);
        let start = Instant::now();
        let status = command
            .status()
            .with_context(|| format!("cannot run {}", shown(&self.words.run)))?;
        let ns = start.elapsed().as_nanos() as f64;
        let left = Left {
            how: status.to_string(),
            output: std::fs::read(&path)?,
        };
        Ok((left, ns))
    }

    /// Runs each build once before anything is measured: warm-up, and a look at what they do.
    fn compare(&mut self) -> Result<Vec<String>> {
        let plain = self.run(0)?.0;
        if plain.how != "exit status: 0" {
            let stderr = std::fs::read(self.workshop.bench.path("stderr")).unwrap_or_default();
            let stderr = String::from_utf8_lossy(&stderr);
            let last = stderr.lines().next_back().unwrap_or("it said nothing");
            return Err(Error::Run {
                what: format!("{}, built without the plugin", shown(&self.words.run)),
                why: format!("{}; {last}", plain.how),
            }
            .into());
        }
        let mut warnings = Vec::new();
        self.is_steady = self.run(0)?.0.output == plain.output;
        self.first = Some(plain);
        if !self.is_steady {
            let says = "the program's output differs from run to run even without the plugin, so outputs were not \
                        compared (they should not hold times or addresses)";
            eprintln!("ompchunk: WARNING: {says}");
            warnings.push(says.to_owned());
        }
        for (at, variant) in self.variants.iter().enumerate() {
            if matches!(variant.role, Role::Off | Role::Recorder) {
                self.judge(at, &self.run(at)?.0)?;
            }
        }
        Ok(warnings)
    }

    /// How far the layouts of each build differ: their median times as multiples of plain clang's mean.
    fn by_layout(&self) -> String {
        let medians: Vec<Vec<f64>> = self
            .times
            .iter()
            .map(|of_variant| {
                of_variant
                    .iter()
                    .map(|times| stats::median(times))
                    .collect()
            })
            .collect();
        let base = medians[0].iter().sum::<f64>() / medians[0].len() as f64;
        let line = |(variant, medians): (&Variant, &Vec<f64>)| {
            let ratios: Vec<String> = medians
                .iter()
                .map(|time| format!("{:.3}", time / base))
                .collect();
            format!(
                "ompchunk: {}, by layout: {}\n",
                variant.name,
                ratios.join(" ")
            )
        };
        self.variants.iter().zip(&medians).map(line).collect()
    }

    fn judge(&self, variant: usize, left: &Left) -> Result<()> {
        let Some(first) = &self.first else {
            return Ok(());
        };
        let why = if left.how != first.how {
            format!("ended with {} instead of {}", left.how, first.how)
        } else if self.is_steady && left.output != first.output {
            "printed something else than without the plugin".to_owned()
        } else {
            return Ok(());
        };
        let how = self.variants[variant].title;
        Err(Error::Run {
            what: format!("{} ({how})", shown(&self.words.run)),
            why,
        }
        .into())
    }
}

impl Executor for Runs<'_> {
    fn restart(&mut self, layouts: &[usize], _: &mut Rng) -> Result<()> {
        self.layouts = layouts.to_vec();
        Ok(())
    }

    fn sample(&mut self, variant: usize, _: &Cell) -> Result<f64> {
        let (left, ns) = self.run(variant)?;
        self.judge(variant, &left)?;
        self.times[variant][self.layouts[variant]].push(ns);
        Ok(ns)
    }

    fn applies(&self, _: usize, _: &Cell) -> bool {
        true
    }

    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
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
            assert!(
                of(line)
                    .unwrap_err()
                    .to_string()
                    .starts_with("after -- comes"),
                "{line}"
            );
        }
        let error = of("clang -c x.c -- ./x").unwrap_err().to_string();
        assert_eq!(error, "with -c the compiler makes no program");
    }
}
