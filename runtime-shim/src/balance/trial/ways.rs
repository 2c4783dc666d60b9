//! The ways to run a loop that take turns.

use core::mem::discriminant;

use super::super::part_times::Times;
use super::super::plan::{Correction, Mode, end, is_even, is_uneven_for_blocks};
use super::super::rounds::{ALL_ROUNDS, LEAST_GAIN, OTHERS, Ratios, SOME_ROUNDS, Turn, Verdict, slower, verdict};

/// Chunks are too long with which the busiest thread takes so many times what the average one takes; they are then a so-manieth as long.
const UNEVEN_CHUNKS: f64 = 1.1;
const SHORTER: u32 = 8;

pub(super) struct Ways {
    pub(super) tried: [Option<Mode>; OTHERS],
    /// The ways that are not given up.
    ways: [Option<Mode>; OTHERS],
    ratios: [Option<Ratios>; OTHERS],
    rounds: usize,
    /// After so many, only what is promising goes on.
    patience: usize,
    /// Rounds in which blocks of equal cost were so uneven that chunks may be better.
    uneven_blocks: usize,
    /// Which of this round's turns is on.
    turn: usize,
    /// This round's: as compiled, then the others'.
    turns: [Turn; OTHERS + 1],
}

pub(super) enum Turned {
    Next(Mode),
    /// This way is decided, which takes so much of the time as compiled.
    Over(Mode, Option<(f64, f64)>),
}

impl Ways {
    pub(super) fn from_modes(ways: [Option<Mode>; OTHERS]) -> Self {
        Self {
            tried: ways,
            ways,
            ratios: ways.map(|way| way.map(|_| Ratios::default())),
            rounds: 0,
            patience: ALL_ROUNDS,
            uneven_blocks: 0,
            turn: 0,
            turns: [Turn::default(); OTHERS + 1],
        }
    }

    /// For a loop whose threads take equally long as compiled: unless there is much to gain, trying costs more.
    pub(super) fn of_even(ways: [Option<Mode>; OTHERS]) -> Self {
        Self { patience: SOME_ROUNDS, ..Self::from_modes(ways) }
    }

    pub(super) fn are_of_even(&self) -> bool {
        self.patience == SOME_ROUNDS
    }

    /// Chunks, after blocks alone were tried or learned in vain; these count as tried, as what is known may be their error.
    pub(super) fn after_blocks(chunks: [Option<Mode>; OTHERS]) -> Self {
        let [_, deal, chunked] = chunks;
        Self { tried: [Some(Mode::Balanced), deal, chunked], ..Self::from_modes(chunks) }
    }

    /// Only blocks were tried, as they seemed even, and in most rounds they were not.
    pub(super) fn blocks_seemed_even(&self) -> bool {
        self.tried == [Some(Mode::Balanced), None, None] && 2 * self.uneven_blocks > self.rounds
    }

    /// The way of that kind, if it is left and its times so far are shorter, as chance may have it; and what is known of it.
    pub(super) fn still(&self, kind: Mode) -> Option<(Mode, Option<(f64, f64)>)> {
        let mut ways = self.ways.iter().zip(&self.ratios);
        let is_it = |way: &Mode| discriminant(way) == discriminant(&kind);
        ways.find_map(|(way, ratios)| {
            let (way, ratios) = ((*way).filter(is_it)?, (*ratios)?);
            let interval = ratios.interval(self.count_tried());
            (ratios.mean() < -LEAST_GAIN).then_some((way, interval))
        })
    }

    fn count_tried(&self) -> usize {
        self.tried.iter().flatten().count()
    }

    fn in_a_round(&self) -> usize {
        1 + self.ways.iter().flatten().count()
    }

    /// Whose turn it is, by the place in `turns`. Each round begins with another one.
    fn place(&self) -> usize {
        let turn = (self.turn + self.rounds) % self.in_a_round();
        let mut others = (1..).zip(&self.ways).filter(|(_, way)| way.is_some());
        turn.checked_sub(1).and_then(|before| others.nth(before)).map_or(0, |(place, _)| place)
    }

    pub(super) fn mode(&self) -> Mode {
        self.place().checked_sub(1).and_then(|way| self.ways[way]).unwrap_or(Mode::Source)
    }

    /// One of the ways has had its turn: what follows, and how blocks are corrected. No chunk of `whole` iterations is cut.
    pub(super) fn take(&mut self, times: &Times, whole: u32) -> (Turned, Correction) {
        if self.shorten_chunks(times, whole) {
            return (Turned::Next(self.mode()), Correction::None);
        }
        // Blocks that had their turn are corrected where they are uneven.
        let correction =
            if self.mode() == Mode::Balanced && !is_even(times) { Correction::HalfWay } else { Correction::None };
        let turned = match self.judge_turn(times) {
            Verdict::Open => Turned::Next(self.mode()),
            Verdict::Source => Turned::Over(Mode::Source, None),
            Verdict::Other(way) => Turned::Over(
                self.ways[way].unwrap_or(Mode::Source),
                self.ratios[way].and_then(|ratios| ratios.interval(self.count_tried())),
            ),
        };
        (turned, correction)
    }

    /// `static` chunks of which the first rounds find that they are too long to mix costs become shorter, and all ways begin anew.
    fn shorten_chunks(&mut self, times: &Times, whole: u32) -> bool {
        let Mode::StaticChunked(chunk) = self.mode() else { return false };
        let are_too_long = times.busiest() > UNEVEN_CHUNKS * times.mean();
        let shorter = (chunk / SHORTER).max(1).next_multiple_of(whole);
        if self.rounds >= SOME_ROUNDS || shorter >= chunk || !are_too_long {
            return false;
        }
        let shorter = Some(Mode::StaticChunked(shorter));
        let way = self.place() - 1;
        (self.ways[way], self.tried[way]) = (shorter, shorter);
        *self = Self { tried: self.tried, patience: self.patience, ..Self::from_modes(self.ways) };
        true
    }

    fn judge_turn(&mut self, times: &Times) -> Verdict {
        self.turns[self.place()] = Turn { end: end(self.mode(), times), mean: times.mean() };
        let is_uneven = self.mode() == Mode::Balanced && is_uneven_for_blocks(times);
        self.uneven_blocks += usize::from(is_uneven);
        self.turn += 1;
        if self.turn < self.in_a_round() {
            return Verdict::Open;
        }
        let [source, others @ ..] = self.turns;
        for (ratios, turn) in self.ratios.iter_mut().zip(others) {
            if let Some(ratios) = ratios {
                ratios.add(turn, source);
            }
        }
        (self.turn, self.rounds) = (0, self.rounds + 1);
        let verdict = verdict(&self.ratios, self.count_tried(), self.patience);
        if verdict == Verdict::Open {
            let given_up = (0..).zip(slower(&self.ratios)).filter(|(_, is_given_up)| *is_given_up);
            for (way, _) in given_up {
                (self.ways[way], self.ratios[way]) = (None, None);
            }
        }
        verdict
    }
}
