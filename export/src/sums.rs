//! What a recording has as sums in place of events: waits for locks and explicit tasks always, and with `--aggregate` or `--sample` regions,
//! worksharing, barriers and waits. Also the table of them, a row each, as CSV or as JSON Lines. Nothing of them is a moment, so
//! timelines have none.

use ompchunk_trace_format::sum::{MUTEX_IN_TASK, TASK_IN_WAIT, TASK_WAITS, mutex_name};
use ompchunk_trace_format::{Event, NOBODY, Sum, SumOf};

use crate::error::Error;
use crate::name;
use crate::notice::{Notice, Notices};
use crate::process::Process;
use crate::row::{Exact, Ns, row, tenths};
use crate::site::Sites;
use crate::table::Rows;

/// Where sums have the construct around them, in bits (`docs/trace-format.md`).
const WORK: u32 = 16;

row! {
    /// A row per sum. `docs/export.md` describes the columns; what is not known is missing.
    SumRow<'a> {
        both part: &'a str;
        text rank: Option<u64>;
        both thread: u32;
        both what: &'static str;
        both kind: Option<&'static str>;
        both within: Option<&'static str>;
        both the_loop "loop": Option<u32>;
        both at: Option<&'a str>;
        both count: u64;
        both duration_ns: Exact;
        parquet duration_ticks: u64;
        both shortest_ns: f64;
        both longest_ns: f64;
        both from_ns: Ns;
        both to_ns: Ns;
        parquet ticks_per_second: f64;
    }
}

impl<'a> SumRow<'a> {
    /// `None`: the table has none of these, or not of this loop.
    pub(crate) fn new(process: &'a Process<'_>, sites: &'a Sites<'_>, sum: &Sum) -> Option<Self> {
        let what = What::from_sum(sum).filter(|_| sites.selected(sum.the_loop))?;
        let ns = |ticks: u64| tenths(process.duration(ticks));
        Some(SumRow {
            part: &process.name,
            rank: process.part.meta().rank,
            thread: sum.thread,
            what: what.name,
            kind: what.kind,
            within: what.within,
            the_loop: Some(sum.the_loop).filter(|number| *number != NOBODY),
            at: sites.code(sum.code).map(|code| code.label.as_str()),
            count: sum.count,
            duration_ns: Exact(process.duration(sum.sum)),
            duration_ticks: sum.sum,
            shortest_ns: ns(sum.min),
            longest_ns: ns(sum.max),
            from_ns: Ns(process.ns(sum.from)),
            to_ns: Ns(process.ns(sum.to)),
            ticks_per_second: process.part.clock().hertz,
        })
    }
}

/// Is it one that the table has? Those of OpenACC and of `target` are in the report only.
pub(crate) fn is_sum(event: &Event<'_>) -> bool {
    matches!(event, Event::Sum(sum) if What::from_sum(sum).is_some())
}

/// What a sum is of, in words.
struct What {
    name: &'static str,
    kind: Option<&'static str>,
    within: Option<&'static str>,
}

impl What {
    fn from_sum(sum: &Sum) -> Option<What> {
        let (name, kind, within) = match sum.what {
            SumOf::Parallel => ("region", None, (sum.of == 1).then_some("region")),
            SumOf::ImplicitTask => ("implicit task", None, None),
            SumOf::Work => ("worksharing", Some(name::work(sum.of)), None),
            SumOf::Sync => ("synchronization", Some(name::sync(sum.of)), None),
            SumOf::Wait => ("wait", Some(name::sync(sum.of)), None),
            SumOf::Loop => ("loop", None, None),
            SumOf::Mutex => ("mutex", Some(mutex_name(sum.of & 0xff)), around_mutex(sum)),
            SumOf::Task => match sum.of & 0xff {
                TASK_WAITS => ("wait", None, Some("task")),
                TASK_IN_WAIT => ("task", None, Some("wait")),
                _ => ("task", None, construct(sum)),
            },
            SumOf::OpenAcc | SumOf::Target | SumOf::Storing | SumOf::Faults | SumOf::Cpu | SumOf::Other(_) => {
                return None;
            }
        };
        Some(What { name, kind, within })
    }
}

fn around_mutex(sum: &Sum) -> Option<&'static str> {
    if sum.of & MUTEX_IN_TASK != 0 {
        Some("task")
    } else if sum.the_loop != NOBODY {
        Some("loop")
    } else {
        construct(sum)
    }
}

/// The worksharing around it, other than a loop.
fn construct(sum: &Sum) -> Option<&'static str> {
    let work = sum.of >> WORK;
    (work != 0).then(|| name::work(work))
}

/// One row per sum, in the order of the trace.
pub(crate) fn rows(processes: &[Process<'_>], mut rows: Rows, notices: &mut Notices) -> Result<(), Error> {
    rows.head::<SumRow<'_>>();
    for process in processes {
        let mut sites = Sites::for_process(process);
        process.part.for_each_while(|_, event| {
            sites.see(event);
            if let Event::Sum(sum) = event {
                if let Some(row) = SumRow::new(process, &sites, sum) {
                    rows.row(&row);
                }
            }
            !rows.has_failed()
        })?;
        notices.list.extend(Notice::of_part(process));
    }
    rows.finish()
}
