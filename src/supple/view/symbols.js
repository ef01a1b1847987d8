// What is drawn beside the surfaces of bodies: joints as hinges, sliders and balls, springs as coils, dampers, forces as
// arrows, centres of mass, frames. Lengths are shares of `size`, that of symbols.

const METAL = { light: [0.45, 0.49, 0.54], dark: [0.66, 0.7, 0.76] };
const AXES = [[0.84, 0.24, 0.18], [0.16, 0.62, 0.3], [0.2, 0.44, 0.9]];
const LOAD = [0.84, 0.15, 0.12], REACTION = [0.48, 0.25, 0.72];
const TURNS = 8, STEPS = 12; // of a coil

class Symbols {
  constructor(drawing, size) { Object.assign(this, { drawing, size, metal: METAL.light }); }

  // A joint between the pose it is fixed to and that of what it moves.
  joint({ turns, ball, slides, travel }, from, to) {
    const { drawing, size, metal } = this, r = 0.017 * size;
    if (slides.length === 3) return;
    if (ball) drawing.ball(to.p, 1.3 * r, metal);
    turns.forEach((axis, i) => {
      const a = along(i ? to.R : from.R, axis), half = (turns.length > 1 ? 1.9 : 1.7) * r;
      drawing.between("rod", plus(to.p, a, -half), plus(to.p, a, half), turns.length > 1 ? 0.6 * r : r, metal);
    });
    slides.forEach((axis, i) => this.#slider(along(from.R, axis), travel?.[i], slides.length, from, to));
  }

  // A rail over its travel if it passes its zero, else a rod or cable that grows; a sleeve on what slides.
  #slider(axis, [low, high] = [0, 0], count, from, to) {
    const { drawing, size, metal } = this, r = 0.007 * size, out = 0.04 * size;
    const here = dot(plus(to.p, from.p, -1), axis), start = count > 1 ? plus(to.p, axis, -here) : from.p;
    const grows = Math.min(Math.abs(low), Math.abs(high)) > 0.25 * Math.max(Math.abs(low), Math.abs(high)) && low * high > 0;
    const [a, b] = grows ? [0, here] : [Math.min(0, low) - out, Math.max(0, high) + out];
    drawing.between("rod", plus(start, axis, a), plus(start, axis, b), r, metal);
    if (grows) return drawing.ball(start, 2 * r, metal);
    const [x, y] = besides(axis), s = 0.027 * size;
    drawing.solid("box", x.map((v) => v * s), y.map((v) => v * s), axis.map((v) => 1.6 * v * s), plus(start, axis, here), metal);
  }

  // A coil where there is stiffness, a cylinder with its piston where there is damping.
  spring(a, b, { stiffness, damping }) {
    const { drawing, size, metal } = this, d = plus(b, a, -1), length = Math.hypot(...d);
    if (!(length > 0)) return;
    const at = (share) => plus(a, d, share), r = 0.006 * size;
    for (const end of [a, b]) drawing.ball(end, 0.011 * size, metal);
    if (damping) {
      drawing.between("rod", a, at(0.55), 1.7 * r, metal);
      drawing.between("rod", at(0.5), b, 0.8 * r, metal);
    }
    if (!stiffness) return;
    const [x, y] = besides(d), radius = Math.min(0.03 * size, 0.25 * length), count = TURNS * STEPS;
    let before = a;
    for (let i = 0; i <= count; i++) {
      const turn = (2 * Math.PI * i) / STEPS, share = 0.1 + (0.8 * i) / count, grown = Math.min(1, i / 4, (count - i) / 4);
      const next = plus(plus(at(share), x, grown * radius * Math.cos(turn)), y, grown * radius * Math.sin(turn));
      drawing.between("tube", before, next, 0.75 * r, metal);
      before = next;
    }
    drawing.between("tube", before, b, 0.75 * r, metal);
  }

  rod(a, b) { this.drawing.between("rod", a, b, 0.007 * this.size, this.metal); }

  // An arrow from p along d; that of a moment has two heads.
  arrow(p, d, color, moment) {
    const { drawing, size } = this, length = Math.hypot(...d), head = Math.min(0.07 * size, 0.6 * length);
    if (length < 0.01 * size) return;
    const at = (back) => plus(p, d, 1 - back / length), r = 0.0075 * size * Math.min(1, length / (0.12 * size));
    drawing.between("rod", p, at(head), r, color);
    drawing.between("cone", at(head), at(0), 2.6 * r, color);
    if (moment) drawing.between("cone", at(1.8 * head), at(0.8 * head), 2.6 * r, color);
  }

  triad({ R, p }, length, width = 2) {
    for (let i = 0; i < 3; i++) this.drawing.line(p, plus(p, column(R, i), length), width, AXES[i]);
  }

  centre(p, radius, color) {
    const { drawing } = this;
    drawing.ball(p, radius, color);
    for (const axis of [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
      drawing.between("rod", plus(p, axis, -1.7 * radius), plus(p, axis, 1.7 * radius), 0.22 * radius, color);
  }
}
