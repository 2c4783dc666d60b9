//! Standard events that the shim needs while an extension event is registered, and that the tool gets all the same.
//!
//! Until then the tool's callback stands in the runtime. From then on the shim's stands there for good (one that is
//! unregistered while another thread is about to call it crashes today's runtimes) and passes every event on to the tool's.

use core::ffi::{c_int, c_uint};

use crate::constant::const_unless_loom;
use crate::primitive::{AtomicI32, Ordering, fence};
use crate::runtime::RUNTIME;
use crate::slot::{Function, Slot, any, to_word, typed};
use ompt::raw::{AnyFn, SET_ALWAYS, SET_SOMETIMES};

/// The shim's callback is not registered.
const DIRECT: c_int = -1;

pub(crate) struct Chain<F> {
    event: c_uint,
    own: F,
    /// Another one of the shim's, which does the same and more, while a collector needs that.
    instead: Slot<F>,
    tool: Slot<F>,
    /// What the runtime said of the shim's, or [`DIRECT`].
    said: AtomicI32,
}

#[cfg(not(loom))]
macro_rules! pass_on {
    ($chain:ident($($argument:expr),+)) => {
        if let Some(callback) = $chain.tool() {
            // SAFETY: the tool's callback, with what the runtime wants it to get.
            unsafe { callback($($argument),+) };
        }
    };
}
#[cfg(not(loom))]
pub(crate) use pass_on;

impl<F: Function> Chain<F> {
    const_unless_loom! {
        pub(crate) fn new(event: c_uint, own: F) -> Self {
            Self { event, own, instead: Slot::empty(), tool: Slot::empty(), said: AtomicI32::new(DIRECT) }
        }
    }

    #[cfg(not(loom))]
    pub(crate) fn event(&self) -> c_uint {
        self.event
    }

    #[inline]
    pub(crate) fn tool(&self) -> Option<F> {
        self.tool.get()
    }

    /// The shim's callback stands in the runtime, which always calls it.
    #[cfg(not(loom))]
    pub(crate) fn is_always(&self) -> bool {
        self.said.load(Ordering::SeqCst) == SET_ALWAYS
    }

    fn is_hooked(&self) -> bool {
        self.said.load(Ordering::SeqCst) != DIRECT
    }

    pub(crate) fn set(&self, callback: Option<AnyFn>) -> c_int {
        self.tool.set(typed(callback));
        if self.is_hooked() {
            let said = self.said.load(Ordering::SeqCst);
            return if callback.is_some() { said } else { SET_ALWAYS };
        }
        let answer = RUNTIME.set_callback(self.event, callback);
        // A plain store of the runtime's: it must not come after the look.
        fence(Ordering::SeqCst);
        if self.is_hooked() {
            // Just now: what was registered here may have replaced the shim's.
            self.put();
        }
        answer
    }

    /// The tool asks for its callback. `None`: the runtime knows.
    pub(crate) fn get(&self) -> Option<Option<AnyFn>> {
        self.is_hooked().then(|| self.tool.get().and_then(any))
    }

    /// Puts the shim's callback before the tool's. False: the runtime has no such event.
    pub(crate) fn hook(&self) -> bool {
        if self.is_hooked() {
            return true;
        }
        // First the mark: a tool that registers at the same moment sees it before or after.
        self.said.store(SET_SOMETIMES, Ordering::SeqCst);
        let answer = self.put();
        let hooked = answer >= SET_SOMETIMES;
        self.said.store(if hooked { answer } else { DIRECT }, Ordering::SeqCst);
        hooked
    }

    fn put(&self) -> c_int {
        // Nor must it come before what was said: who stores another one after it then finds that.
        fence(Ordering::SeqCst);
        loop {
            let instead = self.instead.get();
            let answer = RUNTIME.set_callback(self.event, any(instead.unwrap_or(self.own)));
            fence(Ordering::SeqCst);
            if to_word(self.instead.get()) == to_word(instead) {
                return answer;
            }
        }
    }

    /// The same with `own` in place of the shim's usual callback, which `own` has to call.
    pub(crate) fn hook_as(&self, own: F) -> bool {
        self.change(Some(own));
        self.hook()
    }

    /// The shim's usual callback again. It stays, as after [`Chain::hook`].
    pub(crate) fn unhook_as(&self) {
        self.change(None);
    }

    fn change(&self, instead: Option<F>) {
        self.instead.set(instead);
        // Who puts the shim's there says so first, and then looks which one.
        fence(Ordering::SeqCst);
        if self.is_hooked() {
            self.put();
        }
    }

    pub(crate) fn close(&self) {
        self.tool.set(None);
    }

    /// Another runtime will be served, in which the shim's callback is not registered.
    pub(crate) fn begin(&self) {
        self.close();
        self.instead.set(None);
        self.said.store(DIRECT, Ordering::SeqCst);
    }
}
