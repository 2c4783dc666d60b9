//! Which loops an entry means.

/// Where a loop stands, as its record says.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The source file's path, empty if unknown.
    pub file: &'a str,
    /// 0 if unknown.
    pub line: u32,
    /// 0 if unknown.
    pub column: u32,
    /// The function's name as the linker knows it.
    pub function: &'a str,
}

/// Which loops an entry means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Of which it is safe without knowing them.
    All,
    /// Of a function or a file.
    Named(String),
    /// At a line of a file, and a column if it is given.
    At(String, u32, Option<u32>),
}

impl Pattern {
    /// From its text.
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
        let Some((before, last)) = numbered(text) else {
            return Ok(Pattern::Named(text.to_owned()));
        };
        Ok(match numbered(&before) {
            Some((file, line)) => Pattern::At(file, line, Some(last)),
            None => Pattern::At(before, last, None),
        })
    }

    /// Is the loop meant?
    #[must_use]
    pub fn means(&self, place: Place<'_>) -> bool {
        match self {
            Pattern::All => true,
            Pattern::Named(name) => is_function(place.function, name) || is_file(place.file, name),
            Pattern::At(file, line, column) => {
                place.line == *line
                    && column.is_none_or(|column| place.column == column)
                    && is_file(place.file, file)
            }
        }
    }

    /// How much it counts beside others.
    #[must_use]
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
    path.strip_suffix(name)
        .is_some_and(|before| !name.is_empty() && (before.is_empty() || before.ends_with('/')))
}

/// The name itself, the last or any part of a C++ name, or a procedure of Fortran.
fn is_function(symbol: &str, name: &str) -> bool {
    symbol == name || is_part_of_cxx(symbol, name) || is_fortran(symbol, name)
}

/// Itanium C++ ABI, 5.1.3: each identifier stands behind its length.
fn is_part_of_cxx(symbol: &str, name: &str) -> bool {
    let Some(mangled) = symbol.strip_prefix("_Z") else {
        return false;
    };
    // `grid::sweep` is `4grid5sweep` in a nested name.
    let parts: Vec<String> = name
        .split("::")
        .map(|part| format!("{}{part}", part.len()))
        .collect();
    let wanted = parts.concat();
    mangled.match_indices(&wanted).any(|(at, _)| {
        // The length is whole: no digit stands before it.
        !mangled[..at].ends_with(|before: char| before.is_ascii_digit())
    })
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

    const PLACE: Place<'_> = Place {
        file: "/code/src/solver.c",
        line: 118,
        column: 3,
        function: "assemble",
    };

    fn means(text: &str, place: Place<'_>) -> bool {
        Pattern::parse(text).unwrap().means(place)
    }

    #[test]
    fn positions_and_names() {
        for text in [
            "*",
            "assemble",
            "solver.c",
            "src/solver.c",
            "solver.c:118",
            "src/solver.c:118:3",
            "/code/src/solver.c:118",
            " solver.c:118 ",
        ] {
            assert!(means(text, PLACE), "{text}");
        }
        for text in [
            "assembl",
            "olver.c",
            "olver.c:118",
            "solver.c:11",
            "solver.c:118:4",
            "solver.c:0",
            "c",
            ".c:118",
        ] {
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
    }

    #[test]
    fn nothing_known_is_not_meant() {
        let nowhere = Place {
            file: "",
            line: 0,
            column: 0,
            function: "",
        };
        for text in ["a.c:3", "a", "solver.c"] {
            assert!(!means(text, nowhere), "{text}");
        }
        assert!(means("*", nowhere));
    }
}
