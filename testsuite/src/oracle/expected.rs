//! What a log is judged against.

use std::collections::BTreeSet;

/// What is known of the program, and what was asked for.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// The program's numbers of loops whose chunks the runtime deals: the dispatch events are its own,
    /// and a thread's chunks may come in any order, ...
    pub dealt: BTreeSet<u64>,
    /// The runtime deals the chunks of all loops, whatever the source says.
    pub all_dealt: bool,
    /// ... but not of those of them with `ordered` or the modifier `monotonic` (OpenMP 5.2, 11.5.3).
    pub monotonic: BTreeSet<u64>,
    /// Loops among them that the compiler counts from 1: the runtime's dispatch events say so, chunk events never do.
    pub from_one: BTreeSet<u64>,
    /// Loops that may be cancelled: a thread may stop anywhere.
    pub cancelled: BTreeSet<u64>,
    /// Loops whose iterations say the user's variable, of which start and step must be known.
    pub user_known: BTreeSet<u64>,
    /// Loops without a single variable that counts: nothing may be said of it.
    pub user_unknown: BTreeSet<u64>,
    /// Loops of code that was compiled without the plugin: what the runtime says of them is its affair.
    pub unjudged: BTreeSet<u64>,
    /// Loops that are `distribute`, although the runtime begins them as worksharing loops. (flang does not tell it.)
    pub distribute: BTreeSet<u64>,
    /// The runtime is asked twice to begin each loop, and to end it once, and says so. (flang deals a loop to threads and to teams by two calls.)
    pub begun_twice: bool,
    /// The program says nothing of its iterations, so events cannot be compared with them.
    pub unobserved: bool,
    pub dispatch: bool,
    pub chunk: bool,
    pub clock: bool,
    pub loops: bool,
    pub sub_blocks: bool,
}

impl Expected {
    /// Nothing is known of the loops, and all events but sub-blocks are registered.
    pub fn all_events() -> Expected {
        Expected { dispatch: true, chunk: true, clock: true, loops: true, ..Expected::default() }
    }

    /// The same where only these are registered: dispatch, chunk, clock, loop.
    pub fn registering(&self, [dispatch, chunk, clock, loops]: [bool; 4]) -> Expected {
        Expected { dispatch, chunk, clock, loops, ..self.clone() }
    }

    /// Does the runtime deal the chunks of that loop?
    pub fn is_dealt(&self, the_loop: Option<u64>) -> bool {
        self.all_dealt || the_loop.is_some_and(|number| self.dealt.contains(&number))
    }

    /// What the oracle registers so that this is what it sees.
    pub fn events(&self) -> String {
        let events = [
            ("dispatch", self.dispatch),
            ("chunk", self.chunk),
            ("clock", self.clock),
            ("loop", self.loops),
            ("sub-block", self.sub_blocks),
        ];
        let asked: Vec<&str> = events.into_iter().filter_map(|(name, on)| on.then_some(name)).collect();
        asked.join(",")
    }
}
