//! What instrumented loops call before the runtime initialises the loop; `run` has what they call then. What an execution does, `hooks`, `override_entry` and those they ask have decided when they answer `begin`.
//! The hot path, as `hooks` says of it.

use core::ffi::c_void;
use core::mem::{offset_of, transmute};
use core::ptr;

use ompchunk_abi::{
    AdvanceFn, BeginFn, CONSTRUCT_FOR, CREATED, CREATES_ANY, CREATES_ONE, ChunkFn, Frame, LOOP_CHUNKED, LOOP_DEALT,
    LOOP_SIGNED, LOOP_START_PASSED, LOOP_STEP_PASSED, LOOP_STOCK, LOOP_TOLD, LoopRecord, ModuleRecord, StartFn, WAITS,
};

use crate::hooks::EnterFn;
use crate::hooks::chunk::{one_of_many, only_chunk};
use crate::hooks::init_trampolines::{DEALT, SIZE_AT, STEPPED, TARGET_AT, THREAD_NUMBER_AT, bounds, chunk_size, kind};
use crate::hooks::run::{begins, begins_dealt, begins_stepped, only, only_short};
use crate::overrides::override_entry::{enter_changed, enter_elsewhere, enter_learned};
use crate::registered_callbacks::CALLBACKS;
use crate::static_override::stride::{Number, Whole};
use crate::{hooks, hooks::init_trampolines, overrides, start::report, task};

