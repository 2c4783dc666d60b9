// Ranks and their threads: who works how long, the rank that the others wait for at the top.
const MOST_RANKS = 240;

function rankGrid(parent, loop, parts) {
  const seconds = new Map(loop.ranks.map(rank => [rank.part, rank.seconds ?? 0])), work = new Map();
  for (const thread of loop.threads) {
    if (!work.has(thread.part)) work.set(thread.part, []);
    work.get(thread.part).push(thread);
  }
  const busiest = part => Math.max(0, ...work.get(part).map(thread => thread.busy_seconds));
  const all = [...work.keys()].sort((a, b) => (seconds.get(b) ?? 0) - (seconds.get(a) ?? 0) || busiest(b) - busiest(a) || a - b);
  const shown = all.slice(0, MOST_RANKS), numbers = [...new Set(loop.threads.map(t => t.thread))].sort((a, b) => a - b);
  const place = new Map(numbers.map((number, at) => [number, at]));
  const most = Math.max(...all.map(busiest), 1e-9);
  legend(parent, "length", {low: 0, high: most, text: shortTime, name: "time in chunks"});
  if (shown.length < all.length) parent.append(element("p", "The " + count(shown.length) + " slowest of " + count(all.length) + ".", "quiet"));
  const row = Math.max(2, Math.min(20, Math.floor(480 / shown.length))), top = 24, high = row * shown.length;
  const {c, element: drawn, width} = canvas(parent, top + high + LABELS.bottom, "time in chunks of each rank and thread, the slowest rank first");
  const left = 92, wide = Math.min(width - left - LABELS.right, numbers.length * 90), w = wide / numbers.length;
  c.fillStyle = style("--idle");
  c.fillRect(left, top, wide, high);
  shown.forEach((part, at) => {
    for (const thread of work.get(part)) {
      c.fillStyle = colour("length", thread.busy_seconds / most);
      c.fillRect(left + place.get(thread.thread) * w, top + at * row, w - (w > 4 ? 1 : 0), row - (row > 5 ? 1 : 0));
    }
  });
  const every = Math.ceil(13 / row);
  shown.forEach((part, at) => {
    if (at % every === 0) write(c, parts[part].name, left - 8, top + at * row + row / 2, "right");
  });
  write(c, "slowest rank first", 0, 7);
  const last = numbers.length - 1;
  const marks = axis({low: 0, high: last, kind: "whole", length: wide - w, size: sizeOf(c), before: w / 2 + 8, after: w / 2 + 8,
    text: at => String(numbers[Math.round(at)]), most: 16});
  for (const mark of marks) write(c, mark.text, left + w / 2 + mark.middle, top + high + 11, "center");
  write(c, "thread", left + wide / 2, top + high + 26, "center");
  tip(drawn, (px, py) => {
    const part = shown[Math.floor((py - top) / row)], number = numbers[Math.floor((px - left) / w)];
    if (part === undefined || number === undefined || px < left || py < top) return "";
    const thread = work.get(part).find(thread => thread.thread === number);
    const rank = seconds.get(part) ? "\nthe rank takes " + time(seconds.get(part)) : "";
    return parts[part].name + ", thread " + number + ": " + (thread ? time(thread.busy_seconds) + " in chunks" +
      (thread.barrier_seconds === null ? "" : ", " + time(thread.barrier_seconds) + " at the barrier") : "not in this loop") + rank;
  });
}
