//! Names of functions in tables: a demangled name of C++ has all its parameters, and is wider than any terminal.

/// `Domain::pbc` of `Domain::pbc(int) const`: overloads are told apart by the line of their loop.
fn without_parameters(function: &str) -> &str {
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

/// Longer arguments of a template are left away, as debuggers do.
const LONGEST: usize = 16;

/// The same with `<...>` in place of long arguments of templates: `Assembly<...>::sweep<Functor>`.
pub fn short(function: &str) -> String {
    let name = without_parameters(function);
    let (mut text, mut depth, mut begin) = (String::new(), 0_usize, 0);
    for (at, character) in name.char_indices() {
        let before = &name[..at];
        // `operator<`, `operator<<=`, `operator->` and the like have no arguments.
        let is_operator = before.trim_end_matches(['<', '>', '-', '=']).ends_with("operator");
        match character {
            '<' if !is_operator => {
                depth += 1;
                if depth == 1 {
                    begin = at;
                }
            }
            '>' if !is_operator && depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    let arguments = &name[begin..=at];
                    text += if arguments.len() > LONGEST { "<...>" } else { arguments };
                }
            }
            _ if depth == 0 => text.push(character),
            _ => {}
        }
    }
    // What does not close is no argument.
    if depth == 0 { text } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{short, without_parameters};

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
        for (full, wanted) in [
            ("A<std::map<int, double>>::f<B>(A<int>)", "A<...>::f<B>"),
            ("f<A<B<C, D>, E, F, G> >::operator<<(int)", "f<...>::operator<<"),
            ("f<int (int)>", "f<int (int)>"),
            ("odd<many, arguments, of, it", "odd<many, arguments, of, it"),
        ] {
            assert_eq!(short(full), wanted);
        }
    }
}
