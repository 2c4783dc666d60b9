//! The `ompchunk` command. Data flow: arguments (`args`) -> one command -> findings or a process that takes our place.
//! Errors of the parts are typed; here they become text (`complaint`) and an exit code.
// Help texts have brackets that are no links.
#![allow(rustdoc::broken_intra_doc_links)]

mod advise;
mod args;
mod child;
mod complaint;
mod condition;
mod doctor;
mod exec;
mod export;
mod launch;
mod loops;
mod man;
mod output;
mod prose;
mod record;
mod repeat;
mod report;
mod runtime;
mod scale;
mod signature;
mod stock;
mod table;
mod tune;
mod values;
mod wrap;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use ompchunk_bench::{Options, measure, text};
use ompchunk_toolchain::Failure;
use ompchunk_toolchain::language::Language;

use crate::args::{Arguments, Command};
use crate::complaint::Advice;

const ADVICE: [Advice; 4] = [
    |cause| cause.downcast_ref().map(|failure: &Failure| failure.next().to_owned()),
    report::next,
    |cause| cause.downcast_ref().map(|error: &ompchunk_export::Error| error.next().to_owned()),
    |cause| cause.downcast_ref().map(|error: &exec::Error| error.next.clone()),
];

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    complaint::exit(run(&arguments), &ADVICE)
}

fn run(arguments: &[OsString]) -> Result<ExitCode> {
    // Before clap sees them: a compiler's arguments are the compiler's, `--help` and `--` included.
    if let Some(language) = arguments.first().and_then(|program| Language::of_program(program)) {
        return wrap::exec(language, &arguments[1..]);
    }
    if let Some(language) = arguments.get(1).and_then(|word| Language::of_command(word)) {
        return wrap::exec(language, &arguments[2..]);
    }
    match Arguments::parse_from(args::translated(arguments)).command {
        Command::Cc(compile) => wrap::exec(Language::C, &compile.arguments),
        Command::Cxx(compile) => wrap::exec(Language::Cxx, &compile.arguments),
        Command::Fc(compile) => wrap::exec(Language::Fortran, &compile.arguments),
        Command::Run(run) => launch::exec(&run),
        Command::Record(record) => record::run(&record),
        Command::Loops(loops) => loops::print(&loops),
        Command::Report(report) if report.lacks_diff() => {
            let why = "--fail-if slower needs --diff BEFORE, the recording of a run before the change";
            Arguments::command().error(ErrorKind::MissingRequiredArgument, why).exit()
        }
        Command::Report(report) => report::print(&report),
        Command::Advise(arguments) => advise::print(&arguments),
        Command::Tune(tune) => tune::run(&tune),
        Command::Scale(scale) => scale::run(&scale),
        Command::Export(arguments) => export::write(&arguments),
        Command::Doctor(doctor) => doctor::print(&doctor),
        Command::Bench(options) => bench(&options),
        Command::Completions(completions) => man::completions(completions.shell),
        Command::Man(man) => man::pages(&man.directory),
        Command::MeasureDealing(arguments) => advise::child(&arguments),
    }
}

fn bench(options: &Options) -> Result<ExitCode> {
    let results = measure(options)?;
    let file = &options.output;
    results.write(file).map_err(|cause| output::unwritable(file, cause))?;
    output::print(&format!("{}\nall numbers: {}\n", text(&results), file.display()))?;
    Ok(ExitCode::SUCCESS)
}
