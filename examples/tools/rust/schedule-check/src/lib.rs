//! schedule-check: an OMPT tool that watches which thread runs which iteration of loops that rely on it, while a table of
//! `OMPCHUNK_SCHEDULE` has them run under other schedules. `docs/schedules.md` says how it is asked for and what it tells.
//!
//! Each implicit task keeps what its thread ran of the loops of its region, so nothing is compared that belongs to another region or
//! another primary thread, and threads meet only to write down what they found.

mod book;
mod execution;
mod iterations;
mod part;
mod promise;
mod summary;
mod text;

use std::sync::{Arc, Mutex, PoisonError};

use chunk_tool::Known;
use ompt::raw::{CONSTRUCT_FOR, TASK_INITIAL, WORK_DISTRIBUTE};
use ompt::{Chunk, Context, End, Endpoint, ImplicitTask, LoopEvent, Start, Work};

use book::{Book, Region};
use execution::{Execution, Who};
use part::{Begun, Part};

struct ScheduleCheck {
    book: Book,
    /// A child of it says nothing at its end.
    process: u32,
}

impl ompt::Tool for ScheduleCheck {
    type Thread = ();
    type Parallel = Arc<Region>;
    type Task = Mutex<Part>;

    fn start(start: &mut Start<'_, Self>) -> Option<Self> {
        if !start.has_chunks() {
            text::print(
                "the shim of ompchunk does not stand before this tool, so nothing is checked. Next: ompchunk run --check",
            );
            return None;
        }
        let told = [
            start.parallels(|_, _| Arc::default(), |_, _| {}),
            start.implicit_tasks(begin_part, end_part),
            start.on_work(on_work),
            start.on_loop(on_loop),
            start.on_chunk(on_chunk),
        ];
        if !told.iter().all(|delivery| delivery.is_told()) {
            text::print(
                "this OpenMP runtime does not tell of regions and loops, so nothing is checked. Next: another runtime",
            );
            return None;
        }
        Some(ScheduleCheck { book: Book::default(), process: std::process::id() })
    }

    fn finish(&self, end: &End<'_>) {
        if self.process != std::process::id() {
            return;
        }
        text::print(&summary::of_all(&self.book.read()));
        if end.panics > 0 {
            text::print(&format!(
                "{} events were lost by a defect of this tool, so something may have moved that was not seen: please report it",
                end.panics
            ));
        }
    }
}

fn begin_part(cx: &Context<'_, ScheduleCheck>, task: ImplicitTask) -> Mutex<Part> {
    // For an initial task these are the number of its team in a league, and how many teams there are.
    let (number, threads) = match task.flags & TASK_INITIAL {
        0 => (task.index, task.team_size),
        _ => (0, 1),
    };
    let region = cx.parallel().map(|region| Arc::clone(&region));
    Mutex::new(Part::new(region, Who { number, threads }))
}

fn end_part(cx: &Context<'_, ScheduleCheck>, _: ImplicitTask) {
    with_part(cx, |part| {
        if part.forgot {
            cx.tool().book.note_full();
        }
    });
}

fn with_part(cx: &Context<'_, ScheduleCheck>, act: impl FnOnce(&mut Part)) {
    if let Some(part) = cx.task() {
        act(&mut part.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// The runtime's own word, around that of the plugin's code: only there it stands how many iterations the loop has.
fn on_work(cx: &Context<'_, ScheduleCheck>, work: Work) {
    if !work.is_loop() || work.kind == WORK_DISTRIBUTE {
        return;
    }
    with_part(cx, |part| match work.endpoint {
        Endpoint::Begin => {
            part.begun = Some(Begun { count: work.count, code: work.code });
        }
        _ => {
            if let Some(begun) = part.begun.take() {
                cx.tool().book.note_unseen(begun.code);
            }
        }
    });
}

fn on_loop(cx: &Context<'_, ScheduleCheck>, event: LoopEvent) {
    with_part(cx, |part| match event.endpoint {
        Endpoint::Begin => begin_loop(cx, part),
        _ => end_loop(cx, part),
    });
}

fn begin_loop(cx: &Context<'_, ScheduleCheck>, part: &mut Part) {
    // One that was cancelled may not have told of its end.
    part.open = None;
    let known = Known::current(cx).filter(|known| known.record.construct == CONSTRUCT_FOR);
    let (Some(the_loop), Some(ran)) = (known, cx.loop_schedule()) else {
        return;
    };
    if let Some(begun) = part.begun.take() {
        part.open = Execution::begin(the_loop, begun.count, ran);
    }
}

fn on_chunk(cx: &Context<'_, ScheduleCheck>, chunk: Chunk) {
    with_part(cx, |part| {
        let who = part.who;
        if let Some(open) = &mut part.open {
            open.add(chunk, who);
        }
    });
}

fn end_loop(cx: &Context<'_, ScheduleCheck>, part: &mut Part) {
    let Some(done) = part.open.take().filter(Execution::is_whole) else {
        return;
    };
    let who = part.who;
    let book = &cx.tool().book;
    book.add_execution(&done, who);
    for before in part.promised_with(&done) {
        book.compare(part.region.as_deref(), before, &done, who);
    }
    part.keep(done);
}

ompt::tool!(ScheduleCheck);
