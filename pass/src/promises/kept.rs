//! Do threads keep what a loop wrote in memory of their own, and read it later? Then what they read depends on which
//! iterations they ran.

use crate::find::paths::{Go, Reasons, follow_with};
use crate::llvm::Value;

use super::behind::past_own_code;
use super::given::is_lifetime;
use super::iterations::carries;
use super::region::Region;
use super::variable::{Use, Variable};
use super::work::Work;

/// The thread's own variables of a region, and who uses them.
pub struct Variables(Vec<Variable>);

impl Variables {
    /// Of a region's function.
    pub fn of(function: Value) -> Variables {
        Variables(Variable::all(function))
    }

    /// Is the address of one kept where it is not followed, when a loop begins? Then the loop may write to it, and others read it.
    pub fn are_given_away(&self, region: &Region) -> bool {
        (self.0.iter()).any(|variable| variable.is_given_away(region))
    }

    /// Does one bring something from an iteration to the thread's next one?
    pub fn carry(&self, work: &Work, region: &Region) -> bool {
        (self.0.iter()).any(|variable| carries(variable, work, region))
    }

    /// Is one written in the loop and read after it?
    pub fn outlive(&self, work: &Work, is_repeated: bool, reasons: &Reasons) -> bool {
        self.0
            .iter()
            .any(|variable| variable.outlives(work, is_repeated, reasons))
    }
}

impl Variable {
    fn is_given_away(&self, region: &Region) -> bool {
        // What is used in one loop alone is another one in each iteration.
        let is_used_around = |work: &Work| {
            let around = |user: &Value| !work.body.contains(user) && *user != self.root;
            (self.uses.keys()).any(|user| around(user) && !is_lifetime(*user))
        };
        (self.given.iter()).any(|given| {
            let inside = region.works.iter().find(|work| work.body.contains(given));
            inside.map_or_else(|| self.lives_until_a_loop(*given, region), is_used_around)
        })
    }

    fn outlives(&self, work: &Work, is_repeated: bool, reasons: &Reasons) -> bool {
        let reads = |what: Use| matches!(what, Use::Reads | Use::Anything);
        let escapes = !self.given.is_empty();
        let is_written = escapes
            || self
                .uses
                .iter()
                .any(|(user, access)| access.what != Use::Reads && work.body.contains(user));
        let is_read_elsewhere = self
            .uses
            .iter()
            .any(|(user, access)| reads(access.what) && !work.body.contains(user));
        if !is_written || !is_repeated && !is_read_elsewhere {
            return false;
        }
        if escapes {
            return true;
        }
        work.ends.iter().any(|&end| {
            let read = follow_with(end, reasons, &[], |current| {
                if let Some(past) = past_own_code(current, work) {
                    return Go::To(past);
                }
                match self.uses.get(&current).map(|access| access.what) {
                    Some(Use::Forgets) => Go::Back,
                    Some(Use::Reads | Use::Anything) => Go::Home(()),
                    Some(Use::Writes) | None => Go::On,
                }
            });
            read.is_some()
        })
    }
}
