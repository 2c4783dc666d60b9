//! A thread's own memory in a region: variables on its stack, and what the code asks for. Who uses which bytes of it.

use inkwell::llvm_sys::LLVMOpcode;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::find::paths::{Go, follow_among};
use crate::llvm::{Argument, Block, Value, instructions, leads_astray, only};
use crate::promises::after_loop::{ends_a_life, is_of_compilers, is_own_variable};
use crate::promises::called::{Called, asks_for_memory};
use crate::promises::captures::{Capture, Captures, kept_in, leads_on, loads_alone};
use crate::promises::decided::Decided;
use crate::promises::region::Region;
use crate::promises::work::Work;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// From here on it holds nothing of before.
    Forgets,
    Writes,
    Reads,
    /// Its address is given away for this instruction: anything.
    Anything,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Extent {
    first: i64,
    size: i64,
}

impl Extent {
    fn new(offset: Option<i64>, size: Option<i64>) -> Option<Extent> {
        let (first, size) = (offset?, size?);
        (first >= 0 && size > 0).then_some(Extent { first, size })
    }

    fn end(self) -> i64 {
        self.first.saturating_add(self.size)
    }

    pub fn covers(self, other: Extent) -> bool {
        self.first <= other.first && other.end() <= self.end()
    }

    pub fn overlaps(self, other: Extent) -> bool {
        self.first < other.end() && other.first < self.end()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub what: Use,
    pub extent: Option<Extent>,
}

pub struct Variable {
    pub root: Value,
    pub uses: FxHashMap<Value, Access>,
    /// Where these stand.
    used_in: FxHashSet<Block>,
    /// What keeps its address somewhere that is not followed.
    pub given: Vec<Value>,
    pub is_combined: bool,
    extent: Option<Extent>,
}

/// An address in a variable, and by how many bytes it lies behind the variable's first one, if that is known.
type Address = (Value, Option<i64>);

impl Variable {
    pub fn all(function: Value) -> Vec<Variable> {
        let mut captures = Captures::default();
        let made = instructions(function).filter(|&value| value.is_alloca() || asks_for_memory(value));
        made.map(|root| Variable::from_root(root, &mut captures)).collect()
    }

    fn from_root(root: Value, captures: &mut Captures) -> Variable {
        let begins = Access { what: Use::Forgets, extent: None };
        let mut variable = Variable {
            root,
            uses: FxHashMap::from_iter([(root, begins)]),
            used_in: FxHashSet::default(),
            given: Vec::new(),
            is_combined: false,
            extent: Extent::new(Some(0), root.memory_size()),
        };
        let mut addresses: Vec<Address> = vec![(root, Some(0))];
        let mut known: FxHashSet<Value> = FxHashSet::from_iter([root]);
        while let Some(address) = addresses.pop() {
            for user in address.0.users() {
                let more = if leads_on(user) {
                    vec![(user, offset_of(user, address))]
                } else {
                    variable.add(address, user, captures)
                };
                addresses.extend(more.into_iter().filter(|(value, _)| known.insert(*value)));
            }
        }
        variable.used_in = variable.uses.keys().filter_map(|user| user.block()).collect();
        variable
    }

    pub fn is_used_in(&self, block: Block) -> bool {
        self.used_in.contains(&block)
    }

    /// Adds a user of an address; returns what else is an address in the variable then.
    fn add(&mut self, address: Address, user: Value, captures: &mut Captures) -> Vec<Address> {
        let (value, offset) = address;
        let mut more = Vec::new();
        let extent = Extent::new(offset, user.memory_size());
        let (what, extent) = match user.opcode() {
            Some(LLVMOpcode::LLVMICmp) => return more,
            Some(LLVMOpcode::LLVMLoad) => (Use::Reads, extent),
            Some(LLVMOpcode::LLVMStore) if user.operand(0) == Some(value) => {
                if let Some(loads) = kept_in(user) {
                    let offset = offset.filter(|_| is_only_store(user));
                    more.extend(loads.into_iter().map(|load| (load, offset)));
                    return more;
                }
                if is_list_of_reduction(user) {
                    self.is_combined = true;
                    return more;
                }
                self.given.push(user);
                (Use::Anything, None)
            }
            Some(LLVMOpcode::LLVMStore) => (self.of_write(extent), extent),
            Some(LLVMOpcode::LLVMCall) if user.is_lifetime() => (Use::Forgets, None),
            _ if ends_a_life(user) && user.operand(0) == Some(self.root) => (Use::Forgets, None),
            _ if is_of_compilers(user) => (Use::Writes, None),
            _ => self.of_call(address, user, captures, &mut more),
        };
        self.insert(user, Access { what, extent });
        more
    }

    fn of_call(
        &mut self,
        (value, offset): Address,
        user: Value,
        captures: &mut Captures,
        more: &mut Vec<Address>,
    ) -> (Use, Option<Extent>) {
        if let Some(size) = size_that_is_copied(user) {
            let extent = Extent::new(offset, size);
            return match [0, 1].map(|side| user.operand(side) == Some(value)) {
                [true, false] => (self.of_write(extent), extent),
                [false, true] => (Use::Reads, extent),
                _ => (Use::Anything, None),
            };
        }
        let gets_result = (0..user.argument_count())
            .all(|at| user.operand(at) != Some(value) || user.argument(at) == Argument::Result);
        if gets_result && user.calls_out() && value == self.root {
            return (Use::Forgets, None);
        }
        match captures.by_user(user, value) {
            Capture::Read => return (Use::Reads, None),
            Capture::Used => {}
            Capture::Returned => more.push((user, None)),
            Capture::Kept => self.given.push(user),
        }
        (Use::Anything, None)
    }

