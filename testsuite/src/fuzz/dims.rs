//! Random bounds, steps and chunk sizes, near the limits of their types too.

use super::ast::*;
use super::rng::Rng;

const fn int(name: &'static str, bits: u32, signed: bool) -> IntType {
    IntType { name, bits, signed }
}

/// What C loops count with.
pub const C_TYPES: [IntType; 10] = [
    int("int", 32, true),
    int("unsigned", 32, false),
    int("long", 64, true),
    int("unsigned long", 64, false),
    int("short", 16, true),
    int("unsigned short", 16, false),
    int("signed char", 8, true),
    int("unsigned char", 8, false),
    int("long long", 64, true),
    int("unsigned long long", 64, false),
];

/// What Fortran loops count with.
const FORTRAN_TYPES: [IntType; 4] =
    [int("integer(4)", 32, true), int("integer(8)", 64, true), int("integer(2)", 16, true), int("integer(1)", 8, true)];

/// A loop of at most `most` iterations.
pub fn dim(rng: &mut Rng, most: u64, language: Language) -> Dim {
    let fortran = language == Language::Fortran;
    let kind = match fortran {
        true => *rng.pick(&FORTRAN_TYPES),
        // Half of all loops count with int, as in real programs.
        false if rng.chance(35) => C_TYPES[0],
        false => *rng.pick(&C_TYPES),
    };
    let mut trip = few_or_many(rng).min(most);
    // Counting the iterations must not leave the type, or the behaviour is unspecified (OpenMP 5.2,
    // 4.4.2); narrow types are computed with as int. And Fortran's index is computed as it stands.
    let (range, spare) = match kind.bits {
        _ if fortran => (kind.max() / 2, 0),
        32.. => (kind.max(), 2),
        _ => (kind.max() - kind.min(), 0),
    };
    // The step is a number of the loop's type, or of int where that is narrower.
    let largest = kind.max().min(range / (spare + 1));
    let size = step_size(rng, range, trip).clamp(1, largest);
    trip = trip.min((range / size - spare) as u64);
    let span = i128::from(trip) * size;
    let down = rng.chance(30);
    // An empty loop of Fortran needs a limit before its start.
    let room = i128::from(fortran);
    let (least, most) = (kind.min() + room, kind.max() - span - room);
    let lowest = lowest(rng, kind, span).clamp(least, most.max(least));
    let (start, step) = if down { (lowest + span, -size) } else { (lowest, size) };
    let (test, limit) = test(rng, kind, start, step, trip, fortran);
    let number = |rng: &mut Rng, value| Number { value, source: source(rng) };
    let (start, limit, mut step) = (number(rng, start), number(rng, limit), number(rng, step));
    if test == "!=" {
        // Which way such a loop goes, the compiler must see.
        step.source = Source::Literal;
    }
    // With a wider limit, clang still takes the step from the start in the loop's own type.
    let has_room = kind.bits < 32 || (kind.min()..=kind.max()).contains(&(start.value - step.value));
    Dim { kind, start, limit, wide_limit: !fortran && rng.chance(12) && has_room, test, step, trip }
}

fn few_or_many(rng: &mut Rng) -> u64 {
    match rng.below(100) {
        0..8 => 0,
        8..16 => 1,
        16..60 => rng.range(2, 12),
        60..92 => rng.range(11, 100),
        _ => rng.range(100, 600),
    }
}

/// How wide a step is: one mostly, and sometimes as wide as the type has room for.
fn step_size(rng: &mut Rng, range: i128, trip: u64) -> i128 {
    match rng.below(100) {
        0..50 => 1,
        50..85 => i128::from(rng.range(2, 9)),
        85..93 => i128::from(rng.range(2, 100_000)),
        _ => range / i128::from(trip + 1),
    }
}

/// Where the lower end is: near a limit of the type, around zero, or somewhere.
fn lowest(rng: &mut Rng, kind: IntType, span: i128) -> i128 {
    match rng.below(100) {
        0..15 => kind.min(),
        15..20 => kind.min() + i128::from(rng.below(5)),
        20..35 => kind.max() - span,
        35..40 => kind.max() - span - i128::from(rng.below(5)),
        40..80 => i128::from(rng.below(20)) - 10,
        _ => i128::from(rng.below(2_000_000)) - 1_000_000,
    }
}

/// A comparison and a limit that give `trip` iterations; not always the nearest one.
fn test(rng: &mut Rng, kind: IntType, start: i128, step: i128, trip: u64, fortran: bool) -> (&'static str, i128) {
    let (sign, size) = (step.signum(), step.abs());
    let after = start + i128::from(trip) * step;
    // How much further than necessary the limit may be without one iteration more or less.
    let slack = sign
        * match trip {
            0 => i128::from(rng.below(4)),
            _ => rng.below(size.min(1 << 40) as u64).into(),
        };
    let fits = |limit: i128| (kind.min()..=kind.max()).contains(&limit);
    let inclusive = after - slack - sign;
    let strict = after - slack;
    let tests = if step > 0 { ["<", "<="] } else { [">", ">="] };
    if fortran {
        // At the end of the type there is no limit before the start.
        let nearest = after - sign;
        return (tests[1], if fits(inclusive) { inclusive } else { nearest });
    }
    match rng.below(100) {
        0..35 if fits(inclusive) => (tests[1], inclusive),
        35..45 if size == 1 => ("!=", after),
        _ if fits(strict) => (tests[0], strict),
        _ => (tests[0], after),
    }
}

/// How many iterations the bounds really give; the tests compare.
pub fn trip(dim: &Dim, language: Language) -> u64 {
    let (start, limit, step) = (dim.start.value, dim.limit.value, dim.step.value);
    let span = match dim.test {
        _ if language == Language::Fortran => limit - start,
        "<" => limit - 1 - start,
        ">" => limit + 1 - start,
        "!=" => limit - step - start,
        _ => limit - start,
    };
    let count = span / step + 1;
    if span * step.signum() < 0 { 0 } else { count as u64 }
}

/// A chunk size: 1, small, about the loop, larger than it, or far larger.
pub fn chunk(rng: &mut Rng, trip: u64) -> Number {
    let value = match rng.below(100) {
        0..20 => 1,
        20..60 => rng.range(2, 9),
        60..75 => rng.range(1, trip.max(1)),
        75..80 => trip.max(1),
        80..90 => trip + rng.range(1, 1000),
        // Times seven threads, this still fits an int: the runtimes compute the stride in it.
        _ => 1 << rng.range(10, 28),
    };
    Number { value: value.into(), source: source(rng) }
}

fn source(rng: &mut Rng) -> Source {
    match rng.below(100) {
        0..60 => Source::Literal,
        60..80 => Source::Local,
        _ => Source::Global,
    }
}
