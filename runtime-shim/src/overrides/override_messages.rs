//! What is said of the loops that orders meant, each once.

use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use ompchunk_abi::overrides::{Entry, Order, Pattern, Place, Table, VARIABLE, shown};
use ompchunk_abi::{LOOP_CHANGEABLE, LOOP_LAST_READ};

use crate::overrides::verdict::{self, Facts, Verdict, Why};
use crate::start::report;

/// Says what becomes of a loop, if that is not what the user ordered.
pub(crate) fn of_verdict(table: &Table, facts: Facts<'_>, verdict: &Verdict) {
    // What keeps a group as compiled is said of the group.
    let place = match (verdict, facts.group.first()) {
        (Verdict::Stays(..), Some(first)) => Place { line: first.line, column: first.column, ..facts.place },
        _ => facts.place,
    };
    if !is_new(place) {
        return;
    }
    let text = |number: &usize| shown(&table.entries()[*number].text);
    let name = name(facts.place);
    if let Verdict::Changes(number) | Verdict::Breaks(number, _) = verdict {
        say_if_cut(&table.entries()[*number], facts, &name);
    }
    match verdict {
        Verdict::Source => {}
        Verdict::LeftOut => LEFT_OUT.add(name),
        Verdict::LeftWhole => LEFT_WHOLE.add(name),
        Verdict::Changes(number) => {
            say_if_out_of_order(&table.entries()[*number], facts, &name);
            report::explain(format_args!("{VARIABLE}: '{}' changes the loop {name}", text(number)));
        }
        Verdict::Follows(number) => report::complain(format_args!(
            "{VARIABLE}: '{}' changes the loop {name}, too: the two give a thread the same iterations",
            text(number)
        )),
        Verdict::Breaks(number, bound) => report::complain(format_args!(
            "{VARIABLE}: '{}' changes the loop {name}, and may break a promise (OpenMP 5.2, 11.5.3): {bound}",
            text(number)
        )),
        Verdict::Stays(number, why) => {
            let advice = match (facts.flags & LOOP_CHANGEABLE, table.entries()[*number].insists) {
                (0, _) | (_, true) => "",
                _ if [Why::Chunks, Why::Once, Why::Steps].contains(why) => "",
                _ => ". A '!' before its name changes it alone all the same",
            };
            let group = match facts.group.len() {
                0 | 1 => String::new(),
                loops => format!(", one of a group of {loops},"),
            };
            report::complain(format_args!(
                "{VARIABLE}: '{}' leaves the loop {name}{group} as compiled: {}{advice}",
                text(number),
                because(why)
            ));
        }
    }
}

fn because(why: &Why) -> String {
    match why {
        Why::Says(sentence) => (*sentence).to_owned(),
        Why::Member(line) => format!(
            "the group gives a thread the same iterations, and the schedule of its loop at line {line} cannot be changed"
        ),
        Why::Chunks => "how long its chunks are in the source is known to the running program alone, and balanced and adaptive cut none"
            .to_owned(),
        Why::Dealt => "the group gives a thread the same iterations, which static schedules alone keep, and balanced and adaptive"
            .to_owned(),
        Why::Once => "it is not instrumented, so a thread runs the block that it begins with: only balanced and adaptive apply"
            .to_owned(),
        Why::Steps => "it is not instrumented, so a thread steps from chunk to chunk: only static and static,c apply".to_owned(),
        Why::Differ => "the group gives a thread the same iterations, but its loops shall have different schedules".to_owned(),
    }
}

/// The user names a loop whose chunks are cut.
fn say_if_cut(entry: &Entry, facts: Facts<'_>, name: &str) {
    if !verdict::cuts_by_name(entry, facts) {
        return;
    }
    let chunks = match facts.chunk {
        Some(chunk) => format!("cuts chunks of {chunk} iterations of the source"),
        None => "may cut chunks of the source, as their size is not known before it runs".to_owned(),
    };
    report::complain(format_args!(
        "{VARIABLE}: '{}' changes the loop {name}, and {chunks}: what an iteration leaves for the next one of its chunk may be lost",
        shown(&entry.text)
    ));
}

