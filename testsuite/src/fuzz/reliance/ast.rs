//! A generated program as a tree. Each loop writes an array of its own, so what went wrong shows in what is left in the arrays.

use std::collections::BTreeSet;

use crate::fuzz::ast::Language;

/// A loop's number, which is that of its array, too.
pub type Id = u32;

/// Regions that run one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    pub language: Language,
    /// `OMP_NUM_THREADS`.
    pub threads: u32,
    pub regions: Vec<Region>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// How often it runs, in a sequential loop.
    pub times: u32,
    /// It stands in a function of its own.
    pub is_apart: bool,
    /// Where its threads keep values of their own, if they do.
    pub own: Option<Own>,
    pub steps: Vec<Step>,
}

/// Memory of each thread's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Own {
    ThreadPrivate,
    ThreadLocal,
    Local,
    /// Memory that each thread asked for.
    Heap,
    /// A row of an array for each thread, by its number.
    Number,
    /// The same by another number, which the threads get without being asked for theirs.
    Row(Ticket),
}

/// How threads come by different numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ticket {
    /// `atomic capture`.
    Atomic,
    /// The same in a function.
    Function,
    Critical,
    /// One of them met `single`.
    Single,
    /// One of them is the primary thread.
    Masked,
    /// What a dynamic loop gave each of them last.
    Dealt,
    /// The section that each of them ran.
    Section,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Loop(Loop),
    Repeat(u32, Vec<Step>),
    /// Only in every so manieth execution of the region.
    Sometimes(u32, Vec<Step>),
    /// A function that is called, by number.
    Call(Linkage, Id, Vec<Step>),
    Barrier,
    /// `single`, with `nowait` perhaps.
    Single(bool),
    Masked,
    Critical,
    Atomic,
    /// A call of what the compiler cannot look into.
    Opaque,
}

/// Who can call a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    Static,
    Extern,
    /// `static inline`.
    Inline,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// `static`, perhaps with a chunk size.
    Static(Option<u32>),
    /// Chunks that a thread takes by its number, without any directive, as the static loops do that have this chunk size.
    ByHand(u32),
    /// Whatever whoever comes first gets.
    Dealt(&'static str),
}

/// What determines which thread runs which iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapping {
    pub trip: u32,
    pub schedule: Schedule,
}

impl Mapping {
    /// OpenMP promises that the loops give a thread the same iterations.
    pub fn is_promised_by(self, mapping: Mapping) -> bool {
        let chunk = |mapping: Mapping| match mapping.schedule {
            Schedule::Static(chunk) => Some(chunk),
            Schedule::ByHand(chunk) => Some(Some(chunk)),
            Schedule::Dealt(_) => None,
        };
        self.trip == mapping.trip && chunk(self).is_some() && chunk(self) == chunk(mapping)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    pub id: Id,
    pub mapping: Mapping,
    pub nowait: bool,
    /// How its bounds are written, one of [`FORMS`].
    pub form: u32,
    /// The number of iterations is a variable.
    pub is_variable: bool,
    /// One iteration takes long, so that others are far ahead of the thread that runs it.
    pub slow: Option<u32>,
    /// The thread keeps the values in its own memory, too.
    pub keeps: bool,
    /// The thread sums them up.
    pub adds: bool,
    pub reduces: bool,
    pub last: bool,
    /// What a thread carries from one iteration to the next.
    pub carries: Option<Carried>,
    pub reads: BTreeSet<Read>,
}

/// Ways to write a loop's bounds.
pub const FORMS: u32 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carried {
    pub by: Carry,
    /// The chunk size with which it begins anew; none if it never does.
    pub chunk: Option<u32>,
}

/// Ways to carry a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carry {
    /// A variable of the thread's, whose address a function of another file gets.
    Foreign,
    /// The same with a function of this file.
    Known,
    Member,
    Element,
    /// The element of an array that a loop of the iteration leaves as it was.
    Rest,
    /// Memory that the thread asked for.
    Heap,
    /// Tasks that wait for each other.
    Tasks,
}

/// A value that an iteration reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Read {
    /// What the same iteration of that loop wrote, without a barrier in between.
    Near(Id),
    /// What some iteration of that loop wrote, with one.
    Far(Id),
    /// What the same iteration of that loop left in the thread's own memory.
    Own(Id),
    Sum,
}

impl Loop {
    /// What its directive says but `nowait`. A loop that is dealt out by hand has none.
    pub fn clauses(&self) -> String {
        let mut text = match self.mapping.schedule {
            Schedule::Static(None) if self.form == 1 => String::new(),
            Schedule::Static(None) => " schedule(static)".to_owned(),
            Schedule::Static(Some(chunk)) => format!(" schedule(static, {chunk})"),
            Schedule::Dealt(kind) => format!(" schedule({kind})"),
            Schedule::ByHand(_) => String::new(),
        };
        for (is_there, clause) in [(self.reduces, "reduction(+: red"), (self.last, "lastprivate(last")] {
            if is_there {
                text += &format!(" {clause}{})", self.id);
            }
        }
        text
    }
}

impl Program {
    /// All loops in the order of the text.
    pub fn loops(&self) -> Vec<&Loop> {
        let mut loops = Vec::new();
        for region in &self.regions {
            collect(&region.steps, &mut loops);
        }
        loops
    }

    pub fn has(&self, wanted: impl Fn(&Step) -> bool + Copy) -> bool {
        self.regions.iter().any(|region| any(&region.steps, wanted))
    }

    /// All that it relies on is that static loops of one function with as many iterations and the same chunk size are mapped alike.
    pub fn relies_on_pairs_alone(&self) -> bool {
        let reads_more = |l: &&Loop| {
            (l.reads.iter()).any(|read| matches!(read, Read::Own(_) | Read::Sum))
                || matches!(l.mapping.schedule, Schedule::ByHand(_))
                || l.carries.is_some()
        };
        let is_around = |step: &Step| matches!(step, Step::Call(..) | Step::Opaque);
        !self.has(is_around) && !self.loops().iter().any(reads_more)
    }

    /// No thread keeps anything of its own.
    pub fn keeps_nothing(&self) -> bool {
        !self.loops().iter().any(|l| l.keeps || l.adds)
    }

    /// What it computes is the same on every number of threads.
    pub fn is_the_same_on_all_teams(&self) -> bool {
        let goes_on = |l: &&Loop| l.carries.is_some_and(|carried| carried.chunk.is_none());
        !(self.loops().iter()).any(|l| l.reads.contains(&Read::Sum) || goes_on(l))
    }
}

pub fn collect<'a>(steps: &'a [Step], loops: &mut Vec<&'a Loop>) {
    for step in steps {
        match step {
            Step::Loop(l) => loops.push(l),
            _ => collect(step.inner(), loops),
        }
    }
}

fn any(steps: &[Step], wanted: impl Fn(&Step) -> bool + Copy) -> bool {
    (steps.iter()).any(|step| wanted(step) || any(step.inner(), wanted))
}

impl Step {
    pub fn inner(&self) -> &[Step] {
        match self {
            Step::Repeat(_, steps) | Step::Sometimes(_, steps) | Step::Call(_, _, steps) => steps,
            _ => &[],
        }
    }

    /// All threads meet at its end.
    pub fn ends_with_barrier(&self) -> bool {
        match self {
            Step::Loop(l) => !l.nowait && !matches!(l.mapping.schedule, Schedule::ByHand(_)),
            Step::Barrier | Step::Single(false) => true,
            Step::Repeat(_, steps) | Step::Call(_, _, steps) => steps.last().is_some_and(Step::ends_with_barrier),
            _ => false,
        }
    }
}
