//! The corpus: programs with one loop each of which it is known whether the threads' own blocks are balanced, and why not.
//! Their sources are in `corpus/`, with the frame that they share. A new one is a row here.

use ompchunk_toolchain::language::Language;

use super::names::known;
use crate::error::Error;

/// Stands on the line of the loop that is looked at.
const MARK: &str = "ADVISE";

/// A program of the corpus.
#[derive(Debug)]
pub struct Program {
    /// Its source, below `corpus/`.
    pub file: &'static str,
    /// Why `schedule(static)` does not balance its loop; `None`: it does.
    pub cause: Option<&'static str>,
    /// The text of its source.
    pub source: &'static str,
    /// How often it runs its loop where that is measured, once to a dozen times each.
    pub repetitions: u32,
}

macro_rules! corpus {
    ($($file:literal, $repetitions:literal, $cause:expr;)*) => {
        &[$(Program {
            file: $file,
            cause: $cause,
            source: include_str!(concat!("../../corpus/", $file)),
            repetitions: $repetitions,
        },)*]
    };
}

/// What the programs include: files beside them, and their texts.
pub const INCLUDED: [(&str, &str); 2] =
    [("program.h", include_str!("../../corpus/program.h")), ("program.inc", include_str!("../../corpus/program.inc"))];

/// All of them.
pub const ALL: &[Program] = corpus![
    "triangular_solve.f90", 200, Some("a later column is a smaller triangle");
    "covariance.c", 200, Some("a later row of the upper half is shorter");
    "mandelbrot.c", 200, Some("points of the set, in the lower rows, take all steps");
    "spmv_skewed.c", 200, Some("lengths of rows follow a power law, the long ones first");
    "components.cpp", 50, Some("few vertices, the first ones, have most edges");
    "quadrature.f90", 200, Some("intervals near one point are halved many times");
    "nbody_clustered.cpp", 200, Some("half of the particles are in a cluster, which comes first");
    "kmeans.c", 200, Some("half of the clusters are empty, the first ones have most points");
    "attention_causal.cpp", 200, Some("a later word looks at more words");
    "edit_distance.c", 200, Some("words are sorted by length");
    "raytrace.cpp", 200, Some("rays of the upper rows hit nothing");
    "primes.c", 200, Some("primes take long, others do not, and larger ones take longer");
    "buckets.cpp", 200, Some("sizes of the lists follow a power law, in no order");
    "legendre.f90", 200, Some("a later order has fewer degrees");
    "stencil.c", 200, None;
    "matvec.f90", 200, None;
    "axpy.c", 200, None;
    "matmul.cpp", 200, None;
    "filter.c", 200, None;
    "fft.cpp", 200, None;
    "montecarlo.c", 200, None;
    "attention_dense.cpp", 200, None;
    "lu.f90", 20, None;
    "push.cpp", 200, None;
    "gather.c", 200, None;
    "life.c", 200, None;
    "boundary.f90", 200, None;
    "lattice.f90", 100, None;
];

impl Program {
    /// Its file's name without the ending.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.file.split('.').next().unwrap_or(self.file)
    }

    /// What it is written in.
    #[must_use]
    pub fn language(&self) -> Language {
        match self.file.rsplit('.').next() {
            Some("cpp") => Language::Cxx,
            Some("f90") => Language::Fortran,
            _ => Language::C,
        }
    }

    /// The line of its loop.
    #[must_use]
    pub fn line(&self) -> u32 {
        let at = self.source.lines().position(|line| line.contains(MARK));
        at.map_or(0, |at| at as u32 + 1)
    }

    /// The loop, as entries of `OMPCHUNK_SCHEDULE` name it.
    #[must_use]
    pub fn pattern(&self) -> String {
        format!("{}:{}", self.file, self.line())
    }
}

/// Those of some names; all where there are none.
pub fn chosen(names: &[String]) -> Result<Vec<&'static Program>, Error> {
    let names_of_all: Vec<&'static str> = ALL.iter().map(Program::name).collect();
    known("program of the corpus", names, &names_of_all)?;
    let is_chosen = |program: &&Program| names.is_empty() || names.iter().any(|name| name == program.name());
    Ok(ALL.iter().filter(is_chosen).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_file_is_included_or_a_row_and_marks_one_loop() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
        let names = std::fs::read_dir(folder).unwrap();
        let files: BTreeSet<String> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        let rows = ALL.iter().map(|program| program.file);
        let known = rows.chain(INCLUDED.map(|(file, _)| file));
        assert_eq!(files, known.map(str::to_owned).collect());
        for program in ALL {
            assert_eq!(program.source.matches(MARK).count(), 1, "{}", program.file);
            let line = program.source.lines().nth(program.line() as usize - 1).unwrap();
            assert!(line.contains("omp parallel"), "{}: {line}", program.file);
            // What is advised is told beside what the threads' own blocks do.
            let clause = line.split("schedule(").nth(1);
            assert!(clause.is_none_or(|clause| clause.starts_with("static)")), "{line}");
            assert!(!line.contains("reduction"), "{line}");
            assert!(ompchunk_schedules::Table::parse(&format!("{}=static", program.pattern())).is_ok());
        }
    }

    #[test]
    fn of_both_kinds_and_all_languages() {
        let of = |is_wanted: &dyn Fn(&Program) -> bool| ALL.iter().filter(|program| is_wanted(program)).count();
        assert!(of(&|program| program.cause.is_some()) >= 12);
        assert!(of(&|program| program.cause.is_none()) >= 12);
        for language in Language::ALL {
            assert!(of(&|program| program.language() == language) >= 6);
        }
        assert_eq!(chosen(&["fft".into()]).unwrap().len(), 1);
        assert!(chosen(&["ffs".into()]).is_err());
    }
}
