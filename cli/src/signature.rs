//! Names of functions in tables: a demangled name of C++ has all its parameters, and is wider than any terminal.

/// `LAMMPS_NS::Domain::pbc` of `LAMMPS_NS::Domain::pbc(int) const`. Overloads are told apart by the line of
/// their loop.
pub fn without_parameters(function: &str) -> &str {
    let mut rest = function;
    for qualifier in ["&&", "&", " volatile", " const"] {
        rest = rest.strip_suffix(qualifier).unwrap_or(rest).trim_end();
    }
    if !rest.ends_with(')') {
        return function;
    }
    let mut depth = 0;
    for (at, character) in rest.char_indices().rev() {
        match character {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            // `(anonymous namespace)` alone, or whatever else would leave nothing.
            return match rest[..at].trim_end() {
                "" => function,
                name => name,
            };
        }
    }
    function
}

#[cfg(test)]
mod tests {
    use super::without_parameters;

    #[test]
    fn names_remain() {
        for (full, short) in [
            ("main", "main"),
            ("a::b(int, char**)", "a::b"),
            ("A::b() const", "A::b"),
            ("A::b(void (*)(int)) &&", "A::b"),
            ("A::operator()(int) const &", "A::operator()"),
            ("void f<int (int)>(int)", "void f<int (int)>"),
            ("f(int)::{lambda(int)#1}::operator()(int) const", "f(int)::{lambda(int)#1}::operator()"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            ("(anonymous namespace)", "(anonymous namespace)"),
            ("odd)", "odd)"),
            ("", ""),
        ] {
            assert_eq!(without_parameters(full), short);
        }
    }
}
