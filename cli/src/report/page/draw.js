"use strict";
// Numbers and pictures. Everything is drawn into a canvas of a given height; colours of text come from the style.
const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
function time(seconds) {
  if (seconds === null || seconds === undefined) return "-";
  if (Math.abs(seconds) < 5e-10) return "0 s";
  const [size, name] = units.find(([size]) => Math.abs(seconds) >= size * 0.9995) || units[3];
  const value = seconds / size;
  return value.toFixed(Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2) + " " + name;
}
const count = n => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const several = (n, what) => count(n) + " " + what + (n === 1 ? "" : "s");
const percent = share => share === null || share === undefined ? "-" : (share * 100).toFixed(1) + " %";
const range = ([a, b], of = String) => a === b ? of(a) : of(a) + " to " + of(b);

// Brightness grows evenly, so that it reads without colour vision too; the darkest stands out from a dark page.
const stops = [[110, 60, 160], [60, 110, 180], [40, 160, 160], [100, 205, 100], [253, 231, 37]];
function colour(share) {
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1), i = Math.min(Math.floor(at), stops.length - 2);
  return "rgb(" + stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * (at - i))).join() + ")";
}
const logarithmic = (low, high) => value =>
  high > low ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : 1;

const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function canvas(parent, height, label) {
  const element = document.createElement("canvas");
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", label);
  parent.append(element);
  const width = Math.max(parent.clientWidth, 320), ratio = window.devicePixelRatio || 1;
  element.width = width * ratio;
  element.height = height * ratio;
  element.style.height = height + "px";
  const c = element.getContext("2d");
  c.scale(ratio, ratio);
  c.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  c.textBaseline = "middle";
  return {c, element, width, height};
}
function write(c, text, x, y, align = "left") {
  c.fillStyle = style("--text");
  c.textAlign = align;
  c.fillText(text, x, y);
}
function line(c, x0, y0, x1, y1) {
  c.strokeStyle = style("--line");
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1, y1);
  c.stroke();
}
// Round values between two ends, about as many as wanted.
function ticks(low, high, wanted) {
  const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find(it => it * power >= raw), all = [];
  for (let at = Math.ceil(low / step); at * step <= high * (1 + 1e-12); at++) all.push(at * step);
  return all;
}
function decades(low, high) {
  const all = [];
  for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++)
    for (const m of [1, 2, 5]) {
      const value = m * 10 ** p;
      if (value >= low * 0.999 && value <= high * 1.001) all.push(value);
    }
  return all.length > 8 ? all.filter(it => Math.abs(Math.log10(it) - Math.round(Math.log10(it))) < 1e-9) : all;
}
function tip(element, text) {
  const box = document.getElementById("tip");
  element.addEventListener("mousemove", event => {
    const found = text(event.offsetX, event.offsetY);
    box.hidden = !found;
    if (!found) return;
    box.textContent = found;
    box.style.left = Math.max(0, Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8)) + "px";
    box.style.top = Math.max(0, Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8)) + "px";
  });
  element.addEventListener("mouseleave", () => { box.hidden = true; });
}
// The colours of a timeline or heat map, with their values.
function legend(parent, low, high, of, name, idle) {
  const {c} = canvas(parent, 34, name + " from " + of(low) + " to " + of(high));
  write(c, name, 0, 9);
  const from = c.measureText(name).width + 12, width = 220;
  for (let x = 0; x < width; x++) {
    c.fillStyle = colour(x / width);
    c.fillRect(from + x, 3, 1.5, 12);
  }
  const scale = logarithmic(low, high);
  let free = -Infinity;
  for (const value of [low, ...decades(low, high), high]) {
    const text = of(value), half = c.measureText(text).width / 2, x = from + scale(value) * width;
    if (x - half < free || (value !== high && x + half > from + width - 30)) continue;
    write(c, text, x, 25, "center");
    free = x + half + 8;
  }
  if (idle) {
    c.fillStyle = style("--idle");
    c.fillRect(from + width + 60, 3, 24, 12);
    write(c, idle, from + width + 90, 9);
  }
}

function timeline(parent, it, durations) {
  const threads = [...new Set(it.spans.map(span => span.thread))].sort((a, b) => a - b);
  const row = Math.max(3, Math.min(26, Math.floor(640 / Math.max(threads.length, 1))));
  const left = 84, bottom = 34, high = threads.length * row;
  legend(parent, durations.min, durations.max, time, "chunk duration", "not in a chunk: waiting, or not there yet");
  const {c, element, width} = canvas(parent, high + bottom, "chunks of each thread over time");
  const wide = width - left - 20, x = seconds => left + seconds / it.seconds * wide;
  const scale = logarithmic(durations.min, durations.max), place = new Map(threads.map((t, at) => [t, at]));
  c.fillStyle = style("--idle");
  c.fillRect(left, 0, wide, high);
  for (const span of it.spans) {
    const from = x(span.from), to = x(span.to);
    // A hairline between chunks that are wide enough to be told apart.
    const gap = to - from > 3 ? 0.75 : 0;
    c.fillStyle = colour(scale(span.longest));
    c.fillRect(from, place.get(span.thread) * row, Math.max(to - from - gap, 0.5), row - (row > 6 ? 1 : 0));
  }
  const every = Math.ceil(13 / row);
  threads.forEach((thread, at) => {
    if (at % every === 0) write(c, "thread " + thread, left - 8, at * row + row / 2, "right");
  });
  for (const value of ticks(0, it.seconds, Math.max(2, Math.floor(wide / 110)))) {
    line(c, x(value), high, x(value), high + 4);
    write(c, time(value), x(value), high + 13, "center");
  }
  write(c, "time from the begin of this execution", left + wide / 2, high + 27, "center");
  tip(element, (px, py) => {
    const thread = threads[Math.floor(py / row)], at = (px - left) / wide * it.seconds;
    if (thread === undefined || px < left || px > left + wide) return "";
    const near = 1.5 / wide * it.seconds;
    const span = it.spans.find(s => s.thread === thread && s.from <= at && at <= Math.max(s.to, s.from + near));
    if (!span) return "thread " + thread + ": not in a chunk";
    const what = span.chunks === 1 ? time(span.longest) : count(span.chunks) + " chunks, longest " + time(span.longest);
    return "thread " + thread + ": " + what + "\nat " + time(span.from) + "\niterations " + range(span.logical, count) +
      (span.user ? "\nuser's values " + range(span.user) : "");
  });
}

