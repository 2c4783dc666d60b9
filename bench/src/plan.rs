//! The variants in which loops and programs run. A new one is a row here.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Build {
    Plain,
    Plugin,
}

impl Build {
    pub fn name(self) -> &'static str {
        match self {
            Build::Plain => "plain",
            Build::Plugin => "plugin",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attach {
    Nothing,
    /// The shim without a tool behind it.
    Shim,
    /// The shim and a tool with an empty chunk callback (`c/tool.c`).
    Tool,
    Recorder,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Variant {
    /// For programs and the heads of tables.
    pub name: &'static str,
    pub title: &'static str,
    #[serde(skip)]
    pub build: Build,
    #[serde(skip)]
    pub attach: Attach,
}

const fn variant(name: &'static str, title: &'static str, build: Build, attach: Attach) -> Variant {
    Variant { name, title, build, attach }
}

/// All of them. The first is the base, and the second shows how far two equal things differ.
pub const ALL: &[Variant] = &[
    variant("plain", "plain clang", Build::Plain, Attach::Nothing),
    variant("plain-again", "plain clang again (A/A)", Build::Plain, Attach::Nothing),
    variant("plugin", "plugin, no shim", Build::Plugin, Attach::Nothing),
    variant("shim", "plugin and shim, no tool", Build::Plugin, Attach::Shim),
    variant("chunk", "a tool with an empty chunk callback", Build::Plugin, Attach::Tool),
    variant("recorder", "recorder", Build::Plugin, Attach::Recorder),
];

/// The variants in which a program runs: nothing listens, or all of it is recorded.
pub fn of_program(is_recorded: bool) -> Vec<Variant> {
    let is_wanted = |variant: &&Variant| match variant.attach {
        Attach::Nothing => true,
        Attach::Recorder => is_recorded,
        Attach::Shim | Attach::Tool => false,
    };
    ALL.iter().filter(is_wanted).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_and_noise_come_first() {
        let names = |of: &[Variant]| of.iter().map(|variant| variant.name).collect::<Vec<_>>();
        assert_eq!(names(&of_program(false)), ["plain", "plain-again", "plugin"]);
        assert_eq!(names(&of_program(true)), ["plain", "plain-again", "plugin", "recorder"]);
        assert_eq!(ALL[0].build, ALL[1].build);
    }
}
