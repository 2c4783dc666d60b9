//! Where the longest chain of work that leads to a task with dependences begins: at the ends of its creator's earlier
//! tasks that it depends on (OpenMP 5.2, 15.9.5), by variables and kinds, whatever had ended already in one run.

use std::cell::Cell;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ompt::raw::{
    DEPENDENCE_IN, DEPENDENCE_INOUT, DEPENDENCE_INOUT_ALL_MEMORY, DEPENDENCE_INOUTSET, DEPENDENCE_OUT,
    DEPENDENCE_OUT_ALL_MEMORY, Dependence, DependenceType,
};

use ompchunk_guest::memory::{self, Grow};

use crate::cells::Mix;

/// So many children of a task are looked at apart before those that are over are taken out.
const OPEN: usize = 32;
/// Variables of one task's children. The runtime, too, keeps what it knows of each of them, and needs more memory for it.
const MOST_VARIABLES: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// What dependences order of a task; most have none. Who runs the task has it alone.
#[derive(Default)]
pub(crate) struct OrderIfAny(Cell<Option<Box<Order>>>);

#[derive(Default)]
pub(crate) struct Order {
    own: Option<Own>,
    children: Children,
    awaited: Option<Ends>,
}

#[derive(Default)]
struct Own {
    end: End,
    /// What has to end before. Nothing: not known.
    after: Option<Ends>,
}

/// Where the chain ends that leads to a task's end, or 0 before that.
#[derive(Debug, Clone, Default)]
struct End(Arc<AtomicU64>);

#[derive(Default)]
struct Ends {
    longest: u64,
    open: Vec<End>,
    is_part: bool,
}

/// A task's children with dependences, as far as later ones may depend on them.
#[derive(Default)]
struct Children {
    variables: HashMap<u64, Variable, BuildHasherDefault<Mix>>,
    /// What depends on all memory, and so comes before whatever is created later.
    before_all: Ends,
    /// There are more variables than are kept, or kinds that order nothing for good.
    is_unknown: bool,
}

struct Variable {
    /// Kind of the latest tasks, and whether such tasks may run at the same time.
    kind: DependenceType,
    latest: Ends,
    before: Ends,
}

impl OrderIfAny {
    pub(crate) fn is_any(&self) -> bool {
        let order = self.0.take();
        let is_any = order.is_some();
        self.0.set(order);
        is_any
    }

    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Order) -> T) -> T {
        let mut order = self.0.take().unwrap_or_default();
        let changed = change(&mut order);
        self.0.set(Some(order));
        changed
    }

    pub(crate) fn clear(&self) {
        self.0.set(None);
    }
}

impl Order {
    /// A task is created that has dependences, which are told next.
    pub(crate) fn expects(&mut self) {
        self.own = Some(Own::default());
    }

    /// What the child depends on is told to its creator's `Order`.
    pub(crate) fn child_depends(&mut self, child: &mut Order, dependences: &[Dependence]) {
        if let Some(own) = &mut child.own {
            own.after = self.children.before(dependences);
            self.children.add(&own.end, dependences);
        }
    }

    pub(crate) fn expects_to_wait(&mut self) {
        self.awaited = None;
    }

    pub(crate) fn waits(&mut self, dependences: &[Dependence]) {
        self.awaited = self.children.before(dependences);
    }

    /// The `taskwait` is over: the chain that leads to where it is, if that is known.
    pub(crate) fn has_waited(&mut self) -> Option<u64> {
        self.awaited.take()?.longest()
    }

    /// Its task begins behind a chain that is so long, if that is known. Without dependences, it begins where it was created.
    pub(crate) fn begins(&mut self) -> Option<u64> {
        match &mut self.own {
            Some(own) => own.after.take()?.longest(),
            None => Some(0),
        }
    }

    pub(crate) fn ends(&self, path: u64) {
        if let Some(own) = &self.own {
            own.end.is_at(path);
        }
    }

