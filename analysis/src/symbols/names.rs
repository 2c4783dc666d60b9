//! Which functions compilers made of constructs.

/// A function that a compiler has made of the body of a parallel region, a task, ...
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outlined<'n> {
    /// The function that has the construct, as the linker knows it, if the name tells.
    pub of: Option<&'n str>,
}

/// Where a compiler's name of its own begins: clang, flang (two forms), gcc, icx.
const MARKS: [&str; 6] = [".omp_outlined", ".omp_task_entry", "..omp_par", ".omp_par", "._omp_fn.", ".DIR.OMP."];

/// `None`: a function of the user's.
#[must_use]
pub fn outlined(symbol: &str) -> Option<Outlined<'_>> {
    let at = MARKS.iter().filter_map(|mark| symbol.find(mark)).min()?;
    let of = &symbol[..at];
    Some(Outlined { of: (!of.is_empty()).then_some(of) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_compilers() {
        let of = |symbol| outlined(symbol).map(|outlined| outlined.of);
        assert_eq!(of("region.omp_outlined"), Some(Some("region")));
        assert_eq!(of("region.omp_outlined_debug__"), Some(Some("region")));
        assert_eq!(of("region.omp_outlined.omp_outlined.3"), Some(Some("region")));
        assert_eq!(of("_Z6regionl.omp_outlined"), Some(Some("_Z6regionl")));
        // clang 15 and 16
        assert_eq!(of(".omp_outlined..1"), Some(None));
        assert_eq!(of(".omp_task_entry."), Some(None));
        assert_eq!(of("_QMmodPsub..omp_par"), Some(Some("_QMmodPsub")));
        assert_eq!(of("main._omp_fn.0"), Some(Some("main")));
        assert_eq!(of("omp_outlined"), None);
        assert_eq!(of("main"), None);
    }
}
