// Histograms of numbers, and bars of correlations and indices.

const CLASSES = 40;

// All cases in grey, those selected in colour, with quantiles of these.
class SweepHistogram {
  constructor(root, cases, axis) {
    Object.assign(this, { root, cases, axis });
    root.className = "plot";
    root.innerHTML = '<h3></h3><div class="sheet low"><canvas role="img"></canvas></div><p class="note"></p>';
    root.querySelector("h3").textContent = labelled(axis);
    this.canvas = root.querySelector("canvas");
    this.canvas.setAttribute("aria-label", `Histogram of ${axis.name}`);
    this.draw = inFrame(() => this.#paint());
    redrawn(this.canvas, this.draw);
  }

  // How many cases fall in each class.
  counts(list) {
    const { axis, cases } = this, size = axis.names ? axis.names.length : CLASSES, out = new Uint32Array(size);
    for (const i of list) {
      const value = axis.values[i];
      if (Number.isFinite(value)) out[axis.names ? value : Math.min(size - 1, Math.floor(size * cases.share(axis, value)))]++;
    }
    return out;
  }

  #paint() {
    const found = penOf(this.canvas);
    if (!found) return;
    const { pen, w, h } = found, { cases, axis } = this, inks = inksOf(this.root);
    const box = { left: 10, right: w - 10, top: 20, bottom: h - 22 }, wide = box.right - box.left;
    const all = this.counts(cases.on.keys()), some = this.counts(cases.selected), most = Math.max(1, ...all);
    const bars = (counts, color) => {
      pen.fillStyle = color;
      counts.forEach((count, k) => {
        const tall = ((box.bottom - box.top) * count) / most;
        pen.fillRect(box.left + (k * wide) / counts.length + 0.5, box.bottom - tall, wide / counts.length - 1, tall);
      });
    };
    bars(all, `${inks.soft}44`);
    bars(some, inks.accent);
    pen.fillStyle = inks.soft;
    pen.textAlign = "center";
    if (axis.names) axis.names.forEach((name, k) => {
      const x = box.left + ((k + 0.5) * wide) / axis.names.length;
      pen.fillText(fitted(pen, name, wide / axis.names.length - 4), x, box.bottom + 16);
    });
    else {
      const { values, step } = ticks(axis.low, axis.high, Math.max(3, wide / 80));
      for (const x of values) {
        const text = written(x, step), half = pen.measureText(text).width / 2, at = box.left + wide * cases.share(axis, x);
        pen.fillText(text, Math.min(w - half - 2, Math.max(half + 2, at)), box.bottom + 16);
      }
    }
    const ranked = cases.sorted(axis), note = this.root.querySelector(".note");
    if (axis.names || !ranked.length) { note.textContent = `${ranked.length.toLocaleString("en")} cases`; return; }
    pen.textAlign = "center";
    const marks = [[0.05, "5 %"], [0.5, "50 %"], [0.95, "95 %"]].map(([p, label]) => [quantileOf(ranked, p), label]);
    let free = -Infinity;
    for (const [value, label] of marks) {
      const x = box.left + wide * cases.share(axis, value);
      pen.fillStyle = inks.ink;
      pen.fillRect(x - 0.75, box.top, 1.5, box.bottom - box.top);
      const half = pen.measureText(label).width / 2, at = Math.min(w - half - 2, Math.max(half + 2, x));
      if (at - half > free) { pen.fillText(label, at, box.top - 6); free = at + half + 4; }
    }
    const mean = ranked.reduce((a, b) => a + b, 0) / ranked.length;
    const spread = Math.sqrt(ranked.reduce((a, b) => a + (b - mean) ** 2, 0) / (ranked.length - 1 || 1));
    const said = [["mean", mean], ["std", spread], ...marks.map(([x, label]) => [label, x]), ["max", ranked.at(-1)]];
    note.textContent = `${ranked.length.toLocaleString("en")} cases; ` +
      said.map(([word, x]) => `${word} ${digits(x, 4)}`).join(", ");
    this.quantiles = marks.map(([value]) => value);
  }
}

// Two decimals; what rounds to zero has no sign.
const signed = (x) => (Math.abs(x) < 0.005 ? "0.00" : x.toFixed(2).replace("-", "\u2212"));

// Horizontal bars with their names, from low to high: {name, value, low, high, faint}.
const barChart = (root, title, bars, [from, to]) => {
  const share = (x) => `${(100 * (Math.min(to, Math.max(from, x)) - from)) / (to - from)}%`;
  const put = (parent, tag, kind, text = "") => {
    const element = parent.appendChild(document.createElement(tag));
    element.className = kind;
    element.textContent = text;
    return element;
  };
  root.className = "plot bars";
  root.replaceChildren();
  put(root, "h3", "", title);
  for (const { name, value, low, high, faint, color } of bars) {
    const row = put(root, "div", faint ? "bar faint" : "bar");
    put(row, "span", "name", name).title = name;
    const track = put(row, "span", "track"), [a, b] = [Math.min(0, value), Math.max(0, value)];
    const fill = put(track, "span", "fill");
    fill.style.left = share(a);
    fill.style.right = `calc(100% - ${share(b)})`;
    if (color) fill.style.background = color;
    if (Number.isFinite(low) && Number.isFinite(high)) {
      const whisker = put(track, "span", "whisker");
      whisker.style.left = share(low);
      whisker.style.right = `calc(100% - ${share(high)})`;
    }
    put(track, "span", "zero").style.left = share(0);
    put(row, "output", "", Number.isFinite(value) ? signed(value) : "\u2013");
  }
};
