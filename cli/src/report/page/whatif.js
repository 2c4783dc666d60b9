// What other schedules would make of a loop: time against chunk size, a line for each kind.
const kinds = {static: {colour: "--work", dash: [], side: -1, sign: "\u25CF"}, dynamic: {colour: "--uneven", dash: [7, 4], side: 0, sign: "\u25A0"}, guided: {colour: "--off", dash: [2, 3], side: 1, sign: "\u25B2"},
  balanced: {colour: "--text", dash: [], side: 2, sign: "\u25C6"}};
// A point of its own shape for each kind.
function shape(c, kind, x, y, size) {
  c.beginPath();
  if (kind === "static") c.arc(x, y, size, 0, 2 * Math.PI);
  else if (kind === "dynamic") c.rect(x - size, y - size, 2 * size, 2 * size);
  else if (kind === "balanced") { c.moveTo(x, y - size * 1.4); c.lineTo(x + size * 1.4, y); c.lineTo(x, y + size * 1.4); c.lineTo(x - size * 1.4, y); c.closePath(); }
  else { c.moveTo(x, y - size * 1.3); c.lineTo(x + size * 1.2, y + size); c.lineTo(x - size * 1.2, y + size); c.closePath(); }
}
function aboutWhatIf(forecast) {
  const said = ["all recorded runs together, as they would take under other schedules with " + forecast.threads + " threads: simulated from what iterations cost and from what handing out chunks costs on this machine",
    "90 of 100 such predictions lie between the ends of the thin lines", "memory bandwidth and caches are not in it"];
  return said.join("; ") + ".";
}
const hasWhatIf = forecast => forecast && forecast.threads && forecast.candidates.filter(one => one.chunk !== null).length > 1 && forecast.candidates.some(one => one.schedule === forecast.now);
function whatIf(parent, forecast) {
  const all = forecast.balanced ? [...forecast.candidates, forecast.balanced] : forecast.candidates, as = all.find(one => one.schedule === forecast.now), now = as.predicted_seconds.middle;
  const sizes = all.filter(one => one.chunk !== null).map(one => Number(one.chunk)), low = Math.min(...sizes), largest = Math.max(...sizes);
  // A block for each thread stands at the right of all chunk sizes.
  const block = largest * 2, sizeOfOne = one => one.chunk === null ? block : Number(one.chunk);
  const most = Math.max(now, ...all.map(one => one.predicted_seconds.middle).filter(value => value <= now * 2)), upper = Math.max(most * 1.15, 1e-9);
  const legend = element("div", undefined, "legend");
  parent.append(legend);
  for (const [kind, {colour, sign}] of Object.entries(kinds)) {
    if (!all.some(one => one.kind === kind)) continue;
    const one = element("span", undefined, "swatch"), mark = element("b", sign);
    mark.style.color = "var(" + colour + ")";
    one.append(mark, kind === "balanced" ? " balanced (OMPCHUNK_SCHEDULE, no clause)" : " " + kind);
    legend.append(one);
  }
  const top = 28, tall = 260;
  const {c, element: picture, width} = canvas(parent, top + tall + LABELS.bottom, "time under other schedules, against chunk size");
  const left = LABELS.left, wide = width - left - LABELS.right, scale = logarithmic(low, block);
  const y = value => top + tall * (1 - Math.min(value / upper, 1));
  const place = one => ({x: left + 6 + scale(sizeOfOne(one)) * (wide - 12), y: y(one.predicted_seconds.middle)});
  beside(c, {left, top, tall, wide, lines: true, title: "time of the loop", low: 0, high: upper, text: shortTime, most: 7});
  below(c, {left: left + 6, wide: wide - 12, y: top + tall, title: "chunk size in iterations; at the right, a block for each thread", low, high: block, kind: "log",
    text: n => shortCount(n)});
  // As it is, all across.
  c.strokeStyle = style("--text");
  c.setLineDash([1, 3]);
  c.beginPath();
  c.moveTo(left, y(now));
  c.lineTo(left + wide, y(now));
  c.stroke();
  c.setLineDash([]);
  for (const [kind, {colour, dash, side}] of Object.entries(kinds)) {
    const those = all.filter(one => one.kind === kind).sort((a, b) => sizeOfOne(a) - sizeOfOne(b));
    c.strokeStyle = c.fillStyle = style(colour);
    c.lineWidth = 2;
    c.setLineDash(dash);
    c.beginPath();
    those.forEach((one, at) => { const {x, y} = place(one); if (at) c.lineTo(x, y); else c.moveTo(x, y); });
    c.stroke();
    c.setLineDash([]);
    c.lineWidth = 1;
    for (const one of those) {
      const at = place(one), x = at.x + side * 3;
      c.globalAlpha = 0.7;
      c.beginPath();
      c.moveTo(x, y(one.predicted_seconds.low));
      c.lineTo(x, y(one.predicted_seconds.high));
      c.stroke();
      c.globalAlpha = 1;
      // What is beyond the top stands there, hollow.
      shape(c, kind, at.x, at.y, 3.5);
      if (one.predicted_seconds.middle <= upper) c.fill(); else c.stroke();
    }
  }
  // The recorded schedule, and the one to write.
  const mark = (one, text, above) => {
    const at = place(one), half = c.measureText(text).width / 2;
    c.strokeStyle = style("--text");
    c.lineWidth = 2;
    shape(c, "static", at.x, at.y, 7.5);
    c.stroke();
    c.lineWidth = 1;
    write(c, text, Math.min(Math.max(at.x, left + half + 4), left + wide - half), above ? Math.max(at.y - 17, 18) : Math.min(at.y + 17, top + tall - 8), "center");
  };
  mark(as, "recorded: " + forecast.now, true);
  const advised = all.find(one => one.schedule === forecast.advice);
  if (advised) mark(advised, "to write: " + forecast.advice, false);
  tip(picture, (px, py) => {
    let best = null, least = 24;
    for (const one of all) {
      const at = place(one), far = Math.hypot(at.x - px, at.y - py);
      if (far < least) [best, least] = [one, far];
    }
    if (!best) return "";
    return best.schedule + (best === as ? ", as recorded" : "") + "\n" + interval(best.predicted_seconds, time) +
      (best === as ? "" : "\n" + interval(best.predicted_ratio, ratio => ratio.toFixed(2)) + " of " + forecast.now);
  });
  parent.append(element("p", forecast.advice ? "Write " + forecast.clause + ": " + forecast.reason + "." : "Leave " + forecast.now + ": " + forecast.reason + "."));
}
