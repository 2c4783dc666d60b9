//! Why a loop, or the creation of a task, was left alone: one sentence each, for remarks and `docs/reasons.md`.

use std::fmt;

macro_rules! reasons {
    ($($(#[$about:meta])* $name:ident => $sentence:literal,)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Reason { $($(#[$about])* $name,)* }

        impl Reason {
            pub const ALL: &[Reason] = &[$(Reason::$name),*];

            pub const fn name(self) -> &'static str {
                match self { $(Reason::$name => stringify!($name),)* }
            }

            pub const fn sentence(self) -> &'static str {
                match self { $(Reason::$name => $sentence,)* }
            }
        }
    };
}

reasons! {
    MalformedCall => "the call to the runtime has an unexpected signature",
    /// `__kmpc_for_static_init_*` is called through `invoke`.
    Invoked => "the call to the runtime may throw",
    ScheduleNotConstant => "the schedule kind is not a constant",
    /// Kind 45; see LLVM-side miscompilation.
    MiscompiledSimd => "schedule(simd:static,c) runs iterations several times with this compiler, \
        so no chunk event could be right",
    UnknownSchedule => "the schedule kind does not fit the call",
    UnknownIdent => "the call's source location record is not a constant",
    /// `sections`, but not as clang emits and marks them.
    Sections => "a sections construct that the compiler did not mark as one, or of an unknown form",
    /// `sections` whose lines are counted: what reports them stands apart from them there.
    SectionsCounted => "a sections construct in code that is compiled for coverage",
    /// `ident_t` says neither loop nor anything else.
    NotMarkedAsLoop => "the compiler did not mark the call as a worksharing loop",
    BoundsNotLocal => "a loop bound is not a local variable of the runtime entry's type",
    IncrementNotOne => "the runtime is not asked for an increment of 1",
    /// The runtime is given another first iteration than 0 or 1.
    FirstUnknown => "the compiler counts iterations from an unexpected number",
    /// The address of a bound is used by something other than a load or store.
    BoundsEscape => "the address of a loop bound is used elsewhere",
    /// The stores to the bounds are not those of a dispatch loop.
    UnknownDispatchLoop => "the loop over chunks has an unknown form",
    UnknownClamp => "the upper bound is clamped in an unknown way",
    /// No test that leads from the clamped chunk to the body.
    UnknownChunkTest => "the test for an empty chunk has an unknown form",
    NoEnd => "no call to __kmpc_for_static_fini ends the loop",
    /// It can end before its chunk is known, or between two chunks.
    EndsEarly => "__kmpc_for_static_fini is called before a chunk or between two",
    /// A task is allocated, but not handed over on every way.
    NotHandedOver => "the task may be allocated without being handed over",
    Unreachable => "the loop can never run",
    /// Object format or device that the events cannot be delivered on.
    UnsupportedTarget => "only ELF host targets with 64-bit opaque pointers are supported",
    NameTaken => "the module has something else by the name of a symbol that ompchunk emits",
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.sentence())
    }
}

#[cfg(test)]
mod tests {
    use super::Reason;
    use std::collections::HashSet;

    #[test]
    fn the_document_has_them() {
        let document = include_str!("../../docs/reasons.md");
        for reason in Reason::ALL {
            let row = format!("| `{}` | {} |\n", reason.name(), reason.sentence());
            assert!(document.contains(&row), "docs/reasons.md lacks this row:\n{row}");
        }
    }

    #[test]
    fn names_and_sentences_are_distinct() {
        let names: HashSet<_> = Reason::ALL.iter().map(|reason| reason.name()).collect();
        let sentences: HashSet<_> = Reason::ALL.iter().map(|reason| reason.sentence()).collect();
        assert_eq!((names.len(), sentences.len()), (Reason::ALL.len(), Reason::ALL.len()));
    }
}
