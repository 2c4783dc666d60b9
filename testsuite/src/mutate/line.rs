//! Mutations within a line, and of a line among its neighbours.

use super::text::{At, Function, Module, NAME, START, patterns, result};
use crate::fuzz::rng::Rng;

/// What a mutation did, if it found something to do it to.
pub type Done = Option<String>;

patterns! {
    // A value after its type, perhaps with attributes between the two.
    TYPED = r#"\b(i\d+|ptr|float|double|token) (?:(?:noundef|nonnull|signext|zeroext|inrange|align \d+|dereferenceable\(\d+\)) )*(%[-\w.$]+|@[-\w.$]+|@"[^"]*"|-?\d+|true|false|null|undef|poison)"#;
    // The second operand of arithmetic and comparisons, whose type is the first one's.
    SECOND = r"^%[-\w.$]+ = (?:add|sub|mul|[su]div|[su]rem|shl|lshr|ashr|and|or|xor|icmp) (?:\w+ )*?(i\d+|ptr) [^,]+, (%[-\w.$]+|-?\d+|true|false|null|undef|poison)";
    INCOMING = r"\[ (%[-\w.$]+|-?\d+|true|false|null|undef|poison), %";
    PHI_TYPE = r"= phi (i\d+|ptr) ";
    CONSTANT = r"\b(i\d+) (-?\d+|true|false)\b";
    PREDICATE = r"\bicmp (?:samesign )?(eq|ne|[su][lg][te])\b";
    ARITHMETIC = r"= (add|sub|mul|sdiv|udiv|srem|urem|shl|lshr|ashr|and|or|xor)((?: nsw| nuw| exact| disjoint)*) ";
    ACCESS = r"^(?:(%[-\w.$]+) = load|store) (volatile |atomic )?";
}

/// Where to mutate: mostly at what the plugin looks at, the starts and ends of loops, their bounds,
/// what is computed from these, and the jumps between.
pub fn place(module: &Module, rng: &mut Rng) -> Option<At> {
    let places = match rng.chance(75) {
        true => hot(module, rng),
        false => module.places(|_| true),
    };
    (!places.is_empty()).then(|| *rng.pick(&places))
}

fn hot(module: &Module, rng: &mut Rng) -> Vec<At> {
    let starts = module.places(|line| START.is_match(line));
    if starts.is_empty() {
        return Vec::new();
    }
    let &(f, b, l) = rng.pick(&starts);
    let start = &module.functions[f].blocks[b].lines[l];
    let mut names: Vec<&str> = NAME.find_iter(start).map(|name| name.as_str()).collect();
    let mentions = |line: &str, names: &[&str]| {
        line.contains("__kmpc_") || NAME.find_iter(line).any(|name| names.contains(&name.as_str()))
    };
    for _ in 0..rng.range(1, 3) {
        let lines = module.functions[f].blocks.iter().flat_map(|block| &block.lines);
        let further: Vec<&str> = lines
            .filter(|line| mentions(line, &names))
            .flat_map(|line| NAME.find_iter(line).map(|name| name.as_str()))
            .collect();
        names.extend(further);
    }
    let places = module.places(|line| mentions(line, &names));
    places.into_iter().filter(|place| place.0 == f).collect()
}

/// The values in a line: where, and of which type.
fn operands(line: &str) -> Vec<(std::ops::Range<usize>, String)> {
    let mut found: Vec<(std::ops::Range<usize>, String)> =
        TYPED.captures_iter(line).map(|c| (c.get(2).expect("the group").range(), c[1].to_owned())).collect();
    found.extend(SECOND.captures_iter(line).map(|c| (c.get(2).expect("the group").range(), c[1].to_owned())));
    if let Some(of) = PHI_TYPE.captures(line) {
        found.extend(INCOMING.captures_iter(line).map(|c| (c.get(1).expect("the group").range(), of[1].to_owned())));
    }
    found
}

/// Any value of that type that the function has, or one that it had not.
pub fn value(function: &Function, of: &str, rng: &mut Rng) -> String {
    let types = function.types();
    let known: Vec<&String> = types.iter().filter(|(_, t)| *t == of).map(|(n, _)| n).collect();
    if !known.is_empty() && rng.chance(65) {
        return (*rng.pick(&known)).clone();
    }
    constant(of, rng)
}

