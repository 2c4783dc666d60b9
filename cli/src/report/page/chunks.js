// All chunks of a loop: by iteration and length, and by length alone.
function heat(parent, picture, columns, rows) {
  let most = 1;
  for (const n of picture.counts) most = Math.max(most, n);
  const top = 28, high = 240, upper = Math.max(most, 3);
  legend(parent, "number", {low: 1, high: upper, kind: "log", text: shortCount, name: "number of chunks"});
  const {c, element, width} = canvas(parent, top + high + LABELS.bottom, "chunks by iteration and length");
  const left = LABELS.left, wide = width - left - LABELS.right, w = wide / columns, h = high / rows;
  const scale = logarithmic(1, upper);
  c.fillStyle = style("--idle");
  c.fillRect(left, top, wide, high);
  for (let column = 0; column < columns; column++)
    for (let r = 0; r < rows; r++) {
      const n = picture.counts[column * rows + r];
      if (!n) continue;
      c.fillStyle = colour("number", scale(n));
      c.fillRect(left + column * w, top + high - (r + 1) * h, w + 0.4, h + 0.4);
    }
  const [low, long] = picture.seconds, total = Math.max(Number(picture.iterations), 1);
  beside(c, {left, top, tall: high, wide, title: "length of a chunk", low, high: long, kind: "log", text: shortTime});
  below(c, {left, wide, y: top + high, title: "logical iteration (0 is the loop's first)", low: 0, high: total, kind: "whole",
    text: shortCount});
  tip(element, (px, py) => {
    const column = Math.floor((px - left) / w), r = Math.floor((top + high - py) / h);
    if (column < 0 || column >= columns || r < 0 || r >= rows) return "";
    const edge = k => low * (long / low) ** (k / rows), step = total / columns;
    return several(picture.counts[column * rows + r], "chunk") + " of " + time(edge(r)) + " to " + time(edge(r + 1)) +
      "\niterations " + count(Math.floor(column * step)) + " to " + count(Math.max(Math.ceil((column + 1) * step) - 1, Math.floor(column * step)));
  });
}

function histogram(parent, chunks) {
  // Bars of equal width in the logarithm, so that those of the first buckets are not hair-thin.
  const all = chunks.histogram, low = Math.max(Math.min(all[0][0], chunks.min), 1e-9);
  const high = Math.max(all[all.length - 1][1], chunks.max, low * 1.1);
  const bars = 48, counts = new Array(bars).fill(0), scale = logarithmic(low, high);
  for (const [from, to, n] of all)
    counts[Math.min(bars - 1, Math.floor(scale(Math.max((from + to) / 2, low)) * bars))] += Number(n);
  const most = Math.max(...counts), top = 40, tall = 216;
  const {c, element, width} = canvas(parent, top + tall + LABELS.bottom, "chunks by length");
  const left = LABELS.left, wide = width - left - LABELS.right, w = wide / bars;
  beside(c, {left, top, tall, wide, lines: true, title: "number of chunks", low: 0, high: most, kind: "whole",
    text: shortCount, most: 6});
  counts.forEach((n, at) => {
    c.fillStyle = colour("length", (at + 0.5) / bars);
    const h = n ? Math.max(1, n / most * tall) : 0;
    c.fillRect(left + at * w, top + tall - h, w - 1, h);
  });
  let free = -Infinity;
  for (const [name, value] of [["median", chunks.median], ["95 %", chunks.p95], ["longest", chunks.max]]) {
    const x = left + Math.min(scale(value), 1) * wide;
    c.strokeStyle = style("--text");
    c.setLineDash([4, 3]);
    c.beginPath();
    c.moveTo(x, top - 6);
    c.lineTo(x, top + tall);
    c.stroke();
    c.setLineDash([]);
    const half = c.measureText(name).width / 2, at = Math.min(Math.max(x, left + half), left + wide - half);
    if (at - half > free) {
      write(c, name, at, top - 14, "center");
      free = at + half + 6;
    }
  }
  below(c, {left, wide, y: top + tall, title: "length of a chunk", low, high, kind: "log", text: shortTime});
  tip(element, px => {
    const at = Math.floor((px - left) / w), edge = k => low * (high / low) ** (k / bars);
    return at < 0 || at >= bars ? "" : several(counts[at], "chunk") + " of " + time(edge(at)) + " to " + time(edge(at + 1));
  });
}
