//! Where headers, compilers and runtimes are, and Rust's types as C has them.

pub mod declarations;
#[cfg(feature = "std")]
#[macro_use]
pub mod fake;
#[cfg(feature = "std")]
#[macro_use]
pub mod recording;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syn::{GenericArgument, PathArguments, ReturnType, Type, TypeBareFn};

/// A directory of this program's own.
pub fn scratch() -> PathBuf {
    let program = std::env::current_exe().expect("a test has a path");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(program.file_stem().expect("and a name"));
    std::fs::create_dir_all(&directory).expect("scratch directory");
    directory
}

/// The directory of `ompt-chunk.h`.
pub fn chunk_headers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime-shim/include")
}

/// LLVM majors whose `omp-tools.h` is installed, the newest first, each with a directory that has it and `omp.h` alone: the
/// whole directory they come from would bring another compiler's headers along.
pub fn omp_headers() -> Vec<(u32, PathBuf)> {
    let found: Vec<(u32, PathBuf)> = (15..=30)
        .rev()
        .map(|major| (major, PathBuf::from(format!("/usr/lib/llvm-{major}/lib/clang/{major}/include"))))
        .filter(|(_, directory)| directory.join("omp-tools.h").exists())
        .map(|(major, directory)| {
            let links = scratch().join(format!("omp-headers-{major}"));
            std::fs::create_dir_all(&links).expect("scratch directory");
            for header in ["omp.h", "omp-tools.h"] {
                // Two tests may do this at once.
                let _ = std::os::unix::fs::symlink(directory.join(header), links.join(header));
            }
            (major, links)
        })
        .collect();
    assert!(!found.is_empty(), "no omp-tools.h: install libomp-22-dev");
    found
}

/// A type as C has it. `names`: what C calls the types of `raw`.
pub fn c_type(ty: &Type, names: &BTreeMap<&str, &str>) -> String {
    match ty {
        Type::Ptr(ptr) => {
            let to = c_type(&ptr.elem, names);
            let constant = if ptr.const_token.is_some() { " const" } else { "" };
            format!("{to}{constant} *")
        }
        Type::Array(array) => {
            let syn::Expr::Lit(length) = &array.len else { panic!("length of an array") };
            let syn::Lit::Int(length) = &length.lit else { panic!("length of an array") };
            format!("{}[{length}]", c_type(&array.elem, names))
        }
        Type::BareFn(bare_fn) => c_function(bare_fn, names),
        Type::Path(path) => {
            let last = path.path.segments.last().expect("a path has a name");
            if let PathArguments::AngleBracketed(of) = &last.arguments {
                // The `Option` of a function is that function, or null.
                assert_eq!(last.ident, "Option");
                let Some(GenericArgument::Type(inner)) = of.args.first() else { panic!("Option of what?") };
                return c_type(inner, names);
            }
            let name = last.ident.to_string();
            let own = match name.as_str() {
                "c_int" => "int",
                "c_uint" => "unsigned",
                "c_char" => "char",
                "c_void" => "void",
                "f64" => "double",
                "u8" => "uint8_t",
                "u16" => "uint16_t",
                "u32" => "uint32_t",
                "u64" | "AtomicU64" => "uint64_t",
                "i32" => "int32_t",
                "i64" => "int64_t",
                "usize" => "size_t",
                _ => names.get(name.as_str()).unwrap_or_else(|| panic!("what is {name} in C?")),
            };
            own.to_owned()
        }
        _ => panic!("a type that C does not have"),
    }
}

/// A signature as C has it: a pointer to a function.
pub fn c_function(function: &TypeBareFn, names: &BTreeMap<&str, &str>) -> String {
    assert!(function.unsafety.is_some(), "a foreign function is unsafe");
    let abi = function.abi.as_ref().and_then(|abi| abi.name.as_ref());
    assert_eq!(abi.map(syn::LitStr::value).as_deref(), Some("C"));
    let arguments: Vec<String> = function.inputs.iter().map(|input| c_type(&input.ty, names)).collect();
    let arguments = if arguments.is_empty() { "void".into() } else { arguments.join(", ") };
    let result = match &function.output {
        ReturnType::Default => "void".into(),
        ReturnType::Type(_, ty) => c_type(ty, names),
    };
    format!("{result} (*)({arguments})")
}
