//! What to do with an understood loop, decided from facts alone: no IR is read or changed here.

/// In IR instructions as the frontend emits them. In a larger loop a test per chunk drowns; a copy costs code.
pub const LARGEST_COPY: usize = 800;
/// The same where the runtime deals the chunks: beside its call for each of them, a test drowns earlier.
pub const LARGEST_DEALT_COPY: usize = 200;
/// All copies of a function together: LLVM's time grows with its size.
pub const MOST_COPIED: usize = 2000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// There is something to copy: a loop over chunks, as the schedule has a chunk size, or the way to a task's start.
    pub chunked: bool,
    /// Compiled at -O0, or the function is `optnone`.
    pub unoptimized: bool,
    pub for_size: bool,
    pub counted: bool,
    pub obstacle: Option<Obstacle>,
    pub instructions: usize,
    /// The runtime deals the chunks.
    pub dealt: bool,
    /// Largest loop over chunks that is duplicated, if the user says so; else [`LARGEST_COPY`] or [`LARGEST_DEALT_COPY`].
    pub largest_copy: Option<usize>,
}

macro_rules! obstacles {
    ($($(#[$about:meta])* $name:ident = $code:literal => $text:literal,)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Obstacle { $($(#[$about])* $name = $code,)* }

        impl Obstacle {
            /// From the glue's answer; 0 is none.
            pub fn from_glue(code: u32) -> Option<Obstacle> {
                match code {
                    0 => None,
                    $($code => Some(Obstacle::$name),)*
                    _ => Some(Obstacle::Unknown),
                }
            }

            const fn text(self) -> &'static str {
                match self { $(Obstacle::$name => $text,)* }
            }
        }
    };
}

obstacles! {
    /// As computed `goto` does.
    AddressTaken = 1 => "the address of a label in it is taken",
    InlineAsm = 2 => "it contains inline assembly that may define a symbol",
    /// Or one that returns twice (`setjmp`).
    NoDuplicate = 3 => "it contains a call that must not be duplicated",
    Token = 4 => "it contains a token or funclet",
    /// `indirectbr` or `callbr`.
    Terminator = 5 => "it contains an indirect jump",
    ValueEscapes = 6 => "a value of it is used after it",
    /// Not of the glue: a runtime call of another loop is inside.
    OtherLoop = 7 => "it contains another worksharing loop",
    /// One that the glue knows and this does not.
    Unknown = 8 => "it contains something that cannot be duplicated",
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// No loop over chunks: one guarded call before the thread's only chunk.
    OneChunk,
    /// A second, reporting copy beside the original, chosen once per execution.
    TwoCopies,
    /// A flag tested per chunk in the one loop, for the reason given.
    TestedFlag(Why),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A debugger sets its breakpoints in one copy only.
    Unoptimized,
    /// Code that was asked to be small gets no second copy.
    ForSize,
    /// gcov shall see the blocks and branches that the user wrote, and no others.
    Counted,
    Obstacle(Obstacle),
    Large,
    /// The function has copies of other loops.
    ManyLoops,
}

impl Plan {
    pub fn from_facts(facts: &Facts) -> Plan {
        let largest = if facts.dealt { LARGEST_DEALT_COPY } else { LARGEST_COPY };
        if !facts.chunked {
            Plan::OneChunk
        } else if facts.unoptimized {
            Plan::TestedFlag(Why::Unoptimized)
        } else if facts.for_size {
            Plan::TestedFlag(Why::ForSize)
        } else if facts.counted {
            Plan::TestedFlag(Why::Counted)
        } else if let Some(obstacle) = facts.obstacle {
            Plan::TestedFlag(Why::Obstacle(obstacle))
        } else if facts.instructions > facts.largest_copy.unwrap_or(largest) {
            Plan::TestedFlag(Why::Large)
        } else {
            Plan::TwoCopies
        }
    }

    pub fn describe(self) -> String {
        match self {
            Plan::TestedFlag(_) => {
                format!("with a test per chunk in the loop itself ({})", self.because().unwrap_or_default())
            }
            Plan::TwoCopies => "with a copy of the loop that reports each chunk".to_owned(),
            Plan::OneChunk => "one chunk per thread".to_owned(),
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Plan::OneChunk => "one chunk",
            Plan::TwoCopies => "two copies",
            Plan::TestedFlag(_) => "tested flag",
        }
    }

    pub const fn because(self) -> Option<&'static str> {
        match self {
            Plan::TestedFlag(Why::Unoptimized) => Some("not optimized"),
            Plan::TestedFlag(Why::ForSize) => Some("optimized for size"),
            Plan::TestedFlag(Why::Counted) => Some("compiled for coverage"),
            Plan::TestedFlag(Why::Obstacle(obstacle)) => Some(obstacle.text()),
            Plan::TestedFlag(Why::Large) => Some("large body"),
            Plan::TestedFlag(Why::ManyLoops) => Some("a function with many loops"),
            Plan::OneChunk | Plan::TwoCopies => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Facts = Facts {
        chunked: true,
        unoptimized: false,
        for_size: false,
        counted: false,
        obstacle: None,
        instructions: 50,
        dealt: false,
        largest_copy: None,
    };

    fn plan(change: impl FnOnce(&mut Facts)) -> Plan {
        let mut facts = PLAIN;
        change(&mut facts);
        Plan::from_facts(&facts)
    }

    #[test]
    fn only_what_is_small_plain_and_optimized_is_copied() {
        let tested = Plan::TestedFlag;
        assert_eq!(plan(|_| {}), Plan::TwoCopies);
        assert_eq!(plan(|facts| facts.instructions = LARGEST_COPY), Plan::TwoCopies);
        assert_eq!(plan(|facts| facts.instructions = LARGEST_COPY + 1), tested(Why::Large));
        assert_eq!(plan(|facts| facts.unoptimized = true), tested(Why::Unoptimized));
        assert_eq!(plan(|facts| facts.for_size = true), tested(Why::ForSize));
        assert_eq!(plan(|facts| facts.counted = true), tested(Why::Counted));
        assert_eq!(
            plan(|facts| facts.obstacle = Some(Obstacle::InlineAsm)),
            tested(Why::Obstacle(Obstacle::InlineAsm))
        );
    }

    #[test]
    fn a_large_loop_is_copied_as_its_user_wants_and_a_dealt_one_only_if_smaller() {
        let dealt = |instructions: usize, wanted: Option<usize>| {
            plan(|facts| (facts.dealt, facts.instructions, facts.largest_copy) = (true, instructions, wanted))
        };
        assert_eq!(dealt(LARGEST_DEALT_COPY, None), Plan::TwoCopies);
        assert_eq!(dealt(LARGEST_DEALT_COPY + 1, None), Plan::TestedFlag(Why::Large));
        assert_eq!(dealt(LARGEST_COPY, Some(LARGEST_COPY)), Plan::TwoCopies);
        assert_eq!(plan(|facts| facts.largest_copy = Some(0)), Plan::TestedFlag(Why::Large));
    }

    #[test]
    fn what_has_no_loop_over_chunks_is_one_chunk_however_it_is_compiled() {
        let without = |change: fn(&mut Facts)| {
            plan(|facts| {
                facts.chunked = false;
                change(facts);
            })
        };
        assert_eq!(without(|_| {}), Plan::OneChunk);
        assert_eq!(without(|facts| facts.unoptimized = true), Plan::OneChunk);
        assert_eq!(without(|facts| facts.counted = true), Plan::OneChunk);
    }

    #[test]
    fn the_glue_s_numbers() {
        assert_eq!(Obstacle::from_glue(0), None);
        for code in 1..=6 {
            assert_eq!(Obstacle::from_glue(code).map(|obstacle| obstacle as u32), Some(code));
        }
        assert_eq!(Obstacle::from_glue(99), Some(Obstacle::Unknown));
    }
}
