//! A generated program, as a tree: small enough that the shrinker can cut anywhere, and rich enough
//! that what the program must do is known without running it.

use std::collections::BTreeSet;

use super::rng::mix;

/// Elements of the arrays of programs whose bodies call nothing; no loop has more iterations.
pub const MOST_ITERATIONS: u64 = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C,
    Fortran,
}

/// A program: statements that its only function runs one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    pub language: Language,
    /// `OMP_NUM_THREADS`.
    pub threads: u32,
    /// `OMP_MAX_ACTIVE_LEVELS`.
    pub levels: u32,
    pub cancellation: bool,
    /// Bodies only compute, so that the optimiser may do with them what it wants.
    pub unobserved: bool,
    pub nodes: Vec<Node>,
}

/// A statement of the initial task.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Combined(Region, Loop),
    Parallel(Region, Vec<Item>),
    /// `teams` and a loop dealt to them.
    Teams(Teams),
    /// A worksharing loop outside of any region.
    Serial(Loop),
}

/// Clauses of `parallel`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Region {
    pub threads: Option<u32>,
    /// `if`.
    pub condition: Option<bool>,
}

/// What all threads of a team do.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    Loop(Loop),
    /// A sequential loop around the items.
    Repeat(u32, Vec<Item>),
    Barrier,
    Single,
    /// `sections`, which has static scheduling in common with loops and nothing else.
    Sections(u32),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Teams {
    pub teams: u32,
    /// `teams` and `distribute` are two constructs.
    pub split: bool,
    /// `distribute parallel for`, with its `num_threads`.
    pub parallel: Option<Option<u32>>,
    /// `dist_schedule(static[, c])`.
    pub schedule: Option<Option<Number>>,
    /// The loop; its schedule is that of the inner worksharing loop.
    pub body: Loop,
}

