//! A loop that a thread is executing, and its names.

use std::ffi::{CStr, c_void};
use std::fmt;
use std::mem::MaybeUninit;
use std::path::Path;

use ompt::raw::{self, CONSTRUCT_FOR, LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LOOP_DEALT, LOOP_START_KNOWN, LOOP_STEP_KNOWN};

use crate::known::Known;

/// A loop that a thread is executing, between the runtime's begin and end events.
#[derive(Debug, Clone, Copy)]
pub struct Running {
    /// Return address of the runtime call: tells call sites apart.
    pub code: usize,
    /// What is known of the loop. `None`: not a loop that the plugin instrumented.
    pub record: Option<&'static Known>,
    /// The runtime's kind of work.
    pub work: u32,
    /// The thread's number in its team, as `omp_get_thread_num()`.
    pub thread_num: i32,
}

impl Running {
    /// What makes two executions the same loop: the record if there is one, else the call site.
    #[must_use]
    pub fn identity(&self) -> usize {
        self.record.map_or(self.code, |record| std::ptr::from_ref(record).addr())
    }

    /// `file.c:12`, or `program+0x1234` for a loop without line information or record.
    #[must_use]
    pub fn name(&self) -> String {
        match self.record {
            Some(known) if known.record.line != 0 => {
                format!("{}:{}", base_name(&known.file), known.record.line)
            }
            _ => address_name(self.code),
        }
    }

    /// The function that contains the loop, if known.
    #[must_use]
    pub fn function(&self) -> Option<String> {
        self.record.map(|known| known.function.clone())
    }

    /// `static,8`; `static,c` for a chunk size not known at compile time; `dynamic`; `distribute` …
    #[must_use]
    pub fn schedule(&self) -> String {
        let record = self.record.map(|known| &known.record);
        let kind = match record {
            // Also on runtimes that call every loop a loop.
            Some(record) if record.construct == CONSTRUCT_FOR && record.flags & LOOP_DEALT == 0 => "static",
            _ => match self.work {
                raw::WORK_DISTRIBUTE => "distribute",
                raw::WORK_LOOP_STATIC => "static",
                raw::WORK_LOOP_DYNAMIC => "dynamic",
                raw::WORK_LOOP_GUIDED => "guided",
                _ => "loop",
            },
        };
        match record {
            Some(record) if record.flags & LOOP_CHUNK_KNOWN != 0 => {
                format!("{kind},{}", record.chunk)
            }
            Some(record) if record.flags & LOOP_CHUNKED != 0 => format!("{kind},c"),
            _ => kind.to_owned(),
        }
    }

    /// The value that the user's variable has in a logical iteration, where it is known.
    #[must_use]
    pub fn users_value(&self, iteration: u64) -> Option<i64> {
        const KNOWN: u32 = LOOP_START_KNOWN | LOOP_STEP_KNOWN;
        let record = self.record.map(|known| &known.record)?;
        if record.flags & KNOWN != KNOWN {
            return None;
        }
        let distance = (iteration as i64).wrapping_mul(record.step.into());
        Some(i64::from(record.start).wrapping_add(distance))
    }

    /// After an extension event, which only an instrumented loop sends: true if that is news.
    pub fn is_instrumented(&mut self, news: Option<&'static Known>) -> bool {
        self.record = self.record.or(news);
        news.is_some()
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn address_name(code: usize) -> String {
    struct Address(usize);
    impl fmt::Display for Address {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{:#x}", self.0)
        }
    }

    let mut found = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: `dladdr` accepts any address and fills `found` in when it answers non-zero.
    let found = unsafe {
        if libc::dladdr(code as *const c_void, found.as_mut_ptr()) == 0 {
            return Address(code).to_string();
        }
        found.assume_init()
    };
    if found.dli_fname.is_null() {
        return Address(code).to_string();
    }
    // SAFETY: not null, so the name of a loaded image, which stays loaded: the loop is in it.
    let image = unsafe { CStr::from_ptr(found.dli_fname) }.to_string_lossy();
    let image = Path::new(&*image).file_name().unwrap_or_default().to_string_lossy();
    format!("{image}+{}", Address(code.wrapping_sub(found.dli_fbase.addr())))
}
