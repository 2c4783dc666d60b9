//! What the recorder is asked to do: `ompchunk record` writes it into [`VARIABLE`]. By hand as well: options by name, `tasks,sample=4`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Command;
use crate::environment::set;
use crate::select::is_number;

/// Settings, separated by commas; or by lines, if there is more than one line.
pub const VARIABLE: &str = "OMPCHUNK_RECORD";
/// Half a billion chunks, of which two share 16 bytes. A run that nobody watches shall not fill a shared disk.
pub const LARGEST: u64 = 4 << 30;
/// How often stacks can be sampled per second.
const RATES: std::ops::RangeInclusive<u64> = 1..=10_000;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// What the part repeats.
    pub mode: Mode,
    /// Stacks are sampled so often per second of each thread's CPU time ([`crate::stacks`]); 0: they are not.
    pub sample_stacks: u64,
    /// By what the command knows the parts of this run again.
    pub run: String,
    /// The abstract name of the socket at which the command takes shares of the lanes' memory ([`crate::keep`]).
    pub keeper: String,
    /// What the command starts.
    pub command: Option<Command>,
}

/// What of it is in the metadata.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mode {
    /// No chunks, only aggregates.
    pub aggregate: bool,
    /// No chunks, only when executions began and ended: what costs least.
    pub executions: bool,
    /// One of so many executions of a loop by a thread is told chunk by chunk, the others are in the aggregates; 1 or 0: all.
    pub sample: u64,
    /// Most bytes of the part; `None`: no limit.
    pub max_size: Option<u64>,
    /// Sub-blocks were recorded, where loops have some ([`crate::LoopDefinition::not_profiled`]).
    pub profile: bool,
    /// Bookkeeping was timed.
    pub bookkeeping: bool,
    /// Explicit tasks are told one by one.
    pub tasks: bool,
    /// It is told on which processor chunks, and tasks that are told, begin.
    pub cpus: bool,
    /// Only the loops that one of these means ([`crate::select`]); all if there is none.
    pub loops: Vec<String>,
    /// So many executions of each loop by a thread are not told, the first ones.
    pub skip: u64,
    /// The recording stops after so many seconds.
    pub seconds: Option<f64>,
}

impl Default for Settings {
    fn default() -> Settings {
        let mode = Mode { max_size: Some(LARGEST), sample: 1, ..Mode::default() };
        Settings { mode, sample_stacks: 0, run: String::new(), keeper: String::new(), command: None }
    }
}

impl Settings {
    /// From the environment; the error is for the user.
    pub fn read() -> Result<Settings, String> {
        let settings = Settings::parse(&set(VARIABLE).unwrap_or_default());
        let settings = settings.and_then(|settings| settings.contradiction().map_or(Ok(settings), Err));
        settings.map_err(|why| format!("{VARIABLE}: {why}"))
    }

    /// The variable's value, [`Settings::line_of_run`] first.
    pub fn value(&self) -> OsString {
        let mut all = self.clone();
        let time = self.mode.seconds.map(|seconds| seconds.to_string()).unwrap_or_default();
        let mut lines =
            vec![Settings::line_of_run(&self.run), format!("keeper={}", self.keeper), format!("for={time}")];
        lines.extend(all.numbers().map(|(name, number)| format!("{name}={number}")));
        lines.extend(all.flags().into_iter().filter(|(_, is_set)| **is_set).map(|(name, _)| name.to_owned()));
        lines.extend(self.mode.loops.iter().map(|pattern| format!("loop={pattern}")));
        let mut bytes = lines.join("\n").into_bytes();
        // The last, since it has lines of its own. Nothing, if it is too long.
        if let Some(command) = self.command.as_ref().and_then(Command::value) {
            bytes.extend(b"\ncommand=");
            bytes.extend(command.as_bytes());
        }
        OsString::from_vec(bytes)
    }

    /// By this line processes of a run are known.
    pub fn line_of_run(run: &str) -> String {
        format!("run={run}")
    }

