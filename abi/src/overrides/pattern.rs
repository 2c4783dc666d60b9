//! Which loops an entry means.

/// Where a loop stands, as its record says.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The source file's path, empty if unknown.
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
    /// The function's name as the linker knows it.
    pub function: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// All loops for which it is safe without knowing them.
    All,
    /// Loops of a function or a file.
    Named(String),
    /// At a line of a file, and a column if it is given.
    At(String, u32, Option<u32>),
}

impl Pattern {
    pub fn parse(text: &str) -> Result<Pattern, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("a loop is missing before '='".to_owned());
        }
        if text == "*" {
            return Ok(Pattern::All);
        }
        let numbered = |text: &str| {
            let (before, number) = text.rsplit_once(':')?;
            let number: u32 = number.parse().ok().filter(|&number| number != 0)?;
            Some((before.to_owned(), number))
        };
        let Some((before, last)) = numbered(text) else { return Ok(Pattern::Named(text.to_owned())) };
        Ok(match numbered(&before) {
            Some((file, line)) => Pattern::At(file, line, Some(last)),
            None => Pattern::At(before, last, None),
        })
    }

    pub fn means(&self, place: Place<'_>) -> bool {
        match self {
            Pattern::All => true,
            Pattern::Named(name) => is_function(place.function, name) || is_file(place.file, name),
            Pattern::At(file, line, column) => {
                place.line == *line && column.is_none_or(|column| place.column == column) && is_file(place.file, file)
            }
        }
    }

    /// How much it counts beside others.
    pub const fn weight(&self) -> u32 {
        match self {
            Pattern::All => 0,
            Pattern::Named(_) => 1,
            Pattern::At(..) => 2,
        }
    }
}

/// Whole parts of a path count, from its end.
fn is_file(path: &str, name: &str) -> bool {
    path.strip_suffix(name).is_some_and(|before| !name.is_empty() && (before.is_empty() || before.ends_with('/')))
}

/// The name itself, the last or any part of a C++ name, or a procedure of Fortran.
fn is_function(symbol: &str, name: &str) -> bool {
    symbol == name || is_part_of_cxx(symbol, name) || is_fortran(symbol, name)
}

/// A name, or several with `::` between, which are neighbours in the C++ name.
fn is_part_of_cxx(symbol: &str, name: &str) -> bool {
    let Some(mangled) = symbol.strip_prefix("_Z") else { return false };
    let wanted: Vec<&str> = name.split("::").collect();
    let found = identifiers(mangled);
    // `grid::sweep` is `4grid5sweep` in a nested name.
    found.windows(wanted.len()).any(|few| {
        let follows = |pair: &[(usize, &str)]| pair[0].0 + pair[0].1.len() + digits_of(pair[1].1.len()) == pair[1].0;
        few.iter().map(|(_, it)| it).eq(&wanted) && few.windows(2).all(follows)
    })
}

/// The identifiers of a C++ name, and where they begin: each behind its length (Itanium C++ ABI, 5.1.3), and none within one.
fn identifiers(mangled: &str) -> Vec<(usize, &str)> {
    let bytes = mangled.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let count = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let next = at + count;
        // Nothing within a letter of several bytes.
        let digits = mangled.get(at..next).unwrap_or_default();
        let before = at.checked_sub(1).map(|before| bytes[before]);
        // `Li5E`, `Ln3E`: the type of a literal, or its sign, stands before its number.
        let is_before_literal = |byte: u8| byte.is_ascii_lowercase() || byte == b'E';
        let is_literal = bytes.get(next) == Some(&b'E') && before.is_some_and(is_before_literal);
        let length: usize = digits.parse().unwrap_or(0);
        let is_name = count > 0 && length > 0 && !digits.starts_with('0') && !is_literal;
        match mangled.get(next..next.saturating_add(length)) {
            // `S1_`, `T0_` and the like have no name behind their number.
            Some(name) if is_name && is_begin(name) => {
                found.push((next, name));
                at = next + length;
            }
            _ => at += count.max(1),
        }
    }
    found
}

/// Does an identifier begin so? What ends a number that is none's length (`S1_`) does not, unless the name is longer.
fn is_begin(name: &str) -> bool {
    name != "_"
        && name.starts_with(|first: char| first == '_' || !first.is_ascii_digit() && !first.is_ascii_punctuation())
}

const fn digits_of(length: usize) -> usize {
    match length {
        0..10 => 1,
        10..100 => 2,
        100..1000 => 3,
        _ => 4,
    }
}

