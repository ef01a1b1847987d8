// The cases of a sweep: their numbers by axis, which are selected by ranges on the axes, and the one that is chosen.

const FAILED_CASE = 2;

class SweepCases {
  constructor(data) {
    this.numbers = unpack(data.cases, Uint32Array);
    this.status = unpack(data.status, Uint8Array);
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
    return { ...rest, place, values: numbers, low: low - room, high: high + room };
  }

  // Share of the way from the lowest to the highest of an axis.
  share(axis, value) { return (value - axis.low) / (axis.high - axis.low); }

  // What a number of an axis reads: a number, or its name.
  reads(axis, value) {
    if (!Number.isFinite(value)) return "\u2013";
    return axis.names ? axis.names[Math.round(value)] ?? "" : String(Number(value.toPrecision(6)));
  }

  keep(axis, range) {
    if (range) this.ranges.set(axis.place, range); else this.ranges.delete(axis.place);
    this.#filter();
    this.#tell();
  }

  clear() {
    this.ranges.clear();
    this.#filter();
    this.#tell();
  }

  choose(place) {
    this.chosen = place;
    this.#tell();
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

  #tell() { this.listeners.forEach((listener) => listener()); }

  // Numbers of an axis in selected cases, those that are numbers, rising.
  sorted(axis) {
    return Float64Array.from(this.selected, (i) => axis.values[i]).filter(Number.isFinite).sort();
  }

  csv() {
    const cell = (text) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
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

// Ranks of numbers, equal ones with their mean.
const ranksOf = (values) => {
  const order = [...values.keys()].sort((a, b) => values[a] - values[b]), ranks = new Float64Array(values.length);
  for (let i = 0, j; i < order.length; i = j) {
    for (j = i + 1; j < order.length && values[order[j]] === values[order[i]]; ) j++;
    for (let k = i; k < j; k++) ranks[order[k]] = (i + j - 1) / 2;
  }
  return ranks;
};

// Spearman's rank correlation of two axes over some cases, and how many have both numbers.
const rankCorrelation = (a, b, cases) => {
  const both = cases.filter((i) => Number.isFinite(a.values[i]) && Number.isFinite(b.values[i])), n = both.length;
  const [x, y] = [a, b].map(({ values }) => ranksOf(both.map((i) => values[i])));
  let [xy, xx, yy] = [0, 0, 0];
  for (let k = 0; k < n; k++) {
    const [dx, dy] = [x[k] - (n - 1) / 2, y[k] - (n - 1) / 2];
    xy += dx * dy; xx += dx * dx; yy += dy * dy;
  }
  return { n, value: n > 3 && xx && yy ? xy / Math.sqrt(xx * yy) : NaN };
};
