//! The page of a report in a browser, at the width of a telephone and of a screen: of each kind of trace.

use std::path::Path;

use crate::common::traces::profiled;
use crate::common::{acc, browser, clean, stacks, succeed, traces};

const CHECKS: &str = include_str!("../page.js");

fn page(directory: &Path, trace: &Path) -> String {
    let mut command = clean(env!("CARGO_BIN_EXE_ompchunk"));
    command.arg("report").arg(trace).args(["--html", "-"]);
    succeed(command.current_dir(directory))
}

/// What a browser makes of a page, whose scripts have run.
fn dom(browser: &str, directory: &Path, page: &str, dark: bool) -> String {
    dom_at(browser, directory, page, dark, "")
}

/// ... at an address that ends in this.
fn dom_at(browser: &str, directory: &Path, page: &str, dark: bool, end: &str) -> String {
    let file = directory.join("page.html");
    std::fs::write(&file, page).unwrap();
    let scheme = if dark { "0" } else { "1" };
    succeed(
        clean(browser)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom"])
            .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
            .arg("--window-size=1360,1000")
            .arg(format!("--user-data-dir={}", directory.join("profile").display()))
            .arg(format!("file://{}{end}", file.display())),
    )
}

/// The page in frames of two widths, with what `page.js` has to say of it.
fn checked(dark: &[bool], make: impl FnOnce(&Path) -> (std::path::PathBuf, serde_json::Value)) {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let (trace, asked) = make(directory.path());
    let page = page(directory.path(), &trace);
    let json = |text: &str| serde_json::to_string(text).unwrap().replace('<', "\\u003c");
    let outer = format!(
        "<!DOCTYPE html><html><body><script>{CHECKS}run({}, {})</script></body></html>",
        json(&page),
        asked.to_string().replace('<', "\\u003c")
    );
    for dark in dark {
        let dom = dom(browser, directory.path(), &outer, *dark);
        let result = dom.split_once("data-result=\"").and_then(|(_, rest)| rest.split_once('"'));
        assert_eq!(result.map_or("the checks did not come to their end", |(found, _)| found), "well");
    }
}

#[test]
fn a_small_trace() {
    checked(&[false, true], |directory| {
        let trace = traces::small(directory, "app", 2, 300);
        (trace, serde_json::json!({"pure": true, "runs": 2}))
    });
}

#[test]
fn many_ranks() {
    checked(&[false], |directory| {
        let trace = traces::ranks(directory, "app", 64);
        (trace, serde_json::json!({"runs": 3}))
    });
}

#[test]
fn names_longer_than_any_screen() {
    checked(&[false], |directory| {
        let (trace, whole) = traces::long_names(directory, "app");
        (trace, serde_json::json!({"whole": whole}))
    });
}

#[test]
fn nothing_to_show() {
    checked(&[false], |directory| (traces::no_loops(directory, "app"), serde_json::json!({})));
    checked(&[false], |directory| (traces::balanced(directory, "app"), serde_json::json!({})));
}

/// Each loop of them is looked at.
#[test]
fn numbers_at_their_ends() {
    checked(&[false], |directory| {
        let trace = traces::extremes(directory, "app");
        (trace, serde_json::json!({"each": true}))
    });
    checked(&[true], |directory| (traces::ranks(directory, "app", 300), serde_json::json!({})));
}

#[test]
fn chunks_that_are_not_there() {
    checked(&[false], |directory| (traces::with_losses(directory, "app"), serde_json::json!({})));
    checked(&[true], |directory| (traces::sums(directory, "app"), serde_json::json!({})));
}

/// The script runs to its end, and draws.
#[test]
fn it_is_drawn() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let trace = traces::small(directory.path(), "app", 2, 300);
    let page = page(directory.path(), &trace);
    let dom = dom(browser, directory.path(), &page, false);
    assert!(dom.contains("data-state=\"drawn\""), "{}", &dom[dom.len().saturating_sub(2000)..]);
    // Timeline, heat map and histogram, and two legends.
    assert_eq!(dom.matches("<canvas").count(), 5);
    assert!(dom.contains("a.c:12"), "the list");
    assert!(dom.contains("grid::sweep"), "the function");
    // A name with markup in it is text.
    assert!(dom.contains("&lt;/script&gt;&lt;b&gt;"), "escaped");
    assert!(dom.contains("perfect balance would save"), "the loop");
    assert!(dom.contains("a profile is missing"), "what to do");
}

/// A picture of the longest run of a region with tasks, also where there is no loop.
#[test]
fn tasks_over_time() {
    checked(&[false, true], |directory| (traces::tasks(directory, "app"), serde_json::json!({})));
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let trace = traces::tasks(directory.path(), "app");
    let dom = dom(browser, directory.path(), &page(directory.path(), &trace), false);
    let section = dom.split("<section id=\"tasks\">").nth(1).unwrap();
    let section = section.split("</section>").next().unwrap();
    assert_eq!(section.matches("<svg").count(), 1, "{section}");
    let said = "at most one thread runs a task in 50.0 % of them";
    assert!(section.contains(said), "{section}");
    // Two threads up to the middle, which is half of the picture's height, then one.
    let points = section.split("points=\"").nth(1).unwrap();
    let points = points.split('"').next().unwrap().split(' ');
    let heights: Vec<f64> = points.map(|point| point.split(',').nth(1).unwrap().parse().unwrap()).collect();
    assert_eq!(heights.len(), 202);
    let [first, last, foot] = [heights[1], heights[200], heights[201]];
    assert!((foot - first - 2.0 * (foot - last)).abs() < 1e-6 && last < foot);
}

