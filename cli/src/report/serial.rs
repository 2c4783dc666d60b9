//! Which functions serial code is in, in half a sentence: what the stacks that were sampled there say. And who spins meanwhile.

use ompchunk_analysis::Report;
use ompchunk_analysis::model::{Account, SerialFunction, SerialFunctions};

use super::units::{count, counted, time};
use crate::signature;
use crate::table::shortened;

/// Fewer samples name no function.
const ENOUGH: u64 = 20;
const MOST: usize = 3;
/// The first of so many functions is named, and others with this share at least.
const MATTERS: f64 = 0.05;
/// A function that so much is in, with all that it calls, is named too.
const MOST_OF_IT: f64 = 0.5;
const WIDEST: usize = 60;
/// Time of which no sample can tell is said where it is so much of the run.
const MUCH: f64 = 0.02;

/// Where OpenMP's threads spin for so much of the time that serial code has a core, and the process's others work for as much.
const SPINS: f64 = 0.1;

pub fn spinning(report: &Report, account: &Account) -> Option<String> {
    let others = report.run.other_threads?;
    let both = others.outside_seconds.min(others.spinning_seconds);
    let processors = others.processors.filter(|_| both >= SPINS * account.seconds(&["serial"]))?;
    let [own, there, spun] = [others.cpu_seconds, others.outside_seconds, others.spinning_seconds].map(time);
    let (threads, processors) = (others.threads, counted(processors.into(), "processor"));
    Some(format!(
        "the process's other threads ({threads}) had a core for {own}, at least {there} of it there, and OpenMP's that waited or had \
         nothing to do spun for at least {spun}, on {processors}: KMP_BLOCKTIME=0 or OMP_WAIT_POLICY=passive lets them sleep; "
    ))
}

pub fn functions(report: &Report, length: f64) -> String {
    let Some(serial) = &report.run.serial_functions else {
        return "ompchunk record --sample-stacks shows its functions".to_owned();
    };
    let shares: Vec<String> = named(&serial.functions).map(share).collect();
    let said = match serial.samples {
        0 => "no stack was sampled there".to_owned(),
        few if few < ENOUGH => {
            format!("{} sampled there are too few to name functions: record longer", counted(few, "stack"))
        }
        enough => format!("of {} stacks sampled there {}{}", count(enough), shares.join(", "), outermost(serial)),
    };
    said + &unsampled(report, serial, length)
}

fn named(functions: &[SerialFunction]) -> impl Iterator<Item = &SerialFunction> {
    let first = functions.iter().enumerate().take(MOST);
    first.filter(|(at, function)| *at == 0 || function.share >= MATTERS).map(|(_, function)| function)
}

fn share(function: &SerialFunction) -> String {
    let [low, high] = function.between;
    // Half the interval, which is not quite in the middle near 0 and 1.
    let half = ((high - low) * 50.0).ceil();
    let name = place(function).unwrap_or_else(|| "no known program or library".to_owned());
    format!("{:.0} ± {half:.0} % are in {name}", function.share * 100.0)
}

fn place(function: &SerialFunction) -> Option<String> {
    let short = |text: &str| shortened(text, WIDEST);
    let base = |path: &str| short(path.rsplit('/').next().unwrap_or(path));
    let file = function.file.as_deref().or(function.object.as_deref());
    let name = function.function.as_deref().map(|name| short(&signature::short(name)));
    match (name, file.map(base)) {
        (Some(name), Some(file)) => Some(format!("{name} ({file})")),
        (Some(name), None) => Some(name),
        (None, Some(object)) => Some(format!("{object}, where no function has a known name")),
        (None, None) => None,
    }
}

fn outermost(serial: &SerialFunctions) -> String {
    let most = serial.outermost.first().filter(|outer| outer.share >= MOST_OF_IT && outer.function.is_some());
    let most = most.filter(|outer| named(&serial.functions).all(|function| function.function != outer.function));
    most.map_or_else(String::new, |outer| format!("; {} or what it calls", share(outer)))
}

fn unsampled(report: &Report, serial: &SerialFunctions, length: f64) -> String {
    let is_much = |seconds: f64| seconds >= MUCH * length;
    let mut said = String::new();
    if let Some(seconds) = serial.off_core_seconds.filter(|seconds| is_much(*seconds)) {
        said += &format!("; that thread was off its core for {} of it, where no stack is sampled", time(seconds));
    }
    if report.run.before_seconds.is_some_and(is_much) {
        said += "; none could be sampled before the OpenMP runtime began";
    }
    said
}
