//! Where a process records, and which rank it is, by its environment. Command and recorder have this in common.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// The directory for parts; `./NAME.ompchunk`, after the program, if it is not set.
pub const DIRECTORY: &str = "OMPCHUNK_TRACE";

/// Where launchers tell a process its rank, the inner one of those within each other first. MPICH's, started by Slurm, leaves `PMIX_RANK`
/// of its own processes to the ranks; Slurm sets `SLURM_PROCID` for a batch script too, which is no rank.
const LAUNCHERS: [Launcher; 4] = [
    Launcher { rank: "OMPI_COMM_WORLD_RANK", size: Some("OMPI_COMM_WORLD_SIZE"), job: &["PMIX_NAMESPACE"] },
    Launcher { rank: "PMI_RANK", size: Some("PMI_SIZE"), job: &["PMI_JOBID"] },
    Launcher { rank: "PMIX_RANK", size: None, job: &["PMIX_NAMESPACE"] },
    Launcher { rank: SLURM, size: Some("SLURM_STEP_NUM_TASKS"), job: &["SLURM_JOB_ID", STEP] },
];
const SLURM: &str = "SLURM_PROCID";
const STEP: &str = "SLURM_STEP_ID";

struct Launcher {
    rank: &'static str,
    size: Option<&'static str>,
    /// What all ranks of a run have in common, and no other run has.
    job: &'static [&'static str],
}

/// A process's place among those that were started with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rank {
    /// Counted from 0.
    pub rank: u64,
    /// How many there are, if the launcher says so.
    pub size: Option<u64>,
    /// The variable that the rank came from.
    pub from: &'static str,
    /// A name that the ranks of a run agree in, if the launcher has one.
    pub job: Option<String>,
}

/// What a directory for parts is called if nobody says otherwise.
pub const SUFFIX: &str = ".ompchunk";

/// A variable that is set and not empty.
pub fn set(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// This process's rank.
pub fn rank() -> Option<Rank> {
    rank_by(|name| Some(set(name)?.to_str()?.to_owned()))
}

fn rank_by(value: impl Fn(&str) -> Option<String>) -> Option<Rank> {
    let number = |name: &str| value(name)?.parse().ok();
    // PMIx itself has no variable for the size. Where its name for the job is that of this step, Slurm's is right.
    let is_step = || {
        let names = ["SLURM_JOB_ID", STEP].map(|name| value(name).unwrap_or_default());
        value("PMIX_NAMESPACE") == Some(format!("slurm.pmix.{}.{}", names[0], names[1]))
    };
    LAUNCHERS.iter().find_map(|launcher| {
        let rank = number(launcher.rank)?;
        if launcher.rank == SLURM && value(STEP).is_none() {
            return None;
        }
        let job: Option<Vec<String>> = launcher.job.iter().map(|name| value(name)).collect();
        Some(Rank {
            rank,
            size: match launcher.size {
                Some(name) => number(name),
                None => is_step().then(|| number("SLURM_STEP_NUM_TASKS")).flatten(),
            },
            from: launcher.rank,
            job: job.map(|names| names.join(".")),
        })
    })
}

/// The name of a process's part, without number and ending.
pub fn part_name(rank: Option<u64>, pid: u32) -> String {
    match rank {
        Some(rank) => format!("rank-{rank}"),
        None => format!("pid-{pid}"),
    }
}

/// The rank that a part's name tells.
pub fn rank_of(part: &Path) -> Option<u64> {
    let name = part.file_name()?.to_str()?.split('.').next()?;
    name.strip_prefix("rank-")?.parse().ok()
}

/// Longer commands are not handed on: they leave a program little room for its environment.
const MOST: usize = 32 << 10;

/// A process, and the words with which it starts another one, for the recorder: a program may write over its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The process that starts it.
    pub parent: u32,
    /// The program and its arguments.
    pub words: Vec<OsString>,
}

