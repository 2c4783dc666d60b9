//! What the documents point at is there: every relative link and #anchor of every page, every page of the book in its
//! summary, every file that ARCHITECTURE.md names.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::common::{clean, repository, succeed};

/// The pages of a tree, and the names of all its files.
struct Tree {
    pages: BTreeMap<String, Page>,
    files: BTreeSet<String>,
}

#[derive(Debug, Default)]
struct Page {
    /// Where its links and pictures lead, and the lines where they stand.
    links: Vec<(usize, String)>,
    /// What its headings are called in links.
    anchors: BTreeSet<String>,
}

impl Page {
    fn read(text: &str) -> Page {
        let mut page = Page::default();
        let mut heading: Option<String> = None;
        let mut seen = BTreeMap::<String, usize>::new();
        let parser = Parser::new_ext(text, Options::ENABLE_TABLES);
        for (event, range) in parser.into_offset_iter() {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    let line = text[..range.start].matches('\n').count() + 1;
                    page.links.push((line, dest_url.into_string()));
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(part) | Event::Code(part) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&part);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    let name = anchor(&heading.take().unwrap_or_default());
                    let before = seen.entry(name.clone()).or_default();
                    page.anchors.insert(match before {
                        0 => name,
                        _ => format!("{name}-{before}"),
                    });
                    *before += 1;
                }
                _ => {}
            }
        }
        page
    }
}

