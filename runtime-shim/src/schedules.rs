//! Which loops run under which schedule: `OMPCHUNK_SCHEDULE`.
//!
//! # The rules of safety, in one place
//!
//! All threads of a team decide alike, or iterations run twice or never. So a choice is made of nothing but
//!
//! - the table, which is read once, when a runtime that has no team yet looks for a tool, and before any loop has asked: what
//!   is not ordered by then is not ordered for as long as the process lives;
//! - the loop's record, a constant of the program;
//! - for schedules in turn, the number of the parallel region, fixed before its threads begin (`turns`).
//!
//! And a loop that may have begun as compiled before this library had its image ask is left so, unless its runtime is the one that
//! looks for a tool just then (`connect`).
//!
//! Never of the word that says whether a tool listens, nor of anything that a thread knows alone: what is remembered
//! here is what the same computation gave before. Nor of which runtime the shim serves: that may change while another runs a
//! loop, and dealing needs nothing but the runtime that the loop calls itself.
//!
//! Where `OMP_CANCELLATION` is on, nothing is changed: after a cancelled loop whose chunks they deal, today's runtimes hang or
//! abort in a later one, and a team that is cancelled leaves loops behind that not all of its threads came to. A loop is changed only if its record says that it can be, and by `*` only
//! if a barrier follows it: what comes after a loop without one may rely on who ran which iteration (OpenMP 5.2, 11.5.3).

use core::ffi::CStr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::path::Path;

use ompchunk_abi::{
    LOOP_CHANGEABLE, LOOP_DEALT, LOOP_LAST_READ, LOOP_NO_BARRIER, LoopRecord, fixed,
};
use ompchunk_schedules::{Pattern, Place, Schedule, Table, VARIABLE, file, shown};

use crate::agreed::kept;
use crate::numbers::{ALONE, Numbers};
use crate::once::Once;
use crate::primitive::OnceLock;
use crate::table::TABLE;
use crate::{environment, met, report, turns};

/// What a loop runs under instead of its own schedule.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    /// `enum sched_type`
    pub(crate) schedule: u32,
    pub(crate) chunk: u32,
    /// The program steps from chunk to chunk, as compilers have it under a static schedule; else the runtime deals them.
    pub(crate) stepped: bool,
}

impl Chosen {
    /// `enum sched_type` without modifiers, as for runtimes of which some know none in static loops.
    pub(crate) const fn kind(self) -> u32 {
        self.schedule & !MODIFIERS
    }
}

/// `enum sched_type` of libomp's `kmp.h`, without modifiers.
pub(crate) const STATIC_CHUNKED: u32 = 33;
pub(crate) const STATIC: u32 = 34;
pub(crate) const MODIFIERS: u32 = 3 << 29;
/// With larger chunks, a stride could be beyond what 32 bits hold. Dealing them costs next to nothing.
const LARGEST_STEPPED: u32 = 1 << 16;

/// The table, and which of its entries met a loop.
struct Orders {
    table: Table,
    met: Vec<AtomicBool>,
    /// The process that reads the table: a child says nothing at its end.
    process: libc::pid_t,
}

static ORDERS: Once<Orders> = Once(OnceLock::new());

fn orders() -> Option<&'static Orders> {
    ORDERS.get()
}

/// A runtime that has no team yet looks for a tool: from now on there may be loops to change, and the word that loops test says
/// so.
pub(crate) fn begin() {
    ORDERS.decide(&TABLE, read);
}

/// An image connects, so its loops run: orders that were not there before come too late, since teams may be in the middle of
/// loops.
pub(crate) fn settle() {
    ORDERS.settle(|| {
        if environment::variable(VARIABLE).is_some_and(|value| !value.is_empty()) {
            report::complain(format_args!(
                "{VARIABLE}: no OpenMP runtime had asked this library for a tool when the first loop ran: OMP_TOOL=disabled, a \
                 runtime without a tools interface, or a library that was loaded too late. The program runs as compiled. \
                 Attach it by LD_PRELOAD or OMP_TOOL_LIBRARIES"
            ));
        }
    });
}

/// Some loops of an image began before there were orders, and its runtime may have a team in one of them.
static IS_LATE: AtomicBool = AtomicBool::new(false);

pub(crate) fn say_late(path: impl FnOnce() -> String) {
    if !IS_LATE.swap(true, Ordering::Relaxed) {
        report::complain(format_args!(
            "{VARIABLE}: loops of {} ran before this library was loaded, by another OpenMP runtime than the one that now looks for a \
             tool, or it is not known by which: they run as compiled. Attach the library by LD_PRELOAD",
            path()
        ));
    }
}

