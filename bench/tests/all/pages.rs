//! The pages of the tree are what the bench writes from the data of the tree, and the data are whole.

use std::path::{Path, PathBuf};

use ompchunk_bench::summary::files;
use ompchunk_bench::summary::page::{ALL, DATA};
use ompchunk_bench::summary::run::Run;

fn tree() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("the tree").to_owned()
}

#[test]
fn pages_are_what_the_data_say() {
    for (file, text) in files(&tree()).expect("data") {
        let there = std::fs::read_to_string(tree().join(&file)).unwrap_or_default();
        assert!(there == text, "{} is not what its data say; next: scripts/bench.sh pages", file.display());
    }
}

/// The base has nanoseconds, all others what they are beside it.
#[test]
fn data_are_whole() {
    for name in ALL.iter().flat_map(|page| page.runs) {
        let run = Run::read(&tree().join(DATA), name).expect("a run");
        let base = &run.variants[0].name;
        for row in &run.rows {
            let is_base = row.variant == *base;
            let is_beside = row.ratio().is_some() || row.above().is_some();
            assert_eq!(is_beside, !is_base, "{name}: {row:?}");
            assert!(!is_base || row.ns.is_some(), "{name}: {row:?}");
            let is_known = run.variants.iter().any(|known| known.name == row.variant);
            assert!(is_known, "{name}: {row:?}");
        }
    }
}
