//! One schedule, as in `OMP_SCHEDULE`, and what the compiler would pass to the runtime for it.

use core::fmt;

use crate::sched_type::{AUTO, DYNAMIC, GUIDED, MONOTONIC, NONMONOTONIC, RUNTIME, STATIC, STATIC_CHUNKED};

use crate::overrides::shown;

/// The kinds of OpenMP 5.2, section 11.5.3, and two that OpenMP does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Static,
    Dynamic,
    Guided,
    Auto,
    Runtime,
    /// A block for each thread, of iterations that take as long as another's.
    Balanced,
    /// As compiled, balanced, dealt or in `static` chunks, whichever turns out to be faster while the program runs.
    Adaptive,
}

/// The ordering modifiers of the same section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifier {
    Monotonic,
    Nonmonotonic,
}

/// The kinds that OpenMP does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learned {
    Balanced,
    Adaptive,
}

/// The kinds of which the runtime deals the chunks as threads come for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dealt {
    Dynamic,
    Guided,
}

/// In which order a thread runs its chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As the schedule says.
    Any,
    /// By increasing iterations, unless the schedule says otherwise.
    Usual,
    /// By increasing iterations, whatever the schedule says.
    Kept,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    Source,
    Other {
        kind: Kind,
        modifier: Option<Modifier>,
        /// Its chunk size, from 1 on.
        chunk: Option<u32>,
    },
}

/// The largest chunk size: loops of 32 bits have no larger one.
const LARGEST: u32 = i32::MAX as u32;

impl Schedule {
    /// Does it give an iteration to the same thread wherever it is used for loops with as many iterations (OpenMP 5.2, 11.5.3)?
    pub const fn maps_alike(self) -> bool {
        matches!(self, Schedule::Other { kind: Kind::Static, .. })
    }

    /// Is it `nonmonotonic` because its text says so?
    pub const fn is_nonmonotonic(self) -> bool {
        matches!(self, Schedule::Other { modifier: Some(Modifier::Nonmonotonic), .. })
    }

    /// Does the program find out while it runs what becomes of the loop?
    pub const fn learned(self) -> Option<Learned> {
        match self {
            Schedule::Other { kind: Kind::Balanced, .. } => Some(Learned::Balanced),
            Schedule::Other { kind: Kind::Adaptive, .. } => Some(Learned::Adaptive),
            Schedule::Source | Schedule::Other { .. } => None,
        }
    }

    /// `monotonic:dynamic` or `monotonic:guided` with that chunk size, from 1 on. Nobody has to order that: `nonmonotonic` has assertions
    /// of debug builds of libomp fail on busy machines (LLVM issues 54422, 86995, 132164).
    pub const fn dealt(kind: Dealt, chunk: u32) -> Schedule {
        Schedule::Other {
            kind: match kind {
                Dealt::Dynamic => Kind::Dynamic,
                Dealt::Guided => Kind::Guided,
            },
            modifier: Some(Modifier::Monotonic),
            chunk: Some(chunk),
        }
    }

    /// The kind and chunk size of one of [`Schedule::dealt`].
    pub fn dealt_by(self) -> Option<(Dealt, u32)> {
        match self {
            Schedule::Other { kind: Kind::Dynamic, chunk, .. } => Some((Dealt::Dynamic, chunk?)),
            Schedule::Other { kind: Kind::Guided, chunk, .. } => Some((Dealt::Guided, chunk?)),
            Schedule::Source | Schedule::Other { .. } => None,
        }
    }

    /// `static` with that chunk size, from 1 on.
    pub const fn static_chunked(chunk: u32) -> Schedule {
        Schedule::Other { kind: Kind::Static, modifier: None, chunk: Some(chunk) }
    }

    /// The chunk size of one of [`Schedule::static_chunked`].
    pub const fn static_chunk(self) -> Option<u32> {
        if let Schedule::Other { kind: Kind::Static, chunk, .. } = self { chunk } else { None }
    }

    /// As near to it as can be had of a loop of which no chunk of so many iterations is cut, from 1 on. None: nobody knows where it cuts.
    pub fn keeping(self, whole: u32) -> Option<Schedule> {
        let Schedule::Other { kind, modifier, chunk } = self else { return Some(self) };
        let chunk = match (kind, chunk) {
            _ if whole <= 1 || self.learned().is_some() => return Some(self),
            (Kind::Static, Some(chunk)) => chunk,
            (Kind::Dynamic, chunk) => chunk.unwrap_or(1),
            _ => return None,
        };
        let chunk = chunk.checked_next_multiple_of(whole)?;
        (chunk <= LARGEST).then_some(Schedule::Other { kind, modifier, chunk: Some(chunk) })
    }

