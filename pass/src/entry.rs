//! The way in from LLVM, and the place where panics end: an uncaught one would make the compiler ask
//! its user for a bug report.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

use inkwell::llvm_sys::prelude::LLVMModuleRef;
use ompchunk_abi::{GroupLoop, bound};

use crate::budget::{Budget, Code};
use crate::emit::{Emitter, Planned};
use crate::facts;
use crate::ffi;
use crate::find::task::{self, Creation};
use crate::find::{self, Construct, FoundLoop, Promise, Reasons};
use crate::llvm::{Analysis, Value, functions};
use crate::plan::Ways;
use crate::promises::Promises;
use crate::reason::Reason;
use crate::remark;
use crate::report::{self, Report};
use crate::version::PassPluginLibraryInfo;

type Run = extern "C" fn(module: LLVMModuleRef, optimize: u32) -> u32;

unsafe extern "C" {
    fn oc_plugin_info(version: *const c_char, run: Run) -> PassPluginLibraryInfo;
}

/// What LLVM looks up in a pass plugin. The glue fills it in from LLVM's own header.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    const VERSION: &std::ffi::CStr = match std::ffi::CStr::from_bytes_with_nul(
        concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes(),
    ) {
        Ok(version) => version,
        Err(_) => c"unknown",
    };
    // SAFETY: the string is static, the function has the glue's signature.
    unsafe { oc_plugin_info(VERSION.as_ptr(), run_on_module) }
}

/// Runs over a module; `optimize` is 0 at -O0.
extern "C" fn run_on_module(module: LLVMModuleRef, optimize: u32) -> u32 {
    let changed = Cell::new(false);
    // The default hook would print a backtrace banner into the compiler's diagnostics.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = catch_unwind(AssertUnwindSafe(|| run(module, optimize != 0, &changed)));
    std::panic::set_hook(hook);
    if let Err(payload) = outcome {
        let what = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("unknown");
        let advice = "compile this file without -fpass-plugin and report it to ompchunk's authors";
        if changed.get() {
            let text = format!("ompchunk: internal error ({what}); {advice}");
            // SAFETY: the module is LLVM's, alive during the call.
            unsafe { ffi::oc_error(module, ffi::c_text(&text).as_ptr()) }
        } else {
            let text =
                format!("ompchunk: internal error ({what}); nothing is instrumented; {advice}");
            // SAFETY: the module is LLVM's, alive during the call.
            unsafe { ffi::oc_warning(module, ffi::c_text(&text).as_ptr()) }
        }
    }
    if changed.get() {
        ffi::CHANGED
    } else {
        ffi::UNCHANGED
    }
}

fn run(module: LLVMModuleRef, optimize: bool, changed: &Cell<bool>) {
    if !find::any_declared(module) && !task::any_declared(module) {
        return;
    }
    // SAFETY: the module is LLVM's, alive during the call.
    let supported = unsafe { ffi::oc_is_host_elf64(module) } != 0;
    // SAFETY: the module is LLVM's, alive during the call and longer than the emitter.
    let mut emitter = unsafe { Emitter::new(module) };
    let obstacle = if !supported {
        Some(Reason::UnsupportedTarget)
    } else if !emitter.has_its_names() {
        Some(Reason::NameTaken)
    } else {
        None
    };
    let largest_copy = facts::largest_copy();
    let mut report = Report::new();
    let mut numerics = find::Numerics::of(module);
    // Of the module as its compiler made it: what is emitted for a loop would be taken for the user's behind another.
    let promises = Promises::of(module);
    // Functions that the emitter clones come last, and so are visited too.
    for function in functions(module) {
        let loops = understand_all(function, obstacle, &promises, &mut numerics, &mut report);
        explain_creations(function, obstacle, &mut report);
        if !loops.is_empty() {
            let mut budget = Budget::new(largest_copy, loops.len());
            let mut planned: Vec<Planned> = loops
                .into_iter()
                .map(|mut found| {
                    let facts = facts::of(function, &found, optimize, largest_copy);
                    let (plan, mut code) = budget.plan(&facts);
                    if found.call.construct == Construct::Sections {
                        // A section is known by the code that reports it, which others must not share.
                        code = Code::InLine;
                    }
                    if code == Code::Shared {
                        found.change = Err(ompchunk_abi::fixed::SHARED);
                    }
                    Planned { found, plan, code }
                })
                .collect();
            gather_groups(&mut planned);
            for Planned { found, plan, .. } in &planned {
                remark::passed(found, *plan);
                report.instrumented(found, *plan);
            }
            changed.set(true);
            emitter.instrument(function, &planned);
        }
        // Last, because loops may have been duplicated, and creations in them.
        let creations: Vec<(Creation, Ways)> = creations(function, obstacle)
            .into_iter()
            .map(|creation| {
                let facts = facts::of_creation(function, &creation, optimize, largest_copy);
                (creation, Ways::of(&facts))
            })
            .collect();
        if !creations.is_empty() {
            changed.set(true);
            emitter.time_creations(function, &creations);
        }
    }
    if let Err(error) = report.write() {
        let text = format!(
            "ompchunk: cannot append to the file that {} names: {error}; the program is compiled all \
             the same",
            report::VARIABLE
        );
        // SAFETY: the module is LLVM's, alive during the call.
        unsafe { ffi::oc_warning(module, ffi::c_text(&text).as_ptr()) }
    }
}

