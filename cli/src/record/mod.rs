//! `ompchunk record`: the program under the recorder, and what it left behind.

mod cut;
mod keeper;
mod left_out;
mod nothing;
mod owner;
mod partly;
mod place;
mod profile;
mod stacks;
mod summary;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::SystemTime;

use anyhow::{Context, Result};
use ompchunk_toolchain::attach;
use ompchunk_toolchain::installation::Installation;
use ompchunk_trace_format::environment::{self, Rank};
use ompchunk_trace_format::settings::VARIABLE;
use ompchunk_trace_format::{Part, Settings, ended, parts_in, shown};

use self::keeper::Keeper;
pub use self::nothing::reason as why_nothing;
pub use self::nothing::refused as why_refused;
pub use self::owner::{is_growing, successor};
use self::place::Earlier;
use self::summary::Run;
use crate::args::Record;
use crate::{child, exec, output, runtime, stock};

/// The exit code where the program's is 0: what `env` and `timeout` end with when they themselves fail, and programs therefore do not.
const NOTHING_RECORDED: u8 = 125;

pub fn run(record: &Record) -> Result<ExitCode> {
    // Alone, whatever is started from here may have ranks.
    let rank = environment::rank().filter(|rank| rank.size != Some(1));
    match rank {
        // Several say the same at the same time.
        Some(rank) => record_as(record, Some(&rank)).with_context(|| format!("rank {}", rank.rank)),
        None => record_as(record, None),
    }
}

fn record_as(record: &Record, rank: Option<&Rank>) -> Result<ExitCode> {
    let installation = Installation::find()?;
    let (shim, recorder) = (installation.shim()?, installation.recorder()?);
    let directory = record.output.clone().unwrap_or_else(|| {
        let program = &record.program[0];
        let mut name = Path::new(program).file_name().unwrap_or(program).to_owned();
        name.push(environment::SUFFIX);
        name.into()
    });
    let earlier = match &record.output {
        _ if record.force => Earlier::Replaced,
        Some(_) => Earlier::Refused,
        None => Earlier::Kept,
    };
    let place = place::prepare(&directory, rank, earlier)?;
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    // No other run has it.
    let name = format!("{}.{}.{}", owner::host_name(), std::process::id(), since.as_nanos());
    let mut command = command(record, rank, &installation, [&shim, &recorder])?;
    let keeper = Keeper::start().ok();
    let mut asked = Settings {
        run: name.clone(),
        keeper: keeper.as_ref().map(|keeper| keeper.name.clone()).unwrap_or_default(),
        // For the recorder, which finds what the program has made of its arguments.
        command: Some(environment::Command { parent: std::process::id(), words: record.program.clone() }),
        ..record.settings()
    };
    // There is no option for it.
    asked.mode.executions = Settings::read().is_ok_and(|asked| asked.mode.executions);
    // The program may change its directory before it begins to record.
    let absolute = std::path::absolute(&directory).unwrap_or_else(|_| directory.clone());
    command.env(environment::DIRECTORY, absolute).env(VARIABLE, asked.value());
    let ended = child::run(exec::inheriting(&mut command));
    let gone = keeper.map(Keeper::finish).unwrap_or_default();
    let program = match ended {
        Ok(program) => program,
        Err(mut error) => {
            place.give_up();
            // The words before the program may explain the mistake.
            error.next = rate_as_program(record).unwrap_or(error.next);
            return Err(error.into());
        }
    };
    let run = Run { name: &name, rank, gone: &gone, program, record };
    keep_end(&directory, program);
    let summary = summary::summary(&directory, &run);
    output::write_lines(&summary.text);
    if let Some(aside) = &place.aside {
        output::notice(&format!("the run before is now {}", shown(aside)));
    }
    // Launchers end all ranks if one fails. One that has nothing to record does not.
    if program.status.success() && summary.is_empty && rank.is_none() {
        return Ok(ExitCode::from(NOTHING_RECORDED));
    }
    Ok(child::end_as(program.status))
}

