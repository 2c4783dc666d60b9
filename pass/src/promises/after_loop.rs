//! What comes behind a loop, before the threads of its team meet again.
//!
//! Compilers' own code there (for `reduction`, `lastprivate`, `linear`, ends of lives) is passed over: who runs which
//! iteration is no matter to it.

use inkwell::llvm_sys::LLVMIntPredicate;

use crate::find::end::is_fini;
use crate::find::paths::{CleanupDestinations, Go, follow_with};
use crate::llvm::{Block, Value, reached};

use super::work::{Work, starts_fixed_mapping};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    #[default]
    None,
    /// Some that reads, and writes to the thread's own variables alone: as bounds of the next loop are computed.
    Reads,
    Any,
}

#[derive(Default)]
pub struct Behind {
    pub loops: Vec<Value>,
    pub code: Code,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Until {
    Barrier,
    RegionEnds,
}

pub fn behind(work: &Work, destinations: &CleanupDestinations, until: Until) -> Behind {
    let mut found = Behind::default();
    for &end in &work.ends {
        follow_with(end, destinations, |current| {
            if starts_fixed_mapping(current) {
                if !found.loops.contains(&current) {
                    found.loops.push(current);
                }
                return Go::Back;
            }
            if current.calls(&[b"__kmpc_barrier", b"__kmpc_cancel_barrier"]) {
                return if until == Until::Barrier { Go::Back } else { Go::On };
            }
            if let Some(past) = past_own_code(current, work) {
                return Go::To(past);
            }
            if !gives_back(current, work) {
                found.code = found.code.max(code_of(current));
            }
            Go::On
        });
    }
    found
}

pub fn is_asked_not_to_be_zero(condition: Value) -> Option<Value> {
    let asks = condition.predicate()? == LLVMIntPredicate::LLVMIntNE
        && condition.operand(1).and_then(Value::const_int) == Some(0);
    condition.operand(0).filter(|_| asks)
}

/// Where a branch goes on behind what compilers put there for `lastprivate` and `linear` (who ran the last iteration is asked), and
/// for `reduction` (the runtime says how to combine the values).
pub fn past_own_code(terminator: Value, work: &Work) -> Option<Block> {
    if let Some(condition) = terminator.branch_condition() {
        let flag = is_asked_not_to_be_zero(condition)?.loaded_from()?;
        return terminator.successors().get(1).copied().filter(|_| work.last_flag == Some(flag));
    }
    past_reduction(terminator)
}

pub fn past_reduction(terminator: Value) -> Option<Block> {
    let asked = terminator.switch_condition()?;
    // The first one is where no case fits.
    let no_case = terminator.successors().first().copied();
    no_case.filter(|_| asked.calls(&[b"__kmpc_reduce", b"__kmpc_reduce_nowait"]))
}

fn code_of(instruction: Value) -> Code {
    if instruction.is_load() {
        let address = instruction.operand(0);
        return match address.is_some_and(|address| is_own_variable(address) || is_thread_id(instruction, address)) {
            true if instruction.is_simple_access() => Code::None,
            _ => Code::Reads,
        };
    }
    if let Some(address) = instruction.stored_to() {
        return if is_own_variable(address) { Code::None } else { Code::Any };
    }
    if is_of_compilers(instruction) || !may_matter(instruction) || copies_own(instruction) {
        return Code::None;
    }
    Code::Any
}

/// Memory that it asked for before the loop, as flang ends private arrays: else the pointer may depend on iterations.
fn gives_back(call: Value, work: &Work) -> bool {
    let Some(memory) = call.operand(0).filter(|_| call.calls(&[b"free"])) else { return false };
    if memory.calls(&[b"malloc"]) {
        return !work.body.contains(&memory);
    }
    let variable = memory.loaded_from().and_then(own_variable);
    variable.is_some_and(|variable| {
        // By whatever address of it or in it.
        let is_within = |value: Value| value == variable || own_variable(value) == Some(variable);
        let users = reached([variable], |value| if is_within(value) { value.users() } else { Vec::new() });
        !users.iter().any(|user| *user != variable && work.body.contains(user) && !user.is_load())
    })
}

fn copies_own(call: Value) -> bool {
    call.calls(&[b"llvm.memcpy.*"]) && [0, 1].iter().all(|&side| call.operand(side).is_some_and(is_own_variable))
}

fn may_matter(instruction: Value) -> bool {
    use inkwell::llvm_sys::LLVMOpcode::*;
    match instruction.opcode() {
        // Of intrinsics those that do something with memory which was not there before.
        Some(LLVMCall) if instruction.is_intrinsic() => {
            instruction.calls(&[b"llvm.mem*", b"llvm.masked*", b"llvm.vp.*", b"llvm.atomic*"])
        }
        Some(LLVMCall | LLVMInvoke | LLVMCallBr | LLVMAtomicCmpXchg | LLVMAtomicRMW | LLVMFence) => true,
        _ => false,
    }
}

/// Calls that compilers put there: the runtime's for a loop's end, and those of destructors of its variables.
pub fn is_of_compilers(instruction: Value) -> bool {
    let known: [&[u8]; 9] = [
        b"__kmpc_global_thread_num", b"__kmpc_dispatch_deinit", b"__kmpc_reduce", b"__kmpc_reduce_nowait",
        b"__kmpc_end_reduce", b"__kmpc_end_reduce_nowait", b"__kmpc_task_reduction_modifier_fini", b"__kmpc_free",
        b"__clang_call_terminate",
    ];
    is_fini(instruction) || instruction.calls(&known) || ends_a_life(instruction)
}

/// A call of a destructor for a variable of the thread's. (Names of the Itanium C++ ABI, 5.1.4.3.)
pub fn ends_a_life(instruction: Value) -> bool {
    is_special_member(instruction, |name| {
        let ends = [&b"D0Ev"[..], b"D1Ev", b"D2Ev"];
        ends.iter().any(|end| name.ends_with(end)) && !is_in_identifier(name, name.len() - 4)
    })
}

pub fn begins_a_life(instruction: Value) -> bool {
    let is_mark = |part: &[u8]| part == b"C1E" || part == b"C2E";
    is_special_member(instruction, |name| {
        let mut marks = name.windows(3).enumerate().filter(|(_, part)| is_mark(part));
        marks.any(|(at, _)| !is_in_identifier(name, at))
    })
}

/// Does a byte of a mangled name belong to an identifier, as to that of a function `initC1E`? Its length stands before it; numbers of
/// templates, arrays and of what was said before (`Li100E`, `A10_`, `S2_`) are none.
fn is_in_identifier(name: &[u8], at: usize) -> bool {
    let mut next = 0;
    while next <= at {
        let digits_at = |at: usize| name[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        next += match name[next] {
            b'0'..=b'9' => {
                let digits = digits_at(next);
                let number = std::str::from_utf8(&name[next..next + digits]).ok();
                let length = number.and_then(|number| number.parse::<usize>().ok()).unwrap_or(usize::MAX);
                let all = digits.saturating_add(length);
                if all > at - next {
                    return true;
                }
                all
            }
            b'L' if next + 1 < at => 2 + digits_at(next + 2),
            b'A' | b'S' | b'T' if name.get(next + 1 + digits_at(next + 1)) == Some(&b'_') => 2 + digits_at(next + 1),
            _ => 1,
        };
    }
    false
}

fn is_special_member(instruction: Value, is_one: impl FnOnce(&[u8]) -> bool) -> bool {
    instruction.calls_out()
        && instruction.operand(0).is_some_and(is_own_variable)
        && instruction.callee().is_some_and(|callee| callee.with_name(|name| name.starts_with(b"_ZN") && is_one(name)))
}

pub fn is_own_variable(address: Value) -> bool {
    own_variable(address).is_some()
}

fn own_variable(address: Value) -> Option<Value> {
    let mut address = address;
    for _ in 0..16 {
        if address.is_alloca() {
            return Some(address);
        }
        use inkwell::llvm_sys::LLVMOpcode::{LLVMAddrSpaceCast, LLVMBitCast, LLVMGetElementPtr};
        match (address.opcode(), address.operand(0)) {
            (Some(LLVMGetElementPtr | LLVMBitCast | LLVMAddrSpaceCast), Some(base)) => address = base,
            _ => return None,
        }
    }
    None
}

/// Is the address that of the thread's id, which every region gets by its first two parameters?
fn is_thread_id(load: Value, address: Value) -> bool {
    let Some(function) = load.block().and_then(Block::function) else { return false };
    let is_id = |value: Option<Value>| {
        value.is_some_and(|value| [0, 1].iter().any(|&index| function.parameter(index) == Some(value)))
    };
    if is_id(Some(address)) {
        return true;
    }
    let Some(variable) = address.loaded_from().filter(|from| from.is_alloca()) else { return false };
    let mut stores = variable.users().into_iter().filter(|user| user.is_store());
    stores.all(|store| store.stored_to() == Some(variable) && is_id(store.stored()))
}

#[cfg(test)]
mod tests {
    use super::is_in_identifier;

    #[test]
    fn special_members_are_told_from_functions_with_such_names() {
        let is_one = |name: &str| {
            let at = name.find("C1E").or(name.rfind("D2Ev")).unwrap();
            !is_in_identifier(name.as_bytes(), at)
        };
        for constructor in
            ["_ZN3FooC1Ei", "_ZNSt6vectorIdSaIdEEC1Em", "_ZN5ArrayILi100EEC1Ev", "_ZNS2_C1Ev", "_ZN4Vec3C1Ed"]
        {
            assert!(is_one(constructor), "{constructor}");
        }
        for destructor in
            ["_ZN3FooD2Ev", "_ZN4Vec3D2Ev", "_ZN1AILi4EED2Ev", "_ZN1BIA10_iED2Ev", "_ZN2_aINS1_4TypeEED2Ev"]
        {
            assert!(is_one(destructor), "{destructor}");
        }
        for function in [
            "_ZN1S7initC1EEi", "_ZN1S14initializeC1EdEv", "_ZN1S6evalD2Ev", "_ZN1S2aC1EEv", "_ZN1AILi4EE6evalD2Ev",
            "_ZN4Vec36evalD2Ev",
        ] {
            assert!(!is_one(function), "{function}");
        }
    }
}
