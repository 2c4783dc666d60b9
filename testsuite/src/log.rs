//! The oracle's log, as `oracle/oracle_tool.c` writes it.
//!
//! ```text
//! S event result                     the answer of ompt_set_callback
//! T n                                thread n follows, in the order of its own time
//! B task @task parallel @parallel team index flags       implicit task begins
//! E task                                                 implicit task ends
//! W kind parallel task count codeptr                     work begins
//! L endpoint schedule parallel task signed step codeptr   loop event
//! w kind parallel task count                             work ends
//! D kind parallel @parallel task @task start iterations  dispatch event; of a section that the shim tells of, its number and 1
//! C task @task lower upper is_last duration              chunk event; duration as bits of a double
//! K parallel task lower iterations flags codeptr          sub-block event
//! V known start step bits                                what the shim then says of the user's variable
//! N parent frame task flags deps codeptr                  task create event
//! G parent frame task flags deps codeptr duration         task creation event; duration likewise
//! X prior status next                                    task schedule event
//! I loop index trip has_value value                      the program runs an iteration
//! end
//! ```
//!
//! `task` is the value the oracle stored in the datum when the task began, `@task` the datum's
//! address. Missing fields at the end of a line are written as 0.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};

/// What one OMPT datum looked like: the oracle's value in it, and its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Datum {
    /// Unique per task or region; 0 if the pointer was null or nobody set it.
    pub value: u64,
    pub address: u64,
}

/// One thing that happened on a thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Entry {
    TaskBegin {
        task: Datum,
        parallel: Datum,
        /// It is the initial task of the program, a thread, or a league's team.
        initial: bool,
    },
    /// The implicit task that began last on this thread ends.
    TaskEnd {
        task: u64,
    },
    WorkBegin {
        /// An `ompt_work_t`.
        kind: u64,
        parallel: u64,
        task: u64,
        /// How many iterations the runtime was told of.
        trip: u64,
        codeptr: u64,
    },
    WorkEnd {
        /// An `ompt_work_t`.
        kind: u64,
    },
    Create(Create),
    /// Its creation took so long.
    Creation(Create, f64),
    /// The thread leaves a task for another.
    Schedule {
        prior: u64,
        next: u64,
    },
    Loop(LoopEvent),
    Dispatch(Dispatch),
    Chunk(Chunk),
    SubBlock(SubBlock),
    /// The answer to an inquiry that follows a chunk event.
    Variable(Variable),
    Iteration(Iteration),
}

/// `ompt_callback_task_create`, and what `ompt_callback_task_creation` repeats of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Create {
    /// Value of the task that creates.
    pub parent: u64,
    pub frame: u64,
    pub task: u64,
    /// `ompt_task_flag_t`.
    pub flags: u64,
    pub has_dependences: u64,
    pub codeptr: u64,
}

/// `ompt_callback_loop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopEvent {
    /// An `ompt_scope_endpoint_t`.
    pub endpoint: u64,
    /// An `ompt_loop_sched_t`.
    pub schedule: u64,
    /// Value of the parallel region it names.
    pub parallel: u64,
    /// Value of the task it names.
    pub task: u64,
    /// Whether it says that the loop is signed.
    pub signed: u64,
    /// The user's step, as it says.
    pub step: u64,
    /// Where in the program, as it says.
    pub codeptr: u64,
}

/// `ompt_callback_dispatch`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dispatch {
    /// An `ompt_dispatch_t`.
    pub kind: u64,
    pub parallel: Datum,
    pub task: Datum,
    pub start: u64,
    pub iterations: u64,
}

/// `ompt_callback_chunk`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chunk {
    pub task: Datum,
    pub lower: u64,
    pub upper: u64,
    pub is_last: u64,
    pub duration: f64,
}

/// `ompt_callback_sub_block`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubBlock {
    /// Value of the parallel region it names.
    pub parallel: u64,
    /// Value of the task it names.
    pub task: u64,
    pub lower: u64,
    pub iterations: u64,
    /// `ompt_sub_block_flags`.
    pub flags: u64,
}

/// `ompt_chunk_get_variable`, and the width from the loop record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Which of both are known.
    pub known: u64,
    /// The user's first value.
    pub start: u64,
    pub step: u64,
    /// Width of the user's variable.
    pub bits: u32,
}

/// One iteration that the program really ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Iteration {
    /// The program's number for the loop.
    pub the_loop: u64,
    pub index: u64,
    /// How many iterations the loop has.
    pub trip: u64,
    /// The value of the user's variable, if the program says it.
    pub value: Option<u64>,
}

#[derive(Debug, Default)]
pub struct Log {
    /// Answer of `ompt_set_callback` by event number.
    pub registered: BTreeMap<u64, u64>,
    /// What happened on each thread, in order.
    pub threads: Vec<Vec<Entry>>,
}

