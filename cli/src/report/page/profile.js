// What iterations of a loop cost, over the iteration space.
const factor = ratio => (ratio < 0.9995 ? "" : "+") + ((ratio - 1) * 100).toFixed(1) + " %";
function aboutProfile(curve) {
  const from = curve.divided ? several(curve.pieces, "sub-block") : several(curve.pieces, "chunk");
  const said = ["from " + from + " in " + several(curve.parts, "part") + " of executions; the line is the middle one of some runs, the band the least and the most in one"];
  if (curve.borders.length) said.push("thin lines: where one thread's block ends and the next one's begins");
  if (curve.divided) said.push(curve.cost === null
    ? "what dividing the chunks cost the loop is not known: too few runs were whole"
    : "dividing the chunks cost the loop " + factor(curve.cost.ratio) + " (" + count(curve.cost.divided) + " parts against " + count(curve.cost.whole) + " whole ones)");
  return said.join("; ") + ".";
}
function profile(parent, curve) {
  const total = Math.max(Number(curve.iterations), 1), bins = curve.median.length, of = all => all.filter(value => value !== null), middle = curve.median;
  const most = Math.max(...of(middle)), highest = Math.max(...of(curve.high));
  // One disturbed run makes no picture flat: the band may go beyond the top.
  const upper = Math.max(Math.min(highest, most * 1.6) * 1.04, 1e-12);
  const user = curve.user && curve.user.map(Number), shows = user && (user[0] !== 0 || user[1] !== total - 1);
  const top = 28, tall = 260, second = shows ? 15 : 0;
  const {c, element, width} = canvas(parent, top + tall + LABELS.bottom + second, "what iterations cost, over the iteration space");
  const left = LABELS.left, wide = width - left - LABELS.right, w = wide / bins;
  const y = value => top + tall * (1 - Math.min(value / upper, 1));
  beside(c, {left, top, tall, wide, lines: true, title: "time per iteration", low: 0, high: upper, text: shortTime, most: 7});
  const paint = colour("length", 0.55);
  c.fillStyle = paint;
  for (let k = 0; k < bins; k++) {
    if (middle[k] === null) continue;
    const x = left + k * w;
    // Three depths of one colour: below the least, between it and the most, and the line.
    c.globalAlpha = 0.3;
    c.fillRect(x, y(curve.low[k]), w + 0.3, top + tall - y(curve.low[k]));
    c.globalAlpha = 0.16;
    c.fillRect(x, y(curve.high[k]), w + 0.3, y(curve.low[k]) - y(curve.high[k]));
  }
  c.globalAlpha = 1;
  c.strokeStyle = style("--text");
  for (const border of curve.borders) {
    const x = left + Number(border) / total * wide;
    c.lineWidth = 0.6;
    c.beginPath();
    c.moveTo(x, top);
    c.lineTo(x, top + tall);
    c.stroke();
  }
  c.strokeStyle = colour("length", isDark() ? 0.85 : 0.75);
  c.lineWidth = 2;
  c.beginPath();
  let open = false;
  for (let k = 0; k < bins; k++) {
    if (middle[k] === null) { open = false; continue; }
    const x = left + k * w, at = y(middle[k]);
    if (open) c.lineTo(x, at); else c.moveTo(x, at);
    c.lineTo(x + w, at);
    open = true;
  }
  c.stroke();
  c.lineWidth = 1;
  const marks = below(c, {left, wide, y: top + tall, title: shows ? "" : "logical iteration (0 is the loop's first)", low: 0, high: total, kind: "whole",
    text: n => count(Math.round(n))});
  // The user's variable goes evenly, but where it goes round.
  const userAt = n => Math.round(user[0] + (total > 1 ? n / (total - 1) : 0) * (user[1] - user[0]));
  if (shows) {
    let free = -Infinity;
    for (const mark of marks) {
      const text = count(userAt(mark.value)), half = c.measureText(text).width / 2, at = Math.max(mark.middle, half - left);
      if (at - half < free || at + half > wide + LABELS.right) continue;
      c.globalAlpha = 0.65;
      write(c, text, left + at, top + tall + 28, "center");
      c.globalAlpha = 1;
      free = at + half + 10;
    }
    write(c, "logical iteration, and below it the user's value", left + wide / 2, top + tall + 28 + second, "center");
  }
  tip(element, px => {
    const k = Math.floor((px - left) / w);
    if (k < 0 || k >= bins) return "";
    const from = Math.floor(k * total / bins), to = Math.max(Math.ceil((k + 1) * total / bins) - 1, from);
    const where = "iterations " + range([from, to], count) + (user ? "\nuser's values " + range([userAt(from), userAt(to)], count) : "");
    if (middle[k] === null) return where + "\nnothing is known of them";
    return where + "\n" + time(middle[k]) + " each; " + time(curve.low[k]) + " to " + time(curve.high[k]) + " in single runs";
  });
}
