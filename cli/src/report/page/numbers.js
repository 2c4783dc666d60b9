// What stands in tables: of loops, threads, ranks, long chunks and hot lines.

// What is left where chunks are lost says nothing of the balance.
const balanceOf = loop => loop.lost ? null : loop.load_balance ?? loop.total_load_balance;
const efficiencyOf = loop => loop.lost ? null : loop.parallel_efficiency;
const team = loop => loop.team_size ? range(loop.team_size) : String(loop.threads.length);
const told = (loop, text) => loop.chunks_complete ? text : "-";
const chunkTime = (loop, key) => loop.chunks_complete && loop.chunk_seconds ? loop.chunk_seconds[key] : null;
const runs = loop => count(loop.executions + loop.counted_executions) +
  (loop.incomplete_executions ? " + " + count(loop.incomplete_executions) + " incomplete" : "");

// Time off a core: null where it is not known.
const offSeconds = off => off ? off.seconds : null;
const offCore = off => off && off.seconds > 0 ? time(off.seconds) : "-";
const whyOff = off => !off ? "" : [[off.preempted_seconds, "preempted"], [off.waiting_seconds, "waiting"],
  [off.either_seconds, "preempted or waiting"]].filter(([seconds]) => seconds > 0).map(([seconds, why]) => time(seconds) + " " + why).join(", ");
const lossText = label => label.lost === null ? "-" : (label.least ? "> " : "") + time(label.lost);

// A column of a value that is written in one way.
const column = (title, value, write, more) => ({title, value, text: row => write(value(row)), ...more});

