//! What a thread carries from one iteration of a loop to its next, as C and as Fortran. A chunk is one thread's, in order, so what begins anew with
//! each chunk of the source is the same on every team; what goes on through all iterations of a thread is so on teams of one size.

use super::ast::{Carried, Carry, Id, Schedule};
use crate::fuzz::ast::Language;
use crate::fuzz::rng::Rng;

/// The function of this file.
pub const KNOWN_C: &str = "\
__attribute__((noinline)) static void known_step(unsigned long *state, unsigned long goes_on, unsigned long value) {
  *state = ((goes_on ? *state : 0) * 31 + value) % 1000003;
}
struct pair { unsigned long first, second; };
";

pub const KNOWN_FORTRAN: &str = "\
subroutine known_step(state, goes_on, value)
  implicit none
  integer(8) :: state, goes_on, value
  if (goes_on == 0) state = 0
  state = mod(state * 31 + value, 1000003_8)
end subroutine

";

/// The chunk size of which the source says that a thread runs all its iterations, in order.
fn chunk_of(schedule: Schedule) -> Option<u32> {
    let chunk = match schedule {
        Schedule::Static(chunk) => chunk,
        Schedule::Dealt(kind) => {
            let size = kind.strip_prefix("dynamic, ")?;
            size.parse().ok()
        }
        Schedule::ByHand(_) => None,
    };
    chunk.filter(|&chunk| chunk > 1)
}

/// Something that a loop under the schedule may carry, if it may carry anything.
pub fn draw(rng: &mut Rng, schedule: Schedule, language: Language) -> Option<Carried> {
    use Carry::*;
    let is_static = matches!(schedule, Schedule::Static(_));
    let chunk = chunk_of(schedule).filter(|_| !is_static || rng.chance(75));
    if chunk.is_none() && !is_static {
        return None;
    }
    let ways: &[Carry] = match (language, chunk) {
        (Language::C, Some(_)) => &[Foreign, Known, Member, Element, Rest, Heap, Tasks],
        (Language::C, None) => &[Foreign, Known, Member, Element, Rest, Heap],
        (Language::Fortran, _) => &[Foreign, Known, Member, Element],
    };
    Some(Carried { by: *rng.pick(ways), chunk })
}

impl Carried {
    /// May a loop under the schedule carry it?
    pub fn fits(self, schedule: Schedule) -> bool {
        match self.chunk {
            Some(_) => chunk_of(schedule) == self.chunk,
            None => matches!(schedule, Schedule::Static(_)),
        }
    }

    /// Before the loop, as C.
    pub fn declaration_c(self, id: Id) -> Option<String> {
        let text = match self.by {
            Carry::Foreign | Carry::Known => format!("unsigned long state{id} = 7;"),
            Carry::Member => format!("struct pair state{id} = {{1, 7}};"),
            Carry::Element => format!("unsigned long state{id}[3] = {{1, 7, 2}};"),
            Carry::Rest => format!("unsigned long state{id}[8] = {{7}}, whole{id}[8];"),
            Carry::Heap => {
                format!("unsigned long *state{id} = malloc(sizeof *state{id}); *state{id} = 7;")
            }
            Carry::Tasks => return None,
        };
        Some(text)
    }

    /// In an iteration, after its value is known, as C.
    pub fn statements_c(self, id: Id) -> Vec<String> {
        let goes_on = self.chunk.map_or("1".to_owned(), |chunk| format!("i % {chunk}"));
        let by_call = |function: &str, address: String, state: String| {
            vec![format!("{function}({address}, {goes_on}, v);"), format!("v = {state};")]
        };
        let in_place = |state: String| {
            vec![format!("{state} = (({goes_on} ? {state} : 0) * 31 + v) % 1000003;"), format!("v = {state};")]
        };
        match self.by {
            Carry::Foreign => by_call("fuzz_carry", format!("&state{id}"), format!("state{id}")),
            Carry::Known => by_call("known_step", format!("&state{id}"), format!("state{id}")),
            Carry::Heap => by_call("fuzz_carry", format!("state{id}"), format!("*state{id}")),
            Carry::Member => in_place(format!("state{id}.second")),
            Carry::Rest => {
                // An array that is filled as a whole leaves nothing for the next iteration.
                let mut statements = vec![
                    format!("for (int k = 1; k < 8; k++) state{id}[k] = v + k;"),
                    format!("for (int k = 0; k < 8; k++) whole{id}[k] = v ^ k;"),
                ];
                statements.extend(in_place(format!("state{id}[whole{id}[v & 7] & 0]")));
                statements.push(format!("for (int k = 0; k < 8; k++) v += state{id}[k] * whole{id}[7 - k];"));
                statements
            }
            Carry::Element => in_place(format!("state{id}[{}]", id % 3)),
            Carry::Tasks => {
                let chunk = self.chunk.unwrap_or(1);
                vec![
                    format!("#pragma omp task depend(inout: t{id}[i / {chunk} * {chunk}]) firstprivate(i, v)"),
                    format!("t{id}[i] = ((i % {chunk} ? t{id}[i - 1] : 0) * 31 + v) % 1000003;"),
                ]
            }
        }
    }

    /// The variable that is each thread's own, in Fortran.
    pub fn variable_fortran(self) -> &'static str {
        match self.by {
            Carry::Member => "pair",
            Carry::Element => "states",
            _ => "state",
        }
    }

    fn state_fortran(self, id: Id) -> String {
        match self.by {
            Carry::Member => "pair%second".to_owned(),
            Carry::Element => format!("states({})", id % 3),
            _ => "state".to_owned(),
        }
    }

    /// Before the loop, as Fortran.
    pub fn beginning_fortran(self, id: Id) -> String {
        format!("  {} = 7\n", self.state_fortran(id))
    }

    /// In an iteration, after its value is known, as Fortran.
    pub fn statements_fortran(self, id: Id) -> String {
        let state = self.state_fortran(id);
        let goes_on = self.chunk.map_or("1_8".to_owned(), |chunk| format!("int(mod(i, {chunk}), 8)"));
        let step = match self.by {
            Carry::Foreign => format!("  call fuzz_carry(state, {goes_on}, v)\n"),
            Carry::Known => format!("  call known_step(state, {goes_on}, v)\n"),
            _ => format!("  {state} = mod(merge({state}, 0_8, {goes_on} /= 0) * 31 + v, 1000003_8)\n"),
        };
        format!("{step}  v = {state}\n")
    }
}
