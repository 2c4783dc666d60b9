//! Advice for all loops: of each what the program allows. Loops that rely on each other's threads are judged as one, and those on whose
//! threads something else relies are left alone.

use ompchunk_analysis::profile::Profile;
use ompchunk_analysis::{LoopReport, Promise};

use crate::advise::{No, Question, fill, lasting_share, of_one, simulable, without};
use crate::choose::choose;
use crate::group::{Member, together};
use crate::model::LoopAdvice;
use crate::predict::{May, predict};
use crate::same_line::{are_in_one_line, in_its_line, of_line, strict};
use crate::schedule::Schedule;

/// A loop, and what its iterations cost.
type Known<'a> = (&'a LoopReport, &'a Profile);

/// What to say of loops, in their order. Of a loop of a group the others should be among them, as far as they ran.
#[must_use]
pub fn advise(loops: &[Known<'_>], question: &Question<'_>) -> Vec<LoopAdvice> {
    let mut found: Vec<Option<LoopAdvice>> = vec![None; loops.len()];
    for (number, &(the_loop, profile)) in loops.iter().enumerate() {
        if found[number].is_some() {
            continue;
        }
        match &the_loop.promise {
            Promise::Bound(why) => found[number] = Some(of_bound((the_loop, profile), why)),
            Promise::Group(_) => {
                let is_member = |other: &usize| are_one(the_loop, loops[*other].0);
                let numbers: Vec<usize> = (0..loops.len()).filter(is_member).collect();
                let members: Vec<Known<'_>> = numbers.iter().map(|it| loops[*it]).collect();
                for (member, advice) in numbers.into_iter().zip(of_group(&members, question)) {
                    found[member] = Some(advice);
                }
            }
            Promise::Free | Promise::Unknown => {
                let numbers = in_its_line(loops, number);
                let strict = strict(loops, number);
                if numbers.len() == 1 && strict.is_none() {
                    found[number] = Some(of_one(the_loop, profile, question));
                    continue;
                }
                let members: Vec<Known<'_>> = numbers.iter().map(|it| loops[*it]).collect();
                for (member, advice) in numbers.into_iter().zip(of_line(&members, strict, question))
                {
                    found[member] = Some(advice);
                }
            }
        }
    }
    let mut all: Vec<LoopAdvice> = found.into_iter().flatten().collect();
    agree(loops, &mut all);
    for ((the_loop, _), advice) in loops.iter().zip(&mut all) {
        if is_contended(the_loop) && advice.promise != "bound" {
            advice.takes_back(
                "its threads wait for each other in its body, as the report says for what, so what iterations take depends on who runs what \
                 beside them, and no prediction holds",
            );
        }
    }
    all
}

/// Most of what the loop loses is that its threads wait for each other.
fn is_contended(the_loop: &LoopReport) -> bool {
    let first = the_loop.hints.first();
    first.is_some_and(|hint| hint.code == "contended")
}

/// Groups of several functions that share a line have one clause there: where they are advised otherwise, nothing is.
fn agree(loops: &[Known<'_>], all: &mut [LoopAdvice]) {
    let differ = |one: usize, other: usize, all: &[LoopAdvice]| {
        are_in_one_line(loops[one].0, loops[other].0) && all[one].advice != all[other].advice
    };
    let groups = (0..loops.len()).filter(|it| !loops[*it].0.promise.group().is_empty());
    let odd = groups.filter(|one| (0..loops.len()).any(|other| differ(*one, other, all)));
    for one in odd.collect::<Vec<_>>() {
        for (other, advice) in all.iter_mut().enumerate() {
            if advice.advice.is_some() && are_one(loops[one].0, loops[other].0) {
                advice.takes_back(
                    "one clause is for all functions that these lines are compiled into, and another schedule is best for others of them",
                );
            }
        }
    }
}

/// Are both of one group, and ran under the same schedule?
#[must_use]
pub fn are_one(one: &LoopReport, other: &LoopReport) -> bool {
    let place = |it: &LoopReport| {
        let identity = &it.identity;
        (
            identity.file.clone(),
            identity.symbol.clone(),
            identity.schedule.clone(),
        )
    };
    let group = one.promise.group();
    !group.is_empty() && group == other.promise.group() && place(one) == place(other)
}

fn of_bound((the_loop, profile): Known<'_>, why: &str) -> LoopAdvice {
    let mut advice = without(the_loop, profile);
    let longest = profile.executions.iter().max_by_key(|it| it.threads.len());
    let now = longest.and_then(|it| Schedule::now(&profile.facts, it).ok());
    advice.now = now.map(|it| it.to_string());
    advice.reason = format!("its schedule must stay as it is: {why} (OpenMP 5.2, 11.5.3)");
    advice
}

/// One prediction for all of them, and the same schedule or none.
fn of_group(members: &[Known<'_>], question: &Question<'_>) -> Vec<LoopAdvice> {
    let mut all: Vec<LoopAdvice> = members.iter().map(|it| member(*it, members)).collect();
    let judged: Vec<_> = members.iter().map(|it| simulable(it.1, question)).collect();
    if judged.iter().any(Result::is_err) {
        let line = judged
            .iter()
            .position(Result::is_err)
            .map(|it| members[it].0);
        let missing = line.map_or("", |it| it.name.as_str());
        for (advice, judged) in all.iter_mut().zip(judged) {
            let no = judged.map_or_else(
                |no| no,
                |(now, _)| No {
                    now: Some(now),
                    reason: format!(
                        "nothing can be said of {missing}, which must have the same schedule"
                    ),
                    profile: false,
                },
            );
            no.says(advice);
        }
    } else {
        let judged: Vec<_> = judged.into_iter().flatten().collect();
        as_one(&mut all, members, &judged, question);
    }
    for (advice, (the_loop, _)) in all.iter_mut().zip(members) {
        advice.reason = format!(
            "it gives a thread the same iterations as {}, without a wait in between: nothing may be dealt, and all of them must \
             have the same static schedule; {}",
            the_loop.promise.others(the_loop.identity.line),
            advice.reason
        );
    }
    all
}

/// What is known of one of them.
fn member((the_loop, profile): Known<'_>, members: &[Known<'_>]) -> LoopAdvice {
    let mut lines: Vec<u32> = members.iter().filter_map(|it| it.0.identity.line).collect();
    lines.sort_unstable();
    lines.dedup();
    let group = the_loop.promise.group();
    LoopAdvice {
        changeable: group.iter().all(|it| it.changeable),
        group: lines,
        ..without(the_loop, profile)
    }
}

/// Those of which enough is known are simulated as one loop.
fn as_one(
    all: &mut [LoopAdvice],
    members: &[Known<'_>],
    judged: &[(Schedule, Vec<&ompchunk_analysis::profile::Execution>)],
    question: &Question<'_>,
) {
    let now = judged[0].0;
    let parts = members
        .iter()
        .zip(judged)
        .map(|((_, profile), (_, usable))| Member {
            executions: profile
                .executions
                .iter()
                .map(|it| usable.iter().find(|one| std::ptr::eq(**one, it)).copied())
                .collect(),
            ran: profile.complete,
        });
    let parts: Vec<Member<'_>> = parts.collect();
    let executions = match judged.iter().all(|it| it.0 == now) {
        true => together(&parts),
        false => Vec::new(),
    };
    if executions.is_empty() {
        for (advice, (now, _)) in all.iter_mut().zip(judged) {
            let no = No {
                now: Some(*now),
                reason: "they ran with different iterations, threads or schedules, so they cannot be judged as one".to_owned(),
                profile: false,
            };
            no.says(advice);
        }
        return;
    }
    let executions: Vec<_> = executions.iter().collect();
    let it = predict(
        &executions,
        now,
        May::BeMapped,
        question.threads,
        &question.costs,
    );
    let shares = members.iter().map(|it| lasting_share(it.0, it.1));
    let share = shares.sum::<Option<f64>>();
    // Where a barrier follows one of them, that is where threads wait for what all of them do.
    let waits = members.iter().any(|(_, profile)| !profile.facts.no_barrier);
    let choice = waits.then(|| choose(&it, share));
    for (advice, member) in all.iter_mut().zip(members) {
        fill(advice, *member, question, &it, choice);
    }
}
