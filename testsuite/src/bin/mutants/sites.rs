//! Where a file can be changed, and to what: read by `syn`, found by position in the text, which stays as it is around it.

use std::ops::Range;

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, Lit, ReturnType, Stmt, Type, UnOp};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// What kind of change; of each kind, about as many are sampled.
    pub kind: &'static str,
    /// The function that it is in, with its type.
    pub function: String,
    /// Line of its first character, from 1.
    pub line: usize,
    /// The bytes that are replaced; empty at the start of a function's body.
    pub range: Range<usize>,
    pub change: Change,
}

/// How the text at a site becomes code that does either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// An expression becomes another one.
    Expression(String),
    /// A function returns this at once.
    Returns(String),
    Nothing,
}

/// All of a file. `text` must be Rust.
pub fn sites(text: &str) -> syn::Result<Vec<Site>> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder { text, scope: Vec::new(), found: Vec::new() };
    finder.visit_file(&file);
    Ok(finder.found)
}

struct Finder<'a> {
    text: &'a str,
    scope: Vec<String>,
    found: Vec<Site>,
}

impl Finder<'_> {
    fn text_of(&self, node: &impl Spanned) -> &str {
        &self.text[node.span().byte_range()]
    }

    fn add(&mut self, kind: &'static str, range: Range<usize>, change: Change) {
        // What stands outside functions is known at compile time.
        if self.scope.is_empty() {
            return;
        }
        let line = self.text[..range.start].matches('\n').count() + 1;
        self.found.push(Site { kind, function: self.scope.join("::"), line, range, change });
    }

    fn replace(&mut self, kind: &'static str, node: &impl Spanned, with: String) {
        self.add(kind, node.span().byte_range(), Change::Expression(with));
    }

    fn within(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.scope.push(name);
        visit(self);
        self.scope.pop();
    }

    /// A function that runs: its body may also end at once.
    fn function(&mut self, attributes: &[Attribute], signature: &syn::Signature, body: &Block) {
        if is_left_out(attributes) || signature.constness.is_some() {
            return;
        }
        self.within(signature.ident.to_string(), |finder| {
            let start = body.brace_token.span.open().byte_range().end;
            for value in returned(&signature.output) {
                finder.add("body", start..start, Change::Returns((*value).to_owned()));
            }
            finder.visit_block(body);
        });
    }

    fn binary(&mut self, node: &syn::ExprBinary) {
        let Some((kind, other)) = opposite(&node.op) else { return };
        let chained = has_let(&node.left) || has_let(&node.right);
        if !chained {
            let with = format!("{} {other} {}", self.text_of(&node.left), self.text_of(&node.right));
            self.replace(kind, node, with);
        }
    }
}

/// What a function of that type can return at once.
fn returned(output: &ReturnType) -> &'static [&'static str] {
    let ReturnType::Type(_, kind) = output else { return &[] };
    let Type::Path(path) = &**kind else { return &[] };
    match path.path.segments.last() {
        Some(last) if last.ident == "bool" => &["true", "false"],
        Some(last) if last.ident == "Option" => &["None"],
        _ => &[],
    }
}

/// The kind, and what stands there instead.
fn opposite(operator: &BinOp) -> Option<(&'static str, &'static str)> {
    Some(match operator {
        BinOp::Lt(_) => ("comparison", "<="),
        BinOp::Le(_) => ("comparison", "<"),
        BinOp::Gt(_) => ("comparison", ">="),
        BinOp::Ge(_) => ("comparison", ">"),
        BinOp::Eq(_) => ("comparison", "!="),
        BinOp::Ne(_) => ("comparison", "=="),
        BinOp::Add(_) => ("arithmetic", "-"),
        BinOp::Sub(_) => ("arithmetic", "+"),
        BinOp::Mul(_) => ("arithmetic", "/"),
        BinOp::Div(_) | BinOp::Rem(_) => ("arithmetic", "*"),
        BinOp::AddAssign(_) => ("arithmetic", "-="),
        BinOp::SubAssign(_) => ("arithmetic", "+="),
        BinOp::Shl(_) => ("bits", ">>"),
        BinOp::Shr(_) => ("bits", "<<"),
        BinOp::BitAnd(_) => ("bits", "|"),
        BinOp::BitOr(_) => ("bits", "&"),
        BinOp::And(_) => ("logic", "||"),
        BinOp::Or(_) => ("logic", "&&"),
        _ => return None,
    })
}

