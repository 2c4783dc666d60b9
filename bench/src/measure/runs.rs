//! Whole runs of one program in several ways, randomly interleaved: how each is started, how it ended and what it
//! printed are looked at every time.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;
use fastrand::Rng;
use ompchunk_schedules::VARIABLE;

use super::conditions;
use super::order::{Executor, Rules, measure};
use crate::error::Error;
use crate::plan::case::Case;
use crate::plan::options::Options;
use crate::results::stats;
use crate::results::{Cell, Results, Unit, VariantInfo};
use ompchunk_toolchain::probe;

/// One way to run the program.
pub struct Way<'a> {
    /// The variant; that of the first way is the base.
    pub info: VariantInfo,
    /// The program in a layout, without its arguments and with what it is attached to.
    pub command: Box<dyn Fn(usize) -> Result<Command> + 'a>,
    /// What it prints must be what the base prints.
    pub prints_the_same: bool,
}

/// What a run left behind.
pub struct Left {
    how: String,
    output: Vec<u8>,
    /// Standard error.
    pub said: String,
}

/// The runs.
pub struct Runs<'a> {
    bench: &'a probe::Bench,
    /// The program and its arguments, as the user wrote them.
    words: &'a [OsString],
    ways: Vec<Way<'a>>,
    /// What the base is, in words: "without the plugin".
    base: &'static str,
    /// The layout that each way is in.
    layouts: Vec<usize>,
    /// Times, by way and layout.
    times: Vec<Vec<Vec<f64>>>,
    /// What the first run left behind.
    first: Option<Left>,
    /// Whether that is the same in every run.
    is_steady: bool,
    /// Whether a way has printed something else.
    differs: Vec<bool>,
    /// What is doubtful.
    warnings: Vec<String>,
    clock: Instant,
}

