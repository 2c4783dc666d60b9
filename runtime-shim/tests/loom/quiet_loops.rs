//! Models of the word by which loops that stay as compiled are told apart, while several threads begin regions that run the loop.

use loom::sync::Arc;
use loom::sync::atomic::AtomicU64;
use loom::thread;

use crate::model;
use crate::quiet_word::{self as quiet_loops, Quiet};

const MET: u32 = 7;
const SOURCE: u32 = 0;
const CHANGED: u32 = 1;

/// What regions within one know of the loop.
struct Around<'a> {
    number: u32,
    word: &'a AtomicU64,
    quiet: Option<Quiet<'a>>,
    /// The way to run.
    kept: u32,
}

impl<'a> Around<'a> {
    fn new(number: u32, word: &'a AtomicU64) -> Self {
        Self { number, word, quiet: None, kept: SOURCE }
    }

    /// What a thread of a region does of the loop, of which an earlier run has learned that it is changed.
    fn look(&mut self) -> u32 {
        if quiet_loops::is_quiet(self.word, MET) {
            return SOURCE;
        }
        if self.quiet.is_none() {
            let (quiet, is_first) = Quiet::meet(self.word, self.number);
            self.quiet = Some(quiet);
            self.kept = if is_first { CHANGED } else { SOURCE };
        }
        self.kept
    }

    /// Two threads of a region look, one after the other.
    fn region(&mut self) {
        let first = self.look();
        assert_eq!(first, self.look());
    }

    /// Its end decides that the loop is changed, or runs as compiled.
    fn decide(&mut self, mode: u32) {
        let Some(quiet) = self.quiet else { return };
        match mode {
            SOURCE => quiet.hush(MET),
            _ => quiet.open(),
        }
        self.kept = mode;
    }
}

/// One thread's regions settle that the loop runs as compiled, and later that it is changed; another thread's regions meet it at
/// any moment, and change it. In each region all threads do the same.
#[test]
fn threads_of_a_region_agree_while_another_region_decides() {
    model(|| {
        let word = Arc::new(AtomicU64::new(0));
        let its_word = word.clone();
        let other = thread::spawn(move || {
            let mut around = Around::new(2, &its_word);
            around.region();
            around.decide(CHANGED);
            around.region();
        });
        let mut around = Around::new(1, &word);
        around.region();
        around.decide(SOURCE);
        around.region();
        around.decide(CHANGED);
        around.region();
        other.join().unwrap();
    });
}

/// Two threads of one region meet the loop, which stays the only one.
#[test]
fn threads_of_one_region_are_the_first() {
    model(one_region);
}

fn one_region() {
    let word = AtomicU64::new(0);
    let (quiet, is_first) = Quiet::meet(&word, 1);
    assert!(is_first && Quiet::meet(&word, 1).1);
    quiet.hush(MET);
    assert!(quiet_loops::is_quiet(&word, MET));
    quiet.open();
    assert!(!quiet_loops::is_quiet(&word, MET) && Quiet::meet(&word, 1).1);
    let (other, is_first) = Quiet::meet(&word, 2);
    assert!(!is_first && !Quiet::meet(&word, 1).1);
    other.hush(MET);
    quiet.hush(MET);
    assert!(!quiet_loops::is_quiet(&word, MET));
}

/// A loop of another library stands where one stood that was quiet.
#[test]
fn another_image_s_loop_is_not_taken_for_a_quiet_one() {
    model(|| {
        let word = AtomicU64::new(0);
        Quiet::meet(&word, 1).0.hush(MET);
        assert!(quiet_loops::is_quiet(&word, MET));
        assert!(!quiet_loops::is_quiet(&word, MET + 1));
    });
}
