//! Locks that a loop's iterations leave set: the thread that set one must unset it, in whichever loop of the region that is.

use crate::find::end::is_fini;
use crate::find::paths::{Go, follow_with};
use crate::llvm::Value;

use super::called::Called;
use super::region::Region;
use super::work::Work;

/// Does an iteration of any loop end with a lock set?
pub fn locks_are_held(region: &Region, called: &mut Called) -> bool {
    let mut all = region.works.iter().flat_map(|work| {
        let inside = work.body.iter();
        inside.map(move |&instruction| (work, instruction))
    });
    all.any(|(work, instruction)| match calls_lock(instruction, SETS) {
        true => ends_with_it(instruction, work, region),
        // In a function that sets it, it is not followed.
        false => instruction.calls_out() && called.deeds(instruction).sets_locks,
    })
}

const SETS: &[&[u8]] = &[b"omp_set_", b"omp_test_"];
const UNSETS: &[&[u8]] = &[b"omp_unset_"];

fn ends_with_it(set: Value, work: &Work, region: &Region) -> bool {
    let end = follow_with(set, &region.reasons, &[], |current| {
        if calls_lock(current, UNSETS) {
            return Go::Back;
        }
        match is_fini(current) || work.ends.contains(&current) {
            true => Go::Home(()),
            false => Go::On,
        }
    });
    end.is_some()
}

fn calls_lock(instruction: Value, verbs: &[&[u8]]) -> bool {
    let callee = instruction.calls_out().then(|| instruction.callee()).flatten();
    callee.is_some_and(|callee| {
        callee.with_name(|name| {
            let begins = verbs.iter().any(|verb| name.starts_with(verb));
            begins && name.windows(5).any(|part| part == b"_lock")
        })
    })
}