/// Does libomp take the value of a variable for true? (`kmp_settings.cpp`)
fn is_true(value: &str) -> bool {
    let known = [
        "true", "on", "1", "yes", "enabled", ".true.", "t", "y", ".t.",
    ];
    let value = value.trim();
    known.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Can loops of this process be cancelled?
pub(crate) fn cancels() -> bool {
    let value = environment::variable("OMP_CANCELLATION");
    value.is_some_and(|value| value.to_str().is_none_or(is_true))
}

/// Is there any order?
#[inline]
pub(crate) fn any() -> bool {
    orders().is_some()
}

/// Do schedules take turns?
pub(crate) fn alternate() -> bool {
    orders().is_some_and(|orders| orders.table.alternates())
}

fn read() -> Option<Orders> {
    let value = environment::variable(VARIABLE)?;
    let refuse = |why: core::fmt::Arguments<'_>| {
        report::complain(format_args!(
            "{VARIABLE}: {why}. The program runs as compiled"
        ));
        None
    };
    let Some(value) = value.to_str().map(str::trim) else {
        return refuse(format_args!("the value is not UTF-8"));
    };
    let text = match value.strip_prefix('@') {
        None => value.to_owned(),
        Some(path) => match file::read(Path::new(path)) {
            Ok(text) => text,
            Err(error) => return refuse(format_args!("cannot read {}: {error}", shown(path))),
        },
    };
    let table = match Table::parse(&text) {
        Ok(table) => table,
        Err(mistake) if value.starts_with('@') => {
            return refuse(format_args!(
                "line {} of {}, {mistake}",
                mistake.line,
                shown(&value[1..])
            ));
        }
        Err(mistake) => return refuse(format_args!("{mistake}")),
    };
    if table.entries().is_empty() {
        return None;
    }
    if cancels() {
        return refuse(format_args!(
            "OMP_CANCELLATION is on, and OpenMP runtimes do not survive that a loop is cancelled whose chunks they deal"
        ));
    }
    Some(Orders {
        met: table
            .entries()
            .iter()
            .map(|_| AtomicBool::new(false))
            .collect(),
        table,
        // SAFETY: has no preconditions.
        process: unsafe { libc::getpid() },
    })
}

/// The schedule under which this execution runs, if it is not the loop's own. Every thread of a team gets the same. Of
/// schedules in turn the first, unless its runtime `is_served` and says which region it is.
#[inline]
pub(crate) fn choose(record: &'static LoopRecord, is_served: bool) -> Option<Chosen> {
    let orders = orders()?;
    let entry = orders.table.entries().get(remembered(orders, record)?)?;
    let schedule = match &entry.schedules[..] {
        several if several.len() > 1 && is_served => {
            several[turns::number(record) as usize % several.len()]
        }
        several => *several.first()?,
    };
    let in_order = record.flags & LOOP_LAST_READ != 0;
    let (schedule, chunk) = schedule.for_runtime(in_order)?;
    let mut chosen = Chosen {
        schedule,
        chunk,
        stepped: false,
    };
    chosen.stepped = record.flags & LOOP_DEALT == 0
        && match chosen.kind() {
            STATIC => true,
            STATIC_CHUNKED => chunk <= LARGEST_STEPPED,
            _ => false,
        };
    Some(chosen)
}

/// No entry counts. More: the number of the one that does, plus 2. (0: nothing is remembered.)
const NONE: u32 = 1;

/// What was found of the record at an address, and how many images the shim had met by then: when there are more, the loops of
/// another library may stand where those of the first stood.
static DECISIONS: Numbers<{ 1 << 14 }> = Numbers::empty();

/// The entry that counts for a loop.
#[inline]
fn remembered(orders: &Orders, record: &'static LoopRecord) -> Option<usize> {
    let met = met::so_far() as u32;
    let find = || decide(orders, record);
    let number = match DECISIONS.of(core::ptr::from_ref(record).addr(), ALONE) {
        Some(place) => kept(place, met, find),
        // There are more loops than places: it is found anew each time.
        None => find(),
    };
    (number as usize).checked_sub(2)
}

