// Brings the page of a sweep to life: what is selected or chosen anywhere is shown everywhere.

const data = JSON.parse(document.getElementById("data").textContent);
const find = (query) => document.querySelector(query);
const cases = new SweepCases(data);
const parallel = new ParallelAxes(find(".parallel"), cases);
const panel = new CasePanel(find(".case"), cases);
const ranking = new CaseRanking(find(".ranking"), cases);
const failures = new FailedCases(find(".failures"), cases);

const FIRST_AXES = 6;
const influence = new Map(data.order.map((place, k) => [place, k]));
const axesByInfluence = [...cases.varied].sort((a, b) => influence.get(a.place) - influence.get(b.place));
const chosenAxes = [...axesByInfluence.slice(0, Math.max(2, FIRST_AXES - cases.measures.length)), ...cases.measures].slice(0, FIRST_AXES);
const matrix = new ScatterMatrix(find(".matrix"), cases, chosenAxes, parallel);
for (const axis of [...cases.varied, ...cases.measures]) {
  const label = find(".chosen").appendChild(document.createElement("label"));
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: chosenAxes.includes(axis) });
  label.append(box, axis.name);
  box.onchange = () => {
    matrix.shown = [...cases.varied, ...cases.measures].filter((x) => (x === axis ? box.checked : matrix.shown.includes(x)));
    matrix.draw();
  };
}

const newFigure = (parent) => parent.appendChild(document.createElement("figure"));
const histograms = [...cases.measures, ...cases.varied].map((axis) => new SweepHistogram(newFigure(find(".histograms")), cases, axis));

// Rank correlations of the selected cases; Sobol indices are those of all.
const ranks = cases.measures.map((measure) => ({ measure, root: newFigure(find(".ranks")) }));
const drawRanks = inFrame(() => {
  if (!find(".ranks").clientWidth) return;
  const numeric = cases.varied.filter((axis) => !axis.names), drawn = cases.selected.filter((i) => cases.independent[i]);
  for (const { measure, root } of ranks) {
    const bars = numeric.map((axis) => {
      const { n, value } = rankCorrelation(axis, measure, drawn);
      return { name: axis.name, value, faint: !(Math.abs(value) * Math.sqrt(n - 1) > data.normal) };
    });
    bars.sort((a, b) => Math.abs(b.value || 0) - Math.abs(a.value || 0));
    barChart(root, labelled(measure), bars, [-1, 1]);
  }
});
for (const { measure, factors } of data.indices) {
  const bars = factors.flatMap(({ name, first, total }) => [
    { name, value: first[0] ?? NaN, low: first[1] ?? NaN, high: first[2] ?? NaN },
    ...(total[0] === null ? [] : [{ name: "total", value: total[0], low: total[1] ?? NaN, high: total[2] ?? NaN, color: LOOK.PALETTE[1] }]),
  ]);
  barChart(newFigure(find(".indices")), measure, bars, [0, 1]);
}
find(".sobol").hidden = !data.indices.length;

let envelope = null;
if (data.trajectories) {
  envelope = new Envelope(find(".envelopes"), cases, data.trajectories);
  const select = find("[name=signal]");
  envelope.signals.forEach((signal, k) => select.add(new Option(signal.name, k)));
  select.onchange = () => { envelope.signal = envelope.signals[select.value]; };
} else find('[data-tab="Trajectories"]').remove();
if (!cases.status.includes(FAILED_CASE)) find('[data-tab="Failed cases"]').remove();
if (!cases.measures.length) for (const tab of ["Influence", "Statistics"]) find(`[data-tab="${tab}"]`).remove();
const tabs = new Tabs(find(".tabs"), [...document.querySelectorAll("[data-tab]")]);

const colors = find("[name=color]");
colors.add(new Option("one colour", ""));
for (const axis of [...cases.measures, ...cases.varied]) colors.add(new Option(axis.name, axis.place));
colors.value = cases.measures[0]?.place ?? "";
const recolor = () => {
  parallel.color = colors.value === "" ? null : cases.axes[colors.value];
  parallel.draw();
  matrix.draw();
};
colors.onchange = recolor;

// What is costly waits until a range is no longer dragged.
const ofChosen = [ranking, failures, matrix, ...(envelope ? [envelope] : [])];
const costly = [...ofChosen, ...histograms, { draw: drawRanks }];
let later;
const changed = (filtered) => {
  panel.draw();
  if (!filtered) {
    parallel.overlay();
    ofChosen.forEach((part) => part.draw());
    return;
  }
  find(".count").textContent = `${cases.selected.length.toLocaleString("en")} of ${cases.count.toLocaleString("en")} cases`;
  find("[name=clear]").disabled = !cases.ranges.size;
  parallel.draw();
  clearTimeout(later);
  later = setTimeout(() => costly.forEach((part) => part.draw()), parallel.drag ? 120 : 0);
};
cases.listeners.push(changed);
tabs.tabs.forEach(({ tab }) => tab.addEventListener("click", () => costly.forEach((part) => part.draw())));
find("[name=clear]").onclick = () => cases.clear();
find("[name=csv]").onclick = () => save(new Blob([cases.csv()], { type: "text/csv" }), fileName(document.title, "csv"));
recolor();
changed(true);
window.report = { cases, parallel, ranking, matrix, histograms, envelope, tabs };
