// Names in the 3-D view, on a canvas above it; of two that would overlap the first is written.

class Labels {
  constructor(canvas) { this.canvas = canvas; }

  begin(matrix, width, height, ratio, dark) {
    Object.assign(this, { matrix, width, height, taken: [] });
    const pen = (this.pen = this.canvas.getContext("2d"));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const [paper, ink, soft] = ["card", "ink", "soft"].map((name) => LOOK.PAGE[name][dark ? 1 : 0]);
    pen.font = font();
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = `${paper}cc`;
    Object.assign(this, { ink, soft });
  }

  // Where a point is in the picture, or null behind the eye.
  at(p) {
    const m = this.matrix;
    const [x, y, , d] = [0, 1, 2, 3].map((i) => m[i] * p[0] + m[i + 4] * p[1] + m[i + 8] * p[2] + m[i + 12]);
    return d <= 0 ? null : [(0.5 + (0.5 * x) / d) * this.width, (0.5 - (0.5 * y) / d) * this.height];
  }

  write(text, p, shift, color = this.ink) {
    const found = this.at(p), { pen } = this;
    if (!found) return;
    const [x, y] = [found[0] + shift, found[1] - shift], { width } = pen.measureText(text);
    if (this.taken.some(([a, b, w]) => Math.abs(y - b) < 14 && x < a + w && a < x + width)) return;
    this.taken.push([x, y, width]);
    pen.strokeText(text, x, y);
    pen.fillStyle = color;
    pen.fillText(text, x, y);
  }

  // A ring around a point, with a text that is written in any case.
  mark(text, p) {
    const found = this.at(p), { pen } = this;
    if (!found) return;
    const [x, y] = found;
    for (const [style, wide] of [[pen.strokeStyle, 4], [this.ink, 1.8]]) {
      pen.save();
      Object.assign(pen, { strokeStyle: style, lineWidth: wide });
      pen.beginPath();
      pen.arc(x, y, LOOK.RING, 0, 2 * Math.PI);
      pen.stroke();
      pen.restore();
    }
    pen.strokeText(text, x + 11, y - 9);
    pen.fillStyle = this.ink;
    pen.fillText(text, x + 11, y - 9);
    this.taken.push([x + 11, y - 9, pen.measureText(text).width]);
  }

  // A bar of colours at the right, from the lowest at its foot to the highest, with ticks at equal distances.
  scale(colors, ticks, title) {
    const { pen, width, height } = this, tall = Math.min(LOOK.TALL, 0.5 * height), [x, y] = [width - 0.76 * this.column, 34];
    const shades = pen.createLinearGradient(0, y + tall, 0, y);
    colors.forEach((color, i) => shades.addColorStop(i / (colors.length - 1), color));
    pen.fillStyle = shades;
    pen.fillRect(x, y, LOOK.BAR, tall);
    pen.save();
    Object.assign(pen, { strokeStyle: this.soft, lineWidth: 1 });
    pen.strokeRect(x, y, LOOK.BAR, tall);
    pen.restore();
    pen.fillStyle = this.ink;
    ticks.forEach((text, i) => {
      const at = y + tall * (1 - i / (ticks.length - 1));
      pen.strokeText(text, x + LOOK.BAR + 6, at + 4);
      pen.fillText(text, x + LOOK.BAR + 6, at + 4);
    });
    const left = width - 12 - pen.measureText(title).width;
    pen.strokeText(title, left, y - 12);
    pen.fillText(title, left, y - 12);
  }

  // Which way the axes of the ground point, at the lower right.
  axes({ x, y, z }) {
    const { pen } = this, [left, top] = [this.width - LOOK.CORNER, this.height - LOOK.CORNER];
    pen.save();
    Object.assign(pen, { lineWidth: 2, textAlign: "center", textBaseline: "middle" });
    for (const i of [0, 1, 2].sort((a, b) => z[a] - z[b])) {
      const to = (far) => [left + far * x[i], top - far * y[i]];
      pen.strokeStyle = pen.fillStyle = LOOK.AXES[i];
      pen.beginPath();
      pen.moveTo(left, top);
      pen.lineTo(...to(LOOK.ARM));
      pen.stroke();
      pen.fillText("xyz"[i], ...to(LOOK.ARM + 9));
    }
    pen.restore();
  }

  // Width of what is kept free for the scale.
  get column() { return Math.min(LOOK.COLUMN, this.canvas.clientWidth / 4); }

  // A line of text at the bottom.
  foot(text) {
    this.pen.fillStyle = this.soft;
    this.pen.fillText(text, 12, this.height - 12);
  }
}
