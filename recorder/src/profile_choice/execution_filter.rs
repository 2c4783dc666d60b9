//! Executions that nobody wants to know: of loops that `--loop` does not name, and those that `--skip` has. They are
//! counted, and that a thread was in one is told, so that what comes after is not booked to the loop before.

use std::sync::OnceLock;

use ompchunk_trace_format::name::demangle;
use ompchunk_trace_format::select::Names;
use ompchunk_trace_format::{Event, LeftOut, LoopDefinition, Mode, Unwanted};

use crate::lane::Lane;
use crate::loops::symbols;

/// What is wanted; set once, before the first event.
static WANTED: OnceLock<Mode> = OnceLock::new();

pub(crate) fn start(mode: &Mode) {
    let _ = WANTED.set(mode.clone());
}

pub(crate) fn skip() -> u64 {
    WANTED.get().map_or(0, |wanted| wanted.skip)
}

pub(crate) fn is_some() -> bool {
    WANTED.get().is_some_and(|wanted| wanted.skip > 0 || !wanted.loops.is_empty())
}

pub(crate) fn is_wanted(loop_definition: &LoopDefinition<'_>) -> bool {
    let Some(wanted) = WANTED.get().filter(|wanted| !wanted.loops.is_empty()) else { return true };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let some = |text: String| (!text.is_empty()).then_some(text);
    let (object, offset, nearest) = match symbols::resolve(loop_definition.code as usize) {
        Some(found) => (found.object, found.offset, found.function),
        None => (Vec::new(), loop_definition.code, Vec::new()),
    };
    let symbol = some(text(loop_definition.function)).or_else(|| some(text(&nearest)));
    let file = text(loop_definition.file);
    let function = symbol.as_ref().map(|symbol| demangle(symbol, &file));
    let line = Some(loop_definition.line).filter(|line| *line != 0);
    let object = some(text(&object)).filter(|_| line.is_none());
    let names = Names {
        file: some(file.clone()).and(line).map(|_| file.as_str()),
        line,
        column: Some(loop_definition.column).filter(|column| *column != 0),
        function: function.as_deref(),
        symbol: symbol.as_deref(),
        offset: object.as_ref().map(|_| offset),
        object: object.as_deref(),
    };
    wanted.loops.iter().any(|pattern| names.are_meant(pattern))
}

impl Lane {
    pub(crate) fn omit(&mut self, now: u64, the_loop: u32, why: Unwanted) {
        if let Some(tally) = self.sums.tallies.get_mut(the_loop as usize) {
            tally.left_out[usize::from(why == Unwanted::Skipped)] += 1;
        }
        if self.silence.is_on || !self.tells_omitted() {
            return;
        }
        if self.block.cursor.is_null() || self.loops.omitted != self.block.cursor {
            self.put(now, &Event::Omitted { the_loop, why });
            self.loops.omitted = self.block.cursor;
        }
    }

    pub(crate) fn tell_left_out(&mut self, now: u64) {
        if !is_some() {
            return;
        }
        let thread = self.holder.thread;
        for the_loop in 0..self.sums.tallies.len() {
            let counts = std::mem::take(&mut self.sums.tallies[the_loop].left_out);
            for (why, executions) in [Unwanted::Loop, Unwanted::Skipped].into_iter().zip(counts) {
                if executions > 0 {
                    let left_out = LeftOut { why, the_loop: the_loop as u32, thread, executions };
                    self.put(now, &Event::LeftOut(left_out));
                }
            }
        }
    }
}
