//! With what a program that relies on its threads is compiled, where it runs, and under which schedules.

use anyhow::Result;

use super::ast::*;
use crate::fuzz::ast::Language;
use crate::fuzz::config::{Config, Machine};
use crate::fuzz::rng::Rng;
use crate::runtime::{Attach, Runtime};
use crate::schedules::number;

/// For `*`: each kind, and some in turn.
const ALL: [&str; 20] = [
    "dynamic,3", "dynamic", "static,7", "static,1", "static", "guided", "guided,2", "auto", "runtime",
    "nonmonotonic:dynamic", "nonmonotonic:dynamic,2", "monotonic:dynamic,2", "static,2|static,5",
    "dynamic,3|source|static,2", "source|guided|dynamic", "static,2147483647", "balanced", "adaptive", "adaptive",
    "balanced|static,3",
];

/// What a group may be given.
const ALIKE: [&str; 10] = [
    "static,7", "static,1", "static,2|static,5", "static,3|source", "source|static,4|static", "static,40", "balanced",
    "adaptive", "adaptive", "static,3|balanced",
];

/// What it may not.
const DEALT: [&str; 3] = ["dynamic,3", "guided", "static,3|dynamic"];

/// Orders of a program beside those that `OMPCHUNK_FUZZ_SCHEDULES` asks for.
const LEAST: u64 = 5;

pub fn configuration(rng: &mut Rng, machine: &Machine, program: &Program) -> Result<Config> {
    let is_fortran = program.language == Language::Fortran;
    let llvms = match is_fortran {
        true => &machine.flangs,
        false => &machine.llvms,
    };
    let levels = ["-O0", "-O1", "-O2", "-O2", "-O3", "-Os"];
    let level = *rng.pick(&levels[..if is_fortran { 5 } else { 6 }]);
    let mut flags = Vec::new();
    if rng.chance(70) {
        flags.push("-g");
    }
    if rng.chance(15) {
        flags.push("-fPIC");
    }
    // LLVM 16's runtime lacks an entry that loops dealt by the runtime end with.
    let is_dealt = |l: &&Loop| matches!(l.mapping.schedule, Schedule::Dealt(_));
    let deals_ticket = |region: &Region| region.own == Some(Own::Row(Ticket::Dealt));
    let needs_newer = program.loops().iter().any(is_dealt) || program.regions.iter().any(deals_ticket);
    let hosts = match needs_newer {
        true => Runtime::complete(),
        false => machine.hosts.clone(),
    };
    let count = number("OMPCHUNK_FUZZ_SCHEDULES", 1)?.max(LEAST);
    let has_lines = flags.contains(&"-g");
    Ok(Config {
        llvm: rng.pick(llvms).clone(),
        level,
        flags,
        host: rng.pick(&hosts).clone(),
        attach: *rng.pick(&[Attach::ToolLibraries, Attach::Preload]),
        events: (true, true, true),
        orders: (0..count).map(|_| (order(rng, program, has_lines), rng.chance(15))).collect(),
        orders_cancel: false,
    })
}

/// `*`, under which every program must give what it gives as compiled; or names, where it relies on pairs alone.
fn order(rng: &mut Rng, program: &Program, has_lines: bool) -> String {
    let all = format!("*={}", rng.pick(&ALL));
    if !program.relies_on_pairs_alone() || rng.chance(50) {
        return all;
    }
    let schedules: &[&str] = match program.keeps_nothing() && rng.chance(25) {
        true => &DEALT,
        false => &ALIKE,
    };
    let mut entries: Vec<String> =
        (0..rng.range(1, 2)).map(|_| format!("{}={}", pattern(rng, program, has_lines), rng.pick(schedules))).collect();
    if rng.chance(25) {
        entries.push(all);
    }
    entries.join("; ")
}

fn pattern(rng: &mut Rng, program: &Program, has_lines: bool) -> String {
    let file = match program.language {
        Language::C => "program.c",
        Language::Fortran => "program.f90",
    };
    let region = rng.below(program.regions.len() as u64) as usize;
    match rng.below(3) {
        0 if has_lines => file.to_owned(),
        1 if has_lines => format!("{file}:{}", rng.range(20, 120)),
        _ if program.regions[region].is_apart => format!("region{region}"),
        _ => "fuzz_main".to_owned(),
    }
}
