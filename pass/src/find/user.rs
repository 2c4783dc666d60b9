//! What the user wrote: first value and step of the loop variable.
//!
//! Compilers count 0..N-1 and compute the user's variable as `start + iteration * step` (or `-`) atop the body.

use inkwell::llvm_sys::LLVMOpcode;

use crate::find::Call;
use crate::find::bounds::is_load_of;
use crate::find::comparison::{Arithmetic, Operation, same_value};
use crate::llvm::{Analysis, Value};

#[derive(Default)]
pub struct UserLoop {
    pub start: UserValue,
    pub step: UserValue,
    /// Width of the variable, 0 if nothing is known of it.
    pub bits: u32,
}

#[derive(Default)]
pub enum UserValue {
    #[default]
    Unknown,
    Constant(i32),
    /// To be computed before the loop; the value is its negative if so marked.
    Computed {
        from: Expression,
        negative: bool,
    },
}

pub enum Expression {
    Value(Value),
    /// Read again from a variable that nothing changes any more; `like` is the loop's own load.
    Load {
        variable: Value,
        like: Value,
    },
    Cast {
        of: Box<Expression>,
        like: Value,
    },
}

impl UserValue {
    pub fn constant(&self) -> Option<i32> {
        match self {
            UserValue::Constant(value) => Some(*value),
            _ => None,
        }
    }

    pub fn is_computed(&self) -> bool {
        matches!(self, UserValue::Computed { .. })
    }

    fn read(analysis: &Analysis, call: &Call, value: Value, negative: bool) -> UserValue {
        if let Some(constant) = value.const_int() {
            let signed = if negative { constant.wrapping_neg() } else { constant };
            // The record has no room for others.
            return match i32::try_from(signed) {
                Ok(signed) => UserValue::Constant(signed),
                Err(_) => UserValue::Computed { from: Expression::Value(value), negative },
            };
        }
        match Expression::read(analysis, call, value) {
            Some(from) => UserValue::Computed { from, negative },
            None => UserValue::Unknown,
        }
    }
}

impl Expression {
    fn read(analysis: &Analysis, call: &Call, value: Value) -> Option<Expression> {
        if !value.is_instruction() || analysis.dominates(value, call.instruction) {
            return Some(Expression::Value(value));
        }
        if let Some(variable) = value.loaded_from() {
            return keeps_its_value(analysis, call, variable).then_some(Expression::Load { variable, like: value });
        }
        let of = value.operand(0).filter(|_| is_conversion(value))?;
        Some(Expression::Cast { of: Box::new(Expression::read(analysis, call, of)?), like: value })
    }
}

pub fn keeps_its_value(analysis: &Analysis, call: &Call, variable: Value) -> bool {
    variable.is_alloca()
        && variable.users().into_iter().all(|user| {
            let written_before = user.writes_to(variable) && analysis.dominates(user, call.instruction);
            written_before || user.loaded_from().is_some() || user.is_lifetime()
        })
}

impl UserLoop {
    /// All loads of it but those that test and step it must lead to one computation, which may be repeated.
    pub fn from_variable(analysis: &Analysis, call: &Call, variable: Value) -> UserLoop {
        let loads = variable
            .users()
            .into_iter()
            .filter(|&user| user.loaded_from() == Some(variable) && analysis.dominates(call.instruction, user));
        let uses = loads.flat_map(Value::users);
        UserLoop::from_uses(analysis, call, uses)
    }

    pub fn from_number(analysis: &Analysis, call: &Call, number: Value) -> UserLoop {
        UserLoop::from_uses(analysis, call, number.users().into_iter())
    }

    fn from_uses(analysis: &Analysis, call: &Call, uses: impl Iterator<Item = Value>) -> UserLoop {
        // flang narrows the number for its linear variable, clang widens it for some tests.
        let converted = |user: Value| match is_conversion(user) {
            true => user.users(),
            false => vec![user],
        };
        let computations = uses
            .flat_map(converted)
            .filter(|user| !tests_or_steps(user, call))
            .map(Computation::read)
            .collect::<Option<Vec<_>>>();
        let the_users = match computations.as_deref() {
            Some([first, others @ ..]) if others.iter().all(|other| first.is_like(other)) => first,
            // Where flang also keeps a linear variable in the place of the user's, that is overwritten.
            Some([one, other]) if one.overwrites(analysis, other) => one,
            Some([other, one]) if one.overwrites(analysis, other) => one,
            // Several variables from one (`collapse`), pointers: unknown.
            _ => return UserLoop::default(),
        };
        the_users.user_loop(analysis, call)
    }
}

#[derive(Clone, Copy)]
struct Computation {
    base: Value,
    step: Value,
    negative: bool,
    variable: Value,
}

impl Computation {
    fn read(user: Value) -> Option<Computation> {
        let scaled = Arithmetic::read(user).filter(|it| it.operation == Operation::Mul)?;
        let sum = Arithmetic::read(scaled.result.only_user()?)?;
        let (base, negative) = match sum.operation {
            Operation::Add if sum.left == scaled.result => (sum.right, false),
            Operation::Add => (sum.left, false),
            Operation::Sub if sum.right == scaled.result => (sum.left, true),
            _ => return None,
        };
        // Such an offset of a pointer or iterator into an array is no variable of the user's.
        kept_in(sum.result)?;
        Some(Computation { base, step: scaled.right, negative, variable: sum.result })
    }

    fn is_like(&self, other: &Computation) -> bool {
        self.negative == other.negative
            && same_value(self.base, other.base)
            && same_value(self.step, other.step)
            && self.variable.integer_bits() == other.variable.integer_bits()
    }

    fn overwrites(&self, analysis: &Analysis, other: &Computation) -> bool {
        match (kept_in(self.variable), kept_in(other.variable)) {
            (Some(later), Some(before)) => later.operand(1) == before.operand(1) && analysis.dominates(before, later),
            _ => false,
        }
    }

    fn user_loop(&self, analysis: &Analysis, call: &Call) -> UserLoop {
        let Some(bits) = self.variable.integer_bits().filter(|&bits| bits <= 64) else { return UserLoop::default() };
        UserLoop {
            start: UserValue::read(analysis, call, self.base, false),
            step: UserValue::read(analysis, call, self.step, self.negative),
            bits,
        }
    }
}

fn kept_in(value: Value) -> Option<Value> {
    let stores = |value: Value| value.users().into_iter().find(|user| user.stored() == Some(value));
    let converted = value.users().into_iter().filter(|&user| is_conversion(user));
    stores(value).or_else(|| converted.into_iter().find_map(stores))
}

fn tests_or_steps(user: &Value, call: &Call) -> bool {
    let steps = Arithmetic::read(*user).is_some_and(|sum| {
        sum.operation == Operation::Add && (sum.right.const_int() == Some(1) || is_load_of(sum.right, call.stride))
    });
    steps || user.is_icmp()
}

fn is_conversion(value: Value) -> bool {
    matches!(value.opcode(), Some(LLVMOpcode::LLVMTrunc | LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt))
}
