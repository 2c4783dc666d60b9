//! Do a loop's results stay the same, bit for bit, when a thread runs its iterations in sub-blocks, one after the other?
//!
//! Compilers may reorder what users allow them to (`-ffast-math`): a vectorized sum is folded at the end of each run.
//! Outside of the vectorized part, an iteration may be rounded by another function, or a product and a sum not fused.
//! Asked is at the start of the pipeline, where all operations have their flags. A loop is said to differ
//!
//! - with an operation that may be reordered, rounded in another way or lose the sign of a zero, or with a product and a sum that may
//!   be fused where the processor can;
//! - with any floating-point operation, if the user wants the loop itself vectorized (`omp simd`), which allows reordering;
//! - if it calls a function with such an operation, or one that is not known, in a module that has such operations at all.
//!
//! Loops inside are no matter of their own: an iteration runs them as a whole.

use inkwell::llvm_sys::prelude::LLVMModuleRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::found::{Form, FoundLoop};
use crate::ffi::{FLOATING, FUSIBLE, REORDERED};
use crate::llvm::{Analysis, Block, Value, blocks, functions};

const MOST_FUNCTIONS: usize = 200;

pub struct Numerics {
    module: LLVMModuleRef,
    of: FxHashMap<Value, Code>,
    any: Option<bool>,
}

#[derive(Clone, Default)]
struct Code {
    bits: u32,
    callees: Vec<Value>,
    calls_out: bool,
}

impl Code {
    fn from_blocks(blocks: impl Iterator<Item = Block>) -> Code {
        let mut code = Code::default();
        for instruction in blocks.flat_map(Block::instructions) {
            code.bits |= instruction.numerics();
            if !instruction.calls_out() {
                continue;
            }
            match instruction.callee() {
                Some(callee) if callee.has_body() => code.callees.push(callee),
                // The runtime's functions compute nothing.
                Some(_) if instruction.calls(&[b"__kmpc_*", b"omp_*"]) => {}
                _ => code.calls_out = true,
            }
        }
        code
    }

    /// May what it computes differ, in a function that fuses products and sums, or does not?
    fn differs(&self, fuses: bool) -> bool {
        self.bits & REORDERED != 0 || fuses && self.bits & FUSIBLE == FUSIBLE
    }
}

impl Numerics {
    pub fn in_module(module: LLVMModuleRef) -> Numerics {
        Numerics { module, of: FxHashMap::default(), any: None }
    }

    /// May the loop's results differ? None where its iterations are not found.
    pub fn may_differ(&mut self, analysis: &Analysis, found: &FoundLoop) -> Option<bool> {
        let (body, closing) = match &found.form {
            Form::Range { test, .. } => {
                let header = analysis.loop_header((*test)?.block()?)?;
                (analysis.loop_blocks(header), Some(header))
            }
            Form::Chunks(chunks) => (chunks.blocks.clone(), None),
        };
        let function = body.first()?.function()?;
        let (unsafe_code, fuses) = (function.is_unsafe(), function.fuses());
        let code = Code::from_blocks(body.iter().copied());
        let is_simd = || {
            // In a loop over chunks, one inside it goes over the iterations.
            let branches = body.iter().filter_map(|block| block.terminator());
            branches
                .filter(|branch| closing.is_none_or(|header| branch.successors().contains(&header)))
                .any(Value::vectorize_wanted)
        };
        Some(
            code.differs(fuses)
                || unsafe_code && code.bits & FLOATING != 0
                || self.calls_differ(&code, fuses)
                || self.floats(&code) && is_simd(),
        )
    }

    fn calls_differ(&mut self, code: &Code, fuses: bool) -> bool {
        let mut seen = FxHashSet::default();
        let (mut bits, mut unknown) = (code.bits, code.calls_out);
        let mut open = code.callees.clone();
        while let Some(callee) = open.pop() {
            if !seen.insert(callee) {
                continue;
            }
            if seen.len() > MOST_FUNCTIONS {
                unknown = true;
                break;
            }
            let called = self.code(callee);
            bits |= called.bits;
            unknown |= called.calls_out;
            open.extend(&called.callees);
        }
        let all = Code { bits, ..Code::default() };
        all.differs(fuses) || unknown && self.any()
    }

    fn floats(&mut self, code: &Code) -> bool {
        code.bits & FLOATING != 0 || code.calls_out || !code.callees.is_empty()
    }

    fn code(&mut self, function: Value) -> &Code {
        self.of.entry(function).or_insert_with(|| {
            let mut code = Code::from_blocks(blocks(function));
            if function.is_unsafe() && code.bits & FLOATING != 0 {
                code.bits |= REORDERED;
            }
            code
        })
    }

    fn any(&mut self) -> bool {
        if let Some(any) = self.any {
            return any;
        }
        let all: Vec<Value> = functions(self.module).collect();
        let any = all.into_iter().any(|function| self.code(function).differs(function.fuses()));
        *self.any.insert(any)
    }
}
