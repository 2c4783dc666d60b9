// The page: what to do, a list of loops, and the one that was chosen.
const data = JSON.parse(document.getElementById("data").textContent), {report} = data;
const labels = new Map(report.loops.map((it, at) => [it, data.labels[at]]));
const pictures = new Map(report.loops.map((it, at) => [it, data.pictures[at]]));
const curves = new Map(report.loops.map((it, at) => [it, data.curves[at]]));
// Of a trace without stacks there are none.
const hot = new Map(report.loops.map((it, at) => [it, data.hot[at]]));
const forecasts = new Map(data.forecasts.map(it => [it.number, it]));
let shown = null;

function section(parent, title, text) {
  const it = element("div");
  it.append(element("h3", title));
  if (text) it.append(element("p", text, "quiet"));
  parent.append(it);
  return it;
}
// Numbers of a loop, those that there are.
function facts(parent, it) {
  const all = [], add = (name, text) => { if (text && text !== "-") all.push([name, text]); };
  if (it.executions) {
    add("load balance", percent(it.load_balance));
    add("communication efficiency", percent(it.communication_efficiency));
    add("parallel efficiency", percent(it.parallel_efficiency));
    if (it.slowest_rank_seconds !== null) add("time of the slowest rank", time(it.slowest_rank_seconds));
  }
  if (it.executions !== 1) add("load balance, all runs together", percent(it.total_load_balance));
  if (it.mean_barrier_seconds !== null) add("barrier wait, mean of threads", time(it.mean_barrier_seconds));
  add("bookkeeping", percent(it.bookkeeping_share));
  if (it.off_core && it.off_core.seconds > 0) add("not on a core", whyOff(it.off_core));
  add("recorder, of the loop", percent(it.recorder_share));
  const list = element("dl");
  for (const [name, text] of all) {
    const one = element("div");
    one.append(element("dt", name), element("dd", text));
    list.append(one);
  }
  if (all.length) parent.append(list);
}
const isSections = one => one.construct === "sections";
function show(it) {
  shown = it;
  const to = document.getElementById("loop"), label = labels.get(it), parts = report.parts;
  const title = element("h2"), link = element("a", "Loop " + it.number + ":");
  title.id = anchor(it);
  link.href = "#" + title.id;
  title.append(link, named(label.place));
  to.replaceChildren(title);
  let what = (it.schedule ? it.schedule + ", " : "") + (it.executions === 1 && !it.incomplete_executions ? "1 run" : runs(it) + " runs");
  if (it.trip_count) what += " of " + range(it.trip_count, count) + (isSections(it) ? " sections" : " iterations");
  to.append(element("p", what + ", " + team(it) + " threads"));
  if (label.lost !== null) to.append(element("p", "It loses " + (label.least ? "at least " : "") + time(label.lost) +
    (label.lost_share === null ? "" : " (" + percent(label.lost_share) + " of the run)") + (it.executions
      ? " of " + time(it.seconds) + "; perfect balance would save " + time(it.imbalance_seconds) + "." : "."), label.matters ? "loses" : ""));
  if (it.executions && it.parallel_efficiency !== null && !it.lost) whereItGoes(to, it, report.run.processes);
  facts(to, it);
  for (const hint of it.hints) to.append(element("p", hint.text, "hint"));
  if (it.lost) to.append(element("p", "Lost: " + several(it.lost.chunks, "chunk") + " with " + several(it.lost.iterations, "iteration") +
    ", " + several(it.lost.events, "other record") + ".", "hint"));
  // First what differs between ranks, then what differs within.
  const many = report.run.processes > 1, ranks = () => {
    if (!it.ranks.length) return;
    const about = many
      ? it.rank_load_balance === null ? "" : "load balance between them " + percent(it.rank_load_balance)
      : "parts of one process, which follow each other";
    const of = section(to, "Ranks and threads", about);
    rankGrid(of, it, parts);
    if (it.between?.hosts.length) hostTable(of, it.between.hosts);
    const numbers = element("details");
    numbers.append(element("summary", "the numbers"));
    rankTable(numbers, it, parts, label.matters);
    threadTable(numbers, it, parts);
    of.append(numbers);
  };
  if (many) ranks();
  draw(to, it, parts);
  if (!many) ranks();
  if (!it.ranks.length && it.threads.length) threadTable(section(to, "Threads"), it, parts);
  if (it.chunks_complete && it.worst_chunks.length) worstTable(section(to, "Longest chunks"), it, parts);
}
function draw(to, it, parts) {
  const drawn = pictures.get(it);
  if (!drawn) to.append(element("p", "No pictures of this loop in this page: ompchunk report --loop " + it.number +
    " --html makes one with them.", "quiet"));
  if (drawn && drawn.timelines.length && it.chunk_seconds)
    timelines(section(to, "A run, thread by thread", aboutLocks(it)), it, drawn.timelines, parts);
  const curve = curves.get(it);
  if (curve) profile(section(to, "What iterations cost", aboutProfile(curve)), curve);
  const forecast = forecasts.get(it.number);
  if (hasWhatIf(forecast)) whatIf(section(to, "What if: the loop under other schedules", aboutWhatIf(forecast)), forecast);
  const lines = hot.get(it);
  if (lines) hotTable(section(to, "Hot lines: where in its body the time goes", aboutHot(lines)), lines);
  const side = element("div", undefined, "side");
  to.append(side);
  // All of one line stand before any is drawn: canvases are as wide as what they stand in.
  const left = drawn && drawn.heat ? section(side, "Chunks by iteration and length", "all runs") : null;
  const right = it.chunks_complete && it.chunk_seconds ? section(side, "Chunks by length", several(it.chunk_seconds.count, "chunk") +
    "; quantiles ± " + Math.ceil(it.chunk_seconds.quantile_error * 100) + " %") : null;
  if (left) heat(left, drawn.heat, data.columns, data.rows);
  if (right) histogram(right, it.chunk_seconds);
}
// The run as a whole: time that passed, of several processes the mean.
function whole(run) {
  const before = run.before_seconds ?? 0, length = run.seconds + before;
  const of = seconds => time(seconds) + " (" + percent(seconds / length) + ")", known = it => it !== null;
  const said = [];
  if (known(run.serial_seconds)) said.push(of(run.serial_seconds + before) + " serial, " + of(run.parallel_seconds) + " in parallel regions");
  if (known(run.loop_seconds)) said.push(of(run.loop_seconds) + (report.notes.some(it => it.code === "left-out") ? " in the loops that were recorded" : report.loops.some(isSections) ? " in loops and sections" : " in loops"));
  if (known(run.lost_seconds) && report.loops.length) said.push("loops lose " + of(run.lost_seconds) + ", perfect balance would save " + of(run.imbalance_seconds));
  if (!said.length || !run.seconds) return "";
  return "Of " + time(length) + (run.processes > 1 ? " elapsed, the mean of " + count(run.processes) + " processes: " : ": ") + said.join("; ") + ".";
}
// What was recorded, in one line.
function recorded() {
  const parts = report.parts, first = parts[0], sum = key => parts.reduce((all, it) => all + Number(it[key]), 0);
  const chunks = report.loops.reduce((all, it) => all + Number(it.chunks), 0);
  const many = parts.length === 1 ? (first.host ? "on " + first.host : first.name) : (report.run.processes === 1 ? "1 process" : count(report.run.processes) + " processes") +
    (report.run.processes < parts.length ? ", " + several(parts.length, "part") : "");
  const said = [many, several(report.run.threads, "thread"),
    time(report.run.longest_seconds + (report.run.processes === 1 ? report.run.before_seconds ?? 0 : 0)),
    several(report.loops.length + data.left_out, "loop"), several(chunks, "chunk"), first.runtime];
  const known = parts.every(it => it.recorder_seconds !== null && it.reading_seconds !== null);
  const threadTime = parts.reduce((all, it) => all + it.seconds * Number(it.threads), 0);
  const stored = parts.every(it => it.storing_seconds !== null) ? sum("storing_seconds") : 0;
  if (known && threadTime > 0) said.push("recording took at least " +
    percent((sum("recorder_seconds") + stored + sum("reading_seconds")) / threadTime) + " of the threads' time");
  return said.filter(Boolean).join(" · ");
}
// The loop that the page's address names.
function linked() {
  return report.loops.find(it => location.hash === "#" + anchor(it));
}
function start() {
  document.title = data.title + " - ompchunk report";
  const title = document.getElementById("title");
  title.textContent = title.title = data.title;
  document.getElementById("run").textContent = recorded();
  document.getElementById("whole").textContent = whole(report.run);
  document.getElementById("account").textContent = data.account;
  document.getElementById("notes").append(...report.notes.map(it => element("li", it.text)));
  if (data.left_out) document.getElementById("more").textContent =
    count(data.left_out) + " more loops are in ompchunk report --top 0 and --json.";
  if (report.loops.length) {
    const list = table(document.getElementById("loops"), loopColumns(labels), [...report.loops], {chosen: show, most: 10});
    const choose = it => { list.choose(it); if (shown !== it) show(it); };
    differences(document.getElementById("between"), data.between, report.loops, labels, choose);
    first(document.getElementById("todo"), data.verdict, report.loops, labels, choose);
    choose(linked() ?? report.loops[0]);
    if (linked()) document.getElementById(anchor(shown)).scrollIntoView();
    addEventListener("hashchange", () => {
      if (!linked() || linked() === shown) return;
      choose(linked());
      document.getElementById(anchor(shown)).scrollIntoView();
    });
  } else {
    first(document.getElementById("todo"), data.verdict, [], labels, () => {});
    document.getElementById("list").remove();
  }
  tasksOverTime(document.getElementById("tasks"), report);
  criticalPath(document.getElementById("tasks"), report);
  openacc(document.getElementById("openacc"), report);
  document.addEventListener("mouseover", wholeNames);
  document.addEventListener("focusin", wholeNames);
  for (const over of ["mouseout", "focusout"]) document.addEventListener(over, event => {
    if (event.target.closest?.(".name") || over === "focusout") showTip("");
  });
  document.addEventListener("copy", event => {
    const selection = getSelection(), text = selection.isCollapsed ? null : copiedText(selection);
    if (text === null) return;
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  });
  // Canvases have the colours and the width that they were drawn with.
  const again = () => { if (shown) show(shown); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  let wait = 0, wide = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === wide) return;
    wide = innerWidth;
    clearTimeout(wait);
    wait = setTimeout(again, 150);
  });
  document.body.dataset.state = "drawn";
}
addEventListener("error", event => { document.body.dataset.state = "error: " + event.message; });
start();