function heat(parent, it, columns, rows) {
  let most = 1;
  for (const n of it.counts) most = Math.max(most, n);
  legend(parent, 1, Math.max(most, 2), n => count(Math.round(n)), "chunks", null);
  const left = 84, bottom = 34, high = 240, top = 6;
  const {c, element, width} = canvas(parent, top + high + bottom, "chunks by iteration and duration");
  const wide = width - left - 20, w = wide / columns, h = high / rows, scale = logarithmic(1, Math.max(most, 2));
  c.fillStyle = style("--idle");
  c.fillRect(left, top, wide, high);
  for (let column = 0; column < columns; column++)
    for (let r = 0; r < rows; r++) {
      const n = it.counts[column * rows + r];
      if (!n) continue;
      c.fillStyle = colour(scale(n));
      c.fillRect(left + column * w, top + high - (r + 1) * h, w + 0.4, h + 0.4);
    }
  const [low, long] = it.seconds, y = logarithmic(low, long);
  for (const value of decades(low, long)) {
    const at = top + high * (1 - y(value));
    line(c, left - 4, at, left, at);
    write(c, time(value), left - 8, at, "right");
  }
  const total = Number(it.iterations);
  for (const value of ticks(0, total, Math.min(total, Math.max(2, Math.floor(wide / 110))))) {
    const x = left + value / total * wide;
    line(c, x, top + high, x, top + high + 4);
    write(c, count(Math.round(value)), Math.min(x, width - 30), top + high + 13, "center");
  }
  write(c, "logical iteration (0 is the loop's first)", left + wide / 2, top + high + 27, "center");
  tip(element, (px, py) => {
    const column = Math.floor((px - left) / w), r = Math.floor((top + high - py) / h);
    if (column < 0 || column >= columns || r < 0 || r >= rows) return "";
    const edge = k => low * (long / low) ** (k / rows), step = total / columns;
    return count(it.counts[column * rows + r]) + " chunks of " + time(edge(r)) + " to " + time(edge(r + 1)) +
      "\niterations " + count(Math.floor(column * step)) + " to " + count(Math.ceil((column + 1) * step) - 1);
  });
}

function histogram(parent, it) {
  // Bars of equal width in the logarithm, so that those of the first buckets are not hair-thin.
  const all = it.histogram, low = Math.max(all[0][0], 1e-9), high = Math.max(all[all.length - 1][1], low * 1.1);
  const bars = 48, counts = new Array(bars).fill(0), scale = logarithmic(low, high);
  for (const [from, to, n] of all)
    counts[Math.min(bars - 1, Math.floor(scale(Math.max((from + to) / 2, low)) * bars))] += n;
  const most = Math.max(...counts), left = 84, top = 24, tall = 216, bottom = 34;
  const {c, element, width} = canvas(parent, top + tall + bottom, "chunks by duration");
  const wide = width - left - 20, w = wide / bars;
  for (const value of ticks(0, most, Math.min(most, 5))) {
    const at = top + tall * (1 - value / most);
    line(c, left, at, left + wide, at);
    write(c, count(Math.round(value)), left - 8, at, "right");
  }
  counts.forEach((n, at) => {
    c.fillStyle = style("--mark");
    const h = n ? Math.max(1, n / most * tall) : 0;
    c.fillRect(left + at * w, top + tall - h, w - 1, h);
  });
  for (const value of decades(low, high)) {
    const x = left + scale(value) * wide;
    line(c, x, top + tall, x, top + tall + 4);
    write(c, time(value), x, top + tall + 13, "center");
  }
  let free = -Infinity;
  for (const [name, value] of [["median", it.median], ["95 %", it.p95], ["longest", it.max]]) {
    const x = left + scale(value) * wide;
    c.strokeStyle = style("--bad");
    c.setLineDash([4, 3]);
    c.beginPath();
    c.moveTo(x, top - 4);
    c.lineTo(x, top + tall);
    c.stroke();
    c.setLineDash([]);
    const half = c.measureText(name).width / 2, at = Math.min(Math.max(x, left + half), left + wide - half);
    if (at - half > free) {
      write(c, name, at, top - 12, "center");
      free = at + half + 6;
    }
  }
  write(c, "chunk duration", left + wide / 2, top + tall + 27, "center");
  tip(element, px => {
    const at = Math.floor((px - left) / w), edge = k => low * (high / low) ** (k / bars);
    return at < 0 || at >= bars ? "" : count(counts[at]) + " chunks of " + time(edge(at)) + " to " + time(edge(at + 1));
  });
}