const loopColumns = labels => {
  const of = loop => labels.get(loop), colours = share => loop => of(loop).matters ? judged(share(loop)) : "";
  return [
    {title: "loop", text: loop => loop.name, cell: loop => named(loop.name), value: loop => loop.name, kind: "text"},
    {title: "lost", text: loop => lossText(of(loop)), value: loop => of(loop).lost, keep: true, kind: loop => of(loop).matters ? "loud" : ""},
    column("of run", loop => of(loop).lost_share, percent, {keep: true, kind: loop => of(loop).matters ? "loud" : ""}),
    {title: "time", text: loop => !loop.executions ? "-" : loop.nested_executions ? "(" + time(loop.seconds) + ")" : time(loop.seconds), value: loop => loop.seconds, from: 2},
    column("share", loop => loop.run_share, percent, {from: 3}),
    column("efficiency", efficiencyOf, percent, {kind: colours(efficiencyOf)}),
    column("balance", balanceOf, percent, {kind: colours(balanceOf), from: 2}),
    {title: "imbalance", text: loop => loop.executions && !loop.lost ? time(loop.imbalance_seconds) : "-", value: loop => loop.imbalance_seconds, from: 4},
    {title: "chunks", text: loop => told(loop, count(loop.chunks)), value: loop => Number(loop.chunks), from: 3},
    column("longest", loop => chunkTime(loop, "max"), time, {from: 3}),
    {title: "runs", text: runs, value: loop => loop.executions, from: 3},
    {title: "schedule", text: loop => of(loop).schedule, value: loop => of(loop).schedule, kind: "text", from: 2},
    {title: "function", text: loop => loop.function ?? "-", cell: loop => named(loop.function ?? "-"), value: loop => loop.function ?? "", kind: "text rest", from: 3},
  ];
};
function threadTable(parent, loop, parts) {
  const most = Math.max(0, ...loop.threads.map(t => t.busy_seconds));
  const columns = [
    column("thread", t => t.thread, String),
    column("work", t => t.busy_seconds, time),
    {title: "", text: () => "", cell: t => bar(t.busy_seconds, most), kind: "text"},
    column("barrier wait", t => t.barrier_seconds, time),
    {title: "chunks", text: t => told(loop, count(t.chunks)), value: t => Number(t.chunks), from: 2},
    {title: "iterations", text: t => told(loop, count(t.iterations)), value: t => Number(t.iterations), from: 2},
    {title: "runs", text: t => count(t.executions), value: t => t.executions, from: 2},
    {title: "off core", text: t => offCore(t.off_core), value: t => offSeconds(t.off_core), hint: t => whyOff(t.off_core), from: 2},
    column("recorder", t => t.recorder_seconds, time, {from: 3}),
    column("bookkeeping", t => t.bookkeeping_seconds, time, {from: 3}),
  ];
  if (parts.length > 1) columns.unshift({title: "rank", text: t => parts[t.part].name, value: t => t.part, kind: "text"});
  // Of many, those that work longest.
  const rows = [...loop.threads];
  if (rows.length > 20) rows.sort((a, b) => b.busy_seconds - a.busy_seconds);
  table(parent, columns, rows);
}
function rankTable(parent, loop, parts, matters) {
  const most = Math.max(0, ...loop.ranks.map(r => r.busy_seconds)), colours = share => matters ? judged(share) : "";
  table(parent, [
    {title: "rank", text: r => parts[r.part].name, value: r => r.part, kind: "text"},
    column("time", r => r.seconds, time),
    column("efficiency", r => r.parallel_efficiency, percent, {kind: r => colours(r.parallel_efficiency), from: 2}),
    column("balance", r => r.load_balance, percent, {kind: r => colours(r.load_balance)}),
    column("work", r => r.busy_seconds, time),
    {title: "", text: () => "", cell: r => bar(r.busy_seconds, most), kind: "text", from: 2},
    {title: "runs", text: r => count(r.executions), value: r => r.executions, from: 2},
  ], [...loop.ranks].sort((a, b) => (b.seconds ?? 0) - (a.seconds ?? 0)));
}
function hostTable(parent, hosts) {
  const most = Math.max(0, ...hosts.map(h => h.seconds));
  table(parent, [
    {title: "host", text: h => h.host, kind: "text"},
    column("ranks", h => h.processes, count),
    column("time, mean", h => h.seconds, time),
    column("slowest", h => h.slowest_seconds, time, {from: 2}),
    column("work", h => h.busy_seconds, time, {from: 2}),
    {title: "", text: () => "", cell: h => bar(h.seconds, most), kind: "text", from: 2},
  ], [...hosts], {most: 10});
}
function worstTable(parent, loop, parts) {
  const columns = [
    column("length", w => w.seconds, time),
    column("thread", w => w.thread, String),
    {title: "at", text: w => w.at_seconds.toFixed(6) + " s", value: w => w.at_seconds, from: 2},
    {title: "user's values", text: w => w.user ? range(w.user) : "-"},
    {title: "logical iterations", text: w => range(w.logical, count), from: 2},
    {title: "not on a core", text: w => whyOff(w.off_core) || "-", value: w => offSeconds(w.off_core), kind: "text", from: 2},
  ];
  if (parts.length > 1) columns.splice(1, 0, {title: "rank", text: w => parts[w.part].name, value: w => w.part, kind: "text"});
  table(parent, columns, [...loop.worst_chunks]);
}

// Lines of the source, from sampled stacks. What is not known is said, as in the text.
function aboutHot(found) {
  const said = ["from " + several(found.samples, "sample") + " in " + time(found.seconds) + " of thread time"];
  if (found.unsampled_seconds > 0) said.push("in " + time(found.unsampled_seconds) + " of it no sample was taken");
  said.push("95 of 100 such recordings would have a share within the 95 % range");
  return said.join("; ") + ".";
}
const lineOf = line => line.file === null ? "not known" : line.file.slice(line.file.lastIndexOf("/") + 1) + (line.line ? ":" + line.line : "");
function hotTable(parent, {lines}) {
  const whole = share => (share * 100).toFixed(0);
  table(parent, [
    column("share", line => line.share, percent, {kind: "loud"}),
    {title: "", text: () => "", cell: line => barBetween(line.between), kind: "text", from: 2},
    {title: "95 %", text: line => line.between.map(whole).join("–") + " %", value: line => line.between[0], from: 2},
    column("samples", line => line.samples, count, {from: 2}),
    column("time", line => line.seconds, time, {from: 3}),
    {title: "line", text: lineOf, cell: line => named(lineOf(line)), value: lineOf, hint: line => line.file ?? "", kind: "text"},
    {title: "function", text: line => line.function ?? "", cell: line => named(line.function ?? "not known"), value: line => line.function ?? "", kind: "text rest"},
  ], [...lines], {most: 8});
}