    fn of_write(&self, written: Option<Extent>) -> Use {
        match (written, self.extent) {
            (Some(written), Some(all)) if written.covers(all) => Use::Forgets,
            _ => Use::Writes,
        }
    }

    pub fn lives_until_a_loop(&self, from: Value, region: &Region) -> bool {
        let matters = |block: Block| self.is_used_in(block) || region.starts_a_loop(block);
        follow_among(from, &region.destinations, matters, |current| match () {
            () if current == self.root || current.is_lifetime() && self.uses.contains_key(&current) => Go::Back,
            () if region.works.iter().any(|work| work.start == current) => Go::Home,
            () => Go::On,
        })
    }

    fn insert(&mut self, user: Value, access: Access) {
        let before = self.uses.insert(user, access);
        if before.is_some_and(|before| before != access) {
            let anything = Access { what: Use::Anything, extent: None };
            self.uses.insert(user, anything);
        }
    }
}

fn offset_of(user: Value, (_, offset): Address) -> Option<i64> {
    match user.opcode() {
        Some(LLVMOpcode::LLVMGetElementPtr) => offset?.checked_add(user.constant_offset()?),
        Some(LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMSelect) => None,
        _ => offset,
    }
}

fn is_only_store(store: Value) -> bool {
    let variable = store.operand(1);
    let users = variable.map(Value::users).unwrap_or_default();
    only(users.into_iter().filter(|user| user.is_store())) == Some(store)
}

/// How many bytes an intrinsic copies or sets, if it is one that does; none within if that is not constant.
fn size_that_is_copied(call: Value) -> Option<Option<i64>> {
    let copies = call.calls(&[b"llvm.memcpy.*", b"llvm.memmove.*", b"llvm.memset.*"]);
    copies.then(|| call.operand(2).and_then(Value::const_int))
}

fn is_list_of_reduction(store: Value) -> bool {
    let Some(place) = store.operand(1) else { return false };
    let list = match place.opcode() {
        Some(LLVMOpcode::LLVMGetElementPtr) => place.operand(0),
        _ => Some(place),
    };
    list.is_some_and(|list| {
        list.is_alloca() && list.users().into_iter().any(|user| user.calls_out() && is_of_compilers(user))
    })
}

// Does a region's code go by its thread's number? In a loop whatever it does with it may show which iterations were the thread's. Around
// the loop it may compute with it, keep it in variables of its own, compare it, and have library functions run or not by the outcome.

const NUMBER: [&[u8]; 2] = [b"omp_get_thread_num", b"omp_get_thread_num_"];

pub fn goes_by_number(region: &Region, work: &Work, called: &mut Called) -> bool {
    let mut functions = vec![region.function];
    let mut known: FxHashSet<Value> = functions.iter().copied().collect();
    while let Some(function) = functions.pop() {
        for instruction in instructions(function) {
            if !called.effects(instruction).learns_who() {
                continue;
            }
            match instruction.callee().filter(|callee| callee.body_is_what_runs()) {
                _ if work.body.contains(&instruction) => return true,
                Some(callee) if instruction.calls_out() => {
                    functions.extend(known.insert(callee).then_some(callee));
                }
                _ if instruction.calls(&NUMBER) && !leads_on_to(instruction, &work.body) => {}
                _ => return true,
            }
        }
    }
    false
}

fn leads_on_to(number: Value, body: &FxHashSet<Value>) -> bool {
    leads_astray(number, |value, user| if body.contains(&user) { None } else { follow_use(value, user) })
}

fn follow_use(value: Value, user: Value) -> Option<Vec<Value>> {
    use LLVMOpcode::*;
    match user.opcode()? {
        LLVMBr | LLVMSwitch => {
            let decided = Decided::by_branch(user)?;
            (!decided.instructions.into_iter().any(leaves_something)).then_some(decided.results)
        }
        LLVMStore if user.operand(1) != Some(value) => {
            loads_alone(user.operand(1).filter(|variable| variable.is_alloca())?)
        }
        LLVMICmp | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMSIToFP | LLVMUIToFP | LLVMAdd | LLVMSub | LLVMMul
        | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor
        | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMPHI | LLVMSelect | LLVMFCmp => Some(vec![user]),
        _ => None,
    }
}

/// Does an instruction more than compute and have functions of libraries do something, as print?
fn leaves_something(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMStore | LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => true,
        _ if instruction.calls_out() => {
            let is_given_own =
                |at| instruction.operand(at).is_some_and(is_own_variable) && instruction.argument(at) != Argument::Read;
            instruction.callee().is_none_or(Value::has_body) || (0..instruction.argument_count()).any(is_given_own)
        }
        _ => size_that_is_copied(instruction).is_some(),
    }
}
