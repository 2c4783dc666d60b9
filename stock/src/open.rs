//! The changed loops in whose middle a thread is, innermost last: their frames, which code of the plugin has on the stack.
//!
//! A loop ends where the function that began it calls `__kmpc_for_static_fini`. Others call that, too: loops that are not changed, and
//! may be inside. Both calls of one loop stand in one activation of a function, so the stack is as deep at the second one as at the first,
//! or less deep by the arguments that compilers push only for the first; one inside is deeper. A loop that control left on another
//! way has its variables in memory that is no part of the stack any more.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use ompchunk_abi::{BeginFn, Frame, LoopRecord, START_ROOM};

use crate::module;

/// Changed loops in each other, each in a region within the one around. Of more, the innermost are changed and not timed.
const MOST: usize = 8;

#[derive(Clone, Copy)]
struct Open {
    /// Where the stack stood when the loop began.
    stack: usize,
    /// A variable of the function that began it.
    variable: usize,
}

struct Loops {
    depth: usize,
    opened: [Open; MOST],
    frames: [MaybeUninit<Frame>; MOST],
}

thread_local! {
    static LOOPS: UnsafeCell<Loops> = const {
        UnsafeCell::new(Loops {
            depth: 0,
            opened: [Open { stack: 0, variable: 0 }; MOST],
            frames: [const { MaybeUninit::uninit() }; MOST],
        })
    };
}

/// Room for the arguments of the runtime's function behind the frame (`START_ROOM`).
type StartWithRoom = unsafe extern "C" fn(*mut Frame, usize, usize, usize, usize, usize, usize, usize, usize);
const _: () = assert!(START_ROOM == 8);

/// What the runtime fills in: lower bound, upper bound and stride, of the loop's width, and whether the thread has the last iteration.
#[derive(Clone, Copy)]
pub(crate) struct Variables {
    pub(crate) bounds: [*mut (); 3],
    pub(crate) last: *mut i32,
}

impl Variables {
    /// To a frame, or from there. Safety: variables of a loop of so many bits, and its frame.
    unsafe fn copy(self, frame: *mut Frame, bits: u8, into_frame: bool) {
        let copy = |own: *mut u8, field: *mut u8, size: usize| {
            let (from, to) = if into_frame { (own, field) } else { (field, own) };
            // SAFETY: the caller's promise.
            unsafe { from.copy_to_nonoverlapping(to, size) }
        };
        // SAFETY: fields of the frame.
        let (fields, last) = unsafe {
            ([&raw mut (*frame).lower, &raw mut (*frame).upper, &raw mut (*frame).stride], &raw mut (*frame).last)
        };
        for (own, field) in self.bounds.into_iter().zip(fields) {
            copy(own.cast(), field.cast(), usize::from(bits) / 8);
        }
        copy(self.last.cast(), last.cast(), size_of::<i32>());
    }
}

/// A thread begins a loop. True: it is changed, and has its bounds.
/// Safety: a call of `__kmpc_for_static_init_*` with these arguments; `stack` is where it stood then.
pub(crate) unsafe fn begin(
    begin: BeginFn,
    record: *const LoopRecord,
    (ident, thread): (*const (), i32),
    variables: Variables,
    stack: usize,
) -> bool {
    let variable = variables.bounds[0].addr();
    let frames = LOOPS.try_with(|loops| {
        let loops = loops.get();
        // SAFETY: this thread's, and nothing that is called here comes back with a loop.
        unsafe {
            forget(loops, |open| open.variable <= variable);
            let depth = (*loops).depth;
            (depth < MOST).then(|| {
                (*loops).opened[depth] = Open { stack, variable };
                (&raw mut (*loops).frames[depth]).cast::<Frame>()
            })
        }
    });
    let mut own = MaybeUninit::<Frame>::uninit();
    let kept = frames.ok().flatten();
    let frame = kept.unwrap_or(own.as_mut_ptr());
    // SAFETY: memory for a frame; the rest the caller promises, and who answers has filled in what is called then.
    unsafe {
        (&raw mut (*frame).on).write(0);
        (&raw mut (*frame).module).write(module::record().cast_const().cast());
        variables.copy(frame, (*record).bits, true);
        let Some(start) = begin(frame, record, ident, thread) else { return false };
        let start = core::mem::transmute::<ompchunk_abi::StartFn, StartWithRoom>(start);
        start(frame, 0, 0, 0, 0, 0, 0, 0, 0);
        ((*frame).advance)(frame);
        variables.copy(frame, (*record).bits, false);
        match kept {
            Some(_) => {
                let _ = LOOPS.try_with(|loops| (*loops.get()).depth += 1);
            }
            None => leave(frame, true),
        }
    }
    true
}

/// A thread calls `__kmpc_for_static_fini`, with the stack there.
pub(crate) extern "C" fn end(stack: usize) {
    let _ = LOOPS.try_with(|loops| {
        let loops = loops.get();
        // SAFETY: as in `begin`; frames up to the depth are filled in.
        unsafe {
            forget(loops, |open| open.variable < stack);
            let Some(top) = (*loops).depth.checked_sub(1) else { return };
            if (*loops).opened[top].stack <= stack {
                (*loops).depth = top;
                let frame = (&raw mut (*loops).frames[top]).cast::<Frame>();
                leave(frame, true);
            }
        }
    });
}

/// Loops that control left on another way than by their end. Safety: as in [`end`].
unsafe fn forget(loops: *mut Loops, is_gone: impl Fn(Open) -> bool) {
    // SAFETY: the caller's promise.
    unsafe {
        while let Some(top) = (*loops).depth.checked_sub(1)
            && is_gone((*loops).opened[top])
        {
            (*loops).depth = top;
            leave((&raw mut (*loops).frames[top]).cast(), false);
        }
    }
}

/// Safety: the frame is of an execution that has begun and was not left.
unsafe fn leave(frame: *mut Frame, is_own_end: bool) {
    // SAFETY: the caller's promise. There is nothing more to run: of such a loop the shim gives all at once.
    unsafe {
        if (*frame).on != 0 {
            if is_own_end {
                ((*frame).advance)(frame)
            } else {
                ((*frame).leave)(frame)
            };
        }
    }
}
