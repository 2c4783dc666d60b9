//! What the record of a loop says of it, and what its program must tell since the record cannot.

use inkwell::llvm_sys::LLVMCallConv;
use inkwell::llvm_sys::core::{LLVMGetAlignment, LLVMGetInstructionCallConv, LLVMGetNumOperands};
use ompchunk_abi as abi;
use ompchunk_abi::{GroupLoop, LoopRecord};

use super::{Call, Chunk, Form, FoundLoop, Location, ident, is_local_of_width};
use crate::llvm::typed::argument;
use crate::llvm::{Block, Value};

/// Of `__kmpc_for_static_init_*`.
pub const STATIC_INIT_ARGUMENTS: usize = 9;

impl Call {
    /// Which of the types of loops, as `find::TYPES` has them.
    pub fn kind(&self) -> usize {
        usize::from(self.entry.bits == 64) * 2 + usize::from(!self.entry.signed)
    }

    /// The chunk size, if the record has it.
    pub fn known_chunk(&self) -> Option<i32> {
        self.chunk.filter(|_| self.chunked).and_then(|size| size.try_into().ok())
    }

    /// The variables that the runtime fills in at the call: lower and upper bound, stride, and whether the last iteration is the thread's.
    pub fn variables(&self) -> [Value; 4] {
        [self.lower, self.upper, self.stride, argument(self.instruction, 3)]
    }
}

impl FoundLoop {
    /// The chunk size, if the record has none.
    pub fn chunk_size(&self) -> Option<Value> {
        let call = &self.call;
        let number = match (call.entry.dealt, call.entry.combined) {
            (true, _) => 6,
            (false, false) => 8,
            (false, true) => 9,
        };
        (call.known_chunk().is_none() && (call.entry.dealt || call.chunked)).then(|| argument(call.instruction, number))
    }

    /// Are the variables known that it is divided by, so that the shim reports its only chunk, and may change them?
    pub fn tells_bounds(&self) -> bool {
        let is_range = matches!(self.form, Form::Range { chunk: Chunk::Variables { .. } | Chunk::Counted { .. }, .. });
        !self.call.entry.dealt && self.call.earlier.is_none() && (self.change.is_ok() || is_range)
    }

    /// Can it begin by its entry of the module record, with its variables in a frame?
    pub fn fits_entry(&self) -> bool {
        let call = &self.call;
        // SAFETY: a call. Its callee is the last operand, behind those of bundles.
        let (convention, operands) = unsafe {
            (LLVMGetInstructionCallConv(call.instruction.raw()), LLVMGetNumOperands(call.instruction.raw()) as usize)
        };
        let widths = [call.entry.bits, call.entry.bits, call.entry.bits, 32];
        let fits = |(variable, bits): (Value, u32)| {
            // SAFETY: an `alloca`, which has an alignment.
            is_local_of_width(variable, bits) && unsafe { LLVMGetAlignment(variable.raw()) } <= 8
        };
        let is_static = self.change.is_ok() && !call.entry.dealt && call.earlier.is_none();
        let [bounds @ .., last] = call.variables();
        is_static
            && !bounds.contains(&last)
            && convention == LLVMCallConv::LLVMCCallConv as u32
            && operands == STATIC_INIT_ARGUMENTS + 1
            && call.variables().into_iter().zip(widths).all(fits)
            && ident::flags(argument(call.instruction, 0)).is_some()
    }

    /// May the frame's `on` stand where its variable is that says whether the thread has the last iteration? Then the program clears it
    /// right before the call, and nothing else is done with it. Not of loops over chunks: a word that may be 1 takes a register through them.
    pub(super) fn lends_last(&self) -> bool {
        let (call, [.., last]) = (self.call.instruction, self.call.variables());
        if !self.fits_entry() {
            return false;
        }
        let before = call.block().into_iter().flat_map(Block::instructions).take_while(|&each| each != call);
        let before: Vec<Value> = before.collect();
        let is_zero = |stored: Value| stored.const_int() == Some(0) && stored.integer_bits() == Some(32);
        let clears = |user: &Value| user.writes_to(last) && user.stored().is_some_and(is_zero) && before.contains(user);
        // SAFETY: an `alloca`, which has an alignment: `fits_entry` has said yes.
        let is_aligned = unsafe { LLVMGetAlignment(last.raw()) } <= 4;
        let users = last.users();
        is_aligned
            && !self.call.chunked
            && users.iter().any(clears)
            && users.iter().all(|user| *user == call || user.is_lifetime() || clears(user))
    }

