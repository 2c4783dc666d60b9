//! What must not break, by rooms: of each, as many mutants are sampled.

use std::path::{Path, PathBuf};

use ompchunk_testsuite::dist::files_below;

pub struct Room {
    pub name: &'static str,
    pub package: &'static str,
    paths: &'static [&'static str],
}

const fn room(name: &'static str, package: &'static str, paths: &'static [&'static str]) -> Room {
    Room { name, package, paths }
}

pub const ROOMS: [Room; 14] = [
    room("pass find", "pass", &["pass/src/find"]),
    room("pass emit", "pass", &["pass/src/emit"]),
    room("pass promises", "pass", &["pass/src/promises"]),
    room("shim chunks", "runtime-shim", &["runtime-shim/src/hooks/chunk.rs", "runtime-shim/src/sub_block.rs"]),
    room(
        "shim bounds",
        "runtime-shim",
        &[
            "runtime-shim/src/static_override/stride.rs",
            "runtime-shim/src/static_override.rs",
            "runtime-shim/src/balance/equal_blocks.rs",
            "runtime-shim/src/balance/block_parts.rs",
        ],
    ),
    room(
        "shim schedules",
        "runtime-shim",
        &[
            "runtime-shim/src/overrides.rs",
            "runtime-shim/src/overrides/source_schedule.rs",
            "runtime-shim/src/overrides/chosen_schedule.rs",
            "runtime-shim/src/overrides/override_entry.rs",
        ],
    ),
    room("shim balance", "runtime-shim", &["runtime-shim/src/balance"]),
    room("recorder lanes", "recorder", &["recorder/src/lane.rs", "recorder/src/lane/short_way.rs"]),
    room(
        "recorder sums",
        "recorder",
        &["recorder/src/cells/tally.rs", "recorder/src/cells.rs", "recorder/src/tasks/sums.rs"],
    ),
    room("trace", "trace", &["trace/src"]),
    room("analysis phase", "analysis", &["analysis/src/phase.rs"]),
    room("analysis join", "analysis", &["analysis/src/join.rs"]),
    room("analysis account", "analysis", &["analysis/src/account"]),
    room("advice", "advice", &["advice/src"]),
];

impl Room {
    /// Its files, relative to the root of the tree, without those of tests.
    pub fn files(&self, root: &Path) -> Vec<PathBuf> {
        let below = |path: &&str| match root.join(path) {
            folder if folder.is_dir() => files_below(&folder),
            file => vec![file],
        };
        let all = self.paths.iter().flat_map(below);
        let own = all.map(|path| path.strip_prefix(root).expect("it is below").to_owned());
        let is_rust = |path: &PathBuf| path.extension().is_some_and(|end| end == "rs");
        let is_test = |path: &PathBuf| path.iter().any(|part| part == "tests" || part == "tests.rs");
        let mut files: Vec<PathBuf> = own.filter(|path| is_rust(path) && !is_test(path)).collect();
        files.sort();
        files
    }
}
