// What to do: the first thing on the page. Its words are the command's, so that the text says the same.
function first(to, verdict, loops, labels, choose) {
  if (verdict.nothing) to.append(element("p", verdict.nothing, "nothing sentence"));
  const most = Math.max(0, ...verdict.loops.map(it => it.seconds ?? 0));
  for (const advice of verdict.loops) {
    const it = loops[advice.at], all = element("a", undefined, "todo"), numbers = element("span", undefined, "numbers");
    const words = element("span", undefined, "words");
    all.href = "#loop";
    numbers.append(element("b", advice.seconds === null ? "?" : lossText(labels.get(it))), element("span", advice.share === null
      ? advice.seconds === null ? "what it loses is not known" : "lost"
      : "lost, " + percent(advice.share) + " of the run" + (advice.least ? " or more" : "")));
    if (advice.seconds !== null) numbers.append(bar(advice.seconds, most));
    const where = element("span", undefined, "where");
    where.append(named(it.name + (it.function ? " in " + it.function : "")));
    if (labels.get(it).schedule !== "-") where.append(element("span", labels.get(it).schedule, "quiet"));
    words.append(where, element("span", "→ " + advice.text));
    all.append(numbers, words, element("span", "›", "go"));
    all.addEventListener("click", () => choose(it));
    to.append(all);
  }
  if (verdict.rest) to.append(element("p", verdict.rest, "quiet sentence"));
  if (verdict.profile) {
    to.append(element("p", verdict.profile.why, "sentence"));
    const commands = element("pre", verdict.profile.commands.join("\n"), "commands");
    commands.tabIndex = 0;
    to.append(commands);
  }
}

// Where a loop's time goes, of its average thread: it adds up to the loop's time.
function whereItGoes(parent, it) {
  const worked = it.seconds * it.parallel_efficiency, rest = Math.max(it.seconds - worked - it.imbalance_seconds, 0);
  const all = [["work", worked], ["imbalance", it.imbalance_seconds], ["late, or between chunks", rest]];
  const strip = element("div", undefined, "strip"), key = element("p", undefined, "key");
  strip.setAttribute("role", "img");
  strip.setAttribute("aria-label", all.map(([name, seconds]) => name + " " + time(seconds)).join(", "));
  all.forEach(([name, seconds], at) => {
    const share = it.seconds > 0 ? seconds / it.seconds : 0, piece = element("i", undefined, "part" + at);
    piece.style.width = share * 100 + "%";
    strip.append(piece);
    if (share < 0.0005) return;
    const one = element("span", undefined, "swatch");
    one.append(element("i", undefined, "part" + at), name + " " + time(seconds) + " (" + percent(share) + ")");
    key.append(one);
  });
  parent.append(strip, key);
}
