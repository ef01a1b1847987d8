// Envelopes of trajectories: at each time quantiles of the selected cases as bands, and the case that is chosen.

const BANDS = [[0, 1, "1c"], [0.05, 0.95, "30"], [0.25, 0.75, "48"]];
const LEVELS = [[0.5, "50 %", true], [0.05, "5 %", true], [0.95, "95 %", true], [0.25, "25 %"], [0.75, "75 %"], [0, "min"], [1, "max"]]
  .map(([p, name, on = false]) => [p, name, on]);

class Envelope {
  constructor(root, cases, data) {
    Object.assign(this, { root, cases, times: unpack(data.time, Float64Array) });
    this.signals = data.signals;
    this.rows = new Map(Array.from(unpack(data.cases, Uint32Array), (place, row) => [place, row]));
    this.draw = inFrame(() => this.#paint());
    this.signal = this.signals[0];
  }

  set signal(signal) {
    this.shown = signal;
    const stored = unpack(signal.values, Uint16Array), { low, high } = signal;
    // The largest number stands for none.
    this.values = Float32Array.from(stored, (x) => (x === 65535 ? NaN : low + (x / 65534) * (high - low)));
    this.plot = null;
    this.root.replaceChildren();
    this.draw();
  }

  // Trajectory of a case, null if the page does not hold it.
  trajectory(i) {
    const row = this.rows.get(i), n = this.times.length;
    return row === undefined ? null : this.values.subarray(row * n, (row + 1) * n);
  }

  // Numbers over time at these shares of the selected cases.
  quantiles(shares) {
    const n = this.times.length, rows = this.cases.selected.map((i) => this.rows.get(i)).filter((row) => row !== undefined);
    const out = shares.map(() => new Float32Array(n).fill(NaN)), column = new Float32Array(rows.length);
    for (let k = 0; k < n; k++) {
      let count = 0;
      for (const row of rows) {
        const x = this.values[row * n + k];
        if (!Number.isNaN(x)) column[count++] = x;
      }
      const ranked = column.subarray(0, count).sort();
      if (count) shares.forEach((p, j) => { out[j][k] = quantileOf(ranked, p); });
    }
    return out;
  }

  #paint() {
    if (!this.root.clientWidth) return;
    const { cases, shown } = this, shares = LEVELS.map(([p]) => p);
    const found = new Map(this.quantiles(shares).map((values, j) => [shares[j], values]));
    const none = new Float32Array(this.times.length).fill(NaN);
    const own = (cases.chosen === null ? null : this.trajectory(cases.chosen)) ?? none;
    const color = inksOf(this.root).accent;
    const bands = BANDS.map(([a, b, strength]) => ({ low: found.get(a), high: found.get(b), color: color + strength }));
    const values = [own, ...shares.map((p) => found.get(p))];
    if (!this.plot) {
      this.plot = addPlot(this.root, {
        title: shown.name,
        x: { name: "time", unit: "s", values: this.times },
        y: { name: shown.name.split(".").at(-1), unit: shown.unit },
        note: "Bands: all selected cases, 90 % and 50 % of them.",
        bands,
        curves: [{ name: "chosen case", values: own, shown: true }, ...LEVELS.map(([p, name, on]) => ({ name, values: found.get(p), shown: on }))],
      }, EnvelopePlot);
      return;
    }
    this.plot.data.bands = bands;
    this.plot.curves.forEach((curve, k) => { curve.values = values[k]; });
    this.plot.fit();
  }
}

class EnvelopePlot extends Plot {
  constructor(root, data) { super(root, data, [CHOSEN, ...LOOK.PALETTE]); }
}