impl Log {
    /// Reads a log; one that does not end as it should is an error.
    pub fn parse(text: &str) -> Result<Log> {
        let mut log = Log::default();
        let mut lines = text.lines().enumerate();
        for (number, line) in &mut lines {
            if line == "end" {
                break;
            }
            log.line(line).with_context(|| format!("line {}: `{line}`", number + 1))?;
        }
        if !text.ends_with("end\n") {
            bail!("the log is not complete");
        }
        Ok(log)
    }

    fn line(&mut self, line: &str) -> Result<()> {
        let (letter, rest) = line.split_once(' ').context("no fields")?;
        let mut fields = Fields([0; 7]);
        for (slot, word) in fields.0.iter_mut().zip(rest.split(' ')) {
            *slot = word.parse().context("not a number")?;
        }
        match letter {
            "S" => {
                self.registered.insert(fields.0[0], fields.0[1]);
            }
            "T" => self.threads.push(Vec::new()),
            _ => {
                let entry = fields.entry(letter)?;
                let thread = self.threads.last_mut();
                thread.context("before the first thread")?.push(entry);
            }
        }
        Ok(())
    }
}

/// The numbers of a line; 0 where it has no more.
struct Fields([u64; 7]);

impl Fields {
    fn datum(&self, first: usize) -> Datum {
        Datum { value: self.0[first], address: self.0[first + 1] }
    }

    /// What happened, by the line's letter.
    fn entry(&self, letter: &str) -> Result<Entry> {
        let f = &self.0;
        Ok(match letter {
            "B" => Entry::TaskBegin { task: self.datum(0), parallel: self.datum(2), initial: f[6] & 1 == 1 },
            "E" => Entry::TaskEnd { task: f[0] },
            "W" => Entry::WorkBegin { kind: f[0], parallel: f[1], task: f[2], trip: f[3], codeptr: f[4] },
            "w" => Entry::WorkEnd { kind: f[0] },
            "N" => Entry::Create(self.create()),
            "G" => Entry::Creation(self.create(), f64::from_bits(f[6])),
            "X" => Entry::Schedule { prior: f[0], next: f[2] },
            "L" => Entry::Loop(self.loop_event()),
            "D" => Entry::Dispatch(self.dispatch()),
            "C" => Entry::Chunk(self.chunk()),
            "K" => Entry::SubBlock(self.sub_block()),
            "V" => Entry::Variable(self.variable()?),
            "I" => Entry::Iteration(self.iteration()),
            _ => bail!("unknown letter"),
        })
    }

    fn create(&self) -> Create {
        let [parent, frame, task, flags, has_dependences, codeptr, _] = self.0;
        Create { parent, frame, task, flags, has_dependences, codeptr }
    }

    fn loop_event(&self) -> LoopEvent {
        let [endpoint, schedule, parallel, task, signed, step, codeptr] = self.0;
        LoopEvent { endpoint, schedule, parallel, task, signed, step, codeptr }
    }

    fn dispatch(&self) -> Dispatch {
        Dispatch {
            kind: self.0[0],
            parallel: self.datum(1),
            task: self.datum(3),
            start: self.0[5],
            iterations: self.0[6],
        }
    }

    fn chunk(&self) -> Chunk {
        Chunk {
            task: self.datum(0),
            lower: self.0[2],
            upper: self.0[3],
            is_last: self.0[4],
            duration: f64::from_bits(self.0[5]),
        }
    }

    fn sub_block(&self) -> SubBlock {
        let [parallel, task, lower, iterations, flags, ..] = self.0;
        SubBlock { parallel, task, lower, iterations, flags }
    }

    fn variable(&self) -> Result<Variable> {
        let [known, start, step, bits, ..] = self.0;
        Ok(Variable { known, start, step, bits: u32::try_from(bits).context("a width")? })
    }

    fn iteration(&self) -> Iteration {
        let [the_loop, index, trip, has_value, value, ..] = self.0;
        Iteration { the_loop, index, trip, value: (has_value != 0).then_some(value) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_tool_writes() {
        let bits = 1.5_f64.to_bits();
        let text = format!(
            "S 82 3\nT 0\nB 4 4096 3 8192 2 0 2\nW 10 3 4 7 9 0 0\nC 4 4096 0 2 1 {bits} 0\nI 5 0 7 1 100 0 0\nend\n"
        );
        let log = Log::parse(&text).unwrap();
        assert_eq!(log.registered, [(82, 3)].into());
        let task = Datum { value: 4, address: 4096 };
        assert_eq!(
            log.threads,
            [[
                Entry::TaskBegin { task, parallel: Datum { value: 3, address: 8192 }, initial: false },
                Entry::WorkBegin { kind: 10, parallel: 3, task: 4, trip: 7, codeptr: 9 },
                Entry::Chunk(Chunk { task, lower: 0, upper: 2, is_last: 1, duration: 1.5 }),
                Entry::Iteration(Iteration { the_loop: 5, index: 0, trip: 7, value: Some(100) }),
            ]]
        );
    }

    #[test]
    fn a_torn_log_is_an_error() {
        assert!(Log::parse("T 0\nE 4 0 0 0 0 0 0\n").is_err());
        assert!(Log::parse("T 0\nQ 4\nend\n").is_err());
    }
}
