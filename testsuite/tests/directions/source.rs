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
    /// Others may take it from here.
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
    let mut all = vec![Module {
        file: root.to_owned(),
        ..Module::default()
    }];
    let directory = root.parent().expect("a file is in a folder").to_owned();
    read(&mut all, 0, &directory);
    all
}

/// A file's module. Its children are in `directory`.
fn read(all: &mut Vec<Module>, module: usize, directory: &Path) {
    let file = all[module].file.clone();
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let mut reader = Reader {
        all,
        module,
        directory: directory.to_owned(),
    };
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
                let names = foreign.items.iter().filter_map(|it| match it {
                    syn::ForeignItem::Fn(it) => Some(it.sig.ident.to_string()),
                    syn::ForeignItem::Static(it) => Some(it.ident.to_string()),
                    _ => None,
                });
                self.here().defines.extend(names);
            }
        }
        items.iter().for_each(|item| self.visit_item(item));
    }

    fn child(&mut self, it: &syn::ItemMod) {
        let name = it.ident.to_string();
        let within = self.directory.join(&name);
        let file = match &it.content {
            Some(_) => self.here().file.clone(),
            None => [
                self.directory.join(format!("{name}.rs")),
                within.join("mod.rs"),
            ]
            .into_iter()
            .find(|file| file.exists())
            .unwrap_or_else(|| panic!("no file for mod {name} in {}", self.directory.display())),
        };
        let mut place = self.here().place.clone();
        place.push(name.clone());
        let child = self.all.len();
        self.all.push(Module {
            place,
            file,
            ..Module::default()
        });
        self.here().children.insert(name, child);
        match &it.content {
            Some((_, items)) => Reader {
                all: self.all,
                module: child,
                directory: within,
            }
            .items(items),
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
            syn::UseTree::Path(it) => return self.import(&it.tree, &with(&it.ident), is_public),
            syn::UseTree::Group(group) => {
                let trees = group.items.iter();
                return trees.for_each(|tree| self.import(tree, before, is_public));
            }
            syn::UseTree::Name(it) => (with(&it.ident), it.ident.to_string(), line(&it.ident)),
            syn::UseTree::Rename(it) => (with(&it.ident), it.rename.to_string(), line(&it.ident)),
            syn::UseTree::Glob(it) => {
                let line = it.star_token.spans[0].start().line;
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
        self.here().imports.push(Import {
            named: Named { segments, line },
            name,
            is_public,
        });
    }

    /// Paths in a macro's arguments, which have no syntax of their own.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut colons, mut begins) = (0, 0);
        for token in tokens {
            match token {
                TokenTree::Punct(it) if it.as_char() == ':' => colons += 1,
                TokenTree::Ident(it) => {
                    if colons != 2 || path.is_empty() {
                        self.keep(&mut path, begins);
                        begins = line(&it);
                    }
                    path.push(it.to_string());
                    colons = 0;
                }
                other => {
                    self.keep(&mut path, begins);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
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
            syn::Item::Mod(it) => self.child(it),
            syn::Item::Use(it) => {
                let is_public = !matches!(it.vis, syn::Visibility::Inherited);
                self.import(&it.tree, &[], is_public);
            }
            other => visit::visit_item(self, other),
        }
    }

    fn visit_impl_item_fn(&mut self, it: &'ast syn::ImplItemFn) {
        if !is_for_tests(&it.attrs) {
            visit::visit_impl_item_fn(self, it);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut segments: Vec<String> = path
            .segments
            .iter()
            .map(|it| it.ident.to_string())
            .collect();
        let line = path.segments.first().map_or(0, |it| line(&it.ident));
        self.keep(&mut segments, line);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, it: &'ast syn::Macro) {
        self.tokens(it.tokens.clone());
        visit::visit_macro(self, it);
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
        syn::Item::Const(it) => &it.ident,
        syn::Item::Enum(it) => &it.ident,
        syn::Item::Fn(it) => &it.sig.ident,
        syn::Item::Macro(it) => it.ident.as_ref()?,
        syn::Item::Static(it) => &it.ident,
        syn::Item::Struct(it) => &it.ident,
        syn::Item::Trait(it) => &it.ident,
        syn::Item::Type(it) => &it.ident,
        syn::Item::Union(it) => &it.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(it) => &it.attrs,
        syn::Item::Enum(it) => &it.attrs,
        syn::Item::Fn(it) => &it.attrs,
        syn::Item::Impl(it) => &it.attrs,
        syn::Item::Macro(it) => &it.attrs,
        syn::Item::Mod(it) => &it.attrs,
        syn::Item::Static(it) => &it.attrs,
        syn::Item::Struct(it) => &it.attrs,
        syn::Item::Trait(it) => &it.attrs,
        syn::Item::Type(it) => &it.attrs,
        syn::Item::Use(it) => &it.attrs,
        _ => &[],
    }
}

/// `#[cfg(test)]`, and `test` among other conditions, but not `not(test)`.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|it| {
        it.path().is_ident("cfg") && {
            let text = it.meta.to_token_stream().to_string();
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
            words.contains(&"test") && !words.contains(&"not")
        }
    })
}
