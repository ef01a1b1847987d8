// Parallel coordinates: a line for each case, ranges dragged on the axes, the nearest line picked.

const MOST_MOVING = 800; // lines while a range is dragged
const WIDE_ENOUGH = 96; // px between axes
const STROKE = 60; // lines at a time: those of one stroke do not add up where they cross

class ParallelAxes {
  constructor(root, cases) {
    Object.assign(this, { root, cases, color: null, inks: inksOf(root) });
    [this.sheet, this.over] = root.querySelectorAll("canvas");
    root.style.minWidth = `${WIDE_ENOUGH * cases.axes.length}px`;
    this.draw = inFrame(() => this.#paint());
    redrawn(this.sheet, this.draw);
    this.#mouse();
  }

  #place(w, h) {
    const { axes } = this.cases, n = axes.length, side = Math.min(70, w / (2 * n));
    this.box = { top: 60, bottom: h - 24 };
    this.px = axes.map((_, i) => (n > 1 ? side + (i / (n - 1)) * (w - 2 * side) : w / 2));
    this.gap = n > 1 ? (w - 2 * side) / (n - 1) : w;
    this.py = (axis, value) => this.box.bottom - this.cases.share(axis, value) * (this.box.bottom - this.box.top);
  }

  // Lines of these cases in one stroke. A case without numbers of measures ends before them.
  #lines(pen, list) {
    const { axes } = this.cases;
    pen.beginPath();
    for (const i of list) {
      let begun = false;
      for (let k = 0; k < axes.length; k++) {
        const value = axes[k].values[i];
        if (!Number.isFinite(value)) { begun = false; continue; }
        if (begun) pen.lineTo(this.px[k], this.py(axes[k], value)); else pen.moveTo(this.px[k], this.py(axes[k], value));
        begun = true;
      }
    }
    pen.stroke();
  }

  #paint() {
    const found = penOf(this.sheet);
    if (!found) return;
    const { pen, w, h } = found, { cases } = this, inks = (this.inks = inksOf(this.root));
    this.#place(w, h);
    const thin = (list) => {
      const every = this.drag ? Math.max(1, Math.ceil(list.length / MOST_MOVING)) : 1;
      return every > 1 ? list.filter((_, i) => i % every === 0) : list;
    };
    pen.lineJoin = "round";
    pen.lineWidth = 1;
    if (cases.selected.length < cases.count) pen.drawImage(this.#backdrop(w, h), 0, 0, w, h);
    pen.globalAlpha = Math.min(0.75, Math.max(0.12, 120 / Math.sqrt(cases.selected.length) / 14));
    for (const [color, list] of this.byColor(thin(cases.selected))) {
      pen.strokeStyle = color;
      for (let k = 0; k < list.length; k += STROKE) this.#lines(pen, list.slice(k, k + STROKE));
    }
    pen.globalAlpha = 1;
    this.#axes(pen, inks);
    this.overlay();
  }

  // All cases in grey, drawn once for a size and colours of the page.
  #backdrop(w, h) {
    const key = `${w} ${h} ${devicePixelRatio} ${this.inks.soft}`;
    if (this.behind?.key === key) return this.behind.canvas;
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [this.sheet.width, this.sheet.height];
    const pen = canvas.getContext("2d");
    pen.scale(canvas.width / w, canvas.height / h);
    pen.strokeStyle = this.inks.soft;
    pen.globalAlpha = Math.min(0.16, Math.max(0.04, 40 / this.cases.count));
    const every = Math.max(1, Math.ceil(this.cases.count / 3000));
    const list = [...this.cases.on.keys()].filter((i) => i % every === 0);
    for (let k = 0; k < list.length; k += STROKE) this.#lines(pen, list.slice(k, k + STROKE));
    this.behind = { key, canvas };
    return canvas;
  }

  // Cases by their colours; failed ones are last, above the others.
  byColor(list) {
    const groups = new Map();
    for (const i of list) {
      const color = this.colorOf(i);
      if (!groups.has(color)) groups.set(color, []);
      groups.get(color).push(i);
    }
    return [...groups].sort(([a], [b]) => (a === FAILURE) - (b === FAILURE));
  }

  colorOf(i) {
    if (this.cases.failed(i)) return FAILURE;
    const { color } = this, value = color?.values[i];
    return color && Number.isFinite(value) ? rampOf(this.cases.share(color, value)) : this.inks.accent;
  }

  #axes(pen, inks) {
    const { cases, box } = this;
    const ends = (axis, value) => (axis.names ? cases.reads(axis, value) : digits(value, 4));
    pen.textAlign = "center";
    cases.axes.forEach((axis, k) => {
      const x = this.px[k];
      pen.fillStyle = axis.measure ? inks.ink : inks.soft;
      pen.font = font(12, axis.measure ? 600 : "");
      const lines = wrapped(pen, labelled(axis), this.gap - 6);
      lines.forEach((line, j) => pen.fillText(line, x, 31 - 14 * (lines.length - 1 - j)));
      pen.font = font(11);
      pen.fillStyle = inks.soft;
      pen.fillText(fitted(pen, ends(axis, axis.high), this.gap - 8), x, box.top - 9);
      pen.fillText(fitted(pen, ends(axis, axis.low), this.gap - 8), x, box.bottom + 17);
      if (axis === this.color) {
        const tall = (box.bottom - box.top) / RAMP.length;
        RAMP.forEach((color, j) => { pen.fillStyle = color; pen.fillRect(x - 3, box.bottom - (j + 1) * tall, 6, tall + 0.5); });
      }
      pen.fillStyle = inks.ink;
      pen.fillRect(x - 0.75, box.top, 1.5, box.bottom - box.top);
      const range = cases.ranges.get(axis.place);
      if (!range) return;
      const [y1, y0] = range.map((value) => this.py(axis, value));
      pen.fillStyle = `${inks.accent}55`;
      pen.fillRect(x - 8, y0, 16, y1 - y0);
      pen.strokeStyle = inks.accent;
      pen.lineWidth = 1.5;
      pen.strokeRect(x - 8, y0, 16, y1 - y0);
    });
  }

  // The case that is chosen, above all lines, with its numbers.
  overlay() {
    const found = penOf(this.over), { cases } = this, i = cases.chosen;
    if (!found || i === null || !this.px) return;
    const { pen } = found;
    pen.lineJoin = "round";
    for (const [color, width] of [[this.inks.paper, 6], [CHOSEN, 2.6]]) {
      pen.strokeStyle = color;
      pen.lineWidth = width;
      this.#lines(pen, [i]);
    }
    pen.font = font(11.5, 600);
    pen.lineWidth = 4;
    pen.strokeStyle = this.inks.card;
    cases.axes.forEach((axis, k) => {
      const value = axis.values[i];
      if (!Number.isFinite(value)) return;
      const text = cases.reads(axis, value), wide = pen.measureText(text).width;
      const x = this.px[k] + 7 + wide > this.over.clientWidth ? this.px[k] - 7 - wide : this.px[k] + 7;
      const y = Math.max(this.box.top + 10, this.py(axis, value) - 5);
      pen.strokeText(text, x, y);
      pen.fillStyle = this.inks.ink;
      pen.fillText(text, x, y);
    });
  }

  // The case whose line passes nearest to a point, among the selected; null if none is near.
  nearestTo(x, y) {
    const { cases, px } = this, { axes } = cases;
    const k = Math.max(0, px.findLastIndex((at) => at <= x));
    if (axes.length < 2) return null;
    const a = Math.min(k, axes.length - 2), part = (x - px[a]) / (px[a + 1] - px[a]);
    let best = 12, found = null;
    for (const i of cases.selected) {
      const [u, v] = [axes[a].values[i], axes[a + 1].values[i]];
      const far = Math.abs((1 - part) * this.py(axes[a], u) + part * this.py(axes[a + 1], v) - y);
      if (far < best) { best = far; found = i; }
    }
    return found;
  }

  #mouse() {
    const { over, cases } = this;
    const place = (event) => {
      const frame = over.getBoundingClientRect();
      return [event.clientX - frame.left, event.clientY - frame.top];
    };
    const axisAt = (x) => {
      const k = this.px.reduce((best, at, j) => (Math.abs(at - x) < Math.abs(this.px[best] - x) ? j : best), 0);
      return Math.abs(this.px[k] - x) < Math.min(22, 0.3 * this.gap) ? cases.axes[k] : null;
    };
    const valueAt = (axis, y) => {
      const share = (this.box.bottom - y) / (this.box.bottom - this.box.top);
      return axis.low + Math.min(1, Math.max(0, share)) * (axis.high - axis.low);
    };
    over.onpointerdown = (event) => {
      if (!this.px) return;
      const [x, y] = place(event), axis = axisAt(x);
      this.drag = { axis, x, y, moved: false };
      if (axis) over.setPointerCapture(event.pointerId);
    };
    over.onpointermove = (event) => {
      if (!this.px) return;
      const [x, y] = place(event), { drag } = this;
      over.style.cursor = axisAt(x) ? "row-resize" : "pointer";
      if (!drag?.axis || (!drag.moved && Math.abs(y - drag.y) < 4)) return;
      drag.moved = true;
      const ends = [valueAt(drag.axis, drag.y), valueAt(drag.axis, y)].sort((a, b) => a - b);
      cases.keep(drag.axis, ends);
    };
    over.onpointerup = (event) => {
      const { drag } = this;
      this.drag = null;
      if (!drag) return;
      const [x, y] = place(event);
      if (drag.moved) this.onend?.();
      else if (drag.axis) cases.keep(drag.axis, null);
      else if (Math.hypot(x - drag.x, y - drag.y) < 5) cases.choose(this.nearestTo(x, y));
      this.draw();
    };
    over.onpointercancel = () => { this.drag = null; this.draw(); };
    over.onkeydown = (event) => { if (event.key === "Escape") cases.clear(); };
  }
}
