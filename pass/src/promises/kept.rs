//! Do threads keep what a loop wrote in variables of their own, and read it later? Then what they read depends on which
//! iterations they ran.

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::LLVMOpcode;

use crate::find::paths::{Go, Reasons, follow_with};
use crate::llvm::{Block, Value, blocks};

use super::behind::{ends_a_life, is_of_compilers, past_own_code};
use super::work::Work;

/// What an instruction does to a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// From here on it holds nothing of before.
    Forgets,
    /// Some of it changes.
    Writes,
    /// It is read.
    Reads,
    /// Its address is given away for this instruction: anything.
    Anything,
}

/// The thread's own variables of a region, and who uses them.
pub struct Variables(Vec<Variable>);

struct Variable {
    uses: HashMap<Value, Use>,
    /// Its address is kept somewhere.
    escapes: bool,
}

impl Variables {
    /// Of a region's function.
    pub fn of(function: Value) -> Variables {
        let all = blocks(function).flat_map(Block::instructions);
        Variables(
            all.filter(|value| value.is_alloca())
                .map(Variable::of)
                .collect(),
        )
    }

    /// Is one written in the loop and read after it?
    pub fn outlive(&self, work: &Work, is_repeated: bool, reasons: &Reasons) -> bool {
        self.0
            .iter()
            .any(|variable| variable.outlives(work, is_repeated, reasons))
    }
}

impl Variable {
    fn of(alloca: Value) -> Variable {
        let mut variable = Variable {
            uses: HashMap::from([(alloca, Use::Forgets)]),
            escapes: false,
        };
        let mut addresses = vec![alloca];
        let mut known: HashSet<Value> = addresses.iter().copied().collect();
        while let Some(address) = addresses.pop() {
            for user in address.users() {
                if leads_on(user) {
                    if known.insert(user) {
                        addresses.push(user);
                    }
                } else {
                    variable.add(alloca, address, user);
                }
            }
        }
        variable
    }

    fn add(&mut self, alloca: Value, address: Value, user: Value) {
        let what = match user.opcode() {
            Some(LLVMOpcode::LLVMLoad) => Use::Reads,
            Some(LLVMOpcode::LLVMStore) if user.operand(0) == Some(address) => {
                self.escapes |= !is_list_of_reduction(user);
                Use::Writes
            }
            Some(LLVMOpcode::LLVMStore) if user.stores_all_of(alloca) => Use::Forgets,
            Some(LLVMOpcode::LLVMStore) => Use::Writes,
            Some(LLVMOpcode::LLVMCall) if is_lifetime(user) => Use::Forgets,
            Some(LLVMOpcode::LLVMICmp) => return,
            _ if is_of_compilers(user) || ends_a_life(user) => Use::Writes,
            _ => Use::Anything,
        };
        let before = self.uses.insert(user, what);
        if before.is_some_and(|before| before != what) {
            self.uses.insert(user, Use::Anything);
        }
    }

    fn outlives(&self, work: &Work, is_repeated: bool, reasons: &Reasons) -> bool {
        let reads = |what: &Use| matches!(what, Use::Reads | Use::Anything);
        let is_written = self.escapes
            || self
                .uses
                .iter()
                .any(|(user, what)| *what != Use::Reads && work.body.contains(user));
        let is_read_elsewhere = self
            .uses
            .iter()
            .any(|(user, what)| reads(what) && !work.body.contains(user));
        if !is_written || !is_repeated && !is_read_elsewhere {
            return false;
        }
        if self.escapes {
            return true;
        }
        work.ends.iter().any(|&end| {
            let read = follow_with(end, reasons, &[], |current| {
                if let Some(past) = past_own_code(current, work) {
                    return Go::To(past);
                }
                match self.uses.get(&current) {
                    Some(Use::Forgets) => Go::Back,
                    Some(Use::Reads | Use::Anything) => Go::Home(()),
                    Some(Use::Writes) | None => Go::On,
                }
            });
            read.is_some()
        })
    }
}

/// Is the user an address in the same variable?
fn leads_on(user: Value) -> bool {
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

fn is_lifetime(call: Value) -> bool {
    call.callee()
        .is_some_and(|callee| callee.with_name(|name| name.starts_with(b"llvm.lifetime.")))
}

/// Does a store put an address into the list of values that the runtime combines?
fn is_list_of_reduction(store: Value) -> bool {
    let Some(place) = store.operand(1) else {
        return false;
    };
    let list = match place.opcode() {
        Some(LLVMOpcode::LLVMGetElementPtr) => place.operand(0),
        _ => Some(place),
    };
    list.is_some_and(|list| {
        list.is_alloca()
            && list
                .users()
                .into_iter()
                .any(|user| user.calls_out() && is_of_compilers(user))
    })
}
