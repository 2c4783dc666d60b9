//! A random program from a seed.
//!
//! Everything random stands here and in [`super::config`]. Programs are free of undefined behaviour by construction: no loop variable leaves its
//! type, not even after the last iteration; variables that several threads write are written by reductions or `lastprivate` alone.

use super::ast::*;
use super::dims;
use super::rng::Rng;

/// Loops of one program at most.
const MOST_LOOPS: u64 = 8;

/// Schedules whose chunks the runtime deals.
const DEALT: [&str; 4] = ["dynamic", "dynamic, 3", "guided", "runtime"];

/// What kinds of program a generator makes.
pub struct Generator {
    rng: Rng,
    language: Language,
    unobserved: bool,
    next_id: u64,
}

impl Generator {
    pub fn program(rng: Rng, language: Language) -> Program {
        let mut generator = Generator { unobserved: false, rng, language, next_id: 0 };
        generator.unobserved = generator.language == Language::C && generator.rng.chance(12);
        let rng = &mut generator.rng;
        let mut program = Program {
            language,
            threads: rng.range(1, 7) as u32,
            levels: rng.range(1, 2) as u32,
            cancellation: rng.chance(70),
            unobserved: generator.unobserved,
            nodes: Vec::new(),
        };
        for _ in 0..*generator.rng.pick(&[1, 1, 1, 2, 2, 3]) {
            if generator.next_id < MOST_LOOPS {
                let node = generator.node();
                program.nodes.push(node);
            }
        }
        program
    }

    fn fortran(&self) -> bool {
        self.language == Language::Fortran
    }

    fn node(&mut self) -> Node {
        match self.rng.below(100) {
            0..34 => {
                let region = self.region();
                let mut the_loop = self.worksharing(false);
                the_loop.orphaned = false;
                the_loop.nowait = false;
                Node::Combined(region, the_loop)
            }
            34..81 => {
                let region = self.region();
                let items = self.items(0);
                Node::Parallel(region, items)
            }
            // The runtime tells tools that flang's other constructs were loops. And what a team runs of a loop can only be judged by what the
            // bodies tell: the runtime knows the team's share, not the whole.
            81..92 if !self.fortran() && !self.unobserved => self.teams(),
            _ => {
                let mut the_loop = self.worksharing(false);
                the_loop.orphaned = true;
                Node::Serial(the_loop)
            }
        }
    }

    fn region(&mut self) -> Region {
        let rng = &mut self.rng;
        Region {
            threads: rng.chance(40).then(|| rng.range(1, 7) as u32),
            condition: rng.chance(15).then(|| rng.chance(50)),
        }
    }

    fn items(&mut self, depth: u32) -> Vec<Item> {
        let mut items = Vec::new();
        for _ in 0..*self.rng.pick(&[1, 1, 2, 2, 3]) {
            if self.next_id >= MOST_LOOPS {
                break;
            }
            match self.rng.below(100) {
                0..15 if depth == 0 => {
                    let times = self.rng.range(1, 4) as u32;
                    items.push(Item::Repeat(times, self.items(depth + 1)));
                }
                15..18 => items.push(Item::Barrier),
                18..21 => items.push(Item::Single),
                21..24 if !self.unobserved && !self.fortran() => {
                    items.push(Item::Sections(self.rng.range(1, 4) as u32));
                }
                _ => items.push(Item::Loop(self.worksharing(depth > 0))),
            }
        }
        items
    }

    /// A worksharing loop with everything it may have. In a sequential loop, a thread may be in
    /// another execution than its neighbour, unless there is a barrier: then no `nowait` beside results.
    fn worksharing(&mut self, repeated: bool) -> Loop {
        let mut the_loop = self.plain();
        let unobserved = self.unobserved;
        let rng = &mut self.rng;
        the_loop.orphaned = rng.chance(15);
        the_loop.nowait = rng.chance(25);
        // Fortran has no arithmetic that may overflow.
        let wide = self.language == Language::Fortran && the_loop.dims.iter().any(|d| d.kind.bits > 32);
        let operators: &[&str] = if wide { &["max", "^"] } else { &["+", "max", "^"] };
        the_loop.reduction = rng.chance(20).then(|| *rng.pick(operators));
        the_loop.lastprivate = rng.chance(20);
        if the_loop.lastprivate || (repeated && the_loop.reduction.is_some()) {
            the_loop.nowait = false;
        }
        if the_loop.simd.is_none() && !unobserved {
            if rng.chance(6) && self.language == Language::C {
                let kind: &&'static str = rng.pick(&DEALT);
                the_loop.schedule = Schedule::Dealt(kind);
                // Stock programs sometimes lose the last value of such loops.
                the_loop.lastprivate = false;
                the_loop.modifier = the_loop.modifier.filter(|modifier| *modifier == "monotonic");
            } else if rng.chance(5) {
                the_loop.cancel = Some(rng.below(the_loop.trip() + 2));
                the_loop.nowait = false;
                the_loop.reduction = None;
                the_loop.lastprivate = false;
            } else if rng.chance(9) && the_loop.trip() <= 24 && self.next_id < MOST_LOOPS {
                the_loop.inner = Some(Box::new(self.inner()));
            }
        }
        the_loop
    }

