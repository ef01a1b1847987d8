// Vectors.

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a) => { const n = Math.hypot(...a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
const plus = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const column = (R, i) => [R[i], R[i + 3], R[i + 6]];
// R x
const along = (R, x) => [0, 3, 6].map((i) => R[i] * x[0] + R[i + 1] * x[1] + R[i + 2] * x[2]);

// Two unit vectors at right angles to d and to each other.
const besides = (d) => {
  const sizes = d.map(Math.abs), least = sizes.indexOf(Math.min(...sizes));
  const x = unit(cross(d, [0, 1, 2].map((i) => (i === least ? 1 : 0))));
  return [x, unit(cross(d, x))];
};
