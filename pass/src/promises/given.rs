//! What becomes of the address of a thread's own variable: is it kept somewhere, so that the variable can be reached without being named?

use std::collections::HashMap;

use inkwell::llvm_sys::LLVMOpcode;

use crate::llvm::{Argument, Block, Value, body_is_what_runs, is_library_function};

/// What a function does with an address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fate {
    /// It reads there.
    Read,
    /// It reads or writes there.
    Used,
    /// It may return it.
    Returned,
    /// It may keep it.
    Kept,
}

/// Of functions and the numbers of their parameters, each looked into once.
#[derive(Default)]
pub struct Fates(HashMap<(Value, u32), Fate>);

impl Fates {
    /// Of an address that an instruction uses.
    pub fn fate_of_use(&mut self, user: Value, address: Value) -> Fate {
        if !user.calls_out() {
            return match user.is_intrinsic() {
                true => Fate::Used,
                false => Fate::Kept,
            };
        }
        let places: Vec<u32> = (0..user.argument_count()).filter(|&at| user.operand(at) == Some(address)).collect();
        let is_read = |&at: &u32| user.argument(at) == Argument::Read;
        if !places.is_empty() && places.iter().all(is_read) {
            return Fate::Read;
        }
        let Some(callee) = user.callee() else {
            return Fate::Kept;
        };
        if !body_is_what_runs(callee) {
            return of_others_function(user, callee);
        }
        let fates = places.into_iter().map(|at| self.of_parameter(callee, at));
        fates.max().unwrap_or(Fate::Kept)
    }

    fn of_parameter(&mut self, callee: Value, index: u32) -> Fate {
        if let Some(&known) = self.0.get(&(callee, index)) {
            return known;
        }
        // Of functions that call each other in a circle, one would be known before the other has been looked into.
        self.0.insert((callee, index), Fate::Kept);
        let fate = match callee.parameter(index) {
            Some(parameter) => self.of_address(parameter),
            None => Fate::Kept,
        };
        self.0.insert((callee, index), fate);
        fate
    }

    fn of_address(&mut self, first: Value) -> Fate {
        let (mut fate, mut addresses, mut done) = (Fate::Read, vec![first], 0);
        while done < addresses.len() && fate != Fate::Kept {
            let address = addresses[done];
            done += 1;
            for user in address.users() {
                let (more, on) = self.of_user(user, address);
                fate = fate.max(more);
                addresses.extend(on.into_iter().filter(|on| !addresses.contains(on)).collect::<Vec<_>>());
            }
        }
        fate
    }

    /// What one instruction does with it, and what else is the address then.
    fn of_user(&mut self, user: Value, address: Value) -> (Fate, Vec<Value>) {
        match user.opcode() {
            _ if leads_on(user) => (Fate::Read, vec![user]),
            Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMICmp) => (Fate::Read, Vec::new()),
            Some(LLVMOpcode::LLVMRet) => (Fate::Returned, Vec::new()),
            Some(LLVMOpcode::LLVMStore) if user.operand(0) != Some(address) => (Fate::Used, Vec::new()),
            Some(LLVMOpcode::LLVMStore) => match kept_in(user) {
                Some(loads) => (Fate::Read, loads),
                None => (Fate::Kept, Vec::new()),
            },
            _ => match self.fate_of_use(user, address) {
                Fate::Returned => (Fate::Used, vec![user]),
                fate => (fate, Vec::new()),
            },
        }
    }
}

/// Of a function that cannot be looked into: libraries' use what they get, the runtime's, too, but for those that run regions.
fn of_others_function(call: Value, callee: Value) -> Fate {
    let is_known = callee.with_name(|name| {
        let begins = |with: &[&[u8]]| with.iter().any(|with| name.starts_with(with));
        begins(&[b"__kmpc_", b"_Fortran", b"_ZSt", b"_ZNSt", b"_ZNKSt", b"__cxa_"]) && !begins(&[b"__kmpc_fork"])
    });
    let caller = call.block().and_then(Block::function);
    let is_library_s = || caller.is_some_and(|caller| is_library_function(callee, caller));
    match is_known || is_library_s() {
        // Some return what they get (`memcpy`, `strchr`).
        true if call.is_pointer() => Fate::Returned,
        true => Fate::Used,
        false => Fate::Kept,
    }
}

/// The loads that give the address back which a store puts into a variable that is used for nothing else.
pub fn kept_in(store: Value) -> Option<Vec<Value>> {
    let loads = loads_alone(store.operand(1).filter(|variable| variable.is_alloca())?)?;
    loads.iter().all(|load| load.is_pointer()).then_some(loads)
}

/// The loads of a variable that is loaded and stored to, and used for nothing else.
pub fn loads_alone(variable: Value) -> Option<Vec<Value>> {
    let (loads, others): (Vec<Value>, Vec<Value>) =
        (variable.users().into_iter()).partition(|user| user.loaded_from() == Some(variable));
    let is_store = |user: &Value| user.is_store() && user.operand(0) != Some(variable);
    (others.iter()).all(|user| is_store(user) || is_lifetime(*user)).then_some(loads)
}

/// Is the user an address in the same variable?
pub fn leads_on(user: Value) -> bool {
    matches!(
        user.opcode(),
        Some(
            LLVMOpcode::LLVMGetElementPtr
                | LLVMOpcode::LLVMBitCast
                | LLVMOpcode::LLVMAddrSpaceCast
                | LLVMOpcode::LLVMPHI
                | LLVMOpcode::LLVMSelect
        )
    )
}

/// Does a call say where a variable's life begins or ends?
pub fn is_lifetime(call: Value) -> bool {
    call.is_intrinsic()
        && call.callee().is_some_and(|callee| callee.with_name(|name| name.starts_with(b"llvm.lifetime.")))
}
