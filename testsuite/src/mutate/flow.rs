//! Mutations of the control flow.

use super::line::{Done, one_of, value};
use super::text::{At, Block, Function, Module, START, TARGET};
use crate::fuzz::rng::Rng;

/// The end of a block, most often of one near a loop's start.
fn end(module: &Module, rng: &mut Rng) -> Option<At> {
    if module.functions.is_empty() {
        return None;
    }
    let starts = module.places(|line| START.is_match(line));
    let f = match starts.is_empty() || rng.chance(10) {
        true => rng.below(module.functions.len() as u64) as usize,
        false => rng.pick(&starts).0,
    };
    let b = rng.below(module.functions[f].blocks.len() as u64) as usize;
    let last = module.functions[f].blocks[b].lines.len().checked_sub(1)?;
    Some((f, b, last))
}

fn a_label(function: &Function, rng: &mut Rng) -> String {
    rng.pick(&function.blocks).label.clone()
}

/// PHIs get what the new edges ask for.
fn repair(module: &mut Module, f: usize, rng: &mut Rng) {
    let undefined = rng.chance(40).then_some("undef");
    module.functions[f].repair_phis(undefined);
}

/// A jump leads elsewhere.
pub fn redirect(module: &mut Module, rng: &mut Rng) -> Done {
    let at = end(module, rng)?;
    let new = a_label(&module.functions[at.0], rng);
    let line = module.line(at).clone();
    let targets: Vec<_> = TARGET.captures_iter(&line).collect();
    if targets.is_empty() {
        return None;
    }
    let range = rng.pick(&targets).get(1)?.range();
    module.line(at).replace_range(range, &new);
    repair(module, at.0, rng);
    Some(format!("to {new}: `{line}`"))
}

/// The ways out of a branch change places.
pub fn swap_targets(module: &mut Module, rng: &mut Rng) -> Done {
    let at = one_of(module, rng, |line| line.starts_with("br i1"))?;
    let line = module.line(at).clone();
    let targets: Vec<_> = TARGET.captures_iter(&line).filter_map(|t| t.get(1)).collect();
    let [one, two] = targets[..] else { return None };
    let text = module.line(at);
    text.replace_range(two.range(), one.as_str());
    text.replace_range(one.range(), two.as_str());
    Some(format!("the other way round: `{line}`"))
}

pub fn terminator(module: &mut Module, rng: &mut Rng) -> Done {
    let at = end(module, rng)?;
    let function = &module.functions[at.0];
    let (one, two) = (a_label(function, rng), a_label(function, rng));
    let line = module.functions[at.0].blocks[at.1].lines[at.2].clone();
    let old = TARGET.captures(&line).map(|target| target[1].to_owned());
    let old = old.unwrap_or_else(|| two.clone());
    let name = function.name().to_owned();
    let new = match rng.below(7) {
        0 => "unreachable".to_owned(),
        1 => format!("br label %{old}"),
        2 => format!("br i1 {}, label %{old}, label %{one}", value(function, "i1", rng)),
        3 => format!("br i1 {}, label %{one}, label %{old}", value(function, "i1", rng)),
        4 => format!(
            "switch i32 {}, label %{old} [ i32 0, label %{one} i32 1, label %{two} i32 7, label %{one} ]",
            value(function, "i32", rng)
        ),
        5 => format!("indirectbr ptr blockaddress(@{name}, %{one}), [label %{one}, label %{old}]"),
        _ => match function.define.split('@').next() {
            Some(before) if before.contains(" void ") => "ret void".to_owned(),
            _ => return None,
        },
    };
    module.line(at).clone_from(&new);
    repair(module, at.0, rng);
    Some(format!("`{line}` becomes `{new}`"))
}

