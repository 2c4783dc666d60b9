//! Static loops that were compiled without the plugin: named, and handed to a preloaded library that has the shim change them.

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use ompchunk_abi::overrides::{Pattern, Place, Table, VARIABLE, file};
use ompchunk_abi::run;
use ompchunk_abi::stock::Named;
use ompchunk_analysis::symbols;
use ompchunk_figures::counted;
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::loops::StockLoop;
use ompchunk_toolchain::schedule_option::LARGEST;
use ompchunk_toolchain::{needs, preload, program};
use ompchunk_trace_format::shown;

use crate::{exec, record, runtime};

pub struct Site {
    image: PathBuf,
    pub the_loop: StockLoop,
    /// The source file; without lines, the file's name and the call's offset in it.
    pub file: String,
    /// 0: not known.
    pub line: u32,
    /// As the linker knows it; empty: not known.
    pub function: String,
    pub stays: Option<&'static str>,
}

/// Threads of a team may come to one loop by several copies of its code, as inlining leaves them: these change together or not at all.
const COPIES: &str = "its file has loops without lines (-g) that may be copies of one";
const OF_PLUGIN: &str = "a copy of its code is of the plugin";

impl Site {
    fn place(&self) -> Place<'_> {
        Place { file: &self.file, line: self.line, column: 0, function: &self.function }
    }
}

/// The loops of files that the plugin did not compile, copies of one loop together.
pub fn sites(files: &[PathBuf]) -> Vec<Vec<Site>> {
    let mut places: BTreeMap<(String, u32), Vec<Site>> = BTreeMap::new();
    // A loop of the plugin's need not call the runtime itself; its record says where it is.
    let plugins: HashSet<(OsString, u32)> = files.iter().flat_map(|image| plugin_places(image)).collect();
    let has_lineless = plugins.iter().any(|(_, line)| *line == 0);
    for image in files {
        let loops = ompchunk_toolchain::loops::stock(image).unwrap_or_default();
        if loops.iter().all(|the_loop| the_loop.is_plugins) {
            continue;
        }
        let mut of_image: Vec<Site> = loops.into_iter().map(|the_loop| site(image, the_loop)).collect();
        if of_image.iter().any(|site| site.line == 0 && !site.the_loop.is_alone) {
            of_image.iter_mut().for_each(|site| site.stays = Some(COPIES));
        }
        for site in of_image {
            places.entry((site.file.clone(), site.line)).or_default().push(site);
        }
    }
    for ((file, line), copies) in &mut places {
        let is_plugins = if plugins.contains(&(name(Path::new(file)), *line)) {
            *line != 0
        } else {
            has_lineless && !copies.iter().all(|site| site.the_loop.is_alone)
        };
        let of_plugin = (is_plugins || copies.iter().any(|site| site.the_loop.is_plugins)).then_some(OF_PLUGIN);
        copies.retain(|site| !site.the_loop.is_plugins);
        let stays = of_plugin.or_else(|| copies.iter().find_map(|site| site.stays));
        let against = copies.iter().find_map(|site| site.the_loop.against);
        let least_chunk = copies.iter().map(|site| site.the_loop.least_chunk).max().unwrap_or(1);
        for site in copies {
            site.stays = stays;
            (site.the_loop.against, site.the_loop.least_chunk) = (against, least_chunk);
        }
    }
    places.into_values().filter(|copies| !copies.is_empty()).collect()
}

/// Where the plugin's loops of a file are; line 0 without lines. Compilers may name one folder in several ways.
fn plugin_places(image: &Path) -> Vec<(OsString, u32)> {
    let images = ompchunk_toolchain::loops::read(image).unwrap_or_default();
    let loops = images.into_iter().flat_map(|image| image.loops);
    let place = |file: Option<String>, line: Option<u32>| Some((name(Path::new(&file?)), line?));
    loops.map(|the_loop| place(the_loop.file, the_loop.line).unwrap_or_default()).collect()
}

fn name(path: &Path) -> OsString {
    path.file_name().unwrap_or_default().to_owned()
}

