//! The only code that changes the IR.

use inkwell::values::PointerValue;

use crate::emit::endpoints::AtEnd;
use crate::find::FoundLoop;
use crate::instrumentation_plan::Plan;
use crate::llvm::Value;

mod aside;
mod chunk_bounds;
mod code;
mod emitter;
mod endpoints;
mod loop_rewrite;
mod records;
mod resolver;
mod static_entries;
mod task_creation;

pub use self::emitter::Emitter;

impl<'ctx> Emitter<'ctx> {
    pub fn instrument(&mut self, function: Value, planned: &[(FoundLoop, Plan)]) {
        self.begin(function);
        let mut one = None;
        // Calls of fini, the frames of the loops that may end there, and whether one of these lends its word.
        let mut ends: Vec<(Value, Vec<PointerValue<'ctx>>, AtEnd<'ctx>, bool)> = Vec::new();
        for (found, plan) in planned {
            self.locate(found.call.instruction);
            // Loops that cannot overlap share one frame: one for each would add up in regions with many loops.
            let frame = if found.ends.meets_other_loop {
                self.new_frame(function)
            } else {
                *one.get_or_insert_with(|| self.new_frame(function))
            };
            let is_lent = found.surroundings.lends_last;
            let again = self.rewrite(found, *plan, frame);
            for &end in &found.ends.calls {
                let at_end = match (found.change, again) {
                    (Ok(change), Some(again)) if change.end == Some(end) => again,
                    (Ok(_), _) => AtEnd::Skip,
                    (Err(_), _) => AtEnd::Leave,
                };
                match ends.iter_mut().find(|(known, ..)| *known == end) {
                    Some((_, frames, known, lent)) => {
                        *lent |= is_lent;
                        if !frames.contains(&frame) {
                            frames.push(frame);
                        }
                        // Several loops end there; the end that is asked at is no other loop's.
                        if !matches!((*known, at_end), (AtEnd::Leave, AtEnd::Leave)) {
                            *known = AtEnd::Skip;
                        }
                    }
                    None => ends.push((end, vec![frame], at_end, is_lent)),
                }
            }
        }
        for (end, frames, at_end, is_lent) in ends {
            self.locate(end);
            for frame in frames {
                self.leave_before(end, frame, at_end, is_lent);
            }
        }
        self.move_variables();
    }
}
