//! The loops of a part by number, and the return addresses by name, as the trace defines them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use ompchunk_analysis::symbols;
use ompchunk_trace_format::openacc::event_name;
use ompchunk_trace_format::raw::{WORK_LOOP, WORK_LOOP_STATIC};
use ompchunk_trace_format::target::is_of_target;
use ompchunk_trace_format::{
    AccSite, Code as CodeDefinition, Event, LoopBegin, LoopDefinition, Part, Values, Variable,
};

use crate::name::{self, last_component};
use crate::process::Process;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) instrumented: bool,
    /// Threads have one chunk each, which is told.
    is_in_blocks: bool,
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
    /// What a loop without the plugin is called, the debug information tells (`part`).
    fn from_definition(definition: &LoopDefinition<'_>, code: Option<&Code>, part: Option<&Part>) -> Site {
        let (mut file, mut function, mut line) = (text(definition.file), text(definition.function), definition.line);
        let called = code.zip(part).filter(|_| !definition.instrumented);
        if let Some(call) = called.and_then(|(code, part)| symbols::call(part, Path::new(&code.object), code.offset)) {
            (file, line) = (call.file, call.line);
            function = call.symbol.unwrap_or_default();
        }
        if let Some(code) = code.filter(|_| function.is_empty()) {
            function.clone_from(&code.function);
        }
        let (label, short) = if line != 0 && !file.is_empty() {
            let column = if definition.column == 0 { String::new() } else { format!(":{}", definition.column) };
            (format!("{file}:{line}{column}"), format!("{}:{line}{column}", last_component(&file)))
        } else {
            let label = match code {
                Some(code) => code.label.clone(),
                None if function.is_empty() => format!("{:#x}", definition.code),
                None => function.clone(),
            };
            (label.clone(), label)
        };
        Site {
            instrumented: definition.instrumented,
            is_in_blocks: definition.tells_blocks() && definition.schedule == 0,
            construct: match definition.construct {
                1 => "for",
                2 => "distribute",
                3 => name::SECTIONS,
                _ => "",
            },
            clause: if definition.schedule == 0 { String::new() } else { name::clause(definition) },
            file,
            line,
            column: definition.column,
            function,
            code: definition.code,
            label,
            short,
            variable: definition.variable(),
        }
    }

    pub(crate) fn variable(&self, begin: &LoopBegin) -> Option<Values> {
        self.variable.values(begin.start, begin.step)
    }

    /// The clause; of a loop that the plugin did not see, what the runtime says.
    pub(crate) fn clause(&self, work: u32) -> &str {
        if self.clause.is_empty() { name::work(work) } else { &self.clause }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[derive(Debug, Clone)]
pub(crate) struct Code {
    /// The symbol before the address; empty: unknown.
    pub(crate) function: String,
    /// For people: `main in app+0x1234`.
    pub(crate) label: String,
    object: String,
    offset: u64,
}

impl Code {
    fn from_definition(definition: &CodeDefinition<'_>) -> Code {
        let (object, function) = (text(definition.object), text(definition.function));
        let offset = format!("{}+{:#x}", last_component(&object), definition.offset);
        let label = match function.as_str() {
            "" => offset,
            function => format!("{function} in {offset}"),
        };
        Code { function, label, object, offset: definition.offset }
    }
}

#[derive(Default)]
pub(crate) struct Sites<'f> {
    /// Asked for with each chunk, and there are few: a tree is faster than hashing.
    loops: BTreeMap<u32, Site>,
    codes: HashMap<u64, Code>,
    pub(crate) places: HashMap<u32, AccPlace>,
    /// Static loops, as far as is known.
    begun: HashSet<u32>,
    process: Option<&'f Process<'f>>,
}

impl<'f> Sites<'f> {
    pub(crate) fn for_process(process: &'f Process<'_>) -> Self {
        Sites { process: Some(process), ..Sites::default() }
    }

    pub(crate) fn follow(&mut self, event: &Event<'_>) {
        match event {
            Event::Loop(definition) => {
                let code = self.codes.get(&definition.code);
                let known = self.loops.get(&definition.the_loop);
                // A schedule may be told later.
                if known.is_none_or(|known| known.clause.is_empty() && definition.schedule != 0) {
                    let part = self.process.map(|process| process.part);
                    self.loops.insert(definition.the_loop, Site::from_definition(definition, code, part));
                }
            }
            // Where a library was unloaded another may be now.
            Event::Code(code) => drop(self.codes.insert(code.address, Code::from_definition(code))),
            Event::AccSite(site) => _ = self.places.entry(site.site).or_insert_with(|| AccPlace::from_site(site)),
            // `ompt_work_loop` is what runtimes say that do not tell schedules.
            Event::LoopBegin(begin) if matches!(begin.work, WORK_LOOP | WORK_LOOP_STATIC) => {
                self.begun.insert(begin.the_loop);
            }
            _ => {}
        }
    }

    pub(crate) fn incomplete(&self) -> usize {
        let is_incomplete =
            |number: &&u32| self.get(**number).is_some_and(|site| !site.instrumented && !site.is_in_blocks);
        self.begun.iter().filter(|number| self.selected(**number)).filter(is_incomplete).count()
    }

    pub(crate) fn get(&self, the_loop: u32) -> Option<&Site> {
        self.loops.get(&the_loop)
    }

    pub(crate) fn code(&self, address: u64) -> Option<&Code> {
        self.codes.get(&address)
    }

    pub(crate) fn selected(&self, the_loop: u32) -> bool {
        self.process.is_none_or(|process| process.wants(the_loop))
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct AccPlace {
    pub(crate) file: String,
    /// 0: not told.
    pub(crate) line: u32,
    pub(crate) function: String,
    /// The kernel or the variable.
    pub(crate) name: String,
    /// `app.c:17`, without its directory; empty: not told.
    pub(crate) short: String,
}

impl AccPlace {
    fn from_site(site: &AccSite<'_>) -> AccPlace {
        let file = text(site.file);
        let short = match (last_component(&file), site.lines[0]) {
            ("", 0) => String::new(),
            ("", line) => format!("line {line}"),
            (name, 0) => name.to_owned(),
            (name, line) => format!("{name}:{line}"),
        };
        AccPlace { line: site.lines[0], function: text(site.function), name: text(site.name), short, file }
    }
}

/// `acc upload x`, `acc compute construct app.c:17`, `omp transfer to device`
pub(crate) fn title(event: u32, place: Option<&AccPlace>) -> String {
    let what = event_name(event);
    let named = place.map_or("", |place| match place.name.as_str() {
        "" => &place.short,
        name => name,
    });
    match named {
        "" if is_of_target(event) => format!("omp {what}"),
        "" => format!("acc {what}"),
        named => format!("acc {what} {named}"),
    }
}

pub(crate) fn category(event: u32) -> &'static str {
    if is_of_target(event) { "target" } else { "openacc" }
}
