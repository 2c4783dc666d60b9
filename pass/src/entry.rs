//! The way in from LLVM. Panics end here: an uncaught one would make the compiler ask its user for a bug report.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use inkwell::llvm_sys::prelude::LLVMModuleRef;
use ompchunk_abi::{GroupLoop, bound};
use rustc_hash::FxHashSet;

use crate::emit::Emitter;
use crate::facts;
use crate::ffi;
use crate::find::task::{self, Creation};
use crate::find::{self, CleanupDestinations, FoundLoop, Promise};
use crate::instrumentation_plan::{MOST_COPIED, Plan, Why};
use crate::llvm::{Analysis, Value, functions};
use crate::promises::Promises;
use crate::reason::Reason;
use crate::remark;
use crate::report::{self, Report};

/// `llvm::PassPluginLibraryInfo`, returned by value to LLVM. LLVM 22 added the last member.
#[repr(C)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    plugin_name: *const c_char,
    plugin_version: *const c_char,
    register_pass_builder_callbacks: *const c_void,
    #[cfg(any(feature = "llvm22", feature = "llvm23"))]
    pre_code_gen_callback: *const c_void,
}

type RunOnModule = extern "C" fn(module: LLVMModuleRef, optimize: u32) -> u32;

unsafe extern "C" {
    fn oc_plugin_info(version: *const c_char, run: RunOnModule) -> PassPluginLibraryInfo;
}

/// What LLVM looks up in a pass plugin. The glue fills it in from LLVM's own header.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    const VERSION: &std::ffi::CStr =
        match std::ffi::CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"unknown",
        };
    // SAFETY: the string is static, the function has the glue's signature.
    unsafe { oc_plugin_info(VERSION.as_ptr(), run_on_module) }
}

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
        let done = if changed.get() { "" } else { "; nothing is instrumented" };
        let text = ffi::c_text(&format!("ompchunk: internal error ({what}){done}; {advice}"));
        let diagnose = if changed.get() { ffi::oc_error } else { ffi::oc_warning };
        // SAFETY: the module is LLVM's, alive during the call.
        unsafe { diagnose(module, text.as_ptr()) }
    }
    if changed.get() { ffi::CHANGED } else { ffi::UNCHANGED }
}

fn run(module: LLVMModuleRef, optimize: bool, changed: &Cell<bool>) {
    let (with_loops, with_creations) = (find::functions_with_loops(module), task::functions_with_creations(module));
    if with_loops.is_empty() && with_creations.is_empty() {
        return;
    }
    let mut run = Run::new(module, optimize);
    // Functions that the emitter clones come last, and so are visited too.
    let others: FxHashSet<Value> = functions(module)
        .filter(|function| !with_loops.contains(function) && !with_creations.contains(function))
        .collect();
    for function in functions(module).filter(|function| !others.contains(function)) {
        let loops = run.understand_all(function);
        run.explain_creations(function);
        if !loops.is_empty() {
            let planned = run.plan(function, loops);
            changed.set(true);
            run.emitter.instrument(function, &planned);
        }
        // Last, because loops may have been duplicated, and creations in them.
        let creations = run.creations(function);
        if !creations.is_empty() {
            changed.set(true);
            run.emitter.time_creations(function, &creations);
        }
    }
    run.emitter.finish();
    if let Err(error) = run.report.write() {
        let text = format!(
            "ompchunk: cannot append to the file that {} names: {error}; the program is compiled all \
             the same",
            report::VARIABLE
        );
        // SAFETY: the module is LLVM's, alive during the call.
        unsafe { ffi::oc_warning(module, ffi::c_text(&text).as_ptr()) }
    }
}

struct Run<'m> {
    emitter: Emitter<'m>,
    obstacle: Option<Reason>,
    optimize: bool,
    largest_copy: Option<usize>,
    report: Report,
    numerics: find::Numerics,
    promises: Promises,
}

