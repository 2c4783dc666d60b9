//! RUN lines.
//!
//! A line is one command or several with `|` between them, split at blanks, without any shell. Replaced are `%s` (the input), `%plugin`, and the
//! commands `%clang`, `%clangxx` and `%opt`, of the major under test; and `%is_device`, a flag that changed its name.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};

use crate::child::{self, Finished};
use crate::dist;
use crate::toolchain::Llvm;

/// With the plugin as the line says, or as if there were none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plugin {
    /// As the line says.
    Loaded,
    /// Its arguments are left out.
    Absent,
}

/// Runs a line; what the last command printed, and what all of them said on standard error.
pub fn run(line: &str, source: &Path, llvm: &Llvm, plugin: Plugin, dir: &Path) -> Result<Finished> {
    let mut finished: Option<Finished> = None;
    for stage in line.split('|') {
        let words = words(stage, source, llvm, plugin)?;
        let (program, arguments) = words.split_first().context("an empty command")?;
        let mut command = child::command(program);
        command.args(arguments).current_dir(dir);
        if let Some(before) = &finished {
            let piped = dir.join("piped");
            std::fs::write(&piped, &before.stdout)?;
            command.stdin(Stdio::from(File::open(piped)?));
        }
        let mut after = child::succeed(&mut command)?;
        let said = finished.map(|before| before.stderr).unwrap_or_default();
        after.stderr.insert_str(0, &said);
        finished = Some(after);
    }
    finished.context("an empty RUN line")
}

fn words(stage: &str, source: &Path, llvm: &Llvm, plugin: Plugin) -> Result<Vec<String>> {
    let path = match plugin {
        Plugin::Loaded => dist::plugin(llvm.major)?.display().to_string(),
        Plugin::Absent => String::new(),
    };
    let mut words = Vec::new();
    for word in stage.split_whitespace() {
        let word = match plugin {
            Plugin::Loaded => Some(word.to_owned()),
            Plugin::Absent => without_plugin(word),
        };
        let Some(word) = word else { continue };
        words.push(match word.as_str() {
            "%clang" => tool(llvm, "clang"),
            "%clangxx" => tool(llvm, "clang++"),
            "%opt" => tool(llvm, "opt"),
            "%is_device" if llvm.major < 17 => "-fopenmp-is-device".to_owned(),
            "%is_device" => "-fopenmp-is-target-device".to_owned(),
            "%s" => source.display().to_string(),
            _ => word.replace("%plugin", &path),
        });
        let last = words.last().expect("one was pushed");
        ensure!(!last.contains('%'), "`{last}`: nothing of that name to put in");
    }
    Ok(words)
}

fn tool(llvm: &Llvm, name: &str) -> String {
    llvm.tool(name).display().to_string()
}

/// The word as it would be without the plugin, if anything of it remains.
fn without_plugin(word: &str) -> Option<String> {
    if let Some(passes) = word.strip_prefix("-passes=") {
        let rest: Vec<&str> = passes.split(',').filter(|pass| *pass != "ompchunk").collect();
        return (!rest.is_empty()).then(|| format!("-passes={}", rest.join(",")));
    }
    (!word.contains("%plugin")).then(|| word.to_owned())
}

pub fn verify(ir: &str, llvm: &Llvm, file: &Path) -> Result<()> {
    std::fs::write(file, ir)?;
    let mut opt = child::command(llvm.tool("opt"));
    let finished = child::finish(opt.args(["-passes=verify", "-disable-output"]).arg(file))?;
    if !finished.status.success() {
        bail!("{} is not valid IR:\n{}", file.display(), finished.stderr);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_plugin_are_left_out() {
        assert_eq!(without_plugin("-fpass-plugin=%plugin"), None);
        assert_eq!(without_plugin("-load-pass-plugin=%plugin"), None);
        assert_eq!(without_plugin("-passes=ompchunk,ompchunk,verify").unwrap(), "-passes=verify");
        assert_eq!(without_plugin("-passes=ompchunk"), None);
        assert_eq!(without_plugin("-O2").unwrap(), "-O2");
    }
}
