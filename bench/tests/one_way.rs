//! The bench goes one way: a room imports from those before it, and no files import each other in a circle. Unit tests may
//! import what they like.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// From which rooms each one may import, besides itself. `error` is below all of them.
const ROOMS: [(&str, &[&str]); 6] = [
    ("error", &[]),
    ("plan", &["error"]),
    ("results", &["error", "plan"]),
    ("measure", &["error", "plan", "results"]),
    ("report", &["error", "results"]),
    ("summary", &["error", "results", "report"]),
];

/// By the names of modules, which modules each imports from. The root only hands on what the rooms have.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn sources(directory: &Path, within: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(directory).expect("sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str());
        let name = name.expect("a name").to_owned();
        let module = match name.as_str() {
            "mod" => within.to_owned(),
            _ if within.is_empty() => name.clone(),
            _ => format!("{within}::{name}"),
        };
        if path.is_dir() {
            sources(&path, &module, found);
        } else if path.extension().is_some_and(|of| of == "rs") && name != "lib" {
            let text = std::fs::read_to_string(&path).expect("a source");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            found.insert(module, code.to_owned());
        }
    }
}

/// The module that a path within the crate leads to: the longest one that there is.
fn resolved(path: &[&str], all: &BTreeMap<String, String>) -> Option<String> {
    (1..=path.len())
        .rev()
        .map(|many| path[..many].join("::"))
        .find(|module| all.contains_key(module))
}

/// Every path of a `use` or in the code, a group's members each.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|of| of.is_alphanumeric() || of == '_' || of == ':') {
                continue;
            }
            let rest = &code[at..];
            let is_word = |of: char| of.is_alphanumeric() || of == '_' || of == ':';
            let path = &rest[..rest.find(|of| !is_word(of)).unwrap_or(rest.len())];
            let group = rest[path.len()..].strip_prefix('{');
            match group.and_then(|group| group.split('}').next()) {
                Some(members) => {
                    let members = members.split(',').map(str::trim);
                    found.extend(members.map(|member| format!("{path}{member}")));
                }
                None => found.push(path.to_owned()),
            }
        }
    }
    found
}

fn imports() -> Imports {
    let mut all = BTreeMap::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    sources(&root, "", &mut all);
    all.retain(|module, _| !module.starts_with("bin"));
    let of = |(module, code): (&String, &String)| {
        let here: Vec<&str> = module.split("::").collect();
        let is_room = all
            .keys()
            .any(|other| other.starts_with(&format!("{module}::")));
        let above = if is_room {
            &here[..]
        } else {
            &here[..here.len() - 1]
        };
        let targets = paths(code).into_iter().filter_map(|path| {
            let words: Vec<&str> = path.split("::").filter(|word| !word.is_empty()).collect();
            let from = match words[0] {
                "crate" => Vec::new(),
                "self" => here.clone(),
                _ if is_room => above[..above.len() - 1].to_vec(),
                _ => above.to_vec(),
            };
            let path = [&from[..], &words[1..]].concat();
            let target = resolved(&path, &all);
            assert!(
                target.is_some(),
                "{module} imports {path:?}: from the root?"
            );
            target.filter(|target| target != module)
        });
        // What a room's own file calls in its files, without a prefix.
        let within = all.keys().filter(|other| {
            let name = other.strip_prefix(&format!("{module}::"));
            name.is_some_and(|name| code.contains(&format!("{name}::")))
        });
        let targets = targets.chain(within.cloned()).collect();
        (module.clone(), targets)
    };
    all.iter().map(of).collect()
}

fn room(module: &str) -> &str {
    module.split("::").next().unwrap_or_default()
}

#[test]
fn rooms_import_from_those_before_them() {
    let mut seen = BTreeSet::new();
    for (module, targets) in imports() {
        let (_, allowed) = ROOMS
            .iter()
            .find(|(name, _)| *name == room(&module))
            .unwrap_or_else(|| panic!("{module} is in no room"));
        for target in targets {
            let is_allowed = room(&target) == room(&module) || allowed.contains(&room(&target));
            assert!(is_allowed, "{module} imports from {target}");
            seen.insert((room(&module).to_owned(), room(&target).to_owned()));
        }
    }
    // The test sees imports at all.
    for (from, to) in [
        ("measure", "plan"),
        ("measure", "results"),
        ("report", "results"),
    ] {
        assert!(seen.contains(&(from.into(), to.into())), "{seen:?}");
    }
}

#[test]
fn no_circles() {
    let mut left = imports();
    // What imports nothing that is left is in no circle.
    loop {
        let free: BTreeSet<String> = left
            .iter()
            .filter(|(_, targets)| targets.iter().all(|target| !left.contains_key(target)))
            .map(|(module, _)| module.clone())
            .collect();
        if free.is_empty() {
            break;
        }
        left.retain(|module, _| !free.contains(module));
    }
    assert!(
        left.is_empty(),
        "in a circle, or importing from one: {left:#?}"
    );
}