/// A [`BeginFn`]: jumps to a function for what is asked, with nothing moved or saved: that a task was handed over, that one is created,
/// that something else becomes of one, or that a loop begins.
macro_rules! begin {
    ($(#[$meta:meta])* $name:ident => $created:path, $creates_one:path, $create:path, $begin:path) => {
        $(#[$meta])*
        /// Safety: what [`BeginFn`] says; the record of the image is one of our version.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name(
            _: *mut Frame,
            _: *const LoopRecord,
            _: *const (),
            _: i32,
        ) -> Option<StartFn> {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(
                "cmp rsi, {one}", "jb {created}", "je {creates_one}", "cmp rsi, {waits}", "ja {begin}", "jmp {create}",
                one = const CREATES_ONE, waits = const WAITS,
                created = sym $created, creates_one = sym $creates_one, create = sym $create, begin = sym $begin,
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(
                "cmp x1, #{one}", "b.hi 2f", "b.eq 3f", "b {created}", "3:", "b {creates_one}",
                "2:", "cmp x1, #{waits}", "b.hi 4f", "b {create}", "4:", "b {begin}",
                one = const CREATES_ONE, waits = const WAITS,
                created = sym $created, creates_one = sym $creates_one, create = sym $create, begin = sym $begin,
            )
        }

        /// Safety: the same, where nobody has written it in the processor's code.
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        pub(crate) unsafe extern "C" fn $name(
            frame: *mut Frame,
            loop_record: *const LoopRecord,
            ident: *const (),
            thread: i32,
        ) -> Option<StartFn> {
            if loop_record.addr() <= WAITS {
                return $create(frame.cast_const().cast(), loop_record.addr());
            }
            // SAFETY: passed on.
            unsafe { $begin(frame, loop_record, ident, thread) }
        }
    };
}
const _: () = assert!(CREATED == 0 && CREATES_ONE == 1);

begin!(
    /// Where no loop is to run under another schedule.
    begin => task::created, task::creates_one, create, begin_short_or_own
);
begin!(
    /// Where the summary will tell how many creations of tasks there were.
    begin_counted => task::created, create_counted, create_counted, begin_short_or_own
);
begin!(
    /// Where orders name loops.
    begin_changed => task::created, create_any, create_any, begin_loop_changed
);
begin!(
    /// Where it is found out in the run how loops run.
    begin_learned => task::created, create_any, create_any, begin_loop_learned
);
begin!(
    /// For an image that is run by another runtime than the one that is served.
    begin_elsewhere => create_nothing, create_nothing, create_nothing, begin_loop_elsewhere
);

/// The same for loops, of which another function decides.
macro_rules! begin_loop {
    ($name:ident, $enter:path) => {
        /// Safety: what [`BeginFn`] says; the record of the image is one of our version, and there is a loop.
        #[inline(never)]
        unsafe extern "C" fn $name(
            frame: *mut Frame,
            loop_record: *const LoopRecord,
            ident: *const (),
            thread: i32,
        ) -> Option<StartFn> {
            // SAFETY: passed on.
            unsafe { begin_loop::<false>(frame, loop_record, ident, thread, $enter) }
        }
    };
}

begin_loop!(begin_own, hooks::enter);
begin_loop!(begin_loop_changed, enter_changed);
begin_loop!(begin_loop_learned, enter_learned);
begin_loop!(begin_loop_elsewhere, enter_elsewhere);

/// What programs enter loops by, where no loop is to run under another schedule.
pub(crate) fn unchanged() -> BeginFn {
    if report::verbose() { begin_counted } else { begin }
}

#[inline(never)]
extern "C" fn create(place: *const c_void, what: usize) -> Option<StartFn> {
    match what {
        CREATED => task::created(place),
        CREATES_ONE => task::creates_one(place),
        CREATES_ANY => task::creates_any(place),
        _ => task::waits(place),
    }
}

#[inline(never)]
extern "C" fn create_counted(place: *const c_void, what: usize) -> Option<StartFn> {
    if [CREATES_ONE, CREATES_ANY].contains(&what) && CALLBACKS.creations().is_some() {
        report::count_creation();
    }
    create(place, what)
}

/// The same where it is not known whether they are.
#[inline(never)]
extern "C" fn create_any(place: *const c_void, what: usize) -> Option<StartFn> {
    if report::verbose() { create_counted(place, what) } else { create(place, what) }
}

extern "C" fn create_nothing(_: *const c_void, _: usize) -> Option<StartFn> {
    None
}

/// What is usual takes the short way: a loop that is not dealt in the source, whose bounds are told.
/// Safety: as for [`begin`]; there is a loop.
#[inline(never)]
unsafe extern "C" fn begin_short_or_own(
    frame: *mut Frame,
    loop_record: *const LoopRecord,
    ident: *const (),
    thread: i32,
) -> Option<StartFn> {
    // SAFETY: the caller's promise.
    unsafe {
        let record = &*loop_record;
        let is_usual = record.flags & LOOP_TOLD != 0 && record.construct == CONSTRUCT_FOR;
        if !is_usual || !hooks::is_first(loop_record, || user_values(frame, record)) {
            return begin_own(frame, loop_record, ident, thread);
        }
        let module = (&raw const (*frame).module).cast::<*const ModuleRecord>().read();
        let size = if record.flags & LOOP_CHUNKED != 0 { chunk_size(frame, record) } else { 1 };
        begin_short(frame, loop_record, ident, thread);
        frame
            .byte_add(TARGET_AT)
            .cast::<*const ()>()
            .write((*module).runtime[kind(record.bits, record.flags)].static_init);
        frame.byte_add(SIZE_AT).cast::<u64>().write(size);
        (&raw mut (*frame).schedule).write(record.schedule);
    }
    Some(init_trampolines::static_init)
}

/// Safety: as for [`begin`]; there is a loop that is not dealt in the source, whose bounds are told, and [`hooks::is_first`] of it.
#[inline(always)]
pub(crate) unsafe fn begin_short(frame: *mut Frame, loop_record: *const LoopRecord, ident: *const (), thread: i32) {
    // SAFETY: the caller's promise.
    unsafe {
        let record = &*loop_record;
        let is_chunked = record.flags & LOOP_CHUNKED != 0;
        let on = hooks::listen(frame, if is_chunked { one_of_many } else { only_chunk });
        begun(frame, on, loop_record, ident, thread);
        const BEGINS: [AdvanceFn; 4] =
            [only_short::<u32, true>, only_short::<u32, false>, only_short::<u64, true>, only_short::<u64, false>];
        // In their own width, which is all that is read again.
        let upper = &raw const (*frame).upper;
        let last = if record.bits == 32 { upper.cast::<u32>().read().into() } else { upper.read() };
        (&raw mut (*frame).size_then_last).write(last);
        (&raw mut (*frame).advance).write(if is_chunked { begins } else { BEGINS[kind(record.bits, record.flags)] });
    }
}

/// The user's start and step, as the program tells them. Safety: as for [`begin`]; there is a loop.
#[inline(always)]
pub(crate) unsafe fn user_values(frame: *mut Frame, record: &LoopRecord) -> (i64, i64) {
    let passed = |flag: u32, at: usize| match record.flags & flag {
        0 => 0,
        // SAFETY: the program has written what its record says.
        _ => unsafe { frame.byte_add(at).cast::<i64>().read() },
    };
    (passed(LOOP_START_PASSED, offset_of!(Frame, next)), passed(LOOP_STEP_PASSED, offset_of!(Frame, ident)))
}

/// Somebody is interested. Safety: as for [`begin`]; there is a loop.
#[inline(always)]
unsafe fn begun(frame: *mut Frame, on: u32, loop_record: *const LoopRecord, ident: *const (), thread: i32) {
    // SAFETY: the caller's promise.
    unsafe {
        (&raw mut (*frame).on).write(on);
        frame.byte_add(THREAD_NUMBER_AT).cast::<i32>().write(thread);
        (&raw mut (*frame).loop_record).write(loop_record);
        (&raw mut (*frame).ident).write(ident);
    }
}

/// Safety: as for [`begin`]; there is a loop. `MAY_GO_ON`: nothing returned means as compiled, also where somebody listens.
#[inline(always)]
pub(crate) unsafe fn begin_loop<const MAY_GO_ON: bool>(
    frame: *mut Frame,
    loop_record: *const LoopRecord,
    ident: *const (),
    thread: i32,
    enter: EnterFn,
) -> Option<StartFn> {
    // SAFETY: the caller's promise; the program has written what its record says.
    unsafe {
        let record = &*loop_record;
        let (start, step) = user_values(frame, record);
        let size = match record.flags & (LOOP_CHUNKED | LOOP_DEALT) {
            0 => 1,
            _ if record.flags & LOOP_STOCK != 0 => {
                resize(frame, record, is_served(enter));
                return None;
            }
            _ => chunk_size(frame, record),
        };
        let module = (&raw const (*frame).module).cast::<*const ModuleRecord>().read();
        let on = enter(loop_record, frame, start, step);
        if on == 0 {
            return None;
        }
        begun(frame, on, loop_record, ident, thread);
        match (record.flags & LOOP_TOLD, record.bits) {
            (0, 32) => begin_as_compiled::<u32>(frame, size, is_served(enter)),
            (0, _) => begin_as_compiled::<u64>(frame, size, is_served(enter)),
            (_, 32) => begin_static::<u32, MAY_GO_ON>(frame, module, size, is_served(enter)),
            _ => begin_static::<u64, MAY_GO_ON>(frame, module, size, is_served(enter)),
        }
    }
}

fn is_served(enter: EnterFn) -> bool {
    !ptr::fn_addr_eq(enter, enter_elsewhere as EnterFn)
}

/// A loop without the plugin that has chunks: says with which arguments its program calls the runtime, which tells tools of it.
/// Safety: as for [`begin`]; the program has written the loop's own arguments there.
#[cold]
unsafe fn resize(frame: *mut Frame, record: &'static LoopRecord, is_served: bool) {
    if let Some(chosen) = overrides::choose(record, is_served) {
        // SAFETY: the caller's promise.
        unsafe {
            (&raw mut (*frame).schedule).write(chosen.kind());
            (&raw mut (*frame).size_then_last).write(chosen.chunk.into());
        }
    }
}

/// The program calls the runtime itself. Safety: as for [`begin`]; the frame is filled in.
unsafe fn begin_as_compiled<N: Number>(frame: *mut Frame, size: u64, is_served: bool) -> Option<StartFn> {
    // SAFETY: the caller's promise; the program has written the distance of a loop that can be changed.
    unsafe {
        let record = &*(*frame).loop_record;
        ((*frame).schedule, (*frame).size_then_last) = match (*frame).on & DEALT {
            0 => (record.schedule, size),
            _ => {
                let last = (&raw const (*frame).upper).cast::<N>().read();
                let whole = Whole { first: N::from_wide(0), last, is_signed: false };
                init_trampolines::fitted(&whole, record, ((*frame).schedule, (*frame).size_then_last), true, is_served)
            }
        };
        // From here on it is a loop like any other that the runtime deals.
        (*frame).on &= !DEALT;
        (*frame).advance = begins;
    }
    Some(not_called)
}

unsafe extern "C" fn not_called(_: *mut Frame) {}

/// A loop whose bounds are known, and the runtime is called from here, if it can be changed.
/// Safety: as for [`begin`]; the frame is filled in.
#[inline(always)]
unsafe fn begin_static<N: Number, const MAY_GO_ON: bool>(
    frame: *mut Frame,
    module: *const ModuleRecord,
    size: u64,
    is_served: bool,
) -> Option<StartFn> {
    // SAFETY: the caller's promise. What an execution keeps where the size and the target are is written later.
    unsafe {
        let record = &*(*frame).loop_record;
        let [lower, upper, ..] = bounds::<N>(frame);
        let is_signed = record.flags & LOOP_SIGNED != 0;
        let whole = Whole { first: lower.read(), last: upper.read(), is_signed };
        let mut on = (*frame).on;
        if on & STEPPED != 0 && whole.is_empty() {
            // It runs as compiled, since runtimes divide by the number of chunks.
            on &= !STEPPED;
            (*frame).on = on;
            if on == 0 {
                return None;
            }
            (*frame).chunk = transmute::<*const (), ChunkFn>((*frame).next);
        }
        let runtime = &(*module).runtime[kind(N::BITS, record.flags)];
        let at = move |offset: usize| frame.byte_add(offset).cast::<u64>();
        let as_compiled = on & (DEALT | STEPPED) == 0;
        let goes_on = MAY_GO_ON && as_compiled;
        match as_compiled {
            true if goes_on => {}
            true => {
                at(SIZE_AT).write(size);
                (&raw mut (*frame).schedule).write(record.schedule);
            }
            false => {
                let (asked, of_size) = (((*frame).schedule, (*frame).size_then_last), at(SIZE_AT));
                let (schedule, chunk) = init_trampolines::fitted(&whole, record, asked, on & DEALT != 0, is_served);
                (&raw mut (*frame).schedule).write(schedule);
                of_size.write(chunk);
            }
        }
        if on & DEALT != 0 {
            if runtime.dispatch_init.is_null() || runtime.dispatch_next.is_null() {
                // A runtime without them, of a program that was linked by hand: no thread of the team can be dealt to.
                (*frame).on = 0;
                return None;
            }
            at(TARGET_AT).write(runtime.dispatch_init.addr() as u64);
            (&raw mut (*frame).next).write(module.cast());
            (&raw mut (*frame).advance).write(begins_dealt::<N>);
            return Some(init_trampolines::dispatch_init::<N>());
        }
        if !goes_on {
            at(TARGET_AT).write(runtime.static_init.addr() as u64);
        }
        (&raw mut (*frame).size_then_last).write(whole.last.wide());
        let advance: AdvanceFn = match (as_compiled, record.flags & LOOP_CHUNKED) {
            (true, 0) => only::<N>,
            (true, _) => begins,
            (false, _) => {
                (&raw mut (*frame).next).write(ptr::without_provenance(whole.first.wide() as usize));
                begins_stepped::<N>
            }
        };
        (&raw mut (*frame).advance).write(advance);
        (!goes_on).then_some(init_trampolines::static_init as StartFn)
    }
}
