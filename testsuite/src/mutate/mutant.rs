//! A mutant: a seed, and a few mutations that one number determines.

use super::line::Done;
use super::text::Module;
use super::{calls, flow, line, whole};
use crate::fuzz::rng::Rng;

type Mutation = fn(&mut Module, &mut Rng) -> Done;

/// All mutations, each as often as it shall be drawn.
const MUTATIONS: [(u64, Mutation); 31] = [
    (12, line::operand),
    (4, line::swap_operands),
    (6, line::integer),
    (5, line::predicate),
    (3, line::arithmetic),
    (5, line::access),
    (6, line::delete),
    (6, line::copy),
    (4, line::swap_lines),
    (5, calls::argument),
    (3, calls::callee),
    (5, calls::manner),
    (2, calls::entry),
    (6, calls::insert),
    (4, calls::again),
    (5, flow::redirect),
    (3, flow::swap_targets),
    (6, flow::terminator),
    (3, flow::split),
    (4, flow::detour),
    (3, flow::dead_copy),
    (2, flow::address),
    (1, flow::order),
    (4, whole::attribute),
    (2, whole::linkage),
    (2, whole::twin),
    (4, whole::variable),
    (3, whole::merge_variables),
    (3, whole::ident),
    (4, whole::module),
    // Twice as often: this is what a recogniser compares.
    (4, line::predicate),
];

/// A mutant and what was done to its seed.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// The numbers of its mutations: each is drawn from a sequence of its own, so that one can be left out without changing what the others draw.
    pub steps: Vec<u64>,
    pub done: Vec<String>,
    pub text: String,
}

impl Mutant {
    pub fn random(seed: &str, rng: &mut Rng) -> Mutant {
        // Most errors need one thing to be wrong, some two; many break the module itself.
        let count = [1, 1, 1, 1, 2, 2, 2, 3, 3, 5][rng.below(10) as usize];
        Mutant::from_steps(seed, (0..count).map(|_| rng.number()).collect())
    }

    pub fn from_steps(seed: &str, steps: Vec<u64>) -> Mutant {
        let mut module = Module::parse(seed);
        let done = steps.iter().filter_map(|&step| apply(&mut module, step));
        Mutant { done: done.collect(), steps: steps.clone(), text: module.to_string() }
    }
}

fn apply(module: &mut Module, step: u64) -> Done {
    let mut rng = Rng::new(step);
    for _ in 0..20 {
        let all: u64 = MUTATIONS.iter().map(|(weight, _)| weight).sum();
        let mut drawn = rng.below(all);
        let mutation = MUTATIONS.iter().find_map(|(weight, mutation)| {
            let found = drawn < *weight;
            drawn = drawn.saturating_sub(*weight);
            found.then_some(mutation)
        });
        let before = module.clone();
        if let Some(done) = mutation.and_then(|mutation| mutation(module, &mut rng)) {
            return Some(done);
        }
        *module = before;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: &str = "\
define void @f(i32 %gtid, i32 %last) {
entry:
  %lb = alloca i32, align 4
  %ub = alloca i32, align 4
  call void @__kmpc_for_static_init_4(ptr null, i32 %gtid, i32 33, ptr null, ptr %lb, ptr %ub, ptr null, i32 1, i32 10)
  %v = load i32, ptr %lb, align 4
  %c = icmp sgt i32 %v, %last
  br i1 %c, label %a, label %b

a:
  br label %b

b:
  %p = phi i32 [ %v, %entry ], [ 0, %a ]
  ret void
}
declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
";

    #[test]
    fn a_number_means_the_same_mutant_for_ever() {
        let mutants = || -> Vec<String> {
            let mut rng = Rng::new(7);
            (0..200).map(|_| Mutant::random(SEED, &mut rng).text).collect()
        };
        let all = mutants();
        assert_eq!(all, mutants());
        let unchanged = Module::parse(SEED).to_string();
        let changed = all.iter().filter(|text| **text != unchanged).count();
        assert!(changed > 180, "only {changed} of 200 differ from the seed");
    }
}