fn understand_all(
    function: Value,
    obstacle: Option<Reason>,
    promises: &Promises,
    numerics: &mut find::Numerics,
    report: &mut Report,
) -> Vec<FoundLoop> {
    let calls = find::calls(function);
    if calls.is_empty() {
        return Vec::new();
    }
    let (analysis, reasons) = (Analysis::of(function), Reasons::default());
    let mut loops = Vec::new();
    for call in calls {
        let understood = match obstacle {
            Some(reason) => Err(reason),
            None => find::understand(&analysis, &reasons, call),
        };
        match understood {
            Ok(mut found) => {
                found.promise = promises.about(call);
                loops.push(found);
            }
            Err(reason) => {
                remark::missed(call, reason);
                report.left_alone(call, reason);
            }
        }
    }
    let wanted = facts::deals();
    find::look_around(function, &analysis, &reasons, wanted, numerics, &mut loops);
    loops
}

/// Tells each loop of a group which others are in it. A group of which a loop is not understood, or stands in another file, is none:
/// nobody could say of it what becomes of all.
fn gather_groups(planned: &mut [Planned]) {
    let known: HashMap<Value, (Vec<u8>, GroupLoop)> = planned
        .iter()
        .map(|Planned { found, .. }| {
            let member = GroupLoop {
                line: found.location.line,
                column: found.location.column,
                changeable: found.change.is_ok().into(),
            };
            (
                found.call.instruction,
                (found.location.file.clone(), member),
            )
        })
        .collect();
    for Planned { found, .. } in planned {
        let Promise::Mapped(starts) = &found.promise else {
            continue;
        };
        let members = starts.iter().map(|start| {
            let (file, member) = known.get(start)?;
            (*file == found.location.file).then_some(*member)
        });
        match members.collect::<Option<Vec<GroupLoop>>>() {
            Some(members) => found.group = members,
            None => found.promise = Promise::Bound(bound::PAIR),
        }
    }
}

/// The creations of tasks that are understood.
fn creations(function: Value, obstacle: Option<Reason>) -> Vec<Creation> {
    if obstacle.is_some() {
        return Vec::new();
    }
    let allocs = task::allocs(function).into_iter();
    allocs
        .filter_map(|alloc| task::understand(alloc).ok())
        .collect()
}

/// Says of each whether it is.
fn explain_creations(function: Value, obstacle: Option<Reason>, report: &mut Report) {
    for alloc in task::allocs(function) {
        match (obstacle, task::understand(alloc)) {
            (Some(reason), _) | (None, Err(reason)) => {
                remark::missed(alloc, reason);
                report.left_alone(alloc, reason);
            }
            (None, Ok(creation)) => {
                remark::timed(alloc);
                report.timed(&creation);
            }
        }
    }
}
