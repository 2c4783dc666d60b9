//! Which file of a crate takes something from which, and the circles among them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use super::source::{Module, Named, modules};

/// Where a file takes something from another.
#[derive(Debug, Clone)]
pub struct Arrow {
    pub names: Vec<String>,
    pub line: usize,
}

pub type Arrows = BTreeMap<(PathBuf, PathBuf), Arrow>;

/// What a path leads to.
enum Target {
    Module(usize),
    /// Something that a file has.
    In(usize, String),
}

/// The arrows of the crate with this root file.
pub fn arrows(root: &Path) -> Arrows {
    let all = modules(root);
    let mut found = Arrows::new();
    for (here, module) in all.iter().enumerate() {
        let used: BTreeSet<&str> = module.paths.iter().map(|path| &*path.segments[0]).collect();
        for import in &module.imports {
            // A face: what a parent hands on of its children, and does not use itself.
            let target = resolve(&all, here, &import.named.segments, 0);
            let place = target.as_ref().map(|target| match target {
                Target::Module(target) | Target::In(target, _) => &all[*target].place,
            });
            let is_face = import.is_public
                && !used.contains(&*import.name)
                && place.is_some_and(|place| place.starts_with(&module.place));
            match target {
                Some(Target::In(to, name)) if !is_face => {
                    add(&mut found, &all, here, to, &name, import.named.line);
                }
                Some(Target::Module(to)) if import.name == "*" && !is_face => {
                    add(&mut found, &all, here, to, "*", import.named.line);
                }
                _ => {}
            }
        }
        for Named { segments, line } in module.paths.iter().filter(|path| path.segments.len() > 1) {
            if let Some(Target::In(to, name)) = resolve(&all, here, segments, 0) {
                add(&mut found, &all, here, to, &name, *line);
            }
        }
    }
    found
}

fn add(found: &mut Arrows, all: &[Module], from: usize, to: usize, name: &str, line: usize) {
    let (from, to) = (&all[from].file, &all[to].file);
    if from != to {
        let arrow = found.entry((from.clone(), to.clone())).or_insert(Arrow { names: Vec::new(), line });
        if !arrow.names.iter().any(|known| known == name) {
            arrow.names.push(name.to_owned());
        }
    }
}

/// Follows a path from a module, through what modules hand on, to where a thing is defined. `None`: it leads out of
/// the crate, or to something of the module itself.
fn resolve(all: &[Module], here: usize, segments: &[String], depth: usize) -> Option<Target> {
    let mut module = here;
    for (at, segment) in segments.iter().enumerate() {
        let inside = &all[module];
        let rest = &segments[at + 1..];
        let parent = || parent(all, module);
        match &**segment {
            "crate" if at == 0 => module = 0,
            "self" if at == 0 => {}
            "super" => module = parent()?,
            name => {
                let child = inside.children.get(name);
                let is_item = inside.defines.contains(name);
                if let Some(child) = child.filter(|_| !is_item || !rest.is_empty()) {
                    module = *child;
                    continue;
                }
                if is_item {
                    return Some(Target::In(module, name.to_owned()));
                }
                let imported = (depth < 8).then(|| through_imports(all, module, name, rest, depth)).flatten();
                let elsewhere = module != here || at > 0;
                return imported.or(elsewhere.then(|| Target::In(module, name.to_owned())));
            }
        }
    }
    Some(Target::Module(module))
}

fn parent(all: &[Module], module: usize) -> Option<usize> {
    all.iter().position(|above| above.children.values().any(|child| *child == module))
}

/// A name that a module has by a `use`.
fn through_imports(all: &[Module], module: usize, name: &str, rest: &[String], depth: usize) -> Option<Target> {
    let by_name = all[module].imports.iter().filter(|import| import.name == name);
    for import in by_name {
        let mut segments = import.named.segments.clone();
        // `use serde::de;` leads nowhere in this crate, and must not lead to itself.
        if segments.first().is_some_and(|first| first == name) && segments.len() == 1 {
            continue;
        }
        segments.extend_from_slice(rest);
        let found = resolve(all, module, &segments, depth + 1);
        if found.is_some() {
            return found;
        }
    }
    let globs = all[module].imports.iter().filter(|import| import.name == "*");
    for import in globs {
        let Some(Target::Module(from)) = resolve(all, module, &import.named.segments, depth + 1) else {
            continue;
        };
        if from != module && (all[from].defines.contains(name) || all[from].children.contains_key(name)) {
            let mut segments = vec![name.to_owned()];
            segments.extend_from_slice(rest);
            return resolve(all, from, &segments, depth + 1);
        }
    }
    None
}

/// Which files each file takes something from.
type Ways<'a> = BTreeMap<&'a PathBuf, Vec<&'a PathBuf>>;

fn ways(arrows: &Arrows) -> Ways<'_> {
    let mut ways = Ways::new();
    for (from, to) in arrows.keys() {
        ways.entry(from).or_default().push(to);
    }
    ways
}

/// Groups of files that reach each other: their files, and one shortest way around.
pub fn circles(arrows: &Arrows) -> Vec<(BTreeSet<PathBuf>, Vec<PathBuf>)> {
    let ways = ways(arrows);
    let reach: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> =
        ways.keys().map(|from| (*from, before(&ways, from).into_keys().collect())).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (file, reached) in &reach {
        if !reached.contains(file) || seen.contains(*file) {
            continue;
        }
        let group: BTreeSet<PathBuf> = reached
            .iter()
            .filter(|reached_file| reach.get(*reached_file).is_some_and(|files| files.contains(file)))
            .map(|file| (*file).clone())
            .collect();
        seen.extend(group.iter().cloned());
        let way = group.iter().map(|from| way_around(&ways, from)).min_by_key(Vec::len).unwrap_or_default();
        found.push((group, way));
    }
    found
}

/// Every file that a file reaches.
pub fn reached(arrows: &Arrows, from: &PathBuf) -> Vec<PathBuf> {
    before(&ways(arrows), from).into_keys().cloned().collect()
}

/// Every file that a file reaches, itself only by a way around, with the file before it.
fn before<'a>(ways: &Ways<'a>, from: &PathBuf) -> BTreeMap<&'a PathBuf, &'a PathBuf> {
    let mut before = BTreeMap::new();
    let mut next: VecDeque<&PathBuf> = ways.get_key_value(from).map(|entry| *entry.0).into_iter().collect();
    while let Some(file) = next.pop_front() {
        for to in ways.get(file).into_iter().flatten() {
            before.entry(*to).or_insert_with(|| {
                next.push_back(to);
                file
            });
        }
    }
    before
}

fn way_around(ways: &Ways<'_>, from: &PathBuf) -> Vec<PathBuf> {
    let before = before(ways, from);
    let mut way = vec![from.clone()];
    let mut at = from;
    while let Some(file) = before.get(at) {
        way.push((*file).clone());
        at = file;
        if at == from {
            break;
        }
    }
    way.reverse();
    way
}
