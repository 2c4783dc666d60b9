// Colours: one palette for lengths of time and another for numbers of chunks, so that one is never read as the other, and
// one colour for each thing that a thread does beside its chunks. Brightness changes evenly along a palette, and each colour
// differs from each other one for all forms of colour vision: the tests compute it. On a dark page more is brighter.
const palettes = {
  light: {
    length: [[158, 202, 225], [88, 158, 206], [33, 113, 181], [8, 69, 140], [4, 30, 82]],
    number: [[254, 217, 118], [254, 166, 58], [232, 108, 20], [176, 62, 4], [92, 32, 6]],
    states: {late: [228, 232, 236], waiting: [240, 228, 66], barrier: [213, 94, 0], off: [165, 30, 255], lost: [90, 90, 90]},
  },
  dark: {
    length: [[30, 78, 132], [45, 113, 178], [88, 158, 206], [158, 202, 225], [232, 244, 255]],
    number: [[98, 44, 12], [160, 70, 10], [222, 112, 22], [254, 172, 66], [255, 234, 160]],
    states: {late: [42, 47, 54], waiting: [240, 228, 66], barrier: [226, 106, 10], off: [180, 30, 255], lost: [140, 140, 140]},
  },
};
const stateNames = {
  late: "not in the loop", waiting: "in the loop, without a chunk", barrier: "waits at the barrier",
  off: "not on a core", lost: "chunks were lost",
};
const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
const palette = () => palettes[isDark() ? "dark" : "light"];
const rgb = parts => "rgb(" + parts.map(Math.round).join() + ")";
function between(stops, share) {
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1), i = Math.min(Math.floor(at), stops.length - 2);
  return stops[i].map((c, k) => c + (stops[i + 1][k] - c) * (at - i));
}
const colour = (what, share) => rgb(between(palette()[what], share));
const stateColour = what => rgb(palette().states[what]);
