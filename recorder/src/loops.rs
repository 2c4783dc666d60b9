//! Which loop is this: numbers and definitions, from the plugin's records or from addresses.

pub(crate) mod epoch;
pub(crate) mod objects;
pub(crate) mod static_block;
pub(crate) mod symbols;

use ompchunk_abi::{
    CONSTRUCT_SECTIONS, GROUP_HEAD, GroupLoop, LOOP_MAPPED, LOOP_START_KNOWN, LOOP_STEP_KNOWN, LoopRecord, loop_text,
};
use ompchunk_guest::memory::Grow;
use ompchunk_trace_format::{Code, Event, Group, LoopBegin, LoopDefinition, NOBODY, Unwanted};

use crate::callbacks::inquiry::{INQUIRY, Override};
use crate::cells::tally::Tally;
use crate::lane::Lane;
use crate::loops::objects::Identity;
use crate::loops::static_block::{awaited, bare_definition, is_static};
use crate::part;
use crate::profile_choice::execution_filter;
use crate::registration::setup;
use crate::scope::{AwaitedBlock, Running, Scope, Way};
use ompt::raw::{WORK_SECTIONS, is_loop};

impl Lane {
    pub(crate) fn forget_unloaded(&mut self, now: u64) {
        let (met, epoch) = (INQUIRY.met(), objects::epoch(now));
        if (met, epoch) != (self.loops.met, self.loops.epoch) {
            (self.loops.met, self.loops.epoch) = (met, epoch);
            self.loops.known.clear();
            self.loops.recent.clear();
        }
    }

    pub(crate) fn begin_loop(&mut self, now: u64, work: u32, count: u64, code: usize) {
        let record = INQUIRY.current_loop();
        let inherited = self.is_inherited(record, code);
        let instrumented = !record.is_null() && !inherited;
        self.forget_unloaded(now);
        let asked = INQUIRY.current_change().filter(|_| instrumented);
        // SAFETY: null, or the constant record of the loop that this thread is entering.
        let own = unsafe { record.as_ref() };
        let changed = asked.filter(|asked| own.is_none_or(|own| !asked.is_as_compiled(own)));
        let mut running = Running {
            recorded: true,
            instrumented,
            record,
            code,
            work,
            changed,
            block: if self.heard.is_unrecorded {
                AwaitedBlock::Told
            } else if !instrumented && is_static(work) {
                // The runtime tells a chunk that is not all there is.
                awaited(count, self.is_distributing())
            } else {
                AwaitedBlock::No
            },
            ..Running::default()
        };
        if setup::records_some() && !self.knows_loop(&running) {
            // Its first execution is told, and what is around it came before its definition.
            self.tell_scopes();
        }
        let the_loop = self.know_loop(now, &running);
        running.the_loop = the_loop;
        self.make_tally(the_loop);
        if !self.choose(&mut running) {
            return;
        }
        self.tell_around(now, &running);
        let awaited = running.block;
        if !running.recorded {
            if !setup::records_all() {
                self.mark(now, false, NOBODY);
            }
            return self.push(Scope::Loop(running));
        }
        // A loop with an order need not run under the same schedule the next time, and one that is measured does not end in the short way.
        let is_usual = setup::records_all() && !self.heard.is_unrecorded && is_loop(work) && code != 0;
        if is_usual && !inherited && asked.is_none() && running.way != Way::Measured {
            self.loops.recent.remember(&running, awaited != AwaitedBlock::No);
        }
        let (start, step) = if instrumented { INQUIRY.current_variable() } else { (None, None) };
        let begin = Event::LoopBegin(LoopBegin { the_loop, work, count, start, step });
        self.begin(now, Scope::Loop(running), &begin);
        if self.heard.is_unrecorded {
            self.put(now, &Event::Omitted { the_loop, why: Unwanted::Costly });
        }
        self.begin_alone(now, work, awaited);
    }

