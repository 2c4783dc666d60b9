//! Advice for all loops: of each what the program allows. Loops that rely on each other's threads are judged as one, and those on whose
//! threads something else relies are left alone.

use std::ptr;

use ompchunk_analysis::hot::{KERNEL, LIBRARY_LOCK};
use ompchunk_analysis::model::Hint;
use ompchunk_analysis::profile::{Execution, Profile};
use ompchunk_analysis::{LoopReport, Promise};
use ompchunk_figures::time;

use crate::advise::{Known, No, Question, fill, lasting_share, of_one, simulable, without};
use crate::choose::{GAIN, choose};
use crate::group::{Member, joined_executions};
use crate::model::LoopAdvice;
use crate::predict::{May, predict};
use crate::same_line::{are_in_one_line, in_its_line, of_line, strict_in_its_line};
use crate::schedule::Schedule;

/// What to say of loops, in their order. Of a loop of a group the others should be among them, as far as they ran.
pub fn advise(loops: &[Known<'_>], question: &Question<'_>) -> Vec<LoopAdvice> {
    let mut found: Vec<Option<LoopAdvice>> = vec![None; loops.len()];
    for (number, &(the_loop, profile)) in loops.iter().enumerate() {
        if found[number].is_some() {
            continue;
        }
        let of = |numbers: &[usize]| -> Vec<Known<'_>> { numbers.iter().map(|number| loops[*number]).collect() };
        let (numbers, advices) = match &the_loop.promise {
            Promise::Bound(why) => (vec![number], vec![of_bound((the_loop, profile), why)]),
            Promise::Group(_) => {
                let is_member = |number: &usize| are_one(the_loop, loops[*number].0);
                let numbers: Vec<usize> = (0..loops.len()).filter(is_member).collect();
                let advices = of_group(&of(&numbers), question);
                (numbers, advices)
            }
            Promise::Free | Promise::Unknown => {
                let numbers = in_its_line(loops, number);
                let strict = strict_in_its_line(loops, number);
                let advices = match numbers.len() == 1 && strict.is_none() {
                    true => vec![of_one(the_loop, profile, question)],
                    false => of_line(&of(&numbers), strict, question),
                };
                (numbers, advices)
            }
        };
        for (number, advice) in numbers.into_iter().zip(advices) {
            found[number] = Some(advice);
        }
    }
    let mut advices: Vec<LoopAdvice> = found.into_iter().flatten().collect();
    agree(loops, &mut advices);
    for ((the_loop, _), advice) in loops.iter().zip(&mut advices) {
        let decides = |code: &str| [LIBRARY_LOCK, "crowded", "one-thread"].contains(&code);
        let why = the_loop.hints.iter().find(|hint| decides(hint.code)).map(|hint| hint.text.as_str());
        let waits = contended(the_loop).map(|hint| {
            format!("{}; what an iteration takes depends on what other threads run, so no prediction holds", hint.text)
        });
        let why = why.or(waits.as_deref());
        let kernel =
            the_loop.hints.iter().find(|hint| hint.code == KERNEL).filter(|_| may_be_waiting(the_loop, advice));
        let why = why.or(kernel.map(|hint| hint.text.as_str()));
        let (gain, all) = (the_loop.metrics.imbalance_seconds, the_loop.metrics.seconds);
        let is_even = advice.needs_profile && advice.promise != "group" && gain < GAIN * all;
        let even = format!("perfect balance would save {} of its {}: no schedule gains enough", time(gain), time(all));
        if let Some(why) = why.or(is_even.then_some(&even)).filter(|_| advice.promise != "bound") {
            advice.takes_back(why);
        }
    }
    advices
}

/// Most of what the loop loses is that its threads wait for each other.
fn contended(the_loop: &LoopReport) -> Option<&Hint> {
    the_loop.hints.first().filter(|hint| hint.code == "contended")
}

/// What may be faster would gain no more than what threads are in the system's kernel for, which may be a lock: its time is no
/// iteration's own.
fn may_be_waiting(the_loop: &LoopReport, advice: &LoopAdvice) -> bool {
    let kernel = the_loop.other_kernel_seconds().unwrap_or(0.0);
    let possible = advice.possible.as_ref().filter(|_| advice.advice.is_none());
    possible.is_some_and(|one| (1.0 - one.predicted_ratio.middle) * the_loop.busy_seconds <= kernel)
}

/// Groups of several functions that share a line have one clause there: where they are advised otherwise, nothing is.
fn agree(loops: &[Known<'_>], advices: &mut [LoopAdvice]) {
    let numbers = 0..loops.len();
    let differ = |left: usize, right: usize| {
        are_in_one_line(loops[left].0, loops[right].0) && advices[left].advice != advices[right].advice
    };
    let is_odd = |number: &usize| {
        let is_in_group = !loops[*number].0.promise.group().is_empty();
        is_in_group && numbers.clone().any(|another| differ(*number, another))
    };
    let odd_ones: Vec<usize> = numbers.clone().filter(is_odd).collect();
    for odd in odd_ones {
        for (number, advice) in advices.iter_mut().enumerate() {
            if advice.advice.is_some() && are_one(loops[odd].0, loops[number].0) {
                advice.takes_back(
                    "one clause applies to all functions that these lines are compiled into, and a different schedule is best for \
                     others of them",
                );
            }
        }
    }
}

/// Are both of one group, and ran under the same schedule?
pub fn are_one(left: &LoopReport, right: &LoopReport) -> bool {
    let (group, (first, second)) = (left.promise.group(), (&left.identity, &right.identity));
    !group.is_empty()
        && group == right.promise.group()
        && (&first.file, &first.symbol, &first.schedule) == (&second.file, &second.symbol, &second.schedule)
}

fn of_bound((the_loop, profile): Known<'_>, why: &str) -> LoopAdvice {
    let mut advice = without(the_loop, profile);
    let longest = profile.executions.iter().max_by_key(|execution| execution.threads.len());
    let now = longest.and_then(|execution| Schedule::now(&profile.facts, execution).ok());
    advice.now = now.map(|schedule| schedule.to_string());
    advice.reason = format!("its schedule must stay as it is: {why} (OpenMP 5.2, 11.5.3)");
    advice
}

/// One prediction for all of them, and the same schedule or none.
fn of_group(members: &[Known<'_>], question: &Question<'_>) -> Vec<LoopAdvice> {
    let own = members.iter().map(|known| member(*known, members));
    let mut advices: Vec<LoopAdvice> = own.collect();
    let judged: Vec<_> = members.iter().map(|(_, profile)| simulable(profile, question)).collect();
    match judged.iter().position(Result::is_err) {
        Some(number) => {
            let missing = &members[number].0.name;
            for (advice, judged) in advices.iter_mut().zip(judged) {
                let why = format!("nothing is known about {missing}, which must have the same schedule");
                let no = judged.map_or_else(|no| no, |(now, _)| No::new(Some(now), why));
                no.says(advice);
            }
        }
        None => {
            let judged: Vec<_> = judged.into_iter().flatten().collect();
            as_one(&mut advices, members, &judged, question);
        }
    }
    for (advice, (the_loop, _)) in advices.iter_mut().zip(members) {
        advice.reason = format!(
            "it gives a thread the same iterations as {}, without a barrier in between: no chunks may be dealt, and all of these \
             loops must have the same static schedule; {}",
            the_loop.promise.others(the_loop.identity.line),
            advice.reason
        );
    }
    advices
}

fn member((the_loop, profile): Known<'_>, members: &[Known<'_>]) -> LoopAdvice {
    let mut lines: Vec<u32> = members.iter().filter_map(|(the_loop, _)| the_loop.identity.line).collect();
    lines.sort_unstable();
    lines.dedup();
    let group = the_loop.promise.group();
    LoopAdvice { changeable: group.iter().all(|member| member.changeable), group: lines, ..without(the_loop, profile) }
}

/// Simulates the members of which enough is known as one loop.
fn as_one(
    advices: &mut [LoopAdvice],
    members: &[Known<'_>],
    judged: &[(Schedule, Vec<&Execution>)],
    question: &Question<'_>,
) {
    let now = judged[0].0;
    let parts: Vec<Member<'_>> =
        members.iter().zip(judged).map(|((_, profile), (_, usable))| part(profile, usable)).collect();
    let executions = match judged.iter().all(|(schedule, _)| *schedule == now) {
        true => joined_executions(&parts),
        false => Vec::new(),
    };
    if executions.is_empty() {
        for (advice, (now, _)) in advices.iter_mut().zip(judged) {
            let why = "they ran with different iterations, threads or schedules, so they cannot be judged as one";
            No::new(Some(*now), why).says(advice);
        }
        return;
    }
    let executions: Vec<&Execution> = executions.iter().collect();
    let (threads, costs) = (question.threads, &question.costs);
    let prediction = predict(&executions, now, May::BeMapped, threads, costs);
    let shares = members.iter().map(|(the_loop, profile)| lasting_share(the_loop, profile));
    let share = shares.sum::<Option<f64>>();
    // Where a barrier follows one of them, that is where threads wait for what all of them do.
    let waits = members.iter().any(|(_, profile)| !profile.facts.no_barrier);
    let choice = waits.then(|| choose(&prediction, share));
    for (advice, member) in advices.iter_mut().zip(members) {
        fill(advice, *member, question, &prediction, choice);
    }
}

/// A loop's executions, of which these can be used.
fn part<'p>(profile: &'p Profile, usable: &[&'p Execution]) -> Member<'p> {
    let as_usable = |execution: &'p Execution| {
        let is_usable = usable.iter().any(|usable| ptr::eq(*usable, execution));
        is_usable.then_some(execution)
    };
    Member { executions: profile.executions.iter().map(as_usable).collect(), ran: profile.complete }
}
