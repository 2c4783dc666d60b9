//! chunk-print: an OMPT tool that prints each event of a loop as a line.
//!
//! The same output as its twin in C, `examples/tools/c/chunk-print.c`, which also says what it means.

use std::fmt::{self, Write};
use std::io;

use chunk_tool::{All, Chunk, Mine, Running, Source, State};
use ompt::{End, Start};

const BUFFER: usize = 1 << 16;

/// The lines of one thread that are not written yet.
#[derive(Default)]
struct Print {
    lines: String,
}

impl Print {
    fn line(&mut self, running: &Running, event: &str, rest: fmt::Arguments<'_>) {
        let (thread, name) = (running.thread_num, running.name());
        // Writing to a string cannot fail.
        let _ = writeln!(self.lines, "thread {thread}  {event:<8}  {name}{rest}");
        if self.lines.len() > BUFFER {
            // There is nobody to tell in the middle of a loop; `report` meets the same error again.
            let _ = self.flush();
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut out = chunk_tool::output(Self::OUTPUT);
        out.write_all(self.lines.as_bytes())?;
        self.lines.clear();
        Ok(())
    }
}

/// `iterations 0..9  i = 3..12`
fn range(running: &Running, chunk: &Chunk) -> String {
    if chunk.iterations == 0 {
        return format!("no iterations, at {}", chunk.first);
    }
    let last = chunk.first.wrapping_add(chunk.iterations - 1);
    let mut text = format!("iterations {}..{last}", chunk.first);
    if let (Some(first), Some(last)) = (running.users_value(chunk.first), running.users_value(last)) {
        let _ = write!(text, "  i = {first}..{last}");
    }
    text
}

impl State for Print {
    const NAME: &'static str = "chunk-print";
    const OUTPUT: &'static str = "CHUNK_PRINT_FILE";

    fn begin(&mut self, running: &Running, _: usize, _: f64) {
        self.line(running, "begin", format_args!("  {}", running.schedule()));
    }

    fn chunk(&mut self, running: &mut Running, _: usize, chunk: &Chunk, _: f64) {
        let Some(extension) = chunk.extension else {
            self.line(running, "dispatch", format_args!("  {}", range(running, chunk)));
            return;
        };
        running.is_instrumented(extension.news);
        let last = if extension.last { "  last" } else { "" };
        let (range, bookkeeping) = (range(running, chunk), extension.bookkeeping);
        self.line(running, "chunk", format_args!("  {range}{last}  bookkeeping {bookkeeping:.0} ns"));
    }

    fn outside(&mut self) {}

    fn end(&mut self, running: &Running, _: usize, _: f64) {
        self.line(running, "end", format_args!(""));
    }

    fn report(threads: &mut [&mut Self], _: &Source<'_>) -> io::Result<()> {
        threads.iter_mut().try_for_each(|thread| thread.flush())
    }
}

struct ChunkPrint(All<Print>);

impl AsRef<All<Print>> for ChunkPrint {
    fn as_ref(&self) -> &All<Print> {
        &self.0
    }
}

impl ompt::Tool for ChunkPrint {
    type Thread = Mine<Print>;
    type Parallel = ();
    type Task = ();

    fn start(start: &mut Start<'_, Self>) -> Option<Self> {
        All::start(start).map(ChunkPrint)
    }

    fn finish(&self, end: &End<'_>) {
        self.0.report(end);
    }
}

ompt::tool!(ChunkPrint);
