// Numbers, written as `ompchunk-figures` writes them, and what every picture needs. Pictures are drawn into a canvas of a given height; colours of text come from the
// style.
const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
function time(seconds) {
  if (seconds === null || seconds === undefined) return "-";
  if (Math.abs(seconds) < 5e-12) return "0 s";
  const [size, name] = units.find(([size]) => Math.abs(seconds) >= size * 0.9995) || units[3];
  const value = seconds / size;
  return value.toFixed(Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2) + " " + name;
}
// On an axis: no more digits than it takes.
function shortTime(seconds) {
  if (Math.abs(seconds) < 5e-12) return "0 s";
  const [size, name] = units.find(([size]) => Math.abs(seconds) >= size * 0.9995) || units[3];
  return Number((seconds / size).toPrecision(3)) + " " + name;
}
const count = n => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
// On an axis: 4,000 but 20 M, as iterations may have twenty digits.
function shortCount(n) {
  const whole = Math.round(n);
  if (whole < 1e6) return count(whole);
  if (whole >= 1e15) return whole.toExponential(1);
  const [size, name] = [[1e12, "T"], [1e9, "G"], [1e6, "M"]].find(([size]) => whole >= size);
  return Number((whole / size).toPrecision(4)) + " " + name;
}
const several = (n, what) => count(n) + " " + what + (n === 1 ? "" : "s");
const percent = share => share === null || share === undefined ? "-" : share > 1e-9 && share < 5e-4 ? "< 0.1 %" :
  share > 0.9995 && share < 1 - 1e-9 ? "> 99.9 %" : (share * 100).toFixed(1) + " %";
const interval = ({low, middle, high}, of) => low === high ? of(middle) : of(middle) + " [" + of(low) + ", " + of(high) + "]";
const range = ([a, b], of = String) => a === b ? of(a) : of(a) + " to " + of(b);
const logarithmic = (low, high) => value =>
  high > low ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : 1;

const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function canvas(parent, height, label, most = Infinity) {
  const element = document.createElement("canvas");
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", label);
  parent.append(element);
  const width = Math.min(Math.max(parent.clientWidth, 240), most), ratio = window.devicePixelRatio || 1;
  element.width = width * ratio;
  element.height = height * ratio;
  element.style.height = height + "px";
  if (most < Infinity) element.style.width = width + "px";
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
// What stands left of a picture, and what is drawn there.
const LABELS = {left: 72, right: 16, bottom: 36};
const sizeOf = c => text => c.measureText(text).width;
// Labels and title below a picture that ends at y.
function below(c, {left, wide, y, title, ...scale}) {
  const marks = axis({length: wide, size: sizeOf(c), before: left, after: LABELS.right, ...scale});
  for (const mark of marks) {
    line(c, left + mark.at, y, left + mark.at, y + 4);
    write(c, mark.text, left + mark.middle, y + 13, "center");
  }
  write(c, title, left + wide / 2, y + 28, "center");
  return marks;
}
// The same at the left, from the bottom up; its title stands above.
function beside(c, {left, top, tall, title, lines, wide, ...scale}) {
  const marks = axis({length: tall, size: () => 12, gap: 4, before: 8, after: 8, ...scale});
  for (const mark of marks) {
    const y = top + tall - mark.at;
    line(c, left - 4, y, lines ? left + wide : left, y);
    write(c, mark.text, left - 7, top + tall - mark.middle, "right");
  }
  write(c, title, 0, 7);
  return marks;
}
function showTip(text, x, y) {
  const box = document.getElementById("tip");
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  box.style.left = Math.max(0, Math.min(x, innerWidth - box.offsetWidth - 8)) + "px";
  box.style.top = Math.max(0, Math.min(y, innerHeight - box.offsetHeight - 8)) + "px";
}
function tip(element, text) {
  element.addEventListener("mousemove", event =>
    showTip(text(event.offsetX, event.offsetY), event.clientX + 14, event.clientY + 14));
  element.addEventListener("mouseleave", () => showTip(""));
}
// The colours of a palette, with their values: at least three.
function legend(parent, what, {low, high, kind, text, name}) {
  const all = element("div", undefined, "legend");
  parent.append(all);
  all.append(element("span", name));
  const box = element("span", undefined, "ramp");
  all.append(box);
  const {c, width} = canvas(box, 34, name + " from " + text(low) + " to " + text(high), 280);
  const left = 20, wide = width - 2 * left;
  for (let x = 0; x < wide; x++) {
    c.fillStyle = colour(what, x / wide);
    c.fillRect(left + x, 3, 1.5, 12);
  }
  for (const mark of axis({low, high, kind, length: wide, text, size: sizeOf(c), before: left, after: left, most: 5})) {
    line(c, left + mark.at, 15, left + mark.at, 18);
    write(c, mark.text, left + mark.middle, 26, "center");
  }
  return all;
}
// A swatch of a colour that stands for one thing.
function swatch(parent, what) {
  const made = element("span", undefined, "swatch"), box = element("i");
  box.style.background = what === "barrier" || what === "lost"
    ? "repeating-linear-gradient(" + (what === "lost" ? "45deg" : "-45deg") + ", " + stateColour(what) + " 0 3px, " + style("--back") + " 3px 5px)"
    : stateColour(what);
  made.append(box, stateNames[what]);
  parent.append(made);
}
// Stripes, so that a wait is told from work without colours too.
function stripes(c, what, turned) {
  const tile = document.createElement("canvas"), size = 6;
  tile.width = tile.height = size;
  const t = tile.getContext("2d");
  t.fillStyle = style("--back");
  t.fillRect(0, 0, size, size);
  t.strokeStyle = stateColour(what);
  t.lineWidth = 2.6;
  for (const shift of [-size, 0, size]) {
    t.beginPath();
    t.moveTo(shift - 1, turned ? size + 1 : -1);
    t.lineTo(shift + size + 1, turned ? -1 : size + 1);
    t.stroke();
  }
  return c.createPattern(tile, "repeat");
}
