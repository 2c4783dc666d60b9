//! Does an iteration leave something in its thread's own memory for the thread's next one? A `static` loop gives a thread iterations in
//! an order that the program may rely on, so what the next one finds depends on the schedule.

use std::collections::HashMap;

use crate::find::entry_of;
use crate::find::paths::{Go, Reasons, follow};
use crate::llvm::Value;

use super::region::Region;
use super::variable::{Access, Extent, Use, Variable};
use super::work::Work;

/// Sets of bytes whose ways are followed, of one variable: more would take the compiler's time.
const MOST_EXTENTS: usize = 32;

/// Does a variable bring something from one iteration to the next? It does unless each iteration is proven to write what it
/// reads, before it does. Known here are bytes at constant places; [`crate::llvm::Fills`] knows arrays.
pub fn carries(variable: &Variable, work: &Work, region: &Region) -> bool {
    if variable.is_combined || variable.uses.keys().any(|user| is_of_the_runtime_s(*user)) {
        return false;
    }
    let is_known_outside = |given: &Value| !work.body.contains(given) && variable.lives_until_a_loop(*given, region);
    if variable.given.iter().any(is_known_outside) {
        return true;
    }
    let inside = || (variable.uses.iter()).filter(|(user, _)| work.body.contains(user));
    let written: Vec<Option<Extent>> =
        inside().filter(|(user, access)| writes(**user, access)).map(|(_, access)| access.extent).collect();
    let may_be_written = |read: Option<Extent>| {
        (written.iter()).any(|written| match (written, read) {
            (Some(written), Some(read)) => written.overlaps(read),
            _ => true,
        })
    };
    let mut reads: HashMap<Option<Extent>, Vec<Value>> = HashMap::new();
    for (user, access) in inside() {
        if matches!(access.what, Use::Reads | Use::Anything) && may_be_written(access.extent) {
            reads.entry(access.extent).or_default().push(*user);
        }
    }
    reads.len() > MOST_EXTENTS
        || (reads.iter()).any(|(extent, users)| is_read_first(variable, *extent, users, work, &region.reasons))
}

/// Does an iteration read some bytes before it writes to them?
fn is_read_first(variable: &Variable, extent: Option<Extent>, users: &[Value], work: &Work, reasons: &Reasons) -> bool {
    let read = follow::<()>(work.start, reasons, &[], |current| {
        if work.ends.contains(&current) {
            return Go::Back;
        }
        if users.contains(&current) {
            return Go::Home(());
        }
        let access = variable.uses.get(&current);
        match access.is_some_and(|access| is_written_over(access, extent) && is_repeated(current, work)) {
            true => Go::Back,
            false => Go::On,
        }
    });
    read.is_some()
}

/// Does nothing of some bytes stay as it was before?
fn is_written_over(access: &Access, extent: Option<Extent>) -> bool {
    match (access.what, access.extent, extent) {
        (Use::Forgets, ..) => true,
        (Use::Writes, Some(written), Some(read)) => written.covers(read),
        _ => false,
    }
}

/// Does each iteration come to an instruction anew? What is between the loop's start and its first iteration is done once; compilers
/// set their own counter of iterations there to the lower bound.
fn is_repeated(instruction: Value, work: &Work) -> bool {
    let counts = || {
        let lower = work.start.operand(4);
        let stored = instruction.operand(0).filter(|_| instruction.is_store());
        lower.is_some() && stored.and_then(Value::loaded_from) == lower
    };
    instruction.block().is_some_and(|block| work.repeated.contains(&block)) || counts()
}

/// May an access change bytes, other than by ending their life?
fn writes(user: Value, access: &Access) -> bool {
    match access.what {
        Use::Writes | Use::Anything => true,
        Use::Forgets => access.extent.is_some() || user.calls_out(),
        Use::Reads => false,
    }
}

/// Is it a call by which compilers tell the runtime something, in a variable that they made for that?
fn is_of_the_runtime_s(user: Value) -> bool {
    let tells: [&[u8]; 7] = [
        b"__kmpc_dispatch_", b"__kmpc_doacross_", b"__kmpc_omp_task_with_deps", b"__kmpc_omp_wait_deps",
        b"__kmpc_omp_taskwait_deps", b"__kmpc_taskred_", b"__kmpc_task_reduction_",
    ];
    entry_of(user).is_some()
        || user.calls_out()
            && user
                .callee()
                .is_some_and(|callee| callee.with_name(|name| tells.iter().any(|begin| name.starts_with(begin))))
}
