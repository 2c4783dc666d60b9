// What stands in tables: of loops, threads, ranks, long chunks and hot lines.

// What is left where chunks are lost says nothing of the balance.
const balanceOf = it => it.lost ? null : it.load_balance ?? it.total_load_balance;
const efficiencyOf = it => it.lost ? null : it.parallel_efficiency;
const team = it => it.team_size ? range(it.team_size) : String(it.threads.length);
const told = (it, text) => it.chunks_complete ? text : "-";
const chunkTime = (it, key) => it.chunks_complete && it.chunk_seconds ? it.chunk_seconds[key] : null;
const runs = it => count(it.executions + it.counted_executions) +
  (it.incomplete_executions ? " + " + count(it.incomplete_executions) + " incomplete" : "");

// Time off a core: null where it is not known.
const offSeconds = off => off ? off.seconds : null;
const offCore = off => off && off.seconds > 0 ? time(off.seconds) : "-";
const whyOff = off => !off ? "" : [[off.preempted_seconds, "preempted"], [off.waiting_seconds, "waiting"],
  [off.either_seconds, "preempted or waiting"]].filter(([seconds]) => seconds > 0).map(([seconds, why]) => time(seconds) + " " + why).join(", ");
const lossText = label => label.lost === null ? "-" : (label.least ? "> " : "") + time(label.lost);

// A column of a value that is written in one way.
const column = (title, value, write, more) => ({title, value, text: row => write(value(row)), ...more});

const loopColumns = labels => {
  const of = it => labels.get(it), colours = share => it => of(it).matters ? judged(share(it)) : "";
  return [
    {title: "loop", text: it => it.name, cell: it => named(it.name), value: it => it.name, kind: "text"},
    {title: "lost", text: it => lossText(of(it)), value: it => of(it).lost, keep: true, kind: it => of(it).matters ? "loud" : ""},
    column("of run", it => of(it).lost_share, percent, {keep: true, kind: it => of(it).matters ? "loud" : ""}),
    {title: "time", text: it => !it.executions ? "-" : it.nested_executions ? "(" + time(it.seconds) + ")" : time(it.seconds), value: it => it.seconds, from: 2},
    column("share", it => it.run_share, percent, {from: 3}),
    column("efficiency", efficiencyOf, percent, {kind: colours(efficiencyOf)}),
    column("balance", balanceOf, percent, {kind: colours(balanceOf), from: 2}),
    {title: "imbalance", text: it => it.executions && !it.lost ? time(it.imbalance_seconds) : "-", value: it => it.imbalance_seconds, from: 4},
    {title: "chunks", text: it => told(it, count(it.chunks)), value: it => Number(it.chunks), from: 3},
    column("longest", it => chunkTime(it, "max"), time, {from: 3}),
    {title: "runs", text: runs, value: it => it.executions, from: 3},
    {title: "schedule", text: it => of(it).schedule, value: it => of(it).schedule, kind: "text", from: 2},
    {title: "function", text: it => it.function ?? "-", cell: it => named(it.function ?? "-"), value: it => it.function ?? "", kind: "text rest", from: 3},
  ];
};
function threadTable(parent, it, parts) {
  const most = Math.max(0, ...it.threads.map(t => t.busy_seconds));
  const columns = [
    column("thread", t => t.thread, String),
    column("work", t => t.busy_seconds, time),
    {title: "", text: () => "", cell: t => bar(t.busy_seconds, most), kind: "text"},
    column("barrier wait", t => t.barrier_seconds, time),
    {title: "chunks", text: t => told(it, count(t.chunks)), value: t => Number(t.chunks), from: 2},
    {title: "iterations", text: t => told(it, count(t.iterations)), value: t => Number(t.iterations), from: 2},
    {title: "runs", text: t => count(t.executions), value: t => t.executions, from: 2},
    {title: "off core", text: t => offCore(t.off_core), value: t => offSeconds(t.off_core), hint: t => whyOff(t.off_core), from: 2},
    column("recorder", t => t.recorder_seconds, time, {from: 3}),
    column("bookkeeping", t => t.bookkeeping_seconds, time, {from: 3}),
  ];
  if (parts.length > 1) columns.unshift({title: "rank", text: t => parts[t.part].name, value: t => t.part, kind: "text"});
  // Of many, those that work longest.
  const rows = [...it.threads];
  if (rows.length > 20) rows.sort((a, b) => b.busy_seconds - a.busy_seconds);
  table(parent, columns, rows);
}
function rankTable(parent, it, parts, matters) {
  const most = Math.max(0, ...it.ranks.map(r => r.busy_seconds)), colours = share => matters ? judged(share) : "";
  table(parent, [
    {title: "rank", text: r => parts[r.part].name, value: r => r.part, kind: "text"},
    column("time", r => r.seconds, time),
    column("efficiency", r => r.parallel_efficiency, percent, {kind: r => colours(r.parallel_efficiency), from: 2}),
    column("balance", r => r.load_balance, percent, {kind: r => colours(r.load_balance)}),
    column("work", r => r.busy_seconds, time),
    {title: "", text: () => "", cell: r => bar(r.busy_seconds, most), kind: "text", from: 2},
    {title: "runs", text: r => count(r.executions), value: r => r.executions, from: 2},
  ], [...it.ranks].sort((a, b) => (b.seconds ?? 0) - (a.seconds ?? 0)));
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
function worstTable(parent, it, parts) {
  const columns = [
    column("length", w => w.seconds, time),
    column("thread", w => w.thread, String),
    {title: "at", text: w => w.at_seconds.toFixed(6) + " s", value: w => w.at_seconds, from: 2},
    {title: "user's values", text: w => w.user ? range(w.user) : "-"},
    {title: "logical iterations", text: w => range(w.logical, count), from: 2},
    {title: "not on a core", text: w => whyOff(w.off_core) || "-", value: w => offSeconds(w.off_core), kind: "text", from: 2},
  ];
  if (parts.length > 1) columns.splice(1, 0, {title: "rank", text: w => parts[w.part].name, value: w => w.part, kind: "text"});
  table(parent, columns, [...it.worst_chunks]);
}

// Lines of the source, from sampled stacks. What is not known is said, as in the text.
function aboutHot(it) {
  const said = ["from " + several(it.samples, "sample") + " in " + time(it.seconds) + " of thread time"];
  if (it.unsampled_seconds > 0) said.push("in " + time(it.unsampled_seconds) + " of it no sample was taken");
  said.push("95 of 100 such recordings would have a share within the 95 % range");
  return said.join("; ") + ".";
}
const lineOf = it => it.file === null ? "not known" : it.file.slice(it.file.lastIndexOf("/") + 1) + (it.line ? ":" + it.line : "");
function hotTable(parent, {lines}) {
  const whole = share => (share * 100).toFixed(0);
  table(parent, [
    column("share", it => it.share, percent, {kind: "loud"}),
    {title: "", text: () => "", cell: it => barBetween(it.between), kind: "text", from: 2},
    {title: "95 %", text: it => it.between.map(whole).join("–") + " %", value: it => it.between[0], from: 2},
    column("samples", it => it.samples, count, {from: 2}),
    column("time", it => it.seconds, time, {from: 3}),
    {title: "line", text: lineOf, cell: it => named(lineOf(it)), value: lineOf, hint: it => it.file ?? "", kind: "text"},
    {title: "function", text: it => it.function ?? "", cell: it => named(it.function ?? "not known"), value: it => it.function ?? "", kind: "text rest"},
  ], [...lines], {most: 8});
}
