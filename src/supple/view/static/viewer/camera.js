// The eye: where it looks from, and how far away it must be to see a set of points.

const LENS = 1 / Math.tan(0.3);
const MARGIN = 0.9; // of the picture that the motion fills

class Camera {
  constructor(up) {
    this.up = up;
    const side = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    this.right = unit(cross(cross(up, side), up));
    this.ahead = cross(up, this.right);
    this.angle = [-0.9, 0.35];
    this.distance = 1;
    this.target = [0, 0, 0];
  }

  turn(a, b) { this.angle = [this.angle[0] + a, Math.min(1.55, Math.max(-1.55, this.angle[1] + b))]; }

  // Axes of the picture: right, up, towards the eye.
  axes() {
    const [a, b] = this.angle, combine = (r, f, u) =>
      [0, 1, 2].map((i) => r * this.right[i] + f * this.ahead[i] + u * this.up[i]);
    const z = combine(Math.cos(b) * Math.cos(a), Math.cos(b) * Math.sin(a), Math.sin(b));
    const x = combine(-Math.sin(a), Math.cos(a), 0);
    return { x, y: cross(z, x), z };
  }

  // Look at flat motions from the front, a little from the side; at others from a corner.
  face(points) {
    const mean = [0, 1, 2].map((i) => points.reduce((sum, p) => sum + p[i], 0) / points.length);
    const flat = points.map((p) => [this.right, this.ahead, this.up].map((e) => dot(plus(p, mean, -1), e)));
    const moment = (i, j) => flat.reduce((sum, r) => sum + r[i] * r[j], 0);
    const [a, b, c] = [moment(0, 0), moment(0, 1), moment(1, 1)];
    const long = 0.5 * Math.atan2(2 * b, a - c), spread = Math.hypot((a - c) / 2, b), half = (a + c) / 2;
    const thin = Math.max(half - spread, 0), tall = moment(2, 2), wide = half + spread;
    const upright = thin < 0.04 * Math.max(wide, tall), lying = tall < 0.01 * wide;
    let way = long - Math.PI / 2 + 0.35;
    // of the two fronts the one on the side of negative y, or of positive x if it lies along y: robots look there
    while (way > 0.75) way -= Math.PI;
    while (way <= 0.75 - Math.PI) way += Math.PI;
    this.angle = upright && !lying ? [way, 0.22] : [-0.9, lying ? 0.6 : 0.35];
  }

  // The nearest place from which all points are in a picture of this aspect.
  fit(points, aspect) {
    const { x, y, z } = this.axes(), f = LENS * Math.min(1, aspect), wide = f / aspect;
    this.target = [0, 1, 2].map((i) => {
      const all = points.map((p) => p[i]);
      return (Math.min(...all) + Math.max(...all)) / 2;
    });
    for (let round = 0; round < 4; round++) {
      const ends = [[x, wide], [y, f]].map(([axis, scale]) => {
        let nearLow = -Infinity, nearHigh = -Infinity; // distances that the points at both edges need
        for (const p of points) {
          const r = plus(p, this.target, -1), s = (scale / MARGIN) * dot(axis, r), depth = dot(z, r);
          nearHigh = Math.max(nearHigh, depth + s);
          nearLow = Math.max(nearLow, depth - s);
        }
        return { shift: ((nearHigh - nearLow) / 2) * (MARGIN / scale), needs: (nearHigh + nearLow) / 2, axis };
      });
      for (const { shift, axis } of ends) this.target = plus(this.target, axis, shift);
      this.distance = Math.max(...ends.map((end) => end.needs), 1e-9);
    }
  }

  // The matrix from space to the picture, column by column; `centre` is what the target is measured from.
  view(aspect, centre, reach) {
    const { x, y, z } = this.axes(), target = plus(centre, this.target);
    const eye = plus(target, z, this.distance), f = LENS * Math.min(1, aspect), wide = f / aspect;
    const near = Math.max(0.01 * this.distance, this.distance - 3 * reach), far = this.distance + 8 * reach;
    const p = (far + near) / (near - far), r = (2 * far * near) / (near - far);
    const t = [-dot(x, eye), -dot(y, eye), -dot(z, eye)];
    const columns = [0, 1, 2].map((i) => [wide * x[i], f * y[i], p * z[i], -z[i]]);
    return { x, y, z, eye, matrix: new Float32Array([...columns.flat(), wide * t[0], f * t[1], p * t[2] + r, -t[2]]) };
  }
}

// The matrix of parallel light that comes along -light, for a ball around a point.
const sunMatrix = (light, middle, radius) => {
  const [x, y] = besides(light), s = 1 / radius;
  const rows = [x, y, light.map((v) => -v)].map((axis) => [...axis.map((v) => v * s), -s * dot(axis, middle)]);
  return new Float32Array([0, 1, 2, 3].flatMap((j) => [...rows.map((row) => row[j]), j === 3 ? 1 : 0]));
};
