//! Loops of which a recording has not all chunks: of static loops with a chunk size that were compiled without the plugin, the
//! runtime tells one chunk of each thread.

use std::collections::{BTreeMap, HashMap};

use ompchunk_figures::counted;
use ompchunk_trace_format::{DEALT_BY_RUNTIME, Event, LoopDefinition};

use crate::prose::first_names;

const NAMED: usize = 5;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Told {
    chunks: u64,
    /// It may have been dealt out by the runtime.
    added_up: bool,
}

#[derive(Debug, Default)]
pub(super) struct Partly {
    /// Loops without the plugin: the return address of the runtime call, and whether all chunks that there are are told.
    bare: HashMap<u32, (u64, bool)>,
    told: HashMap<u32, Told>,
    /// What each lane has open: a loop, and whether it is one of these.
    open: HashMap<u32, Vec<(u32, bool)>>,
    /// How many of these are open: chunks are many.
    waiting: u64,
}

impl Partly {
    pub(super) fn defines(&mut self, loop_definition: &LoopDefinition<'_>) {
        if !loop_definition.instrumented {
            let blocks = loop_definition.tells_blocks() && loop_definition.schedule == 0;
            let known = self.bare.entry(loop_definition.the_loop).or_insert((loop_definition.code, true));
            known.1 &= blocks;
        }
    }

    #[inline]
    pub(super) fn chunk(&mut self, lane: u32) {
        if self.waiting > 0
            && let Some((the_loop, true)) = self.open.get(&lane).and_then(|open| open.last())
        {
            self.told.entry(*the_loop).or_default().chunks += 1;
        }
    }

    pub(super) fn follow(&mut self, lane: u32, event: &Event<'_>) {
        match event {
            Event::LoopBegin(loop_begin) => {
                let partly =
                    self.bare.contains_key(&loop_begin.the_loop) && !DEALT_BY_RUNTIME.contains(&loop_begin.work);
                self.open.entry(lane).or_default().push((loop_begin.the_loop, partly));
                if partly {
                    self.waiting += 1;
                    self.told.entry(loop_begin.the_loop).or_default();
                }
            }
            Event::LoopEnd { .. } => {
                let ended = self.open.get_mut(&lane).and_then(Vec::pop);
                self.waiting -= u64::from(ended.is_some_and(|(_, partly)| partly));
            }
            Event::Aggregate(aggregate) if self.bare.contains_key(&aggregate.the_loop) => {
                let told = self.told.entry(aggregate.the_loop).or_default();
                told.chunks += aggregate.chunks;
                told.added_up = true;
            }
            _ => {}
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct AllPartly(BTreeMap<String, Told>);

impl AllPartly {
    pub(super) fn add(&mut self, part: &Partly, place: impl Fn(u32, u64) -> String) {
        for (the_loop, told) in &part.told {
            let Some((code, blocks)) = part.bare.get(the_loop) else { continue };
            if *blocks && told.chunks > 0 && !told.added_up {
                continue;
            }
            let all = self.0.entry(place(*the_loop, *code)).or_default();
            all.chunks += told.chunks;
            all.added_up |= told.added_up;
        }
    }

    pub(super) fn text(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let mut all: Vec<(&String, &Told)> = self.0.iter().collect();
        all.sort_by_key(|(place, told)| (std::cmp::Reverse(told.chunks), *place));
        let (loops, whose) = match all.len() {
            1 => ("1 loop is".to_owned(), "it was"),
            some => (format!("{some} loops are"), "they were"),
        };
        // Sums do not tell what the runtime dealt out.
        let has_sums = all.iter().any(|(_, told)| told.added_up);
        let unless = if has_sums { " unless the runtime dealt the chunks out" } else { "" };
        let names = all.iter().map(|(place, told)| match told.chunks {
            0 => (*place).clone(),
            some => format!("{place} ({} reported)", counted(some, "chunk")),
        });
        format!(
            "ompchunk: {loops} only partly seen{unless}, as {whose} compiled without the plugin: {}\nompchunk: next: compile that program or \
             library with ompchunk cc, c++ or fc; ompchunk loops lists what is\n",
            first_names(names, NAMED)
        )
    }
}
