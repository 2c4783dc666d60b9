//! In which order schedules take turns.

/// How many turns there are before the order begins again.
const TURNS: usize = 16;
/// Executions of a loop in a turn. The first finds caches as the other schedule left them and is not compared
/// (`Executions::compared`); of the others, as many are of each kind where a program does something else every second time.
const EXECUTIONS: usize = 3;
/// Most schedules in a list: the lists of all loops are one variable, of at most 128 KiB.
const MOST: usize = 5_000;

/// The turns of a schedule and the one in the source, as `OMPCHUNK_SCHEDULE` has them, where so many `loops` take turns, each in a region
/// of its own: the Thue-Morse sequence. Each has half of the turns, also of every second and every fourth, so a program that becomes
/// slower as it runs does not favour one of them. `first` begins with another turn, so that executions which a process runs once are not
/// always under the same.
#[must_use]
pub fn in_turns(schedule: &str, loops: usize, first: usize) -> String {
    let loops = loops.max(1);
    let regions = (EXECUTIONS * loops).min(MOST / TURNS / loops).max(1);
    let turns = (first..first + TURNS).map(|turn| match (turn % TURNS).count_ones() % 2 {
        0 => "source",
        _ => schedule,
    });
    let regions = turns.flat_map(|turn| std::iter::repeat_n(turn, regions));
    regions.collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_turns_whatever_is_looked_at() {
        for first in 0..TURNS {
            let text = in_turns("dynamic,4", 1, first);
            let turns: Vec<&str> = text.split('|').step_by(EXECUTIONS).collect();
            assert_eq!(turns.len(), TURNS);
            for every in [1, 2, 4] {
                for from in 0..every {
                    let some = turns.iter().skip(from).step_by(every);
                    let source = some.clone().filter(|turns| **turns == "source").count();
                    assert_eq!(2 * source, some.count(), "{text}: {from} {every}");
                }
            }
        }
    }

    #[test]
    fn each_loop_stays_for_some_executions() {
        let text = in_turns("static", 2, 0);
        let schedules: Vec<&str> = text.split('|').collect();
        let turns = schedules.chunk_by(|one, next| one == next);
        assert!(turns.map(<[_]>::len).all(|regions| regions % 6 == 0));
    }

    #[test]
    fn lists_of_all_loops_are_one_variable() {
        for loops in [0, 1, 2, 13, 14, 100, 400] {
            let text = in_turns("nonmonotonic:dynamic,4", loops, 5);
            let entry = format!("app.c:3={text}");
            assert!(ompchunk_schedules::Table::parse(&entry).is_ok(), "{loops}");
            assert!(loops > 100 || loops * entry.len() < 120_000, "{loops}");
        }
    }
}
