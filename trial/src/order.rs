//! In which order schedules take turns.

/// How many turns there are before the order begins again.
pub const TURNS: usize = 32;

/// The turns of a schedule and the one in the source, as `OMPCHUNK_SCHEDULE` has them: the Thue-Morse sequence. Each has half
/// of the turns, also of every second and every fourth, so a program that does something else every second time does not
/// favour one of them; nor does one that becomes slower as it runs. `first` begins somewhere else in it, so that executions
/// which a process runs once are not always under the same.
#[must_use]
pub fn in_turns(schedule: &str, first: usize) -> String {
    let turns = (first..first + TURNS).map(|turn| match (turn % TURNS).count_ones() % 2 {
        0 => "source",
        _ => schedule,
    });
    turns.collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_turns_whatever_is_looked_at() {
        for first in 0..TURNS {
            let text = in_turns("dynamic,4", first);
            let turns: Vec<&str> = text.split('|').collect();
            assert_eq!(turns.len(), TURNS);
            for every in [1, 2, 4, 8] {
                for from in 0..every {
                    let some = turns.iter().skip(from).step_by(every);
                    let source = some.clone().filter(|turns| **turns == "source").count();
                    assert_eq!(2 * source, some.count(), "{text}: {from} {every}");
                }
            }
        }
    }

    #[test]
    fn is_a_table_s_entry() {
        let text = format!("app.c:3={}", in_turns("dynamic,4", 5));
        assert!(ompchunk_schedules::Table::parse(&text).is_ok());
    }
}