/// What a heading is called in links, by GitHub's rules and mdBook's.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// The path that a link of a page leads to; nothing if it leads out of the tree.
fn resolve(page: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

impl Tree {
    fn new(files: BTreeMap<String, String>) -> Tree {
        let pages =
            files.iter().filter(|(name, _)| name.ends_with(".md")).map(|(name, text)| (name.clone(), Page::read(text)));
        Tree { pages: pages.collect(), files: files.into_keys().collect() }
    }

    fn of_git() -> Tree {
        let mut git = clean("git");
        let listed = succeed(git.arg("ls-files").current_dir(repository()));
        let with_text = |name: &str| {
            let text = name
                .ends_with(".md")
                .then(|| std::fs::read_to_string(repository().join(name)).expect("a page that git has"));
            (name.to_owned(), text.unwrap_or_default())
        };
        Tree::new(listed.lines().map(with_text).collect())
    }

    fn judge(&self, page: &str, link: &str) -> Option<String> {
        if link.contains("://") {
            return None;
        }
        let (path, wanted) = link.split_once('#').unwrap_or((link, ""));
        let target = match path {
            "" => page.to_owned(),
            _ if path.starts_with('/') => return Some("an absolute path".to_owned()),
            _ => match resolve(page, path) {
                Some(target) => target,
                None => return Some("it leads out of the tree".to_owned()),
            },
        };
        let below = format!("{target}/");
        if !self.files.contains(&target) && !self.files.iter().any(|file| file.starts_with(&below)) {
            return Some(format!("git has no {target}"));
        }
        if wanted.is_empty() {
            return None;
        }
        match self.pages.get(&target) {
            Some(page) if page.anchors.contains(wanted) => None,
            Some(_) => Some(format!("{target} has no heading #{wanted}")),
            None => Some(format!("{target} is no page, so it has no #{wanted}")),
        }
    }

    fn broken(&self) -> Vec<String> {
        let links =
            self.pages.iter().flat_map(|(name, page)| page.links.iter().map(move |(line, link)| (name, line, link)));
        links
            .filter_map(|(name, line, link)| {
                let wrong = self.judge(name, link)?;
                Some(format!("{name}:{line}: {link}: {wrong}"))
            })
            .collect()
    }

    /// What is wrong with the book's summary: it links each page of `docs/` once and nothing else.
    fn summary(&self) -> Vec<String> {
        const SUMMARY: &str = "docs/SUMMARY.md";
        let Some(summary) = self.pages.get(SUMMARY) else {
            return vec![format!("no {SUMMARY}")];
        };
        let linked: Vec<Option<String>> = summary.links.iter().map(|(_, link)| resolve(SUMMARY, link)).collect();
        let pages = self.pages.keys().filter(|name| name.starts_with("docs/") && *name != SUMMARY);
        let mut wrong: Vec<String> = pages
            .filter_map(|name| {
                let times = linked.iter().flatten().filter(|linked| *linked == name).count();
                (times != 1).then(|| format!("{SUMMARY} has {name} {times} times, not once"))
            })
            .collect();
        let inside = |path: &Option<String>| path.as_ref().is_some_and(|path| path.starts_with("docs/"));
        let out = linked.iter().filter(|linked| !inside(linked));
        wrong.extend(out.map(|out| format!("{SUMMARY} links {out:?}, which is no page of docs/")));
        wrong
    }

    /// A file of that name, or one whose path ends so.
    fn has(&self, name: &str) -> bool {
        let below = format!("/{name}");
        self.files.contains(name) || self.files.iter().any(|file| file.ends_with(&below))
    }
}

fn tree(files: &[(&str, &str)]) -> Tree {
    let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    Tree::new(files.iter().map(owned).collect())
}

#[test]
fn what_leads_nowhere_is_found() {
    let there = tree(&[
        (
            "README.md",
            "# `A` b, c\n[1](docs/x.md#a-heading) [2](docs) [3](#a-b-c) ![4](docs/p.svg) <https://x.y/#z>\n\n\
             | a |\n|---|\n| [in a table](src/a.rs) |\n\n```text\n[no](link.md)\n```\n`[no](link.md)`",
        ),
        ("docs/x.md", "## A heading\n## A heading\n[1](../README.md) [2](#a-heading-1) [3][named]\n\n[named]: y/z.md"),
        ("docs/y/z.md", "[1](../x.md)"),
        ("docs/p.svg", ""),
        ("src/a.rs", ""),
    ]);
    assert_eq!(there.broken(), [""; 0]);
    for link in [
        "docs/y.md", "Docs/x.md", "docs/x.md#another", "docs/x.md#A-heading", "docs/x.md#a-heading-2", "docs/p.svg#a",
        "doc", "/docs/x.md", "../docs/x.md", "docs/y/../../../x.md", "#a",
    ] {
        let text = format!("# `A` b, c\n\n| a |\n|---|\n| [text]({link}) |");
        let found =
            tree(&[("README.md", &text), ("docs/x.md", "# A heading\n# A heading"), ("docs/p.svg", "")]).broken();
        assert_eq!(found.len(), 1, "{link}: {found:?}");
        assert!(found[0].starts_with("README.md:5: "), "{found:?}");
    }
}

#[test]
fn what_the_summary_lacks_is_found() {
    let of = |summary: &str| {
        let files = [("docs/SUMMARY.md", summary), ("docs/x.md", ""), ("docs/y/z.md", ""), ("README.md", "")];
        tree(&files).summary().len()
    };
    assert_eq!(of("- [x](x.md)\n  - [z](y/z.md)"), 0);
    assert_eq!(of("- [x](x.md)"), 1);
    assert_eq!(of("- [x](x.md)\n- [x](x.md)\n- [z](y/z.md)"), 1);
    assert_eq!(of("- [x](x.md)\n- [z](y/z.md)\n- [r](../README.md)"), 1);
    assert_eq!(tree(&[("docs/x.md", "")]).summary().len(), 1);
}

#[test]
fn links_lead_somewhere() {
    let tree = Tree::of_git();
    let links: usize = tree.pages.values().map(|page| page.links.len()).sum();
    assert!(links > 100, "only {links} links were found");
    let broken = tree.broken();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    let summary = tree.summary();
    assert!(summary.is_empty(), "{}", summary.join("\n"));
}

/// Files are named by the ends of their paths.
#[test]
fn the_architecture_names_files_that_exist() {
    let text = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let tree = Tree::of_git();
    let named = |row: &str| -> Vec<String> {
        let words = row.split('`').skip(1).step_by(2);
        words.filter(|word| word.contains('.') && !word.contains(' ')).map(str::to_owned).collect()
    };
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
    for name in rows.iter().flat_map(|row| named(row)) {
        assert!(tree.has(&name), "git has no {name}");
    }
    let changes: Vec<&&str> = rows.iter().filter(|row| row.starts_with("| a new ")).collect();
    assert_eq!(changes.len(), 9, "{changes:#?}");
    for change in changes {
        assert!(named(change).len() >= 3, "three files: {change}");
    }
}
