//! `OMPCHUNK_BALANCE=restless`, in a library that tests build for themselves: any blocks and any way to run, others after each
//! region, whatever threads took. So a program of a few short loops has all that long ones meet.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ompchunk_abi::overrides::Dealt;

use crate::balance::costs::Costs;
use crate::balance::plan::{Can, Mode, Plan};
use crate::start::environment;

const VARIABLE: &str = "OMPCHUNK_BALANCE";

static IS_ON: AtomicBool = AtomicBool::new(false);
static STATE: AtomicU64 = AtomicU64::new(1);

/// Before any loop has asked.
pub(crate) fn begin() {
    let is_on = cfg!(feature = "restless") && environment::variable(VARIABLE).is_some_and(|value| value == "restless");
    IS_ON.store(is_on, Ordering::Relaxed);
}

pub(super) fn is_on() -> bool {
    cfg!(feature = "restless") && IS_ON.load(Ordering::Relaxed)
}

/// Costs that nothing has.
pub(super) fn odd() -> Costs {
    let team = 1 + next() % 9;
    let times: Vec<u64> = (0..team).map(|_| next() % 3 * (next() % 1000)).collect();
    Costs::even().after(&times).unwrap_or_else(Costs::even)
}

pub(super) fn team() -> u32 {
    1 + (next() % 8) as u32
}

/// Any way to run that a loop can have, timed or not.
pub(super) fn plan(can: Can) -> Plan {
    let mode = match next() % 5 {
        0 => Mode::Source,
        1 => Mode::Balanced,
        2 if can.deal => Mode::Dealt(Dealt::Dynamic, chunk()),
        3 if can.deal => Mode::Dealt(Dealt::Guided, chunk()),
        _ if can.chunks => Mode::StaticChunked(chunk()),
        _ => Mode::Balanced,
    };
    Plan::from_mode(mode.keeping(can.whole)).after(next() % 3)
}

pub(super) fn parts() -> u32 {
    match next() % 3 {
        0 => 0,
        1 => (next() % 5) as u32,
        _ => (next() % 200) as u32,
    }
}

fn chunk() -> u32 {
    1 + (next() % 40) as u32
}

fn next() -> u64 {
    let state = STATE.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 27)
}