    /// Does the thread begin `sections` that the plugin saw? They are recorded as a loop over them.
    pub(crate) fn meets_sections(&self, code: usize) -> bool {
        let record = INQUIRY.current_loop();
        // SAFETY: null, or the constant record of what this thread is entering.
        let construct = unsafe { record.as_ref() }.map(|record| record.construct);
        construct == Some(CONSTRUCT_SECTIONS) && !self.is_inherited(record, code)
    }

    pub(crate) fn ends_sections(&self) -> bool {
        let ends =
            |scope: &&Scope| matches!(scope, Scope::Work(WORK_SECTIONS) | Scope::Loop(_) | Scope::ImplicitTask(..));
        let ended = self.scopes.iter().rev().find(ends);
        matches!(ended, Some(Scope::Loop(running)) if running.is_sections())
    }

    /// A loop of code without the plugin, called from inside one with: the shim names the outer one.
    #[inline]
    fn is_inherited(&self, record: *const LoopRecord, code: usize) -> bool {
        let outer = self.scopes.iter().rev().find_map(Scope::running);
        outer.is_some_and(|outer| outer.record == record && outer.code != code)
    }

    #[inline]
    fn make_tally(&mut self, the_loop: u32) {
        let length = the_loop as usize + 1;
        let more = length.saturating_sub(self.sums.tallies.len());
        if more > 0 && self.sums.tallies.grow(more) {
            self.sums.tallies.resize_with(length, Tally::default);
        }
    }

    /// Whether this execution is recorded; it is counted as seen. False: there was no memory for its tally.
    #[inline]
    fn choose(&mut self, running: &mut Running) -> bool {
        let Some(tally) = self.sums.tallies.get_mut(running.the_loop as usize) else { return false };
        running.unwanted = match tally.seen.checked_sub(execution_filter::skip()) {
            _ if self.loops.unwanted.contains(&running.the_loop) => Some(Unwanted::Loop),
            None => Some(Unwanted::Skipped),
            Some(_) => None,
        };
        let after = tally.seen.saturating_sub(execution_filter::skip());
        running.recorded = running.unwanted.is_none() && setup::is_recorded(after);
        tally.seen += 1;
        if running.unwanted.is_none() && tally.faults.wants() && !self.measures_faults() {
            running.way = Way::Measured;
        }
        true
    }

    #[inline]
    fn tell_around(&mut self, now: u64, running: &Running) {
        if running.unwanted.is_some() {
            // Counted when it ends.
        } else if !running.recorded {
            self.count_execution(running.the_loop);
        } else if !setup::records_all() {
            self.tell_scopes();
            self.tell_omitted(now);
        }
    }

    pub(crate) fn replay_loop(&mut self, now: u64, running: &Running) -> u32 {
        let the_loop = self.know_loop(now, running);
        self.make_tally(the_loop);
        if running.recorded {
            let work = if running.is_sections() { WORK_SECTIONS } else { 0 };
            self.put(now, &Event::LoopBegin(LoopBegin { the_loop, work, count: 0, start: None, step: None }));
        }
        the_loop
    }

    fn knows_loop(&self, running: &Running) -> bool {
        let known = key(running).and_then(|key| self.loops.known.get(&key));
        known.is_some_and(|number| *number != NO_LOOP)
    }

    /// The loop's number, and its definition if the lane does not have it yet.
    fn know_loop(&mut self, now: u64, running: &Running) -> u32 {
        self.forget_unloaded(now);
        let Running { code, work, changed, .. } = *running;
        let key = key(running);
        let number = key.and_then(|key| self.loops.known.get(&key));
        if let Some(number) = number.filter(|number| **number != NO_LOOP) {
            return *number;
        }
        self.know_code(now, code);
        let now = self.time_of_definitions(now);
        // SAFETY: null, or the constant record of the loop that this thread is entering.
        let record = unsafe { known(running).as_ref() };
        let the_loop = part::loop_number(Identity::new(record, code, changed));
        let definition = match record {
            Some(known) => from_record(the_loop, known, code, changed),
            None => bare_definition(the_loop, code, is_static(work)),
        };
        if !execution_filter::is_wanted(&definition) && self.loops.unwanted.grow(1) {
            self.loops.unwanted.insert(the_loop);
        }
        self.put(now, &Event::Loop(definition));
        if let Some(key) = key.filter(|_| self.loops.known.grow(1)) {
            self.loops.known.insert(key, the_loop);
        }
        the_loop
    }

