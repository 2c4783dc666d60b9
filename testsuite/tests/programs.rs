//! Does every program of `run/` compute what it computed, and are its events exact, in every way to build and run it?
//!
//! One test per program, compiler and build, which is compiled once, without and with the plugin, and judged in the ways that its name
//! lists ([`ompchunk_testsuite::judge`]); a new program is one file there, with its directives.
//!
//! | in the name | what is tried with that build |
//! |---|---|
//! | nothing | its events, with each team size on each runtime at -O0 and -O2 with the newest compiler; else, and in an emulator, with every other pair of them |
//! | `schedules` | the same, and other schedules: of each program with one compiler at one level |
//! | `sub-blocks` | the same, and sub-blocks: of each program with each compiler at one level |
//! | `behind …` | its events, and other schedules, where these passes had the module before the plugin |
//!
//! [`ompchunk_testsuite::matrix`] says which builds there are, [`ompchunk_testsuite::schedules`] how schedules are picked.
//! `OMPCHUNK_SCHEDULES_ROUNDS=n` tries them on n builds of each program; `OMPCHUNK_SCHEDULES_SEED` picks others.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ompchunk_testsuite::judge::{Built, Known};
use ompchunk_testsuite::matrix::{self, Build};
use ompchunk_testsuite::oracle::Expected;
use ompchunk_testsuite::passes::{FORMS, pipeline};
use ompchunk_testsuite::program::{Program, compiler};
use ompchunk_testsuite::runtime::Runtime;
use ompchunk_testsuite::schedules::{Plan, plan, plans};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::{Llvm, MAJORS, OLDEST};
use ompchunk_testsuite::{child, dist, target};

/// Executions under other schedules of a build, and of one behind passes.
const RUNS: usize = 4;
const RUNS_BEHIND: usize = 3;

pub fn trials(suite: &mut Suite) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    suite.needs("third runtime", Runtime::libomp16(), |_, _| {});
    let programs = Program::all().expect("readable programs");
    for (major, llvm) in Llvm::every() {
        suite.needs(&format!("clang-{major}"), llvm, |suite, llvm| {
            for program in &programs {
                for asked in asked(program, major) {
                    let (program, llvm) = (program.clone(), llvm.clone());
                    suite.scoped(asked.name(&program, major), move |dir| asked.judge(&program, &llvm, dir));
                }
            }
        });
    }
    for program in programs {
        let forms = match &*program.name {
            "carried" => 0..FORMS.len(),
            name => {
                let form = plan(name, 0, 0, 0).compiler % FORMS.len();
                form..form + 1
            }
        };
        for form in forms {
            let plan = plan(&program.name, 1, form as u64, RUNS_BEHIND);
            // Perhaps none of those that are named compiles it rightly.
            let Some(llvm) = planned(&program, &plan) else { continue };
            let (name, program) = (format!("{}/clang-{}", program.name, llvm.major), program.clone());
            suite.scoped(format!("{name}/behind {}", FORMS[form]), move |dir| {
                behind(&program, &llvm, &plan, FORMS[form], dir).with_context(|| format!("{plan:?}"))
            });
        }
    }
}

fn planned(program: &Program, plan: &Plan) -> Option<Llvm> {
    let mut llvms = Llvm::installed();
    llvms.retain(|llvm| !program.builds(llvm.major).is_empty());
    (!llvms.is_empty()).then(|| llvms.swap_remove(plan.compiler % llvms.len()))
}

struct Asked {
    build: Build,
    schedules: Vec<Plan>,
    sub_blocks: bool,
}

/// All builds of a program with one compiler.
fn asked(program: &Program, major: u32) -> Vec<Asked> {
    let build = |build| Asked { build, schedules: Vec::new(), sub_blocks: matrix::is_full() };
    let mut builds: Vec<Asked> = program.builds(major).into_iter().map(build).collect();
    if builds.is_empty() {
        return builds;
    }
    for (round, plan) in plans(&program.name, RUNS).into_iter().enumerate() {
        if planned(program, &plan).is_none_or(|llvm| llvm.major != major) {
            continue;
        }
        let wanted = Build { level: plan.level, debug: plan.debug };
        if !builds.iter().any(|asked| asked.build == wanted) {
            // The first plan's build takes the turn of those that rotate.
            if round == 0 && builds.len() > matrix::few().len() {
                builds.pop();
            }
            builds.push(build(wanted));
        }
        let planned = builds.iter_mut().find(|asked| asked.build == wanted);
        planned.expect("it is there").schedules.push(plan);
    }
    if major != OLDEST {
        let sum: usize = program.name.bytes().map(usize::from).sum();
        let at = (sum + major as usize) % builds.len();
        builds[at].sub_blocks = true;
    }
    builds
}