/// flang: `_QPsweep` for a subprogram of its own, `_QMgridPsweep` for one of a module; lower case.
fn is_fortran(symbol: &str, name: &str) -> bool {
    symbol
        .strip_prefix("_Q")
        .and_then(|rest| rest.rsplit_once('P'))
        .is_some_and(|(_, last)| last == name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place<'_> = Place { file: "/code/src/solver.c", line: 118, column: 3, function: "assemble" };

    fn means(text: &str, place: Place<'_>) -> bool {
        Pattern::parse(text).unwrap().means(place)
    }

    #[test]
    fn positions_and_names() {
        for text in [
            "*", "assemble", "solver.c", "src/solver.c", "solver.c:118", "src/solver.c:118:3",
            "/code/src/solver.c:118", " solver.c:118 ",
        ] {
            assert!(means(text, PLACE), "{text}");
        }
        for text in ["assembl", "olver.c", "olver.c:118", "solver.c:11", "solver.c:118:4", "solver.c:0", "c", ".c:118"]
        {
            assert!(!means(text, PLACE), "{text}");
        }
    }

    #[test]
    fn names_of_languages() {
        let of = |function| Place { function, ..PLACE };
        assert!(means("sweep", of("_Z5sweepPdi")));
        assert!(means("sweep", of("_ZN4grid5sweepEv")));
        assert!(means("grid::sweep", of("_ZN4grid5sweepEv")));
        assert!(!means("weep", of("_Z5sweepPdi")));
        assert!(!means("sweep", of("_Z15sweep_all_cellsv")));
        assert!(means("Sweep", of("_QPsweep")));
        assert!(means("sweep", of("_QMgridPsweep")));
        assert!(!means("grid", of("_QMgridPsweep")));
        // With a literal, a substitution and a parameter of a template; of a static function; of a constructor.
        assert!(means("sweep", of("_ZN4gridILi5EE5sweepEv")));
        assert!(means("sweep", of("_ZN4gridI4kindE5sweepES1_T0_")));
        assert!(means("sweep", of("_ZL5sweepPd")));
        assert!(means("grid", of("_ZN4gridC2Ei")));
        assert!(means("sweep", of("_ZN4gridILN5kinds4kindE3EE5sweepEv")));
    }

    /// What looks like a length within an identifier is none: nobody named these loops.
    #[test]
    fn names_within_names() {
        let of = |function| Place { function, ..PLACE };
        assert!(means("phase5sweep", of("_Z11phase5sweepv")));
        assert!(means("gr\u{f6}\u{df}e", of("_Z7gr\u{f6}\u{df}ev")));
        for (text, symbol) in [
            ("sweep", "_Z11phase5sweepv"),
            ("a", "_Z6step1av"),
            ("a::b", "_Z7x1a1b_cv"),
            ("grid::sweep", "_ZN4gridI4kindE5sweepEv"),
            ("::", "_Z3a00v"),
            ("sweep::", "_Z5sweepv"),
            ("", "_Z5sweepv"),
            // Letters of several bytes, and lengths that end within one or beyond the end.
            ("sweep", "_Z7gr\u{f6}\u{df}ev"),
            ("gr", "_Z3gr\u{f6}v"),
            ("sweep", "_Z99999999999999999999sweep"),
            ("sweep", "_Z18446744073709551615sweep"),
            ("sweep", "_Z6sweep"),
        ] {
            let pattern = Pattern::Named(text.to_owned());
            assert!(!pattern.means(of(symbol)), "{text} {symbol}");
        }
    }

    /// Symbols may be anything: whatever they are, they are read to their end.
    #[test]
    fn any_symbol_is_read() {
        let letters: Vec<char> = "_NLESTI0159a\u{f6}\u{1f600}".chars().collect();
        let mut seed = 7_u64;
        for _ in 0..20_000 {
            let mut symbol = String::from("_Z");
            for _ in 0..20 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                symbol.push(letters[(seed >> 33) as usize % letters.len()]);
            }
            for name in ["a", "a::a", "::", "\u{f6}"] {
                let place = Place { function: &symbol, ..PLACE };
                let _ = Pattern::Named(name.to_owned()).means(place);
            }
        }
    }

    #[test]
    fn nothing_known_is_not_meant() {
        let nowhere = Place { file: "", line: 0, column: 0, function: "" };
        for text in ["a.c:3", "a", "solver.c"] {
            assert!(!means(text, nowhere), "{text}");
        }
        assert!(means("*", nowhere));
    }
}
