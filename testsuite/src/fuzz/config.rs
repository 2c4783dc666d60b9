//! With what a program is compiled, and where it runs.

use anyhow::{Result, bail};

use super::ast::{Language, Program};
use super::rng::Rng;
use crate::runtime::{Attach, Runtime};
use crate::schedules::number;
use crate::toolchain::Llvm;

#[derive(Debug, Clone)]
pub struct Machine {
    /// Toolchains, newest first.
    pub llvms: Vec<Llvm>,
    pub flangs: Vec<Llvm>,
    pub hosts: Vec<Runtime>,
}

impl Machine {
    pub fn survey() -> Result<Machine> {
        let llvms = Llvm::installed();
        if llvms.is_empty() {
            bail!("no clang of a supported major is installed");
        }
        let flangs = llvms.iter().filter(|llvm| llvm.tool("flang").is_file());
        Ok(Machine { flangs: flangs.cloned().collect(), llvms, hosts: Runtime::installed() })
    }
}

#[derive(Debug, Clone)]
pub struct Config {
    pub llvm: Llvm,
    pub level: &'static str,
    pub flags: Vec<&'static str>,
    pub host: Runtime,
    /// How shim and oracle get there.
    pub attach: Attach,
    /// Whether dispatch events, chunk events and the clock are asked for.
    pub events: (bool, bool, bool),
    /// Values of `OMPCHUNK_SCHEDULE`, and whether a tool is there under them.
    pub orders: Vec<(String, bool)>,
    /// Whether loops can be cancelled under these, if the program's can: then the shim has to leave them all as they are.
    pub orders_cancel: bool,
}

/// Below this, differences of bounds cannot overflow, and -ftrapv finds nothing to trap.
const TRAP_SPAN: i128 = 1 << 30;

/// clang then emits some constructs through LLVM's OpenMPIRBuilder, as flang does.
const IR_BUILDER: &str = "-fopenmp-enable-irbuilder";

impl Config {
    /// The code calls a function to compute the user's variable, which says nothing of start and step, and does not name the kind of construct.
    pub fn uses_ir_builder(&self) -> bool {
        self.flags.contains(&IR_BUILDER)
    }

    /// The language of a program must be known before it is made.
    pub fn language(rng: &mut Rng, machine: &Machine) -> Language {
        match !machine.flangs.is_empty() && rng.chance(20) {
            true => Language::Fortran,
            false => Language::C,
        }
    }

    pub fn random(rng: &mut Rng, machine: &Machine, program: &Program) -> Result<Config> {
        let fortran = program.language == Language::Fortran;
        let llvm = match fortran {
            true => rng.pick(&machine.flangs),
            false => rng.pick(&machine.llvms),
        };
        // flang has no -Os.
        let levels = ["-O0", "-O1", "-O2", "-O2", "-O3", "-Os"];
        let level = *rng.pick(&levels[..if fortran { 5 } else { 6 }]);
        let mut flags = Vec::new();
        if rng.chance(25) {
            flags.push("-g");
        }
        if rng.chance(15) {
            flags.push("-fPIC");
        }
        if !fortran && rng.chance(8) {
            flags.push("-fwrapv");
        } else if !fortran && rng.chance(8) && trap_free(program) {
            flags.push("-ftrapv");
        }
        let ir_builder = !fortran && ir_builder_sound(program) && rng.chance(4);
        if ir_builder {
            flags.extend(["-Xclang", IR_BUILDER]);
        }
        let events = match rng.below(100) {
            0..70 => (true, true, true),
            70..80 => (true, false, false),
            80..90 => (false, true, true),
            _ => (true, true, false),
        };
        // Without dispatch events, loops that the runtime deals would have none to judge.
        let events = match program.dealt().is_empty() {
            true => events,
            false => (true, true, true),
        };
        // LLVM 16's runtime lacks an entry that loops dealt by the runtime end with.
        let hosts = match program.dealt().is_empty() {
            true => machine.hosts.clone(),
            false => Runtime::complete(),
        };
        Ok(Config {
            llvm: llvm.clone(),
            level,
            flags,
            host: rng.pick(&hosts).clone(),
            attach: *rng.pick(&[Attach::ToolLibraries, Attach::Preload]),
            events,
            orders: {
                let count = number("OMPCHUNK_FUZZ_SCHEDULES", 1)?;
                (0..count).map(|_| (order(rng, program), rng.chance(30))).collect()
            },
            orders_cancel: rng.chance(10),
        })
    }
}