/// The user says `nonmonotonic` of a loop that says `monotonic`, or whose last value is read.
fn say_if_out_of_order(entry: &Entry, facts: Facts<'_>, name: &str) {
    let by_all = entry.pattern == Pattern::All;
    let asks = entry.schedules.iter().any(|schedule| schedule.is_nonmonotonic());
    let order = verdict::order(facts.flags, facts.schedule, by_all);
    if !asks || order == Order::Any {
        return;
    }
    let why = match facts.flags & LOOP_LAST_READ {
        0 => "its source says monotonic",
        _ => "the value of its last iteration is read, which runtimes may lose with nonmonotonic",
    };
    let text = shown(&entry.text);
    if order == Order::Kept {
        report::complain(format_args!("{VARIABLE}: '{text}' runs the loop {name} as monotonic: {why}"));
    } else {
        report::complain(format_args!("{VARIABLE}: '{text}' changes the loop {name}, and may break a promise: {why}"));
    }
}

/// Says something of a loop, which it names, unless something was said before.
pub(crate) fn once(place: Place<'_>, say: impl FnOnce(&str)) {
    if is_new(place) {
        say(&name(place));
    }
}

pub(crate) fn name(place: Place<'_>) -> String {
    let file = place.file.rsplit('/').next().unwrap_or_default();
    match (file, place.line) {
        (_, 0) if place.function.is_empty() => format!("{} (compiled without -g)", shown(file)),
        ("", _) | (_, 0) => format!("of {} (compiled without -g)", shown(place.function)),
        _ if place.column == 0 => format!("{}:{}", shown(file), place.line),
        _ => format!("{}:{}:{}", shown(file), place.line, place.column),
    }
}

/// Loops of which something was said, by their hashes.
static SAID: [AtomicU64; 512] = [const { AtomicU64::new(0) }; 512];

fn is_new(place: Place<'_>) -> bool {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (place.file, place.line, place.column, place.function).hash(&mut hasher);
    let hash = hasher.finish() | 1;
    for known in &SAID {
        match known.compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return true,
            Err(before) if before == hash => return false,
            Err(_) => {}
        }
    }
    // So many that nobody reads on.
    false
}

struct LeftOut(AtomicPtr<Node>);

struct Node {
    name: String,
    next: *mut Node,
}

static LEFT_OUT: LeftOut = LeftOut(AtomicPtr::new(core::ptr::null_mut()));
/// Loops whose chunks it would have cut.
static LEFT_WHOLE: LeftOut = LeftOut(AtomicPtr::new(core::ptr::null_mut()));

impl LeftOut {
    fn add(&self, name: String) {
        let node = Box::into_raw(Box::new(Node { name, next: core::ptr::null_mut() }));
        let mut head = self.0.load(Ordering::Acquire);
        loop {
            // SAFETY: just made, and nobody else knows it yet.
            unsafe { (*node).next = head };
            match self.0.compare_exchange(head, node, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut next = self.0.load(Ordering::Acquire);
        // SAFETY: nodes are never freed.
        while let Some(node) = unsafe { next.as_ref() } {
            names.push(node.name.clone());
            next = node.next;
        }
        names.sort();
        names
    }
}

const MOST_NAMES: usize = 100;

pub(crate) fn of_left_out() {
    let left_out = "of which it matters who runs which iteration (`ompchunk loops` says why)";
    say_left_out(&LEFT_OUT, left_out);
    let left_whole =
        "of which it would cut chunks of the source, or may, where their size is known to the running program alone";
    say_left_out(&LEFT_WHOLE, left_whole);
}

fn say_left_out(loops: &LeftOut, which: &str) {
    let names = loops.names();
    if names.is_empty() {
        return;
    }
    let more = match names.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    report::complain(format_args!(
        "{VARIABLE}: '*' left out loops {which}: {}{more}",
        names[..names.len().min(MOST_NAMES)].join(", ")
    ));
}