impl Asked {
    fn name(&self, program: &Program, major: u32) -> String {
        let mut name = format!("{}/clang-{major}/{}", program.name, self.build.name());
        for (way, wanted) in [("schedules", !self.schedules.is_empty()), ("sub-blocks", self.sub_blocks)] {
            if wanted {
                name += &format!("/{way}");
            }
        }
        name
    }

    fn judge(&self, program: &Program, llvm: &Llvm, dir: &Path) -> Result<()> {
        let build = self.build;
        let is_wide = target::current().is_none() && llvm.major == MAJORS[0] && matrix::few().contains(&build);
        let pairs = (!is_wide && !matrix::is_full()).then(|| build.name().len() + llvm.major as usize);
        let built = Built::of_program(program, llvm, build, dir)?;
        built.events(program, pairs)?;
        for plan in &self.schedules {
            built.schedules(&built.sessions(&plan.runs))?;
        }
        match self.sub_blocks {
            true => built.sub_blocks(),
            false => Ok(()),
        }
    }
}

/// Frontends keep variables in memory, and the plugin is the first pass that a compiler runs. But modules are also compiled from IR that
/// another compiler wrote, and tools run the plugin by `opt`. Where the plugin still finds all loops, the oracle judges the events.
fn behind(program: &Program, llvm: &Llvm, plan: &Plan, form: &str, dir: &Path) -> Result<()> {
    let build = Build {
        level: if plan.level == "-O0" { "-O1" } else { plan.level },
        // What is ordered by name runs so whatever relies on it, and iterations of two `nowait` loops might meet.
        debug: !std::fs::read_to_string(&program.facts.source)?.contains("nowait"),
    };
    let Some(module) = module(program, llvm, build, form, dir)? else {
        eprintln!("{}: LLVM {} itself fails in {form}", program.name, llvm.major);
        return Ok(());
    };
    let link = |plugin: Option<&Path>, name: &str| {
        let to = dir.join(name);
        let mut command = compiler(llvm, &program.facts.source, plugin);
        command.args(build.flags()).args(&program.facts.flags).arg(&module);
        child::succeed(command.arg("-o").arg(&to)).map(|_| to)
    };
    let both = [link(None, "stock")?, link(Some(&dist::plugin(llvm.major)?), "instrumented")?];
    let user_unknown = Default::default();
    let expected = Expected { user_known: Default::default(), user_unknown, ..program.facts.expected.clone() };
    let known = Known { judged_changed: false, ..Known::from_program(program) };
    let built = Built::new(known, both, (build.debug, Vec::new()), dir)?;
    let mut sessions = built.sessions(&plan.runs);
    // Leaves out what the pass has broken, and where the compiler calls what this older runtime does not have.
    sessions.retain(|(_, session)| match built.stock(session) {
        Ok(Err(instead)) => {
            eprintln!("{}: {instead}", program.name);
            false
        }
        _ => true,
    });
    if built.records.len() == program.loops {
        for (run, session) in &sessions {
            built.observed(session, &expected).with_context(|| format!("{run:?}"))?;
        }
    }
    built.schedules(&sessions)
}

/// The module behind these passes; none if LLVM itself fails in them.
fn module(program: &Program, llvm: &Llvm, build: Build, passes: &str, dir: &Path) -> Result<Option<PathBuf>> {
    let [plain, behind] = ["plain.bc", "behind.bc"].map(|name| dir.join(name));
    let mut frontend = compiler(llvm, &program.facts.source, None);
    frontend.args(build.flags()).args(&program.facts.flags);
    frontend.args(["-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"]);
    child::succeed(frontend.arg(&program.facts.source).arg("-o").arg(&plain))?;
    let mut opt = child::command(llvm.tool("opt"));
    opt.arg(format!("-passes={}", pipeline(passes, llvm.major)));
    let finished = child::finish(opt.arg("-o").arg(&behind).arg(&plain))?;
    Ok(finished.status.success().then_some(behind))
}