/// A value of `OMPCHUNK_SCHEDULE` for the program.
fn order(rng: &mut Rng, program: &Program) -> String {
    let loops = program.loops();
    let in_order = loops.iter().any(|place| place.the_loop.lastprivate);
    let file = match program.language {
        Language::C => "program.c",
        Language::Fortran => "program.f90",
    };
    let entries = rng.range(1, 3);
    let mut text: Vec<String> = (0..entries)
        .map(|_| {
            let pattern = match rng.below(6) {
                0 | 1 => "*".to_owned(),
                2 => file.to_owned(),
                // Without -g, no file is known; a line may have no loop. Both change nothing.
                3 => format!("{file}:{}", rng.range(20, 60)),
                5 if !loops.is_empty() => format!("orphan{}", rng.pick(&loops).the_loop.id),
                _ => "fuzz_main".to_owned(),
            };
            format!("{pattern}={}", in_turn(rng, in_order))
        })
        .collect();
    if !text.iter().any(|entry| entry.starts_with('*')) && rng.chance(60) {
        text.push(format!("*={}", in_turn(rng, in_order)));
    }
    text.join("; ")
}

/// One schedule, or several in turn.
fn in_turn(rng: &mut Rng, in_order: bool) -> String {
    // It takes turns by itself.
    if rng.chance(20) {
        return "adaptive".to_owned();
    }
    let count = if rng.chance(25) { rng.range(2, 4) } else { 1 };
    let schedules: Vec<String> = (0..count).map(|_| schedule(rng, in_order)).collect();
    schedules.join("|")
}

/// `in_order`: stock runtimes lose the last value where a thread goes back to earlier iterations, so nobody orders that.
fn schedule(rng: &mut Rng, in_order: bool) -> String {
    let kind =
        *rng.pick(&["static", "dynamic", "dynamic", "guided", "auto", "runtime", "balanced", "balanced", "source"]);
    if ["balanced", "source"].contains(&kind) {
        return kind.to_owned();
    }
    let modifier = match rng.below(4) {
        0 => "monotonic:",
        1 if !in_order && kind != "static" => "nonmonotonic:",
        _ => "",
    };
    let chunk = match rng.below(5) {
        _ if ["auto", "runtime"].contains(&kind) => String::new(),
        0 => String::new(),
        1 => ",1".to_owned(),
        2 => format!(",{}", rng.range(2, 9)),
        3 => format!(",{}", rng.range(10, 600)),
        _ => format!(",{}", (1_u64 << rng.range(10, 31)) - 1),
    };
    format!("{modifier}{kind}{chunk}")
}

/// Stock clang's code through the IR builder is wrong for `teams`, lets the runtime write beyond the
/// bounds of loops that count with less than 32 bits, and has it take `sections` for loops.
fn ir_builder_sound(program: &Program) -> bool {
    let loops = program.loops();
    let mut dims = loops.iter().flat_map(|place| &place.the_loop.dims);
    !program.has_teams() && program.sections() == 0 && dims.all(|dim| dim.kind.bits >= 32)
}

fn trap_free(program: &Program) -> bool {
    let loops = program.loops();
    let mut dims = loops.iter().flat_map(|place| &place.the_loop.dims);
    dims.all(|dim| {
        let values = [dim.start.value, dim.limit.value, dim.step.value];
        values.iter().all(|value| value.abs() < TRAP_SPAN)
    })
}

/// A program with its compiler, its runtime and its schedules.
#[derive(Debug, Clone)]
pub struct Case<P> {
    pub program: P,
    pub config: Config,
}
