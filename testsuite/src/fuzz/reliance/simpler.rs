//! Everything one step simpler, large steps first; what the rules do not allow any more is left out.

use std::collections::BTreeSet;

use super::ast::*;
use super::rules;
use crate::fuzz::config::Case;
use crate::fuzz::shrink::{changed, without};

pub fn simpler(case: &Case<Program>) -> Vec<Case<Program>> {
    let mut cases = Vec::new();
    let mut change = |change: &dyn Fn(&mut Case<Program>)| {
        let mut simpler = case.clone();
        change(&mut simpler);
        rules::keep_allowed(&mut simpler.program);
        if simpler.program != case.program
            || simpler.config.level != case.config.level
            || simpler.config.orders != case.config.orders
            || simpler.config.flags != case.config.flags
        {
            cases.push(simpler);
        }
    };
    for order in &case.config.orders {
        if case.config.orders.len() > 1 {
            change(&|case| case.config.orders = vec![order.clone()]);
        }
    }
    for regions in without(&case.program.regions, simpler_region) {
        change(&|case| case.program.regions.clone_from(&regions));
    }
    change(&|case| case.program.threads = case.program.threads.min(5));
    change(&|case| case.program.threads = 2);
    change(&|case| case.config.level = "-O0");
    change(&|case| case.config.flags.retain(|flag| *flag == "-g"));
    change(&|case| {
        let observed = case.config.orders.iter_mut().map(|(_, observed)| observed);
        observed.for_each(|observed| *observed = false);
    });
    cases
}

fn simpler_region(region: &Region) -> Vec<Vec<Region>> {
    let mut regions = Vec::new();
    let mut change = |change: &dyn Fn(&mut Region)| {
        let mut simpler = region.clone();
        change(&mut simpler);
        regions.push(vec![simpler]);
    };
    for steps in without(&region.steps, simpler_step) {
        change(&|region| region.steps.clone_from(&steps));
    }
    change(&|region| region.times = 1);
    change(&|region| region.is_apart = false);
    change(&|region| region.own = None);
    regions
}

fn simpler_step(step: &Step) -> Vec<Vec<Step>> {
    let inner = step.inner();
    let mut smaller = Vec::new();
    if !inner.is_empty() {
        smaller.push(inner.to_vec());
    }
    let with = |steps: Vec<Step>| match step {
        Step::Repeat(times, _) => Step::Repeat(*times, steps),
        Step::Sometimes(nth, _) => Step::Sometimes(*nth, steps),
        Step::Call(linkage, id, _) => Step::Call(*linkage, *id, steps),
        _ => step.clone(),
    };
    let simpler = without(inner, simpler_step).into_iter();
    smaller.extend(simpler.filter(|steps| !steps.is_empty()).map(|steps| vec![with(steps)]));
    match step {
        Step::Loop(l) => smaller.extend(simpler_loop(l).into_iter().map(|l| vec![Step::Loop(l)])),
        Step::Repeat(3.., steps) => smaller.push(vec![Step::Repeat(2, steps.clone())]),
        _ => {}
    }
    smaller
}

fn simpler_loop(l: &Loop) -> Vec<Loop> {
    let mut loops = Vec::new();
    let mut change = |change: &dyn Fn(&mut Loop)| loops.extend(changed(l, change));
    change(&|l| l.reads = BTreeSet::new());
    for read in &l.reads {
        change(&|l| {
            l.reads.remove(read);
        });
    }
    change(&|l| l.carries = None);
    change(&|l| l.keeps = false);
    change(&|l| l.adds = false);
    change(&|l| l.reduces = false);
    change(&|l| l.last = false);
    change(&|l| l.slow = None);
    change(&|l| l.nowait = false);
    change(&|l| l.is_variable = false);
    change(&|l| l.form = 0);
    loops
}
