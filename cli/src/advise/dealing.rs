//! What dealing costs on this machine: measured once per runtime and team, in a process of its own, and kept in the user's cache.

use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Result, anyhow};
use ompchunk_advice::{BOUND, Measured, measure};
use ompchunk_toolchain::needs;
use ompchunk_toolchain::probe::{Bench, without_openmp_variables};
use ompchunk_trace_format::Part;
use serde::{Deserialize, Serialize};

use crate::args::MeasureDealing;
use crate::output;
use crate::report::command::recorded_program;

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    version: u32,
    key: String,
    /// No others wanted the cores.
    quiet: bool,
    measured: Measured,
}

/// The version of what is kept; what another one kept is measured again.
const FORM: u32 = 2;

const USUAL: [&str; 3] = ["libomp.so.5", "libomp.so", "libiomp5.so"];
const INTEL: [&str; 2] = ["libiomp5.so", "libomp.so.5"];

pub fn costs(named: Option<&Path>, parts: &[&Part], threads: u32) -> (Option<Measured>, Option<String>) {
    let candidates = named.map_or_else(|| runtimes(parts), |path| vec![path.to_owned()]);
    let mut why = None;
    for library in candidates {
        match kept_or_measured(&library, threads) {
            Ok(measured) => return (Some(measured), None),
            // The likeliest one's error.
            Err(error) => why = why.or(Some(error)),
        }
    }
    let why = why.map_or_else(|| "there is none".to_owned(), |why| format!("{why:#}"));
    let note = format!(
        "the cost of dealing with the program's OpenMP runtime could not be measured: {why}; anything up to {:.0} µs per chunk is \
         allowed for, and --runtime FILE names the runtime",
        BOUND / 1000.0
    );
    (None, Some(note))
}

fn runtimes(parts: &[&Part]) -> Vec<PathBuf> {
    let mut all = recorded_program(parts).map_or_else(Vec::new, |program| needs::openmp(&program));
    let runtime = parts.first().map_or("", |part| &part.meta().runtime);
    let usual: &[&str] = if runtime.contains("Intel") { &INTEL } else { &USUAL };
    all.extend(usual.iter().map(PathBuf::from));
    all
}

fn kept_or_measured(library: &Path, threads: u32) -> Result<Measured> {
    let key = key(library, threads);
    let kept = cache(&key);
    let before = kept.as_deref().and_then(|file| read(file, &key));
    if let Some((found, true)) = before {
        return Ok(found);
    }
    let mut quiet = is_quiet();
    let mut measured = measured(library, threads)?;
    quiet &= is_quiet();
    if let Some((before, _)) = before {
        measured = measured.or_less(&before);
    }
    if let Some(file) = kept {
        // Where nothing can be kept it is measured each time.
        let _ = write(&file, &key, quiet, &measured);
    }
    Ok(measured)
}

/// What is measured while others run is measured again the next time.
fn is_quiet() -> bool {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    is_below(&text, cores as f64)
}

/// The average over the last minute, ours included. What cannot be read is not quiet.
fn is_below(loadavg: &str, cores: f64) -> bool {
    loadavg.split(' ').next().and_then(|part| part.parse().ok()).is_some_and(|load: f64| load < cores)
}

fn key(library: &Path, threads: u32) -> String {
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let host = text("/proc/sys/kernel/hostname");
    let cpu = text("/proc/cpuinfo");
    let cpu = cpu.lines().find(|line| line.starts_with("model name"));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let file = fs::metadata(library).map_or((0, 0, 0), |file| (file.size(), file.mtime(), file.ino()));
    let path = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let (host, cpu, library) = (host.trim(), cpu.unwrap_or_default(), library.display());
    format!("{version} {host} {cpu} {cores} {library} {file:?} {path} {threads}")
}

fn cache(key: &str) -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| Path::new(value).is_absolute());
    let base = set("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.or_else(|| set("HOME").map(|set| Path::new(&set).join(".cache")))?;
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    Some(base.join("ompchunk").join(format!("dealing-{:016x}.json", hasher.finish())))
}

fn read(file: &Path, key: &str) -> Option<(Measured, bool)> {
    let kept: Kept = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    let is_ours = kept.version == FORM && kept.key == key && kept.measured.is_possible();
    is_ours.then_some((kept.measured, kept.quiet))
}

fn write(file: &Path, key: &str, quiet: bool, measured: &Measured) -> Result<()> {
    let folder = file.parent().ok_or_else(|| anyhow!("no folder"))?;
    fs::create_dir_all(folder)?;
    let kept = Kept { version: FORM, key: key.to_owned(), quiet, measured: measured.clone() };
    // Another of us may read it meanwhile.
    let mut to = tempfile::NamedTempFile::new_in(folder)?;
    to.write_all(serde_json::to_string_pretty(&kept)?.as_bytes())?;
    to.persist(file)?;
    Ok(())
}

/// Measures in another process: what is opened there may be anything.
fn measured(library: &Path, threads: u32) -> Result<Measured> {
    let bench = Bench::new()?;
    let mut command = Command::new(std::env::current_exe()?);
    without_openmp_variables(&mut command);
    command
        .env("OMP_TOOL", "disabled")
        .env("KMP_WARNINGS", "0")
        .env_remove("LD_PRELOAD")
        .arg("measure-dealing")
        .arg(library)
        .arg(OsString::from(threads.to_string()));
    let ran = bench.finish_here(&mut command)?;
    if !ran.succeeded() {
        return Err(anyhow!("{}", ran.outcome().trim_start_matches("ompchunk: ")));
    }
    let measured: Measured = serde_json::from_str(&ran.stdout)?;
    if measured.is_possible() { Ok(measured) } else { Err(anyhow!("{} takes impossible times", library.display())) }
}

pub fn child(arguments: &MeasureDealing) -> Result<ExitCode> {
    let measured = measure::measure(&arguments.library, arguments.threads)?;
    output::print(&serde_json::to_string(&measured)?)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use ompchunk_advice::PerChunk;

    use super::*;

    #[test]
    fn what_is_kept_is_read_again_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/dealing.json");
        let measured = Measured { threads: 2, ..Measured::default() };
        write(&file, "here", true, &measured).unwrap();
        assert_eq!(read(&file, "here"), Some((measured.clone(), true)));
        assert_eq!(read(&file, "there"), None);
        let impossible = Measured { begin: f64::MAX, ..measured };
        write(&file, "here", false, &impossible).unwrap();
        assert_eq!(read(&file, "here"), None);
        fs::write(&file, "{").unwrap();
        assert_eq!(read(&file, "here"), None);
    }

    #[test]
    fn on_a_busy_machine_it_is_measured_again() {
        assert!(is_below("0.52 3.00 4.00 1/200 77", 2.0));
        assert!(!is_below("2.10 0.10 0.10 1/200 77", 2.0));
        assert!(!is_below("", 2.0));
        let of = |alone| Measured { dynamic: PerChunk { alone, together: 10.0 - alone }, ..Measured::default() };
        let least = of(3.0).or_less(&of(4.0)).dynamic;
        assert_eq!((least.alone, least.together), (3.0, 6.0));
    }

    #[test]
    fn what_is_no_runtime_says_so() {
        assert!(measure::measure("/nothing/here.so".as_ref(), 2).is_err());
        let libc = measure::measure("libc.so.6".as_ref(), 2).unwrap_err();
        assert!(libc.to_string().contains("__kmpc_fork_call"), "{libc}");
    }
}
