//! More threads than processors: OpenMP's alone, or beside others of the process.

use ompchunk_analysis::Report;
use ompchunk_analysis::model::OtherThreads;

use super::causes::{Cause, MATTERS, length};
use super::units::{counted, time};

/// More threads than processors run, which is to be said before anything else: then what loops take says little of them.
pub fn crowded(report: &Report) -> Option<Cause> {
    let text = teams(report).or_else(|| pools(report))?;
    let name = "more threads than processors".to_owned();
    Some(Cause { code: "crowded", name, seconds: None, share: None, text })
}

fn teams(report: &Report) -> Option<String> {
    let (together, processors) = report.run.crowd?;
    Some(format!(
        "{together:.1} threads are in parallel regions at the same time, on {processors} processors: they wait for a core \
         wherever they are, so the times of loops say little about their iterations; first run fewer threads: \
         OMP_THREAD_LIMIT={processors} holds whatever the program itself asks for"
    ))
}

/// Other threads of the process, as a BLAS has, where these take most of what OpenMP's threads lack.
fn pools(report: &Report) -> Option<String> {
    let (others, account) = (report.run.other_threads?, report.run.account.as_ref()?);
    let (processors, length) = (others.processors?, length(report));
    let outside = report.run.serial_seconds? + report.run.before_seconds.unwrap_or(0.0);
    let lack = account.seconds(&["off-core"]);
    let inside = takers(&others, length, outside, lack)?;
    (lack >= MATTERS * length * account.threads as f64).then(|| {
        format!(
            "beside OpenMP's threads run others of the process ({}), on {}: these have a core for at least {} within parallel \
             regions, and OpenMP's lack one for {}; first run fewer: OPENBLAS_NUM_THREADS=1 or MKL_NUM_THREADS=1 if they are that \
             library's, OMP_NUM_THREADS if they are another OpenMP runtime's",
            others.threads,
            counted(processors.into(), "processor"),
            time(inside),
            time(lack)
        )
    })
}

/// The least time for which the process's other threads have cores within regions. `None` where it is less than half of what OpenMP's
/// threads `lack`, since then others explain the lack; or where it is more than as many threads can have, since then there were more,
/// which may have run outside of regions.
fn takers(others: &OtherThreads, length: f64, outside: f64, lack: f64) -> Option<f64> {
    let threads = others.threads as f64;
    let inside = others.cpu_seconds - outside * threads;
    (others.cpu_seconds <= length * threads && 2.0 * inside >= lack).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_threads_that_take_cores() {
        let of = |cpu_seconds, outside, lack| {
            let others = OtherThreads { threads: 2, cpu_seconds, ..OtherThreads::default() };
            takers(&others, 10.0, outside, lack)
        };
        assert_eq!(of(8.0, 1.0, 12.0), Some(6.0));
        // Other programs took some, it may all have been outside of regions, and there were more threads.
        assert_eq!((of(8.0, 1.0, 12.1), of(8.0, 5.0, 0.1), of(20.1, 1.0, 6.0)), (None, None, None));
    }
}