fn site(image: &Path, the_loop: StockLoop) -> Site {
    let call = symbols::call_in(image, the_loop.offset).filter(|call| call.line != 0);
    let (file, line, function) = match call {
        Some(call) => (call.file, call.line, call.symbol.unwrap_or_default()),
        None => {
            let name = image.file_name().unwrap_or_default().to_string_lossy();
            (format!("{name}+{:#x}", the_loop.offset), 0, String::new())
        }
    };
    Site { image: image.to_owned(), the_loop, file, line, function, stays: None }
}

/// Attaches the library if a loop without the plugin has an order. `unproven`: all may change of which nothing is seen that relies on who runs what.
pub fn attach(command: &mut Command, unproven: bool, installation: &Installation) -> Result<()> {
    let orders = orders(command);
    let by_name = orders.entries().iter().any(|entry| entry.pattern != Pattern::All);
    let Some(program) = program::find(command.get_program()).filter(|_| by_name || unproven) else { return Ok(()) };
    let program = program.canonicalize().unwrap_or(program);
    let files: Vec<PathBuf> = needs::loaded(&program).iter().filter_map(|file| file.canonicalize().ok()).collect();
    let (mut lines, mut free, mut left, mut long) = (String::new(), 0, Vec::new(), 0);
    let mut stay = Vec::new();
    for copies in sites(&files) {
        let entry = |site: &Site| orders.find(site.place()).map(|number| &orders.entries()[number].pattern);
        let named = copies.iter().find(|site| entry(site).is_some_and(|pattern| *pattern != Pattern::All));
        let first = named.unwrap_or(&copies[0]);
        if named.is_none() && !unproven {
            continue;
        }
        if let Some(why) = first.stays {
            stay.push(why);
            continue;
        }
        if let Some(against) = first.the_loop.against.filter(|_| named.is_none()) {
            left.push(against);
            continue;
        }
        // All have one name, since one order is for all.
        let all: Option<String> = copies.iter().map(|site| line(site, &first.function, named.is_none())).collect();
        match all.filter(|all| lines.len() + all.len() < LARGEST) {
            Some(all) => {
                lines += &all;
                free += usize::from(named.is_none());
            }
            None => long += 1,
        }
    }
    say_left("no name changes", stay.clone());
    if unproven {
        say_unproven(&program, free, left, !stay.is_empty(), long);
    }
    if lines.is_empty() {
        return Ok(());
    }
    if record::why_refused(&program, "").is_some() || !preload::add_before_runtimes(command, &installation.stock()?) {
        runtime::notice_once(
            "nothing can be preloaded into this program, so its loops that were compiled without the plugin stay as compiled",
        );
        return Ok(());
    }
    exec::set_run_entry(command, run::STOCK, Some(OsStr::new(&lines)));
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
fn line(site: &Site, function: &str, is_free: bool) -> Option<String> {
    let StockLoop { returns_to, bits, is_signed, least_chunk, .. } = site.the_loop;
    let (Site { file, line, .. }, image) = (site, site.image.to_str()?);
    let named = Named { image, returns_to, bits, is_signed, is_free, least_chunk, line: *line, file, function };
    named.fits().then(|| format!("{named}\n"))
}

fn say_unproven(program: &Path, free: usize, left: Vec<&'static str>, stay: bool, long: u64) {
    let name = shown(program);
    if free == 0 && left.is_empty() && !stay {
        return runtime::notice_once(&format!(
            "--unproven: {name} calls no runtime for a static loop that was compiled without the plugin, as far as its files tell"
        ));
    }
    if free > 0 {
        runtime::notice_once(&format!(
            "--unproven: {} of {name} may run in other blocks. Nobody has proven that no code relies on who runs which iteration \
             (code behind a nowait, firstprivate variables, memory of each thread's own): compare results",
            counted(free as u64, "static loop")
        ));
    }
    say_left("--unproven: only by name may change", left);
    if long > 0 {
        let loops = counted(long, "more static loop");
        runtime::notice_once(&format!("--unproven: as compiled run {loops}: the environment holds no more names"));
    }
}

fn say_left(how: &str, mut reasons: Vec<&'static str>) {
    reasons.sort_unstable();
    for group in reasons.chunk_by(|one, other| one == other) {
        runtime::notice_once(&format!("{how} {}: {}", counted(group.len() as u64, "static loop"), group[0]));
    }
}
