// What OpenACC and OpenMP's target did, as in the text: a row per operation of one construct at one place, the longest first. Nothing where they did nothing.

// `acc_event_t` of what has a begin and an end; the others are points in time. All of target's, which are above these, have both.
const lasting = new Set([1, 3, 10, 12, 14, 16, 18, 20, 22, 24]), firstOfTarget = 32;
const endless = operation => operation.event >= firstOfTarget || lasting.has(operation.event) ? Number(operation.untimed) : 0;
const addressOf = operation => (operation.object === null ? "" : operation.object.slice(operation.object.lastIndexOf("/") + 1) + "+") + "0x" + Number(operation.offset).toString(16);
function placeOf(operation) {
  if (operation.file === null && operation.line === null && operation.offset !== null) return addressOf(operation) + (operation.function === null ? "" : " in " + operation.function);
  const file = operation.file === null ? "" : operation.file.slice(operation.file.lastIndexOf("/") + 1);
  const position = file ? file + (operation.line === null ? "" : ":" + operation.line) : operation.line === null ? "" : "line " + operation.line;
  return [position, operation.function === null ? "" : "in " + operation.function].filter(Boolean).join(" ");
}
const deviceOf = operation => operation.device === null ? "" : String(operation.device), teamsOf = operation => operation.teams === null ? "" : count(operation.teams);
const dimensionsOf = operation => operation.dimensions === null ? "" : operation.dimensions.map(n => n === null ? "?" : count(n)).join(", ");
function openacc(to, {openacc = [], openacc_seconds, target = [], target_seconds, run}) {
  operations(to, "OpenACC", openacc, openacc_seconds, run);
  operations(to, "OpenMP target", target, target_seconds, run);
}
function operations(to, title, all, seconds, run) {
  if (!all.length) return;
  const sum = all.reduce((sum, operation) => sum + Number(operation.count), 0), told = text => all.some(operation => text(operation) !== "");
  to.append(element("h2", title));
  to.append(element("p", several(sum, "operation") + (seconds > 0 ? ", " + time(seconds) + " of thread time; an operation inside another one counts in both" : "") + "."));
  // Of several threads or processes it is no share of the run.
  const share = operation => operation.seconds !== null && run.processes === 1 && operation.threads.length === 1 && run.seconds > 0 ? operation.seconds / run.seconds : null;
  const text = (title, write, more) => told(write) ? [{title, text: write, cell: operation => named(write(operation)), value: write, kind: "text", ...more}] : [];
  const places = told(placeOf);
  table(to, [
    column("time", operation => operation.seconds, time, {kind: "loud"}),
    column("of run", share, percent, {from: 2}),
    // A narrow page has room for a place or for these.
    {title: "times", text: operation => count(operation.count), value: operation => Number(operation.count), from: places ? 2 : 1},
    {title: "no end", text: operation => endless(operation) ? count(operation.untimed) : "", value: endless, from: 2},
    column("shortest", operation => operation.shortest_seconds, time, {from: 3}),
    column("longest", operation => operation.longest_seconds, time, {from: 3}),
    {title: "bytes", text: operation => operation.bytes === null ? "-" : count(operation.bytes), value: operation => operation.bytes === null ? null : Number(operation.bytes), from: 2},
    {title: "async", text: operation => operation.asynchronous ? count(operation.asynchronous) : "", value: operation => Number(operation.asynchronous), from: 3},
    {title: "operation", text: operation => operation.operation, value: operation => operation.operation, kind: "text"},
    ...title === "OpenACC" ? [{title: "construct", text: operation => operation.construct ?? "", value: operation => operation.construct ?? "", kind: "text", from: places ? 2 : 1}] : [],
    ...told(deviceOf) ? [{title: "device", text: deviceOf, value: operation => operation.device, from: 2}] : [],
    ...title === "OpenACC" ? [{title: "dimensions", text: dimensionsOf, kind: "text", from: 4}] : [],
    ...told(teamsOf) ? [{title: "teams", text: teamsOf, value: operation => operation.teams === null ? null : Number(operation.teams), from: 3}] : [],
    ...text("name", operation => operation.name ?? "", {kind: "text rest", from: 2}),
    ...text("place", placeOf, {kind: "text rest", hint: operation => operation.file ?? ""}),
  ], [...all]);
}
