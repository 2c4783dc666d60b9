//! Which compilers load the plugin: each compiles a small loop with it.

use anyhow::Result;
use ompchunk_toolchain::compiler::{Compiler, plain, with_plugin};
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::language::Language;
use ompchunk_toolchain::probe::Bench;

use super::finding::{self, Check, CompilerState};

/// The chosen compiler of each language comes first. Also gives the C compiler that works for `ompchunk cc`.
pub fn checks(bench: &Bench, installation: &Installation) -> Result<(Vec<Check>, Option<Compiler>)> {
    let mut checks = Vec::new();
    let mut for_c = None;
    let majors = installation.majors();
    for language in Language::ALL {
        let mut seen = Vec::new();
        let mut find = |state: &CompilerState, is_chosen| checks.push(finding::compiler(language, is_chosen, state));
        match Compiler::choose(language, &majors) {
            Ok(chosen) => {
                seen.push(chosen.path());
                let state = examine(bench, installation, language, &chosen)?;
                find(&state, true);
                if matches!(state, CompilerState::Works(..)) && language == Language::C {
                    for_c = Some(chosen);
                }
            }
            Err(error) if language.named().is_none() => find(&CompilerState::Absent(error), true),
            Err(error) => find(&CompilerState::Unfit(error), true),
        }
        for other in Compiler::all(language, &majors) {
            // `clang` is often a link to one that was seen.
            if !seen.contains(&other.path()) {
                seen.push(other.path());
                find(&examine(bench, installation, language, &other)?, false);
            }
        }
    }
    Ok((checks, for_c))
}

fn examine(
    bench: &Bench,
    installation: &Installation,
    language: Language,
    compiler: &Compiler,
) -> Result<CompilerState> {
    let (major, plugin) = match compiler.plugin(installation) {
        Ok(fits) => fits,
        Err(error) => return Ok(CompilerState::Unfit(error)),
    };
    let name = compiler.name();
    let source = match language {
        Language::C => bench.source("loop.c", include_str!("probes/loop.c"))?,
        Language::Cxx => bench.source("loop.cpp", include_str!("probes/loop.c"))?,
        Language::Fortran => bench.source("loop.f90", include_str!("probes/loop.f90"))?,
    };
    let object = bench.path("loop.o");
    let arguments =
        ["-fopenmp".as_ref(), "-O1".as_ref(), "-c".as_ref(), source.as_os_str(), "-o".as_ref(), object.as_os_str()];
    let compiled = bench.finish(&mut with_plugin(compiler, (major, &plugin), &arguments))?;
    if compiled.succeeded() {
        // A plugin that was loaded may still have found nothing to do.
        return Ok(match ompchunk_toolchain::loops::read(&object) {
            Ok(_) => CompilerState::Works(name, major),
            Err(_) => CompilerState::Silent(name),
        });
    }
    let alone = bench.finish(&mut plain(compiler, &arguments))?;
    Ok(if alone.succeeded() {
        CompilerState::Rejects(name, compiled.outcome())
    } else {
        CompilerState::Fails(name, alone.outcome())
    })
}
