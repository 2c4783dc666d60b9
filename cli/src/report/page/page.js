// The page: a list of loops, and the one that was chosen.
const data = JSON.parse(document.getElementById("data").textContent), {report} = data;
const labels = new Map(report.loops.map((it, at) => [it, data.labels[at]]));
const pictures = new Map(report.loops.map((it, at) => [it, data.pictures[at]]));
let shown = null;

function card(parent, value, name, kind) {
  const it = element("div", undefined, "card");
  it.append(element("b", value, kind), element("span", name));
  parent.append(it);
}
function section(parent, title, text) {
  const it = element("div");
  it.append(element("h3", title));
  if (text) it.append(element("p", text, "quiet"));
  parent.append(it);
  return it;
}
function show(it) {
  shown = it;
  const to = document.getElementById("loop"), label = labels.get(it), parts = report.parts;
  to.replaceChildren(element("h2", "Loop " + it.number + ": " + label.place));
  let what = (it.schedule ? it.schedule + ", " : "") + (it.executions === 1 && !it.incomplete_executions ? "1 run" : runs(it) + " runs");
  if (it.trip_count) what += " of " + range(it.trip_count, count) + " iterations";
  to.append(element("p", what + ", " + team(it) + " threads"));
  const cards = element("div", undefined, "cards");
  if (it.executions) {
    card(cards, time(it.seconds), report.run.processes > 1 ? "time, mean of all ranks" : "time");
    if (it.slowest_rank_seconds !== null) card(cards, time(it.slowest_rank_seconds), "time, slowest rank");
    card(cards, percent(it.parallel_efficiency), "parallel efficiency", judged(it.parallel_efficiency));
    card(cards, percent(it.load_balance), "load balance", judged(it.load_balance));
    card(cards, percent(it.communication_efficiency), "communication efficiency", judged(it.communication_efficiency));
    card(cards, time(it.imbalance_seconds), "perfect balance would save");
  }
  card(cards, percent(it.total_load_balance), "load balance, all runs together", judged(it.total_load_balance));
  card(cards, time(it.mean_barrier_seconds), "barrier wait, mean of threads");
  card(cards, percent(it.bookkeeping_share), it.bookkeeping_share === null ? "bookkeeping: not timed" : "bookkeeping");
  if (it.off_core && it.off_core.seconds > 0) card(cards, time(it.off_core.seconds), "not on a core: " + whyOff(it.off_core));
  if (it.recorder_share !== null) card(cards, percent(it.recorder_share), "recorder, of the loop");
  to.append(cards);
  for (const hint of it.hints) to.append(element("p", hint.text, "hint"));
  if (it.lost) to.append(element("p", "Lost: " + count(it.lost.chunks) + " chunks with " + count(it.lost.iterations) +
    " iterations, " + count(it.lost.events) + " other records.", "hint"));
  const drawn = pictures.get(it);
  if (!drawn) to.append(element("p", "No pictures of this loop in this page: ompchunk report --loop " + it.number +
    " --html makes one with them.", "quiet"));
  if (drawn && drawn.timeline && it.chunk_seconds) {
    const t = drawn.timeline, where = parts.length > 1 ? parts[t.part].name + ", " : "";
    timeline(section(to, "The longest run, thread by thread", where + "began " + t.begin_seconds.toFixed(6) +
      " s after the start, took " + time(t.seconds)), t, it.chunk_seconds);
  }
  const side = element("div", undefined, "side");
  to.append(side);
  // All of one line stand before any is drawn: canvases are as wide as what they stand in.
  const left = drawn && drawn.heat ? section(side, "Chunks by iteration and duration", "all runs") : null;
  const right = it.chunks_complete && it.chunk_seconds ? section(side, "Chunks by duration", count(it.chunk_seconds.count) +
    " chunks; quantiles ± " + Math.ceil(it.chunk_seconds.quantile_error * 100) + " %") : null;
  if (left) heat(left, drawn.heat, data.columns, data.rows);
  if (right) histogram(right, it.chunk_seconds);
  const scroll = parent => { const it = element("div", undefined, "scroll"); parent.append(it); return it; };
  if (it.ranks.length) rankTable(scroll(section(to, "Ranks", report.run.processes > 1 ? "load balance between them " + percent(it.rank_load_balance) : "parts of one process, which follow each other")), it, parts);
  threadTable(scroll(section(to, "Threads")), it, parts);
  if (it.chunks_complete && it.worst_chunks.length) worstTable(scroll(section(to, "Longest chunks")), it, parts);
}
// The run as a whole: time that passed, of several processes the mean.
function whole(run) {
  const of = seconds => time(seconds) + " (" + percent(seconds / run.seconds) + ")", known = it => it !== null;
  const said = [];
  if (known(run.serial_seconds)) said.push(of(run.serial_seconds) + " serial, " + of(run.parallel_seconds) + " in parallel regions");
  if (known(run.loop_seconds)) said.push(of(run.loop_seconds) + (report.notes.some(it => it.code === "left-out") ? " in the loops that were recorded" : " in loops"));
  if (known(run.lost_seconds)) said.push("loops lose " + of(run.lost_seconds) + ", perfect balance would save " + of(run.imbalance_seconds));
  if (!said.length || !run.seconds) return "";
  return "Of " + time(run.seconds) + (run.processes > 1 ? " elapsed, the mean of " + count(run.processes) + " processes: " : ": ") + said.join("; ") + ".";
}
function start() {
  document.title = data.title + " - ompchunk report";
  document.getElementById("title").textContent = data.title;
  const parts = report.parts, first = parts[0], sum = key => parts.reduce((all, it) => all + Number(it[key]), 0);
  const chunks = report.loops.reduce((all, it) => all + Number(it.chunks), 0);
  const many = parts.length === 1 ? (first.host ? "on " + first.host : first.name) : (report.run.processes === 1 ? "1 process" : count(report.run.processes) + " processes") +
    (report.run.processes < parts.length ? ", " + several(parts.length, "part") : "");
  document.getElementById("run").textContent = [many, several(report.run.threads, "thread"),
    time(report.run.longest_seconds), several(report.loops.length + data.left_out, "loop"),
    several(chunks, "chunk"), first.runtime].filter(Boolean).join(" · ");
  document.getElementById("whole").textContent = whole(report.run);
  const known = parts.every(it => it.recorder_seconds !== null && it.reading_seconds !== null);
  const threadTime = parts.reduce((all, it) => all + it.seconds * Number(it.threads), 0);
  if (known && threadTime > 0) document.getElementById("run").textContent += " · recording took " +
    percent((sum("recorder_seconds") + sum("reading_seconds")) / threadTime) + " of the threads' time";
  document.getElementById("notes").append(...report.notes.map(it => element("li", it.text)));
  if (data.left_out) document.getElementById("more").textContent =
    count(data.left_out) + " more loops are in ompchunk report --top 0 and --json.";
  let chosen = null;
  const choose = (it, line) => {
    if (chosen) chosen.classList.remove("chosen");
    chosen = line;
    line.classList.add("chosen");
    show(it);
  };
  const list = table(document.getElementById("loops"), loopColumns(labels), [...report.loops], choose);
  const line = list.querySelector("tbody tr");
  if (line) choose(report.loops[0], line);
  else document.getElementById("more").textContent = "No loop was recorded.";
  // Canvases have the colours and the width that they were drawn with.
  const again = () => { if (shown) show(shown); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  let wait = 0;
  addEventListener("resize", () => { clearTimeout(wait); wait = setTimeout(again, 150); });
  document.body.dataset.state = "drawn";
}
addEventListener("error", event => { document.body.dataset.state = "error: " + event.message; });
start();
