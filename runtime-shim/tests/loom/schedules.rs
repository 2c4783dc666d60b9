//! Models of what the threads of a team must find alike, where loops run under other schedules than their own.

use loom::sync::Arc;
use loom::sync::atomic::Ordering;
use loom::thread;

use crate::record::{Known, publish, set_entries, still_leads};
use crate::registered_callbacks::RegisteredCallbacks;
use crate::{
    CHANGED, Image, LISTENING, MEET, NOBODY, STAY, STUB, UNRESOLVED, USUAL, consensus, decision, model, primitive, word,
};

/// Orders come while two threads of a team, of another runtime's, run the first loop of an image: both run it under another
/// schedule, or none of them.
#[test]
fn orders_reach_a_whole_team() {
    model(|| {
        let callbacks = Arc::new(RegisteredCallbacks::empty());
        let orders = Arc::new(decision::Once(primitive::OnceLock::new()));
        let image = Image::new();
        let run = |callbacks: Arc<RegisteredCallbacks>, orders: Arc<decision::Once<()>>, image: Arc<Image>| {
            move || {
                // The emitted code loads `state` without an order, and the word from the address in it. A processor keeps
                // these two in order; loom does not know that, but by acquire.
                let asks = match image.state.load(Ordering::Acquire).addr() {
                    LISTENING => callbacks.listening().load(Ordering::Relaxed) != 0,
                    _ => true,
                };
                if asks && image.enter() == STUB {
                    orders.settle(|| {});
                    let is_any = orders.get().is_some();
                    image.connect(if is_any { CHANGED } else { USUAL });
                }
                asks && image.enter() == CHANGED
            }
        };
        let (its_callbacks, its_orders) = (callbacks.clone(), orders.clone());
        let starting = thread::spawn(move || its_orders.decide(&its_callbacks, || Some(())));
        let second = thread::spawn(run(callbacks.clone(), orders.clone(), image.clone()));
        let own = run(callbacks, orders, image)();
        assert_eq!(own, second.join().unwrap());
        starting.join().unwrap();
    });
}

/// What a loop does of an image that another runtime than the served one runs, which the shim knows since it came: is it changed?
fn is_changed(image: &Image) -> bool {
    if image.state.load(Ordering::Acquire) == word(NOBODY) {
        return false;
    }
    let mut entry = image.enter();
    if entry == STUB {
        // As the resolver and its `look_again` have it.
        let told = image.state.compare_exchange(word(UNRESOLVED), word(NOBODY), Ordering::SeqCst, Ordering::Acquire);
        entry = image.enter();
        if told.is_ok() || entry == STUB {
            return false;
        }
    }
    if entry == MEET {
        // As `connect`.
        let state;
        (state, entry) = match Image::words().known(&image.state) {
            Known::New => (LISTENING, CHANGED),
            Known::Late => (NOBODY, STAY),
            Known::Anothers => panic!("there is one shim"),
        };
        publish(&image.state, &image.enter, word(state), word(entry));
    }
    entry == CHANGED
}

/// The shim comes, with orders, while two threads of a team run the first loop of an image: both run it as compiled, or both under another schedule.
#[test]
fn who_comes_late_changes_no_part_of_a_team() {
    model(|| {
        let image = Image::new();
        let (coming, others) = (image.clone(), image.clone());
        // As it is loaded, and as the runtime looks for a tool.
        let shim = thread::spawn(move || {
            coming.ask_again();
            coming.ask_again();
        });
        let second = thread::spawn(move || is_changed(&others));
        let own = is_changed(&image);
        assert_eq!(own, second.join().unwrap());
        shim.join().unwrap();
        // Whatever it said of nobody, it asks from now on, or has been told.
        assert!(image.state.load(Ordering::Relaxed) != word(UNRESOLVED));
        assert!(image.enter() != STUB);
        is_changed(&image);
    });
}

/// The shim comes while an image is told that nobody listens: either its loops lead to the stub from then on, or they ask nobody.
#[test]
fn loops_lead_to_the_stub_where_their_image_may_listen() {
    model(|| {
        let image = Image::new();
        let entries: Arc<[primitive::AtomicPtr<()>; 4]> =
            Arc::new(std::array::from_fn(|_| primitive::AtomicPtr::new(word(STUB))));
        let (coming, others) = (image.clone(), entries.clone());
        let shim = thread::spawn(move || {
            coming.ask_again();
            set_entries(&others, |_| word(STUB));
        });
        // As the resolver, by the exchange that `still_leads` makes, too.
        let told = image.state.compare_exchange(word(UNRESOLVED), word(NOBODY), Ordering::SeqCst, Ordering::Acquire);
        if told.is_ok() {
            set_entries(&entries, |_| word(USUAL));
            if !still_leads(&image.state, word(NOBODY)) {
                set_entries(&entries, |_| word(STUB));
            }
        }
        shim.join().unwrap();
        for entry in entries.iter() {
            assert_eq!(entry.load(Ordering::Relaxed), word(STUB));
        }
    });
}

/// A library was unloaded, and another loop stands where one of its stood. Whoever runs that finds nothing of the one before.
#[test]
fn no_decision_outlives_its_loop() {
    const OLD: u32 = 5;
    const NEW: u32 = 6;
    model(|| {
        let image = Image::new();
        let met = Arc::new(primitive::AtomicU64::new(1));
        let place = Arc::new(primitive::AtomicU64::new(consensus::both(1, OLD)));
        let run = |image: Arc<Image>, met: Arc<primitive::AtomicU64>, place: Arc<primitive::AtomicU64>| {
            move || {
                if image.enter() == STUB {
                    // As `numbers::count_image`, and `numbers::images_met` below.
                    met.fetch_add(1, Ordering::AcqRel);
                    image.connect(CHANGED);
                }
                consensus::kept(&place, met.load(Ordering::Acquire) as u32, || NEW)
            }
        };
        let second = thread::spawn(run(image.clone(), met.clone(), place.clone()));
        assert_eq!(run(image, met, place)(), NEW);
        assert_eq!(second.join().unwrap(), NEW);
    });
}

/// Two threads look for the places of two pairs of addresses, which begin alike, among others: both find the same.
#[test]
fn two_threads_find_one_place() {
    model(|| {
        let words = Arc::new([8, 0, 0, 0, 0, 0].map(primitive::AtomicUsize::new));
        let find = |words: &[primitive::AtomicUsize], second| {
            let mut places = words.chunks_exact(2);
            places.position(|place| consensus::are_taken_by(&place[0], &place[1], (16, second)))
        };
        let others = words.clone();
        let second = thread::spawn(move || (find(&*others, 1), find(&*others, 2)));
        let own = (find(&*words, 2), find(&*words, 1));
        let (first, last) = second.join().unwrap();
        assert_eq!((last, first), own);
        assert!(first != last && first.is_some() && last.is_some());
    });
}

/// Two threads of a team ask whose turn it is in a region: both are told the same, and the next region's is the next one.
#[test]
fn a_turn_is_taken_once() {
    model(|| {
        let turn = Arc::new(primitive::AtomicU64::new(consensus::both(1, 4)));
        let others = turn.clone();
        let second = thread::spawn(move || consensus::taken(&others, 5));
        let own = consensus::taken(&turn, 5);
        assert_eq!((own, second.join().unwrap()), (1, 1));
        assert_eq!(consensus::taken(&turn, 6), 2);
    });
}