/// The constructs on the critical path, the longest first; nothing where no path is known.
#[test]
fn critical_path() {
    checked(&[false], |directory| {
        let trace = traces::tasks_behind(directory, "app", 250);
        (trace, serde_json::json!({}))
    });
    let Some(browser) = browser() else { return };
    let section = |make: &dyn Fn(&Path) -> std::path::PathBuf| {
        let directory = tempfile::tempdir().unwrap();
        let page = page(directory.path(), &make(directory.path()));
        let dom = dom(browser, directory.path(), &page, false);
        let section = dom.split("<section id=\"tasks\">").nth(1).unwrap();
        section.split("</section>").next().unwrap().to_owned()
    };
    let found = section(&|parent| traces::tasks_behind(parent, "app", 250));
    let found = found.split("Critical path</h2>").nth(1).unwrap();
    assert!(found.contains("1.25 ms of 1.75 ms of work"), "{found}");
    let rows: Vec<&str> = found.split("<tr>").skip(2).collect();
    let parts: [&[&str]; 2] = [
        &["app+0x1000", ">80.0 %<", "width: 80%", ">1.00 ms<", ">2<"],
        &["outside of explicit tasks", ">20.0 %<", "width: 20%", ">250 µs<", ">-<"],
    ];
    assert_eq!(rows.len(), parts.len(), "{found}");
    for (row, words) in rows.iter().zip(parts) {
        for word in words {
            assert!(row.contains(word), "{word} in {row}");
        }
    }
    // A name with markup in it is text.
    assert!(rows[0].contains("&lt;/script&gt;&lt;b&gt;"), "{found}");
    let without = section(&|parent| traces::small(parent, "app", 2, 300));
    assert!(!without.contains("Critical path"), "{without}");
}

/// Waits for locks are sums, so a run's picture cannot have them: it says so of the loop that has some, and of no other.
#[test]
fn waits_for_locks_are_said_not_drawn() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let trace = traces::with_lock(directory.path(), "app");
    let page = page(directory.path(), &trace);
    let said = "of waiting for locks and the like, not drawn apart";
    let shown = |end: &str| dom_at(browser, directory.path(), &page, false, end);
    let sections = ["#loop-1", "#loop-2"].map(|end| {
        let dom = shown(end);
        let section = dom.split("<h2 id=\"loop").nth(1).expect("a loop");
        // Behind it are the scripts, which have the sentence too.
        section.split("<script").next().unwrap().to_owned()
    });
    let has = |line: &str| {
        let is_meant = |section: &&String| section.split("</h2>").next().unwrap().contains(line);
        sections.iter().find(is_meant).expect("the loop")
    };
    let of_loop = format!("chunks of all runs have 300 µs {said}");
    assert!(has("a.c:12").contains(&of_loop), "{}", has("a.c:12"));
    assert!(!has("a.c:40").contains(said), "{}", has("a.c:40"));
}

/// Whoever keeps a link to a loop gets that loop, however far down in the list it is.
#[test]
fn an_address_names_a_loop() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let trace = traces::extremes(directory.path(), "app");
    let page = page(directory.path(), &trace);
    let shown = |end: &str| {
        let dom = dom_at(browser, directory.path(), &page, false, end);
        let heading = dom.split("<h2 id=\"").nth(1).expect("a loop");
        heading.split('"').next().unwrap().to_owned()
    };
    let first = shown("");
    let other = match first.as_str() {
        "loop-2" => "loop-3",
        _ => "loop-2",
    };
    assert_eq!(shown(&format!("#{other}")), other);
    assert_eq!(shown("#loop-12345"), first, "of a loop that is not there");
}

/// A page that says what the profile tells does not send its reader to ask for it.
#[test]
fn the_next_step_is_none_that_was_taken() {
    let directory = tempfile::tempdir().unwrap();
    profiled(directory.path(), true);
    let page = page(directory.path(), directory.path());
    assert!(page.contains("as predicted"), "the card has it");
    let other = "no other schedule can be compared: under static, each thread gives only one number";
    assert!(page.contains(other), "or says why not");
    assert!(!page.contains("ompchunk advise"), "and the page asks for it");
}

/// What iterations cost is drawn, on a telephone too.
#[test]
fn a_profile() {
    checked(&[false, true], |directory| {
        let trace = directory.join("app");
        std::fs::create_dir(&trace).unwrap();
        profiled(&trace, true);
        (trace, serde_json::json!({"profile": true}))
    });
}

/// Hot lines are listed where stacks were sampled, and only there.
#[test]
fn sampled_stacks() {
    checked(&[false, true], |directory| {
        let (trace, rows) = stacks::trace(directory);
        (trace, serde_json::json!({"hot": rows}))
    });
}

/// What OpenACC did stands beside the loops, also where there are none.
#[test]
fn openacc() {
    checked(&[false, true], |directory| {
        let (trace, rows) = acc::trace(directory);
        (trace, serde_json::json!({"openacc": rows}))
    });
}
