//! Page faults in executions of loops, and how long threads were in the kernel meanwhile: memory costs a fault per page
//! at first. Asking is a system call: only a thread's first executions of a loop, and long ones, are measured.

use std::time::Duration;

use ompchunk_trace_format::sum::{FAULTS_FIRST, FAULTS_KERNEL, FAULTS_MAJOR, FAULTS_MINOR};
use ompchunk_trace_format::{Sum, SumOf};

use crate::clock::{self, Usage};

/// So many executions of a loop are measured in each thread, however short they are.
const FIRST: u32 = 4;
/// Two system calls are nothing against so much.
const LONG: Duration = Duration::from_millis(1);

#[derive(Default)]
pub(crate) struct Wanted {
    measured: u32,
    after_long: bool,
}

impl Wanted {
    pub(crate) fn wants(&self) -> bool {
        self.measured < FIRST || self.after_long
    }

    pub(crate) fn begins(&mut self) {
        self.measured = self.measured.saturating_add(1);
    }

    pub(crate) fn ends(&mut self, is_long: bool, was_measured: bool) {
        self.after_long = is_long || self.after_long && !was_measured;
    }
}

#[derive(Default)]
pub(crate) struct Faults {
    /// The execution that is measured: when it began, and what the system had counted by then; `None`: it does not tell.
    pub(crate) begun: Option<(u64, Option<Usage>)>,
    pub(crate) sums: Vec<Sum>,
}

pub(crate) fn long() -> u64 {
    clock::ticks_of(LONG)
}

impl Faults {
    pub(crate) fn measured(&mut self, the_loop: u32, first: bool, span: (u64, u64), (before, after): (Usage, Usage)) {
        // Every thread begins with a fault: this system does not count them.
        if after.minor + after.major == 0 {
            return;
        }
        let minor = after.minor.checked_sub(before.minor);
        let major = after.major.checked_sub(before.major);
        let kernel = after.kernel.checked_sub(before.kernel);
        let (Some(minor), Some(major), Some(kernel)) = (minor, major, kernel) else {
            // Another thread's, as in a forked process.
            return;
        };
        let all = [(FAULTS_MINOR, minor), (FAULTS_MAJOR, major), (FAULTS_KERNEL, clock::ticks_of(kernel))];
        let first = if first { FAULTS_FIRST } else { 0 };
        for (kind, amount) in all {
            // The first tells how many were measured.
            if amount > 0 || kind == FAULTS_MINOR {
                self.add(the_loop, kind | first, amount, span);
            }
        }
    }

    fn add(&mut self, the_loop: u32, of: u32, amount: u64, (from, to): (u64, u64)) {
        let same = |sum: &&mut Sum| sum.the_loop == the_loop && sum.of == of;
        if let Some(sum) = self.sums.iter_mut().find(same) {
            return count(sum, amount, to);
        }
        let (thread, what, code) = (0, SumOf::Faults, 0);
        let [sum, min, max] = [amount; 3];
        self.sums.push(Sum { thread, what, of, code, the_loop, count: 1, sum, min, max, from, to });
    }
}

#[inline]
pub(crate) fn count(sum: &mut Sum, amount: u64, to: u64) {
    sum.count += 1;
    sum.sum = sum.sum.saturating_add(amount);
    sum.min = sum.min.min(amount);
    sum.max = sum.max.max(amount);
    sum.to = to;
}
