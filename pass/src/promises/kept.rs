//! Do threads keep what a loop wrote in variables of their own, and read it later? Then what they read depends on which
//! iterations they ran. So it does where one iteration leaves something for the thread's next one: a `static` loop without a
//! chunk size gives a thread iterations that follow each other.

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::LLVMOpcode;

use crate::find::paths::{Go, Reasons, follow, follow_with};
use crate::llvm::{Block, Value, blocks};

use crate::find::end::is_fini;
use crate::find::entry_of;

use super::behind::{ends_a_life, is_of_compilers, past_own_code};
use super::given::{Fate, Fates, is_lifetime, kept_in, leads_on};
use super::region::Region;
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
    alloca: Value,
    uses: HashMap<Value, Use>,
    /// What keeps its address somewhere that is not followed.
    given: Vec<Value>,
    /// It holds a thread's part of a `reduction`.
    is_combined: bool,
}

impl Variables {
    /// Of a region's function.
    pub fn of(function: Value) -> Variables {
        let all = blocks(function).flat_map(Block::instructions);
        let mut fates = Fates::default();
        Variables(
            all.filter(|value| value.is_alloca())
                .map(|alloca| Variable::of(alloca, &mut fates))
                .collect(),
        )
    }

    /// Is the address of one kept where it is not followed, when a loop begins? Then the loop may write to it, and others read it.
    pub fn are_given_away(&self, region: &Region) -> bool {
        (self.0.iter()).any(|variable| variable.is_given_away(region))
    }

    /// Does one bring something from an iteration to the thread's next one?
    pub fn carry(&self, work: &Work, region: &Region) -> bool {
        (self.0.iter()).any(|variable| variable.carries(work, region))
    }

    /// Is one written in the loop and read after it?
    pub fn outlive(&self, work: &Work, is_repeated: bool, reasons: &Reasons) -> bool {
        self.0
            .iter()
            .any(|variable| variable.outlives(work, is_repeated, reasons))
    }
}

impl Variable {
    fn of(alloca: Value, fates: &mut Fates) -> Variable {
        let mut variable = Variable {
            alloca,
            uses: HashMap::from([(alloca, Use::Forgets)]),
            given: Vec::new(),
            is_combined: false,
        };
        let mut addresses = vec![alloca];
        let mut known: HashSet<Value> = addresses.iter().copied().collect();
        while let Some(address) = addresses.pop() {
            for user in address.users() {
                let more = match leads_on(user) {
                    true => vec![user],
                    false => variable.add(address, user, fates),
                };
                addresses.extend(more.into_iter().filter(|value| known.insert(*value)));
            }
        }
        variable
    }

    /// Adds a user of an address; returns what else is an address in the variable then.
    fn add(&mut self, address: Value, user: Value, fates: &mut Fates) -> Vec<Value> {
        let mut more = Vec::new();
        let what = match user.opcode() {
            Some(LLVMOpcode::LLVMLoad) => Use::Reads,
            Some(LLVMOpcode::LLVMStore) if user.operand(0) == Some(address) => {
                match kept_in(user) {
                    Some(loads) => more = loads,
                    None if is_list_of_reduction(user) => self.is_combined = true,
                    None => self.given.push(user),
                }
                Use::Writes
            }
            Some(LLVMOpcode::LLVMStore) if user.stores_all_of(self.alloca) => Use::Forgets,
            Some(LLVMOpcode::LLVMStore) => Use::Writes,
            Some(LLVMOpcode::LLVMCall) if is_lifetime(user) => Use::Forgets,
            Some(LLVMOpcode::LLVMICmp) => return more,
            _ if is_of_compilers(user) || ends_a_life(user) => Use::Writes,
            _ => {
                match fates.of(user, address) {
                    Fate::Used => {}
                    Fate::Returned => more.push(user),
                    Fate::Kept => self.given.push(user),
                }
                Use::Anything
            }
        };
        let before = self.uses.insert(user, what);
        if before.is_some_and(|before| before != what) {
            self.uses.insert(user, Use::Anything);
        }
        more
    }

    fn is_given_away(&self, region: &Region) -> bool {
        let lives_on = |&given: &Value| {
            let begun = follow_with(given, &region.reasons, &[], |current| {
                if current == self.alloca
                    || is_lifetime(current) && self.uses.contains_key(&current)
                {
                    return Go::Back;
                }
                match region.works.iter().any(|work| work.start == current) {
                    true => Go::Home(()),
                    false => Go::On,
                }
            });
            begun.is_some()
        };
        // What is used in one loop alone is another one in each iteration.
        let is_used_around = |work: &Work| {
            let around = |user: &Value| !work.body.contains(user) && *user != self.alloca;
            (self.uses.keys()).any(|user| around(user) && !is_lifetime(*user))
        };
        (self.given.iter()).any(|given| {
            let inside = region.works.iter().find(|work| work.body.contains(given));
            inside.map_or_else(|| lives_on(given), is_used_around)
        })
    }

    /// Only variables of one value that hold one before the loop: others may hold scratch that each iteration writes before it reads.
    fn carries(&self, work: &Work, region: &Region) -> bool {
        let is_bookkeeping = || self.uses.keys().any(|user| entry_of(*user).is_some());
        if self.is_combined || !self.alloca.is_variable_of_one_value() || is_bookkeeping() {
            return false;
        }
        let is_written = |is_inside: bool| {
            self.uses.keys().any(|user| {
                user.is_store()
                    && match is_inside {
                        true => work.body.contains(user),
                        false => !region.is_in_a_loop(*user),
                    }
            })
        };
        is_written(true) && is_written(false) && self.is_read_first(work, &region.reasons)
    }

    /// Does an iteration read it before it writes to it?
    fn is_read_first(&self, work: &Work, reasons: &Reasons) -> bool {
        let read = follow(work.start, reasons, &[], |current| {
            if is_fini(current) || work.ends.contains(&current) {
                return Go::Back;
            }
            match self.uses.get(&current) {
                Some(Use::Forgets) => Go::Back,
                Some(Use::Writes) if current.operand(1) == Some(self.alloca) => Go::Back,
                Some(Use::Reads) => Go::Home(()),
                _ => Go::On,
            }
        });
        read.is_some()
    }

    fn outlives(&self, work: &Work, is_repeated: bool, reasons: &Reasons) -> bool {
        let reads = |what: &Use| matches!(what, Use::Reads | Use::Anything);
        let escapes = !self.given.is_empty();
        let is_written = escapes
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
        if escapes {
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
