//! What becomes of the address of a thread's own variable: can it be reached without being named?

use inkwell::llvm_sys::LLVMOpcode;
use rustc_hash::FxHashMap;

use crate::llvm::{Argument, Value};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Capture {
    Read,
    Used,
    Returned,
    Kept,
}

#[derive(Default)]
pub struct Captures(FxHashMap<(Value, u32), Capture>);

impl Captures {
    pub fn by_user(&mut self, user: Value, address: Value) -> Capture {
        if !user.calls_out() {
            return if user.is_intrinsic() { Capture::Used } else { Capture::Kept };
        }
        let places: Vec<u32> = (0..user.argument_count()).filter(|&at| user.operand(at) == Some(address)).collect();
        let is_read = |&at: &u32| user.argument(at) == Argument::Read;
        if !places.is_empty() && places.iter().all(is_read) {
            return Capture::Read;
        }
        let Some(callee) = user.callee() else { return Capture::Kept };
        if !callee.body_is_what_runs() {
            return by_declared_function(user);
        }
        let captures = places.into_iter().map(|at| self.of_parameter(callee, at));
        captures.max().unwrap_or(Capture::Kept)
    }

    fn of_parameter(&mut self, callee: Value, index: u32) -> Capture {
        if let Some(&known) = self.0.get(&(callee, index)) {
            return known;
        }
        // Where functions call each other in a circle, one would be known before the other has been looked into.
        self.0.insert((callee, index), Capture::Kept);
        let capture = callee.parameter(index).map_or(Capture::Kept, |parameter| self.of_address(parameter));
        self.0.insert((callee, index), capture);
        capture
    }

    fn of_address(&mut self, first: Value) -> Capture {
        let (mut capture, mut addresses, mut done) = (Capture::Read, vec![first], 0);
        while done < addresses.len() && capture != Capture::Kept {
            let address = addresses[done];
            done += 1;
            for user in address.users() {
                let (more, on) = self.of_user(user, address);
                capture = capture.max(more);
                addresses.extend(on.into_iter().filter(|on| !addresses.contains(on)).collect::<Vec<_>>());
            }
        }
        capture
    }

    /// What one instruction does with it, and what else is the address then.
    fn of_user(&mut self, user: Value, address: Value) -> (Capture, Vec<Value>) {
        match user.opcode() {
            _ if leads_on(user) => (Capture::Read, vec![user]),
            Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMICmp) => (Capture::Read, Vec::new()),
            Some(LLVMOpcode::LLVMRet) => (Capture::Returned, Vec::new()),
            Some(LLVMOpcode::LLVMStore) if user.operand(0) != Some(address) => (Capture::Used, Vec::new()),
            Some(LLVMOpcode::LLVMStore) => match kept_in(user) {
                Some(loads) => (Capture::Read, loads),
                None => (Capture::Kept, Vec::new()),
            },
            _ => match self.by_user(user, address) {
                Capture::Returned => (Capture::Used, vec![user]),
                capture => (capture, Vec::new()),
            },
        }
    }
}

/// Functions of libraries and of the runtime keep no pointer, but `__kmpc_fork*` hands it to threads. All others may.
fn by_declared_function(call: Value) -> Capture {
    let known: [&[u8]; 6] = [b"__kmpc_*", b"_Fortran*", b"_ZSt*", b"_ZNSt*", b"_ZNKSt*", b"__cxa_*"];
    let is_known = call.calls(&known) && !call.calls(&[b"__kmpc_fork*"]);
    match is_known || call.calls_library_function() {
        // Some return what they get (`memcpy`, `strchr`).
        true if call.is_pointer() => Capture::Returned,
        true => Capture::Used,
        false => Capture::Kept,
    }
}

/// The loads that give the address back which a store puts into a variable that is used for nothing else.
pub fn kept_in(store: Value) -> Option<Vec<Value>> {
    let loads = loads_alone(store.stored_to().filter(|variable| variable.is_alloca())?)?;
    loads.iter().all(|load| load.is_pointer()).then_some(loads)
}

/// The loads of a variable that is loaded and stored to, and used for nothing else.
pub fn loads_alone(variable: Value) -> Option<Vec<Value>> {
    let (loads, others): (Vec<Value>, Vec<Value>) =
        (variable.users().into_iter()).partition(|user| user.loaded_from() == Some(variable));
    let is_known = |user: &Value| user.writes_to(variable) || user.is_lifetime();
    others.iter().all(is_known).then_some(loads)
}

pub fn leads_on(user: Value) -> bool {
    use LLVMOpcode::*;
    matches!(user.opcode(), Some(LLVMGetElementPtr | LLVMBitCast | LLVMAddrSpaceCast | LLVMPHI | LLVMSelect))
}
