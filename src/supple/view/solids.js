// Unit solids of which symbols are made, and vectors.

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

const BOX = (() => {
  const corners = [], normals = [];
  for (let axis = 0; axis < 3; axis++)
    for (const side of [-1, 1])
      for (const [a, b] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) {
        const x = [0, 0, 0], n = [0, 0, 0];
        x[axis] = side / 2; x[(axis + 1) % 3] = a / 2; x[(axis + 2) % 3] = b / 2; n[axis] = side;
        corners.push(...x); normals.push(...n);
      }
  return { corners, normals };
})();

// A body of revolution around the z axis: bands between rings of [radius, z, normal's radius, normal's z].
const revolved = (bands, sides) => {
  const corners = [], normals = [];
  const push = ([r, z, nr, nz], i) => {
    const a = (2 * Math.PI * i) / sides, [c, s] = [Math.cos(a), Math.sin(a)];
    corners.push(r * c, r * s, z); normals.push(nr * c, nr * s, nz);
  };
  for (const [low, high] of bands)
    for (let i = 0; i < sides; i++)
      for (const [up, on] of [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]) push(up ? high : low, i + on);
  return { corners, normals };
};
const bandsThrough = (rings) => rings.slice(1).map((ring, i) => [rings[i], ring]);
const arc = (n) => Array.from({ length: n + 1 }, (_, i) => {
  const [s, c] = [Math.sin((Math.PI * i) / n), -Math.cos((Math.PI * i) / n)];
  return [s, c, s, c];
});
const disc = (z, n) => [[0, z, 0, n], [1, z, 0, n]];
const SIDE = [[1, 0, 1, 0], [1, 1, 1, 0]];
const SOLIDS = {
  box: BOX,
  ball: revolved(bandsThrough(arc(12)), 20),
  tube: revolved([SIDE], 12),
  rod: revolved([SIDE, disc(0, -1), disc(1, 1)], 24),
  cone: revolved([[[1, 0, 1, 0.5], [0, 1, 1, 0.5]], disc(0, -1)], 20),
};
