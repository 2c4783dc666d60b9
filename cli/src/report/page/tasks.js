// Explicit tasks that are recorded one by one; nothing of others. How many threads run them at a time: of each region with tasks the longest execution, in
// slices, drawn as SVG, which follows the page's width and colours by itself. And whose work is on the critical path.

const PICTURED = 5;
function drawn(name, attributes, text) {
  const one = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  if (text !== undefined) one.textContent = text;
  return one;
}
const wordsOf = text => text.length * 7;
// The steps of the slices, closed along the axis.
function stepsOf(slices, x, y) {
  const all = slices.map((busy, at) => x(at) + "," + y(busy) + " " + x(at + 1) + "," + y(busy));
  return [x(0) + "," + y(0), ...all, x(slices.length) + "," + y(0)].join(" ");
}
function threadsInTasks(parent, region) {
  const {slices, seconds, threads} = region.activity, tall = 120, top = 22;
  const width = Math.min(Math.max(parent.clientWidth, 240), 900), left = 44, wide = width - left - LABELS.right;
  const most = Math.max(threads, ...slices), x = at => left + at / slices.length * wide, y = busy => top + tall * (1 - busy / most);
  const picture = drawn("svg", {viewBox: "0 0 " + width + " " + (top + tall + LABELS.bottom), role: "img", class: "slices",
    "aria-label": "threads that run tasks of " + region.name + " over " + time(seconds)});
  picture.append(drawn("text", {x: 0, y: 12}, "threads in tasks"));
  for (const label of axis({low: 0, high: most, kind: "whole", length: tall, text: n => count(Math.round(n)), size: () => 12, gap: 4, before: 8, after: 8, most: 6})) {
    const at = top + tall - label.at;
    picture.append(drawn("line", {x1: left - 4, x2: left + wide, y1: at, y2: at}));
    picture.append(drawn("text", {x: left - 8, y: top + tall - label.middle + 4, "text-anchor": "end"}, label.text));
  }
  picture.append(drawn("polygon", {points: stepsOf(slices, x, y)}));
  for (const label of axis({low: 0, high: seconds, length: wide, text: shortTime, size: wordsOf, before: left, after: LABELS.right})) {
    picture.append(drawn("line", {x1: left + label.at, x2: left + label.at, y1: top + tall, y2: top + tall + 4}));
    picture.append(drawn("text", {x: left + label.middle, y: top + tall + 17, "text-anchor": "middle"}, label.text));
  }
  picture.append(drawn("text", {x: left + wide / 2, y: top + tall + 32, "text-anchor": "middle"}, "time in the region"));
  parent.append(picture);
  tip(picture, inside => {
    const at = Math.floor((inside * width / picture.clientWidth - left) / wide * slices.length);
    return at < 0 || at >= slices.length ? "" : slices[at].toFixed(2) + " of " + several(threads, "thread") + ", " +
      time(at / slices.length * seconds) + " to " + time((at + 1) / slices.length * seconds);
  });
}
function tasksOverTime(to, {tasks}) {
  const known = (tasks?.regions ?? []).filter(region => region.activity);
  if (!known.length) return;
  to.append(element("h2", "Explicit tasks over time"));
  for (const region of known.slice(0, PICTURED)) {
    const {activity} = region, title = element("h3");
    title.append(named(region.name + (region.function ? " in " + region.function : "")));
    to.append(title, element("p", "Its longest run, " + time(activity.seconds) + " with " + several(activity.threads, "thread") + ", in " + slicesOf(activity) +
      ": at most one thread runs a task in " + percent(activity.at_most_one_share) + " of them, at most half of the team in " + percent(activity.at_most_half_share) +
      ", all in " + percent(activity.all_share) + ".", "quiet sentence"));
    threadsInTasks(to, region);
  }
  if (known.length > PICTURED) to.append(element("p", count(known.length - PICTURED) + " more are in ompchunk report --json.", "quiet"));
}
const slicesOf = activity => several(activity.slices.length, "slice");

const onPath = part => part.site ? part.site.name : part.in_tasks ? "other tasks" : "outside of explicit tasks";
function criticalPath(to, {tasks, run}) {
  const path = tasks?.critical_path;
  if (!path || !(path.seconds > 0)) return;
  const same = (one, other) => ["name", "file", "line", "function", "object", "offset"].every(key => one[key] === other[key]);
  const created = part => part.site ? Number(tasks.constructs.find(construct => same(construct, part.site))?.created ?? NaN) : NaN;
  const share = part => part.seconds / path.seconds;
  to.append(element("h2", "Critical path"));
  to.append(element("p", time(path.seconds) + " of " + time(path.work_seconds) + " of work, of which no part can run at the same time as another part" +
    (run.processes > 1 ? ", in the process in which it is longest" : "") + ". Shares are of the path; tasks are all of the construct, on the path or not.", "quiet"));
  table(to, [
    {title: "created at", text: onPath, cell: part => named(onPath(part)), value: onPath, kind: "text", hint: part => part.site?.file ?? ""},
    column("share", share, percent, {kind: "loud"}),
    {title: "", text: () => "", cell: part => bar(part.seconds, path.seconds), kind: "text"},
    column("time", part => part.seconds, time, {from: 2}),
    {title: "tasks", text: part => isNaN(created(part)) ? "-" : count(created(part)), value: part => isNaN(created(part)) ? null : created(part), from: 2},
    {title: "function", text: part => part.site?.function ?? "-", cell: part => named(part.site?.function ?? "-"), value: part => part.site?.function ?? "", kind: "text rest", from: 3},
  ], [...path.parts]);
}
