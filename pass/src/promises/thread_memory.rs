//! Do threads keep what a loop wrote in memory of their own? What they read then depends on which iterations they ran.

use std::cell::OnceCell;

use crate::find::end::is_fini;
use crate::find::paths::{CleanupDestinations, Go, follow_among, follow_with};
use crate::llvm::{Block, Fills, Value};
use crate::promises::after_loop::past_own_code;
use crate::promises::called::Called;
use crate::promises::region::Region;
use crate::promises::thread_identity::carries;
use crate::promises::variable::{Access, Use, Variable};
use crate::promises::work::Work;

pub struct Variables {
    all: Vec<Variable>,
    /// Made where a loop would be bound without it, as it takes the compiler's time.
    fills: OnceCell<Fills>,
}

impl Variables {
    pub fn in_function(function: Value) -> Variables {
        Variables { all: Variable::all(function), fills: OnceCell::new() }
    }

    /// Is the address of one kept where it is not followed, when a loop begins? Then the loop may write to it, and others read it.
    pub fn are_given_away(&self, region: &Region) -> bool {
        (self.all.iter()).any(|variable| variable.is_given_away(region))
    }

    pub fn carry(&self, work: &Work, region: &Region) -> bool {
        let carried = self.carried_by(work, region);
        if !carried.iter().all(|variable| variable.may_be_filled()) {
            return true;
        }
        let repeated: Vec<_> = work.repeated.iter().copied().collect();
        carried.iter().any(|variable| {
            let fills = self.fills.get_or_init(|| self.fills_of(region, work, &carried));
            !fills.hold(variable.root, &repeated, work.is_in_chunks())
        })
    }

    fn carried_by(&self, work: &Work, region: &Region) -> Vec<&Variable> {
        let all = self.all.iter();
        all.filter(|variable| carries(variable, work, region)).collect()
    }

    /// Fills of all that loops of the region carry; what `work` carries is known.
    fn fills_of(&self, region: &Region, work: &Work, carried: &[&Variable]) -> Fills {
        let others = region.works.iter().filter(|other| other.start != work.start);
        let all = others.flat_map(|other| self.carried_by(other, region)).chain(carried.iter().copied());
        let mut roots: Vec<Value> = Vec::new();
        for variable in all.filter(|variable| variable.may_be_filled()) {
            roots.extend((!roots.contains(&variable.root)).then_some(variable.root));
        }
        Fills::new(region.function, roots)
    }

    pub fn outlive(&self, work: &Work, is_repeated: bool, destinations: &CleanupDestinations) -> bool {
        self.all.iter().any(|variable| variable.outlives(work, is_repeated, destinations))
    }
}

impl Variable {
    /// Is not all known of what loops may write to it? It is an array, or is reached through a pointer.
    fn may_be_filled(&self) -> bool {
        let is_unknown = |access: &Access| access.what != Use::Forgets && access.extent.is_none();
        !self.given.is_empty() || self.uses.values().any(is_unknown)
    }

    fn is_given_away(&self, region: &Region) -> bool {
        // What is used in one loop alone is another one in each iteration.
        let is_used_around = |work: &Work| {
            let around = |user: &Value| !work.body.contains(user) && *user != self.root;
            (self.uses.keys()).any(|user| around(user) && !user.is_lifetime())
        };
        (self.given.iter()).any(|given| {
            let inside = region.works.iter().find(|work| work.body.contains(given));
            inside.map_or_else(|| self.lives_until_a_loop(*given, region), is_used_around)
        })
    }

    fn outlives(&self, work: &Work, is_repeated: bool, destinations: &CleanupDestinations) -> bool {
        let reads = |what: Use| matches!(what, Use::Reads | Use::Anything);
        let escapes = !self.given.is_empty();
        let is_written =
            escapes || self.uses.iter().any(|(user, access)| access.what != Use::Reads && work.body.contains(user));
        let is_read_elsewhere = self.uses.iter().any(|(user, access)| reads(access.what) && !work.body.contains(user));
        if !is_written || !is_repeated && !is_read_elsewhere {
            return false;
        }
        if escapes {
            return true;
        }
        let matters = |block: Block| self.is_used_in(block);
        work.ends.iter().any(|&end| {
            follow_among(end, destinations, matters, |current| {
                if let Some(past) = past_own_code(current, work) {
                    return Go::To(past);
                }
                match self.uses.get(&current).map(|access| access.what) {
                    Some(Use::Forgets) => Go::Back,
                    Some(Use::Reads | Use::Anything) => Go::Home,
                    Some(Use::Writes) | None => Go::On,
                }
            })
        })
    }
}

// Locks that a loop's iterations leave set: the thread that set one must unset it, in whichever loop of the region that is.

pub fn locks_are_held(region: &Region, called: &mut Called) -> bool {
    let mut all = region.works.iter().flat_map(|work| {
        let inside = work.body.iter();
        inside.map(move |&instruction| (work, instruction))
    });
    all.any(|(work, instruction)| match instruction.calls(SETS) {
        true => ends_with_it(instruction, work, region),
        // In a function that sets it, it is not followed.
        false => instruction.calls_out() && called.effects(instruction).sets_locks,
    })
}

const SETS: &[&[u8]] = &[
    b"flockfile", b"mtx_lock", b"omp_set_lock*", b"omp_set_nest_lock*", b"omp_test_lock*", b"omp_test_nest_lock*",
    b"pthread_mutex_lock", b"pthread_rwlock_rdlock", b"pthread_rwlock_wrlock", b"pthread_spin_lock",
];
const UNSETS: &[&[u8]] = &[
    b"funlockfile", b"mtx_unlock", b"omp_unset_*", b"pthread_mutex_unlock", b"pthread_rwlock_unlock",
    b"pthread_spin_unlock",
];

fn ends_with_it(set: Value, work: &Work, region: &Region) -> bool {
    follow_with(set, &region.destinations, |current| match () {
        () if current.calls(UNSETS) => Go::Back,
        () if is_fini(current) || work.ends.contains(&current) => Go::Home,
        () => Go::On,
    })
}
