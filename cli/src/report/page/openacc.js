// What OpenACC and OpenMP's target did, as in the text: a row per operation of one construct at one place, the longest first. Nothing where they did nothing.

// `acc_event_t` of what has a begin and an end; the others are points in time. All of target's, which are above these, have both.
const lasting = new Set([1, 3, 10, 12, 14, 16, 18, 20, 22, 24]), firstOfTarget = 32;
const endless = it => it.event >= firstOfTarget || lasting.has(it.event) ? Number(it.untimed) : 0;
const addressOf = it => (it.object === null ? "" : it.object.slice(it.object.lastIndexOf("/") + 1) + "+") + "0x" + Number(it.offset).toString(16);
function placeOf(it) {
  if (it.file === null && it.line === null && it.offset !== null) return addressOf(it) + (it.function === null ? "" : " in " + it.function);
  const file = it.file === null ? "" : it.file.slice(it.file.lastIndexOf("/") + 1);
  const position = file ? file + (it.line === null ? "" : ":" + it.line) : it.line === null ? "" : "line " + it.line;
  return [position, it.function === null ? "" : "in " + it.function].filter(Boolean).join(" ");
}
const deviceOf = it => it.device === null ? "" : String(it.device), teamsOf = it => it.teams === null ? "" : count(it.teams);
const dimensionsOf = it => it.dimensions === null ? "" : it.dimensions.map(n => n === null ? "?" : count(n)).join(", ");
function openacc(to, {openacc = [], openacc_seconds, target = [], target_seconds, run}) {
  operations(to, "OpenACC", openacc, openacc_seconds, run);
  operations(to, "OpenMP target", target, target_seconds, run);
}
function operations(to, title, all, seconds, run) {
  if (!all.length) return;
  const sum = all.reduce((sum, it) => sum + Number(it.count), 0), told = text => all.some(it => text(it) !== "");
  to.append(element("h2", title));
  to.append(element("p", several(sum, "operation") + (seconds > 0 ? ", " + time(seconds) + " of thread time; an operation inside another one counts in both" : "") + "."));
  // Of several threads or processes it is no share of the run.
  const share = it => it.seconds !== null && run.processes === 1 && it.threads.length === 1 && run.seconds > 0 ? it.seconds / run.seconds : null;
  const text = (title, write, more) => told(write) ? [{title, text: write, cell: it => named(write(it)), value: write, kind: "text", ...more}] : [];
  const places = told(placeOf);
  table(to, [
    column("time", it => it.seconds, time, {kind: "loud"}),
    column("of run", share, percent, {from: 2}),
    // A narrow page has room for a place or for these.
    {title: "times", text: it => count(it.count), value: it => Number(it.count), from: places ? 2 : 1},
    {title: "no end", text: it => endless(it) ? count(it.untimed) : "", value: endless, from: 2},
    column("shortest", it => it.shortest_seconds, time, {from: 3}),
    column("longest", it => it.longest_seconds, time, {from: 3}),
    {title: "bytes", text: it => it.bytes === null ? "-" : count(it.bytes), value: it => it.bytes === null ? null : Number(it.bytes), from: 2},
    {title: "async", text: it => it.asynchronous ? count(it.asynchronous) : "", value: it => Number(it.asynchronous), from: 3},
    {title: "operation", text: it => it.operation, value: it => it.operation, kind: "text"},
    ...title === "OpenACC" ? [{title: "construct", text: it => it.construct ?? "", value: it => it.construct ?? "", kind: "text", from: places ? 2 : 1}] : [],
    ...told(deviceOf) ? [{title: "device", text: deviceOf, value: it => it.device, from: 2}] : [],
    ...title === "OpenACC" ? [{title: "dimensions", text: dimensionsOf, kind: "text", from: 4}] : [],
    ...told(teamsOf) ? [{title: "teams", text: teamsOf, value: it => it.teams === null ? null : Number(it.teams), from: 3}] : [],
    ...text("name", it => it.name ?? "", {kind: "text rest", from: 2}),
    ...text("place", placeOf, {kind: "text rest", hint: it => it.file ?? ""}),
  ], [...all]);
}
