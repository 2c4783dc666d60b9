//! Advice for all loops: of each what the program allows. Loops that rely on each other's threads are judged as one, and those on whose
//! threads something else relies are left alone.

use std::collections::BTreeSet;
use std::ptr;

use ompchunk_analysis::hot::{KERNEL, LIBRARY_LOCK};
use ompchunk_analysis::profile::{Execution, Piece, Thread};
use ompchunk_analysis::{LoopReport, Promise};
use ompchunk_figures::time;

use crate::advise::{Known, No, Question, fill, lasting_share, simulable, without};
use crate::choose::{GAIN, choose};
use crate::model::LoopAdvice;
use crate::predict::{Allowed, predict};
use crate::same_line::{are_in_one_line, in_its_line, of_line, strict_in_its_line};
use crate::schedule::Schedule;

/// What to say of loops, in their order. Of a loop of a group the others should be among them, as far as they ran.
pub fn advise(loops: &[Known<'_>], question: &Question<'_>) -> Vec<LoopAdvice> {
    let mut found: Vec<Option<LoopAdvice>> = vec![None; loops.len()];
    for (number, &(the_loop, profile)) in loops.iter().enumerate() {
        if found[number].is_some() {
            continue;
        }
        let numbers: Vec<usize> = match the_loop.promise {
            Promise::Bound(_) => vec![number],
            Promise::Group(_) => (0..loops.len()).filter(|other| are_one(the_loop, loops[*other].0)).collect(),
            Promise::Free | Promise::Unknown => in_its_line(loops, number),
        };
        let members: Vec<Known<'_>> = numbers.iter().map(|number| loops[*number]).collect();
        let advices = match &the_loop.promise {
            Promise::Bound(why) => vec![of_bound((the_loop, profile), why)],
            Promise::Group(_) => of_group(&members, question),
            Promise::Free | Promise::Unknown => of_line(&members, strict_in_its_line(loops, number), question),
        };
        for (number, advice) in numbers.into_iter().zip(advices) {
            found[number] = Some(advice);
        }
    }
    let mut advices: Vec<LoopAdvice> = found.into_iter().flatten().collect();
    agree(loops, &mut advices);
    for ((the_loop, _), advice) in loops.iter().zip(&mut advices) {
        if let Some(why) = objection(the_loop, advice).filter(|_| advice.promise != "bound") {
            advice.takes_back(&why);
        }
    }
    advices
}

fn objection(the_loop: &LoopReport, advice: &LoopAdvice) -> Option<String> {
    let said = |codes: &[&str]| {
        let hint = the_loop.hints.iter().find(|hint| codes.contains(&hint.code));
        hint.map(|hint| hint.text.clone())
    };
    // Most of what the loop loses is that its threads wait for each other.
    let contended = || {
        let hint = the_loop.hints.first().filter(|hint| hint.code == "contended")?;
        let why = "what an iteration takes depends on what other threads run, so no prediction holds";
        Some(format!("{}; {why}", hint.text))
    };
    // What may be faster would gain no more than what threads are in the system's kernel for, which may be a lock: its time is no
    // iteration's own.
    let kernel = the_loop.other_kernel_seconds().unwrap_or(0.0);
    let possible = advice.possible.as_ref().filter(|_| advice.advice.is_none());
    let may_be_waiting =
        possible.is_some_and(|one| (1.0 - one.predicted_ratio.middle) * the_loop.busy_seconds <= kernel);
    let (gain, all) = (the_loop.metrics.imbalance_seconds, the_loop.metrics.seconds);
    let is_even = advice.needs_profile && advice.promise != "group" && gain < GAIN * all;
    let even = || format!("perfect balance would save {} of its {}: no schedule gains enough", time(gain), time(all));
    said(&[LIBRARY_LOCK, "crowded", "one-thread"])
        .or_else(contended)
        .or_else(|| said(&[KERNEL]).filter(|_| may_be_waiting))
        .or_else(|| is_even.then(even))
}

/// Groups of several functions that share a line have one clause there: where they are advised otherwise, nothing is.
fn agree(loops: &[Known<'_>], advices: &mut [LoopAdvice]) {
    let differ = |left: usize, right: usize| {
        are_in_one_line(loops[left].0, loops[right].0) && advices[left].advice != advices[right].advice
    };
    let is_odd = |number: &usize| {
        let is_in_group = !loops[*number].0.promise.group().is_empty();
        is_in_group && (0..loops.len()).any(|another| differ(*number, another))
    };
    let odd_ones: Vec<usize> = (0..loops.len()).filter(is_odd).collect();
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
    advice.now = longest.and_then(|one| Schedule::now(&profile.facts, one).ok()).map(|now| now.to_string());
    advice.reason = format!("its schedule must stay as it is: {why} (OpenMP 5.2, 11.5.3)");
    advice
}

fn of_group(members: &[Known<'_>], question: &Question<'_>) -> Vec<LoopAdvice> {
    let lines: BTreeSet<u32> = members.iter().filter_map(|(the_loop, _)| the_loop.identity.line).collect();
    let member = |(the_loop, profile): &Known<'_>| LoopAdvice {
        changeable: the_loop.promise.group().iter().all(|member| member.changeable),
        group: lines.iter().copied().collect(),
        ..without(the_loop, profile)
    };
    let mut advices: Vec<LoopAdvice> = members.iter().map(member).collect();
    let judged: Vec<_> = members.iter().map(|(_, profile)| simulable(profile, question)).collect();
    match judged.iter().position(Result::is_err) {
        Some(number) => {
            let missing = &members[number].0.name;
            for (advice, judged) in advices.iter_mut().zip(judged) {
                let why = format!("nothing is known about {missing}, which must have the same schedule");
                judged.map_or_else(|no| no, |(now, _)| No::new(Some(now), why)).fill_in(advice);
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

fn as_one(
    advices: &mut [LoopAdvice],
    members: &[Known<'_>],
    judged: &[(Schedule, Vec<&Execution>)],
    question: &Question<'_>,
) {
    let now = judged[0].0;
    let parts = members.iter().zip(judged).map(|((_, profile), (_, usable))| {
        let is_usable = |execution: &&Execution| usable.iter().any(|usable| ptr::eq(*usable, *execution));
        let executions = profile.executions.iter().map(|execution| Some(execution).filter(is_usable));
        Member { executions: executions.collect(), ran: profile.complete }
    });
    let parts: Vec<Member<'_>> = parts.collect();
    let is_same = judged.iter().all(|(schedule, _)| *schedule == now);
    let executions = if is_same { joined_executions(&parts) } else { Vec::new() };
    if executions.is_empty() {
        for (advice, (now, _)) in advices.iter_mut().zip(judged) {
            let why = "they ran with different iterations, threads or schedules, so they cannot be judged as one";
            No::new(Some(*now), why).fill_in(advice);
        }
        return;
    }
    let executions: Vec<_> = executions.iter().collect();
    let prediction = predict(&executions, now, Allowed::Mapped, question.threads, &question.costs);
    let share = members.iter().map(|(the_loop, profile)| lasting_share(the_loop, profile)).sum();
    // Where a barrier follows one of them, that is where threads wait for what all of them do.
    let waits = members.iter().any(|(_, profile)| !profile.facts.no_barrier);
    let choice = waits.then(|| choose(&prediction, share));
    for (advice, member) in advices.iter_mut().zip(members) {
        fill(advice, *member, question, &prediction, choice);
    }
}

struct Member<'p> {
    executions: Vec<Option<&'p Execution>>,
    ran: u64,
}

/// Executions of the whole group: those of one member with the ones of the others that ran beside them. Empty: none fit together.
/// Such loops run one after the other without a wait, and what a thread takes for its part of all of them is what counts: so they are
/// put together, iteration by iteration.
fn joined_executions(members: &[Member<'_>]) -> Vec<Execution> {
    let least = members.iter().map(|member| member.executions.len()).min();
    let most = members.iter().map(|member| member.ran).max().unwrap_or(0).max(1);
    let run = |number: usize| {
        let ones = members.iter().map(|member| {
            // Loops of a group run as often, as a rule, and then the same number is the same region.
            let place = number * member.executions.len() / least.unwrap_or(1).max(1);
            let execution = member.executions.get(place).copied().flatten()?;
            Some((execution, member.ran as f64 / most as f64))
        });
        joined(&ones.collect::<Option<Vec<_>>>()?)
    };
    (0..least.unwrap_or(0)).filter_map(run).collect()
}

/// One execution of all of them, each with how often it runs in one run of the group; none where they are not alike.
fn joined(parts: &[(&Execution, f64)]) -> Option<Execution> {
    let (first, _) = parts.first()?;
    let team = first.threads.len();
    let alike = |execution: &Execution| execution.trips == first.trips && execution.threads.len() == team;
    if !parts.iter().all(|(execution, _)| alike(execution)) {
        return None;
    }
    let threads: Vec<Thread> = (0..team).map(|thread| thread_of(parts, thread)).collect();
    Some(Execution {
        elapsed_ns: threads.iter().map(|thread| thread.ends_ns).fold(0.0, f64::max),
        threads,
        reading_ns: parts.iter().map(|(execution, _)| execution.reading_ns).fold(0.0, f64::max),
        divided: parts.iter().all(|(execution, _)| execution.divided),
        nested: parts.iter().any(|(execution, _)| execution.nested),
        first: parts.iter().any(|(execution, _)| execution.first),
        pieces: pieces(parts),
        ..Execution::clone(first)
    })
}

fn thread_of(parts: &[(&Execution, f64)], thread: usize) -> Thread {
    let first = parts[0].0.threads[thread];
    let sum = |of: fn(&Thread) -> f64| -> f64 {
        parts.iter().map(|(execution, weight)| of(&execution.threads[thread]) * weight).sum()
    };
    Thread {
        ends_ns: first.arrives_ns + sum(|part| (part.ends_ns - part.arrives_ns).max(0.0)),
        taken_ns: sum(|part| part.taken_ns),
        ..first
    }
}

/// What iterations take in all of them: a piece wherever one of any begins.
fn pieces(parts: &[(&Execution, f64)]) -> Vec<Piece> {
    let mut ends: Vec<u64> = parts.iter().flat_map(|(execution, _)| execution.pieces.iter().map(Piece::end)).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut places = vec![0; parts.len()];
    let mut first = 0;
    let mut found = Vec::with_capacity(ends.len());
    for end in ends {
        let mut piece = Piece { first, iterations: end - first, ns: 0.0, thread: Piece::SEVERAL, readings: 0 };
        for (number, ((execution, weight), place)) in parts.iter().zip(&mut places).enumerate() {
            while execution.pieces.get(*place).is_some_and(|own| own.end() <= first) {
                *place += 1;
            }
            let Some(own) = execution.pieces.get(*place) else { continue };
            piece.ns += own.density() * piece.iterations as f64 * weight;
            piece.readings += if own.first == first { own.readings } else { 0 };
            piece.thread = match number {
                0 => own.thread,
                _ if own.thread == piece.thread => own.thread,
                _ => Piece::SEVERAL,
            };
        }
        found.push(piece);
        first = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads and so many pieces of equal length, each with what one of its iterations takes.
    fn execution(trips: u64, costs: &[f64]) -> Execution {
        let each = trips / costs.len() as u64;
        let half = costs.len().div_ceil(2);
        let piece = |(number, cost): (usize, &f64)| Piece {
            first: number as u64 * each,
            iterations: each,
            ns: each as f64 * cost,
            thread: (number / half) as u32,
            readings: 1,
        };
        let pieces: Vec<Piece> = costs.iter().enumerate().map(piece).collect();
        let of = |thread: u32| pieces.iter().filter(move |piece| piece.thread == thread);
        let thread = |thread: u32| Thread {
            thread,
            arrives_ns: 5.0,
            ends_ns: 5.0 + of(thread).map(|piece| piece.ns).sum::<f64>(),
            taken_ns: 1.0,
        };
        Execution { trips, threads: vec![thread(0), thread(1)], pieces, divided: true, ..Execution::default() }
    }

    fn member(executions: &[Execution]) -> Member<'_> {
        Member { executions: executions.iter().map(Some).collect(), ran: executions.len() as u64 }
    }

    #[test]
    fn what_one_gains_another_may_lose() {
        let (up, down) = ([execution(80, &[1.0, 2.0, 3.0, 4.0])], [execution(80, &[8.0, 2.0])]);
        let found = joined_executions(&[member(&up), member(&down)]);
        let [whole] = &found[..] else { panic!("{found:?}") };
        let ns: Vec<f64> = whole.pieces.iter().map(|piece| piece.ns).collect();
        assert_eq!(ns, [180.0, 200.0, 100.0, 120.0]);
        let threads: Vec<u32> = whole.pieces.iter().map(|piece| piece.thread).collect();
        assert_eq!(threads, [0, 0, 1, 1]);
        let readings: u64 = whole.pieces.iter().map(|piece| piece.readings).sum();
        assert_eq!((readings, whole.threads[0].taken_ns), (6, 2.0));
        assert_eq!((whole.threads[0].ends_ns, whole.elapsed_ns), (385.0, 385.0));
    }

    #[test]
    fn who_runs_half_as_often_counts_half() {
        let often = [execution(80, &[1.0, 1.0]), execution(80, &[1.0, 1.0])];
        let seldom = [execution(80, &[2.0, 2.0])];
        let found = joined_executions(&[member(&often), member(&seldom)]);
        let [whole] = &found[..] else { panic!("{found:?}") };
        assert_eq!(whole.pieces[0].ns, 40.0 + 80.0 / 2.0);
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let (long, short) = ([execution(80, &[1.0, 1.0])], [execution(40, &[1.0, 1.0])]);
        assert_eq!(joined_executions(&[member(&long), member(&short)]), []);
        let unusable = Member { executions: vec![None], ran: 1 };
        assert_eq!(joined_executions(&[member(&long), unusable]), []);
        assert_eq!(joined_executions(&[]), []);
    }
}
