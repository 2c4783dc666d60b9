//! Man pages, one per command, from the declared command line.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Arg, ArgAction, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use ompchunk_toolchain::language::Language;

use crate::args::Arguments;
use crate::output;
use crate::values::with_paths;

fn write(command: &Command, directory: &Path) -> io::Result<()> {
    for below in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        write(below, directory)?;
    }
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    synopsis(command).to_writer(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(&mut page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if command.get_version().is_some() {
        man.render_version_section(&mut page)?;
    }
    std::fs::write(directory.join(man.get_filename()), page)
}

fn synopsis(command: &Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    let name = bold(command.get_bin_name().unwrap_or_else(|| command.get_name()));
    let parts = parts(command);
    if !parts.is_empty() || !command.has_subcommands() {
        let mut line = vec![name.clone()];
        for part in parts {
            line.push(roman(" "));
            line.extend(part);
        }
        roff.text(line);
    }
    if command.has_subcommands() {
        roff.control("br", []);
        let what = command.get_subcommand_value_name().unwrap_or("COMMAND");
        roff.text([name, roman(" "), italic(what), roman(" ...")]);
    }
    roff
}

fn parts(command: &Command) -> Vec<Vec<Inline>> {
    // Without help, which every command has.
    let shown = |arg: &&Arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str());
    let takes_none = |arg: &&Arg| !arg.get_action().takes_values() && !arg.is_positional();
    let options = command.get_opts().chain(command.get_arguments().filter(takes_none));
    let positionals = command.get_positionals().filter(shown).map(positional);
    options.filter(shown).map(option).chain(positionals).collect()
}

fn option(arg: &Arg) -> Vec<Inline> {
    let mut part = match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(long)) => vec![bold(format!("-{short}")), roman("|"), bold(format!("--{long}"))],
        (Some(short), None) => vec![bold(format!("-{short}"))],
        (None, long) => vec![bold(format!("--{}", long.unwrap_or_default()))],
    };
    if arg.get_action().takes_values() {
        part.extend([roman(" "), italic(value(arg))]);
    }
    if !arg.is_required_set() {
        part.insert(0, roman("["));
        part.push(roman("]"));
    }
    if matches!(arg.get_action(), ArgAction::Append) {
        part.push(roman("..."));
    }
    part
}

fn positional(arg: &Arg) -> Vec<Inline> {
    let mut part = vec![italic(value(arg))];
    if arg.is_last_set() {
        part.insert(0, bold("-- "));
    }
    if matches!(arg.get_action(), ArgAction::Append) && !arg.is_last_set() {
        part.push(roman("..."));
    }
    if !arg.is_required_set() {
        part.insert(0, roman("["));
        part.push(roman("]"));
    }
    part
}

fn value(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    match names {
        [] => arg.get_id().as_str().to_uppercase(),
        _ => names.join(" "),
    }
}

pub fn completions(shell: Shell) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "ompchunk", &mut script);
    let script = with_paths(shell, &String::from_utf8(script)?);
    output::print(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Also pages for the compilers in one word, which lead to those of the commands.
pub fn pages(directory: &Path) -> Result<ExitCode> {
    let unwritable = |cause| output::unwritable(directory, cause);
    std::fs::create_dir_all(directory).map_err(unwritable)?;
    // Without clap's `help`, whose page says nothing.
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    write(&command, directory).map_err(unwritable)?;
    for language in Language::ALL {
        let page = directory.join(format!("{}.1", language.program()));
        std::fs::write(page, format!(".so man1/ompchunk-{}.1\n", language.command())).map_err(unwritable)?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn synopsis_of(mut command: Command) -> String {
        command.build();
        synopsis(&command).to_roff().replace("\\-", "-")
    }

    #[test]
    fn options_have_their_values() {
        let shown = synopsis_of(
            Command::new("a")
                .arg(Arg::new("one").short('o').long("one").value_name("FILE"))
                .arg(Arg::new("all").long("all").action(ArgAction::Append))
                .arg(Arg::new("flag").long("flag").action(ArgAction::SetTrue))
                .arg(Arg::new("here").required(true))
                .arg(Arg::new("last").last(true).num_args(1..).value_name("C -- R")),
        );
        let right = "\\fBa\\fR [\\fB-o\\fR|\\fB--one\\fR \\fIFILE\\fR] [\\fB--all\\fR \\fIALL\\fR]... [\\fB--flag\\fR] \
                     \\fIHERE\\fR [\\fB-- \\fR\\fIC -- R\\fR]\n";
        assert!(shown.ends_with(right), "{shown}");
    }
}
