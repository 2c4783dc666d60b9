//! chunk-balance: an OMPT tool that reports, per loop and thread, how the work was dealt.
//!
//! The same output as its twin in C, `examples/tools/c/chunk-balance.c`, which also says what each
//! column means.

mod report;

use std::collections::HashMap;
use std::io;

use chunk_tool::{All, Chunk, Mine, Running, Source, State, nanoseconds};
use ompt::{End, Start};
use report::{Counts, Key, Row, key};

/// The chunk that the thread is executing, per loop that it is in.
#[derive(Debug, Clone, Copy, Default)]
struct Open {
    since: Option<f64>,
    first: u64,
    /// Which of the two events told of it.
    standard: bool,
    extension: bool,
}

/// The state of one thread.
#[derive(Debug, Default)]
struct Balance {
    rows: HashMap<Key, Row>,
    open: Vec<Open>,
    outside: u64,
}

impl Balance {
    fn counts(&mut self, running: &Running, now: f64) -> &mut Counts {
        let new = || Row { who: *running, first_seen: now, counts: Counts::default() };
        &mut self.rows.entry(key(running)).or_insert_with(new).counts
    }

    fn close(&mut self, running: &Running, depth: usize, now: f64) {
        let since = self.open.get_mut(depth).and_then(|open| open.since.take());
        if let Some(since) = since {
            let counts = self.counts(running, now);
            counts.busy += now - since;
            counts.longest = counts.longest.max(now - since);
        }
    }

    /// The loop that a chunk event came from turned out to be instrumented: the thread runs the same
    /// loop inside itself (recursion). What was counted of this execution moves to the loop's own
    /// row.
    fn recount(&mut self, before: &Running, now_known: &Running, chunk: Option<&Chunk>, now: f64) {
        let old = self.counts(before, now);
        old.runs -= 1;
        if let Some(chunk) = chunk {
            old.chunks -= 1;
            old.iterations = old.iterations.wrapping_sub(chunk.iterations);
        }
        let new = self.counts(now_known, now);
        new.runs += 1;
        if let Some(chunk) = chunk {
            new.chunks += 1;
            new.iterations = new.iterations.wrapping_add(chunk.iterations);
        }
    }
}

impl State for Balance {
    const NAME: &'static str = "chunk-balance";
    const OUTPUT: &'static str = "CHUNK_BALANCE_FILE";

    fn begin(&mut self, running: &Running, depth: usize, now: f64) {
        self.counts(running, now).runs += 1;
        self.open.resize(depth, Open::default());
        self.open.push(Open::default());
    }

    /// With ompchunk two events tell of each chunk, in either order: the second one adds nothing but
    /// its bookkeeping time.
    fn chunk(&mut self, running: &mut Running, depth: usize, chunk: &Chunk, now: f64) {
        let Some(&open) = self.open.get(depth) else {
            return;
        };
        let (standard, extension) = (chunk.extension.is_none(), chunk.extension.is_some());
        let known = if standard { open.standard } else { open.extension };
        let second = open.since.is_some() && open.first == chunk.first && !known;
        let before = *running;
        if chunk.extension.is_some_and(|extension| running.is_instrumented(extension.news)) {
            self.recount(&before, running, second.then_some(chunk), now);
        }
        if second {
            self.open[depth].standard = true;
            self.open[depth].extension = true;
        } else {
            self.close(running, depth, now);
            self.open[depth] = Open { since: None, first: chunk.first, standard, extension };
            let counts = self.counts(running, now);
            counts.chunks += 1;
            counts.iterations = counts.iterations.wrapping_add(chunk.iterations);
        }
        if let Some(extension) = chunk.extension {
            self.counts(running, now).bookkeeping += extension.bookkeeping;
        }
        self.open[depth].since = Some(nanoseconds());
    }

    fn outside(&mut self) {
        self.outside += 1;
    }

    fn end(&mut self, running: &Running, depth: usize, now: f64) {
        self.close(running, depth, now);
    }

    fn report(threads: &mut [&mut Self], source: &Source<'_>) -> io::Result<()> {
        let rows = threads.iter().flat_map(|thread| thread.rows.values().copied());
        let outside = threads.iter().map(|thread| thread.outside).sum();
        let report = report::Report { rows: report::merge(rows), source: *source, outside };
        // One write: stderr is not buffered.
        chunk_tool::output(Self::OUTPUT).write_all(report.to_string().as_bytes())
    }
}

struct ChunkBalance(All<Balance>);

impl AsRef<All<Balance>> for ChunkBalance {
    fn as_ref(&self) -> &All<Balance> {
        &self.0
    }
}

impl ompt::Tool for ChunkBalance {
    type Thread = Mine<Balance>;
    type Parallel = ();
    type Task = ();

    fn start(start: &mut Start<'_, Self>) -> Option<Self> {
        All::start(start).map(ChunkBalance)
    }

    fn finish(&self, end: &End<'_>) {
        self.0.report(end);
    }
}

ompt::tool!(ChunkBalance);
