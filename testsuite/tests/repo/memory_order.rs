//! Does `docs/memory-order.md` have every atomic of what runs in a user's process, and each of its orders?

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use ompchunk_testsuite::dist::{files_below, repository};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::tests;
use regex::Regex;

pub fn trials(suite: &mut Suite) {
    suite.plain(&tests![
        the_page_has_every_atomic_and_its_orders, no_use_is_overlooked, the_models_that_it_names_are_there,
        the_page_has_what_is_emitted, uses_are_found_in_every_form
    ]);
}

const CRATES: [&str; 4] = ["runtime-shim/src", "stock/src", "recorder/src", "ompt/src"];

/// Where an atomic is used, its name, and its orders.
type Uses = BTreeMap<(String, String), BTreeSet<String>>;

static ORDER: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(?:Relaxed|Acquire|Release|AcqRel|SeqCst)\b"));
static USE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?:\b((?:self\.)?\w+(?:\.0)?)(?:\[[^\]]*\]|\([^()]*\))?(?:\s*\})?\??\.(?:load|store|swap|fetch_\w+|compare_exchange(?:_weak)?)|\b((?:compiler_)?fence))\(",
    )
});

fn regex(text: &str) -> Regex {
    Regex::new(text).expect("a regex")
}

/// What of a source file is neither a comment, nor an import, nor a test.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
    let text = regex(r"//[^\n]*").replace_all(text, "");
    let text = regex(r"(?s)\buse [^;]*;").replace_all(&text, "");
    regex(r"\s*\n\s*\.").replace_all(&text, ".").into_owned()
}

/// What stands between the parentheses that begin before `from`.
fn arguments(code: &str, from: usize) -> &str {
    let mut depth = 1;
    for (at, byte) in code[from..].bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &code[from..from + at];
        }
    }
    &code[from..]
}

/// `self.0` and `counter.0` by both words, `self.word` by its last.
fn name(path: &str) -> &str {
    match path.ends_with(".0") {
        true => path,
        false => path.rsplit('.').next().unwrap_or(path),
    }
}

fn uses(file: &str, code: &str) -> Uses {
    let mut found = Uses::new();
    for hit in USE.captures_iter(code) {
        let all = hit.get(0).expect("a match");
        let who = hit.get(1).or(hit.get(2)).expect("one of the two");
        let orders = ORDER.find_iter(arguments(code, all.end()));
        let orders: BTreeSet<String> = orders.map(|order| order.as_str().to_owned()).collect();
        if !orders.is_empty() {
            let key = (file.to_owned(), name(who.as_str()).to_owned());
            found.entry(key).or_default().extend(orders);
        }
    }
    found
}

fn sources(directory: &Path) -> Vec<std::path::PathBuf> {
    let mut files = files_below(directory);
    files.retain(|path| path.file_name().is_some_and(|name| name != "tests.rs"));
    files
}

fn in_sources(folder: &str) -> Uses {
    let root = repository().join(folder);
    let mut found = Uses::new();
    for path in sources(&root) {
        let file = path.strip_prefix(&root).expect("below it");
        let text = fs::read_to_string(&path).expect("a source");
        found.extend(uses(&file.display().to_string(), &code(&text)));
    }
    found
}

/// What the tables of the page have for a crate.
fn in_page(page: &str, folder: &str) -> Uses {
    let section = page
        .split("\n## ")
        .find(|section| section.contains(&format!("Files of `{folder}`.")))
        .unwrap_or_else(|| panic!("docs/memory-order.md has no section for {folder}"));
    let quoted = regex("`([^`]+)`");
    let mut found = Uses::new();
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').collect();
        let words = |cell: &str| -> Vec<String> {
            let words = quoted.captures_iter(cell);
            words.map(|word| word[1].to_owned()).collect()
        };
        for file in words(cells[1]) {
            for name in words(cells[2]) {
                let orders = ORDER.find_iter(cells[3]).map(|order| order.as_str().to_owned());
                let key = (file.clone(), name);
                found.entry(key).or_default().extend(orders);
            }
        }
    }
    found
}