pub fn constant(of: &str, rng: &mut Rng) -> String {
    let values: &[&str] = match of {
        "ptr" => &["null", "undef", "poison", "inttoptr (i64 8 to ptr)"],
        "i1" => &["true", "false", "undef", "poison"],
        "token" => &["none"],
        "float" | "double" => &["0.0", "undef", "poison"],
        _ => &[
            "0", "1", "-1", "2", "10", "33", "34", "35", "45", "65", "91", "92", "536870945", "1073741857",
            "2147483647", "-2147483648", "undef", "poison",
        ],
    };
    (*rng.pick(values)).to_owned()
}

pub fn operand(module: &mut Module, rng: &mut Rng) -> Done {
    let at = place(module, rng)?;
    let line = module.line(at).clone();
    let found = operands(&line);
    if found.is_empty() {
        return None;
    }
    let (range, of) = rng.pick(&found).clone();
    let new = value(&module.functions[at.0], &of, rng);
    let old = line[range.clone()].to_owned();
    module.line(at).replace_range(range, &new);
    Some(format!("{old} becomes {new} in `{line}`"))
}

pub fn swap_operands(module: &mut Module, rng: &mut Rng) -> Done {
    let at = place(module, rng)?;
    let line = module.line(at).clone();
    let mut found = operands(&line);
    found.sort_by_key(|(range, _)| range.start);
    found.dedup_by_key(|(range, _)| range.start);
    if found.len() < 2 {
        return None;
    }
    let first = rng.below(found.len() as u64 - 1) as usize;
    let (first_range, second_range) = (found[first].0.clone(), found[first + 1].0.clone());
    let text = module.line(at);
    text.replace_range(second_range.clone(), &line[first_range.clone()]);
    text.replace_range(first_range, &line[second_range]);
    Some(format!("operands swapped in `{line}`"))
}

/// Another integer constant, also of another width.
pub fn integer(module: &mut Module, rng: &mut Rng) -> Done {
    let places = module.places(|line| CONSTANT.is_match(line));
    let hot = place(module, rng).filter(|at| places.contains(at));
    let at = hot.or_else(|| (!places.is_empty()).then(|| *rng.pick(&places)))?;
    let line = module.line(at).clone();
    let found: Vec<_> = CONSTANT.captures_iter(&line).collect();
    let found = rng.pick(&found);
    let (of, number) = (found.get(1)?, found.get(2)?);
    let (range, new) = match rng.chance(20) {
        true => (of.range(), (*rng.pick(&["i8", "i16", "i32", "i64", "i128"])).to_owned()),
        false => (number.range(), constant(of.as_str(), rng)),
    };
    module.line(at).replace_range(range, &new);
    Some(format!("{new} in `{line}`"))
}

pub fn predicate(module: &mut Module, rng: &mut Rng) -> Done {
    let at = one_of(module, rng, |line| PREDICATE.is_match(line))?;
    let new = *rng.pick(&["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"]);
    let line = module.line(at).clone();
    let range = PREDICATE.captures(&line)?.get(1)?.range();
    module.line(at).replace_range(range, new);
    Some(format!("{new} in `{line}`"))
}

/// Another operation, other flags.
pub fn arithmetic(module: &mut Module, rng: &mut Rng) -> Done {
    let at = one_of(module, rng, |line| ARITHMETIC.is_match(line))?;
    let opcode = *rng.pick(&["add", "sub", "mul", "sdiv", "udiv", "shl", "ashr", "and", "or", "xor"]);
    let line = module.line(at).clone();
    let new = ARITHMETIC.replace(&line, format!("= {opcode} ")).into_owned();
    module.line(at).clone_from(&new);
    Some(format!("`{line}` becomes `{new}`"))
}

/// A volatile or atomic access, or one of another type.
pub fn access(module: &mut Module, rng: &mut Rng) -> Done {
    let at = one_of(module, rng, |line| ACCESS.is_match(line))?;
    let line = module.line(at).clone();
    let found = ACCESS.captures(&line)?;
    let (start, load) = (found.get(0)?.end(), found.get(1).is_some());
    let mut new = line.clone();
    match rng.below(3) {
        0 if found.get(2).is_none() => new.insert_str(start, "volatile "),
        1 if found.get(2).is_none() && line.contains(", align") => {
            let order = match load {
                true => *rng.pick(&["unordered", "monotonic", "acquire", "seq_cst"]),
                false => *rng.pick(&["unordered", "monotonic", "release", "seq_cst"]),
            };
            new = new.replacen(", align", &format!(" {order}, align"), 1);
            new.insert_str(start, "atomic ");
        }
        _ => {
            let of = *rng.pick(&["i8", "i16", "i64"]);
            new = new.replacen("i32", of, 1);
        }
    }
    module.line(at).clone_from(&new);
    Some(format!("`{line}` becomes `{new}`"))
}

