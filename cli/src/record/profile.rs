//! Which loops a recording has a profile of, which not, and why.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ompchunk_figures::{count, counted};
use ompchunk_trace_format::{DEALT_BY_RUNTIME, Event, LoopDefinition, NotProfiled, Unwanted};

const NAMED: usize = 5;

#[derive(Debug, Default)]
pub(super) struct PartProfile {
    reasons: HashMap<u32, Option<NotProfiled>>,
    /// Loops of which executions are told, and sub-blocks of each.
    ran: BTreeMap<u32, u64>,
    open: HashMap<u32, Vec<u32>>,
    /// Executions by loop and lane, and those of them whose chunks are not told.
    executions: BTreeMap<(u32, u32), [u64; 2]>,
}

#[derive(Debug, Default)]
pub(super) struct Profile {
    loops: BTreeSet<String>,
    sub_blocks: u64,
    dealt: BTreeSet<String>,
    left_out: BTreeMap<String, Option<NotProfiled>>,
    costly: BTreeMap<String, [u64; 2]>,
}

impl PartProfile {
    pub(super) fn defines(&mut self, loop_definition: &LoopDefinition<'_>) {
        self.reasons.insert(loop_definition.the_loop, loop_definition.not_profiled());
    }

    pub(super) fn sub_block(&mut self, lane: u32) {
        let the_loop = self.open.get(&lane).and_then(|open| open.last());
        if let Some(count) = the_loop.and_then(|the_loop| self.ran.get_mut(the_loop)) {
            *count += 1;
        }
    }

    pub(super) fn follow(&mut self, lane: u32, event: &Event<'_>) {
        match event {
            Event::LoopBegin(loop_begin) => {
                self.ran.entry(loop_begin.the_loop).or_default();
                self.executions.entry((loop_begin.the_loop, lane)).or_default()[0] += 1;
                self.open.entry(lane).or_default().push(loop_begin.the_loop);
                if DEALT_BY_RUNTIME.contains(&loop_begin.work) {
                    self.reasons.insert(loop_begin.the_loop, Some(NotProfiled::Dealt));
                }
            }
            Event::Omitted { the_loop, why: Unwanted::Costly } => {
                self.executions.entry((*the_loop, lane)).or_default()[1] += 1;
            }
            Event::LoopEnd { .. } => {
                self.open.get_mut(&lane).and_then(Vec::pop);
            }
            _ => {}
        }
    }
}

impl Profile {
    pub(super) fn add(&mut self, part: &PartProfile, loops: impl Fn(u32) -> String) {
        for (the_loop, sub_blocks) in &part.ran {
            let name = loops(*the_loop);
            let of_lanes = part.executions.range((*the_loop, 0)..=(*the_loop, u32::MAX));
            // Threads of a team have executions together.
            let most = of_lanes.map(|(_, executions)| *executions).max_by_key(|[all, _]| *all);
            if let Some([all, costly]) = most.filter(|[_, costly]| *costly > 0) {
                let sum = self.costly.entry(name.clone()).or_default();
                *sum = [sum[0] + all, sum[1] + costly];
            }
            let why = part.reasons.get(the_loop).copied().flatten();
            if *sub_blocks > 0 {
                self.sub_blocks += sub_blocks;
                self.loops.insert(name);
            } else if matches!(why, Some(NotProfiled::Dealt | NotProfiled::Single)) {
                self.dealt.insert(name);
            } else {
                self.left_out.insert(name, why);
            }
        }
    }

    pub(super) fn text(&self) -> String {
        let loops = |number: usize| counted(number as u64, "loop");
        let mut text =
            format!("ompchunk: profile: {} of {}", counted(self.sub_blocks, "sub-block"), loops(self.loops.len()));
        if !self.dealt.is_empty() {
            let dealt = loops(self.dealt.len());
            text += &format!("; chunks are the profile of {dealt} more (dynamic, guided, ...)");
        }
        text.push('\n');
        for (name, [all, costly]) in self.costly.iter().take(NAMED) {
            let (profiled, all) = (count(all - costly), counted(*all, "execution"));
            text +=
                &format!("ompchunk: {name}: profiled {profiled} of {all}, as chunks cost more to record than to run\n");
        }
        // In several instances of a template one may have it.
        let left_out: Vec<_> = self.left_out.iter().filter(|(name, _)| !self.loops.contains(*name)).collect();
        for (name, why) in left_out.iter().take(NAMED) {
            let unknown = "no sub-block came, as with OMP_CANCELLATION=true or in executions that are added up";
            let why = why.map_or_else(|| unknown.to_owned(), |why| why.to_string());
            text += &format!("ompchunk: no profile of {name}: {why}\n");
        }
        let more = left_out.len().saturating_sub(NAMED);
        if more > 0 {
            text += &format!("ompchunk: ... nor of {} more\n", loops(more));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompchunk_trace_format::LoopBegin;

    fn begin(the_loop: u32, work: u32) -> Event<'static> {
        Event::LoopBegin(LoopBegin { the_loop, work, count: 1, start: None, step: None })
    }

    #[test]
    fn each_loop_is_named_with_its_reason() {
        let mut part = PartProfile::default();
        for the_loop in 0..9 {
            part.reasons.insert(the_loop, None);
        }
        part.reasons.insert(1, Some(NotProfiled::Reassociated));
        part.reasons.insert(2, Some(NotProfiled::NotCompiled));
        // The second begins inside the first's sub-block.
        part.follow(0, &begin(0, 10));
        part.sub_block(0);
        part.follow(0, &begin(1, 10));
        part.follow(0, &Event::LoopEnd { the_loop: 1 });
        part.sub_block(0);
        part.follow(1, &begin(2, 12));
        let mut all = Profile::default();
        all.add(&part, |the_loop| format!("a.c:{the_loop}"));
        assert_eq!(
            all.text(),
            "ompchunk: profile: 2 sub-blocks of 1 loop; chunks are the profile of 1 loop more (dynamic, guided, ...)\n\
             ompchunk: no profile of a.c:1: the compiler may reorder its floating-point operations, and results might \
             differ in their last bits (OMPCHUNK_PROFILE=reassociated records one all the same)\n"
        );
        for the_loop in 3..9 {
            part.follow(2, &begin(the_loop, 10));
        }
        let mut all = Profile::default();
        all.add(&part, |the_loop| format!("a.c:{the_loop}"));
        assert!(all.text().ends_with("... nor of 2 loops more\n"), "{}", all.text());
    }
}