fn the_page_has_every_atomic_and_its_orders() {
    let page = repository().join("docs/memory-order.md");
    let page = fs::read_to_string(page).expect("the page");
    let mut wrong = Vec::new();
    for folder in CRATES {
        let (used, said) = (in_sources(folder), in_page(&page, folder));
        assert!(!used.is_empty(), "{folder} has atomics");
        for (key, orders) in &used {
            let unsaid: Vec<_> = match said.get(key) {
                Some(said) => orders.difference(said).collect(),
                None => orders.iter().collect(),
            };
            if !unsaid.is_empty() {
                wrong.push(format!("{folder}/{}: `{}` {unsaid:?} has no row", key.0, key.1));
            }
        }
        for key in said.keys().filter(|key| !used.contains_key(key)) {
            wrong.push(format!("{folder}/{} has no `{}` any more", key.0, key.1));
        }
    }
    assert!(
        wrong.is_empty(),
        "docs/memory-order.md: say what each orders and why it suffices on AArch64:\n{}",
        wrong.join("\n")
    );
}

/// Every mention of an order belongs to a use that is found: an atomic in a form that is not known here must not be missed.
fn no_use_is_overlooked() {
    let by_name = regex(r"let relaxed = Ordering::Relaxed;|Relaxed => ");
    for folder in CRATES {
        for path in sources(&repository().join(folder)) {
            let text = fs::read_to_string(&path).expect("a source");
            let code = by_name.replace_all(&code(&text), "").into_owned();
            let ranges: Vec<_> =
                USE.find_iter(&code).map(|hit| hit.end()..hit.end() + arguments(&code, hit.end()).len()).collect();
            let left = ORDER.find_iter(&code).find(|order| !ranges.iter().any(|range| range.contains(&order.start())));
            assert!(left.is_none(), "{}: an order in a form that is not known: {left:?}", path.display());
        }
    }
}

fn the_models_that_it_names_are_there() {
    let page = fs::read_to_string(repository().join("docs/memory-order.md")).expect("the page");
    let models: String =
        ["runtime-shim/tests/loom.rs", "runtime-shim/tests/loom/schedules.rs", "recorder/tests/loom.rs"]
            .map(|file| fs::read_to_string(repository().join(file)).expect("models"))
            .concat();
    let table = page.split("| threads that meet |").nth(1).expect("the table");
    let table = table.split("\n\n").next().expect("its end");
    let names = regex("`([a-z_]+)`");
    let named: Vec<_> = names.captures_iter(table).map(|name| name[1].to_owned()).collect();
    assert!(named.len() >= 9, "{named:?}");
    for name in &named {
        assert!(models.contains(&format!("fn {name}()")), "no model {name}");
    }
    // What is modelled stands in the table, but for some that say the same of another slot.
    let all = regex(r"#\[test\]\s+fn ([a-z_]+)\(\)");
    let unnamed: Vec<_> =
        all.captures_iter(&models).map(|model| model[1].to_owned()).filter(|model| !named.contains(model)).collect();
    assert_eq!(
        unnamed,
        ["the_word_agrees_with_the_slots_after_changes_of_different_slots", "nobody_is_taken_for_alone_who_is_not"]
    );
}

/// What code does to a field of the module record, or to the word behind it, and in which orders.
type Emitted = BTreeMap<String, BTreeSet<String>>;

const EMITTED: &str = "monotonic|acquire|release|acq_rel|seq_cst";