/// A line goes; where its value was used stands another.
pub fn delete(module: &mut Module, rng: &mut Rng) -> Done {
    let at = place(module, rng)?;
    let (f, b, l) = at;
    let block = &mut module.functions[f].blocks[b];
    if l + 1 == block.lines.len() {
        return None;
    }
    let line = block.lines.remove(l);
    if line.contains(" = phi ") && rng.chance(50) {
        module.functions[f].repair_phis(None);
    }
    if let Some((name, of)) = result(&line) {
        let new = value(&module.functions[f], &of, rng);
        rename(&mut module.functions[f], &name, &new);
    }
    Some(format!("without `{line}`"))
}

/// A line stands twice, or somewhere else.
pub fn copy(module: &mut Module, rng: &mut Rng) -> Done {
    let (f, b, l) = place(module, rng)?;
    let fresh = module.fresh("%copy");
    let line = module.line((f, b, l)).clone();
    let last = l + 1 == module.functions[f].blocks[b].lines.len();
    if last {
        return None;
    }
    let moved = rng.chance(40);
    let new = match result(&line) {
        Some((name, _)) if !moved => line.replacen(&name, &fresh, 1),
        None if line.starts_with('%') && !moved => return None,
        _ => line.clone(),
    };
    if moved {
        module.functions[f].blocks[b].lines.remove(l);
    }
    let near = rng.chance(50);
    let to = match near {
        true => b,
        false => rng.below(module.functions[f].blocks.len() as u64) as usize,
    };
    let lines = &mut module.functions[f].blocks[to].lines;
    let most = lines.len().saturating_sub(1) as u64;
    let at = match near {
        true => (l + 1).min(most as usize),
        false => rng.below(most + 1) as usize,
    };
    lines.insert(at, new);
    let what = if moved { "moved" } else { "copied" };
    Some(format!("`{line}` {what} to block {to}, line {at}"))
}

pub fn swap_lines(module: &mut Module, rng: &mut Rng) -> Done {
    let (f, b, l) = place(module, rng)?;
    let lines = &mut module.functions[f].blocks[b].lines;
    if l + 2 >= lines.len() {
        return None;
    }
    lines.swap(l, l + 1);
    Some(format!("`{}` before `{}`", lines[l], lines[l + 1]))
}

/// One of the hot places with such a line, or any.
pub fn one_of(module: &Module, rng: &mut Rng, wanted: impl Fn(&str) -> bool) -> Option<At> {
    let mut places = hot(module, rng);
    places.retain(|&(f, b, l)| wanted(&module.functions[f].blocks[b].lines[l]));
    if places.is_empty() || rng.chance(20) {
        places = module.places(wanted);
    }
    (!places.is_empty()).then(|| *rng.pick(&places))
}

/// Another name for a value, wherever it stands.
pub fn rename(function: &mut Function, name: &str, new: &str) {
    for line in function.blocks.iter_mut().flat_map(|block| &mut block.lines) {
        if line.contains(name) {
            let same = |found: &regex::Captures| match &found[0] == name {
                true => new.to_owned(),
                false => found[0].to_owned(),
            };
            *line = NAME.replace_all(line, same).into_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_found_with_their_types() {
        let of = |line: &str| -> Vec<(String, String)> {
            operands(line).into_iter().map(|(range, of)| (line[range].to_owned(), of)).collect()
        };
        let owned = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(of("%s = add nsw i32 %a, 1"), [owned("%a", "i32"), owned("1", "i32")]);
        assert_eq!(of("store i32 %v, ptr @g, align 4"), [owned("%v", "i32"), owned("@g", "ptr")]);
        assert_eq!(of("%p = phi i64 [ %x, %bb ], [ 0, %c ]"), [owned("%x", "i64"), owned("0", "i64")]);
    }
}