    pub fn parse(text: &str) -> Result<Schedule, String> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("source") {
            return Ok(Schedule::Source);
        }
        let (modifier, rest) = match text.split_once(':') {
            None => (None, text),
            Some((modifier, rest)) => {
                (Some(named(&MODIFIERS, modifier, "modifier; there are monotonic and nonmonotonic")?), rest)
            }
        };
        let (kind, chunk) = match rest.split_once(',') {
            None => (rest, None),
            Some((kind, chunk)) => (kind, Some(parse_chunk(chunk.trim())?)),
        };
        let what = "schedule; there are static, dynamic, guided, auto, runtime, balanced, adaptive and source";
        let kind = named(&KINDS, kind, what)?;
        let is_learned = matches!(kind, Kind::Balanced | Kind::Adaptive);
        if chunk.is_some() && (is_learned || matches!(kind, Kind::Auto | Kind::Runtime)) {
            return Err(format!("'{kind}' takes no chunk size"));
        }
        if is_learned && modifier.is_some() {
            return Err(format!("'{kind}' takes no modifier; leave it away"));
        }
        if kind == Kind::Static && modifier == Some(Modifier::Nonmonotonic) {
            return Err("'static' is monotonic; leave the modifier away".to_owned());
        }
        Ok(Schedule::Other { kind, modifier, chunk })
    }

    /// `enum sched_type` as clang passes it for such a clause, its default modifier included (OpenMP 5.2, section 11.5.3:
    /// `nonmonotonic` unless the kind is static), and the chunk size. None: as compiled.
    /// Under `order` a thread must not go back to earlier iterations: then the default is `monotonic`, or nothing else is to be had.
    pub const fn for_runtime(self, order: Order) -> Option<(u32, u32)> {
        let Schedule::Other { kind, modifier, chunk } = self else { return None };
        let number = match (kind, chunk) {
            (Kind::Static, Some(_)) => STATIC_CHUNKED,
            (Kind::Static, None) | (Kind::Balanced | Kind::Adaptive, _) => STATIC,
            (Kind::Dynamic, _) => DYNAMIC,
            (Kind::Guided, _) => GUIDED,
            (Kind::Runtime, _) => RUNTIME,
            (Kind::Auto, _) => AUTO,
        };
        let bits = match (modifier, kind) {
            (Some(Modifier::Monotonic), _) => MONOTONIC,
            (None, Kind::Static | Kind::Balanced | Kind::Adaptive) => 0,
            (_, _) if matches!(order, Order::Kept) => MONOTONIC,
            (Some(Modifier::Nonmonotonic), _) => NONMONOTONIC,
            (None, _) if matches!(order, Order::Usual) => MONOTONIC,
            (None, _) => NONMONOTONIC,
        };
        let chunk = if let Some(chunk) = chunk { chunk } else { 1 };
        Some((number | bits, chunk))
    }
}

/// The names of kinds and modifiers, for reading and for writing.
const KINDS: [(&str, Kind); 7] = [
    ("static", Kind::Static),
    ("dynamic", Kind::Dynamic),
    ("guided", Kind::Guided),
    ("auto", Kind::Auto),
    ("runtime", Kind::Runtime),
    ("balanced", Kind::Balanced),
    ("adaptive", Kind::Adaptive),
];
const MODIFIERS: [(&str, Modifier); 2] = [("monotonic", Modifier::Monotonic), ("nonmonotonic", Modifier::Nonmonotonic)];

fn named<T: Copy>(names: &[(&str, T)], text: &str, what: &str) -> Result<T, String> {
    let text = text.trim();
    let meant = names.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    meant.map(|(_, meant)| *meant).ok_or_else(|| format!("'{}' is no {what}", shown(text)))
}

