//! The command as it is installed and as it stands in `dist/`: it finds its products by itself.

use regex::Regex;

use crate::common::{self, HUNDRED, clean, directory, dist, majors, must_say, repository, succeed};

#[test]
fn installed_and_moved() {
    let directory = directory("app.c", HUNDRED);
    let at = directory.path();
    succeed(
        clean(repository().join("scripts/install.sh"))
            .arg("install")
            .env("PREFIX", "/opt/ompchunk")
            .env("DESTDIR", at.join("stage")),
    );
    let moved = at.join("moved here");
    std::fs::rename(at.join("stage/opt/ompchunk"), &moved).unwrap();
    for page in ["ompchunk.1", "ompchunk-cc.1", "ompchunk-doctor.1", "ompchunk-bench.1"] {
        assert!(moved.join("share/man/man1").join(page).is_file(), "{page}");
    }
    // Also through a link, as package managers make them.
    std::os::unix::fs::symlink(moved.join("bin/ompchunk"), at.join("ompchunk")).unwrap();
    let at_dist = dist().canonicalize().unwrap().join("bin/ompchunk");
    for exe in [moved.join("bin/ompchunk"), at.join("ompchunk"), at_dist] {
        for major in majors() {
            succeed(
                clean(&exe)
                    .args(["cc", "-fopenmp", "app.c", "-o", "app"])
                    .env("OMPCHUNK_CC", format!("clang-{major}"))
                    .current_dir(at),
            );
            let mut run = clean(&exe);
            run.args(["run", "-t", "chunk-print", "./app"]).current_dir(at);
            let (_, _, stderr) = common::finish(&mut run);
            assert_eq!(stderr.matches(" chunk ").count(), 100, "{stderr}");
        }
        // It brings its sources along.
        succeed(clean(&exe).args(["bench", "--quick"]).current_dir(at));
    }
}

#[test]
fn completions_and_man_pages() {
    for (shell, check) in [("bash", "bash"), ("zsh", "zsh"), ("fish", "fish")] {
        let script = succeed(&mut common::ompchunk(&["completions", shell]));
        must_say(&script, "doctor");
        let directory = directory("script", &script);
        // Where the shell is there, its opinion counts.
        let mut command = clean(check);
        command.arg("-n").arg(directory.path().join("script"));
        if let Ok(output) = command.output() {
            assert!(output.status.success(), "{output:?}");
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().join("new");
    succeed(common::ompchunk(&["man"]).arg(&at));
    let read = |name: &str| {
        let page = std::fs::read_to_string(at.join(name)).unwrap();
        page.replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "")
    };
    assert!(read("ompchunk-loops.1").contains("worksharing loops"));
    let export = read("ompchunk-export.1");
    must_say(&export, "ompchunk export --to FORMAT [--table ROWS]");
    // What a page refers to is there.
    let page = Regex::new(r"(?m)\b(ompchunk\S*)\((\d)\)").unwrap();
    let mut referred = 0;
    for entry in std::fs::read_dir(&at).unwrap() {
        let text = read(entry.unwrap().file_name().to_str().unwrap());
        assert!(!text.contains(".md"), "a file that is not installed: {text}");
        for found in page.captures_iter(&text) {
            referred += 1;
            let name = format!("{}.{}", &found[1], &found[2]);
            assert!(at.join(&name).is_file(), "no {name}: {text}");
        }
    }
    assert!(referred > 10, "{referred}");
}

/// `run --tool` completes the names of the tools that are there, and paths.
#[test]
fn tools_are_completed() {
    let tools = std::fs::read_dir(dist().join("lib/tools")).unwrap();
    let mut names: Vec<String> = tools
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            Some(name.strip_prefix("lib")?.strip_suffix(".so")?.to_owned())
        })
        .collect();
    names.sort();
    let all = names.join(" ");
    for (shell, wanted) in [
        ("bash", format!("compgen -f -W \"{all}\"")),
        ("zsh", format!("_ompchunk_tool() {{ _alternative 'tools:tool:({all})' 'files:library:_files' }}")),
        ("zsh", "]:LIB:_ompchunk_tool'".into()),
        ("fish", format!(" -r -F -a \"{}", names[0])),
    ] {
        let script = succeed(&mut common::ompchunk(&["completions", shell]));
        assert!(script.contains(&wanted), "no {wanted}: {script}");
    }
    let script = succeed(&mut common::ompchunk(&["completions", "bash"]));
    let ask = "COMP_WORDS=(ompchunk run --tool chunk-o); COMP_CWORD=3; _ompchunk ompchunk chunk-o --tool; echo \"${COMPREPLY[@]}\"";
    let directory = directory("chunk-other.so", "");
    let mut bash = clean("bash");
    bash.args(["-c", &format!("{script}\n{ask}")]);
    let said = succeed(bash.current_dir(directory.path()));
    let mut said: Vec<&str> = said.split_whitespace().collect();
    said.sort_unstable();
    assert_eq!(said, ["chunk-other.so", "chunk-overhead"]);
    // What is no name is a path.
    let help = succeed(common::ompchunk(&["run", "--help"]).arg("--help"));
    assert!(!help.contains("possible values"), "{help}");
}
