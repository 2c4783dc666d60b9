//! Optimization remarks: `-Rpass=ompchunk`, `-Rpass-missed=ompchunk`, `-fsave-optimization-record`.

use crate::ffi::{self, c_text};
use crate::find::{Construct, FoundLoop};
use crate::instrumentation_plan::Plan;
use crate::llvm::Value;
use crate::reason::Reason;

pub fn passed(found: &FoundLoop, plan: Plan) {
    let clause = found.call.clause();
    let what = match found.call.construct {
        Construct::Sections => "sections".to_owned(),
        _ if found.call.entry.dealt => format!("loop, {clause}"),
        _ => format!("static loop, {clause}"),
    };
    let change = match found.change {
        Ok(_) => match found.bound_sentence() {
            None => "its schedule can be changed at run time".to_owned(),
            Some(bound) => {
                format!("its schedule can be changed at run time, but not by '*': {bound}")
            }
        },
        Err(fixed) => format!(
            "its schedule is fixed: {}",
            ompchunk_abi::fixed::sentence(fixed).unwrap_or("its form is not known")
        ),
    };
    let message = format!("instrumented {what}: {}; {change}", plan.describe());
    emit(found.call.instruction, true, "Instrumented", &message);
}

pub fn timed(alloc: Value) {
    emit(alloc, true, "Instrumented", "instrumented task creation");
}

pub fn missed(call: Value, reason: Reason) {
    emit(call, false, reason.name(), &format!("left alone: {reason}"));
}

fn emit(at: Value, passed: bool, name: &str, message: &str) {
    let (name, message) = (c_text(name), c_text(message));
    // SAFETY: `at` is an instruction of the module being processed.
    unsafe { ffi::oc_remark(at.raw(), passed.into(), name.as_ptr(), message.as_ptr()) }
}
