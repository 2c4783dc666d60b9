//! From the bytes of one block to events, in place. Every length is checked before it is used; nothing
//! here panics, whatever the bytes.

use crate::block::{BlockHead, u32_at, u64_at};
use crate::encode::{REGION, second_of_pair};
use crate::event::{
    Aggregate, Chunk, Code, Event, Histogram, IMPLICIT, LoopBegin, LoopDefinition, Lost, NOBODY,
    Sync,
};
use crate::group::Group;
use crate::joint;
use crate::layout::{BLOCK_HEAD, UNIT, kind, units};
use crate::openacc::{AccEnd, AccOperation, AccSite};
use crate::steered::{LeftOut, Paused, Unwanted};
use crate::sub_block::SubBlock;
use crate::sum::{Sum, SumOf};
use crate::times::{OffCore, Recorder, Times};

/// Reads the records of one block, one after the other.
#[derive(Debug, Clone)]
pub struct Records {
    at: usize,
    size: usize,
    ticks: u64,
    thread: u32,
    half: Half,
}

/// Where in a record of two events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    /// In a record of one, or a pair of chunks whose second is not there.
    Whole,
    /// At the first; so many ticks before the second.
    First(u32),
    Second,
}

/// What is wrong with a block, and how far into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Bytes from the start of the block.
    pub at: usize,
    /// What is wrong.
    pub what: String,
    /// The bytes simply end here: a record that is not whole.
    pub is_cut: bool,
}

impl Records {
    /// The records of the block with this head.
    #[must_use]
    pub fn new(head: &BlockHead) -> Records {
        Records {
            at: BLOCK_HEAD,
            size: 0,
            ticks: head.ticks,
            thread: head.thread,
            half: Half::Whole,
        }
    }

    /// Where the current record is, in bytes from the start of the block.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Time of the current record.
    #[inline]
    #[must_use]
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// The thread that the current record is of.
    #[inline]
    #[must_use]
    pub fn thread(&self) -> u32 {
        self.thread
    }

    /// Goes to the next record of `block`, the bytes that the head came from; false at the end.
    #[inline]
    pub fn advance(&mut self, block: &[u8]) -> Result<bool, Damage> {
        if let Half::First(apart) = self.half {
            self.half = Half::Second;
            self.ticks = self.ticks.wrapping_add(apart.into());
            return Ok(true);
        }
        self.half = Half::Whole;
        loop {
            self.at += self.size;
            self.size = 0;
            let Some(unit) = block.get(self.at..self.at + UNIT) else {
                return self.end(block);
            };
            let first = u64::from_le_bytes(unit[..8].try_into().expect("eight bytes"));
            let kind = first as u8;
            if kind == kind::CHUNK || kind == kind::CHUNK_LAST {
                self.size = UNIT;
                self.pass(first);
                return Ok(true);
            }
            if kind == kind::CHUNK_PAIR {
                self.size = UNIT;
                self.pass(first);
                if second_of_pair(u64_at(unit, 8)).is_some() {
                    self.half = Half::First(first as u32 >> 8);
                }
                return Ok(true);
            }
            if kind == 0 {
                return Ok(false);
            }
            let count = if kind >= kind::VARIABLE {
                (first >> 8) as usize & 0xff_ffff
            } else {
                units(kind).unwrap_or(0)
            };
            if count == 0 {
                return Err(self.damage(format!("there is no record of kind {kind}"), false));
            }
            if block.len() - self.at < count * UNIT {
                return Err(self.damage(
                    format!("a record of kind {kind} has {count} units and goes beyond the end"),
                    true,
                ));
            }
            self.size = count * UNIT;
            if kind == kind::TIME {
                self.ticks = u64_at(block, self.at + 8);
                continue;
            }
            self.pass(first);
            match kind {
                kind::THREAD_BEGIN => self.thread = u32_at(block, self.at + 8),
                // Of a later version.
                _ if kind > kind::LAST => continue,
                _ => {
                    if let Some((_, apart)) = joint::parts(kind, first as u32 >> 8) {
                        self.half = Half::First(apart);
                    }
                }
            }
            return Ok(true);
        }
    }

    /// The low half of the time is in the record; it is less than half its range from the last one.
    #[inline]
    fn pass(&mut self, first: u64) {
        let distance = ((first >> 32) as u32).wrapping_sub(self.ticks as u32) as i32;
        self.ticks = self.ticks.wrapping_add_signed(distance.into());
    }

    fn end(&self, block: &[u8]) -> Result<bool, Damage> {
        if self.at >= block.len() {
            return Ok(false);
        }
        Err(self.damage("a record is not whole".into(), true))
    }

    fn damage(&self, what: String, is_cut: bool) -> Damage {
        Damage {
            at: self.at,
            what,
            is_cut,
        }
    }