#[cold]
fn decide(orders: &Orders, record: &'static LoopRecord) -> u32 {
    let place = place_of(record);
    let Some(number) = orders.table.find(place) else {
        return NONE;
    };
    let entry = &orders.table.entries()[number];
    orders.met[number].store(true, Ordering::Relaxed);
    if entry.schedules == [Schedule::Source] {
        return NONE;
    }
    let by_all = entry.pattern == Pattern::All;
    if record.flags & LOOP_CHANGEABLE == 0 {
        if !by_all && is_new(place) {
            let why = fixed::sentence(record.fixed).unwrap_or("its form is not known");
            report::complain(format_args!(
                "{VARIABLE}: '{}' leaves the loop {} as compiled: {why}",
                shown(&entry.text),
                name(place)
            ));
        }
        return NONE;
    }
    if by_all && record.flags & LOOP_NO_BARRIER != 0 {
        if is_new(place) {
            LEFT_OUT.add(name(place));
        }
        return NONE;
    }
    if is_new(place) {
        report::explain(format_args!(
            "{VARIABLE}: '{}' changes the loop {}",
            shown(&entry.text),
            name(place)
        ));
    }
    number as u32 + 2
}

/// Says something of a loop, which it names, unless something was said before.
pub(crate) fn say_once(record: &'static LoopRecord, say: impl FnOnce(&str)) {
    let place = place_of(record);
    if is_new(place) {
        say(&name(place));
    }
}

fn place_of(record: &'static LoopRecord) -> Place<'static> {
    Place {
        file: text(record, record.file),
        line: record.line,
        column: record.column,
        function: text(record, record.function),
    }
}

fn name(place: Place<'_>) -> String {
    let file = place.file.rsplit('/').next().unwrap_or_default();
    match (file, place.line) {
        ("", _) | (_, 0) => format!("of {} (compiled without -g)", shown(place.function)),
        _ => format!("{}:{}:{}", shown(file), place.line, place.column),
    }
}

/// A string of a record.
fn text(record: &'static LoopRecord, offset: u32) -> &'static str {
    if offset == 0 || offset >= record.size {
        return "";
    }
    let start = core::ptr::from_ref(record).cast::<u8>();
    // SAFETY: the plugin puts a terminated string there, within the record; and records stay as long as their loops run.
    let text = unsafe { CStr::from_ptr(start.add(offset as usize).cast()) };
    text.to_str().unwrap_or_default()
}

/// Loops of which something was said, by their hashes.
static SAID: [AtomicU64; 512] = [const { AtomicU64::new(0) }; 512];

/// Is it the first time that this loop comes?
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

/// Loops that `*` left out.
struct LeftOut(AtomicPtr<Node>);

struct Node {
    name: String,
    next: *mut Node,
}

static LEFT_OUT: LeftOut = LeftOut(AtomicPtr::new(core::ptr::null_mut()));

impl LeftOut {
    fn add(&self, name: String) {
        let node = Box::into_raw(Box::new(Node {
            name,
            next: core::ptr::null_mut(),
        }));
        let mut head = self.0.load(Ordering::Acquire);
        loop {
            // SAFETY: just made, and nobody else knows it yet.
            unsafe { (*node).next = head };
            match self
                .0
                .compare_exchange(head, node, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return,
                Err(other) => head = other,
            }
        }
    }

    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut at = self.0.load(Ordering::Acquire);
        // SAFETY: nodes are never freed.
        while let Some(node) = unsafe { at.as_ref() } {
            names.push(node.name.clone());
            at = node.next;
        }
        names.sort();
        names
    }
}

/// Most lines about entries that met no loop, and most loops that one line names: a program that says more is not read.
const MOST_LINES: usize = 20;
const MOST_NAMES: usize = 100;

/// What became of the orders, when the process ends.
extern "C" fn at_exit() {
    let _ = std::panic::catch_unwind(|| {
        let Some(orders) = orders() else { return };
        // SAFETY: has no preconditions.
        if unsafe { libc::getpid() } != orders.process {
            return;
        }
        let all = orders.table.entries().iter().zip(&orders.met);
        // Those that came late may have been meant.
        let is_late = IS_LATE.load(Ordering::Relaxed);
        let mut useless = all.filter(|(entry, met)| {
            !is_late && !met.load(Ordering::Relaxed) && entry.pattern != Pattern::All
        });
        for (entry, _) in useless.by_ref().take(MOST_LINES) {
            report::complain(format_args!(
                "{VARIABLE}: no loop that ran is meant by '{}'. `ompchunk loops PROGRAM` prints the loops there are; \
                 one that is not among them was not compiled with the plugin",
                shown(&entry.text)
            ));
        }
        let more = useless.count();
        if more > 0 {
            report::complain(format_args!("{VARIABLE}: nor by {more} more entries"));
        }
        let left_out = LEFT_OUT.names();
        if !left_out.is_empty() {
            let more = left_out.len().saturating_sub(MOST_NAMES);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            report::complain(format_args!(
                "{VARIABLE}: '*' left out what no barrier follows (name such a loop to change it all the same): {}{more}",
                left_out[..left_out.len().min(MOST_NAMES)].join(", ")
            ));
        }
    });
}

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;