    pub(crate) fn all_are_over(&mut self) {
        self.children = Children::default();
    }
}

impl End {
    fn is_at(&self, path: u64) {
        self.0.store(path.saturating_add(1), Ordering::Release);
    }

    fn path(&self) -> Option<u64> {
        self.0.load(Ordering::Acquire).checked_sub(1)
    }
}

impl Ends {
    fn add(&mut self, end: &End) {
        self.is_part |= !memory::push(&mut self.open, end.clone());
        if self.open.len() >= OPEN && self.open.len().is_power_of_two() {
            self.settle();
        }
    }

    fn extend(&mut self, more: &Ends) {
        self.longest = self.longest.max(more.longest);
        self.is_part |= more.is_part;
        if self.open.grow(more.open.len()) { self.open.extend(more.open.iter().cloned()) } else { self.is_part = true }
    }

    fn copied(&self) -> Ends {
        let mut ends = Ends::default();
        ends.extend(self);
        ends
    }

    fn settle(&mut self) {
        let longest = &mut self.longest;
        self.open.retain(|end| {
            let path = end.path();
            *longest = (*longest).max(path.unwrap_or(0));
            path.is_none()
        });
    }

    /// The longest chain. `None`: one is not over, as far as was told.
    fn longest(mut self) -> Option<u64> {
        self.settle();
        (self.open.is_empty() && !self.is_part).then_some(self.longest)
    }
}

impl Children {
    fn before(&self, dependences: &[Dependence]) -> Option<Ends> {
        let mut ends = self.before_all.copied();
        for dependence in dependences {
            let kind = dependence.dependence_type;
            if !is_order(kind) || self.is_unknown {
                return None;
            }
            if is_all_memory(kind) {
                for variable in self.variables.values() {
                    ends.extend(&variable.latest);
                }
            } else if let Some(variable) = self.variables.get(&address(dependence)) {
                ends.extend(if variable.may_join(kind) { &variable.before } else { &variable.latest });
            }
        }
        Some(ends)
    }

    fn add(&mut self, end: &End, dependences: &[Dependence]) {
        for dependence in dependences {
            let kind = dependence.dependence_type;
            let has_room = self.variables.len() < MOST_VARIABLES && self.variables.grow(1);
            if !is_order(kind) || !has_room {
                // What depends on it is not known either.
                self.is_unknown = true;
            } else if is_all_memory(kind) {
                self.variables.clear();
                self.before_all = Ends::default();
                self.before_all.add(end);
            } else {
                // No known task depends on it, but what depends on all memory.
                let new =
                    || Variable { kind: DEPENDENCE_OUT, latest: self.before_all.copied(), before: Ends::default() };
                self.variables.entry(address(dependence)).or_insert_with(new).add(kind, end);
            }
        }
    }
}

impl Variable {
    fn add(&mut self, kind: DependenceType, end: &End) {
        if !self.may_join(kind) {
            self.before = std::mem::take(&mut self.latest);
            self.kind = kind;
        }
        self.latest.add(end);
    }

    fn may_join(&self, kind: DependenceType) -> bool {
        kind == self.kind && matches!(kind, DEPENDENCE_IN | DEPENDENCE_INOUTSET)
    }
}

fn address(dependence: &Dependence) -> u64 {
    // SAFETY: an address or a number; both have these bits.
    unsafe { dependence.variable.value }
}

/// Says what comes first. With `mutexinoutset`, the runtime chooses one of several orders.
fn is_order(kind: DependenceType) -> bool {
    matches!(kind, DEPENDENCE_IN | DEPENDENCE_OUT | DEPENDENCE_INOUT | DEPENDENCE_INOUTSET) || is_all_memory(kind)
}

fn is_all_memory(kind: DependenceType) -> bool {
    matches!(kind, DEPENDENCE_OUT_ALL_MEMORY | DEPENDENCE_INOUT_ALL_MEMORY)
}