impl<'a> Runs<'a> {
    /// Nothing runs yet.
    pub fn new(
        bench: &'a probe::Bench,
        words: &'a [OsString],
        ways: Vec<Way<'a>>,
        base: &'static str,
        layouts: u32,
    ) -> Runs<'a> {
        Runs {
            bench,
            words,
            base,
            layouts: vec![0; ways.len()],
            times: vec![vec![Vec::new(); layouts as usize]; ways.len()],
            first: None,
            is_steady: true,
            differs: vec![false; ways.len()],
            warnings: Vec::new(),
            clock: Instant::now(),
            ways,
        }
    }

    /// One run, with variables beside those of its way.
    pub fn run(&self, way: usize, variables: &[(&str, &str)]) -> Result<(Left, f64)> {
        let (stdout, stderr) = (self.bench.path("stdout"), self.bench.path("stderr"));
        let mut command = (self.ways[way].command)(self.layouts[way])?;
        command
            .args(&self.words[1..])
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(File::create(&stdout)?)
            .stderr(File::create(&stderr)?);
        let start = Instant::now();
        let status =
            command.status().map_err(|cause| Error::Start { program: command.get_program().to_owned(), cause })?;
        let ns = start.elapsed().as_nanos() as f64;
        let said = std::fs::read(&stderr).unwrap_or_default();
        let left = Left {
            how: status.to_string(),
            output: std::fs::read(&stdout)?,
            said: String::from_utf8_lossy(&said).into_owned(),
        };
        Ok((left, ns))
    }

    /// Runs the base twice before anything is measured: warm-up, and a look at what it does.
    pub fn look_at_base(&mut self) -> Result<()> {
        let first = self.run(0, &[])?.0;
        if first.how != "exit status: 0" {
            let last = first.said.lines().next_back();
            return Err(Error::Run {
                what: format!("{}, {}", shown(self.words), self.base),
                why: format!("{}; {}", first.how, last.unwrap_or("it said nothing")),
            }
            .into());
        }
        self.is_steady = self.run(0, &[])?.0.output == first.output;
        self.first = Some(first);
        if !self.is_steady {
            self.warn(format!(
                "the program's output differs from run to run even {}, so outputs were not compared (they should \
                 not hold times or addresses)",
                self.base
            ));
        }
        Ok(())
    }

    /// Holds what a run left behind against the base's first.
    pub fn judge(&mut self, way: usize, left: &Left) -> Result<()> {
        let Some(first) = &self.first else {
            return Ok(());
        };
        let (info, prints_the_same) = (&self.ways[way].info, self.ways[way].prints_the_same);
        let what = format!("{} ({})", shown(self.words), info.title);
        let prints_else = self.is_steady && left.output != first.output;
        let why = if left.how != first.how {
            format!("ended with {} instead of {}", left.how, first.how)
        } else if prints_else && prints_the_same {
            format!("printed something else than {}", self.base)
        } else {
            if prints_else && !std::mem::replace(&mut self.differs[way], true) {
                self.warn(format!(
                    "{what} printed something else than {}: look at it, as only sums of floating point numbers, \
                     whose order a schedule decides, should differ",
                    self.base
                ));
            }
            return Ok(());
        };
        Err(Error::Run { what, why }.into())
    }

    /// Measures a program's runs into its results, with what is doubtful about them.
    pub fn measure(mut self, mut results: Results, options: &Options) -> Result<Results> {
        let layouts = self.times[0].len();
        let case = Case::new(&results.setup.program, 0, conditions::cores(), Unit::Run);
        results.cells = vec![Cell::new(case)];
        let least_blocks = if layouts == 1 { 10 } else { 3 };
        let rules = Rules { layouts, ..Rules::new(options, least_blocks) };
        measure(&mut self, &mut results, rules)?;
        if layouts > 1 {
            eprint!("{}", self.by_layout());
        }
        results.warnings.append(&mut self.warnings);
        Ok(results)
    }

    /// Says it, now and in the results.
    pub fn warn(&mut self, says: String) {
        eprintln!("ompchunk: WARNING: {says}");
        self.warnings.push(says);
    }

    /// How far the layouts of each build differ: their median times as multiples of the base's mean.
    fn by_layout(&self) -> String {
        let medians =
            |of_way: &Vec<Vec<f64>>| -> Vec<f64> { of_way.iter().map(|times| stats::median(times)).collect() };
        let medians: Vec<Vec<f64>> = self.times.iter().map(medians).collect();
        let base = medians[0].iter().sum::<f64>() / medians[0].len() as f64;
        let line = |(way, medians): (&Way<'_>, &Vec<f64>)| {
            let ratios = medians.iter().map(|time| format!("{:.3}", time / base));
            let ratios: Vec<String> = ratios.collect();
            let name = &way.info.name;
            format!("ompchunk: {name}, by layout: {}\n", ratios.join(" "))
        };
        self.ways.iter().zip(&medians).map(line).collect()
    }
}

impl Executor for Runs<'_> {
    fn restart(&mut self, layouts: &[usize], _: &mut Rng) -> Result<()> {
        self.layouts = layouts.to_vec();
        Ok(())
    }

    fn sample(&mut self, way: usize, _: &Cell) -> Result<f64> {
        let (left, ns) = self.run(way, &[])?;
        self.judge(way, &left)?;
        self.times[way][self.layouts[way]].push(ns);
        Ok(ns)
    }

    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
}

/// Words as one line.
pub fn shown(words: &[OsString]) -> String {
    words.join(OsStr::new(" ")).to_string_lossy().into_owned()
}

/// The file of the runtime that a program gets, as the dynamic linker would tell `ldd`.
pub fn runtime_of(program: &Path, put_first: impl Fn(&mut Command)) -> Option<String> {
    let mut command = Command::new(program);
    put_first(&mut command);
    let output = command.env("LD_TRACE_LOADED_OBJECTS", "1").output().ok()?;
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = listed.lines().find(|line| line.contains("libomp") || line.contains("libiomp"))?;
    Some(conditions::resolved(line.split_whitespace().nth(2)?))
}

/// What the shim says of the loops that it changes, and what it complains of.
pub fn said_of_changes(said: &str) -> (Vec<String>, Vec<String>) {
    let ours = |line: &str| {
        let says = line.strip_prefix("ompchunk: ")?.strip_prefix(VARIABLE)?;
        Some(says.trim_start_matches([':', ' ']).to_owned())
    };
    let says = said.lines().filter_map(ours);
    says.partition(|says| says.contains("' changes the loop "))
}