    fn parse(value: &OsStr) -> Result<Settings, String> {
        let mut settings = Settings::default();
        let mut rest = value.as_bytes();
        let separator = if rest.contains(&b'\n') { b'\n' } else { b',' };
        while !rest.is_empty() {
            if let Some(command) = rest.strip_prefix(b"command=") {
                settings.command = Command::from_value(OsStr::from_bytes(command));
                break;
            }
            let end = rest.iter().position(|byte| *byte == separator).unwrap_or(rest.len());
            settings.take(&String::from_utf8_lossy(&rest[..end]))?;
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        settings.mode.max_size = settings.mode.max_size.filter(|size| *size > 0);
        Ok(settings)
    }

    fn take(&mut self, setting: &str) -> Result<(), String> {
        let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
        if let Some((_, is_set)) = self.flags().into_iter().find(|(known, _)| *known == name) {
            *is_set = value != "0";
            return Ok(());
        }
        if let Some((_, number)) = self.numbers().into_iter().find(|(known, _)| *known == name) {
            *number = value.parse().map_err(|_| format!("{setting} has no number"))?;
            return Ok(());
        }
        match name {
            "loop" => self.mode.loops.push(value.to_owned()),
            "run" => value.clone_into(&mut self.run),
            "keeper" => value.clone_into(&mut self.keeper),
            "for" if value.is_empty() => self.mode.seconds = None,
            "for" => {
                let time = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                let time = time.ok_or_else(|| format!("{setting} is not a number of seconds"))?;
                self.mode.seconds = Some(time.as_secs_f64());
            }
            "" => {}
            _ => return Err(format!("there is no {name}; next: ompchunk record --help has the names")),
        }
        Ok(())
    }

    fn flags(&mut self) -> [(&'static str, &mut bool); 6] {
        [
            ("aggregate", &mut self.mode.aggregate),
            ("executions", &mut self.mode.executions),
            ("profile", &mut self.mode.profile),
            ("bookkeeping", &mut self.mode.bookkeeping),
            ("tasks", &mut self.mode.tasks),
            ("cpus", &mut self.mode.cpus),
        ]
    }

    fn numbers(&mut self) -> [(&'static str, &mut u64); 4] {
        [
            ("max-size", self.mode.max_size.get_or_insert(0)),
            ("sample", &mut self.mode.sample),
            ("skip", &mut self.mode.skip),
            ("sample-stacks", &mut self.sample_stacks),
        ]
    }

    fn contradiction(&self) -> Option<String> {
        let Mode { aggregate, executions, profile, tasks, cpus, .. } = self.mode;
        let samples = self.mode.sample > 1;
        let sums = "sums do not tell which iterations took how long";
        let sparse = "where each task is told, so is what is around it";
        let where_it_ran = "without chunks nothing tells what ran on which processor";
        let pairs = [
            (profile && aggregate, "profile", "aggregate", sums),
            (tasks && aggregate, "tasks", "aggregate", sparse),
            (tasks && executions, "tasks", "executions", sparse),
            (tasks && samples, "tasks", "sample", sparse),
            (cpus && aggregate, "cpus", "aggregate", where_it_ran),
            (cpus && executions, "cpus", "executions", where_it_ran),
        ];
        if let Some((_, one, other, why)) = pairs.into_iter().find(|(is_so, ..)| *is_so) {
            return Some(format!("{one} and {other} exclude each other: {why}; leave one of them away"));
        }
        if let Some(number) = self.mode.loops.iter().find(|pattern| is_number(pattern)) {
            return Some(format!(
                "loop={number}: a number is a loop of a report, and there is none yet; name file:line or a part of a \
                 file's or function's name"
            ));
        }
        let hertz = self.sample_stacks;
        let is_wrong = hertz > 0 && !RATES.contains(&hertz);
        is_wrong.then(|| {
            format!("sample-stacks={hertz}: stacks are sampled {} to {} times per second", RATES.start(), RATES.end())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_as_they_went() {
        let command = Command { parent: 7, words: vec!["./app".into(), "two\nlines".into(), "tasks".into()] };
        let mode = Mode {
            sample: 3,
            profile: true,
            loops: vec!["a.c:7".into(), "f<int, int>=".into()],
            seconds: Some(2.5),
            ..Settings::default().mode
        };
        let settings =
            Settings { mode, run: "1.2".into(), keeper: "k".into(), command: Some(command), ..Settings::default() };
        assert_eq!(Settings::parse(&settings.value()), Ok(settings));
        assert_eq!(Settings::parse(&Settings::default().value()), Ok(Settings::default()));
    }

    #[test]
    fn by_hand() {
        let parse = |text: &str| Settings::parse(text.as_ref());
        let asked = parse("tasks,sample-stacks=1000,loop=a.c:7,loop=b.c").unwrap();
        assert_eq!((asked.mode.tasks, asked.sample_stacks, asked.mode.loops.len()), (true, 1000, 2));
        for text in ["sample=", "sample=x", "skip=-1", "for=soon", "typo", "typo=3", "max-size=4G"] {
            assert!(parse(text).is_err(), "{text}");
        }
        let contradicts = |text: &str| parse(text).unwrap().contradiction().is_some();
        for text in ["profile,aggregate", "tasks,sample=2", "cpus,executions", "loop=3", "sample-stacks=20000"] {
            assert!(contradicts(text), "{text}");
        }
        assert!(!contradicts("profile=1,sample=2,cpus,max-size=0"));
    }
}