    /// A region inside an iteration. Its loop has no results: other threads run it at the same time.
    fn inner(&mut self) -> (Region, Loop) {
        let mut region = self.region();
        region.threads = Some(self.rng.range(1, 3) as u32);
        let mut the_loop = self.plain();
        the_loop.private = false;
        the_loop.firstprivate = false;
        let dims = &mut the_loop.dims;
        dims.truncate(1);
        if dims[0].trip > 24 {
            dims[0] = dims::dim(&mut self.rng, 24, self.language);
        }
        (region, the_loop)
    }

    fn teams(&mut self) -> Node {
        let mut body = self.plain();
        let rng = &mut self.rng;
        let split = rng.chance(30);
        let parallel = (!split && rng.chance(60)).then(|| rng.chance(50).then(|| rng.range(1, 3) as u32));
        let schedule = rng.chance(60).then(|| rng.chance(70).then(|| dims::chunk(rng, body.trip())));
        if parallel.is_none() {
            body.schedule = Schedule::Default;
        }
        // Stock clang goes wrong beyond both ends: with chunks of 1 a team of one thread runs one
        // iteration only (the plugin leaves that form alone), and the end of a large chunk overflows.
        if let Schedule::Chunked(chunk) = &mut body.schedule {
            chunk.value = chunk.value.clamp(2, 1 << 20);
        }
        body.modifier = None;
        body.simd = None;
        Node::Teams(Teams { teams: rng.range(1, 3) as u32, split, parallel, schedule, body })
    }

    /// Bounds, schedule, and what a loop may have anywhere.
    fn plain(&mut self) -> Loop {
        let id = self.next_id;
        self.next_id += 1;
        let language = self.language;
        let rng = &mut self.rng;
        let depth = match rng.below(100) {
            0..80 => 1,
            80..93 => 2,
            _ => 3,
        };
        let most = [600, 14, 6][depth - 1];
        let dims: Vec<Dim> = (0..depth).map(|_| dims::dim(rng, most, language)).collect();
        let trip = dims.iter().map(|dim| dim.trip).product();
        // flang 22 refuses simd with variables of any other width.
        let simd_compiles = language == Language::C || dims.iter().all(|dim| dim.kind.bits == 32);
        let simd = (rng.chance(12) && simd_compiles).then(|| rng.chance(30).then(|| rng.chance(50)));
        let schedule = match rng.below(100) {
            0..12 => Schedule::Default,
            12..30 => Schedule::Static,
            _ => Schedule::Chunked(dims::chunk(rng, trip)),
        };
        let modifier = match (schedule, rng.below(100)) {
            (Schedule::Default, _) => None,
            (_, 0..8) => Some("monotonic"),
            (_, 8..16) if language == Language::C => Some("nonmonotonic"),
            (Schedule::Static, 16..30) if simd.is_some() => Some("simd"),
            _ => None,
        };
        Loop {
            id,
            orphaned: false,
            dims,
            schedule,
            modifier,
            simd,
            nowait: false,
            reduction: None,
            private: rng.chance(15),
            firstprivate: rng.chance(15),
            lastprivate: false,
            cancel: None,
            inner: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_stay_in_their_types() {
        for seed in 0..2000 {
            for language in [Language::C, Language::Fortran] {
                let program = Generator::program(Rng::new(seed), language);
                for place in program.loops() {
                    assert!(place.the_loop.trip() <= MOST_ITERATIONS);
                    for dim in &place.the_loop.dims {
                        let values = dim.kind.min()..=dim.kind.max();
                        let after = dim.start.value + i128::from(dim.trip) * dim.step.value;
                        assert!(values.contains(&dim.start.value), "{dim:?}");
                        assert!(values.contains(&dim.limit.value), "{dim:?}");
                        assert!(values.contains(&after), "{dim:?}");
                        assert_eq!(dims::trip(dim, language), dim.trip, "{dim:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_seed_is_one_program() {
        let program = || Generator::program(Rng::new(7), Language::C);
        assert_eq!(program(), program());
    }
}
