//! The modules of a crate, as its files say: what each defines, what it imports, which paths its code names.
//!
//! Read by `syn`, nothing expanded: methods of types are not seen, nor what a macro makes; paths within a macro's
//! arguments are. Code for tests alone is left out, it may look at anything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};

/// A path in the code, with the line that it stands in.
pub struct Named {
    pub segments: Vec<String>,
    pub line: usize,
}

/// One leaf of a `use`.
pub struct Import {
    pub named: Named,
    /// What it is called here; `*` for all.
    pub name: String,
    pub is_public: bool,
}

/// A module: a file, or a part of one.
#[derive(Default)]
pub struct Module {
    /// Names of the modules around it, from the root.
    pub place: Vec<String>,
    pub file: PathBuf,
    pub children: BTreeMap<String, usize>,
    pub defines: BTreeSet<String>,
    pub imports: Vec<Import>,
    pub paths: Vec<Named>,
}

/// All modules of a crate from its root file on; the root is the first.
pub fn modules(root: &Path) -> Vec<Module> {
    let mut all = vec![Module { file: root.to_owned(), ..Module::default() }];
    let directory = root.parent().expect("a file is in a folder").to_owned();
    read(&mut all, 0, &directory);
    all
}

/// A file's module. Its children are in `directory`.
fn read(all: &mut Vec<Module>, module: usize, directory: &Path) {
    let file = all[module].file.clone();
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let mut reader = Reader { all, module, directory: directory.to_owned() };
    reader.items(&parsed.items);
}

struct Reader<'a> {
    all: &'a mut Vec<Module>,
    module: usize,
    directory: PathBuf,
}

impl Reader<'_> {
    fn here(&mut self) -> &mut Module {
        &mut self.all[self.module]
    }

    fn items(&mut self, items: &[syn::Item]) {
        for item in items.iter().filter(|item| !is_for_tests(attributes(item))) {
            if let Some(name) = defined(item) {
                self.here().defines.insert(name);
            }
            if let syn::Item::ForeignMod(foreign) = item {
                let names = foreign.items.iter().filter_map(|foreign| match foreign {
                    syn::ForeignItem::Fn(function) => Some(function.sig.ident.to_string()),
                    syn::ForeignItem::Static(variable) => Some(variable.ident.to_string()),
                    _ => None,
                });
                self.here().defines.extend(names);
            }
        }
        items.iter().for_each(|item| self.visit_item(item));
    }

    fn child(&mut self, module: &syn::ItemMod) {
        let name = module.ident.to_string();
        let within = self.directory.join(&name);
        let file = match &module.content {
            Some(_) => self.here().file.clone(),
            None => [self.directory.join(format!("{name}.rs")), within.join("mod.rs")]
                .into_iter()
                .find(|file| file.exists())
                .unwrap_or_else(|| panic!("no file for mod {name} in {}", self.directory.display())),
        };
        let mut place = self.here().place.clone();
        place.push(name.clone());
        let child = self.all.len();
        self.all.push(Module { place, file, ..Module::default() });
        self.here().children.insert(name, child);
        match &module.content {
            Some((_, items)) => Reader { all: self.all, module: child, directory: within }.items(items),
            None => read(self.all, child, &within),
        }
    }

    fn import(&mut self, tree: &syn::UseTree, before: &[String], is_public: bool) {
        let with = |ident: &syn::Ident| {
            let mut segments = before.to_vec();
            segments.push(ident.to_string());
            segments
        };
        let (mut segments, name, line) = match tree {
            syn::UseTree::Path(path) => {
                return self.import(&path.tree, &with(&path.ident), is_public);
            }
            syn::UseTree::Group(group) => {
                let trees = group.items.iter();
                return trees.for_each(|tree| self.import(tree, before, is_public));
            }
            syn::UseTree::Name(leaf) => (with(&leaf.ident), leaf.ident.to_string(), line(&leaf.ident)),
            syn::UseTree::Rename(leaf) => (with(&leaf.ident), leaf.rename.to_string(), line(&leaf.ident)),
            syn::UseTree::Glob(glob) => {
                let line = glob.star_token.spans[0].start().line;
                (before.to_vec(), "*".to_owned(), line)
            }
        };
        let mut name = name;
        // a::{self}
        if segments.len() > 1 && segments.last().is_some_and(|last| last == "self") {
            segments.pop();
            if name == "self" {
                name.clone_from(&segments[segments.len() - 1]);
            }
        }
        self.here().imports.push(Import { named: Named { segments, line }, name, is_public });
    }

    /// Paths in a macro's arguments, which have no syntax of their own.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut colons, mut begins) = (0, 0);
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Ident(ident) => {
                    if colons != 2 || path.is_empty() {
                        self.keep(&mut path, begins);
                        begins = line(&ident);
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                rest => {
                    self.keep(&mut path, begins);
                    colons = 0;
                    if let TokenTree::Group(group) = rest {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.keep(&mut path, begins);
    }

    fn keep(&mut self, path: &mut Vec<String>, line: usize) {
        let segments = std::mem::take(path);
        if !segments.is_empty() {
            self.here().paths.push(Named { segments, line });
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if is_for_tests(attributes(item)) {
            return;
        }
        match item {
            syn::Item::Mod(module) => self.child(module),
            syn::Item::Use(taken) => {
                let is_public = !matches!(taken.vis, syn::Visibility::Inherited);
                self.import(&taken.tree, &[], is_public);
            }
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_impl_item_fn(&mut self, method: &'ast syn::ImplItemFn) {
        if !is_for_tests(&method.attrs) {
            visit::visit_impl_item_fn(self, method);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |segment| line(&segment.ident));
        self.keep(&mut segments, line);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    /// `pub(super)` names a module without needing anything of it.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

fn line(ident: &syn::Ident) -> usize {
    ident.span().start().line
}

fn defined(item: &syn::Item) -> Option<String> {
    let ident = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// `#[cfg(test)]`, and `test` among other conditions, but not `not(test)`.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && {
            let text = attribute.meta.to_token_stream().to_string();
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
            words.contains(&"test") && !words.contains(&"not")
        }
    })
}
