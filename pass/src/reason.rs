//! Why a loop, or the creation of a task, was left alone: one sentence each, for remarks and `docs/reasons.md`.

use std::fmt;

/// Why the plugin did not touch a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The call does not have the runtime's signature.
    MalformedCall,
    /// `__kmpc_for_static_init_*` is called through `invoke`.
    Invoked,
    /// The schedule is a run-time value.
    ScheduleNotConstant,
    /// Kind 45; see LLVM-side miscompilation.
    MiscompiledSimd,
    /// A schedule kind without a known meaning here.
    UnknownSchedule,
    /// The source location argument is not a constant `ident_t`.
    UnknownIdent,
    /// `sections`, but not as clang emits and marks them.
    Sections,
    /// `sections` whose lines are counted: what reports them stands apart from them there.
    SectionsCounted,
    /// `ident_t` says neither loop nor anything else.
    NotMarkedAsLoop,
    /// A bound is no local variable of the expected type.
    BoundsNotLocal,
    /// The increment argument is not the constant 1.
    IncrementNotOne,
    /// The runtime is given another first iteration than 0 or 1.
    FirstUnknown,
    /// The address of a bound is used by something other than a load or store.
    BoundsEscape,
    /// The stores to the bounds are not those of a dispatch loop.
    UnknownDispatchLoop,
    /// The upper bound is not clamped the way the compilers do it.
    UnknownClamp,
    /// No test that leads from the clamped chunk to the body.
    UnknownChunkTest,
    /// No `__kmpc_for_static_fini` ends the loop.
    NoEnd,
    /// It can end before its chunk is known, or between two chunks.
    EndsEarly,
    /// A task is allocated, but not handed over on every way.
    NotHandedOver,
    /// The call cannot be reached.
    Unreachable,
    /// Object format or device that the events cannot be delivered on.
    UnsupportedTarget,
    /// A symbol that the plugin needs is something else.
    NameTaken,
}

impl Reason {
    /// Every reason, for documentation and tests.
    pub const ALL: [Reason; 22] = [
        Reason::MalformedCall,
        Reason::Invoked,
        Reason::ScheduleNotConstant,
        Reason::MiscompiledSimd,
        Reason::UnknownSchedule,
        Reason::UnknownIdent,
        Reason::Sections,
        Reason::SectionsCounted,
        Reason::NotMarkedAsLoop,
        Reason::BoundsNotLocal,
        Reason::IncrementNotOne,
        Reason::FirstUnknown,
        Reason::BoundsEscape,
        Reason::UnknownDispatchLoop,
        Reason::UnknownClamp,
        Reason::UnknownChunkTest,
        Reason::NoEnd,
        Reason::EndsEarly,
        Reason::NotHandedOver,
        Reason::Unreachable,
        Reason::UnsupportedTarget,
        Reason::NameTaken,
    ];

    /// Name of the remark, as `-fsave-optimization-record` writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::MalformedCall => "MalformedCall",
            Reason::Invoked => "Invoked",
            Reason::ScheduleNotConstant => "ScheduleNotConstant",
            Reason::MiscompiledSimd => "MiscompiledSimd",
            Reason::UnknownSchedule => "UnknownSchedule",
            Reason::UnknownIdent => "UnknownIdent",
            Reason::Sections => "Sections",
            Reason::SectionsCounted => "SectionsCounted",
            Reason::NotMarkedAsLoop => "NotMarkedAsLoop",
            Reason::BoundsNotLocal => "BoundsNotLocal",
            Reason::IncrementNotOne => "IncrementNotOne",
            Reason::FirstUnknown => "FirstUnknown",
            Reason::BoundsEscape => "BoundsEscape",
            Reason::UnknownDispatchLoop => "UnknownDispatchLoop",
            Reason::UnknownClamp => "UnknownClamp",
            Reason::UnknownChunkTest => "UnknownChunkTest",
            Reason::NoEnd => "NoEnd",
            Reason::EndsEarly => "EndsEarly",
            Reason::NotHandedOver => "NotHandedOver",
            Reason::Unreachable => "Unreachable",
            Reason::UnsupportedTarget => "UnsupportedTarget",
            Reason::NameTaken => "NameTaken",
        }
    }

    /// The sentence that follows "left alone: ".
    pub const fn sentence(self) -> &'static str {
        match self {
            Reason::MalformedCall => "the call to the runtime has an unexpected signature",
            Reason::Invoked => "the call to the runtime may throw",
            Reason::ScheduleNotConstant => "the schedule kind is not a constant",
            Reason::MiscompiledSimd => {
                "schedule(simd:static,c) runs iterations several times with this compiler, \
                 so no chunk event could be right"
            }
            Reason::UnknownSchedule => "the schedule kind does not fit the call",
            Reason::UnknownIdent => "the call's source location record is not a constant",
            Reason::Sections => "a sections construct that the compiler did not mark as one, or of an unknown form",
            Reason::SectionsCounted => "a sections construct in code that is compiled for coverage",
            Reason::NotMarkedAsLoop => "the compiler did not mark the call as a worksharing loop",
            Reason::BoundsNotLocal => "a loop bound is not a local variable of the runtime entry's type",
            Reason::IncrementNotOne => "the runtime is not asked for an increment of 1",
            Reason::FirstUnknown => "the compiler counts iterations from an unexpected number",
            Reason::BoundsEscape => "the address of a loop bound is used elsewhere",
            Reason::UnknownDispatchLoop => "the loop over chunks has an unknown form",
            Reason::UnknownClamp => "the upper bound is clamped in an unknown way",
            Reason::UnknownChunkTest => "the test for an empty chunk has an unknown form",
            Reason::NoEnd => "no call to __kmpc_for_static_fini ends the loop",
            Reason::EndsEarly => "__kmpc_for_static_fini is called before a chunk or between two",
            Reason::NotHandedOver => "the task may be allocated without being handed over",
            Reason::Unreachable => "the loop can never run",
            Reason::UnsupportedTarget => "only ELF host targets with 64-bit opaque pointers are supported",
            Reason::NameTaken => "the module has something else by the name of a symbol that ompchunk emits",
        }
    }
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
