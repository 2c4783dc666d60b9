//! The only code that changes the IR.
//!
//! [`Emitter::instrument`] rewrites the planned loops of one function; [`loops`] holds the rewriting of one loop, [`asking`] how it asks,
//! [`copies`] the making of its second copy, [`ends`] its end, [`tasks`] what stands around the creation of a task,
//! [`bounds`] the chunk a loop reports, [`user`] the user's start and step, [`code`] the small pieces that every
//! rewriting is made of, [`dealing`] what runs a loop under another schedule, [`aside`] what they become where lines are
//! counted, [`shared`] the code that loops of functions with many share, [`slot`] where an execution keeps its state,
//! [`terms`] what they have in common,
//! [`records`] the constants that `ompchunk-abi` describes and [`resolver`] the stub that looks for the shim.

mod aside;
mod asking;
mod bounds;
mod code;
mod copies;
mod dealing;
mod emitter;
mod ends;
mod loops;
mod next_chunk;
mod records;
mod resolver;
mod shared;
mod slot;
mod stepping;
mod tasks;
mod terms;
mod user;

use inkwell::values::FunctionValue;

use crate::budget::Code;
use crate::find::FoundLoop;
use crate::llvm::Value;
use crate::plan::Plan;

use self::dealing::AtEnd;
pub use self::emitter::Emitter;
use self::emitter::{Edge, Slot};
use self::terms::Bookkeeping;

/// A loop and what becomes of it.
pub struct Planned {
    pub found: FoundLoop,
    pub plan: Plan,
    pub code: Code,
}

impl<'ctx> Emitter<'ctx> {
    /// Rewrites the loops of one function.
    pub fn instrument(&mut self, function: Value, planned: &[Planned]) {
        let record = self.module_record();
        // SAFETY: `function` is a function of the module.
        let Some(function) = (unsafe { FunctionValue::new(function.raw()) }) else {
            return;
        };

        let mut one = None;
        let has_shared = planned.iter().any(|planned| planned.code == Code::Shared);
        // Calls of fini, the slots of the loops that may end there, and where control leaves their copies.
        let mut ends: Vec<(Value, Vec<Slot<'ctx>>, Vec<Edge>, AtEnd<'ctx>)> = Vec::new();
        for Planned { found, plan, code } in planned {
            self.locate(found.call.instruction);
            // Loops that cannot overlap share one frame: a stack frame of its own for each would
            // add up in regions with many loops.
            let [in_line, shared] = if found.ends.meets_other_loop {
                self.new_slots(function, *code == Code::Shared)
            } else {
                *one.get_or_insert_with(|| self.new_slots(function, has_shared))
            };
            let slot = match code {
                Code::InLine => in_line,
                Code::Shared => shared,
            };
            let (exits, dealing) = self.rewrite(function, found, *plan, slot, record);
            for &end in &found.ends.calls {
                let at_end = AtEnd::of(self, dealing, found, end);
                match ends.iter_mut().find(|(known, ..)| *known == end) {
                    Some((_, slots, all, known)) => {
                        if !slots.iter().any(|known| known.on == slot.on) {
                            slots.push(slot);
                        }
                        all.extend(&exits);
                        *known = known.and(at_end);
                    }
                    None => ends.push((end, vec![slot], exits.clone(), at_end)),
                }
            }
        }
        for (end, slots, exits, at_end) in ends {
            self.locate(end);
            match slots[..] {
                [slot] if slot.shared && self.end_by_part(end, slot) => {}
                [slot] if !exits.is_empty() => {
                    self.leave_and_end(function, end, slot, &exits, at_end);
                }
                _ => {
                    for slot in slots {
                        self.leave_before(function, end, slot, Bookkeeping::Here, at_end);
                    }
                }
            }
        }
    }
}
