//! What the sources of `raw` declare.

use std::path::Path;

use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, BareFnArg, Expr, ExprLit, Fields, Ident, Item, Lit, LitStr, Meta, Token, Type, TypeBareFn, token,
};

/// What C calls by a name of its own and `raw` does not declare as one of its numbers or types.
const NAMELESS: [&str; 1] = ["TASK_INFO_AVAILABLE"];

pub struct Declaration {
    pub rust: String,
    pub c: String,
    pub kind: Kind,
}

pub enum Kind {
    /// A constant, as a C expression.
    Value(String),
    Number(Type),
    Function(TypeBareFn),
    Record {
        union: bool,
        fields: Vec<(String, Type)>,
    },
}

/// All of `src/raw`.
pub fn declarations() -> Vec<Declaration> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/raw");
    let mut files: Vec<_> =
        std::fs::read_dir(&directory).expect("src/raw").map(|entry| entry.expect("src/raw").path()).collect();
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file");
        all.extend(in_text(&text, &file.display().to_string()));
    }
    all
}

pub fn in_text(text: &str, file: &str) -> Vec<Declaration> {
    let parsed = syn::parse_file(text).unwrap_or_else(|e| panic!("{file}: {e}"));
    let mut found = Vec::new();
    items(parsed.items, file, &mut found);
    found
}

fn items(all: Vec<Item>, file: &str, found: &mut Vec<Declaration>) {
    for item in all {
        let (attributes, rust, kind) = match item {
            Item::Const(constant) if constant.ident == "_" || NAMELESS.iter().any(|name| constant.ident == name) => {
                continue;
            }
            Item::Const(constant) => (constant.attrs, constant.ident.to_string(), Kind::Value(value(&constant.expr))),
            Item::Type(alias) => {
                let kind = match *alias.ty {
                    Type::BareFn(function) => Kind::Function(function),
                    other => Kind::Number(other),
                };
                (alias.attrs, alias.ident.to_string(), kind)
            }
            Item::Struct(structure) => {
                let kind = record(structure.fields, &structure.attrs, false, &structure.ident.to_string());
                (structure.attrs, structure.ident.to_string(), kind)
            }
            Item::Union(union) => {
                let kind = record(Fields::Named(union.fields), &union.attrs, true, &union.ident.to_string());
                (union.attrs, union.ident.to_string(), kind)
            }
            Item::Mod(module) => {
                items(module.content.map_or_else(Vec::new, |(_, all)| all), file, found);
                continue;
            }
            // Only definitions of macros have names.
            Item::Macro(table) if table.ident.is_none() => {
                found.extend(table.mac.parse_body_with(rows).unwrap_or_else(|e| panic!("{file}: {e}")));
                continue;
            }
            Item::Macro(_) | Item::Use(_) | Item::Fn(_) => continue,
            _ => panic!("{file}: a kind of declaration that this test does not compare"),
        };
        let c = counterpart(&attributes).unwrap_or_else(|| panic!("{file}: {rust} names no C declaration"));
        found.push(Declaration { rust, c, kind });
    }
}

/// The rows of a table: a C name and what Rust has for it, a value, perhaps with words for the user, or a signature. Or rows of a type.
fn rows(input: ParseStream<'_>) -> syn::Result<Vec<Declaration>> {
    let mut found = Vec::new();
    while !input.is_empty() {
        input.call(Attribute::parse_outer)?;
        let c: Ident = input.parse()?;
        if input.parse::<Option<Token![=]>>()?.is_some() {
            let kind = Kind::Number(Type::Path(input.parse()?));
            input.parse::<Token![as]>()?;
            found.push(Declaration { rust: c.to_string(), c: input.parse::<Ident>()?.to_string(), kind });
            input.parse::<Token![,]>()?;
            input.parse::<LitStr>()?;
        }
        if input.peek(token::Brace) {
            let of_type;
            syn::braced!(of_type in input);
            found.extend(rows(&of_type)?);
            continue;
        }
        input.parse::<Token![:]>()?;
        let rust = input.parse::<Ident>()?.to_string();
        let kind = if input.parse::<Option<Token![=]>>()?.is_some() {
            Kind::Value(value(&input.parse()?))
        } else {
            let arguments;
            syn::parenthesized!(arguments in input);
            let mut function: TypeBareFn = syn::parse_str("unsafe extern \"C\" fn()")?;
            function.inputs = arguments.parse_terminated(BareFnArg::parse, Token![,])?;
            function.output = input.parse()?;
            Kind::Function(function)
        };
        if input.parse::<Option<Token![,]>>()?.is_some() {
            input.parse::<LitStr>()?;
        }
        input.parse::<Token![;]>()?;
        found.push(Declaration { rust, c: c.to_string(), kind });
    }
    Ok(found)
}

/// The C name with which the documentation begins.
fn counterpart(attributes: &[Attribute]) -> Option<String> {
    let text = attributes.iter().find_map(|attribute| {
        let Meta::NameValue(pair) = &attribute.meta else { return None };
        let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value else { return None };
        pair.path.is_ident("doc").then(|| text.value())
    })?;
    let name = text.trim().strip_prefix('`')?.split_once('`')?.0;
    (name.starts_with("ompt_") || name.starts_with("OMPT_")).then(|| name.to_owned())
}

fn record(fields: Fields, attributes: &[Attribute], union: bool, name: &str) -> Kind {
    let as_c = attributes.iter().any(|attribute| {
        matches!(&attribute.meta, Meta::List(list) if list.path.is_ident("repr") && list.tokens.to_string().starts_with('C'))
    });
    assert!(as_c, "{name} is not laid out as in C");
    let fields =
        fields.into_iter().map(|field| (field.ident.expect("fields have names").to_string(), field.ty)).collect();
    Kind::Record { union, fields }
}

/// A constant as C writes it: numbers, their negatives, shifts.
fn value(expression: &Expr) -> String {
    match expression {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(number) => number.base10_digits().to_owned() + "u",
            _ => panic!("a constant that is no number"),
        },
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => {
            format!("(-{})", value(&unary.expr))
        }
        Expr::Binary(binary) if matches!(binary.op, syn::BinOp::Shl(_)) => {
            format!("({} << {})", value(&binary.left), value(&binary.right))
        }
        _ => panic!("a constant that is no number"),
    }
}
