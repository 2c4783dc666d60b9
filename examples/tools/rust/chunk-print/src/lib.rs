//! chunk-print: an OMPT tool that prints each event of a loop as a line.
//!
//! The same output as its twin in C, `examples/tools/c/chunk-print.c`, which also says what it means.

use std::ffi::{c_char, c_uint};
use std::fmt::{self, Write};
use std::io;

use chunk_tool::ompt::StartToolResult;
use chunk_tool::{Chunk, Running, Source, Tool};

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
    if let (Some(first), Some(last)) = (running.users_value(chunk.first), running.users_value(last))
    {
        let _ = write!(text, "  i = {first}..{last}");
    }
    text
}

impl Tool for Print {
    const NAME: &'static str = "chunk-print";
    const OUTPUT: &'static str = "CHUNK_PRINT_FILE";

    fn begin(&mut self, running: &Running, _: usize, _: f64) {
        self.line(running, "begin", format_args!("  {}", running.schedule()));
    }

    fn chunk(&mut self, running: &mut Running, _: usize, chunk: &Chunk, _: f64) {
        let Some(extension) = chunk.extension else {
            self.line(
                running,
                "dispatch",
                format_args!("  {}", range(running, chunk)),
            );
            return;
        };
        running.is_instrumented();
        let last = if extension.last { "  last" } else { "" };
        let (range, bookkeeping) = (range(running, chunk), extension.bookkeeping);
        self.line(
            running,
            "chunk",
            format_args!("  {range}{last}  bookkeeping {bookkeeping:.0} ns"),
        );
    }

    fn outside(&mut self) {}

    fn end(&mut self, running: &Running, _: usize, _: f64) {
        self.line(running, "end", format_args!(""));
    }

    fn report(threads: &mut [&mut Self], _: &Source) -> io::Result<()> {
        threads.iter_mut().try_for_each(|thread| thread.flush())
    }
}

/// Called by the runtime to find its tool.
///
/// # Safety
///
/// `version` is null or a string, as the specification has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_start_tool(
    _: c_uint,
    version: *const c_char,
) -> *mut StartToolResult {
    // SAFETY: only the runtime calls this, with its version string.
    unsafe { chunk_tool::start::<Print>(version) }
}