/// Where the program has a number from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Literal,
    Local,
    /// A global variable; a local one in Fortran.
    Global,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    pub value: i128,
    pub source: Source,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// None, which the compilers take for `static`.
    Default,
    Static,
    /// `static,c`.
    Chunked(Number),
    /// One whose chunks the runtime deals.
    Dealt(&'static str),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    pub id: u64,
    /// It stands in a function of its own.
    pub orphaned: bool,
    /// The loops of the nest, outermost first.
    pub dims: Vec<Dim>,
    pub schedule: Schedule,
    /// `monotonic`, `nonmonotonic` or `simd`.
    pub modifier: Option<&'static str>,
    /// `for simd`, with `if(simd: …)` perhaps.
    pub simd: Option<Option<bool>>,
    pub nowait: bool,
    pub reduction: Option<&'static str>,
    pub private: bool,
    pub firstprivate: bool,
    pub lastprivate: bool,
    pub cancel: Option<u64>,
    /// A parallel region with a loop inside each iteration.
    pub inner: Option<Box<(Region, Loop)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntType {
    pub name: &'static str,
    pub bits: u32,
    pub signed: bool,
}

impl IntType {
    pub fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    pub fn max(self) -> i128 {
        (1 << (self.bits - u32::from(self.signed))) - 1
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Dim {
    pub kind: IntType,
    pub start: Number,
    /// What the variable is compared with; Fortran includes it.
    pub limit: Number,
    /// The limit has 64 bits whatever the variable has.
    pub wide_limit: bool,
    pub test: &'static str,
    /// The step, negative if the loop counts down.
    pub step: Number,
    /// How many iterations that makes.
    pub trip: u64,
}

impl Loop {
    pub fn trip(&self) -> u64 {
        self.dims.iter().map(|dim| dim.trip).product()
    }

    /// The compiler may see that it never runs, and then emits nothing. One number is enough for that if it is the type's limit.
    pub fn known_empty(&self) -> bool {
        let literal = |n: Number| n.source == Source::Literal;
        self.dims.iter().any(|d| d.trip == 0 && (literal(d.start) || literal(d.limit)))
    }

    /// The values of the variables in logical iteration `index`, as one number.
    pub fn value(&self, index: u64) -> u64 {
        let mut rest = index;
        let mut values = vec![0_u64; self.dims.len()];
        for (dim, value) in self.dims.iter().zip(&mut values).rev() {
            *value = (dim.start.value + i128::from(rest % dim.trip) * dim.step.value) as u64;
            rest /= dim.trip;
        }
        values.into_iter().fold(0, |all, value| all ^ value)
    }

    /// The sum that the report prints for one execution.
    pub fn checksum(&self) -> u64 {
        (0..self.trip()).fold(0, |sum, index| sum.wrapping_add(mix(mix(index).wrapping_add(self.value(index)))))
    }

    /// clang makes two loops of it, which share one set of bounds.
    pub fn twofold(&self) -> bool {
        let chunked = matches!(self.schedule, Schedule::Chunked(_));
        matches!(self.simd, Some(Some(_))) && !chunked
    }

    /// It has no clause but `schedule`, without a modifier, and `nowait`.
    fn plain(&self) -> bool {
        let variables = self.private || self.firstprivate || self.lastprivate;
        let one = self.dims.len() == 1 && self.simd.is_none() && self.modifier.is_none();
        one && !variables && self.reduction.is_none() && self.cancel.is_none()
    }

    pub fn dealt(&self) -> bool {
        matches!(self.schedule, Schedule::Dealt(_))
    }

    pub fn variable(&self, number: usize) -> String {
        format!("{}{}", ['i', 'j', 'k'][number], self.id)
    }

    /// What its body calls in `support.c`.
    pub fn call(&self) -> &'static str {
        match (self.cancel, self.dealt()) {
            (Some(_), _) => "fuzz_tell",
            (None, true) => "fuzz_any",
            (None, false) => "fuzz_step",
        }
    }

    /// The clauses of its order, of which `number` writes the size of chunks.
    pub fn order(&self, number: impl FnOnce(Number) -> String) -> String {
        let collapse = match self.dims.len() {
            1 => String::new(),
            loops => format!(" collapse({loops})"),
        };
        let modifier = self.modifier.map(|m| format!("{m}: ")).unwrap_or_default();
        match self.schedule {
            Schedule::Default => collapse,
            Schedule::Static => format!("{collapse} schedule({modifier}static)"),
            Schedule::Dealt(kind) => format!("{collapse} schedule({modifier}{kind})"),
            Schedule::Chunked(chunk) => format!("{collapse} schedule({modifier}static, {})", number(chunk)),
        }
    }
}

pub struct Place<'a> {
    pub the_loop: &'a Loop,
    pub executions: u64,
    /// How many loop records it makes: 2 where a worksharing loop is combined with `distribute`.
    pub records: u64,
    /// The compiler may drop it, since a loop around it never runs.
    pub droppable: bool,
    /// Its directive says nothing of a parallel region or teams.
    pub alone: bool,
}

impl Program {
    pub fn loops(&self) -> Vec<Place<'_>> {
        let mut places = Vec::new();
        for node in &self.nodes {
            match node {
                Node::Serial(l) => visit(l, 1, &mut places),
                Node::Combined(_, l) => {
                    visit(l, 1, &mut places);
                    let place = places.last_mut().expect("one was pushed");
                    place.alone = false;
                }
                Node::Parallel(_, items) => visit_items(items, 1, &mut places),
                Node::Teams(teams) => {
                    visit(&teams.body, 1, &mut places);
                    let place = places.last_mut().expect("one was pushed");
                    place.records = 1 + u64::from(teams.parallel.is_some());
                    place.alone = false;
                }
            }
        }
        places
    }

    /// Numbers of the loops whose chunks the runtime deals.
    pub fn dealt(&self) -> BTreeSet<u64> {
        let loops = self.loops().into_iter().map(|place| place.the_loop);
        loops.filter(|l| l.dealt()).map(|l| l.id).collect()
    }

    /// Numbers of those of them that clang leaves to OpenMPIRBuilder if it is asked to: `for`, with no clause but a plain `schedule` and `nowait`.
    pub fn built(&self) -> BTreeSet<u64> {
        let loops = self.loops().into_iter();
        let built = loops.filter(|place| place.alone && place.the_loop.plain());
        let loops = built.map(|place| place.the_loop);
        loops.filter(|l| l.dealt()).map(|l| l.id).collect()
    }

    /// Numbers of those of them of which each thread gets ascending chunks.
    pub fn monotonic(&self) -> BTreeSet<u64> {
        let loops = self.loops().into_iter().map(|place| place.the_loop);
        let monotonic = |l: &&Loop| l.dealt() && l.modifier == Some("monotonic");
        loops.filter(monotonic).map(|l| l.id).collect()
    }

    /// Numbers of the static loops that count with a single variable, or of those that do not.
    pub fn counting(&self, single: bool) -> BTreeSet<u64> {
        let loops = self.loops().into_iter().map(|place| place.the_loop);
        let wanted = |l: &&Loop| !l.dealt() && (l.dims.len() == 1) == single;
        loops.filter(wanted).map(|l| l.id).collect()
    }

    /// Numbers of the loops that may be cancelled, or that a cancelled loop runs.
    pub fn cancelled(&self) -> BTreeSet<u64> {
        let loops = self.loops().into_iter().map(|place| place.the_loop);
        loops.filter(|l| l.cancel.is_some()).map(|l| l.id).collect()
    }

    pub fn sections(&self) -> usize {
        fn among(items: &[Item]) -> usize {
            let of_item = |item: &Item| match item {
                Item::Sections(_) => 1,
                Item::Repeat(_, items) => among(items),
                Item::Loop(_) | Item::Barrier | Item::Single => 0,
            };
            items.iter().map(of_item).sum()
        }
        let regions = self.nodes.iter().filter_map(|node| match node {
            Node::Parallel(_, items) => Some(items),
            _ => None,
        });
        regions.map(|items| among(items)).sum()
    }

    pub fn has_teams(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node, Node::Teams(_)))
    }
}

fn visit<'a>(the_loop: &'a Loop, executions: u64, places: &mut Vec<Place<'a>>) {
    if let Some(inner) = &the_loop.inner {
        let before = places.len();
        visit(&inner.1, executions * the_loop.trip(), places);
        let droppable = the_loop.known_empty();
        places[before..].iter_mut().for_each(|p| p.droppable |= droppable);
        let own = places.last_mut().expect("one was pushed");
        own.alone = false;
    }
    places.push(Place {
        the_loop,
        executions,
        records: if the_loop.twofold() { 2 } else { 1 },
        droppable: the_loop.known_empty() || the_loop.twofold(),
        alone: true,
    });
}

fn visit_items<'a>(items: &'a [Item], executions: u64, places: &mut Vec<Place<'a>>) {
    for item in items {
        match item {
            Item::Loop(l) => visit(l, executions, places),
            Item::Repeat(times, items) => {
                visit_items(items, executions * u64::from(*times), places);
            }
            Item::Barrier | Item::Single | Item::Sections(_) => {}
        }
    }
}
