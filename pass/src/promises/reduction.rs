//! Is a thread's part of a `reduction` used beside what is combined? That may show which iterations were the thread's.

use inkwell::llvm_sys::LLVMOpcode;
use rustc_hash::FxHashSet;

use crate::llvm::{Value, instructions};
use crate::promises::after_loop::is_own_variable;
use crate::promises::decided::Decided;
use crate::promises::variable::{Use, Variable};
use crate::promises::work::Work;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Operation {
    Add,
    Multiply,
    And,
    Or,
    Xor,
    /// As for a minimum.
    Compare,
}

impl Operation {
    fn by_user(user: Value, value: Value) -> Option<Operation> {
        use LLVMOpcode::*;
        match user.opcode()? {
            LLVMAdd | LLVMFAdd => Some(Operation::Add),
            LLVMSub | LLVMFSub if user.operand(0) == Some(value) => Some(Operation::Add),
            LLVMMul | LLVMFMul => Some(Operation::Multiply),
            LLVMAnd => Some(Operation::And),
            LLVMOr => Some(Operation::Or),
            LLVMXor => Some(Operation::Xor),
            LLVMICmp | LLVMFCmp | LLVMBr | LLVMSwitch | LLVMSelect => Some(Operation::Compare),
            LLVMCall if user.is_intrinsic() => {
                let named = |parts: [&[u8]; 2], name: &[u8]| {
                    parts.iter().any(|part| name.windows(part.len()).any(|here| here == *part))
                };
                let of_name = |name: &[u8]| match () {
                    () if named([b"min", b"max"], name) => Some(Operation::Compare),
                    () if named([b"fma", b"muladd"], name) => Some(Operation::Add),
                    () => None,
                };
                user.callee()?.with_name(of_name)
            }
            _ => None,
        }
    }
}

/// Does what iterations read of it go elsewhere than back, or by another operation than that which combines the parts? Compared it may be, for a
/// minimum it must, if nothing but what goes back depends on the outcome.
pub fn is_used_elsewhere(variable: &Variable, work: &Work) -> bool {
    let inside = || variable.uses.iter().filter(|(user, _)| work.body.contains(user));
    // What a function does with it is not followed.
    let is_given = |user: Value, what: Use| !user.is_load() && matches!(what, Use::Reads | Use::Anything);
    if inside().any(|(user, access)| is_given(*user, access.what)) {
        return true;
    }
    let loads: Vec<Value> = inside().map(|(user, _)| *user).filter(|user| user.is_load()).collect();
    let Some(found) = Found::of_loads(loads, variable) else { return true };
    let combining = combining(variable, work);
    // A mark that is set once or more: how often does not matter there.
    let may_be_set = [Operation::Add, Operation::Multiply, Operation::Xor].iter().all(|one| !combining.contains(one));
    let follows = |store: Value| {
        let value = store.operand(0);
        value.is_some_and(|value| found.values.contains(&value) || may_be_set && value.const_int().is_some())
            || found.decided.contains(&store)
    };
    !found.operations.is_subset(&combining) || inside().any(|(user, _)| user.is_store() && !follows(*user))
}

#[derive(Default)]
struct Found {
    operations: FxHashSet<Operation>,
    values: FxHashSet<Value>,
    /// What runs by the outcome of comparing it.
    decided: FxHashSet<Value>,
}

impl Found {
    /// `None`: they do something else than to compute what goes back.
    fn of_loads(loads: Vec<Value>, variable: &Variable) -> Option<Found> {
        let goes_back = |user: Value| user.is_store() && variable.uses.contains_key(&user);
        let mut found = Found { values: loads.iter().copied().collect(), ..Found::default() };
        let mut values: Vec<_> = loads.into_iter().map(|load| (load, None)).collect();
        while let Some((value, before)) = values.pop() {
            for user in value.users() {
                use LLVMOpcode::*;
                let operation = Operation::by_user(user, value);
                found.operations.extend(operation);
                let after = match user.opcode()? {
                    LLVMStore if goes_back(user) && user.operand(0) == Some(value) => continue,
                    LLVMBr | LLVMSwitch => {
                        let decided = Decided::by_branch(user)?;
                        if decided.instructions.iter().any(|&decided| leaves_something(decided, goes_back)) {
                            return None;
                        }
                        found.decided.extend(decided.instructions);
                        let results = decided.results.into_iter().filter(|result| found.values.insert(*result));
                        values.extend(results.map(|result| (result, None)));
                        continue;
                    }
                    LLVMICmp | LLVMFCmp => None,
                    LLVMAdd | LLVMFAdd | LLVMSub | LLVMFSub | LLVMMul | LLVMFMul | LLVMAnd | LLVMOr | LLVMXor => {
                        Some(operation?)
                    }
                    LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPTrunc | LLVMFPExt | LLVMPHI | LLVMSelect | LLVMFreeze => {
                        before
                    }
                    LLVMInsertValue | LLVMExtractValue | LLVMInsertElement | LLVMExtractElement => before,
                    // `llvm.fmuladd`, `fmax`, or what the user combines by.
                    LLVMCall | LLVMInvoke if !user.users().is_empty() && only_computes(user) => before,
                    _ => return None,
                };
                if before.is_some() && before != after {
                    return None;
                }
                if found.values.insert(user) {
                    values.push((user, after));
                }
            }
        }
        Some(found)
    }
}

const MOST_FUNCTIONS: usize = 20;

fn combining(variable: &Variable, work: &Work) -> FxHashSet<Operation> {
    let mut operations = FxHashSet::default();
    for &user in variable.uses.keys().filter(|user| !work.body.contains(user)) {
        // What the user combines by may be a function of its own.
        let called = |call: Value| call.callee().filter(|&callee| call.calls_out() && callee.body_is_what_runs());
        let mut functions: Vec<Value> = called(user).into_iter().collect();
        let mut at = 0;
        while let Some(&function) = functions.get(at).filter(|_| at < MOST_FUNCTIONS) {
            at += 1;
            for inside in instructions(function) {
                operations.extend(inside.operand(0).and_then(|operand| Operation::by_user(inside, operand)));
                functions.extend(called(inside).filter(|callee| !functions.contains(callee)));
            }
        }
        let mut values = if user.is_load() { vec![user] } else { Vec::new() };
        let mut known: FxHashSet<Value> = values.iter().copied().collect();
        while let Some(value) = values.pop() {
            for user in value.users() {
                operations.extend(Operation::by_user(user, value));
                // Another operand of a difference, or what has its sign changed.
                operations.extend((user.opcode() == Some(LLVMOpcode::LLVMSub)).then_some(Operation::Add));
                values.extend((!user.is_store() && !user.calls_out() && known.insert(user)).then_some(user));
            }
        }
    }
    operations
}

/// Is what a call leaves its result alone? A function of a library may set errno beside it.
fn only_computes(call: Value) -> bool {
    let leaves_nothing = |callee| instructions(callee).all(|inside| !leaves_something(inside, is_own_store));
    call.callee().is_some_and(|callee| call.is_intrinsic() || leaves_nothing(callee))
}

pub fn is_own_store(store: Value) -> bool {
    store.stored_to().is_some_and(is_own_variable)
}

fn leaves_something(instruction: Value, is_exempt: impl Fn(Value) -> bool) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMStore) => !is_exempt(instruction),
        Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => true,
        _ => instruction.calls_out(),
    }
}
