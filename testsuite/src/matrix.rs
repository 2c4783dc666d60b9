//! Which builds of a program are tested.
//!
//! Core programs (`// MATRIX: full`) are built at every level, with and without `-g`. The others are
//! built at -O0, where the plugin keeps one loop with a tested flag, at -O2, where it makes two
//! copies, and at one of the remaining eight builds, which the program's name picks: over all
//! programs, every build is tested many times, and a program's builds never change from run to run.
//! `OMPCHUNK_FULL_MATRIX=1` builds everything everywhere, and runs it in every way.

/// One way to compile a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Build {
    pub level: &'static str,
    /// With `-g`, which also moves the loop to another function.
    pub debug: bool,
}

impl Build {
    pub fn flags(self) -> Vec<&'static str> {
        let mut flags = vec![self.level];
        if self.debug {
            flags.push("-g");
        }
        flags
    }

    pub fn name(self) -> String {
        self.flags().concat()
    }
}

/// Whether everything is built and run everywhere; hours.
pub fn is_full() -> bool {
    std::env::var_os("OMPCHUNK_FULL_MATRIX").is_some()
}

const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];

pub fn full() -> Vec<Build> {
    LEVELS.iter().flat_map(|level| [false, true].map(|debug| Build { level, debug })).collect()
}

/// The two that every program has.
pub fn few() -> Vec<Build> {
    let levels = ["-O0", "-O2"];
    let debug = false;
    levels.map(|level| Build { level, debug }).into()
}

/// The builds of the program called `name`, with a different pick for each compiler major.
pub fn rotating(name: &str, major: u32) -> Vec<Build> {
    let (always, rest): (Vec<Build>, Vec<Build>) =
        full().into_iter().partition(|b| !b.debug && ["-O0", "-O2"].contains(&b.level));
    // FNV-1a: stable across Rust releases, unlike the standard hasher.
    let hash = name.bytes().fold(2_166_136_261_u32, |h, b| (h ^ u32::from(b)).wrapping_mul(16_777_619));
    let pick = (hash >> 8).wrapping_add(major) as usize % rest.len();
    always.into_iter().chain([rest[pick]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_matrix_has_every_level_with_and_without_debug_info() {
        let names: Vec<String> = full().into_iter().map(Build::name).collect();
        assert_eq!(names.len(), 10);
        assert!(names.contains(&"-Os-g".to_owned()));
    }

    #[test]
    fn a_rotating_set_is_stable_and_has_no_double() {
        let builds = rotating("nowait", 22);
        assert_eq!(builds, rotating("nowait", 22));
        assert_eq!(builds.len(), 3);
        assert!(!builds[..2].contains(&builds[2]));
    }
}
