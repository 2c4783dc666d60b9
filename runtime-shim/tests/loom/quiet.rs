//! Models of the word by which loops that stay as compiled are told apart, while several threads begin regions that run the loop.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use loom::thread;

use crate::{model, quiet_word as quiet};

const MET: u32 = 7;
const SOURCE: u32 = 0;
const CHANGED: u32 = 1;

/// What a thread of a region does of the loop, of which that mode is kept around the region.
fn runs(word: &AtomicU64, kept: &AtomicU32) -> u32 {
    match quiet::is_quiet(word, MET) {
        true => SOURCE,
        false => kept.load(Ordering::Acquire),
    }
}

/// Two threads of a region look, one after the other.
fn region(word: &AtomicU64, kept: &AtomicU32) {
    let first = runs(word, kept);
    thread::yield_now();
    assert_eq!(first, runs(word, kept));
}

/// One thread's regions settle that the loop runs as compiled, and later that it is changed; another thread's regions meet it at
/// any moment, and change it. In each region all threads do the same.
#[test]
fn threads_of_a_region_agree_while_another_region_decides() {
    model(|| {
        let word = Arc::new(AtomicU64::new(0));
        quiet::meet(&word);
        let its_word = word.clone();
        let other = thread::spawn(move || {
            let kept = AtomicU32::new(SOURCE);
            let mut has_met = false;
            for _ in 0..2 {
                let mut looks = [SOURCE; 2];
                for look in &mut looks {
                    if !quiet::is_quiet(&its_word, MET) {
                        if !has_met {
                            quiet::meet(&its_word);
                            has_met = true;
                        }
                        *look = kept.load(Ordering::Acquire);
                    }
                }
                assert_eq!(looks[0], looks[1]);
                if has_met {
                    kept.store(CHANGED, Ordering::Release);
                }
            }
        });
        let kept = AtomicU32::new(SOURCE);
        region(&word, &kept);
        quiet::hush(&word, MET);
        region(&word, &kept);
        quiet::open(&word);
        kept.store(CHANGED, Ordering::Release);
        region(&word, &kept);
        other.join().unwrap();
    });
}

/// A loop of another library stands where one stood that was quiet.
#[test]
fn another_image_s_loop_is_not_taken_for_a_quiet_one() {
    model(|| {
        let word = AtomicU64::new(0);
        quiet::meet(&word);
        quiet::hush(&word, MET);
        assert!(quiet::is_quiet(&word, MET));
        assert!(!quiet::is_quiet(&word, MET + 1));
    });
}
