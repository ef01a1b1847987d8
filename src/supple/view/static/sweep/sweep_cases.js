// The cases of a sweep: their numbers by axis, which are selected by ranges on the axes, and the one that is chosen.

const FAILED_CASE = 2;

class SweepCases {
  constructor(data) {
    this.numbers = unpack(data.cases, Uint32Array);
    this.status = unpack(data.status, Uint8Array);
    this.independent = unpack(data.independent, Uint8Array);
    this.count = this.numbers.length;
    this.axes = data.axes.map((axis, place) => this.#axis(axis, place));
    this.measures = this.axes.filter((axis) => axis.measure);
    this.varied = this.axes.filter((axis) => !axis.measure);
    this.messages = new Map(data.messages);
    this.command = data.command;
    this.chosen = null;
    this.listeners = [];
    this.at = new Map(Array.from(this.numbers, (number, i) => [number, i]));
    this.ranges = new Map();
    this.#filter();
  }

  #axis({ values, ...rest }, place) {
    const numbers = unpack(values, Float64Array);
    let low = Infinity, high = -Infinity;
    for (const x of numbers) {
      if (x < low) low = x;
      if (x > high) high = x;
    }
    if (low > high) [low, high] = [0, 1];
    const room = high > low ? 0 : 0.5 * Math.abs(high) || 0.5;
    const order = Uint32Array.from([...numbers.keys()].filter((i) => Number.isFinite(numbers[i])));
    order.sort((a, b) => numbers[a] - numbers[b]);
    return { ...rest, place, values: numbers, order, low: low - room, high: high + room };
  }

  // Share of the way from the lowest to the highest of an axis.
  share(axis, value) { return (value - axis.low) / (axis.high - axis.low); }

  // What a number of an axis reads: a number, or its name.
  reads(axis, value) {
    if (!Number.isFinite(value)) return "\u2013";
    return axis.names ? axis.names[Math.round(value)] ?? "" : digits(value, 6);
  }

  keep(axis, range) {
    if (range) this.ranges.set(axis.place, range); else this.ranges.delete(axis.place);
    this.#filter();
    this.#tell(true);
  }

  clear() {
    this.ranges.clear();
    this.#filter();
    this.#tell(true);
  }

  choose(place) {
    this.chosen = place;
    this.#tell(false);
  }

  failed(i) { return this.status[i] === FAILED_CASE; }

  #filter() {
    const on = new Uint8Array(this.count).fill(1);
    for (const [place, [low, high]] of this.ranges) {
      const { values } = this.axes[place];
      for (let i = 0; i < on.length; i++) if (!(values[i] >= low && values[i] <= high)) on[i] = 0;
    }
    this.on = on;
    this.selected = [...on.keys()].filter((i) => on[i]);
  }

  // Those who listen know whether other cases are selected, or only another one is chosen.
  #tell(filtered) { this.listeners.forEach((listener) => listener(filtered)); }

  // Numbers of an axis in selected cases, those that are numbers, rising.
  sorted(axis) {
    return Float64Array.from(axis.order.filter((i) => this.on[i]), (i) => axis.values[i]);
  }

  csv() {
    const head = ["case", ...this.axes.map(labelled)].map(cell).join(",");
    const value = (axis, x) => (axis.names ? cell(axis.names[x] ?? "") : Number.isFinite(x) ? String(x) : "");
    return `${[head, ...this.selected.map((i) => [this.numbers[i], ...this.axes.map((axis) => value(axis, axis.values[i]))].join(","))].join("\n")}\n`;
  }
}

// A quantile of rising numbers, between the two nearest (Hazen's positions).
const quantileOf = (ranked, p) => {
  const x = Math.min(ranked.length - 1, Math.max(0, p * ranked.length - 0.5)), i = Math.floor(x);
  return ranked[i] + (x - i) * ((ranked[i + 1] ?? ranked[i]) - ranked[i]);
};

// Ranks of the cases of a mask along an axis, equal numbers with their mean, less the mean of all ranks.
const ranksOf = ({ order, values }, mask, n) => {
  const kept = order.filter((i) => mask[i]), ranks = new Float64Array(values.length);
  for (let i = 0, j; i < n; i = j) {
    for (j = i + 1; j < n && values[kept[j]] === values[kept[i]]; ) j++;
    for (let k = i; k < j; k++) ranks[kept[k]] = (i + j - n) / 2;
  }
  return ranks;
};

// Spearman's rank correlation of two axes over some cases, and how many have both numbers.
const rankCorrelation = (a, b, cases) => {
  const both = cases.filter((i) => Number.isFinite(a.values[i]) && Number.isFinite(b.values[i])), n = both.length;
  const mask = new Uint8Array(a.values.length);
  for (const i of both) mask[i] = 1;
  const [x, y] = [a, b].map((axis) => ranksOf(axis, mask, n));
  let [xy, xx, yy] = [0, 0, 0];
  for (const i of both) {
    xy += x[i] * y[i]; xx += x[i] * x[i]; yy += y[i] * y[i];
  }
  return { n, value: n > 3 && xx && yy ? xy / Math.sqrt(xx * yy) : NaN };
};
