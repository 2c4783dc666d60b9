//! How many stacks a recording has, and why it has not more.

use std::path::Path;

use ompchunk_figures::{are, counted};
use ompchunk_trace_format::shown;
use ompchunk_trace_format::stacks::{Counts, StackFile};

#[derive(Debug, Default)]
pub(super) struct Stacks {
    files: u64,
    counts: Counts,
    cut: u64,
    /// CPU time of the samples, in nanoseconds.
    cpu: u64,
    hertz: u32,
    remarks: String,
}

impl Stacks {
    pub(super) fn add(&mut self, part: &Path) {
        match StackFile::beside(part) {
            Ok(None) => {}
            Ok(Some(file)) => self.add_file(&file),
            Err(error) => self.remarks += &format!("ompchunk: stacks: {error}\n"),
        }
    }

    fn add_file(&mut self, file: &StackFile) {
        let counts = file.counts();
        self.files += 1;
        self.counts.samples += counts.samples;
        self.counts.expired += counts.expired;
        self.counts.no_room += counts.no_room;
        self.hertz = file.meta().hertz;
        let (mut cut, mut cpu) = (0, 0_u64);
        let read = file.for_each(|sample| {
            cut += u64::from(sample.cut.is_some());
            cpu = cpu.saturating_add(sample.cpu_ns);
        });
        (self.cut, self.cpu) = (self.cut + cut, self.cpu.saturating_add(cpu));
        if let Err(error) = read {
            self.remarks += &format!("ompchunk: stacks: {error}\n");
        }
        if !file.ended() {
            let name = shown(file.path());
            self.remarks +=
                &format!("ompchunk: {name} is cut: samples of the last quarter of a second may be missing\n");
        }
    }

    pub(super) fn text(&self) -> String {
        let Counts { samples, no_room, expired, .. } = self.counts;
        if self.files == 0 {
            return self.remarks.clone();
        }
        let mut text = format!("ompchunk: stacks: {}", counted(samples, "sample"));
        if self.cpu > 0 {
            let rate = samples as f64 * 1e9 / self.cpu as f64;
            text += &format!(", {rate:.0} per second of CPU time");
            if rate < f64::from(self.hertz) * 0.8 {
                text += &format!(" ({} were asked for: the kernel's tick allows no more)", self.hertz);
            }
        }
        if samples == 0 && no_room == 0 {
            text += match expired {
                0 => {
                    ": no OpenMP thread that was sampled used the processor for long enough, a tick of the kernel (1 to 10 ms), or all \
                     blocked the signal"
                }
                _ => ": whenever a timer expired, the recorder was at work or paused",
            };
        }
        if self.cut > 0 {
            text += &format!("; {} {} not whole", counted(self.cut, "stack"), are(self.cut));
        }
        if no_room > 0 {
            text += &format!("; {} lost for lack of room", counted(no_room, "sample"));
        }
        text.push('\n');
        text + &self.remarks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(samples: u64, expired: u64) -> String {
        let mut stacks = Stacks { files: 1, ..Stacks::default() };
        (stacks.counts.samples, stacks.counts.expired) = (samples, expired);
        stacks.text()
    }

    #[test]
    fn why_there_are_none() {
        assert!(said(0, 0).contains(": 0 samples: no OpenMP thread that was sampled used the processor"));
        assert!(said(0, 7).contains(": 0 samples: whenever a timer expired, the recorder was at work"));
        assert_eq!(said(1, 1), "ompchunk: stacks: 1 sample\n");
    }
}
