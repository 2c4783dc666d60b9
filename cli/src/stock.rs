//! Static loops of programs that were compiled without the plugin: named by the program's own calls and lines, and handed to the
//! library that is preloaded, which has the shim change what threads begin with.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use ompchunk_abi::run;
use ompchunk_abi::stock::Named;
use ompchunk_analysis::symbols;
use ompchunk_figures::counted;
use ompchunk_schedules::{Pattern, Place, Table, VARIABLE, file};
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::loops::StockLoop;
use ompchunk_toolchain::schedule::LARGEST;
use ompchunk_toolchain::{needs, preload, program};
use ompchunk_trace_format::shown;

use crate::{exec, record, runtime};

/// A static loop, and its name.
pub struct Site {
    /// What the file tells.
    pub the_loop: StockLoop,
    /// The source file; without lines, the file's name and the call's offset in it.
    pub file: String,
    /// 0: not known.
    pub line: u32,
    /// As the linker knows it; empty: not known.
    pub function: String,
}

impl Site {
    fn place(&self) -> Place<'_> {
        Place { file: &self.file, line: self.line, column: 0, function: &self.function }
    }
}

/// Those of a file.
pub fn sites(file: &Path) -> Vec<Site> {
    let loops = ompchunk_toolchain::loops::stock(file).unwrap_or_default();
    let named = loops.into_iter().map(|the_loop| match symbols::call_in(file, the_loop.offset) {
        Some(call) => Site { file: call.file, line: call.line, function: call.symbol.unwrap_or_default(), the_loop },
        None => {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            Site { file: format!("{name}+{:#x}", the_loop.offset), line: 0, function: String::new(), the_loop }
        }
    });
    named.collect()
}

/// Attaches the library to a program whose loops have orders, if one of them is such a loop. `unproven`: all of them may change of
/// which nothing is seen that relies on who runs which iteration.
pub fn attach(command: &mut Command, unproven: bool, installation: &Installation) -> Result<()> {
    let orders = orders(command);
    let by_name = orders.entries().iter().any(|entry| entry.pattern != Pattern::All);
    let Some(program) = program::find(command.get_program()).filter(|_| by_name || unproven) else {
        return Ok(());
    };
    let program = program.canonicalize().unwrap_or(program);
    let (mut lines, mut free, mut left, mut long) = (String::new(), 0, Vec::new(), 0_u64);
    for file in needs::loaded(&program) {
        let Some(file) = file.canonicalize().ok() else { continue };
        let Some(image) = file.to_str() else { continue };
        for site in sites(&file) {
            let entry = orders.find(site.place()).map(|number| &orders.entries()[number].pattern);
            let is_named = entry.is_some_and(|pattern| *pattern != Pattern::All);
            let is_free = unproven && site.the_loop.against.is_none();
            if !is_named && !is_free {
                left.extend(site.the_loop.against.filter(|_| unproven));
                continue;
            }
            let line = line(image, &site, is_free && !is_named);
            match line.filter(|line| lines.len() + line.len() < LARGEST) {
                Some(line) => {
                    lines += &line;
                    free += usize::from(!is_named);
                }
                None => long += 1,
            }
        }
    }
    if unproven {
        say_unproven(&program, free, &left, long);
    }
    if lines.is_empty() {
        return Ok(());
    }
    if record::why_refused(&program, "").is_some() || !preload::add_before_runtimes(command, &installation.stock()?) {
        runtime::say(
            "nothing can be preloaded into this program, so its loops that were compiled without the plugin stay as compiled",
        );
        return Ok(());
    }
    exec::tell(command, run::STOCK, Some(OsStr::new(&lines)));
    Ok(())
}

/// What the program will be told. The shim says what is wrong with an inherited one.
fn orders(command: &Command) -> Table {
    let text = preload::variable(command, VARIABLE).unwrap_or_default();
    let text = text.to_string_lossy();
    let text = match text.strip_prefix('@') {
        Some(path) => file::read(Path::new(path)).unwrap_or_default(),
        None => text.into_owned(),
    };
    Table::parse(&text).unwrap_or_default()
}

/// As the library reads it. `None`: a name has what separates names.
fn line(image: &str, site: &Site, is_free: bool) -> Option<String> {
    let StockLoop { returns_to, bits, is_signed, least_chunk, .. } = site.the_loop;
    let Site { file, line, function, .. } = site;
    let named = Named { image, returns_to, bits, is_signed, is_free, least_chunk, line: *line, file, function };
    named.fits().then(|| format!("{named}\n"))
}

fn say_unproven(program: &Path, free: usize, left: &[&'static str], long: u64) {
    let name = shown(program);
    if free == 0 && left.is_empty() {
        return runtime::say(&format!(
            "--unproven: {name} calls no runtime for a static loop that was compiled without the plugin, as far as its files tell"
        ));
    }
    if free > 0 {
        runtime::say(&format!(
            "--unproven: {} of {name} may run in other blocks. Nobody has proven that no code relies on who runs which iteration \
             (code behind a nowait, firstprivate variables, memory of each thread's own): compare results",
            counted(free as u64, "static loop")
        ));
    }
    let mut reasons = left.to_vec();
    reasons.sort_unstable();
    for group in reasons.chunk_by(|one, other| one == other) {
        let loops = counted(group.len() as u64, "static loop");
        runtime::say(&format!("--unproven: only by name may change {loops}: {}", group[0]));
    }
    if long > 0 {
        let loops = counted(long, "more static loop");
        runtime::say(&format!("--unproven: as compiled run {loops}: the environment holds no more names"));
    }
}
