//! How advice is to be measured: which programs, on which runtimes, and how many of the candidates.

use std::path::PathBuf;

use clap::Args;
use ompchunk_schedules::Schedule;

/// How to measure advice.
#[derive(Debug, Args)]
pub struct AdviceOptions {
    /// Only these programs of the corpus
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Some of the candidates, each for a short time: shows that everything works, tells little
    #[arg(long)]
    pub quick: bool,
    /// Processes of each of the two measurements of a candidate; 2 unless --quick
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub rounds: Option<u16>,
    /// Beside so many processes that do nothing but use the processors
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub loaded: u32,
    /// Threads of each team
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
    /// Another runtime beside the system's, such as libiomp5.so
    #[arg(long, value_name = "LIBRARY")]
    pub runtime: Option<PathBuf>,
    /// Only on that runtime
    #[arg(long, requires = "runtime")]
    pub only_runtime: bool,
    /// These schedules, `;` between, instead of those that are predicted
    #[arg(long, value_name = "SCHEDULES", value_delimiter = ';')]
    pub candidates: Vec<String>,
    /// Blocks of equal cost (`balanced`) instead of clauses
    #[arg(long, conflicts_with = "candidates")]
    pub blocks: bool,
    /// Measure although the machine makes the results doubtful
    #[arg(long)]
    pub allow_noisy: bool,
    /// The command
    #[arg(long, value_name = "OMPCHUNK", default_value = "ompchunk")]
    pub ompchunk: PathBuf,
    /// The file for the results; what it holds of other programs stays
    #[arg(short, long, value_name = "FILE", default_value = "advice.json")]
    pub output: PathBuf,
}

impl AdviceOptions {
    /// Processes of each of the two measurements of a candidate.
    #[must_use]
    pub fn rounds(&self) -> usize {
        let usual = if self.quick { 1 } else { 2 };
        self.rounds.unwrap_or(usual).into()
    }
}

/// What is measured of the candidates: those that differ from the schedule as it is, and all of these unless it shall be quick.
/// The advised one always is.
#[must_use]
pub fn measured<'a>(candidates: &[&'a str], advised: Option<&str>, is_quick: bool) -> Vec<&'a str> {
    let changed = candidates.iter().copied();
    let changed: Vec<&str> = changed.filter(|schedule| !is_as_it_is(schedule)).collect();
    let every = match is_quick {
        true => changed.len().div_ceil(6).max(1),
        false => 1,
    };
    let is_measured = |(number, schedule): &(usize, &str)| number % every == every / 2 || Some(*schedule) == advised;
    let numbered = changed.into_iter().enumerate().filter(is_measured);
    numbered.map(|(_, schedule)| schedule).collect()
}

/// All loops of the corpus are `static` without a chunk size.
fn is_as_it_is(schedule: &str) -> bool {
    let of = |text| Schedule::parse(text).ok();
    schedule == "source" || of(schedule).is_some_and(|parsed| Some(parsed) == of("static"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured() {
        let all = ["static", "static,1", "dynamic,1", "dynamic,2", "dynamic,4", "dynamic,8", "guided", "guided,2"];
        assert_eq!(measured(&all, None, false), all[1..]);
        let quick = measured(&all, Some("guided,2"), true);
        assert!(quick.len() < 6 && quick.contains(&"guided,2"), "{quick:?}");
        assert!(measured(&all, None, true).len() > 2);
        assert!(measured(&["static"], None, true).is_empty());
    }
}
