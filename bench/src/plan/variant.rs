//! The variants that are compared, a table per suite. A new one is a row here.

use serde::{Deserialize, Serialize};

use super::names::known;
use crate::error::Error;

/// What a variant is for: it says which bar its figures are held against (`report`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// What all others are compared with.
    Base,
    /// The same once more: how far two equal things differ here.
    Noise,
    /// Nobody listens.
    Off,
    /// A callback that does nothing.
    Event,
    /// A callback and a clock.
    Clock,
    /// The runtime deals the chunks.
    Dealt,
    /// Everything is recorded.
    Recorder,
    /// The thesis' extension events, with a clock.
    Extensions,
    /// Loops run under another schedule than that of the source.
    Changed,
    /// For comparison only.
    Other,
}

/// How the program is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// By the compiler alone.
    Plain,
    /// With the plugin.
    Plugin,
    /// With the plugin, a test per chunk in the one loop, as the predecessors do it.
    OneLoop,
    /// By the compiler alone, `schedule(runtime)`.
    Dealt,
    /// With the plugin, without what the source says of schedules.
    NoClause,
}

impl Build {
    /// All of them.
    pub const ALL: [Build; 5] = [Build::Plain, Build::Plugin, Build::OneLoop, Build::Dealt, Build::NoClause];

    /// For file names.
    pub fn name(self) -> &'static str {
        match self {
            Build::Plain => "plain",
            Build::Plugin => "plugin",
            Build::OneLoop => "one-loop",
            Build::Dealt => "dealt",
            Build::NoClause => "no-clause",
        }
    }
}

/// What stands between runtime and program.
#[derive(Debug, Clone, Copy)]
pub enum Attach {
    /// Nothing.
    Nothing,
    /// The shim without a tool behind it.
    Shim,
    /// The shim without a tool, and what `OMPCHUNK_SCHEDULE` says.
    ShimAndSchedules(fn() -> String),
    /// The shim and the benchmark's own tool (`c/tool.c`) with these callbacks.
    ShimAndTool(&'static str),
    /// The shim and the recorder, which writes into a directory of the worker's own.
    Recorder,
    /// That tool alone, as people attach one today.
    Tool(&'static str),
}

/// One way to run the loops.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// For the command line and the results.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// What it is for.
    pub role: Role,
    /// How it is compiled.
    pub build: Build,
    /// What is attached.
    pub attach: Attach,
    /// Whether each chunk is one event that the benchmark's tool gets: checked before measuring.
    pub events: bool,
}

const fn variant(name: &'static str, title: &'static str, role: Role, build: Build, attach: Attach) -> Variant {
    Variant {
        name,
        title,
        role,
        build,
        attach,
        events: matches!(role, Role::Event | Role::Clock | Role::Dealt | Role::Extensions),
    }
}

/// Those of the chunk benchmark; the first is the base.
#[rustfmt::skip]
pub const ALL: &[Variant] = &[
    variant("plain", "plain clang", Role::Base, Build::Plain, Attach::Nothing),
    variant("plain-again", "plain clang again (A/A)", Role::Noise, Build::Plain, Attach::Nothing),
    variant("plugin", "plugin, no shim", Role::Off, Build::Plugin, Attach::Nothing),
    variant("shim", "shim, no tool", Role::Off, Build::Plugin, Attach::Shim),
    variant("tool", "tool without callbacks", Role::Off, Build::Plugin, Attach::ShimAndTool("none")),
    variant("dispatch", "empty dispatch callback", Role::Event, Build::Plugin, Attach::ShimAndTool("dispatch")),
    variant("chunk", "empty chunk callback", Role::Event, Build::Plugin, Attach::ShimAndTool("chunk")),
    variant("clock", "chunk callback with clock", Role::Clock, Build::Plugin, Attach::ShimAndTool("clock")),
    variant("recorder", "recorder", Role::Recorder, Build::Plugin, Attach::Recorder),
    variant("runtime", "schedule(runtime), dispatch callback", Role::Dealt, Build::Dealt, Attach::Tool("dispatch")),
    variant("one-loop", "plugin, flag tested in the loop", Role::Other, Build::OneLoop, Attach::Nothing),
];

/// Those of the thesis' evaluation, and the noise floor.
#[rustfmt::skip]
pub const THESIS: &[Variant] = &[
    variant("plain", "plain clang", Role::Base, Build::Plain, Attach::Nothing),
    variant("plain-again", "plain clang again (A/A)", Role::Noise, Build::Plain, Attach::Nothing),
    variant("plugin", "plugin, no shim", Role::Off, Build::Plugin, Attach::Nothing),
    variant("tool", "tool without callbacks", Role::Off, Build::Plugin, Attach::ShimAndTool("none")),
    variant("stock-tool", "tool without callbacks, no plugin, no shim", Role::Other, Build::Plain, Attach::Tool("none")),
    variant("stock-callbacks", "the runtime's own callbacks: work, task creation and scheduling; no plugin, no shim", Role::Other, Build::Plain, Attach::Tool("standard")),
    variant("callbacks", "tool with callbacks: loop, chunk, task creation, clock", Role::Extensions, Build::Plugin, Attach::ShimAndTool("extensions")),
];

/// Those of loops under other schedules; the base has them in the source.
#[rustfmt::skip]
pub const SCHEDULES: &[Variant] = &[
    variant("clause", "the clause in the source, plain clang", Role::Base, Build::Plain, Attach::Nothing),
    variant("clause-again", "the same again (A/A)", Role::Noise, Build::Plain, Attach::Nothing),
    variant("plugin", "the clause in the source, plugin, no shim", Role::Other, Build::Plugin, Attach::Nothing),
    variant("changed", "no clause, OMPCHUNK_SCHEDULE", Role::Changed, Build::NoClause, Attach::ShimAndSchedules(super::clauses::entries)),
];

/// The base, the noise floor, and those of the others that are wanted; all if none is named.
pub fn chosen(all: &'static [Variant], names: &[String]) -> Result<Vec<Variant>, Error> {
    let all_names: Vec<&str> = all.iter().map(|variant| variant.name).collect();
    known("variant", names, &all_names)?;
    let always = |variant: &Variant| matches!(variant.role, Role::Base | Role::Noise);
    Ok(all
        .iter()
        .filter(|v| names.is_empty() || always(v) || names.iter().any(|name| name == v.name))
        .copied()
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_and_noise_are_always_there() {
        let of = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            chosen(ALL, &names).map(|found| found.iter().map(|v| v.name).collect::<Vec<_>>())
        };
        assert_eq!(of(&["chunk"]).unwrap(), ["plain", "plain-again", "chunk"]);
        assert_eq!(of(&[]).unwrap().len(), ALL.len());
        let error = of(&["chunk", "plane"]).unwrap_err().to_string();
        assert_eq!(error, "there is no variant plane");
        for all in [ALL, THESIS, SCHEDULES] {
            assert_eq!((all[0].role, all[1].role), (Role::Base, Role::Noise));
        }
    }
}
