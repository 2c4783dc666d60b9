//! With what a program is compiled, and where it runs.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::ast::{Language, Program};
use super::rng::Rng;
use crate::runtime::{Attach, Runtime};
use crate::toolchain::Llvm;

/// What the machine has.
#[derive(Debug, Clone)]
pub struct Machine {
    /// Toolchains, newest first.
    pub llvms: Vec<Llvm>,
    /// Those of them with flang.
    pub flangs: Vec<Llvm>,
    /// Runtimes to run on.
    pub hosts: Vec<Host>,
}

/// A runtime, and how the dynamic linker is told of it.
#[derive(Debug, Clone)]
pub struct Host {
    /// For reports.
    pub name: &'static str,
    /// What it is a kind of.
    pub runtime: Runtime,
    /// Its directory, if the runtime itself does not know.
    pub library_dir: Option<PathBuf>,
}

impl Machine {
    /// Looks around.
    pub fn survey() -> Result<Machine> {
        let llvms = Llvm::installed();
        if llvms.is_empty() {
            bail!("no clang of a supported major is installed");
        }
        let flangs = llvms.iter().filter(|llvm| llvm.tool("flang").is_file());
        let host = |runtime: Runtime| Host {
            name: runtime.name,
            runtime,
            library_dir: None,
        };
        let mut hosts: Vec<Host> = Runtime::installed().into_iter().map(host).collect();
        if let Some(dir) = std::env::var_os("OMPCHUNK_LIBOMP16").map(PathBuf::from) {
            if !dir.join("libomp.so.5").is_file() {
                bail!("OMPCHUNK_LIBOMP16={} has no libomp.so.5", dir.display());
            }
            hosts.push(Host {
                name: "libomp16",
                runtime: Runtime::libomp(),
                library_dir: Some(dir),
            });
        }
        Ok(Machine {
            flangs: flangs.cloned().collect(),
            llvms,
            hosts,
        })
    }
}

/// How one program is built and run.
#[derive(Debug, Clone)]
pub struct Config {
    /// The toolchain.
    pub llvm: Llvm,
    /// The -O flag.
    pub level: &'static str,
    /// Further flags.
    pub flags: Vec<&'static str>,
    /// The runtime.
    pub host: Host,
    /// How shim and oracle get there.
    pub attach: Attach,
    /// Whether dispatch events, chunk events and the clock are asked for.
    pub events: (bool, bool, bool),
}

/// Below this, differences of bounds cannot overflow, and -ftrapv finds nothing to trap.
const TRAP_SPAN: i128 = 1 << 30;

impl Config {
    /// The language of a program must be known before it is made.
    pub fn language(rng: &mut Rng, machine: &Machine) -> Language {
        match !machine.flangs.is_empty() && rng.chance(20) {
            true => Language::Fortran,
            false => Language::C,
        }
    }

    /// A random one for the program.
    pub fn random(rng: &mut Rng, machine: &Machine, program: &Program) -> Config {
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
        Config {
            llvm: llvm.clone(),
            level,
            flags,
            host: rng.pick(&machine.hosts).clone(),
            attach: *rng.pick(&[Attach::ToolLibraries, Attach::Preload]),
            events,
        }
    }
}

fn trap_free(program: &Program) -> bool {
    let loops = program.loops();
    let mut dims = loops.iter().flat_map(|place| &place.the_loop.dims);
    dims.all(|dim| {
        let values = [dim.start.value, dim.limit.value, dim.step.value];
        values.iter().all(|value| value.abs() < TRAP_SPAN)
    })
}