    /// The record that [`Records::advance`] went to.
    #[inline]
    pub fn event<'a>(&self, block: &'a [u8]) -> Result<Event<'a>, Damage> {
        let record = block.get(self.at..self.at + self.size).unwrap_or(&[]);
        let first = u64_at(record, 0);
        let kind = first as u8;
        if kind == kind::CHUNK || kind == kind::CHUNK_LAST {
            return Ok(Event::Chunk(Chunk {
                lower: u32_at(record, 8).into(),
                iterations: u32_at(record, 12).into(),
                create_duration: first >> 8 & 0xff_ffff,
                last: kind == kind::CHUNK_LAST,
            }));
        }
        if kind == kind::CHUNK_PAIR {
            return Ok(Event::Chunk(self.of_pair(u64_at(record, 8))));
        }
        self.other(record)
    }

    #[inline]
    fn of_pair(&self, word: u64) -> Chunk {
        let chunk = match (self.half, second_of_pair(word)) {
            (Half::Second, Some(second)) => second,
            (_, Some(_)) => word & 0xffff_ffff_ffff,
            (_, None) => word,
        };
        Chunk {
            lower: chunk as u32 as u64,
            iterations: chunk >> 32,
            create_duration: 0,
            last: false,
        }
    }

    fn other<'a>(&self, record: &'a [u8]) -> Result<Event<'a>, Damage> {
        let kind = record.first().copied().unwrap_or(0);
        let small = u32_at(record, 0) >> 8;
        let word = |number: usize| u32_at(record, number * 4);
        let long = |number: usize| u64_at(record, number * 8);
        if let Some((small, _)) = joint::parts(kind, small) {
            let is_second = self.half == Half::Second;
            return Ok(joint::event(kind, small, is_second, word, long));
        }
        let sync = || Sync {
            kind: small,
            code: long(1),
        };
        Ok(match kind {
            kind::CHUNK_WIDE => Event::Chunk(Chunk {
                lower: long(2),
                iterations: long(3),
                create_duration: long(1),
                last: small & 1 != 0,
            }),
            kind::SUB_BLOCK => Event::SubBlock(SubBlock::of(long(1), long(2), word(6))),
            kind::THREAD_BEGIN => Event::ThreadBegin {
                thread: word(2),
                os_thread: word(3),
                kind: small,
            },
            kind::THREAD_END => Event::ThreadEnd { thread: word(2) },
            kind::PARALLEL_BEGIN => Event::ParallelBegin {
                parallel: long(2),
                requested: word(2),
                flags: small,
                code: long(3),
            },
            kind::PARALLEL_END => Event::ParallelEnd { parallel: long(1) },
            kind::IMPLICIT_TASK_BEGIN => Event::ImplicitTaskBegin {
                parallel: long(2),
                index: word(2),
                team_size: word(3),
                flags: small,
            },
            kind::TASK_BEGIN => Event::ImplicitTaskBegin {
                parallel: long(1) & ((1 << REGION) - 1),
                index: small,
                team_size: (long(1) >> REGION) as u32,
                flags: IMPLICIT,
            },
            kind::IMPLICIT_TASK_END => Event::ImplicitTaskEnd { parallel: long(1) },
            kind::WORK_BEGIN => Event::WorkBegin {
                work: small,
                count: long(1),
                code: long(2),
            },
            kind::WORK_BEGIN_SHORT => Event::WorkBegin {
                work: small & 0xff,
                count: (small >> 8).into(),
                code: long(1),
            },
            kind::WORK_END => Event::WorkEnd { work: small },
            kind::SYNC_BEGIN => Event::SyncBegin(sync()),
            kind::SYNC_END => Event::SyncEnd(sync()),
            kind::WAIT_BEGIN => Event::WaitBegin(sync()),
            kind::WAIT_END => Event::WaitEnd(sync()),
            kind::LOOP_BEGIN | kind::LOOP_BEGIN_USER => Event::LoopBegin(LoopBegin {
                the_loop: word(2),
                work: word(3),
                count: long(2),
                start: (kind == kind::LOOP_BEGIN_USER && small & 1 != 0).then(|| long(4) as i64),
                step: (kind == kind::LOOP_BEGIN_USER && small & 2 != 0).then(|| long(5) as i64),
            }),
            kind::LOOP_BEGIN_SHORT => {
                let [start, step] = [word(3) as i16, (word(3) >> 16) as i16].map(i64::from);
                Event::LoopBegin(LoopBegin {
                    the_loop: small & 0xffff,
                    work: small >> 16 & 0x3f,
                    count: word(2).into(),
                    start: (small >> 22 & 1 != 0).then_some(start),
                    step: (small >> 23 & 1 != 0).then_some(step),
                })
            }
            kind::LOOP_END => Event::LoopEnd { the_loop: word(2) },
            kind::TASK_CREATE => Event::TaskCreate {
                task: long(2),
                parent: long(3),
                flags: long(5) as u32,
                create_duration: long(1),
                code: long(4),
            },
            kind::TASK_SCHEDULE => Event::TaskSchedule {
                prior: long(2),
                status: small,
                next: long(3),
            },
            kind::RECORDER => Event::Recorder(Recorder {
                ticks: long(1),
                preempted: long(2),
                before: small,
            }),
            kind::OFF_CORE => Event::OffCore(OffCore {
                ticks: long(1),
                since: long(2),
                voluntary: word(6),
                involuntary: word(7),
                core: small.checked_sub(1),
            }),
            kind::LOOP_TIMES => Event::Times(Times {
                the_loop: word(2),
                thread: word(3),
                recorder: long(2),
                preempted: long(3),
                waiting: long(4),
                either: long(5),
            }),
            kind::LOST => Event::Lost(Lost {
                reason: small,
                the_loop: word(2),
                thread: word(3),
                chunks: long(2),
                iterations: long(3),
                events: long(4),
                from: long(6),
                to: long(7),
            }),
            kind::PAUSE => Event::Pause(Paused::of(small)),
            kind::RESUME => Event::Resume,
            kind::BARRIERS => Event::Barriers {
                parallel: long(1),
                count: long(2),
            },
            kind::LEFT_OUT => Event::LeftOut(LeftOut {
                why: Unwanted::of(small),
                the_loop: word(2),
                thread: word(3),
                executions: long(2),
            }),
            kind::OMITTED => Event::Omitted {
                the_loop: word(2),
                why: Unwanted::of(small),
            },
            kind::LOOP_DEFINITION => {
                let [construct, bits, variable_bits, instrumented] = word(7).to_le_bytes();
                let (function, file) = self.texts(record, 5, word(16), word(17))?;
                // Recorders before there were groups wrote zeros here.
                let group = self.texts(
                    record,
                    5,
                    word(16).saturating_add(word(17)),
                    Group::size(word(19)),
                )?;
                Event::Loop(LoopDefinition {
                    the_loop: word(2),
                    instrumented: instrumented != 0,
                    construct,
                    bits,
                    variable_bits,
                    fixed: long(9) as u8,
                    bound: (long(9) >> 8) as u8,
                    flags: word(3),
                    schedule: word(6),
                    chunk: long(4) as i64,
                    start: long(5) as i64,
                    step: long(6) as i64,
                    line: word(14),
                    column: word(15),
                    code: long(2),
                    function,
                    file,
                    group: Group::from(group.1),
                })
            }
            kind::CODE_DEFINITION => {
                let (function, object) = self.texts(record, 2, word(2), word(3))?;
                Event::Code(Code {
                    address: long(2),
                    offset: long(3),
                    object,
                    function,
                })
            }
            kind::AGGREGATE => {
                let size = u32::try_from(long(9)).unwrap_or(NOBODY).saturating_mul(8);
                let (histogram, _) = self.texts(record, 5, size, 0)?;
                Event::Aggregate(Aggregate {
                    the_loop: word(2),
                    thread: word(3),
                    executions: long(2),
                    chunks: long(3),
                    iterations: long(4),
                    sum: long(5),
                    min: long(6),
                    max: long(7),
                    create_duration: long(8),
                    histogram: Histogram(histogram),
                })
            }
            kind::SUM => Event::Sum(Sum {
                thread: word(2),
                what: SumOf::of(word(3) & 0xff),
                of: word(3) >> 8,
                code: long(2),
                the_loop: word(6),
                count: long(4),
                sum: long(5),
                min: long(6),
                max: long(7),
                from: long(8),
                to: long(9),
            }),
            kind::ACC_SITE => {
                let site = AccSite::decode(record, word);
                Event::AccSite(site.ok_or_else(|| self.beyond())?)
            }
            kind::ACC_BEGIN => Event::AccBegin(AccOperation::decode(long)),
            kind::ACC_POINT => Event::AccPoint(AccOperation::decode(long)),
            kind::ACC_END => Event::AccEnd(AccEnd::decode(word(2), word(3))),
            other => return Err(self.damage(format!("there is no record of kind {other}"), false)),
        })
    }

    /// Two strings that follow `head` units.
    fn texts<'a>(
        &self,
        record: &'a [u8],
        head: usize,
        first: u32,
        second: u32,
    ) -> Result<(&'a [u8], &'a [u8]), Damage> {
        let all = record.get(head * UNIT..).unwrap_or(&[]);
        let (first, second) = (first as usize, second as usize);
        match all.get(..first).zip(all.get(first..first + second)) {
            Some(both) => Ok(both),
            None => Err(self.beyond()),
        }
    }

    fn beyond(&self) -> Damage {
        self.damage("a text goes beyond its record".into(), false)
    }
}
