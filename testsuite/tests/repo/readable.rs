//! Is each function short enough to be read at once?

use std::path::Path;

use syn::visit::{self, Visit};

use super::{has_extension, tracked};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::tests;

pub fn trials(suite: &mut Suite) {
    suite.plain(&tests![functions_are_short, what_is_planted_is_found]);
}

/// Lines of a function, from `fn` to its last brace.
const MOST_LINES: usize = 80;

/// What is wrong in a file, with its line.
#[derive(Default)]
struct Reader {
    wrong: Vec<String>,
}

fn complaints(path: &Path, text: &str) -> Vec<String> {
    let path = path.display();
    let file = syn::parse_file(text).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut reader = Reader::default();
    reader.visit_file(&file);
    let wrong = reader.wrong.into_iter();
    wrong.map(|wrong| format!("{path}:{wrong}")).collect()
}

impl Reader {
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let first = signature.fn_token.span.start().line;
        let lines = block.brace_token.span.close().end().line + 1 - first;
        if lines > MOST_LINES {
            let name = &signature.ident;
            self.wrong.push(format!("{first}: `{name}` has {lines} lines"));
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
}

fn functions_are_short() {
    let files = tracked();
    let rust = files.iter().filter(|(path, _)| has_extension(path, &["rs"]));
    let wrong: Vec<String> = rust.flat_map(|(path, text)| complaints(path, text)).collect();
    assert!(wrong.is_empty(), "not readable:\n{}", wrong.join("\n"));
}

fn what_is_planted_is_found() {
    let of = |text: &str| complaints(Path::new("planted.rs"), text);
    let long = format!("fn long() {{{}}}\n", "\n".repeat(MOST_LINES));
    let short = format!("fn short() {{{}}}\n", "\n".repeat(MOST_LINES - 1));
    let found = of(&(long.clone() + &short));
    assert_eq!(found, ["planted.rs:1: `long` has 81 lines"]);
    let methods = format!("impl Long {{\n{long}}}\ntrait Longer {{\n{long}}}\n");
    assert_eq!(of(&methods).len(), 2);
}
