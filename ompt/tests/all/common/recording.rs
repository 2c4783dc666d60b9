//! Tools that write down what they see, and values that are counted.

use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

pub struct Counted(&'static AtomicI64, pub u64);

impl Counted {
    pub fn new(number: u64, count: &'static AtomicI64) -> Self {
        count.fetch_add(1, SeqCst);
        Counted(count, number)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

/// A tool of statics, since each test has its own: with what it has seen, and its values.
macro_rules! recording_tool {
    ($tool:ident, $start:expr) => {
        struct $tool;
        #[allow(dead_code, reason = "not every test needs all of it")]
        impl $tool {
            const ALIVE: &'static std::sync::atomic::AtomicI64 = {
                static ALIVE: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(0);
                &ALIVE
            };
            const SEEN: &'static std::sync::Mutex<Vec<String>> = {
                static SEEN: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());
                &SEEN
            };
            fn saw(what: impl ToString) {
                Self::SEEN.lock().unwrap().push(what.to_string());
            }
            fn alive() -> i64 {
                Self::ALIVE.load(std::sync::atomic::Ordering::SeqCst)
            }
            fn seen() -> Vec<String> {
                std::mem::take(&mut Self::SEEN.lock().unwrap())
            }
        }
        hidden_tool!($tool);
        impl ompt::Tool for $tool {
            type Thread = $crate::common::recording::Counted;
            type Parallel = $crate::common::recording::Counted;
            type Task = $crate::common::recording::Counted;
            fn start(start: &mut ompt::Start<'_, Self>) -> Option<Self> {
                let begin: fn(&mut ompt::Start<'_, Self>) -> bool = $start;
                begin(start).then_some($tool)
            }
            fn finish(&self, end: &ompt::End<'_>) {
                Self::saw(format!("finish, {} panics, {}", end.panics, end.runtime.version));
            }
        }
    };
}

pub fn number(value: Option<ompt::Ref<Counted>>) -> String {
    value.map_or("none".into(), |value| value.1.to_string())
}
