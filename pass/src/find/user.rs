//! What the user wrote: first value and step of the loop variable.
//!
//! The compilers normalise every loop to 0..N-1 and compute the user's variable as
//! `start + iteration * step` (or `-`) at the top of the body.

use inkwell::llvm_sys::LLVMOpcode;

use super::Call;
use super::bounds::is_lifetime;
use crate::llvm::{Analysis, Value};

/// The user's loop variable, as far as it is known.
#[derive(Default)]
pub struct UserLoop {
    pub start: UserValue,
    pub step: UserValue,
    /// Width of the variable, 0 if nothing is known of it.
    pub bits: u32,
}

/// A value of the user's loop.
#[derive(Default)]
pub enum UserValue {
    #[default]
    Unknown,
    Constant(i64),
    /// To be computed before the loop; the value is its negative if so marked.
    Computed {
        from: Expression,
        negative: bool,
    },
}

/// How to compute a value that the loop computes later.
pub enum Expression {
    /// It is available before the loop.
    Value(Value),
    /// Read again from a variable that nothing changes any more; `like` is the loop's own load.
    Load { variable: Value, like: Value },
    /// A conversion, as `like` is one.
    Cast { of: Box<Expression>, like: Value },
}

impl UserValue {
    pub fn constant(&self) -> Option<i64> {
        match self {
            UserValue::Constant(value) => Some(*value),
            _ => None,
        }
    }

    pub fn is_computed(&self) -> bool {
        matches!(self, UserValue::Computed { .. })
    }

    fn of(analysis: &Analysis, call: &Call, value: Option<Value>, negative: bool) -> UserValue {
        let Some(value) = value else {
            return UserValue::Unknown;
        };
        if let Some(constant) = value.const_int() {
            let signed = if negative {
                constant.wrapping_neg()
            } else {
                constant
            };
            return UserValue::Constant(signed);
        }
        match Expression::of(analysis, call, value) {
            Some(from) => UserValue::Computed { from, negative },
            None => UserValue::Unknown,
        }
    }
}

impl Expression {
    fn of(analysis: &Analysis, call: &Call, value: Value) -> Option<Expression> {
        if !value.is_instruction() || analysis.dominates(value, call.instruction) {
            return Some(Expression::Value(value));
        }
        if let Some(variable) = value.loaded_from() {
            return keeps_its_value(analysis, call, variable).then_some(Expression::Load {
                variable,
                like: value,
            });
        }
        let is_cast = matches!(
            value.opcode(),
            Some(LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMTrunc)
        );
        let of = value.operand(0).filter(|_| is_cast)?;
        Some(Expression::Cast {
            of: Box::new(Expression::of(analysis, call, of)?),
            like: value,
        })
    }
}

/// Is it a local variable that is written before the call only, and by stores only?
fn keeps_its_value(analysis: &Analysis, call: &Call, variable: Value) -> bool {
    variable.is_alloca()
        && variable.users().into_iter().all(|user| {
            let written_before = user.is_store()
                && user.operand(1) == Some(variable)
                && user.operand(0) != Some(variable)
                && analysis.dominates(user, call.instruction);
            written_before || user.loaded_from().is_some() || is_lifetime(user)
        })
}

impl UserLoop {
    /// From the variable that counts iterations: all its loads but those that test and step it must
    /// lead to one computation.
    pub fn from_variable(analysis: &Analysis, call: &Call, variable: Value) -> UserLoop {
        let loads = variable.users().into_iter().filter(|&user| {
            user.loaded_from() == Some(variable) && analysis.dominates(call.instruction, user)
        });
        let mut uses = loads
            .flat_map(Value::users)
            .filter(|user| !tests_or_steps(user));
        match (uses.next(), uses.next()) {
            (Some(scaled), None) => UserLoop::from_product(analysis, call, scaled),
            // Several variables from one (`collapse`), pointers: unknown.
            _ => UserLoop::default(),
        }
    }

    /// From the PHI that counts iterations, likewise.
    pub fn from_number(analysis: &Analysis, call: &Call, number: Value) -> UserLoop {
        let mut uses = number
            .users()
            .into_iter()
            .filter(|user| !tests_or_steps(user));
        match (uses.next(), uses.next()) {
            (Some(scaled), None) => UserLoop::from_product(analysis, call, scaled),
            _ => UserLoop::default(),
        }
    }

    /// From `iteration * step`, whose one user adds the start.
    pub fn from_product(analysis: &Analysis, call: &Call, scaled: Value) -> UserLoop {
        let users = scaled.users();
        let ([variable], Some(LLVMOpcode::LLVMMul)) = (&users[..], scaled.opcode()) else {
            return UserLoop::default();
        };
        let (base, negative) = match variable.opcode() {
            Some(LLVMOpcode::LLVMAdd) => {
                let other = u32::from(variable.operand(0) == Some(scaled));
                (variable.operand(other), false)
            }
            Some(LLVMOpcode::LLVMSub) if variable.operand(1) == Some(scaled) => {
                (variable.operand(0), true)
            }
            _ => return UserLoop::default(),
        };
        // An offset into an array that a pointer or iterator is made of looks the same, but is no
        // variable of the user's.
        if !is_kept(*variable) {
            return UserLoop::default();
        }
        let Some(bits) = variable.integer_bits().filter(|&bits| bits <= 64) else {
            return UserLoop::default();
        };
        UserLoop {
            start: UserValue::of(analysis, call, base, false),
            step: UserValue::of(analysis, call, scaled.operand(1), negative),
            bits,
        }
    }
}

fn tests_or_steps(user: &Value) -> bool {
    let steps = user.opcode() == Some(LLVMOpcode::LLVMAdd)
        && user.operand(1).and_then(Value::const_int) == Some(1);
    user.is_icmp() || steps
}

/// Is the value stored into a variable, as it is or converted?
fn is_kept(value: Value) -> bool {
    value.users().into_iter().any(|user| match user.opcode() {
        Some(LLVMOpcode::LLVMStore) => user.operand(0) == Some(value),
        Some(LLVMOpcode::LLVMTrunc | LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt) => {
            let mut users = user.users().into_iter();
            users.any(|store| store.is_store() && store.operand(0) == Some(user))
        }
        _ => false,
    })
}
