//! Parallel regions: `parallel_data` names one, so that what the runtime tells late gets the time at which it ended.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use ompchunk_trace_format::{
    Event, PARALLEL_INVOKER_PROGRAM, PARALLEL_INVOKER_RUNTIME, PARALLEL_LEAGUE, PARALLEL_TEAM,
};
use ompt::raw::{self, Data};

use crate::clock;
use crate::profile_choice::budget::Answers;
use crate::scope::end_time::Ending;
use crate::scope::users;
use crate::tasks::record::Team;

/// Bits of an address; those above them tell the executions that shared it apart.
const ADDRESS: u32 = 48;

/// One execution of a parallel region. Used again and never freed: libomp 19 may hand out an address that is out of
/// date, which must not crash. What all threads of a team change is in one cache line: fetching it is most of what
/// recording a short region takes.
#[derive(Default)]
#[repr(C, align(64))]
pub(crate) struct Region {
    number: AtomicU64,
    end: Ending,
    team: Team,
    answers: Answers,
    /// Scopes that hold the address; 0: free.
    users: AtomicU32,
    told: AtomicBool,
    sampled: AtomicBool,
    distributed: AtomicBool,
    code: AtomicU64,
    requested: AtomicU32,
    flags: AtomicU32,
}

const _: () = assert!(std::mem::offset_of!(Region, code) == 64);

/// All threads that begin regions write it, so nothing that others read lies beside it.
#[repr(align(64))]
struct Numbers(AtomicU64);

static NEXT: Numbers = Numbers(AtomicU64::new(1));

/// A thread's regions that are over. Each becomes another one when nobody holds it, the oldest first: who learns late of
/// its end has had most time.
#[derive(Default)]
pub(crate) struct Regions(pub(crate) Vec<&'static Region>);

impl Regions {
    fn take(&mut self) -> &'static Region {
        match self.0.iter().position(|region| users::are_none(&region.users)) {
            Some(at) => self.0.remove(at),
            None => Box::leak(Box::default()),
        }
    }
}

pub(crate) struct Shared(pub(crate) &'static Region);

impl Shared {
    /// A region that begins; its name goes into `data`, where [`Shared::from_data`] finds it.
    pub(crate) fn begin(
        regions: &mut Regions,
        data: *mut Data,
        requested: u32,
        flags: u32,
        code: u64,
        distributed: bool,
    ) -> Shared {
        let number = NEXT.0.fetch_add(1, Ordering::Relaxed);
        let region = regions.take();
        region.number.store(number, Ordering::Relaxed);
        region.end.open();
        region.code.store(code, Ordering::Relaxed);
        region.requested.store(requested, Ordering::Relaxed);
        region.flags.store(flags, Ordering::Relaxed);
        region.told.store(false, Ordering::Relaxed);
        region.sampled.store(false, Ordering::Relaxed);
        region.distributed.store(distributed, Ordering::Relaxed);
        region.team.begin(code);
        users::begin(&region.users);
        if !data.is_null() {
            let address = std::ptr::from_ref(region) as u64;
            // SAFETY: the runtime's word for the tool, as long as the region lasts.
            unsafe { (*data).value = address | number << ADDRESS };
        }
        Shared(region)
    }

    /// The region of a task that begins; `None` for the initial task's, and for a name that is out of date.
    pub(crate) fn from_data(data: *mut Data) -> Option<Shared> {
        if data.is_null() {
            return None;
        }
        // SAFETY: the runtime's word.
        let name = unsafe { (*data).value };
        let address = (name & ((1 << ADDRESS) - 1)) as *const Region;
        // SAFETY: zero, or what `begin` stored, and regions are never freed.
        let region = unsafe { address.as_ref() }?;
        let taken = users::join(&region.users).then(|| Shared(region))?;
        // Asked of what cannot become another one any more.
        let same = taken.number() << ADDRESS == name & !((1 << ADDRESS) - 1);
        same.then_some(taken)
    }

    pub(crate) fn number(&self) -> u64 {
        self.0.number.load(Ordering::Relaxed)
    }

    pub(crate) fn code(&self) -> u64 {
        self.0.code.load(Ordering::Relaxed)
    }

    pub(crate) fn team(&self) -> &'static Team {
        &self.0.team
    }

    pub(crate) fn answers(&self) -> &'static Answers {
        &self.0.answers
    }

    pub(crate) fn begin_event(&self) -> Event<'static> {
        Event::ParallelBegin {
            parallel: self.number(),
            requested: self.0.requested.load(Ordering::Relaxed),
            flags: self.0.flags.load(Ordering::Relaxed),
            code: self.code(),
        }
    }

    pub(crate) fn mark_told(&self) {
        if !self.is_told() {
            self.0.told.store(true, Ordering::Release);
        }
    }

    /// Whether it has ended, as far as that is seen at once. A signal handler may call this.
    pub(crate) fn is_over(&self) -> bool {
        self.0.end.is_over()
    }

    /// A stack was sampled in it. A signal handler may call this.
    pub(crate) fn sample(&self) {
        self.0.sampled.store(true, Ordering::Relaxed);
    }

    pub(crate) fn take_sampled(&self) -> bool {
        self.0.sampled.swap(false, Ordering::Relaxed)
    }

    pub(crate) fn is_distributed(&self) -> bool {
        self.0.distributed.load(Ordering::Relaxed)
    }

    pub(crate) fn is_told(&self) -> bool {
        self.0.told.load(Ordering::Acquire)
    }

    /// The region ends now. Whoever reads the clock without seeing that it is ending has read it before.
    pub(crate) fn end(&self) -> u64 {
        self.0.end.end(|| {
            clock::settle();
            clock::ticks()
        })
    }

    /// When it ended, if it has. To be called after reading the clock.
    pub(crate) fn ended(&self) -> Option<u64> {
        clock::settle();
        self.0.end.ended(std::hint::spin_loop)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        users::leave(&self.0.users);
    }
}

/// `ompt_parallel_flag_t` in 24 bits.
pub(crate) fn squeeze(flags: c_int) -> u32 {
    [
        (raw::PARALLEL_INVOKER_PROGRAM, PARALLEL_INVOKER_PROGRAM),
        (raw::PARALLEL_INVOKER_RUNTIME, PARALLEL_INVOKER_RUNTIME),
        (raw::PARALLEL_LEAGUE, PARALLEL_LEAGUE),
        (raw::PARALLEL_TEAM, PARALLEL_TEAM),
    ]
    .iter()
    .filter(|(theirs, _)| flags & theirs != 0)
    .fold(0, |all, (_, ours)| all | ours)
}