fn name_of<T: PartialEq>(names: &[(&'static str, T)], wanted: &T) -> &'static str {
    let found = names.iter().find(|(_, it)| it == wanted);
    found.map_or("", |(name, _)| name)
}

fn parse_chunk(text: &str) -> Result<u32, String> {
    // `+4` parses as a number, but is none in OMP_SCHEDULE.
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let chunk = digits.then(|| text.parse::<u64>().unwrap_or(u64::MAX));
    match chunk {
        Some(chunk @ 1..) if chunk <= u64::from(LARGEST) => Ok(chunk as u32),
        _ => Err(format!("'{}' is no chunk size; it is a whole number from 1 to {LARGEST}", shown(text))),
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&KINDS, self))
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Schedule::Other { kind, modifier, chunk } = self else { return f.write_str("source") };
        if let Some(modifier) = modifier {
            write!(f, "{}:", name_of(&MODIFIERS, modifier))?;
        }
        write!(f, "{kind}")?;
        chunk.map_or(Ok(()), |chunk| write!(f, ",{chunk}"))
    }
}

#[cfg(test)]
mod tests {
    //! What texts mean, and which are none.

    use super::*;

    fn numbers(text: &str) -> Option<(u32, u32)> {
        Schedule::parse(text).unwrap().for_runtime(Order::Any)
    }

    #[test]
    fn what_clang_passes() {
        // clang 22 and 19, OpenMP 5.1, read from their IR.
        let cases = [
            ("static", (34, 1)),
            ("static,8", (33, 8)),
            ("balanced", (34, 1)),
            ("dynamic", (1_073_741_859, 1)),
            ("dynamic,16", (1_073_741_859, 16)),
            ("guided,4", (1_073_741_860, 4)),
            ("runtime", (1_073_741_861, 1)),
            ("auto", (1_073_741_862, 1)),
            ("monotonic:dynamic,3", (536_870_947, 3)),
            (" NonMonotonic : Guided , 7 ", (1_073_741_860, 7)),
            ("monotonic:static,2", (536_870_945, 2)),
        ];
        for (text, wanted) in cases {
            assert_eq!(numbers(text), Some(wanted), "{text}");
        }
        assert_eq!(numbers("source"), None);
    }

    #[test]
    fn in_order_unless_said_otherwise() {
        let under = |order, text| Schedule::parse(text).unwrap().for_runtime(order).unwrap().0;
        assert_eq!(under(Order::Usual, "dynamic"), 35 | MONOTONIC);
        assert_eq!(under(Order::Usual, "nonmonotonic:dynamic"), 35 | NONMONOTONIC);
        assert_eq!(under(Order::Kept, "nonmonotonic:dynamic"), 35 | MONOTONIC);
        assert_eq!(under(Order::Kept, "guided"), 36 | MONOTONIC);
        assert_eq!(under(Order::Usual, "static,2"), 33);
        assert_eq!(under(Order::Kept, "static,2"), 33);
    }

    #[test]
    fn no_chunk_of_the_source_is_cut() {
        let kept = |text, whole| {
            let kept = Schedule::parse(text).unwrap().keeping(whole);
            kept.map(|schedule| schedule.to_string())
        };
        for (text, wanted) in [
            ("static,7", Some("static,100")),
            ("static,100", Some("static,100")),
            ("static,101", Some("static,200")),
            ("dynamic", Some("dynamic,100")),
            ("monotonic:dynamic,250", Some("monotonic:dynamic,300")),
            ("balanced", Some("balanced")),
            ("adaptive", Some("adaptive")),
            ("source", Some("source")),
            ("dynamic,2147483647", None),
            ("static", None),
            ("guided,100", None),
            ("auto", None),
            ("runtime", None),
        ] {
            assert_eq!(kept(text, 100).as_deref(), wanted, "{text}");
            assert_eq!(kept(text, 1).as_deref(), Some(text));
        }
        assert_eq!(kept("static", i32::MAX as u32 + 1), None);
        assert_eq!(kept("static,7", u32::MAX), None);
    }

    #[test]
    fn printed_as_written() {
        for text in ["source", "static", "balanced", "dynamic,16", "monotonic:guided,2"] {
            assert_eq!(Schedule::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn mistakes() {
        for (text, part) in [
            ("", "no schedule"),
            ("dynamc", "no schedule"),
            ("dynamic,", "no chunk size"),
            ("dynamic,0", "no chunk size"),
            ("dynamic,-1", "no chunk size"),
            ("dynamic,+1", "no chunk size"),
            ("dynamic,2147483648", "no chunk size"),
            ("dynamic,99999999999999999999", "no chunk size"),
            ("dynamic,1,2", "no chunk size"),
            ("auto,4", "takes no chunk size"),
            ("balanced,4", "takes no chunk size"),
            ("monotonic:balanced", "leave it away"),
            ("adaptive,4", "takes no chunk size"),
            ("runtime,4", "takes no chunk size"),
            ("simd:static", "no modifier"),
            ("nonmonotonic:static", "monotonic"),
        ] {
            let error = Schedule::parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
