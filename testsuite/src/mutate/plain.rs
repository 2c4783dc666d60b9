//! Is what runs while nobody listens what the module had before?
//!
//! In the instrumented text the word that is asked for listeners is taken for 0: what only runs
//! otherwise falls away, and what the plugin stores for its own use too. What remains must be the
//! function as it was, block by block, but for jumps that only lead on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use anyhow::{Result, ensure};
use regex::Regex;

use super::text::{Block, Function, Module, NAME, RESULT, TARGET};

static STATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(%[-\w.$]+) = load atomic ptr, ptr .*@__ompchunk_module_v3\b.* monotonic")
        .expect("a regex")
});
static ENTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(%[-\w.$]+) = call i32 %[-\w.$]+\(ptr @__ompchunk_module_v3, ptr @[^,]+, ptr (%[-\w.$]+),",
    )
    .expect("a regex")
});
static ONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(%[-\w.$]+) = phi [^\[\]]+ \[ ([^,\[\]]+), %[-\w.$]+ \](?:, !.*)?$")
        .expect("a regex")
});
static OWN_NUMBERS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r" #\d+|!\d+").expect("a regex"));

/// Compares all functions of `before` with those of the same name in `after`.
pub fn compare(before: &str, after: &str) -> Result<()> {
    let (before, after) = (Module::parse(before), Module::parse(after));
    for function in &before.functions {
        let same = after
            .functions
            .iter()
            .find(|same| same.name() == function.name());
        let stripped = same.cloned().map(|mut same| {
            strip(&mut same);
            canonical(&same)
        });
        let (was, is) = (canonical(function), stripped.unwrap_or_default());
        ensure!(
            was == is,
            "the plain path of @{} was\n{}and became\n{}",
            function.name(),
            differing(&was, &is),
            differing(&is, &was)
        );
    }
    Ok(())
}

/// The lines around the first difference.
fn differing(text: &str, from: &str) -> String {
    let same = text
        .lines()
        .zip(from.lines())
        .take_while(|(a, b)| a == b)
        .count();
    let lines = text.lines().skip(same.saturating_sub(3)).take(12);
    lines.fold(String::new(), |text, line| text + "    " + line + "\n")
}

/// Leaves what runs while nobody listens.
fn strip(function: &mut Function) {
    let lines: Vec<String> = function
        .blocks
        .iter()
        .flat_map(|b| b.lines.clone())
        .collect();
    let own = Own::of(&lines);
    let zero = own.zeros(&lines);
    for block in &mut function.blocks {
        let Some(last) = block.lines.last_mut() else {
            continue;
        };
        let condition = last
            .strip_prefix("br i1 ")
            .and_then(|rest| rest.split(',').next());
        if condition.is_some_and(|name| zero.contains(name)) {
            let target = TARGET.captures_iter(last).nth(1).map(|t| t[1].to_owned());
            *last = format!("br label %{}", target.unwrap_or_default());
        }
    }
    let reachable = function.reachable();
    function
        .blocks
        .retain(|block| reachable.contains(&block.label));
    function.repair_phis(None);
    for block in &mut function.blocks {
        block.lines.retain(|line| !own.has(line, &zero));
    }
}

/// The plugin's own names in a function.
struct Own {
    /// The words that are asked for listeners.
    states: BTreeSet<String>,
    /// Where it keeps what it was answered.
    flags: BTreeSet<String>,
    /// What it hands over.
    frames: BTreeSet<String>,
}

impl Own {
    fn of(lines: &[String]) -> Own {
        let captured = |regex: &Regex| -> Vec<(String, String)> {
            let found = lines.iter().filter_map(|line| regex.captures(line));
            let second = |c: &regex::Captures| c.get(2).map_or("", |m| m.as_str()).to_owned();
            found.map(|c| (c[1].to_owned(), second(&c))).collect()
        };
        let stored = |name: &String| {
            let prefix = format!("store i32 {name}, ptr ");
            let line = lines.iter().find(|line| line.starts_with(&prefix))?;
            Some(line[prefix.len()..].split(',').next()?.to_owned())
        };
        let entered = captured(&ENTER);
        let flags = entered.iter().filter_map(|(name, _)| stored(name));
        Own {
            states: captured(&STATE).into_iter().map(|(name, _)| name).collect(),
            flags: flags.collect(),
            frames: entered.into_iter().map(|(_, frame)| frame).collect(),
        }
    }

    /// What is known to be 0, and conditions known to be false.
    fn zeros(&self, lines: &[String]) -> BTreeSet<String> {
        let mut zero: BTreeSet<String> = BTreeSet::new();
        loop {
            let known = zero.len();
            for found in lines.iter().filter_map(|line| RESULT.captures(line)) {
                let from = |prefix: &str, names: &BTreeSet<String>| {
                    let rest = found[2].strip_prefix(prefix).unwrap_or("");
                    NAME.find(rest)
                        .is_some_and(|name| rest.starts_with('%') && names.contains(name.as_str()))
                };
                if from("load atomic i32, ptr ", &self.states)
                    || from("load i32, ptr ", &self.flags)
                    || from("and i32 ", &zero)
                    || from("icmp ne i32 ", &zero) && found[2].contains(", 0")
                {
                    zero.insert(found[1].to_owned());
                }
            }
            if zero.len() == known {
                return zero;
            }
        }
    }

    /// Whether a line computes or clears what is the plugin's alone.
    fn has(&self, line: &str, zero: &BTreeSet<String>) -> bool {
        let names = [zero, &self.states, &self.flags, &self.frames];
        let computes = RESULT
            .captures(line)
            .is_some_and(|found| names.iter().any(|names| names.contains(&found[1])));
        let clears = line.strip_prefix("store i32 0, ptr ");
        let clears = clears.and_then(|rest| rest.split(',').next());
        computes || clears.is_some_and(|flag| self.flags.contains(flag))
    }
}

