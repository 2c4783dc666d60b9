//! Where in a loop's body the time goes: source lines, from sampled stacks, with the error that sampling has.

use std::collections::{BTreeMap, HashMap};

use ompchunk_trace_format::stacks::StackFile;
use ompchunk_trace_format::words::{are, counted};
use ompchunk_trace_format::{Error, Part, shown};
use serde::Serialize;

use crate::sampled::{self, Entry, Kind, Sampled};

/// The quantile of the normal distribution that leaves 2.5 % above it.
const Z: f64 = 1.959_964;

/// Where the threads were in a loop.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Hot {
    /// Stacks that were sampled in the loop.
    pub samples: u64,
    /// Thread time in the loop, its waits left out.
    pub seconds: f64,
    /// What of it no sample stands for: threads that were never met in the loop.
    pub unsampled_seconds: f64,
    /// The lines, the largest share first.
    pub lines: Vec<HotLine>,
}

/// A line of the source.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HotLine {
    /// The function, as the source has it; `None`: no symbol is known.
    pub function: Option<String>,
    /// The file; `None`: no line is known.
    pub file: Option<String>,
    /// The line; 0: not known.
    pub line: u32,
    /// Samples in the line, or in what it calls and of which no line is known.
    pub samples: u64,
    /// Thread time that they stand for.
    pub seconds: f64,
    /// Of the time of all samples.
    pub share: f64,
    /// What the share would be in 95 of 100 such recordings, if samples came at random.
    pub between: [f64; 2],
}

/// What is known of the loops of a report, and what is not.
#[derive(Debug, Default)]
pub struct HotLines {
    /// By loop, in the order in which they were asked for. `None`: no stack was sampled in it.
    pub loops: Vec<Option<Hot>>,
    /// Why lines are missing, for the user.
    pub notes: Vec<String>,
}

type Line = (Option<String>, Option<String>, u32);

#[derive(Default)]
struct Sum {
    samples: u64,
    ns: f64,
    unsampled: f64,
    lines: HashMap<Line, (u64, f64)>,
    /// Of the samples' times.
    squares: f64,
}

/// Of some loops: what each is called in the parts.
pub(crate) fn lines(
    parts: &[&Part],
    loops: &[HashMap<usize, Vec<u32>>],
) -> Result<HotLines, Error> {
    let mut sums: Vec<Sum> = loops.iter().map(|_| Sum::default()).collect();
    let mut notes = BTreeMap::new();
    for (number, part) in parts.iter().enumerate() {
        let file = match StackFile::beside(part.path()) {
            Ok(Some(file)) if file.meta().started == part.meta().started => file,
            Ok(None) => continue,
            Ok(Some(file)) => {
                let path = shown(file.path());
                let note = format!(
                    "{path} is of another recording than the part beside it: its stacks are left out"
                );
                notes.insert(note, ());
                continue;
            }
            Err(error) => {
                notes.insert(format!("{error}: hot lines are without it"), ());
                continue;
            }
        };
        let sampled = sampled::of(part, &file)?;
        for (path, why) in &sampled.unreadable {
            let path = shown(path);
            notes.insert(format!("no lines of {path}: {why}"), ());
        }
        if file.torn() > 0 {
            let (path, torn) = (shown(file.path()), file.torn());
            notes.insert(
                format!(
                    "{path}: {} {} not whole, and the samples there are missing",
                    counted(torn, "block"),
                    are(torn)
                ),
                (),
            );
        }
        let mut of_loop: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, numbers) in loops.iter().enumerate() {
            for the_loop in numbers.get(&number).into_iter().flatten() {
                of_loop.entry(*the_loop).or_default().push(at);
            }
        }
        for entry in &sampled.entries {
            for at in of_loop.get(&entry.the_loop).into_iter().flatten() {
                let ns = part.clock().duration(entry.ticks);
                sums[*at].add(entry, ns, &sampled);
            }
        }
    }
    Ok(HotLines {
        loops: sums.into_iter().map(Sum::finish).collect(),
        notes: notes.into_keys().collect(),
    })
}

impl Sum {
    fn add(&mut self, entry: &Entry, ns: f64, sampled: &Sampled) {
        if entry.state.kind() != Kind::Work {
            return;
        }
        self.ns += ns;
        if !entry.sampled() {
            self.unsampled += ns;
            return;
        }
        self.samples += 1;
        self.squares += ns * ns;
        let line = self.lines.entry(line_of(entry, sampled)).or_default();
        *line = (line.0 + 1, line.1 + ns);
    }

    fn finish(self) -> Option<Hot> {
        if self.samples == 0 {
            return None;
        }
        let of_samples = self.ns - self.unsampled;
        // Samples that stand for different times are worth fewer that stand for the same.
        let worth = match self.squares > 0.0 {
            true => of_samples * of_samples / self.squares,
            false => self.samples as f64,
        };
        let mut lines: Vec<HotLine> = self
            .lines
            .into_iter()
            .map(|((function, file, line), (samples, ns))| {
                let share = match of_samples > 0.0 {
                    true => ns / of_samples,
                    false => samples as f64 / self.samples as f64,
                };
                HotLine {
                    function,
                    file,
                    line,
                    samples,
                    seconds: ns / 1e9,
                    share,
                    between: interval(share, worth),
                }
            })
            .collect();
        lines.sort_by(|one, other| {
            let by_name = || {
                (&one.file, one.line, &one.function).cmp(&(
                    &other.file,
                    other.line,
                    &other.function,
                ))
            };
            other.share.total_cmp(&one.share).then_with(by_name)
        });
        Some(Hot {
            samples: self.samples,
            seconds: self.ns / 1e9,
            unsampled_seconds: self.unsampled / 1e9,
            lines,
        })
    }
}

/// The innermost line that is known: a library without lines counts to the line that calls it.
fn line_of(entry: &Entry, sampled: &Sampled) -> Line {
    let frames = &sampled.stacks.of(entry.user).frames;
    let frames = || frames.iter().map(|it| sampled.frames.of(*it));
    let known = frames().find(|it| it.file.is_some() && it.line > 0);
    match known.or_else(|| frames().next()) {
        Some(it) => (it.function.clone(), it.file.clone(), it.line),
        None => (None, None, 0),
    }
}

/// Wilson's score interval, of 95 %.
fn interval(share: f64, samples: f64) -> [f64; 2] {
    let square = Z * Z / samples;
    let middle = (share + square / 2.0) / (1.0 + square);
    let half = Z / (1.0 + square)
        * (share * (1.0 - share) / samples + square / (4.0 * samples))
            .max(0.0)
            .sqrt();
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilsons() {
        // Newcombe 1998, table I: 81 of 263, and 0 of 20.
        let [low, high] = interval(81.0 / 263.0, 263.0);
        assert!((low - 0.2553).abs() < 1e-4 && (high - 0.3662).abs() < 1e-4);
        let [low, high] = interval(0.0, 20.0);
        assert!(low == 0.0 && (high - 0.1611).abs() < 1e-4);
    }
}
