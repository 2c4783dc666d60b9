//! Schedules of loops of which the program finds out itself how they run: `balanced` and `adaptive`.
//!
//! As in `schedules`, all threads of a team decide alike: what they decide by is a loop's record, and what `balance` keeps of it, which
//! does not change within a region.
//!
//! All loops of a group do so, too. Of the records they ask what is the same for all: they are `static`, without a chunk size, and not
//! dealt. What is the same for none is asked of the key by which is kept what is known: whether the last thread must have the last
//! iteration.

use ompchunk_abi::{LOOP_DEALT, LOOP_STOCK, LoopRecord};
use ompchunk_schedules::{Kind, Learned, Order, Schedule};

use crate::balance::{self, Subject, plan::Mode};
use crate::choice::{Chosen, is_stepped};
use crate::environment;
use crate::group::Key;
use crate::primitive::OnceLock;
use crate::source::{self, own_static};

/// How LLVM's and Intel's runtime divide loops: `static,greedy` gives all threads as many iterations as the first one, as long as there
/// are any.
const RUNTIME_SCHEDULE: &str = "KMP_SCHEDULE";

const EVEN: Schedule = Schedule::Other { kind: Kind::Static, modifier: None, chunk: None };

/// What a loop runs under in this execution; `None`: as compiled. What is known counts where its runtime `is_served`, and is kept by
/// `key`.
pub(crate) fn choose(
    record: &'static LoopRecord,
    key: Key,
    learned: Learned,
    order: Order,
    is_served: bool,
) -> Option<Chosen> {
    let is_dealt = record.flags & LOOP_DEALT != 0;
    let whole = source::chunk(record)?;
    let can_balance = !is_dealt && (!key.keeps_last() || last_thread_has_last());
    let subject = Subject { record, key, learned, can_balance, whole };
    let is_stock = record.flags & LOOP_STOCK != 0;
    let can_be = |way: &Schedule| !is_stock && (!key.is_of_group() || way.maps_alike());
    let seat = || is_served.then(|| balance::seat(&subject)).flatten();
    match learned {
        Learned::Balanced if !can_balance => None,
        Learned::Balanced => {
            let even = Chosen::from_order(record, EVEN, order)?;
            let seat = seat();
            // The runtime's blocks end anywhere.
            if seat.is_none() && whole > 1 {
                return None;
            }
            Some(Chosen { is_balanced: seat.is_some(), seat, ..even })
        }
        Learned::Adaptive => {
            let own = match is_dealt {
                true => Chosen::as_compiled(record),
                false => own(record)?,
            };
            let seat = seat()?;
            // What is kept may be of another loop that stood at this address.
            let chosen = match seat.mode().keeping(whole) {
                Mode::Balanced if can_balance => {
                    Chosen { is_balanced: true, ..Chosen::from_order(record, EVEN, order)? }
                }
                mode => match mode.schedule().filter(can_be) {
                    Some(schedule) => Chosen::from_order(record, schedule, order)?,
                    None if seat.is_timed() => own,
                    None => return None,
                },
            };
            Some(Chosen { seat: Some(seat), ..chosen })
        }
    }
}

/// Does a team's last thread have the last iteration under `static`, as soon as each thread has one? Who has it is said by the runtime, of
/// the blocks that it would have given. LLVM's and Intel's do that, unless the user has blocks be as long as the first one.
fn last_thread_has_last() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let schedule = environment::variable(RUNTIME_SCHEDULE).unwrap_or_default();
        !schedule.to_string_lossy().to_ascii_lowercase().contains("greedy")
    })
}

/// The loop's own schedule, if the program can step so by itself: a loop that is timed asks for its bounds.
fn own(record: &LoopRecord) -> Option<Chosen> {
    let (schedule, chunk) = own_static(record)?;
    let chunk = u32::try_from(chunk).ok()?;
    is_stepped(schedule, chunk).then_some(Chosen {
        schedule,
        chunk,
        stepped: true,
        is_balanced: false,
        is_source: false,
        seat: None,
    })
}