/// `if let … && …` can be no other expression.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// For tests or other machines alone, or known at compile time.
fn is_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        attribute.path().is_ident("test") || (text.starts_with("cfg") && !text.contains("\"llvm\""))
    })
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        if !is_left_out(&node.attrs) {
            visit::visit_item_mod(self, node);
        }
    }

    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        self.function(&node.attrs, &node.sig, &node.block);
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        self.function(&node.attrs, &node.sig, &node.block);
    }

    fn visit_trait_item_fn(&mut self, node: &'ast syn::TraitItemFn) {
        if let Some(body) = &node.default {
            self.function(&node.attrs, &node.sig, body);
        }
    }

    fn visit_item_impl(&mut self, node: &'ast syn::ItemImpl) {
        if !is_left_out(&node.attrs) {
            // Its functions alone: the name of the type is no function's.
            let name = self.text_of(&*node.self_ty).split('<').next().unwrap_or_default().to_owned();
            for item in &node.items {
                if let syn::ImplItem::Fn(function) = item {
                    self.within(name.clone(), |finder| finder.visit_impl_item_fn(function));
                }
            }
        }
    }

    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        self.binary(node);
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_if(&mut self, node: &'ast syn::ExprIf) {
        // What is compared is another kind's.
        if !matches!(&*node.cond, Expr::Binary(_) | Expr::Unary(_)) && !has_let(&node.cond) {
            let with = format!("!({})", self.text_of(&*node.cond));
            self.replace("condition", &*node.cond, with);
        }
        visit::visit_expr_if(self, node);
    }

    fn visit_expr_unary(&mut self, node: &'ast syn::ExprUnary) {
        if matches!(node.op, UnOp::Not(_)) {
            let with = self.text_of(&*node.expr).to_owned();
            self.replace("condition", node, with);
        }
        // A negative literal is one.
        if !matches!(node.op, UnOp::Neg(_)) {
            visit::visit_expr_unary(self, node);
        }
    }

    fn visit_expr_lit(&mut self, node: &'ast syn::ExprLit) {
        if let Lit::Int(literal) = &node.lit
            && let Ok(value) = literal.base10_parse::<u128>()
        {
            self.replace("literal", node, format!("{}{}", value + 1, literal.suffix()));
        }
    }

    fn visit_arm(&mut self, node: &'ast syn::Arm) {
        if let Some((_, guard)) = &node.guard {
            if !has_let(guard) {
                self.replace("guard", &**guard, "true".to_owned());
                self.replace("guard", &**guard, "false".to_owned());
                self.visit_expr(guard);
            }
        }
        self.visit_expr(&node.body);
    }

    fn visit_stmt(&mut self, node: &'ast Stmt) {
        if let Stmt::Expr(Expr::MethodCall(_) | Expr::Call(_), Some(_)) = node {
            self.add("statement", node.span().byte_range(), Change::Nothing);
        }
        visit::visit_stmt(self, node);
    }

    // Known at compile time, or not code.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_angle_bracketed_generic_arguments(&mut self, _: &'ast syn::AngleBracketedGenericArguments) {}
    fn visit_expr_repeat(&mut self, node: &'ast syn::ExprRepeat) {
        self.visit_expr(&node.expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(text: &str) -> Vec<String> {
        let told = |site: Site| {
            let was = &text[site.range];
            match site.change {
                Change::Expression(with) => format!("{}: {was} -> {with}", site.function),
                Change::Returns(value) => format!("{}: returns {value}", site.function),
                Change::Nothing => format!("{}: no {was}", site.function),
            }
        };
        sites(text).unwrap().into_iter().map(told).collect()
    }

    #[test]
    fn each_kind_is_found() {
        let text =
            "impl<T> Of<T> { fn f(&self) -> Option<u8> { self.g(2); match self.a { 1 if self.b => 7, _ => 8 } } }";
        assert_eq!(
            changes(text),
            [
                "Of::f: returns None", "Of::f: no self.g(2);", "Of::f: 2 -> 3", "Of::f: self.b -> true",
                "Of::f: self.b -> false", "Of::f: 7 -> 8", "Of::f: 8 -> 9",
            ]
        );
        assert_eq!(
            changes("fn f(a: bool) -> bool { if a { !a } else { a && b < c } }"),
            [
                "f: returns true", "f: returns false", "f: a -> !(a)", "f: !a -> a", "f: a && b < c -> a || b < c",
                "f: b < c -> b <= c",
            ]
        );
    }

    #[test]
    fn what_is_known_when_it_is_compiled_and_tests_stay() {
        for text in [
            "const A: u8 = 1 + 2;",
            "const fn f() -> bool { 1 < 2 }",
            "fn f() { let a: [u8; 3] = [b; 4]; let [Some(1), _] = c else { return }; g::<5>(#[x(1)] d) }",
            "fn f() { const A: u8 = 1; static B: u8 = 2; let c = const { 3 }; assert!(4 < 5) }",
            "#[cfg(test)] mod tests { fn f() -> u8 { 1 } }",
            "#[test] fn f() { g(1) }",
            "fn f() { if let Some(a) = b && let Some(c) = a {} }",
            "fn f() -> i8 { -1 }",
        ] {
            assert_eq!(changes(text), [""; 0], "{text}");
        }
    }
}