    /// `ompchunk_abi::LOOP_*`
    pub fn flags(&self, is_told: bool) -> u32 {
        let (call, user, surroundings) = (&self.call, &self.user, &self.surroundings);
        let is_changeable = self.change.is_ok();
        let reassociated = surroundings.reassociated.filter(|_| is_changeable);
        let flags = [
            (call.entry.signed, abi::LOOP_SIGNED),
            (call.chunked, abi::LOOP_CHUNKED),
            (call.known_chunk().is_some(), abi::LOOP_CHUNK_KNOWN),
            (user.start.constant().is_some(), abi::LOOP_START_KNOWN),
            (user.step.constant().is_some(), abi::LOOP_STEP_KNOWN),
            (user.start.is_computed(), abi::LOOP_START_PASSED),
            (user.step.is_computed(), abi::LOOP_STEP_PASSED),
            (call.entry.dealt, abi::LOOP_DEALT),
            (matches!(self.form.chunk(), Chunk::Dealt { first: 1, .. }), abi::LOOP_FROM_ONE),
            (is_changeable, abi::LOOP_CHANGEABLE),
            (surroundings.no_barrier, abi::LOOP_NO_BARRIER),
            (surroundings.last_read, abi::LOOP_LAST_READ),
            (reassociated == Some(false), abi::LOOP_DIVISIBLE),
            (reassociated == Some(true), abi::LOOP_REASSOCIATED),
            (self.is_free(), abi::LOOP_FREE),
            (!self.group.is_empty(), abi::LOOP_MAPPED),
            (is_told, abi::LOOP_TOLD),
        ];
        flags.into_iter().filter(|(is_set, _)| *is_set).fold(0, |sum, (_, flag)| sum | flag)
    }
}

impl Location {
    /// The user's function: clang outlines regions into `NAME.omp_outlined…`, flang into
    /// `NAME..omp_par…`; what a copied loop calls is copied to `NAME.ompchunk` (`glue/clone.cpp`).
    pub fn user_function(&self) -> &[u8] {
        let (name, markers): (_, [&[u8]; 3]) = (&self.function, [b".omp_outlined", b"..omp_par", b".ompchunk"]);
        let end = (0..name.len()).find(|&at| markers.iter().any(|marker| name[at..].starts_with(marker)));
        &name[..end.unwrap_or(name.len())]
    }
}

/// What stands behind a loop's record. Places are bytes from the record's beginning.
pub struct BehindRecord {
    pub bytes: Vec<u8>,
    /// The function's name and the file, if they stand here.
    pub texts: [u64; 2],
    /// 0: none.
    pub group: usize,
    /// Size of the record with all of it.
    pub size: usize,
}

impl BehindRecord {
    pub fn new(texts: &[Vec<u8>], group: &[GroupLoop]) -> BehindRecord {
        let (mut bytes, mut group_at) = (Vec::new(), 0);
        if !group.is_empty() {
            group_at = size_of::<LoopRecord>();
            let words = group.iter().flat_map(|member| [member.line, member.column, member.changeable]);
            // In the host's order: the plugin instruments nothing else (`oc_is_host_elf64`).
            bytes.extend([group.len() as u32].into_iter().chain(words).flat_map(u32::to_ne_bytes));
        }
        let mut places = [0; 2];
        for (text, at) in texts.iter().zip(&mut places) {
            *at = (size_of::<LoopRecord>() + bytes.len()) as u64;
            bytes.extend(text);
        }
        let bytes = padded(&bytes);
        BehindRecord { texts: places, group: group_at, size: size_of::<LoopRecord>() + bytes.len(), bytes }
    }
}

/// With zeros, so that the next record may follow.
pub fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut padded = bytes.to_owned();
    padded.resize(bytes.len().next_multiple_of(align_of::<LoopRecord>()), 0);
    padded
}
