//! A random program: first its loops and what stands between them, then what they read, as far as the rules allow.

use super::ast::*;
use super::{carry, rules};
use crate::fuzz::ast::Language;
use crate::fuzz::rng::Rng;

/// Loops of a program at most.
const MOST_LOOPS: Id = 16;

const DEALT: [&str; 5] = ["dynamic", "guided, 3", "dynamic, 2", "dynamic, 5", "dynamic, 12"];

pub struct Generator {
    rng: Rng,
    language: Language,
    /// What most of the loops have in common.
    usual: Mapping,
    next: Id,
    next_function: Id,
    own: Option<Own>,
}

impl Generator {
    pub fn program(mut rng: Rng, language: Language) -> Program {
        let usual = Mapping {
            trip: *rng.pick(&[7, 30, 100, 100, 257, 600]),
            schedule: Schedule::Static(rng.chance(25).then(|| rng.range(1, 9) as u32)),
        };
        let threads = match rng.below(100) {
            0..3 => 300,
            3..50 => 2,
            50..90 => 5,
            _ => 3,
        };
        let mut generator = Generator { rng, language, usual, next: 0, next_function: 0, own: None };
        let mut program = Program { language, threads, regions: Vec::new() };
        for _ in 0..*generator.rng.pick(&[1, 1, 1, 2]) {
            let region = generator.region();
            program.regions.push(region);
        }
        generator.reads(&mut program);
        program
    }

    fn region(&mut self) -> Region {
        let own = self.rng.chance(40).then(|| self.own());
        self.own = own;
        Region {
            times: *self.rng.pick(&[1, 1, 2, 3, 5]),
            is_apart: self.rng.chance(40),
            own,
            steps: match self.rng.below(100) {
                0..25 => self.chain(),
                // What stands alone in its region is free unless it carries something.
                25..40 => vec![Step::Loop(self.the_loop())],
                _ => self.steps(0),
            },
        }
    }

    fn own(&mut self) -> Own {
        let tickets = [
            Ticket::Atomic,
            Ticket::Function,
            Ticket::Critical,
            Ticket::Single,
            Ticket::Masked,
            Ticket::Dealt,
            Ticket::Section,
        ];
        match self.rng.below(10) {
            0..2 => Own::ThreadPrivate,
            2 if self.language == Language::C => Own::ThreadLocal,
            2..4 => Own::Local,
            4..6 => Own::Heap,
            6..8 => Own::Number,
            _ => Own::Row(*self.rng.pick(&tickets)),
        }
    }

    /// Loops, each of which may read what all before it wrote.
    fn chain(&mut self) -> Vec<Step> {
        let count = self.rng.range(2, 14);
        let waits_at_end = self.rng.chance(50);
        let mut steps = Vec::new();
        for number in 1..=count {
            let mut l = self.the_loop();
            l.mapping = self.usual;
            l.nowait = number < count || !waits_at_end;
            steps.push(Step::Loop(l));
        }
        match self.rng.chance(15) {
            true => vec![Step::Repeat(self.rng.range(2, 4) as u32, steps)],
            false => steps,
        }
    }

    fn steps(&mut self, depth: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        for _ in 0..self.rng.range(1, [6, 4, 2][depth as usize]) {
            let step = self.step(depth);
            steps.push(step);
        }
        if depth == 0 && self.next < 2 {
            steps.extend([Step::Loop(self.the_loop()), Step::Loop(self.the_loop())]);
        }
        steps
    }

    fn step(&mut self, depth: u32) -> Step {
        let is_full = self.next >= MOST_LOOPS;
        match self.rng.below(100) {
            0..8 if depth < 2 => {
                let times = self.rng.range(2, 4) as u32;
                match self.rng.chance(30) {
                    true => Step::Repeat(times, self.pairs()),
                    false => Step::Repeat(times, self.steps(depth + 1)),
                }
            }
            8..16 if depth < 2 => Step::Sometimes(self.rng.range(2, 3) as u32, self.steps(depth + 1)),
            16..24 if depth < 2 => {
                let linkages = [Linkage::Static, Linkage::Extern, Linkage::Inline];
                let function = self.next_function;
                self.next_function += 1;
                let linkage = *self.rng.pick(&linkages);
                Step::Call(linkage, function, self.steps(depth + 1))
            }
            24..30 => Step::Barrier,
            30..33 => Step::Single(self.rng.chance(60)),
            33..35 => Step::Masked,
            35..37 => Step::Critical,
            37..39 => Step::Atomic,
            39..40 => Step::Opaque,
            _ if is_full => Step::Barrier,
            _ => Step::Loop(self.the_loop()),
        }
    }