impl Command {
    /// As a variable's value: a number and a word per line. `None`: it is too long.
    pub fn value(&self) -> Option<OsString> {
        let mut bytes = self.parent.to_string().into_bytes();
        for word in &self.words {
            bytes.push(b'\n');
            for byte in word.as_bytes() {
                match byte {
                    b'\n' => bytes.extend(b"\\n"),
                    b'\\' => bytes.extend(b"\\\\"),
                    _ => bytes.push(*byte),
                }
            }
        }
        (bytes.len() <= MOST).then(|| OsString::from_vec(bytes))
    }

    /// What [`Command::value`] has made.
    pub fn from_value(value: &OsStr) -> Option<Command> {
        let mut lines = value.as_bytes().split(|byte| *byte == b'\n');
        let parent = std::str::from_utf8(lines.next()?).ok()?.parse().ok()?;
        let words = lines.map(word).collect::<Option<_>>()?;
        Some(Command { parent, words })
    }
}

fn word(line: &[u8]) -> Option<OsString> {
    let (mut bytes, mut rest) = (Vec::new(), line.iter());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' if *rest.next()? == b'n' => b'\n',
            byte => *byte,
        });
    }
    Some(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank_in(variables: &[(&str, &str)]) -> Option<(u64, Option<u64>, &'static str, Option<String>)> {
        let value = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name)?;
            Some(found.1.to_owned())
        };
        rank_by(value).map(|rank| (rank.rank, rank.size, rank.from, rank.job))
    }

    /// The variables are those that the launchers really set, seen with Open MPI 4.1, MPICH 4.0 and
    /// Slurm 22.05.
    #[test]
    fn the_inner_launcher_says_which_rank() {
        let batch = [("SLURM_JOB_ID", "7"), ("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")];
        assert_eq!(rank_in(&batch), None);
        let step = [("SLURM_STEP_ID", "2"), ("SLURM_STEP_NUM_TASKS", "4")];
        let mut slurm = batch.to_vec();
        slurm.extend(step);
        assert_eq!(rank_in(&slurm), Some((0, Some(4), "SLURM_PROCID", Some("7.2".into()))));
        let mut open_mpi = batch.to_vec();
        open_mpi.extend([
            ("OMPI_COMM_WORLD_RANK", "3"),
            ("OMPI_COMM_WORLD_SIZE", "4"),
            ("PMIX_RANK", "3"),
            ("PMIX_NAMESPACE", "1188233217"),
        ]);
        assert_eq!(rank_in(&open_mpi), Some((3, Some(4), "OMPI_COMM_WORLD_RANK", Some("1188233217".into()))));
        let mut pmix = slurm.clone();
        pmix.extend([("PMIX_RANK", "0"), ("PMIX_NAMESPACE", "slurm.pmix.7.2")]);
        assert_eq!(rank_in(&pmix), Some((0, Some(4), "PMIX_RANK", Some("slurm.pmix.7.2".into()))));
        pmix.push(("PMIX_NAMESPACE", "other"));
        pmix.remove(pmix.len() - 2);
        assert_eq!(rank_in(&pmix), Some((0, None, "PMIX_RANK", Some("other".into()))));
        // MPICH's launcher, itself started by `srun --mpi=pmix`.
        let mut mpich = slurm.clone();
        mpich.extend([("PMIX_RANK", "0"), ("PMIX_NAMESPACE", "slurm.pmix.7.2"), ("PMI_RANK", "3"), ("PMI_SIZE", "4")]);
        assert_eq!(rank_in(&mpich), Some((3, Some(4), "PMI_RANK", None)));
        assert_eq!(rank_in(&[("PMI_RANK", "none")]), None);
    }

    #[test]
    fn words_come_as_they_went() {
        let words = ["./app", "", "a b", "\\n", "two\nlines\\", "-n\t7"];
        let words = words.map(OsString::from).to_vec();
        let command = Command { parent: 7, words };
        assert_eq!(Command::from_value(&command.value().unwrap()), Some(command));
        let mut long = Command::from_value("7\n./app".as_ref()).unwrap();
        assert_eq!(long.words, ["./app"]);
        long.words.push("x".repeat(MOST).into());
        assert_eq!(long.value(), None);
        assert_eq!(Command::from_value("no number".as_ref()), None);
    }
}