/// The atomics of a snapshot, but for the user's own, which are no loads, stores or exchanges.
fn emitted(snapshot: &str, into: &mut Emitted) {
    let fields = HashMap::from([
        ("16", "state"),
        ("24", "begin"),
        ("144", "entries"),
        ("152", "entries"),
        ("160", "entries"),
        ("168", "entries"),
    ]);
    let of_record = regex(r"^\(?i8, ptr @__ompchunk_module_v\d+, i64 (\d+)\)$");
    let field_of_argument = regex(r"(%\S+) = getelementptr inbounds i8, ptr %0, i64 (\d+)$");
    let atomic = regex(&format!(
        r"(?:(%\S+) = )?(?:(load) atomic \S+, ptr |(store) atomic \S+ \S+, ptr |(cmpxchg) ptr )(?:getelementptr inbounds )?(%\S+?|\([^)]*\)),? .*?((?:\b(?:{EMITTED})\b ?)+)"
    ));
    let orders = regex(&format!(r"\b(?:{EMITTED})\b"));
    let mut names: HashMap<String, String> = HashMap::new();
    let mut in_resolver = false;
    for line in snapshot.lines() {
        if line.starts_with("define ") {
            names.clear();
            in_resolver = line.contains("@__ompchunk_resolve_v");
        }
        if let Some(field) = field_of_argument.captures(line).filter(|_| in_resolver) {
            let name = fields.get(&field[2]).copied().unwrap_or_default();
            names.insert(field[1].to_owned(), name.to_owned());
        }
        let Some(hit) = atomic.captures(line) else {
            let other = line.contains(" atomic ") || line.contains("cmpxchg");
            assert!(!other, "an atomic in a form that is not known: {line}");
            continue;
        };
        let name = match of_record.captures(&hit[5]) {
            Some(offset) => fields.get(&offset[1]).map(|name| (*name).to_owned()),
            None => names.get(&hit[5]).cloned(),
        };
        let name = name.unwrap_or_else(|| panic!("an atomic of nothing that is known: {line}"));
        let what = ["load", "store", "exchange"][(2..5).find(|at| hit.get(*at).is_some()).expect("one of them") - 2];
        if let Some(loaded) = hit.get(1).filter(|_| (what, &*name) == ("load", "state")) {
            names.insert(loaded.as_str().to_owned(), "word".to_owned());
        }
        let orders = orders.find_iter(&hit[6]).map(|order| order.as_str().to_owned());
        into.entry(format!("{what} {name}")).or_default().extend(orders);
    }
}

fn the_page_has_what_is_emitted() {
    let page = fs::read_to_string(repository().join("docs/memory-order.md")).expect("the page");
    let section = page.split("\n## ").find(|section| section.starts_with("Emitted code"));
    let row = regex(r"(?m)^\| `(\w+ \w+)`[^|]*\|([^|]*)\|");
    let orders = regex(&format!(r"\b(?:{EMITTED})\b"));
    let mut said = Emitted::new();
    for row in row.captures_iter(section.expect("its section")) {
        let orders = orders.find_iter(&row[2]).map(|order| order.as_str().to_owned());
        said.entry(row[1].to_owned()).or_default().extend(orders);
    }
    let mut found = Emitted::new();
    let snapshots = fs::read_dir(repository().join("testsuite/snapshots")).expect("snapshots");
    for snapshot in snapshots {
        let path = snapshot.expect("an entry").path();
        emitted(&fs::read_to_string(path).expect("a snapshot"), &mut found);
    }
    assert_eq!(found, said, "what the snapshots have, and what docs/memory-order.md says");
}

fn uses_are_found_in_every_form() {
    let text = "use core::sync::atomic::Ordering;\nfn f() {\n    self.word.load(Ordering::Acquire);\n    (*lane)\n        .state\n        \
                .compare_exchange(A, f(B), Ordering::AcqRel, Relaxed); // SeqCst\n    self.0.swap(1, SeqCst);\n    fence(Release);\n}\n";
    let found = uses("a.rs", &code(text));
    let shown: Vec<String> = found.iter().map(|((_, name), orders)| format!("{name} {orders:?}")).collect();
    assert_eq!(
        shown,
        [r#"fence {"Release"}"#, r#"self.0 {"SeqCst"}"#, r#"state {"AcqRel", "Relaxed"}"#, r#"word {"Acquire"}"#]
    );
}