    /// Loops that are mapped alike, of which none waits.
    fn pairs(&mut self) -> Vec<Step> {
        let mut one = || {
            let mut l = self.the_loop();
            (l.mapping, l.nowait) = (self.usual, true);
            Step::Loop(l)
        };
        vec![one(), one()]
    }

    fn the_loop(&mut self) -> Loop {
        let id = self.next;
        self.next += 1;
        let mapping = self.mapping();
        let has_own = self.own.is_some();
        let rng = &mut self.rng;
        let is_dealt = matches!(mapping.schedule, Schedule::Dealt(_));
        let is_by_hand = matches!(mapping.schedule, Schedule::ByHand(_));
        Loop {
            id,
            mapping,
            nowait: rng.chance(65),
            form: rng.below(u64::from(FORMS)) as u32,
            is_variable: rng.chance(30),
            slow: rng.chance(60).then(|| rng.below(mapping.trip.into()) as u32),
            keeps: has_own && rng.chance(60),
            adds: rng.chance(8),
            reduces: !is_by_hand && rng.chance(6),
            last: !is_by_hand && !is_dealt && rng.chance(6),
            carries: (rng.chance(25)).then(|| carry::draw(rng, mapping.schedule, self.language)).flatten(),
            reads: Default::default(),
        }
    }

    fn mapping(&mut self) -> Mapping {
        let rng = &mut self.rng;
        let mut mapping = self.usual;
        match (rng.below(100), mapping.schedule) {
            (0..8, _) => mapping.trip = rng.range(1, 600) as u32,
            (8..14, _) => mapping.schedule = Schedule::Dealt(rng.pick::<&str>(&DEALT)),
            (14..20, _) => mapping.schedule = Schedule::Static(None),
            (20..26, _) => mapping.schedule = Schedule::Static(Some(rng.range(1, 20) as u32)),
            (26..50, Schedule::Static(Some(chunk))) => mapping.schedule = Schedule::ByHand(chunk),
            _ => {}
        }
        mapping
    }

    /// Draws what loops read; a sum seldom, since the program is the same on teams of one size only then.
    fn reads(&mut self, program: &mut Program) {
        let rng = &mut self.rng;
        let uses_sum = rng.chance(15);
        rules::walk(program, &mut |l, allowed| {
            rules::keep_allowed_writes(l, allowed);
            l.reads = (allowed.reads.iter().copied())
                .filter(|read| match read {
                    Read::Near(_) => rng.chance(60),
                    Read::Own(_) => rng.chance(50),
                    Read::Far(_) => rng.chance(15),
                    Read::Sum => uses_sum && rng.chance(20),
                })
                .collect();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_one_program_and_keeps_the_rules() {
        for seed in 0..500 {
            for language in [Language::C, Language::Fortran] {
                let program = Generator::program(Rng::new(seed), language);
                assert_eq!(program, Generator::program(Rng::new(seed), language));
                let mut allowed = program.clone();
                rules::keep_allowed(&mut allowed);
                assert_eq!(program, allowed);
            }
        }
    }

    #[test]
    fn all_that_may_be_relied_on_occurs() {
        let programs = (0..2000).map(|seed| Generator::program(Rng::new(seed), Language::C));
        let (mut near, mut own, mut by_hand, mut pairs, mut carried) = (0, 0, 0, 0, 0);
        for program in programs {
            let reads = |wanted: fn(&Read) -> bool| {
                let loops = program.loops();
                u32::from(loops.iter().any(|l| l.reads.iter().any(wanted)))
            };
            near += reads(|read| matches!(read, Read::Near(_)));
            own += reads(|read| matches!(read, Read::Own(_)));
            pairs += u32::from(program.relies_on_pairs_alone());
            carried += u32::from(program.loops().iter().any(|l| l.carries.is_some()));
            let is_by_hand = |l: &&Loop| matches!(l.mapping.schedule, Schedule::ByHand(_));
            by_hand += u32::from(program.loops().iter().any(is_by_hand));
        }
        assert!(
            near > 600 && own > 200 && by_hand > 100 && pairs > 350 && carried > 600,
            "{near} {own} {by_hand} {pairs} {carried}"
        );
    }
}
