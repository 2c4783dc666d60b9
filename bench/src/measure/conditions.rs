//! What would make a measurement doubtful: seen here, told on standard error and in the results, judged by the user.

use std::path::Path;
use std::thread::{available_parallelism, sleep};
use std::time::Duration;

use ompchunk_figures::percent;
use ompchunk_toolchain::needs::has_debug_paths;

use crate::results::Setup;

const BUSY: f64 = 0.05;

pub fn of_machine(threads: u32) -> Vec<String> {
    let cores = cores();
    let turns = (threads > cores).then(|| format!("{threads} threads on {cores} cores take turns"));
    let busy = busy().filter(|share| *share > BUSY);
    let busy = busy.map(|share| format!("other processes use {} of the processors", percent(share)));
    let governor = governor(Path::new("/sys/devices/system/cpu")).map(|governor| {
        format!(
            "the frequency governor is {governor}: the clock changes while it is measured (cpupower \
             frequency-set -g performance)"
        )
    });
    [turns, busy, governor].into_iter().flatten().collect()
}

/// A file by the name that says most: `libomp.so.5` may be a link to any runtime.
pub fn resolved(file: &str) -> String {
    Path::new(file).canonicalize().map_or(file.to_owned(), |path| path.display().to_string())
}

pub fn of_runtime(file: &str) -> Option<String> {
    match has_debug_paths(Path::new(file)) {
        Some(false) => None,
        Some(true) => Some(format!(
            "the result holds for this OpenMP runtime, {file}, and is worth little for others: it was built with its \
             debugging paths, so more of the time is the runtime's own and a ratio comes out nearer to 1 than with a \
             release build (--runtime /path/to/libiomp5.so, PyPI: intel-openmp)"
        )),
        None => Some("no OpenMP runtime's file was found, so it may be a build with debugging paths".to_owned()),
    }
}

pub fn warn_of(doubt: &str) {
    eprintln!("ompchunk: WARNING: {doubt}");
}

pub fn setup() -> Setup {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let (cpuinfo, release) = (read("/proc/cpuinfo"), read("/etc/os-release"));
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).unwrap_or("unknown");
    let tells_of_host = |line: &str| line.starts_with("flags") && line.contains(" hypervisor");
    let host = if cpuinfo.lines().any(tells_of_host) { ", virtual machine" } else { "" };
    Setup {
        started: std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs()),
        cpu: format!("{}{host}", model.unwrap_or("unknown")),
        cores: cores() as usize,
        system: format!("{}, Linux {}", name.trim_matches('"'), read("/proc/sys/kernel/osrelease").trim()),
        ..Setup::default()
    }
}

pub fn cores() -> u32 {
    available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX))
}

/// The share of all processors that is in use while we do nothing.
fn busy() -> Option<f64> {
    let before = jiffies(&std::fs::read_to_string("/proc/stat").ok()?)?;
    sleep(Duration::from_millis(500));
    let after = jiffies(&std::fs::read_to_string("/proc/stat").ok()?)?;
    let (used, all) = (after.0 - before.0, after.1 - before.1);
    (all > 0.0).then(|| used / all)
}

/// Time used and time in all, from `/proc/stat`.
fn jiffies(stat: &str) -> Option<(f64, f64)> {
    let words = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
    let fields: Vec<f64> = words.map(|field| field.parse().unwrap_or(0.0)).collect();
    // user nice system idle iowait irq softirq steal; then guests, which are in user already.
    let total: f64 = fields.iter().take(8).sum();
    let idle: f64 = fields.get(3)? + fields.get(4)?;
    Some((total - idle, total))
}

fn governor(cpus: &Path) -> Option<String> {
    std::fs::read_dir(cpus)
        .ok()?
        .filter_map(|cpu| {
            let file = cpu.ok()?.path().join("cpufreq/scaling_governor");
            Some(std::fs::read_to_string(file).ok()?.trim().to_owned())
        })
        .find(|governor| governor != "performance")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_than_cores_are_doubtful() {
        assert!(of_machine(100_000).iter().any(|doubt| doubt.contains("take turns")));
    }

    #[test]
    fn processors_in_use() {
        assert_eq!(jiffies("cpu  10 0 5 80 5 0 0 0 7 0\ncpu0 1"), Some((15.0, 100.0)));
        assert_eq!(jiffies(""), None);
    }

    #[test]
    fn governors() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("cpu1/cpufreq/scaling_governor");
        assert_eq!(governor(root.path()), None);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "performance\n").unwrap();
        assert_eq!(governor(root.path()), None);
        std::fs::write(&file, "powersave\n").unwrap();
        assert_eq!(governor(root.path()).as_deref(), Some("powersave"));
    }

    #[test]
    fn a_runtime_that_cannot_be_read_is_doubtful() {
        assert!(of_runtime("").is_some());
    }
}
