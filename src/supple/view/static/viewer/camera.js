// The eye: where it looks from, and how far away it must be to see a set of points.

class Camera {
  constructor(up, front) {
    this.up = up;
    const side = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    this.right = unit(cross(cross(up, side), up));
    this.ahead = cross(up, this.right);
    this.angle = this.front = front;
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

  // The nearest place from which all points are in a picture of this aspect.
  fit(points, aspect) {
    const { x, y, z } = this.axes(), [wide, f] = this.lens(aspect), MARGIN = LOOK.FILLED;
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

  // Of a point at unit distance from the middle of the view, at unit depth, its place in a picture from -1 to 1.
  lens(aspect) {
    const f = Math.min(1, aspect) / Math.tan(LOOK.HALF_ANGLE);
    return [f / aspect, f];
  }

  // Towards the light: from above, behind the left shoulder.
  sun() {
    const { x } = this.axes(), toEye = cross(x, this.up);
    return unit([0, 1, 2].map((i) => this.up[i] - LOOK.TO_LEFT * x[i] + LOOK.TO_EYE * toEye[i]));
  }

  // The matrix from space to the left part of the picture, column by column, a share of the whole that has this aspect;
  // `centre` is what the target is measured from.
  view(aspect, share, centre, reach) {
    const { x, y, z } = this.axes(), target = plus(centre, this.target);
    const eye = plus(target, z, this.distance), [wide, f] = this.lens(aspect);
    const near = Math.max(0.01 * this.distance, this.distance - 3 * reach), far = this.distance + 8 * reach;
    const p = (far + near) / (near - far), r = (2 * far * near) / (near - far);
    const t = [-dot(x, eye), -dot(y, eye), -dot(z, eye)];
    const columns = [...[0, 1, 2].map((i) => [x[i], y[i], z[i], 0]), [...t, 1]].map(([a, b, c, one]) =>
      [share * wide * a + (1 - share) * c, f * b, p * c + r * one, -c]);
    return { eye, forward: z.map((v) => -v), focal: f, matrix: new Float32Array(columns.flat()) };
  }
}

// The matrix of parallel light that comes along -light, for a ball around a point.
const sunMatrix = (light, middle, radius) => {
  const [x, y] = besides(light), s = 1 / radius;
  const rows = [x, y, light.map((v) => -v)].map((axis) => [...axis.map((v) => v * s), -s * dot(axis, middle)]);
  return new Float32Array([0, 1, 2, 3].flatMap((j) => [...rows.map((row) => row[j]), j === 3 ? 1 : 0]));
};
