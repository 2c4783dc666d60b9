//! The command as it is installed and as it stands in `dist/`: it finds its products by itself.

mod common;

use common::{HUNDRED, clean, directory, dist, majors, repository, succeed};

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
    for page in [
        "ompchunk.1",
        "ompchunk-cc.1",
        "ompchunk-doctor.1",
        "ompchunk-bench-report.1",
    ] {
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
            run.args(["run", "-t", "chunk-print", "./app"])
                .current_dir(at);
            let (_, _, stderr) = common::finish(&mut run);
            assert_eq!(stderr.matches(" chunk ").count(), 100, "{stderr}");
        }
        // It brings its sources along.
        let few = ["--bodies", "empty", "--chunks", "1", "--variants", "chunk"];
        let mut bench = clean(&exe);
        bench.args(["bench", "--quick", "--allow-noisy"]).args(few);
        succeed(bench.current_dir(at));
    }
}

#[test]
fn completions_and_man_pages() {
    for (shell, check) in [("bash", "bash"), ("zsh", "zsh"), ("fish", "fish")] {
        let script = succeed(&mut common::ompchunk(&["completions", shell]));
        assert!(script.contains("doctor"), "{script}");
        let directory = directory("script", &script);
        // Where the shell is there, its opinion counts.
        let mut command = clean(check);
        command.arg("-n").arg(directory.path().join("script"));
        if let Ok(output) = command.output() {
            assert!(output.status.success(), "{output:?}");
        }
    }
    let directory = tempfile::tempdir().unwrap();
    succeed(common::ompchunk(&["man"]).arg(directory.path().join("new")));
    let page = std::fs::read_to_string(directory.path().join("new/ompchunk-loops.1")).unwrap();
    assert!(page.contains("worksharing loops"), "{page}");
}
