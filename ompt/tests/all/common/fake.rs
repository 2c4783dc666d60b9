//! A runtime that does what it is told: of a thread, so that tests do not meet.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::AtomicU64;

use ompt::Tool;
use ompt::raw::{self, AnyFn, Data, LoopRecord, StartToolResult};

thread_local! {
    pub static CALLBACKS: RefCell<BTreeMap<u32, AnyFn>> = const { RefCell::new(BTreeMap::new()) };
    /// What `ompt_set_callback` answers, where that is not "always".
    pub static ANSWERS: RefCell<BTreeMap<u32, c_int>> = const { RefCell::new(BTreeMap::new()) };
    pub static THREAD: Cell<*mut Data> = const { Cell::new(ptr::null_mut()) };
    pub static LOOP: Cell<*const LoopRecord> = const { Cell::new(ptr::null()) };
    /// Entry points that this runtime has not.
    pub static MISSING: RefCell<Vec<&'static CStr>> = const { RefCell::new(Vec::new()) };
}
pub static MET: AtomicU64 = AtomicU64::new(1);

unsafe extern "C" fn set_callback(event: u32, callback: Option<AnyFn>) -> c_int {
    let answer = ANSWERS.with_borrow(|answers| answers.get(&event).copied());
    let answer = answer.unwrap_or(raw::SET_ALWAYS);
    CALLBACKS.with_borrow_mut(|all| match callback {
        Some(callback) if answer >= raw::SET_SOMETIMES => all.insert(event, callback),
        _ => all.remove(&event),
    });
    answer
}

unsafe extern "C" fn get_thread_data() -> *mut Data {
    THREAD.get()
}

unsafe extern "C" fn get_loop() -> *const LoopRecord {
    LOOP.get()
}

unsafe extern "C" fn get_met() -> *const AtomicU64 {
    &MET
}

unsafe extern "C" fn look_up(name: *const c_char) -> Option<AnyFn> {
    // SAFETY: a string, says whoever looks up; each function travels as any function and is called by the type of its name.
    unsafe {
        let name = CStr::from_ptr(name);
        if MISSING.with_borrow(|missing| missing.contains(&name)) {
            return None;
        }
        Some(match name.to_bytes() {
            b"ompt_set_callback" => transmute::<raw::SetCallbackFn, AnyFn>(set_callback),
            b"ompt_get_thread_data" => transmute::<raw::GetThreadDataFn, AnyFn>(get_thread_data),
            b"ompt_chunk_get_loop" => transmute::<raw::GetLoopFn, AnyFn>(get_loop),
            b"ompt_chunk_get_met" => transmute::<raw::GetMetFn, AnyFn>(get_met),
            _ => return None,
        })
    }
}

/// The runtime's side of one tool.
pub struct Runtime {
    result: *mut StartToolResult,
}

impl Runtime {
    pub fn serving<T: Tool>() -> Self {
        // SAFETY: a string.
        let result = unsafe { T::life().start_tool(202_011, c"a fake".as_ptr()) };
        assert!(!result.is_null());
        Runtime { result }
    }

    pub fn initialize(&self) -> bool {
        // SAFETY: what the tool answered; the runtime's own lookup.
        unsafe {
            let initialize = (*self.result).initialize.expect("initialize");
            initialize(Some(look_up), 0, &raw mut (*self.result).tool_data) != 0
        }
    }

    pub fn finalize(&self) {
        // SAFETY: what the tool answered.
        unsafe {
            let finalize = (*self.result).finalize.expect("finalize");
            finalize(&raw mut (*self.result).tool_data);
        }
    }
}

pub fn callback(event: u32) -> AnyFn {
    CALLBACKS.with_borrow(|all| all[&event])
}

pub const NO_CODE: *const c_void = ptr::null();

pub fn data(value: u64) -> Data {
    Data { value }
}

pub fn value(data: &Data) -> u64 {
    // SAFETY: any bits are a number.
    unsafe { data.value }
}

pub fn thread_begins(data: &mut Data) {
    THREAD.set(data);
    // SAFETY: of the event's type, and the data outlives the call.
    unsafe { transmute::<AnyFn, raw::ThreadBeginFn>(callback(raw::EVENT_THREAD_BEGIN))(1, data) }
}

pub fn thread_ends(data: &mut Data) {
    // SAFETY: likewise.
    unsafe { transmute::<AnyFn, raw::ThreadEndFn>(callback(raw::EVENT_THREAD_END))(data) }
}

pub fn region_begins(parallel: &mut Data, task: *mut Data) {
    // SAFETY: likewise.
    unsafe {
        let begins = transmute::<AnyFn, raw::ParallelBeginFn>(callback(raw::EVENT_PARALLEL_BEGIN));
        begins(task, ptr::null(), parallel, 2, 2, NO_CODE);
    }
}

pub fn region_ends(parallel: *mut Data) {
    // SAFETY: likewise.
    unsafe {
        let ends = transmute::<AnyFn, raw::ParallelEndFn>(callback(raw::EVENT_PARALLEL_END));
        ends(parallel, ptr::null_mut(), 2, NO_CODE);
    }
}

pub fn task_is_created(task: &mut Data) {
    // SAFETY: likewise.
    unsafe {
        let create = transmute::<AnyFn, raw::TaskCreateFn>(callback(raw::EVENT_TASK_CREATE));
        create(ptr::null_mut(), ptr::null(), task, raw::TASK_EXPLICIT, 0, NO_CODE);
    }
}

pub fn task_is_left(task: &mut Data, status: u32) {
    // SAFETY: likewise.
    unsafe {
        let schedule = transmute::<AnyFn, raw::TaskScheduleFn>(callback(raw::EVENT_TASK_SCHEDULE));
        schedule(task, status, ptr::null_mut());
    }
}

pub fn task_creation(new: *mut Data) {
    // SAFETY: likewise.
    unsafe {
        let creation = transmute::<AnyFn, raw::TaskCreationFn>(callback(raw::EVENT_TASK_CREATION));
        creation(ptr::null_mut(), ptr::null(), new, raw::TASK_EXPLICIT, 0, 1.0, NO_CODE);
    }
}

pub fn works(parallel: *mut Data, task: *mut Data) {
    // SAFETY: likewise; null where there is nothing.
    unsafe {
        let work = transmute::<AnyFn, raw::WorkFn>(callback(raw::EVENT_WORK));
        work(raw::WORK_LOOP_STATIC, raw::SCOPE_BEGIN, parallel, task, 1, NO_CODE);
    }
}

pub fn dispatches(kind: u32, instance: Data) {
    // SAFETY: likewise; an instance as the kind wants it, or null.
    unsafe {
        let dispatch = transmute::<AnyFn, raw::DispatchFn>(callback(raw::EVENT_DISPATCH));
        dispatch(ptr::null_mut(), ptr::null_mut(), kind, instance);
    }
}

pub fn control(command: u64) -> c_int {
    // SAFETY: likewise.
    unsafe {
        let control = transmute::<AnyFn, raw::ControlToolFn>(callback(raw::EVENT_CONTROL_TOOL));
        control(command, 0, ptr::null_mut(), NO_CODE)
    }
}

/// Exports a tool without the symbol, of which a program has one.
macro_rules! hidden_tool {
    ($tool:ty) => {
        impl ompt::Exported for $tool {
            fn life() -> &'static ompt::Life<Self> {
                static LIFE: ompt::Life<$tool> = ompt::Life::new();
                &LIFE
            }
        }
    };
}
