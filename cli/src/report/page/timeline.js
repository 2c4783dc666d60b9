// One execution, thread by thread. The reader chooses which.
const runNames = {longest: "longest", median: "median", uneven: "worst balance", incomplete: "longest, incomplete"};
// As the analysis writes a span.
const spanOf = ([thread, from, to, chunks, longest, busy, off, low, high, first, last]) => ({
  thread, from: Number(from), to: Number(to), chunks: Number(chunks), longest: Number(longest), busy: Number(busy),
  off: Number(off), logical: [low, high], user: first === null ? null : [first, last],
});

// Waits in chunks are recorded as sums, so nobody knows when they were.
function aboutLocks(loop) {
  return loop.mutex_seconds > 0 ? "chunks of all runs have " + time(loop.mutex_seconds) + " of waiting for locks and the like, not drawn apart" : "";
}
function timelines(parent, loop, all, parts) {
  const choice = element("div", undefined, "choice"), about = element("p", undefined, "quiet sentence"), picture = element("div");
  choice.setAttribute("role", "group");
  choice.setAttribute("aria-label", "which run");
  const buttons = all.map(one => {
    const button = element("button", one.which.map(name => runNames[name]).join(", ") + ": " + time(one.seconds));
    button.type = "button";
    button.addEventListener("click", () => draw(one));
    return button;
  });
  const draw = one => {
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(all[at] === one)));
    const which = one.which.map(name => runNames[name]).join(", ");
    about.textContent = [
      all.length > 1 ? "" : loop.executions + loop.incomplete_executions > 1 ? "one of its runs (" + which + ")" : "its only run",
      parts.length > 1 ? parts[one.part].name : "", "began " + one.begin_seconds.toFixed(6) + " s after the start",
      "took " + time(one.seconds), one.which.includes("incomplete") ? "some of its chunks are not in the trace, as in all runs" : "",
    ].filter(Boolean).join(", ");
    picture.replaceChildren();
    timeline(picture, one, loop.chunk_seconds);
  };
  choice.append(...buttons);
  // Of one there is no choice.
  if (all.length > 1) parent.append(choice);
  parent.append(about, picture);
  draw(all[0]);
}

// Pieces of a row, in the order in which they are drawn: what it is, from, to.
function pieces(row, long) {
  const all = [];
  if (row.end > row.begin) all.push(["waiting", row.begin, row.end]);
  if (row.barrier) all.push(["barrier", Math.min(Number(row.barrier[0]), long), Math.min(Number(row.barrier[1]), long)]);
  for (const [from, to] of row.lost) all.push(["lost", Math.max(Number(from), 0), Math.min(Number(to), long)]);
  return all;
}
function timeline(parent, run, durations) {
  const long = Math.max(run.seconds * 1e9, 1), spans = run.spans.map(spanOf);
  const threads = [...new Set([...run.rows, ...spans].map(lane => lane.thread))].sort((a, b) => a - b);
  const row = Math.max(3, Math.min(26, Math.floor(640 / Math.max(threads.length, 1))));
  const place = new Map(threads.map((t, at) => [t, at])), high = threads.length * row, top = 18;
  const low = Math.max(durations.min, 1e-9), most = Math.max(durations.max, low * 1.1), scale = logarithmic(low, most);
  const key = legend(parent, "length", {low, high: most, kind: "log", text: shortTime, name: "length of a chunk"});
  const {c, element: drawn, width} = canvas(parent, top + high + LABELS.bottom, "chunks and waits of each thread over time");
  const left = LABELS.left, wide = width - left - LABELS.right, x = at => left + Math.min(at / long, 1) * wide;
  const styles = {waiting: stateColour("waiting"), barrier: stripes(c, "barrier"), lost: stripes(c, "lost", true)};
  const seen = new Set(["late"]), tall = row - (row > 6 ? 1 : 0);
  c.fillStyle = stateColour("late");
  c.fillRect(left, top, wide, high);
  for (const one of run.rows)
    for (const [what, from, to] of pieces(one, long)) {
      // What is thinner than a hair is not worth a colour in the key.
      if (what !== "waiting" && (to - from) / long * wide > 0.5) seen.add(what);
      c.fillStyle = styles[what];
      c.fillRect(x(from), top + place.get(one.thread) * row, Math.max(x(to) - x(from), 0), tall);
    }
  for (const span of spans) {
    const from = x(span.from), to = x(span.to), y = top + place.get(span.thread) * row;
    // A hairline between chunks that are wide enough to be told apart.
    const gap = to - from > 3 ? 0.75 : 0, drawnWide = Math.max(to - from - gap, 0.5);
    c.fillStyle = style("--back");
    c.fillRect(from, y, Math.max(to - from, 0), tall);
    c.fillStyle = colour("length", scale(span.longest / 1e9));
    c.fillRect(from, y, drawnWide, tall);
    const off = span.to > span.from ? Math.min(span.off / (span.to - span.from), 1) * drawnWide : 0;
    if (off > 0.5) {
      seen.add("off");
      c.fillStyle = stateColour("off");
      c.fillRect(from + drawnWide - off, y, off, tall);
    }
  }
  if (run.rows.some(one => waits(one, spans) / long * wide > 0.5)) seen.add("waiting");
  for (const what of Object.keys(stateNames)) if (seen.has(what)) swatch(key, what);
  // Threads are named as far as their names have room.
  const every = Math.ceil(13 / row);
  threads.forEach((thread, at) => {
    if (at % every === 0) write(c, String(thread), left - 8, top + at * row + row / 2, "right");
  });
  write(c, "thread", 0, 7);
  below(c, {left, wide, y: top + high, title: "time from the begin of this run", low: 0, high: Math.max(run.seconds, 1e-9), text: shortTime});
  tip(drawn, (px, py) => {
    const thread = threads[Math.floor((py - top) / row)], at = (px - left) / wide * long;
    if (thread === undefined || px < left || px > left + wide) return "";
    const near = 1.5 / wide * long;
    const span = spans.find(s => s.thread === thread && s.from <= at && at <= Math.max(s.to, s.from + near));
    if (span) return "thread " + thread + ": " + described(span);
    const found = run.rows.filter(one => one.thread === thread).flatMap(one => pieces(one, long))
      .filter(([, from, to]) => from <= at && at <= to).pop();
    return "thread " + thread + ": " + (found
      ? stateNames[found[0]] + ", " + time((found[2] - found[1]) / 1e9) + (found[0] === "waiting" ? " from begin to end" : "")
      : stateNames.late);
  });
}
// Longest time in the loop without a chunk, of a thread: before its first chunk, or all of it.
function waits(one, spans) {
  const first = spans.find(span => span.thread === one.thread && span.to > one.begin);
  return (first ? Math.min(first.from, one.end) : one.end) - one.begin;
}
function described(span) {
  const seconds = nanos => time(nanos / 1e9);
  const what = span.chunks === 1 ? seconds(span.longest) : count(span.chunks) + " chunks, longest " + seconds(span.longest);
  return what + "\nat " + seconds(span.from) + (span.off ? "\nof it " + seconds(span.off) + " not on a core: when is not known" : "") +
    "\niterations " + range(span.logical, count) + (span.user ? "\nuser's values " + range(span.user) : "");
}
