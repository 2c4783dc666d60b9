// The first things on the page. Their words are the command's, so that the text says the same.

// Where a loop is on the page; links to it may be kept.
const anchor = loop => "loop-" + loop.number;

// A loop, with what it costs in front and what is said of it below; a click shows the loop.
function aboutLoop(loop, label, what, numbers, choose) {
  const all = element("a", undefined, "todo"), words = element("span", undefined, "words"), where = element("span", undefined, "where");
  all.href = "#" + anchor(loop);
  where.append(named(loop.name));
  if (loop.function) where.append(named("in " + loop.function));
  if (label.schedule !== "-") where.append(element("span", label.schedule, "quiet"));
  words.append(where, element("span", "→ " + what));
  all.append(numbers, words, element("span", "›", "go"));
  all.addEventListener("click", () => choose(loop));
  return all;
}
// What differs between processes; nothing of one process.
function differences(to, between, loops, labels, choose) {
  if (!between) return;
  to.append(element("h2", "What differs between " + between.what));
  const most = Math.max(0, ...between.loops.map(one => one.seconds));
  for (const one of between.loops) {
    const loop = loops[one.at], numbers = element("span", undefined, "numbers");
    numbers.append(element("b", time(one.seconds)), element("span", "longer on the slowest than on average" +
      (one.share === null ? "" : ", " + percent(one.share) + " of the run")), bar(one.seconds, most));
    to.append(aboutLoop(loop, labels.get(loop), one.text, numbers, choose));
  }
  if (between.rest) to.append(element("p", between.rest, "quiet sentence"));
}
// What the run loses that is no loop's.
function besideLoops(cause, most) {
  const all = element("div", undefined, "todo"), words = element("span", undefined, "words"), numbers = element("span", undefined, "numbers");
  numbers.append(element("b", time(cause.seconds)), element("span", "lost" + (cause.share === null ? "" : ", " + percent(cause.share) + " of the run")),
    bar(cause.seconds, most));
  words.append(element("span", cause.name, "where"), element("span", "→ " + cause.text));
  all.append(numbers, words);
  return all;
}
// What to do.
function first(to, verdict, loops, labels, choose) {
  if (verdict.nothing) to.append(element("p", verdict.nothing, "nothing sentence"));
  if (verdict.first) to.append(element("p", verdict.first.text, "sentence"));
  const most = Math.max(0, ...verdict.loops.concat(verdict.causes).map(one => one.seconds ?? 0));
  // Both have the largest first.
  const causes = verdict.causes.slice();
  for (const advice of verdict.loops) {
    while (causes.length > 0 && causes[0].seconds >= advice.weight) to.append(besideLoops(causes.shift(), most));
    const loop = loops[advice.at], numbers = element("span", undefined, "numbers");
    numbers.append(element("b", advice.seconds === null ? "?" : lossText(labels.get(loop))), element("span", advice.share === null
      ? advice.seconds === null ? "what it loses is not known" : "lost"
      : "lost, " + percent(advice.share) + " of the run" + (advice.least ? " or more" : "")));
    if (advice.seconds !== null) numbers.append(bar(advice.seconds, most));
    to.append(aboutLoop(loop, labels.get(loop), advice.text, numbers, choose));
  }
  for (const cause of causes) to.append(besideLoops(cause, most));
  if (verdict.rest) to.append(element("p", verdict.rest, "quiet sentence"));
  if (verdict.profile) {
    to.append(element("p", verdict.profile.why, "sentence"));
    const commands = element("pre", verdict.profile.commands.join("\n"), "commands");
    commands.tabIndex = 0;
    to.append(commands);
  }
}

// Where a loop's time goes, of its average thread: it adds up to the loop's time.
function whereItGoes(parent, loop, processes) {
  const worked = loop.seconds * loop.parallel_efficiency, rest = Math.max(loop.seconds - worked - loop.imbalance_seconds, 0);
  const off = loop.off_core, threads = (loop.team_size ? loop.team_size[1] : 1) * processes;
  // Of what threads had no core for, what is no imbalance.
  const taken = off ? Math.min(Math.max(off.preempted_seconds - off.beside_seconds + off.either_seconds, 0) / threads, rest) : 0;
  const all = [["work", worked], ["imbalance", loop.imbalance_seconds], ["not on a core", taken], [loop.mutex_seconds === null ? "late, or between chunks" : "late, between chunks, or waiting for locks", rest - taken]];
  const strip = element("div", undefined, "strip"), key = element("p", undefined, "key");
  strip.setAttribute("role", "img");
  strip.setAttribute("aria-label", all.map(([name, seconds]) => name + " " + time(seconds)).join(", "));
  all.forEach(([name, seconds], at) => {
    const share = loop.seconds > 0 ? seconds / loop.seconds : 0, piece = element("i", undefined, "part" + at);
    piece.style.width = share * 100 + "%";
    strip.append(piece);
    if (share < 0.0005) return;
    const one = element("span", undefined, "swatch");
    one.append(element("i", undefined, "part" + at), name + " " + time(seconds) + " (" + percent(share) + ")");
    key.append(one);
  });
  parent.append(strip, key);
}