/// Reports say how a program ended that did not end well. Where that cannot be written, it has been seen.
fn keep_end(directory: &Path, program: child::Ended) {
    if program.status.success() {
        return;
    }
    let parts = parts_in(directory).unwrap_or_default();
    let name = environment::part_name(environment::rank().map(|rank| rank.rank), program.pid);
    // No rank of thousands opens all parts.
    let is_named =
        |path: &Path| path.file_name().is_some_and(|file| file.to_string_lossy().split('.').next() == Some(&name));
    let is_its = |path: &&PathBuf| is_named(path) && Part::open(path).is_ok_and(|part| part.meta().pid == program.pid);
    if let Some(part) = parts.iter().rev().find(is_its) {
        let _ = ended::write_beside(part, program.status);
    }
}

fn command(
    record: &Record,
    rank: Option<&Rank>,
    installation: &Installation,
    [shim, recorder]: [&Path; 2],
) -> Result<Command> {
    let mut command = Command::new(&record.program[0]);
    record.schedules.set(&mut command)?;
    stock::attach(&mut command, false, installation)?;
    command.args(&record.program[1..]);
    let says = rank.is_none_or(|rank| rank.rank == 0);
    let list = std::env::var_os(attach::LIST);
    let others = others(list.as_deref().unwrap_or_default(), [shim, recorder]);
    if !others.is_empty() && says {
        output::notice(&format!(
            "{others}, of {}, will not run: only one OMPT tool can be active, and that is the recorder",
            attach::LIST
        ));
    }
    // Why it keeps libgomp is said at the end: it may run OpenACC, which is recorded of that.
    runtime::attach(&mut command, record.runtime.as_ref(), installation)?;
    let openacc = std::env::var_os(ACC_LIST);
    if let Some(elsewhere) = attach_openacc(&mut command, recorder, openacc.as_deref()).filter(|_| says) {
        output::notice(&elsewhere);
    }
    attach::attach(&mut command, shim, &[recorder.to_owned()], list.as_deref())?;
    Ok(command)
}

fn others(list: &OsStr, ours: [&Path; 2]) -> String {
    let entries = list.as_bytes().split(|byte| *byte == b':');
    let entries = entries.map(|entry| Path::new(OsStr::from_bytes(entry)));
    let is_ours = |path: &Path| ours.iter().any(|ours| ours.file_name() == path.file_name());
    let others = entries.filter(|path| path.file_name().is_some() && !is_ours(path));
    let names: Vec<_> = others.map(|path| path.display().to_string()).collect();
    names.join(", ")
}

/// `--sample-stacks 200 ./app` means a program called 200. If there is none, the number was meant as the option's.
pub fn rate_as_program(record: &Record) -> Option<String> {
    record.sample_stacks?;
    let [number, rest @ ..] = record.program.as_slice() else { return None };
    let rate: u32 = number.to_str()?.parse().ok()?;
    let program = rest.first().map_or("PROG".into(), |program| program.to_string_lossy());
    Some(format!("ompchunk record --sample-stacks={rate} {program}: without the equals sign {rate} is the program"))
}

const ACC_LIST: &str = "ACC_PROFLIB";

fn attach_openacc(command: &mut Command, recorder: &Path, already: Option<&OsStr>) -> Option<String> {
    let Some(already) = already else {
        command.env(ACC_LIST, recorder);
        return None;
    };
    let name = recorder.file_name()?.to_string_lossy();
    let already = already.to_string_lossy();
    // Empty: nothing shall listen.
    if already.is_empty() || already.contains(&*name) {
        return None;
    }
    Some(format!(
        "{ACC_LIST} names {already}, which stays alone: OpenACC is not recorded; to have both, where the OpenACC runtime takes a list as \
         GCC's does: {ACC_LIST}='{already};{}'",
        recorder.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(already: Option<&str>) -> (Option<String>, bool) {
        let mut command = Command::new("true");
        let recorder = Path::new("/l/libompchunk_trace.so");
        let said = attach_openacc(&mut command, recorder, already.map(OsStr::new));
        let is_set = command.get_envs().any(|(name, _)| name == ACC_LIST);
        (said, is_set)
    }

    #[test]
    fn a_users_own_library_stays() {
        assert_eq!(set(None), (None, true));
        assert_eq!(set(Some("")), (None, false));
        assert_eq!(set(Some("/o/libompchunk_trace.so")), (None, false));
        let (said, is_set) = set(Some("/u/lib.so"));
        assert!(!is_set);
        let said = said.unwrap();
        assert!(said.contains("ACC_PROFLIB='/u/lib.so;/l/libompchunk_trace.so'"), "{said}");
    }
}
