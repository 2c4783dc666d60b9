//! The processor's counters of a whole run, of all its threads and processes: where iterations get more expensive, they tell whether more
//! instructions run or each of them takes longer. By `perf_event_open`; many virtual machines have none.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::FromRawFd;

use ompchunk_figures::{Interval, median_between};
use serde::Serialize;

/// `struct perf_event_attr` of `linux/perf_event.h`, in its first version.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    bp_addr: u64,
}

/// Both of these times are read behind the value: a processor with fewer counters than events takes turns.
const TOTAL_TIME_ENABLED_AND_RUNNING: u64 = 1 | 1 << 1;
/// It counts in processes and threads that begin later, from the time at which they become another program, and not in the kernel.
const FLAGS: u64 = DISABLED | INHERIT | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR | ENABLE_ON_EXEC;
const DISABLED: u64 = 1;
const INHERIT: u64 = 1 << 1;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const ENABLE_ON_EXEC: u64 = 1 << 12;
const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;

/// An event: its type and its number.
type EventNumber = (u32, u64);

const CYCLES: EventNumber = (0, 0);
const INSTRUCTIONS: EventNumber = (0, 1);
const CACHE_MISSES: EventNumber = (0, 3);

/// What was counted in one run.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    pub instructions: f64,
    pub cycles: f64,
    /// Misses of the last cache; `None`: the processor does not count them.
    pub cache_misses: Option<f64>,
}

/// The same of several runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Counters {
    pub instructions: Interval,
    pub cycles: Interval,
    pub cache_misses: Option<Interval>,
}

impl Counters {
    /// `None`: not all runs were counted.
    pub fn from_runs(runs: &[Option<Counted>]) -> Option<Counters> {
        let runs: Vec<Counted> = runs.iter().copied().collect::<Option<_>>()?;
        let misses: Option<Vec<f64>> = runs.iter().map(|run| run.cache_misses).collect();
        Some(Counters {
            instructions: median_between(runs.iter().map(|run| run.instructions))?,
            cycles: median_between(runs.iter().map(|run| run.cycles))?,
            cache_misses: misses.and_then(median_between),
        })
    }
}

/// Counts in programs that this thread starts from now on.
pub struct Counting {
    cycles: File,
    instructions: File,
    cache_misses: Option<File>,
}

impl Counting {
    /// An error of the kernel's: there is no such counter, or this process may not read it.
    pub fn begin() -> io::Result<Counting> {
        Ok(Counting { cycles: open(CYCLES)?, instructions: open(INSTRUCTIONS)?, cache_misses: open(CACHE_MISSES).ok() })
    }

    /// What programs have counted that have ended. An error: a counter never ran, or cannot be read.
    pub fn end(self) -> io::Result<Counted> {
        Ok(Counted {
            cycles: count(self.cycles)?,
            instructions: count(self.instructions)?,
            cache_misses: self.cache_misses.and_then(|file| count(file).ok()),
        })
    }
}

fn open((kind, config): EventNumber) -> io::Result<File> {
    let attributes = Attributes {
        kind,
        size: size_of::<Attributes>() as u32,
        config,
        read_format: TOTAL_TIME_ENABLED_AND_RUNNING,
        flags: FLAGS,
        ..Attributes::default()
    };
    let (this_thread, any_processor, no_group) = (0, -1, -1);
    // SAFETY: the kernel reads as many bytes of the structure as its size says.
    let descriptor = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            this_thread,
            any_processor,
            no_group,
            CLOSE_ON_EXEC,
        )
    };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a new descriptor, which nobody else has.
    Ok(unsafe { File::from_raw_fd(descriptor as i32) })
}

fn count(mut file: File) -> io::Result<f64> {
    let mut words = [[0; 8]; 3];
    file.read_exact(words.as_flattened_mut())?;
    let [value, enabled, running] = words.map(u64::from_ne_bytes);
    if running == 0 {
        return Err(io::Error::other("the counter never ran"));
    }
    Ok(value as f64 * enabled as f64 / running as f64)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// The kernel's own count, which virtual machines have, too.
    const PAGE_FAULTS: EventNumber = (1, 2);

    fn page_faults_of(script: &str) -> io::Result<f64> {
        let file = open(PAGE_FAULTS)?;
        let status = Command::new("sh").args(["-c", script]).status()?;
        assert!(status.success());
        count(file)
    }

    #[test]
    fn all_processes_of_a_program_are_counted() {
        let few = page_faults_of("true");
        let many = page_faults_of("head -c 60000000 /dev/zero | tail -c 60000000 | wc -c >&2");
        match (few, many) {
            // `tail` keeps what it prints.
            (Ok(few), Ok(many)) => assert!(many > few + 1_000.0, "{few} {many}"),
            (few, many) => {
                eprintln!("not counted here, which is told: {few:?} {many:?}");
                assert!(few.is_err() && many.is_err());
            }
        }
    }

    #[test]
    fn runs_that_were_not_counted_are_not_guessed() {
        let run = |instructions| Counted { instructions, cycles: 2.0 * instructions, cache_misses: None };
        assert_eq!(Counters::from_runs(&[Some(run(1.0)), None]), None);
        let all = Counters::from_runs(&[Some(run(1.0)), Some(run(3.0)), Some(run(2.0))]).unwrap();
        assert_eq!((all.instructions.middle, all.cycles.middle), (2.0, 4.0));
        assert_eq!(all.cache_misses, None);
    }
}