    /// Where not all is told: that of the record before, as what is around a definition may yet be told and began earlier.
    pub(crate) fn time_of_definitions(&self, now: u64) -> u64 {
        if setup::records_all() { now } else { self.last }
    }

    /// Says what is at an address, once per lane.
    pub(crate) fn know_code(&mut self, now: u64, code: usize) {
        self.forget_unloaded(now);
        if code == 0 || self.loops.known.contains_key(&code) {
            return;
        }
        let now = self.time_of_definitions(now);
        if let Some(symbols::Found { object, offset, function }) = symbols::resolve(code) {
            let (address, object, function) = (code as u64, &object[..], &function[..]);
            self.put(now, &Event::Code(Code { address, offset, object, function }));
        }
        if self.loops.known.grow(1) {
            self.loops.known.insert(code, NO_LOOP);
        }
    }
}

/// The record by which a loop is known: none for a loop of code without the plugin.
fn known(running: &Running) -> *const LoopRecord {
    if running.instrumented { running.record } else { std::ptr::null() }
}

/// Records are data and code is code: neither has the other's address.
fn key(running: &Running) -> Option<usize> {
    let record = known(running);
    let key = if record.is_null() { running.code } else { record as usize };
    match running.changed {
        None => Some(key),
        Some(changed) => changed.tag().map(|tag| key | tag),
    }
}

/// In `known`: an address that is told, and no loop's.
const NO_LOOP: u32 = u32::MAX;

fn from_record(the_loop: u32, record: &LoopRecord, code: usize, changed: Option<Override>) -> LoopDefinition<'_> {
    // SAFETY: the plugin's record, where it is.
    let text = |distance| unsafe { loop_text(record, distance) }.to_bytes();
    let known = |flag: u32, value: i32| if record.flags & flag != 0 { value.into() } else { 0 };
    LoopDefinition {
        the_loop,
        instrumented: true,
        construct: record.construct,
        bits: record.bits,
        variable_bits: record.variable_bits,
        fixed: record.fixed,
        bound: record.bound,
        flags: changed.map_or(record.flags, |changed| changed.flags(record)),
        schedule: changed.map_or(record.schedule, |changed| changed.schedule),
        chunk: changed.map_or(record.chunk.into(), |changed| changed.chunk.into()),
        start: known(LOOP_START_KNOWN, record.start),
        step: known(LOOP_STEP_KNOWN, record.step),
        line: record.line,
        column: record.column.into(),
        code: code as u64,
        function: text(record.function),
        file: text(record.file),
        group: group_of(record),
    }
}

/// As the record has them, which is the trace's form with the low byte first; no other processors have a plugin.
fn group_of(record: &LoopRecord) -> Group<'_> {
    let (size, from) = (record.size as usize, record.group as usize);
    // It begins behind the record's head.
    if record.flags & LOOP_MAPPED == 0 || from < size_of::<LoopRecord>() || size < from {
        return Group::default();
    }
    // SAFETY: `size` bytes from the record's start are the record, with all that follows its head.
    let bytes = unsafe { std::slice::from_raw_parts(std::ptr::from_ref(record).cast::<u8>().add(from), size - from) };
    let Some((head, loops)) = bytes.split_first_chunk::<GROUP_HEAD>() else { return Group::default() };
    let size = (u32::from_le_bytes(*head) as usize).saturating_mul(size_of::<GroupLoop>());
    Group::from(&loops[..size.min(loops.len())])
}
