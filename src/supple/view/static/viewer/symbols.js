// What is drawn beside the surfaces of bodies: shapes between two points, which come with the scene, and lines.

const STEP = 2 / 32767; // of the numbers of a packed shape

class Symbols {
  constructor(drawing, { shapes, arrow }) {
    Object.assign(this, { drawing, sizes: arrow });
    for (const [name, { vertices, triangles }] of Object.entries(shapes))
      drawing.keepSymbol(name, Float32Array.from(unpack(vertices, Int16Array), (n) => n * STEP), unpack(triangles, Uint16Array));
  }

  paint(name, dark) { return rgb(LOOK.PAINTS[name][dark ? 1 : 0]); }

  // A shape from a to b; without a way between them along z.
  between(shape, size, a, b, color) {
    const d = plus(b, a, -1), way = Math.hypot(...d) > 0 ? d : [0, 0, 1], [x, y] = besides(way), z = unit(way);
    const scaled = (v) => [size * v[0], size * v[1], size * v[2]];
    this.drawing.symbol(shape, scaled(x), scaled(y), scaled(z), a, d, color);
  }

  ball(p, radius, color) { this.between("ball", radius, p, p, color); }

  // An arrow from p along d, slimmer if it is short; whether it is long enough to be seen.
  arrow(p, d, color, shape) {
    const { head, short, shortest } = this.sizes, length = Math.hypot(...d);
    if (length < shortest) return false;
    this.between(shape, head * Math.min(1, length / short), p, plus(p, d), color);
    return true;
  }

  triad({ R, p }, length) {
    for (let i = 0; i < 3; i++) this.drawing.line(p, plus(p, column(R, i), length), 2, rgb(LOOK.AXES[i]));
  }

  centre(p, radius, color) {
    this.ball(p, radius, color);
    for (const axis of [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
      this.between("rod", 0.22 * radius, plus(p, axis, -1.7 * radius), plus(p, axis, 1.7 * radius), color);
  }
}
