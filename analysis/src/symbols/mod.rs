//! Addresses as the source has them: function, file and line, with what the compiler put inline. Of modules that are still what was
//! loaded; of others nothing is said but that they are not. No thread and no time here: whose an address was, the caller knows.

mod call;
mod names;
mod object;
mod place;

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use ompchunk_trace_format::stacks::{Module, StackFile};

pub use self::call::{Call, call, call_in};
pub use self::names::{Outlined, outlined};
pub(crate) use self::object::Lines;
use self::object::Opened;
pub use self::place::{Place, Unreadable};

/// An address, looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looked {
    /// The module, as a number in [`StackFile::modules`]; `None`: in none that is known.
    pub module: Option<usize>,
    /// Leaf first: what was put inline, at last the function that is called. At least one.
    pub places: Vec<Place>,
}

/// What the modules of a file of stacks are called, opened when they are asked for.
pub struct Symbols<'f> {
    file: &'f StackFile,
    opened: Vec<Option<Result<Opened, Unreadable>>>,
    known: HashMap<(usize, u64), Vec<Place>>,
}

impl fmt::Debug for Symbols<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Symbols").finish_non_exhaustive()
    }
}

impl<'f> Symbols<'f> {
    /// Of a part's stacks.
    #[must_use]
    pub fn new(file: &'f StackFile) -> Symbols<'f> {
        Symbols { file, opened: file.modules().iter().map(|_| None).collect(), known: HashMap::new() }
    }

    /// Which module an address was in at a time.
    #[must_use]
    pub fn module(&self, address: u64, time: u64) -> Option<usize> {
        // The later ones took the places of those that are gone.
        let all = self.file.modules();
        (0..all.len()).rev().find(|index| all[*index].has(address, time))
    }

    /// The module of that number.
    #[must_use]
    pub fn module_of(&self, number: usize) -> Option<&'f Module> {
        self.file.modules().get(number)
    }

    /// What is at an address. `called`: it is a return address, so what called stands before it.
    pub fn look(&mut self, address: u64, called: bool, time: u64) -> Looked {
        let Some(module) = self.module(address, time) else {
            return Looked { module: None, places: vec![Place::unknown()] };
        };
        let bias = self.file.modules()[module].bias;
        let at = address.wrapping_sub(bias).wrapping_sub(u64::from(called));
        if let Some(places) = self.known.get(&(module, at)) {
            return Looked { module: Some(module), places: places.clone() };
        }
        let started = self.file.meta().started;
        let opened = &mut self.opened[module];
        let opened = opened.get_or_insert_with(|| Opened::open(&self.file.modules()[module], started));
        let mut places = opened.as_ref().map_or_else(|_| Vec::new(), |opened| opened.places(at));
        if places.is_empty() {
            places.push(Place::unknown());
        }
        self.known.insert((module, at), places.clone());
        Looked { module: Some(module), places }
    }

    /// Modules in which something was looked up in vain, and why.
    pub fn unreadable(&self) -> impl Iterator<Item = (&PathBuf, &Unreadable)> {
        let all = self.file.modules().iter().zip(&self.opened);
        all.filter_map(|(module, opened)| match opened {
            // What the kernel puts into processes is no file.
            Some(Err(why)) if module.path.is_absolute() => Some((&module.path, why)),
            _ => None,
        })
    }
}
