// Elements and tables; all text goes in as text, never as markup.
function element(name, text, kind) {
  const it = document.createElement(name);
  if (text !== undefined) it.textContent = text;
  if (kind) it.className = kind;
  return it;
}
const judged = share => share === null || share === undefined ? "" : share < 0.6 ? "bad" : share < 0.8 ? "middling" : "good";

// Columns: [title, text of a row, value to sort by or null, class of the cell, title of the cell]
function table(parent, columns, rows, chosen) {
  const all = element("table"), head = element("tr"), body = element("tbody"), thead = element("thead");
  const fill = () => {
    body.replaceChildren(...rows.map(row => {
      const line = element("tr");
      for (const [, text, , kind, hint] of columns) {
        const cell = element("td", undefined, typeof kind === "function" ? kind(row) : kind), value = text(row);
        if (value instanceof Node) cell.append(value); else cell.textContent = value;
        if (hint) cell.title = hint(row);
        line.append(cell);
      }
      if (chosen) {
        line.tabIndex = 0;
        line.addEventListener("click", () => chosen(row, line));
        line.addEventListener("keydown", event => { if (event.key === "Enter") chosen(row, line); });
      }
      return line;
    }));
  };
  for (const [title, , value, kind] of columns) {
    const cell = element("th", title, (kind === "text" ? "text" : "") + (value ? " sortable" : ""));
    if (value) {
      let up = false;
      cell.tabIndex = 0;
      cell.title = "sort";
      const sort = () => {
        up = !up;
        rows.sort((a, b) => {
          const [x, y] = [value(a), value(b)];
          const order = typeof x === "string" ? y.localeCompare(x) : (x ?? -Infinity) - (y ?? -Infinity);
          return up ? -order : order;
        });
        fill();
      };
      cell.addEventListener("click", sort);
      cell.addEventListener("keydown", event => { if (event.key === "Enter") sort(); });
    }
    head.append(cell);
  }
  thead.append(head);
  fill();
  all.append(thead, body);
  parent.append(all);
  return all;
}
function bar(value, most) {
  const all = element("span", undefined, "bar"), inner = element("i");
  inner.style.width = (most > 0 ? value / most * 100 : 0) + "%";
  all.append(inner);
  return all;
}
// What is left where chunks are lost says nothing of the balance.
const balanceOf = it => it.lost ? null : it.load_balance ?? it.total_load_balance;
const efficiencyOf = it => it.lost ? null : it.parallel_efficiency;
const lostOf = it => it.lost ? null : it.lost_seconds;
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

const loopColumns = labels => [
  ["#", it => it.number, it => it.number],
  ["loop", it => it.name, it => it.name, "text", it => labels.get(it).place],
  ["function", it => it.function ?? "-", it => it.function ?? "", "text", it => it.function ?? ""],
  ["schedule", it => labels.get(it).schedule, it => labels.get(it).schedule, "text"],
  ["runs", runs, it => it.executions],
  ["threads", team, it => it.threads.length],
  ["time", it => !it.executions ? "-" : it.nested_executions ? "(" + time(it.seconds) + ")" : time(it.seconds), it => it.seconds],
  ["of run", it => it.run_share === null ? "-" : percent(it.run_share), it => it.run_share],
  ["lost", it => time(lostOf(it)), lostOf],
  ["efficiency", it => percent(efficiencyOf(it)), efficiencyOf, it => judged(efficiencyOf(it))],
  ["balance", it => percent(balanceOf(it)), balanceOf, it => judged(balanceOf(it))],
  ["imbalance", it => it.executions && !it.lost ? time(it.imbalance_seconds) : "-", it => it.imbalance_seconds],
  ["barrier wait", it => time(it.mean_barrier_seconds), it => it.mean_barrier_seconds],
  ["off core", it => offCore(it.off_core), it => offSeconds(it.off_core), "", it => whyOff(it.off_core)],
  ["recorder", it => percent(it.recorder_share), it => it.recorder_share],
  ["bookkeeping", it => percent(it.bookkeeping_share), it => it.bookkeeping_share],
  ["chunks", it => told(it, count(it.chunks)), it => Number(it.chunks)],
  ["median", it => time(chunkTime(it, "median")), it => chunkTime(it, "median")],
  ["95 %", it => time(chunkTime(it, "p95")), it => chunkTime(it, "p95")],
  ["longest", it => time(chunkTime(it, "max")), it => chunkTime(it, "max")],
];
function threadTable(parent, it, parts) {
  const most = Math.max(0, ...it.threads.map(t => t.busy_seconds));
  const columns = [
    ["thread", t => t.thread, t => t.thread],
    ["runs", t => count(t.executions), t => t.executions],
    ["chunks", t => told(it, count(t.chunks)), t => Number(t.chunks)],
    ["iterations", t => told(it, count(t.iterations)), t => Number(t.iterations)],
    ["work", t => time(t.busy_seconds), t => t.busy_seconds],
    ["barrier wait", t => time(t.barrier_seconds), t => t.barrier_seconds],
    ["off core", t => offCore(t.off_core), t => offSeconds(t.off_core), "", t => whyOff(t.off_core)],
    ["recorder", t => time(t.recorder_seconds), t => t.recorder_seconds],
    ["bookkeeping", t => time(t.bookkeeping_seconds), t => t.bookkeeping_seconds],
    ["", t => bar(t.busy_seconds, most), null, "text"],
  ];
  if (parts.length > 1) columns.unshift(["rank", t => parts[t.part].name, t => t.part, "text"]);
  table(parent, columns, [...it.threads]);
}
function rankTable(parent, it, parts) {
  const most = Math.max(0, ...it.ranks.map(r => r.busy_seconds));
  table(parent, [
    ["rank", r => parts[r.part].name, r => r.part, "text"],
    ["runs", r => count(r.executions), r => r.executions],
    ["time", r => time(r.seconds), r => r.seconds],
    ["efficiency", r => percent(r.parallel_efficiency), r => r.parallel_efficiency, r => judged(r.parallel_efficiency)],
    ["balance", r => percent(r.load_balance), r => r.load_balance, r => judged(r.load_balance)],
    ["work", r => time(r.busy_seconds), r => r.busy_seconds],
    ["", r => bar(r.busy_seconds, most), null, "text"],
  ], [...it.ranks]);
}
function worstTable(parent, it, parts) {
  const columns = [
    ["duration", w => time(w.seconds), w => w.seconds],
    ["thread", w => w.thread, w => w.thread],
    ["at", w => w.at_seconds.toFixed(6) + " s", w => w.at_seconds],
    ["user's values", w => w.user ? range(w.user) : "-", null],
    ["logical iterations", w => range(w.logical, count), null],
    ["not on a core", w => whyOff(w.off_core) || "-", w => offSeconds(w.off_core), "text"],
  ];
  if (parts.length > 1) columns.splice(1, 0, ["rank", w => parts[w.part].name, w => w.part, "text"]);
  table(parent, columns, [...it.worst_chunks]);
}
