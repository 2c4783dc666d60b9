//! Is each function short enough to be read at once, and does a closure of several lines name what it is given?
//!
//! What is not so is excused in `excused.csv`, by file and number. `make excuse` writes that anew, and never more than there was.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ompchunk_testsuite::dist::testsuite;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::{has_extension, tracked};

/// Lines of a function, from `fn` to its last brace.
const MOST_LINES: usize = 80;

/// Long functions, and closures that call something `it`.
type Counts = [usize; 2];

/// What is found in a file, with its line.
#[derive(Default)]
struct Reader {
    long: Vec<String>,
    unnamed: Vec<String>,
}

impl Reader {
    fn of(path: &Path, text: &str) -> Reader {
        let file = syn::parse_file(text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut reader = Reader::default();
        reader.visit_file(&file);
        reader
    }

    fn counts(&self) -> Counts {
        [self.long.len(), self.unnamed.len()]
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let first = signature.fn_token.span.start().line;
        let lines = block.brace_token.span.close().end().line + 1 - first;
        if lines > MOST_LINES {
            let name = &signature.ident;
            self.long
                .push(format!("{first}: `{name}` has {lines} lines"));
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.function(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, method: &'ast syn::ImplItemFn) {
        self.function(&method.sig, &method.block);
        visit::visit_impl_item_fn(self, method);
    }

    fn visit_trait_item_fn(&mut self, method: &'ast syn::TraitItemFn) {
        if let Some(block) = &method.default {
            self.function(&method.sig, block);
        }
        visit::visit_trait_item_fn(self, method);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        let first = closure.or1_token.span.start().line;
        let mut bindings = Bindings::default();
        let inputs = closure.inputs.iter();
        inputs.for_each(|input| bindings.visit_pat(input));
        if bindings.have_it && closure.body.span().end().line > first {
            self.unnamed
                .push(format!("{first}: a closure calls something `it`"));
        }
        visit::visit_expr_closure(self, closure);
    }
}

/// What a pattern binds.
#[derive(Default)]
struct Bindings {
    have_it: bool,
}

impl<'ast> Visit<'ast> for Bindings {
    fn visit_pat_ident(&mut self, binding: &'ast syn::PatIdent) {
        self.have_it |= binding.ident == "it";
        visit::visit_pat_ident(self, binding);
    }
}

fn file() -> PathBuf {
    testsuite().join("excused.csv")
}

fn excused() -> BTreeMap<String, Counts> {
    let mut reader = csv::Reader::from_path(file()).expect("excused.csv");
    let rows = reader.deserialize();
    rows.map(|row| row.expect("a file and two numbers"))
        .map(|(name, long, unnamed)| (name, [long, unnamed]))
        .collect()
}

/// Writes what is needed, unless that is more than was excused.
fn excuse(needed: &BTreeMap<String, Counts>) {
    let total = |of: &BTreeMap<String, Counts>, which: usize| -> usize {
        of.values().map(|counts| counts[which]).sum()
    };
    let before = file().exists().then(excused);
    for (which, what) in ["long functions", "closures that call something `it`"]
        .iter()
        .enumerate()
    {
        let (now, most) = (
            total(needed, which),
            before.as_ref().map(|of| total(of, which)),
        );
        assert!(
            most.is_none_or(|most| now <= most),
            "{now} {what}, more than before"
        );
    }
    let mut text = "file,long,it\n".to_owned();
    for (name, [long, unnamed]) in needed {
        text += &format!("{name},{long},{unnamed}\n");
    }
    std::fs::write(file(), text).expect("excused.csv");
}

/// What is not excused, and excuses that nothing needs.
fn complaints(name: &str, found: &Reader, [long, unnamed]: Counts) -> Vec<String> {
    let mut complaints = Vec::new();
    for (places, excused) in [(&found.long, long), (&found.unnamed, unnamed)] {
        if places.len() > excused {
            let places = places.iter().map(|place| format!("{name}:{place}"));
            complaints.extend(places.chain([format!("{name}: of these {excused} are excused")]));
        }
        if places.len() < excused {
            let needed = places.len();
            complaints.push(format!(
                "{name}: {excused} are excused, {needed} there: run make excuse"
            ));
        }
    }
    complaints
}

#[test]
fn functions_are_short_and_closures_name_what_they_are_given() {
    let read =
        |(path, text): &(PathBuf, String)| (path.display().to_string(), Reader::of(path, text));
    let files = tracked();
    let found: BTreeMap<String, Reader> = files
        .iter()
        .filter(|(path, _)| has_extension(path, &["rs"]))
        .map(read)
        .collect();
    let counts = found
        .iter()
        .map(|(name, reader)| (name.clone(), reader.counts()));
    let needed = counts.filter(|(_, counts)| *counts != [0, 0]).collect();
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        excuse(&needed);
    }
    let mut excused = excused();
    let mut wrong: Vec<String> = Vec::new();
    for (name, reader) in &found {
        let excuse = excused.remove(name).unwrap_or_default();
        wrong.extend(complaints(name, reader, excuse));
    }
    let gone = excused.into_keys();
    wrong.extend(gone.map(|name| format!("{name} is excused, and not there: run make excuse")));
    assert!(wrong.is_empty(), "not readable:\n{}", wrong.join("\n"));
}

#[test]
fn what_is_planted_is_found() {
    let long = format!("fn long() {{{}}}\n", "\n".repeat(MOST_LINES));
    let short = format!("fn short() {{{}}}\n", "\n".repeat(MOST_LINES - 1));
    let closures = "fn names(all: &[u32]) {\n    all.iter().map(|it| it + 1);\n    all.iter().map(|(_, it)| {\n        it + 1\n    });\n}\n";
    let methods = format!("impl Long {{\n{long}}}\ntrait Longer {{\n{long}}}\n");
    let of = |text: &str| Reader::of(Path::new("planted.rs"), text);
    assert_eq!(of(&(long + &short)).counts(), [1, 0]);
    assert_eq!(of(&methods).counts(), [2, 0]);
    let found = of(closures);
    assert_eq!(found.unnamed, ["3: a closure calls something `it`"]);
    assert!(complaints("planted.rs", &found, [0, 1]).is_empty());
    let wrong = complaints("planted.rs", &found, [1, 0]);
    assert_eq!(wrong.len(), 3, "{wrong:?}");
    assert!(
        wrong[0].ends_with("1 are excused, 0 there: run make excuse"),
        "{wrong:?}"
    );
    assert!(wrong[1].starts_with("planted.rs:3: a closure"), "{wrong:?}");
}
