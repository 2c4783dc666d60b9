//! The loops of a part by number, and the return addresses by name, as the trace defines them.

use std::collections::{BTreeMap, HashMap, HashSet};

use ompchunk_trace_format::{Event, LoopBegin, LoopDefinition, Values, Variable};

use crate::name;
use crate::openacc::AccPlaces;

/// `ompt_work_t`
const WORK_LOOP: u32 = 1;
const WORK_LOOP_STATIC: u32 = 10;

/// What is known of a loop, owned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) instrumented: bool,
    pub(crate) construct: &'static str,
    pub(crate) clause: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) function: String,
    pub(crate) code: u64,
    /// For people: `a.c:17:3`, or a function, or an address.
    pub(crate) label: String,
    /// The same without directories, for where there is no room for them.
    pub(crate) short: String,
    variable: Variable,
}

impl Site {
    fn of(it: &LoopDefinition<'_>, code: Option<&Code>) -> Site {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (file, mut function) = (text(it.file), text(it.function));
        if let Some(code) = code.filter(|_| function.is_empty()) {
            function.clone_from(&code.function);
        }
        let (label, short) = if file.is_empty() || it.line == 0 {
            let label = match code {
                Some(code) => code.label.clone(),
                None if function.is_empty() => format!("{:#x}", it.code),
                None => function.clone(),
            };
            (label.clone(), label)
        } else {
            let name = file.rsplit('/').next().unwrap_or_default();
            let in_file = match it.column {
                0 => it.line.to_string(),
                column => format!("{}:{column}", it.line),
            };
            (format!("{file}:{in_file}"), format!("{name}:{in_file}"))
        };
        Site {
            instrumented: it.instrumented,
            construct: match it.construct {
                1 => "for",
                2 => "distribute",
                _ => "",
            },
            clause: name::clause(it, 0),
            file,
            line: it.line,
            column: it.column,
            function,
            code: it.code,
            label,
            short,
            variable: it.variable(),
        }
    }

    /// How to compute the user's variable in an execution.
    pub(crate) fn variable(&self, begin: &LoopBegin) -> Option<Values> {
        self.variable.values(begin.start, begin.step)
    }

    /// The clause; of a loop that the plugin did not see, what the runtime says.
    pub(crate) fn clause(&self, work: u32) -> &str {
        if self.instrumented {
            &self.clause
        } else {
            name::work(work)
        }
    }
}

/// A return address by name.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    /// The symbol before it; empty: unknown.
    pub(crate) function: String,
    /// For people: `main in app+0x1234`.
    pub(crate) label: String,
}

/// What a part has defined so far.
#[derive(Debug, Default)]
pub(crate) struct Sites<'f> {
    /// Asked for with each chunk, and there are few: a tree is faster than hashing.
    loops: BTreeMap<u32, Site>,
    codes: HashMap<u64, Code>,
    /// OpenACC's.
    pub(crate) places: AccPlaces,
    /// Static loops that the plugin did not see.
    incomplete: HashSet<u32>,
    wanted: Option<&'f HashSet<u32>>,
}

impl<'f> Sites<'f> {
    /// `wanted`: only loops with these numbers.
    pub(crate) fn new(wanted: Option<&'f HashSet<u32>>) -> Self {
        Sites {
            wanted,
            ..Sites::default()
        }
    }

    /// Takes note of definitions.
    pub(crate) fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::Loop(it) => {
                let code = self.codes.get(&it.code);
                self.loops
                    .entry(it.the_loop)
                    .or_insert_with(|| Site::of(it, code));
            }
            Event::Code(it) => {
                let object = String::from_utf8_lossy(it.object);
                let object = object.rsplit('/').next().unwrap_or_default();
                let function = String::from_utf8_lossy(it.function).into_owned();
                let label = if function.is_empty() {
                    format!("{object}+{:#x}", it.offset)
                } else {
                    format!("{function} in {object}+{:#x}", it.offset)
                };
                // Where a library was unloaded another may be now.
                self.codes.insert(it.address, Code { function, label });
            }
            Event::AccSite(it) => self.places.see(it),
            // `ompt_work_loop` is what runtimes say that do not tell schedules.
            Event::LoopBegin(it)
                if matches!(it.work, WORK_LOOP | WORK_LOOP_STATIC)
                    && self.get(it.the_loop).is_some_and(|site| !site.instrumented) =>
            {
                self.incomplete.insert(it.the_loop);
            }
            _ => {}
        }
    }

    /// How many of the selected loops are static and without all their chunks.
    pub(crate) fn incomplete(&self) -> usize {
        let selected = |it: &&u32| self.selected(**it);
        self.incomplete.iter().filter(selected).count()
    }

    pub(crate) fn get(&self, the_loop: u32) -> Option<&Site> {
        self.loops.get(&the_loop)
    }

    pub(crate) fn code(&self, address: u64) -> Option<&Code> {
        self.codes.get(&address)
    }

    /// Whether the loop is asked for.
    pub(crate) fn selected(&self, the_loop: u32) -> bool {
        self.wanted.is_none_or(|wanted| wanted.contains(&the_loop))
    }
}
