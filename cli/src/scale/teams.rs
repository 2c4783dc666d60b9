//! Which team sizes.

/// How many processors this process, and so the program, may use.
pub fn processors() -> u32 {
    std::thread::available_parallelism().map_or(1, |available_parallelism| available_parallelism.get() as u32)
}

/// Those that were asked for, or powers of two and last all processors: the smallest first, each once.
pub fn of(asked: &[u32], processors: u32) -> Vec<u32> {
    let mut teams = asked.to_vec();
    if asked.is_empty() {
        teams.extend((0..).map(|power| 1 << power).take_while(|threads| *threads < processors));
        teams.push(processors);
    }
    teams.sort_unstable();
    teams.dedup();
    teams
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_and_all_processors() {
        assert_eq!(of(&[], 1), [1]);
        assert_eq!(of(&[], 2), [1, 2]);
        assert_eq!(of(&[], 6), [1, 2, 4, 6]);
        assert_eq!(of(&[], 8), [1, 2, 4, 8]);
        assert_eq!(of(&[4, 2, 4], 2), [2, 4]);
    }
}
