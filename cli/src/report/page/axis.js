"use strict";
// Where an axis has its labels. Nothing here knows of a canvas: what a label needs is told by the caller.

// Round values from low to high, no further apart than they must be for so many steps.
function rounded(low, high, steps, whole) {
  const raw = (high - low) / steps, power = 10 ** Math.floor(Math.log10(raw));
  let step = power * [1, 2, 5, 10].find(times => times * power >= raw * (1 - 1e-9));
  if (whole) step = Math.max(1, Math.round(step));
  const all = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++) all.push(at * step);
  return all;
}
// 1, 2 and 5 of every power of ten, or each of some powers.
function powers(low, high, of, every) {
  const all = [];
  for (let p = Math.floor(Math.log10(low)) - 1; p <= Math.ceil(Math.log10(high)); p++)
    if (((p % every) + every) % every === 0) for (const m of of) {
      const value = m * 10 ** p;
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) all.push(value);
    }
  return all;
}
// Sets of values, the one with most labels first, then fewer.
function choices(low, high, kind) {
  const all = [];
  if (kind === "log") {
    all.push(powers(low, high, [1, 2, 5], 1), powers(low, high, [1, 3], 1));
    for (const every of [1, 2, 3, 4, 6]) all.push(powers(low, high, [1], every));
    for (let steps = 8; steps > 1; steps--) all.push(rounded(low, high, steps, false));
  } else {
    const whole = kind === "whole";
    for (let steps = 10; steps > 1; steps--) all.push(rounded(low, high, steps, whole));
    if (whole && high - low > 1) all.push([low, Math.round((low + high) / 2), high]);
  }
  return all.sort((a, b) => b.length - a.length);
}
// Labels between low and high: at least three wherever three different ones have room, none over another.
// length: of the axis; before, after: room for labels beyond its ends; size: what a text takes along the axis; most: labels.
function axis({low, high, kind = "linear", length, text, size, gap = 10, before = 0, after = 0, most = 9}) {
  const place = kind === "log"
    ? value => Math.log(value / low) / Math.log(high / low)
    : value => (value - low) / (high - low);
  const laid = values => {
    const all = values.map(value => {
      const label = text(value), half = size(label) / 2, at = place(value) * length;
      const middle = Math.min(Math.max(at, half - before), length + after - half);
      return {value, at, text: label, middle, from: middle - half, to: middle + half};
    });
    const fits = all.every((label, k) => label.from >= -before - 1e-6 && label.to <= length + after + 1e-6 &&
      Math.abs(label.middle - label.at) <= size(label.text) / 2 + 1e-6 &&
      (k === 0 || (label.from >= all[k - 1].to + gap && label.text !== all[k - 1].text)));
    return fits ? all : null;
  };
  if (!(high > low) || (kind === "log" && !(low > 0))) return laid([low]) ?? [];
  const sets = choices(low, high, kind).filter(values => values.length > 2);
  for (const values of sets) {
    const found = values.length <= most ? laid(values) : null;
    if (found) return found;
  }
  // Round values lie closer and closer on a logarithmic axis: some of them have room.
  if (kind === "log") for (const values of sets) {
    let some = [];
    for (const value of values) if (some.length < most && laid([...some, value])) some.push(value);
    if (some.length > 2) return laid(some);
  }
  const middle = kind === "log" ? Math.sqrt(low * high) : (low + high) / 2;
  return (kind === "whole" ? null : laid([low, middle, high])) ?? laid([low, high]) ?? laid([low]) ?? [];
}
