//! Which loops are meant: the one meaning of `--loop`, for whoever records and whoever reads.

/// What a loop goes by.
#[derive(Debug, Clone, Copy, Default)]
pub struct Names<'a> {
    /// The source file, if the line is known.
    pub file: Option<&'a str>,
    /// Source line.
    pub line: Option<u32>,
    /// Source column.
    pub column: Option<u32>,
    /// The function as the source has it, ...
    pub function: Option<&'a str>,
    /// ... and as the linker knows it.
    pub symbol: Option<&'a str>,
    /// Program or library, where the line is not known, ...
    pub object: Option<&'a str>,
    /// ... and where in it the loop's runtime call returns to.
    pub offset: Option<u64>,
}

impl Names<'_> {
    /// By its position (`file:line` or `file:line:column`, the file with or without its directories; `app+0x1234` where there is none), or
    /// by a part of its file's or function's name. A number is no name: it is one of a list.
    pub fn are_meant(&self, pattern: &str) -> bool {
        if let Some((file, line, column)) = position(pattern) {
            let names = |path: &str| path == file || path.ends_with(&format!("/{file}"));
            return self.line == Some(line)
                && (column.is_none() || self.column == column)
                && self.file.is_some_and(names);
        }
        if let Some((object, offset)) = self.object.zip(self.offset) {
            let base = object.rsplit('/').next().unwrap_or(object);
            if pattern == format!("{base}+{offset:#x}") {
                return true;
            }
        }
        let texts = [self.function, self.symbol, self.file, self.object];
        !is_number(pattern) && texts.into_iter().flatten().any(|text| text.contains(pattern))
    }
}

/// Whether a pattern is a loop's number in a list.
pub fn is_number(pattern: &str) -> bool {
    pattern.parse::<u64>().is_ok()
}

fn position(pattern: &str) -> Option<(&str, u32, Option<u32>)> {
    let (before, last) = pattern.rsplit_once(':')?;
    let last = last.parse().ok()?;
    let inner = before.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    Some(match inner {
        Some((file, line)) => (file, line, Some(last)),
        None => (before, last, None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions() {
        assert_eq!(position("a.c:7"), Some(("a.c", 7, None)));
        assert_eq!(position("src/a.c:7:3"), Some(("src/a.c", 7, Some(3))));
        assert_eq!(position("C:x:a.c:7"), Some(("C:x:a.c", 7, None)));
        for text in ["a.c", "7", "grid::sweep", "a.c:", "a.c:7:"] {
            assert_eq!(position(text), None, "{text}");
        }
    }

    #[test]
    fn names() {
        let with = Names {
            file: Some("src/grid.cpp"),
            line: Some(7),
            column: Some(3),
            function: Some("grid::sweep(int)"),
            symbol: Some("_ZN4grid5sweepEi"),
            ..Names::default()
        };
        let without = Names { object: Some("/opt/app"), offset: Some(0x12), ..Names::default() };
        for pattern in ["grid.cpp:7", "src/grid.cpp:7:3", "grid::sweep", "5sweep", "grid.c"] {
            assert!(with.are_meant(pattern), "{pattern}");
            assert!(!without.are_meant(pattern), "{pattern}");
        }
        for pattern in ["id.cpp:7", "grid.cpp:8", "grid.cpp:7:4", "7", "swept"] {
            assert!(!with.are_meant(pattern), "{pattern}");
        }
        assert!(without.are_meant("app+0x12") && !without.are_meant("app+0x1"));
    }
}
