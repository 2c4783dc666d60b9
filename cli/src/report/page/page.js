// The page: what to do, a list of loops, and the one that was chosen.
const data = JSON.parse(document.getElementById("data").textContent), {report} = data;
const labels = new Map(report.loops.map((loop, at) => [loop, data.labels[at]]));
const pictures = new Map(report.loops.map((loop, at) => [loop, data.pictures[at]]));
const curves = new Map(report.loops.map((loop, at) => [loop, data.curves[at]]));
// Of a trace without stacks there are none.
const hot = new Map(report.loops.map((loop, at) => [loop, data.hot[at]]));
const forecasts = new Map(data.forecasts.map(forecast => [forecast.number, forecast]));
let shown = null;

function section(parent, title, text) {
  const made = element("div");
  made.append(element("h3", title));
  if (text) made.append(element("p", text, "quiet"));
  parent.append(made);
  return made;
}
// Numbers of a loop, those that there are.
function facts(parent, loop) {
  const all = [], add = (name, text) => { if (text && text !== "-") all.push([name, text]); };
  if (loop.executions) {
    add("load balance", percent(loop.load_balance));
    add("communication efficiency", percent(loop.communication_efficiency));
    add("parallel efficiency", percent(loop.parallel_efficiency));
    if (loop.slowest_rank_seconds !== null) add("time of the slowest rank", time(loop.slowest_rank_seconds));
  }
  if (loop.executions !== 1) add("load balance, all runs together", percent(loop.total_load_balance));
  if (loop.mean_barrier_seconds !== null) add("barrier wait, mean of threads", time(loop.mean_barrier_seconds));
  add("bookkeeping", percent(loop.bookkeeping_share));
  if (loop.off_core && loop.off_core.seconds > 0) add("not on a core", whyOff(loop.off_core));
  add("recorder, of the loop", percent(loop.recorder_share));
  const list = element("dl");
  for (const [name, text] of all) {
    const one = element("div");
    one.append(element("dt", name), element("dd", text));
    list.append(one);
  }
  if (all.length) parent.append(list);
}
const isSections = one => one.construct === "sections";
function show(loop) {
  shown = loop;
  const to = document.getElementById("loop"), label = labels.get(loop), parts = report.parts;
  const title = element("h2"), link = element("a", "Loop " + loop.number + ":");
  title.id = anchor(loop);
  link.href = "#" + title.id;
  title.append(link, named(label.place));
  to.replaceChildren(title);
  let what = (loop.schedule ? loop.schedule + ", " : "") + (loop.executions === 1 && !loop.incomplete_executions ? "1 run" : runs(loop) + " runs");
  if (loop.trip_count) what += " of " + range(loop.trip_count, count) + (isSections(loop) ? " sections" : " iterations");
  to.append(element("p", what + ", " + team(loop) + " threads"));
  if (label.lost !== null) to.append(element("p", "It loses " + (label.least ? "at least " : "") + time(label.lost) +
    (label.lost_share === null ? "" : " (" + percent(label.lost_share) + " of the run)") + (loop.executions
      ? " of " + time(loop.seconds) + "; perfect balance would save " + time(loop.imbalance_seconds) + "." : "."), label.matters ? "loses" : ""));
  if (loop.executions && loop.parallel_efficiency !== null && !loop.lost) whereItGoes(to, loop, report.run.processes);
  facts(to, loop);
  for (const hint of loop.hints) to.append(element("p", hint.text, "hint"));
  if (loop.lost) to.append(element("p", "Lost: " + several(loop.lost.chunks, "chunk") + " with " + several(loop.lost.iterations, "iteration") +
    ", " + several(loop.lost.events, "other record") + ".", "hint"));
  // First what differs between ranks, then what differs within.
  const many = report.run.processes > 1, ranks = () => {
    if (!loop.ranks.length) return;
    const about = many
      ? loop.rank_load_balance === null ? "" : "load balance between them " + percent(loop.rank_load_balance)
      : "parts of one process, which follow each other";
    const of = section(to, "Ranks and threads", about);
    rankGrid(of, loop, parts);
    if (loop.between?.hosts.length) hostTable(of, loop.between.hosts);
    const numbers = element("details");
    numbers.append(element("summary", "the numbers"));
    rankTable(numbers, loop, parts, label.matters);
    threadTable(numbers, loop, parts);
    of.append(numbers);
  };
  if (many) ranks();
  draw(to, loop, parts);
  if (!many) ranks();
  if (!loop.ranks.length && loop.threads.length) threadTable(section(to, "Threads"), loop, parts);
  if (loop.chunks_complete && loop.worst_chunks.length) worstTable(section(to, "Longest chunks"), loop, parts);
}
function draw(to, loop, parts) {
  const drawn = pictures.get(loop);
  if (!drawn) to.append(element("p", "No pictures of this loop in this page: ompchunk report --loop " + loop.number +
    " --html makes one with them.", "quiet"));
  if (drawn && drawn.timelines.length && loop.chunk_seconds)
    timelines(section(to, "A run, thread by thread", aboutLocks(loop)), loop, drawn.timelines, parts);
  const curve = curves.get(loop);
  if (curve) profile(section(to, "What iterations cost", aboutProfile(curve)), curve);
  const forecast = forecasts.get(loop.number);
  if (hasWhatIf(forecast)) whatIf(section(to, "What if: the loop under other schedules", aboutWhatIf(forecast)), forecast);
  const lines = hot.get(loop);
  if (lines) hotTable(section(to, "Hot lines: where in its body the time goes", aboutHot(lines)), lines);
  const side = element("div", undefined, "side");
  to.append(side);
  // All of one line stand before any is drawn: canvases are as wide as what they stand in.
  const left = drawn && drawn.heat ? section(side, "Chunks by iteration and length", "all runs") : null;
  const right = loop.chunks_complete && loop.chunk_seconds ? section(side, "Chunks by length", several(loop.chunk_seconds.count, "chunk") +
    "; quantiles ± " + Math.ceil(loop.chunk_seconds.quantile_error * 100) + " %") : null;
  if (left) heat(left, drawn.heat, data.columns, data.rows);
  if (right) histogram(right, loop.chunk_seconds);
}
// The run as a whole: time that passed, of several processes the mean.
function whole(run) {
  const before = run.before_seconds ?? 0, length = run.seconds + before;
  const of = seconds => time(seconds) + " (" + percent(seconds / length) + ")", known = value => value !== null;
  const said = [];
  if (known(run.serial_seconds)) said.push(of(run.serial_seconds + before) + " serial, " + of(run.parallel_seconds) + " in parallel regions");
  if (known(run.loop_seconds)) said.push(of(run.loop_seconds) + (report.notes.some(note => note.code === "left-out") ? " in the loops that were recorded" : report.loops.some(isSections) ? " in loops and sections" : " in loops"));
  if (known(run.lost_seconds) && report.loops.length) said.push("loops lose " + of(run.lost_seconds) + ", perfect balance would save " + of(run.imbalance_seconds));
  if (!said.length || !run.seconds) return "";
  return "Of " + time(length) + (run.processes > 1 ? " elapsed, the mean of " + count(run.processes) + " processes: " : ": ") + said.join("; ") + ".";
}
// What was recorded, in one line.
function recorded() {
  const parts = report.parts, first = parts[0], sum = key => parts.reduce((all, part) => all + Number(part[key]), 0);
  const chunks = report.loops.reduce((all, loop) => all + Number(loop.chunks), 0);
  const many = parts.length === 1 ? (first.host ? "on " + first.host : first.name) : (report.run.processes === 1 ? "1 process" : count(report.run.processes) + " processes") +
    (report.run.processes < parts.length ? ", " + several(parts.length, "part") : "");
  const said = [many, several(report.run.threads, "thread"),
    time(report.run.longest_seconds + (report.run.processes === 1 ? report.run.before_seconds ?? 0 : 0)),
    several(report.loops.length + data.left_out, "loop"), several(chunks, "chunk"), first.runtime];
  const known = parts.every(part => part.recorder_seconds !== null && part.reading_seconds !== null);
  const threadTime = parts.reduce((all, part) => all + part.seconds * Number(part.threads), 0);
  const stored = parts.every(part => part.storing_seconds !== null) ? sum("storing_seconds") : 0;
  if (known && threadTime > 0) said.push("recording took at least " +
    percent((sum("recorder_seconds") + stored + sum("reading_seconds")) / threadTime) + " of the threads' time");
  return said.filter(Boolean).join(" · ");
}
// The loop that the page's address names.
function linked() {
  return report.loops.find(loop => location.hash === "#" + anchor(loop));
}
function start() {
  document.title = data.title + " - ompchunk report";
  const title = document.getElementById("title");
  title.textContent = title.title = data.title;
  document.getElementById("run").textContent = recorded();
  document.getElementById("whole").textContent = whole(report.run);
  document.getElementById("account").textContent = data.account;
  document.getElementById("notes").append(...report.notes.map(note => element("li", note.text)));
  if (data.left_out) document.getElementById("more").textContent =
    count(data.left_out) + " more loops are in ompchunk report --top 0 and --json.";
  if (report.loops.length) {
    const list = table(document.getElementById("loops"), loopColumns(labels), [...report.loops], {chosen: show, most: 10});
    const choose = loop => { list.choose(loop); if (shown !== loop) show(loop); };
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
