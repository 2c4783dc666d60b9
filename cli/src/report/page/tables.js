// Elements and tables; all text goes in as text, never as markup.
function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}
const judged = share => share === null || share === undefined ? "" : share < 0.6 ? "bad" : share < 0.8 ? "middling" : "good";

// A name that gives way in its middle, where it is too long: its end tells most. Whoever copies it gets all of it, and it is
// shown whole where the pointer or the focus is.
const TAIL = 14;
function named(text) {
  const made = element("span", undefined, "name"), all = [...text];
  let cut = all.length > 2 * TAIL ? all.length - TAIL : all.length;
  // Blanks at the edges of a box are not drawn.
  while (cut > 1 && cut < all.length && (all[cut] === " " || all[cut - 1] === " ")) cut--;
  made.append(element("span", all.slice(0, cut).join(""), "start"));
  if (cut < all.length) made.append(element("span", all.slice(cut).join(""), "end"));
  made.dataset.whole = text;
  return made;
}
function isCut(name) {
  const start = name.firstElementChild;
  return start.scrollWidth > start.clientWidth;
}
function wholeNames(event) {
  const name = event.target.closest?.(".name") ?? (event.type === "focusin" ? [...event.target.querySelectorAll(".name")].find(isCut) : null);
  if (!name || !isCut(name)) return;
  const box = name.getBoundingClientRect();
  showTip(name.dataset.whole, box.left, box.bottom + 4);
}
// What is copied: whole names, cells apart by tabs.
function copiedText(selection) {
  const part = selection.getRangeAt(0);
  const of = node => (node.nodeType === 1 ? node : node.parentElement)?.closest(".name");
  const inside = of(part.startContainer);
  if (inside && inside === of(part.endContainer)) return inside.dataset.whole;
  const copy = part.cloneContents();
  const names = copy.querySelectorAll(".name");
  if (!names.length) return null;
  for (const name of names) name.replaceChildren(name.dataset.whole);
  for (const cell of copy.querySelectorAll("td, th")) cell.append("\t");
  for (const block of copy.querySelectorAll("tr, p, div, h2, h3, li")) block.append("\n");
  return copy.textContent.replace(/\t\n/g, "\n");
}

// A column: its title, the text of a row, what to sort by (or nothing), and more: kind (text, or a function), hint, from
// which width of the page on it is shown (1 to 4).
function table(parent, columns, rows, {chosen, most = 16} = {}) {
  const box = element("div", undefined, "wide"), all = element("table"), head = element("tr"), body = element("tbody");
  const thead = element("thead"), lines = new Map();
  // A column of nothing tells nothing.
  columns = columns.filter(column => column.keep || rows.some(row => column.cell || !["-", ""].includes(column.text(row))));
  let limit = rows.length > most + 4 ? most : rows.length;
  const make = row => {
    const line = element("tr");
    for (const {text, kind, hint, from, cell} of columns) {
      const made = element("td", undefined, "from" + (from ?? 1) + " " + ((typeof kind === "function" ? kind(row) : kind) ?? ""));
      if (cell) made.append(cell(row)); else made.textContent = text(row);
      if (hint) made.title = hint(row);
      line.append(made);
    }
    if (chosen) {
      const choose = () => {
        for (const other of body.children) other.setAttribute("aria-selected", "false");
        line.setAttribute("aria-selected", "true");
        chosen(row);
      };
      line.setAttribute("role", "row");
      line.setAttribute("aria-selected", "false");
      line.tabIndex = 0;
      line.choose = choose;
      line.addEventListener("click", () => { if (getSelection().isCollapsed) choose(); });
      line.addEventListener("keydown", event => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); }
        const to = {ArrowDown: line.nextElementSibling, ArrowUp: line.previousElementSibling}[event.key];
        if (to) { event.preventDefault(); to.focus(); }
      });
    }
    lines.set(row, line);
    return line;
  };
  const fill = () => body.replaceChildren(...rows.slice(0, limit).map(row => lines.get(row) ?? make(row)));
  for (const {title, value, kind, from} of columns) {
    const cell = element("th", undefined, "from" + (from ?? 1) + (String(kind).startsWith("text") ? " text" : ""));
    cell.scope = "col";
    if (value) {
      const button = element("button", title);
      button.type = "button";
      cell.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const isText = rows.some(row => typeof value(row) === "string");
        const before = cell.getAttribute("aria-sort");
        // Names from the first, numbers from the largest.
        const up = before === "none" ? isText : before === "descending";
        for (const other of head.children) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
        cell.setAttribute("aria-sort", up ? "ascending" : "descending");
        rows.sort((a, b) => {
          const [x, y] = [value(a), value(b)];
          const order = typeof x === "string" ? x.localeCompare(y) : (x ?? -Infinity) - (y ?? -Infinity);
          return up ? order : -order;
        });
        fill();
      });
      cell.append(button);
    } else cell.textContent = title;
    head.append(cell);
  }
  thead.append(head);
  fill();
  all.append(thead, body);
  if (chosen) all.className = "choosable", all.setAttribute("role", "grid");
  box.append(all);
  parent.append(box);
  if (limit < rows.length) {
    const more = element("button", "show all " + count(rows.length), "more");
    more.type = "button";
    more.addEventListener("click", () => { limit = rows.length; fill(); more.remove(); });
    parent.append(more);
  }
  return {element: all, choose: row => lines.get(row)?.choose()};
}
function bar(value, most) {
  const all = element("span", undefined, "bar"), inner = element("i");
  inner.style.width = (most > 0 ? value / most * 100 : 0) + "%";
  all.append(inner);
  return all;
}
// A share of which only the limits are known: full up to the lower one, pale from there to the upper one.
function barBetween([low, high]) {
  const all = bar(low, 1), pale = element("i", undefined, "pale");
  pale.style.width = (high - low) * 100 + "%";
  all.append(pale);
  return all;
}