/// Where a listener's way came back there was a choice. What is left of it has one value, and is called by that.
fn take_for_its_value(function: &mut Function) -> bool {
    let choice = function.blocks.iter().find_map(|block| {
        let lines = block.lines.iter();
        lines.filter_map(|line| ONE.captures(line)).next()
    });
    let named = choice.map(|choice| (choice[1].to_owned(), choice[2].to_owned()));
    let Some((name, value)) = named else {
        return false;
    };
    for block in &mut function.blocks {
        let chooses = |line: &String| ONE.captures(line).is_some_and(|choice| choice[1] == name);
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

/// Leaves out a block that is nothing but a jump on the way from one block to another.
fn pass_by(function: &mut Function) -> bool {
    let predecessors = function.predecessors();
    let found = function.blocks.iter().skip(1).position(|block| {
        let (from, to) = (predecessors.get(&block.label), block.targets());
        let ([line], Some([from]), [to]) = (&block.lines[..], from.map(Vec::as_slice), &to[..])
        else {
            return false;
        };
        // Those after a plain jump are joined with it; a computed one says where it leads twice.
        let last = function.blocks.iter().find(|block| block.label == *from);
        let last = last.and_then(|block| block.lines.last());
        let kept = ["br label", "indirectbr"];
        if last.is_none_or(|line| kept.iter().any(|kind| line.starts_with(kind))) {
            return false;
        }
        // With two ways from one block to the other, PHIs could not tell them apart.
        let twice = predecessors[to].contains(from);
        line.starts_with("br label") && !twice && *to != block.label && *from != block.label
    });
    let Some(at) = found else { return false };
    let passed = function.blocks.remove(at + 1);
    let (from, to) = (&predecessors[&passed.label][0], &passed.targets()[0]);
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
            for line in block
                .lines
                .iter_mut()
                .filter(|line| line.contains(" = phi "))
            {
                *line = line.replace(&format!(", %{} ]", passed.label), &format!(", %{from} ]"));
            }
        }
    }
    true
}

/// The blocks that can be reached, those that only lead on joined with where they lead, and all names
/// in the order of their appearance.
fn canonical(function: &Function) -> String {
    let reachable = function.reachable();
    let mut kept = function.clone();
    kept.blocks.retain(|block| reachable.contains(&block.label));
    kept.repair_phis(None);
    while take_for_its_value(&mut kept) {}
    while pass_by(&mut kept) {}
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
    let blocks: BTreeMap<&str, &Block> = function
        .blocks
        .iter()
        .map(|block| (block.label.as_str(), block))
        .collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "\
define void @f(i32 %n) {
entry:
  call void @start(i32 %n) #1
  %c = icmp eq i32 %n, 7
  br i1 %c, label %x, label %y

x:
  br label %y

y:
  ret void
}
";

    const AFTER: &str = "\
define void @f(i32 %n) {
entry:
  %0 = alloca i32, align 4
  %1 = alloca [128 x i8], align 16
  store i32 0, ptr %0, align 4, !nosanitize !9
  %2 = load atomic ptr, ptr getelementptr (i8, ptr @__ompchunk_module_v3, i64 16) monotonic, align 8
  %3 = load atomic i32, ptr %2 monotonic, align 4
  %4 = icmp ne i32 %3, 0
  br i1 %4, label %5, label %8, !prof !3

5:
  %6 = load atomic ptr, ptr getelementptr (i8, ptr @__ompchunk_module_v3, i64 24) acquire, align 8
  %7 = call i32 %6(ptr @__ompchunk_module_v3, ptr @loop, ptr %1, i64 0, i64 0) #2
  store i32 %7, ptr %0, align 4, !nosanitize !9
  br label %8

8:
  call void @start(i32 %n) #3
  %c = icmp eq i32 %n, 7
  br i1 %c, label %x, label %y

x:
  br label %y

y:
  ret void
}
";

    /// A copy that only a listener runs comes back where its values are needed.
    #[test]
    fn a_choice_of_one_is_that_one() {
        let before = "\
define void @f() {
entry:
  %t = call ptr @alloc()
  call void @begin(ptr %t)
  call void @run(ptr %t)
  ret void
}
";
        let after = |value: &str| {
            format!(
                "\
define void @f() {{
entry:
  %s = load atomic ptr, ptr getelementptr (i8, ptr @__ompchunk_module_v3, i64 16) monotonic, align 8
  %w = load atomic i32, ptr %s monotonic, align 4
  %l = icmp ne i32 %w, 0
  br i1 %l, label %copy, label %plain

copy:
  %t2 = call ptr @alloc()
  call void @begin(ptr %t2)
  br label %on

plain:
  %t = call ptr @alloc()
  call void @begin(ptr %t)
  br label %on

on:
  %p = phi ptr [ %t2, %copy ], [ {value}, %plain ]
  call void @run(ptr %p)
  ret void
}}
"
            )
        };
        compare(before, &after("%t")).expect("the same");
        assert!(compare(before, &after("null")).is_err());
    }

    #[test]
    fn what_only_a_listener_sees_falls_away() {
        compare(BEFORE, AFTER).unwrap();
    }

    #[test]
    fn a_change_of_the_plain_path_is_found() {
        for (was, is) in [
            ("eq i32 %n, 7", "ne i32 %n, 7"),
            ("label %x, label %y", "label %y, label %x"),
            ("  ret void", "  store i32 0, ptr null\n  ret void"),
        ] {
            assert!(compare(BEFORE, &AFTER.replace(was, is)).is_err(), "{is}");
        }
    }
}
