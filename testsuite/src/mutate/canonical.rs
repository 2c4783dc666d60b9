//! A function in a form that two modules have in common.
//!
//! Blocks that only lead on, and choices that are none, say nothing of what a function does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::text::{Block, Function, NAME, PHI_ENTRY, TARGET};

static OWN_NUMBERS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r" #\d+|!\d+").expect("a regex"));

/// Where a listener's way came back there was a choice. What is left of it has one value, and is called by that.
fn take_for_its_value(function: &mut Function) -> bool {
    let mut lines = function.blocks.iter().flat_map(|block| &block.lines);
    let Some((name, value)) = lines.find_map(|line| choice_of_one(line)) else {
        return false;
    };
    for block in &mut function.blocks {
        let chooses = |line: &String| choice_of_one(line).is_some_and(|(chosen, _)| chosen == name);
        block.lines.retain(|line| !chooses(line));
        for line in &mut block.lines {
            let new = |found: &regex::Captures| match found[0] == name {
                true => value.clone(),
                false => found[0].to_owned(),
            };
            *line = NAME.replace_all(line, new).into_owned();
        }
    }
    true
}

/// The name of a PHI whose value is the same whichever way was taken, and that value.
fn choice_of_one(line: &str) -> Option<(String, String)> {
    let (name, entries) = line.split_once(" = phi ")?;
    let values = PHI_ENTRY.captures_iter(entries).map(|entry| entry[1].to_owned());
    let mut values: Vec<String> = values.collect();
    // An expression is an entry that the pattern does not take.
    let all = values.len() == entries.matches(" ], [ ").count() + 1;
    values.dedup();
    match &values[..] {
        [value] if all && *value != name => Some((name.to_owned(), value.clone())),
        _ => None,
    }
}

/// Leaves out a block that is nothing but a jump on the way from one block to another.
fn pass_by(function: &mut Function) -> bool {
    let predecessors = function.predecessors();
    let found = function.blocks.iter().skip(1).position(|block| {
        let (from, to) = (predecessors.get(&block.label), block.targets());
        let ([line], Some([from, again @ ..]), [to]) = (&block.lines[..], from.map(Vec::as_slice), &to[..]) else {
            return false;
        };
        // A switch may lead there in several cases; another block may not.
        if again.iter().any(|origin| origin != from) {
            return false;
        }
        // Blocks after a plain jump are joined with it. A computed one says where it leads twice, but for ways that it never takes.
        let last = function.blocks.iter().find(|block| block.label == *from);
        let last = last.and_then(|block| block.lines.last());
        let address = format!("blockaddress(@{}, %{})", function.name(), block.label);
        if last.is_none_or(|line| line.starts_with("br label") || line.contains(&address)) {
            return false;
        }
        // With two ways from one block to the other, PHIs could not tell them apart.
        let twice = predecessors[to].contains(from);
        line.starts_with("br label") && !twice && *to != block.label && *from != block.label
    });
    let Some(at) = found else { return false };
    let passed = function.blocks.remove(at + 1);
    let (edges, to) = (&predecessors[&passed.label], &passed.targets()[0]);
    let from = &edges[0];
    let entry = format!(r"\[ ([^\[\]]+), %{} \]", regex::escape(&passed.label));
    let entry = Regex::new(&entry).expect("a regex");
    for block in &mut function.blocks {
        if block.label == *from
            && let Some(last) = block.lines.last_mut()
        {
            let new = |found: &regex::Captures| match found[1] == passed.label {
                true => format!("label %{to}"),
                false => found[0].to_owned(),
            };
            *last = TARGET.replace_all(last, new).into_owned();
        }
        if block.label == *to {
            for line in block.lines.iter_mut().filter(|line| line.contains(" = phi ")) {
                // A PHI has an entry for each edge.
                let new = |found: &regex::Captures| vec![format!("[ {}, %{from} ]", &found[1]); edges.len()].join(", ");
                *line = entry.replace(line, new).into_owned();
            }
        }
    }
    true
}

/// The blocks that can be reached, those that only lead on joined with where they lead, and all names in the order of their appearance.
pub fn canonical(function: &Function) -> String {
    let reachable = function.reachable();
    let mut kept = function.clone();
    kept.blocks.retain(|block| reachable.contains(&block.label));
    kept.repair_phis(None);
    while take_for_its_value(&mut kept) || pass_by(&mut kept) {}
    let (text, chain) = in_chains(&kept);
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let text = NAME.replace_all(&text, |found: &regex::Captures| {
        let name = &found[0];
        let name = chain.get(&name[1..]).map_or(name, |head| head.as_str());
        let name = name.trim_start_matches('%').to_owned();
        let next = numbers.len();
        format!("%{}", numbers.entry(name).or_insert(next))
    });
    OWN_NUMBERS.replace_all(&text, "").into_owned()
}

/// The blocks as text, those that only lead on joined; and each block's chain, which is called by its first block.
fn in_chains(function: &Function) -> (String, BTreeMap<String, String>) {
    let predecessors = function.predecessors();
    let blocks: BTreeMap<&str, &Block> = function.blocks.iter().map(|block| (block.label.as_str(), block)).collect();
    let goes_on = |next: &String| {
        let once = predecessors.get(next).is_some_and(|from| from.len() == 1);
        let chooses = |line: &String| line.contains(" = phi ");
        once && !blocks[next.as_str()].lines.iter().any(chooses)
    };
    let mut chain: BTreeMap<String, String> = BTreeMap::new();
    let mut text = String::new();
    let first = function.blocks.iter().take(1);
    let mut work: Vec<String> = first.map(|b| b.label.clone()).collect();
    let mut seen: BTreeSet<String> = work.iter().cloned().collect();
    while let Some(head) = work.pop() {
        text += &format!("label %{head}:\n");
        let mut current = head.clone();
        while let Some(block) = blocks.get(current.as_str()) {
            chain.insert(current.clone(), head.clone());
            let (last, lines) = block.lines.split_last().expect("a terminator");
            for line in lines {
                text += &format!("  {line}\n");
            }
            let targets = block.targets();
            if let [next] = &targets[..]
                && last.starts_with("br label")
                && goes_on(next)
            {
                current.clone_from(next);
                continue;
            }
            text += &format!("  {last}\n");
            let unseen = targets.into_iter().rev();
            work.extend(unseen.filter(|target| seen.insert(target.clone())));
            break;
        }
    }
    (text, chain)
}
