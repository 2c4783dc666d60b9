// Checks a page in a frame, as somebody would who looks at it, and gives what is wrong. `own` evaluates in the page.
const failures = [];
const check = (what, ...more) => { if (!what) failures.push(more.join(" ")); };

function layout(frame, width) {
  const {document, innerWidth, getComputedStyle} = frame, root = document.documentElement;
  check(document.body.dataset.state === "drawn", "state", document.body.dataset.state);
  check(innerWidth === width, "a frame of", innerWidth);
  check(root.scrollWidth <= innerWidth, "the page is", root.scrollWidth, "wide at", innerWidth,
    [...document.querySelectorAll("body *")].filter(node => node.getBoundingClientRect().right > innerWidth).slice(0, 3).map(node => node.outerHTML.slice(0, 80)).join());
  // Names never push numbers away.
  for (const cell of document.querySelectorAll("#loops td.loud, #loops td:nth-child(2), #loops td:nth-child(3), .todo b"))
    check(cell.getBoundingClientRect().right <= innerWidth && cell.getBoundingClientRect().width > 0, "out of sight:", cell.textContent);
  for (const canvas of document.querySelectorAll("canvas"))
    check(canvas.getAttribute("aria-label") && canvas.getBoundingClientRect().width >= 200, "a picture", canvas.outerHTML.slice(0, 80));
  check(!document.querySelector(".card"), "cards");
  const text = document.body.innerText;
  for (const wrong of ["undefined", "NaN", "Infinity", "[object"]) check(!text.includes(wrong), "text has", wrong);
  check(text.indexOf("What to do") < text.indexOf("The run"), "what to do does not come first");
  // What can be clicked looks like it.
  for (const node of document.querySelectorAll("th button, #loops tbody tr, .todo, .choice button, .more, summary"))
    check(getComputedStyle(node).cursor === "pointer", "no pointer on", node.outerHTML.slice(0, 80));
  for (const node of document.querySelectorAll("#loops tbody tr")) check(node.getAttribute("role") === "row" && node.closest("table").getAttribute("role") === "grid", "no role");
  for (const node of document.querySelectorAll("#loops tbody tr, .todo, .commands")) check(node.tabIndex === 0, "no focus on", node.outerHTML.slice(0, 80));
}
function sorts(frame) {
  const {document} = frame, head = [...document.querySelectorAll("#loops th[aria-sort]")];
  if (document.querySelectorAll("#loops tbody tr").length < 2) return;
  const cell = head.find(node => node.textContent === "lost"), rows = () => [...document.querySelectorAll("#loops tbody tr")];
  const before = rows().map(node => node.textContent);
  cell.querySelector("button").click();
  check(cell.getAttribute("aria-sort") === "descending" && rows()[0].textContent === before[0], "largest first");
  cell.querySelector("button").click();
  check(cell.getAttribute("aria-sort") === "ascending", "then smallest first");
  const sorted = rows().map(node => node.textContent);
  check(sorted.slice().sort().join() === before.slice().sort().join(), "no row is lost by sorting");
  head[0].querySelector("button").click();
  check(head[0].getAttribute("aria-sort") === "ascending" && cell.getAttribute("aria-sort") === "none", "one column sorts");
  cell.querySelector("button").click();
}
function chooses(frame) {
  const {document} = frame, [one, two] = document.querySelectorAll("#loops tbody tr");
  if (!two) return;
  const key = (to, name) => to.dispatchEvent(new frame.KeyboardEvent("keydown", {key: name, bubbles: true}));
  const title = () => document.querySelector("#loop h2").textContent;
  key(two, "Enter");
  const second = title();
  check(two.getAttribute("aria-selected") === "true" && one.getAttribute("aria-selected") === "false", "the chosen row is not marked");
  one.focus();
  key(one, "ArrowDown");
  check(document.activeElement === two, "arrows do not move");
  key(one, " ");
  check(title() !== second && one.getAttribute("aria-selected") === "true", "a blank does not choose");
  const todo = document.querySelector(".todo");
  if (todo) todo.click();
  linksToEach(frame);
}
// Each loop has a link of its own, and an address that names a loop shows it.
function linksToEach(frame) {
  const {document} = frame, rows = [...document.querySelectorAll("#loops tbody tr")], link = () => document.querySelector("#loop h2 a");
  const hrefs = rows.map(row => { row.click(); return link().getAttribute("href"); });
  check(new Set(hrefs).size === rows.length, "loops share a link:", hrefs.join());
  check(document.querySelector("#loop h2").id === hrefs.at(-1).slice(1), "the link leads nowhere:", hrefs.at(-1));
  for (const node of document.querySelectorAll(".todo")) check(/^#loop-[0-9]+$/.test(node.getAttribute("href")), "to no loop:", node.getAttribute("href"));
  frame.location.hash = hrefs[0];
  frame.dispatchEvent(new frame.HashChangeEvent("hashchange"));
  check(link().getAttribute("href") === hrefs[0] && rows[0].getAttribute("aria-selected") === "true", "an address shows another loop:", link().getAttribute("href"), frame.location.hash);
}
function choosesRuns(frame) {
  const {document} = frame, buttons = [...document.querySelectorAll(".choice button")];
  if (!buttons.length) return 0;
  const drawn = new Set();
  for (const button of buttons) {
    button.click();
    check(button.getAttribute("aria-pressed") === "true" &&
      document.querySelectorAll('.choice button[aria-pressed="true"]').length === 1, "one run is chosen");
    drawn.add(document.querySelector(".choice + p").textContent);
  }
  check(drawn.size === buttons.length, "each run is another one");
  return buttons.length;
}
// A name is whole for whoever copies it, and for who has the focus on it.
function names(frame, whole) {
  const {document} = frame, all = [...document.querySelectorAll(".name")];
  for (const name of all) check(name.textContent === name.dataset.whole, "a name is not whole");
  if (!whole) return;
  const cell = all.find(node => node.closest("#loops") && node.dataset.whole === whole);
  check(cell, "no cell has the whole name");
  if (!cell) return;
  const copied = from => {
    const range = document.createRange();
    range.selectNodeContents(from);
    frame.getSelection().removeAllRanges();
    frame.getSelection().addRange(range);
    const data = new frame.DataTransfer();
    from.dispatchEvent(new frame.ClipboardEvent("copy", {clipboardData: data, bubbles: true, cancelable: true}));
    frame.getSelection().removeAllRanges();
    return data.getData("text/plain");
  };
  check(copied(cell) === whole, "copied:", copied(cell));
  const line = copied(cell.closest("tr")).replace(/\n$/, "").split("\t");
  check(line.includes(whole) && line.length > 5, "a row, copied:", line.join("|"));
  check(copied(document.querySelector(".todo")).includes(whole), "what to do, copied");
  const where = document.querySelector(".todo");
  where.focus();
  where.dispatchEvent(new frame.FocusEvent("focusin", {bubbles: true}));
  const tip = document.getElementById("tip");
  check(!tip.hidden && tip.textContent.includes(whole), "the focus does not show it:", tip.textContent);
}

// Axes: whatever the ends and the room.
function axes(frame) {
  const axis = frame.axis, shortTime = frame.shortTime, count = frame.shortCount, size = text => text.length * 6.6;
  let seed = 1;
  const random = () => (seed = seed * 16807 % 2147483647) / 2147483647;
  for (let n = 0; n < 2400; n++) {
    const kind = ["linear", "log", "whole"][n % 3], length = 150 + Math.floor(random() * 1200);
    let low = kind === "log" ? 10 ** (random() * 9 - 9) : 0, high = kind === "log" ? low * 10 ** (random() * 6 + 0.05) : 10 ** (random() * 10 - 7);
    if (kind === "whole") high = Math.ceil(10 ** (random() * 9));
    const text = kind === "whole" ? count : shortTime, what = [kind, low, high, length].join(" ");
    const all = axis({low, high, kind, length, text: value => text(kind === "whole" ? Math.round(value) : value), size, before: 40, after: 16});
    const wanted = kind === "whole" ? Math.min(3, high + 1) : 3;
    check(all.length >= wanted || length < 3 * (Math.max(...all.map(label => size(label.text))) + 10), "few labels:", what, all.map(label => label.text).join());
    all.forEach((label, k) => {
      check(label.from >= -40.01 && label.to <= length + 16.01, "outside:", what, label.text);
      check(label.value >= low * (1 - 1e-6) && label.value <= high * (1 + 1e-6), "no value of the axis:", what, label.value);
      check(kind !== "whole" || Number.isInteger(Math.round(label.value * 1e6) / 1e6), "not whole:", what, label.value);
      if (k) check(label.from >= all[k - 1].to + 9.99 && label.text !== all[k - 1].text, "labels collide:", what, all.map(label => label.text).join());
    });
  }
  const texts = (...given) => axis(...given).map(label => label.text).join(" ");
  const at = {length: 600, text: shortTime, size};
  check(texts({...at, low: 0, high: 1.2e-3}) === "0 s 200 µs 400 µs 600 µs 800 µs 1 ms 1.2 ms", "linear:", texts({...at, low: 0, high: 1.2e-3}));
  check(texts({...at, low: 1e-6, high: 1e-3, kind: "log"}).startsWith("1 µs"), "log:", texts({...at, low: 1e-6, high: 1e-3, kind: "log"}));
  check(texts({...at, low: 0, high: 1, kind: "whole", text: String}) === "0 1", "one:", texts({...at, low: 0, high: 1, kind: "whole", text: String}));
  for (const odd of [[0, 0], [5, 5], [0, NaN], [1, -1]]) check(Array.isArray(axis({...at, low: odd[0], high: odd[1]})), "odd ends", odd);
}

// Colours: even brightness along a palette, and different for everybody. Forms of colour vision after Machado, Oliveira and
// Fernandes 2009 (severity 1), differences in CIELAB.
const visions = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
  tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
};
const times = (matrix, by) => matrix.map(row => row.reduce((sum, value, k) => sum + value * by[k], 0));
function lab(colour, vision) {
  const linear = colour.map(value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const seen = times(visions[vision], linear).map(value => Math.min(Math.max(value, 0), 1));
  const [x, y, z] = times([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]], seen)
    .map((value, k) => value / [0.9505, 1, 1.089][k]).map(value => value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const apart = (a, b, vision) => Math.hypot(...lab(a, vision).map((value, k) => value - lab(b, vision)[k]));
function palettes(frame) {
  const all = frame.eval("palettes"), between = frame.between;
  for (const [scheme, {length, number, states}] of Object.entries(all)) for (const vision of Object.keys(visions)) {
    for (const [name, stops] of [["length", length], ["number", number]]) {
      const light = Array.from({length: 21}, (_, k) => lab(between(stops, k / 20), vision)[0]);
      const steps = light.slice(1).map((value, k) => scheme === "dark" ? value - light[k] : light[k] - value);
      check(steps.every(value => value > 0.8), scheme, name, vision, "is not even:", steps.map(value => value.toFixed(1)).join());
      // Its faintest colour stands out from what is behind it.
      check(apart(stops[0], states.late, vision) > 15, scheme, name, vision, "begins like nothing");
    }
    const some = Object.entries(states);
    some.forEach(([a, one], k) => some.slice(k + 1).forEach(([b, other]) =>
      check(apart(one, other, vision) > 18, scheme, vision, a, "looks like", b, apart(one, other, vision).toFixed(1))));
    // Of the two palettes no colours are alike, and none is like a wait.
    for (let k = 0; k <= 10; k++) {
      const blue = between(length, k / 10);
      for (const [name, state] of some) if (name !== "late")
        check(apart(blue, state, vision) > 14, scheme, vision, "a length looks like", name, k, apart(blue, state, vision).toFixed(1));
      for (let m = 0; m <= 10; m++)
        check(apart(blue, between(number, m / 10), vision) > 10, scheme, vision, "a length looks like a number", k, m, apart(blue, between(number, m / 10), vision).toFixed(1));
    }
  }
}

const widths = [400, 1300];
// The picture of other schedules has a line for each kind in its colour, and says what to do as the first screen does.
function whatIf(frame) {
  const {document} = frame, canvas = document.querySelector('canvas[aria-label^="time under other schedules"]');
  check(canvas, "no other schedules are drawn");
  if (!canvas) return;
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  for (const kind of ["static", "dynamic", "guided"]) {
    const wanted = frame.getComputedStyle(document.documentElement).getPropertyValue(frame.eval("kinds")[kind].colour).trim();
    const rgb = [1, 3, 5].map(at => parseInt(wanted.slice(at, at + 2), 16));
    let n = 0;
    for (let k = 0; k < data.length; k += 4) if (rgb.every((value, at) => Math.abs(data[k + at] - value) < 3) && data[k + 3] === 255) n++;
    check(n > 20, "no line of", kind, n);
  }
  const words = canvas.parentElement.lastChild.textContent, todo = document.querySelector(".todo").textContent;
  const clause = /schedule\([^)]*\)/.exec(words);
  check(words.startsWith("Write ") ? clause && todo.includes("write " + clause[0]) : words.startsWith("Leave ") && todo.includes("leave "),
    "two answers:", words, "|", todo);
}
// The curve of the loop that is shown: a rising one has more paint at its right than at its left.
function profiles(frame) {
  const canvas = frame.document.querySelector('canvas[aria-label^="what iterations cost"]');
  check(canvas, "no profile is drawn");
  if (!canvas) return;
  const c = canvas.getContext("2d"), {width, height} = canvas, middle = Math.floor(height * 0.45);
  const painted = (from, to) => {
    const {data} = c.getImageData(Math.floor(width * from), middle, Math.floor(width * (to - from)), 1);
    let n = 0;
    // Blue, as lengths are.
    for (let k = 0; k < data.length; k += 4) if (data[k + 3] && data[k + 2] > data[k] + 8) n++;
    return n / (data.length / 4);
  };
  check(painted(0.75, 0.95) > 0.8, "the right is not as high as it is:", painted(0.75, 0.95));
  check(painted(0.3, 0.4) < 0.2, "the left is as high as the right:", painted(0.3, 0.4));
  check(frame.document.body.innerText.includes("What iterations cost"), "no title of the profile");
  whatIf(frame);
}
// Each row of a table has its numbers in sight, before its names.
function inSight(row, innerWidth) {
  let right = 0;
  for (const cell of row.children) {
    const box = cell.getBoundingClientRect();
    if (!box.width) continue;
    check(box.left >= right - 0.5 && box.right <= innerWidth, "out of sight:", cell.textContent, box.left, box.right, innerWidth);
    right = box.right;
    const inside = cell.querySelector(".name")?.getBoundingClientRect(), least = Math.min(50, 5 * cell.textContent.length);
    check(inside ? inside.right <= box.right + 0.5 && inside.width >= least : cell.scrollWidth <= cell.clientWidth + 1, "cut:", cell.textContent, inside?.right, box.right);
  }
}
// What OpenACC and target did: a row for each operation at a place in a table of each, and no section where they did nothing.
function openaccRows(frame, wanted) {
  const {document, innerWidth} = frame, found = document.getElementById("openacc"), rows = [...found.querySelectorAll("tbody tr")];
  if (!wanted) return check(!found.children.length, "OpenACC of a trace without it");
  const headsOf = table => [...table.querySelectorAll("th")].map(node => node.querySelector("button")?.textContent ?? node.textContent);
  check(rows.length === wanted.length, "operations:", rows.length);
  rows.forEach((row, at) => {
    const heads = headsOf(row.closest("table"));
    for (const [title, text] of Object.entries(wanted[at]))
      check(row.children[heads.indexOf(title)]?.textContent === text, "an operation,", title, row.children[heads.indexOf(title)]?.textContent);
    inSight(row, innerWidth);
  });
  const tables = [...found.querySelectorAll("table")].map(headsOf), titles = [...found.querySelectorAll("h2")].map(node => node.textContent);
  check(titles.join() === "OpenACC,OpenMP target", "titles:", titles.join());
  check(!tables.some(heads => heads.includes("async")), "a column of nothing");
  check(!tables[0].includes("device") && !tables[1].includes("construct"), "a column of the other");
}
// Hot lines of the loop that is shown: the numbers in sight before the names, whatever these are, and none of a loop without samples.
const hotSection = frame => [...frame.document.querySelectorAll("#loop h3")].find(node => node.textContent.startsWith("Hot lines"))?.parentElement;
function hotLines(frame, wanted) {
  const {document, innerWidth} = frame, choose = place => [...document.querySelectorAll("#loops tbody tr")].find(node => node.textContent.includes(place)).click();
  choose("a.c:40");
  check(!hotSection(frame), "hot lines without samples");
  choose("a.c:12");
  const found = hotSection(frame);
  check(found, "no hot lines");
  if (!found) return;
  const rows = [...found.querySelectorAll("tbody tr")], heads = [...found.querySelectorAll("th")].map(node => node.textContent);
  check(rows.length === wanted.length, "hot lines:", rows.length);
  const of = (row, title) => row.children[heads.indexOf(title)];
  rows.forEach((row, at) => {
    const [share, line, name] = ["share", "line", "function"].map(title => of(row, title).textContent);
    check([share, line, name].join() === wanted[at].join(), "a hot line:", share, line, name);
    inSight(row, innerWidth);
    check(of(row, "share").getBoundingClientRect().width > 30, "no share in sight");
  });
  // A bar is no longer than what so few samples prove.
  const [full, pale] = of(rows[0], "").querySelectorAll(".bar i"), [low, high] = of(rows[0], "95 %").textContent.match(/\d+/g).map(Number);
  check(Math.abs(parseFloat(full.style.width) - low) <= 1 && Math.abs(parseFloat(pale.style.width) - (high - low)) <= 1, "a bar of", full.style.width, pale.style.width, "for", low, high);
  const [samples, interval] = ["samples", "95 %"].map(title => of(rows[0], title));
  check((samples.getBoundingClientRect().width > 0) === innerWidth > 640, "samples at", innerWidth);
  check(samples.textContent === "2" && /^\d+–\d+ %$/.test(interval.textContent), "of samples:", samples.textContent, interval.textContent);
}
function run(page, {whole, pure, runs, each, profile, hot, openacc}) {
  for (const width of widths) {
    const frame = document.createElement("iframe");
    frame.style = "border: 0; height: 1200px; width: " + width + "px";
    frame.onload = () => {
      const page = frame.contentWindow;
      try {
        layout(page, width);
        sorts(page);
        chooses(page);
        const found = choosesRuns(page);
        if (runs) check(found === runs, "runs to choose from:", found);
        if (profile) profiles(page);
        openaccRows(page, openacc);
        if (hot) hotLines(page, hot); else check(!hotSection(page), "hot lines of a trace without stacks");
        names(page, whole);
        layout(page, width);
        if (each) for (const line of page.document.querySelectorAll("#loops tbody tr")) { line.click(); layout(page, width); }
        if (pure && width === 400) { axes(page); palettes(page); }
      } catch (error) { failures.push("error: " + error + " " + error.stack); }
      done.push(width);
      if (done.length === widths.length) document.body.dataset.result = failures.length ? failures.slice(0, 12).join("\n") : "well";
    };
    frame.srcdoc = page;
    document.body.append(frame);
  }
}
const done = [];