impl Run<'_> {
    fn new<'m>(module: LLVMModuleRef, optimize: bool) -> Run<'m> {
        // SAFETY: the module is LLVM's, alive during the call.
        let is_supported = unsafe { ffi::oc_is_host_elf64(module) } != 0;
        // SAFETY: the module is LLVM's, alive during the call and longer than the emitter.
        let emitter = unsafe { Emitter::new(module) };
        let obstacle = match (is_supported, emitter.has_its_names()) {
            (false, _) => Some(Reason::UnsupportedTarget),
            (true, false) => Some(Reason::NameTaken),
            (true, true) => None,
        };
        Run {
            emitter,
            obstacle,
            optimize,
            largest_copy: facts::largest_copy(),
            report: Report::new(),
            numerics: find::Numerics::in_module(module),
            // About the module as its compiler made it: what is emitted for a loop would be taken for the user's behind another.
            promises: Promises::in_module(module),
        }
    }

    fn understand_all(&mut self, function: Value) -> Vec<FoundLoop> {
        let calls = find::calls(function);
        if calls.is_empty() {
            return Vec::new();
        }
        let (analysis, destinations) = (Analysis::new(function), CleanupDestinations::default());
        let mut loops = Vec::new();
        for call in calls {
            match self.obstacle.map_or_else(|| find::understand(&analysis, &destinations, call), Err) {
                Ok(mut found) => {
                    found.promise = self.promises.about(call);
                    loops.push(found);
                }
                Err(reason) => {
                    remark::missed(call, reason);
                    self.report.left_alone(call, reason);
                }
            }
        }
        let (wanted, numerics) = (facts::deals(), &mut self.numerics);
        find::look_around(function, &analysis, &destinations, wanted, numerics, &mut loops);
        loops
    }

    fn plan(&mut self, function: Value, loops: Vec<FoundLoop>) -> Vec<(FoundLoop, Plan)> {
        let mut room = self.largest_copy.unwrap_or(MOST_COPIED);
        let plan = |found: FoundLoop| {
            let facts = facts::gather(function, &found, self.optimize, self.largest_copy);
            let mut plan = Plan::from_facts(&facts);
            if plan == Plan::TwoCopies {
                match room.checked_sub(facts.instructions) {
                    Some(left) => room = left,
                    None => plan = Plan::TestedFlag(Why::ManyLoops),
                }
            }
            (found, plan)
        };
        let mut planned: Vec<_> = loops.into_iter().map(plan).collect();
        gather_groups(&mut planned);
        for (found, plan) in &planned {
            remark::passed(found, *plan);
            self.report.instrumented(found, *plan);
        }
        planned
    }

    /// The creations of tasks that are understood, with whether each is timed in a copy.
    fn creations(&self, function: Value) -> Vec<(Creation, bool)> {
        if self.obstacle.is_some() {
            return Vec::new();
        }
        let allocs = task::allocs(function).into_iter();
        let understood = allocs.filter_map(|alloc| task::understand(alloc).ok());
        let planned = understood.map(|creation| {
            let facts = facts::of_creation(function, &creation, self.optimize, self.largest_copy);
            (creation, Plan::from_facts(&facts) == Plan::TwoCopies)
        });
        planned.collect()
    }

    fn explain_creations(&mut self, function: Value) {
        for alloc in task::allocs(function) {
            match (self.obstacle, task::understand(alloc)) {
                (Some(reason), _) | (None, Err(reason)) => {
                    remark::missed(alloc, reason);
                    self.report.left_alone(alloc, reason);
                }
                (None, Ok(creation)) => {
                    remark::timed(alloc);
                    self.report.timed(&creation);
                }
            }
        }
    }
}

/// A group of which a loop is not understood, or stands in another file, is none: nobody could say what becomes of all.
fn gather_groups(planned: &mut [(FoundLoop, Plan)]) {
    let known: HashMap<Value, (Vec<u8>, GroupLoop)> = planned
        .iter()
        .map(|(found, _)| {
            let member = GroupLoop {
                line: found.location.line,
                column: found.location.column,
                changeable: found.change.is_ok().into(),
            };
            (found.call.instruction, (found.location.file.clone(), member))
        })
        .collect();
    for (found, _) in planned {
        let Promise::Mapped(starts) = &found.promise else { continue };
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
