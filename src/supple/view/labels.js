// Names in the 3-D view, on a canvas above it; of two that would overlap the first is written.

class Labels {
  constructor(canvas) { this.canvas = canvas; }

  begin(matrix, width, height, ratio, dark) {
    Object.assign(this, { matrix, width, height, taken: [] });
    const pen = (this.pen = this.canvas.getContext("2d"));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "12px system-ui, sans-serif";
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = dark ? "#12161ccc" : "#ffffffcc";
    this.ink = dark ? "#d5dbe2" : "#24292f";
    this.soft = dark ? "#98a2ad" : "#5f6a75";
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

  // A line of text at the bottom.
  foot(text) {
    this.pen.fillStyle = this.soft;
    this.pen.fillText(text, 12, this.height - 12);
  }
}
