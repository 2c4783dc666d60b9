//! What stands in for the standard library and for a runtime, where loom has to see what they do.

pub(crate) mod primitive {
    pub(crate) use loom::sync::atomic::{
        AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };

    /// What the models need of `std`'s.
    pub(crate) struct OnceLock<T> {
        is_there: AtomicBool,
        lock: loom::sync::Mutex<()>,
        value: std::sync::OnceLock<T>,
    }

    impl<T> OnceLock<T> {
        pub(crate) fn new() -> Self {
            Self {
                is_there: AtomicBool::new(false),
                lock: loom::sync::Mutex::new(()),
                value: std::sync::OnceLock::new(),
            }
        }

        pub(crate) fn get(&self) -> Option<&T> {
            let is_there = self.is_there.load(Ordering::Acquire);
            is_there.then(|| self.value.get()).flatten()
        }

        pub(crate) fn get_or_init(&self, first: impl FnOnce() -> T) -> &T {
            let lock = self.lock.lock().unwrap();
            if !self.is_there.load(Ordering::Relaxed) {
                let _ = self.value.set(first());
                self.is_there.store(true, Ordering::Release);
            }
            drop(lock);
            self.get().expect("it is there")
        }
    }
}

/// A runtime, in which the callback stands that was registered last. It stores it without any order; loom knows which of two
/// threads' stores is the last only where they are exchanges.
pub(crate) mod runtime {
    use crate::primitive::{AtomicPtr, Ordering};
    use crate::slot::to_word;
    use ompt::raw::{AnyFn, SET_ALWAYS};

    loom::lazy_static! {
        pub(crate) static ref RUNTIME: Runtime = Runtime {
            registered: AtomicPtr::new(std::ptr::null_mut()),
        };
    }

    pub(crate) struct Runtime {
        registered: AtomicPtr<()>,
    }

    impl Runtime {
        pub(crate) fn set_callback(&self, _: u32, callback: Option<AnyFn>) -> i32 {
            self.registered.swap(to_word(callback), Ordering::Relaxed);
            SET_ALWAYS
        }

        pub(crate) fn registered(&self) -> usize {
            self.registered.load(Ordering::Relaxed) as usize
        }
    }
}