pub fn split(module: &mut Module, rng: &mut Rng) -> Done {
    let (f, b, l) = super::line::place(module, rng)?;
    let label = module.fresh("split");
    let function = &mut module.functions[f];
    let block = &mut function.blocks[b];
    if block.lines[l..].iter().any(|line| line.contains(" = phi ")) {
        return None;
    }
    let (old, targets) = (block.label.clone(), block.targets());
    let lines = block.lines.split_off(l);
    block.lines.push(format!("br label %{label}"));
    function.blocks.insert(b + 1, Block { label: label.clone(), lines });
    for block in &mut function.blocks {
        if targets.contains(&block.label) {
            for line in block.lines.iter_mut().filter(|line| line.contains(" = phi ")) {
                *line = line.replace(&format!(", %{old} ]"), &format!(", %{label} ]"));
            }
        }
    }
    Some(format!("{old} split before line {l}"))
}

/// A block that a jump passes on its way.
pub fn detour(module: &mut Module, rng: &mut Rng) -> Done {
    let at = end(module, rng)?;
    let label = module.fresh("detour");
    let line = module.line(at).clone();
    let targets: Vec<_> = TARGET.captures_iter(&line).collect();
    if targets.is_empty() {
        return None;
    }
    let target = rng.pick(&targets).get(1)?;
    module.line(at).replace_range(target.range(), &label);
    let mut lines = vec![format!("br label %{}", target.as_str())];
    if rng.chance(30) {
        // A way out on the way.
        let other = a_label(&module.functions[at.0], rng);
        let condition = value(&module.functions[at.0], "i1", rng);
        let to = target.as_str();
        lines = vec![format!("br i1 {condition}, label %{to}, label %{other}")];
    }
    module.functions[at.0].blocks.push(Block { label: label.clone(), lines });
    repair(module, at.0, rng);
    Some(format!("{label} on the way of `{line}`"))
}

/// A block that nothing jumps to, with what another one does.
pub fn dead_copy(module: &mut Module, rng: &mut Rng) -> Done {
    let (f, b, _) = end(module, rng)?;
    let label = module.fresh("dead");
    let mut copy = module.functions[f].blocks[b].clone();
    copy.label.clone_from(&label);
    let mut text = copy.lines.join("\n");
    for (name, _) in copy.lines.iter().filter_map(|line| super::text::result(line)) {
        let new = module.fresh(&format!("{}.dead", name.trim_matches('"')));
        text = super::text::NAME
            .replace_all(&text, |found: &regex::Captures| match found[0] == name {
                true => new.clone(),
                false => found[0].to_owned(),
            })
            .into_owned();
    }
    copy.lines = text.lines().map(str::to_owned).collect();
    module.functions[f].blocks.push(copy);
    let old = module.functions[f].blocks[b].label.clone();
    let mut what = "that nothing jumps to";
    if rng.chance(50) {
        // Now something does.
        let (g, c, l) = end(module, rng)?;
        if g == f {
            let line = module.line((g, c, l)).clone();
            if let Some(target) = TARGET.captures(&line).and_then(|target| target.get(1)) {
                module.line((g, c, l)).replace_range(target.range(), &label);
                what = "with a way to it";
            }
        }
    }
    repair(module, f, rng);
    Some(format!("a copy of {old} {what}"))
}

/// A block's address is kept somewhere.
pub fn address(module: &mut Module, rng: &mut Rng) -> Done {
    let (f, b, _) = end(module, rng)?;
    if b == 0 {
        return None;
    }
    let name = module.fresh("@address");
    let function = &module.functions[f];
    let (of, label) = (function.name().to_owned(), function.blocks[b].label.clone());
    module.head.push(format!("{name} = global ptr blockaddress(@{of}, %{label})"));
    Some(format!("the address of {label} is kept"))
}

pub fn order(module: &mut Module, rng: &mut Rng) -> Done {
    let (f, b, _) = end(module, rng)?;
    let blocks = &mut module.functions[f].blocks;
    if b == 0 || blocks.len() < 3 {
        return None;
    }
    let to = rng.range(1, blocks.len() as u64 - 1) as usize;
    blocks.swap(b, to);
    Some(format!("blocks {b} and {to} change places"))
}
