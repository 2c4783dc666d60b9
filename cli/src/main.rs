//! The `ompchunk` command: what is common in one line.
//!
//! Data flow: arguments (`args`) -> one command -> findings or a process that takes our place. Products
//! are found in one place (`installation`), compilers in another (`compiler`); `doctor` asks the same two.
//! Errors of the parts are typed; here they become text (`report`) and an exit code.

mod args;
mod bench;
mod child;
mod compiler;
mod doctor;
mod exec;
mod export;
mod generate;
mod installation;
mod language;
mod launch;
mod linked;
mod loops;
mod man;
mod program;
mod prose;
mod record;
mod records;
mod report;
mod reports;
mod schedule;
mod signature;
mod size;
mod switch;
mod table;
mod tool_names;
mod values;
mod wrap;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use crate::args::{Arguments, Command};
use crate::language::Language;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    report::exit(run(&arguments))
}

fn run(arguments: &[OsString]) -> Result<ExitCode> {
    // Before clap sees them: a compiler's arguments are the compiler's, `--help` and `--` included.
    if let Some(language) = arguments.get(1).and_then(|word| Language::of_command(word)) {
        return wrap::exec(language, &arguments[2..]);
    }
    match Arguments::parse_from(arguments).command {
        Command::Cc(compile) => wrap::exec(Language::C, &compile.arguments),
        Command::Cxx(compile) => wrap::exec(Language::Cxx, &compile.arguments),
        Command::Fc(compile) => wrap::exec(Language::Fortran, &compile.arguments),
        Command::Run(run) => launch::exec(&run),
        Command::Record(record) => record::run(&record),
        Command::Loops(loops) => loops::print(&loops),
        Command::Report(report) => reports::print(&report),
        Command::Export(arguments) => export::write(&arguments),
        Command::Doctor(doctor) => doctor::print(&doctor),
        Command::Bench(bench) => bench::run(&bench),
        Command::Completions(completions) => generate::completions(completions.shell),
        Command::Man(man) => generate::man(&man.directory),
    }
}
