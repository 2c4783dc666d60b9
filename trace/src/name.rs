//! Function names as the source has them: C++ and Fortran compilers mangle them.

use std::path::Path;

/// The name itself if it is not mangled, or in a way that is not understood.
pub fn demangle(symbol: &str, file: &str) -> String {
    if symbol.starts_with("_Z") {
        let options = cpp_demangle::DemangleOptions::new().no_return_type();
        let name = cpp_demangle::Symbol::new(symbol).ok().and_then(|name| name.demangle(&options).ok());
        return name.unwrap_or_else(|| symbol.to_owned());
    }
    if let Some(name) = fortran(symbol) {
        return name;
    }
    // A procedure outside of modules; in other languages this may be its name.
    let external = symbol.strip_suffix('_').filter(|_| is_fortran(file));
    external.unwrap_or(symbol).to_owned()
}

fn is_fortran(file: &str) -> bool {
    let extension = Path::new(file).extension().and_then(|name| name.to_str());
    extension.is_some_and(|extension| {
        let extension = extension.to_ascii_lowercase();
        ["f", "for", "ftn", "f77", "f90", "f95", "f03", "f08", "f18"].contains(&&*extension)
    })
}

/// flang: `_QQmain`, `_QPproc`, `_QMmodPproc`, `_QFhostPinner`, `_QMmodFhostPinner`. Fortran has no upper case: these begin the parts.
fn fortran(symbol: &str) -> Option<String> {
    let mut rest = symbol.strip_prefix("_Q")?;
    if rest == "Qmain" {
        return Some("main program".to_owned());
    }
    let mut parts = Vec::new();
    while !rest.is_empty() {
        rest = rest.strip_prefix(['M', 'S', 'F', 'P'])?;
        let end =
            rest.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        // A contained procedure of the main program has a host without a name.
        if !part.is_empty() {
            parts.push(part);
        }
        rest = after;
    }
    (!parts.is_empty()).then(|| parts.join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_in_the_source() {
        for (symbol, name) in [
            ("main", "main"),
            ("_ZN2ns1fIiEET_S1_S1_", "ns::f<int>(int, int)"),
            ("_ZN2ns1AclEi", "ns::A::operator()(int)"),
            ("_Znot mangled", "_Znot mangled"),
            ("_QQmain", "main program"),
            ("_QPsaxpy", "saxpy"),
            ("_QMsolverPstep_2", "solver::step_2"),
            ("_QMsolverFstepPinner", "solver::step::inner"),
            ("_QFPinner", "inner"),
            ("_Quick", "_Quick"),
            ("saxpy_", "saxpy"),
            ("", ""),
        ] {
            assert_eq!(demangle(symbol, "a.F90"), name);
        }
        assert_eq!(demangle("saxpy_", "a.c"), "saxpy_");
    }
}
