// A scatter matrix of some axes: points below the diagonal, histograms on it, rank correlations above.

class ScatterMatrix {
  constructor(root, cases, shown, parallel) {
    Object.assign(this, { root, cases, shown, parallel });
    this.canvas = root.querySelector("canvas");
    this.draw = inFrame(() => this.#paint());
    redrawn(this.canvas, this.draw);
    this.canvas.onclick = (event) => {
      const found = this.nearestTo(event.offsetX, event.offsetY);
      if (found !== null) cases.choose(found);
    };
  }

  // Corner and size of the cell of a row and column.
  #cell(row, column) {
    const n = this.shown.length, { clientWidth: w } = this.canvas, left = 8, size = (w - left - 2) / n;
    return { x: left + column * size + 3, y: 4 + row * size + 3, size: size - 6 };
  }

  #at(axis, cell, value) { return cell.x + 4 + (cell.size - 8) * this.cases.share(axis, value); }

  #up(axis, cell, value) { return cell.y + cell.size - 4 - (cell.size - 8) * this.cases.share(axis, value); }

  #paint() {
    const n = this.shown.length;
    this.root.style.height = `${Math.max(1, this.canvas.clientWidth)}px`;
    const found = penOf(this.canvas);
    if (!found) return;
    const { pen } = found, { cases } = this, inks = inksOf(this.root);
    const others = [];
    for (let i = 0; i < cases.count; i++) if (!cases.on[i]) others.push(i);
    this.groups = this.parallel.byColor(cases.selected);
    const dot = cases.count > 3000 ? 1.6 : 2.4;
    for (let row = 0; row < n; row++)
      for (let column = 0; column < n; column++) {
        const cell = this.#cell(row, column), a = this.shown[column], b = this.shown[row];
        pen.strokeStyle = inks.line;
        pen.lineWidth = 1;
        pen.strokeRect(cell.x, cell.y, cell.size, cell.size);
        if (row === column) this.#diagonal(pen, inks, cell, a);
        else if (row > column) this.#points(pen, inks, cell, a, b, others, dot);
        else this.#rank(pen, inks, cell, a, b);
      }
  }

  #points(pen, inks, cell, a, b, others, dot) {
    const put = (i) => {
      const [u, v] = [a.values[i], b.values[i]];
      if (Number.isFinite(u) && Number.isFinite(v))
        pen.fillRect(this.#at(a, cell, u) - dot / 2, this.#up(b, cell, v) - dot / 2, dot, dot);
    };
    pen.fillStyle = `${inks.soft}33`;
    others.forEach(put);
    pen.globalAlpha = Math.min(0.8, Math.max(0.25, 300 / this.cases.selected.length));
    for (const [color, list] of this.groups) {
      pen.fillStyle = color;
      list.forEach(put);
    }
    pen.globalAlpha = 1;
    const i = this.cases.chosen;
    if (i === null || !Number.isFinite(a.values[i]) || !Number.isFinite(b.values[i])) return;
    pen.fillStyle = CHOSEN;
    pen.strokeStyle = inks.paper;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.arc(this.#at(a, cell, a.values[i]), this.#up(b, cell, b.values[i]), 4.5, 0, 7);
    pen.fill();
    pen.stroke();
  }

  #diagonal(pen, inks, cell, axis) {
    const size = 20, counts = new Uint32Array(size);
    for (const i of this.cases.selected) {
      const share = this.cases.share(axis, axis.values[i]);
      if (Number.isFinite(share)) counts[Math.min(size - 1, Math.floor(size * share))]++;
    }
    const most = Math.max(1, ...counts), wide = (cell.size - 8) / size;
    pen.fillStyle = `${inks.accent}66`;
    counts.forEach((count, k) => {
      const tall = ((cell.size - 48) * count) / most;
      pen.fillRect(cell.x + 4 + k * wide, cell.y + cell.size - 4 - tall, wide - 0.5, tall);
    });
    pen.fillStyle = inks.ink;
    pen.textAlign = "left";
    pen.font = font(11.5, axis.measure ? 600 : "");
    const lines = wrapped(pen, labelled(axis), cell.size - 10), under = cell.y + 15 + 13 * lines.length;
    lines.forEach((line, j) => pen.fillText(line, cell.x + 5, cell.y + 15 + 13 * j));
    pen.font = font(10.5);
    pen.fillStyle = inks.soft;
    const reach = `${this.cases.reads(axis, axis.low)} to ${this.cases.reads(axis, axis.high)}`;
    if (pen.measureText(reach).width < cell.size - 10) pen.fillText(reach, cell.x + 5, under);
  }

  #rank(pen, inks, cell, a, b) {
    const { value } = a.names || b.names ? { value: NaN } : rankCorrelation(a, b, this.cases.selected);
    if (!Number.isFinite(value)) return;
    pen.fillStyle = (value > 0 ? RAMP.at(-2) : RAMP[1]) + Math.round(110 * Math.abs(value)).toString(16).padStart(2, "0");
    pen.fillRect(cell.x, cell.y, cell.size, cell.size);
    pen.fillStyle = inks.ink;
    pen.textAlign = "center";
    pen.font = font(13, Math.abs(value) > 0.5 ? 600 : "");
    pen.fillText(signed(value), cell.x + cell.size / 2, cell.y + cell.size / 2 + 5);
  }

  // The selected case nearest to a point of the picture, within 12 px.
  nearestTo(x, y) {
    const n = this.shown.length;
    for (let row = 1; row < n; row++)
      for (let column = 0; column < row; column++) {
        const cell = this.#cell(row, column);
        if (x < cell.x || x > cell.x + cell.size || y < cell.y || y > cell.y + cell.size) continue;
        const a = this.shown[column], b = this.shown[row];
        let best = 12, found = null;
        for (const i of this.cases.selected) {
          const far = Math.hypot(this.#at(a, cell, a.values[i]) - x, this.#up(b, cell, b.values[i]) - y);
          if (far < best) { best = far; found = i; }
        }
        return found;
      }
    return null;
  }
}
