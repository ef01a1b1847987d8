// Where everything is: the bodies placed from the ground outwards, their deformation taken `scale` times.
// Rotations are 9 numbers, row by row; a pose is {R, p}; body 0 is the ground.

const unpack = (text, Kind = Float32Array) =>
  new Kind(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);

const times = (A, B) => {
  const C = new Float64Array(9);
  for (let i = 0; i < 9; i += 3)
    for (let j = 0; j < 3; j++) C[i + j] = A[i] * B[j] + A[i + 1] * B[j + 3] + A[i + 2] * B[j + 6];
  return C;
};

// p + R x
const moved = (R, p, x) => [0, 3, 6].map((i) => p[i / 3] + R[i] * x[0] + R[i + 1] * x[1] + R[i + 2] * x[2]);

// Rotation by the vector t (Rodrigues).
const turned = ([x, y, z]) => {
  const angle = Math.hypot(x, y, z);
  const half = angle / 2;
  const s = angle > 1e-12 ? Math.sin(half) / angle : 0.5;
  return ofQuaternion([x * s, y * s, z * s, Math.cos(half)]);
};

const ofQuaternion = ([x, y, z, w]) => [
  1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
  2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
  2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y),
];

class Motion {
  constructor(scene) {
    this.times = unpack(scene.times, Float64Array);
    this.joints = unpack(scene.joints);
    this.amplitudes = unpack(scene.amplitudes);
    this.modes = this.amplitudes.length / this.times.length;
    this.places = scene.places.map((x) => ({ ...x, shape: unpack(x.shape) }));
    this.bodies = [null, ...scene.bodies.map((x) => ({
      ...x,
      nodes: unpack(x.nodes ?? ""),
      shapes: unpack(x.shapes ?? ""),
      lines: unpack(x.lines ?? "", Uint32Array),
      triangles: unpack(x.triangles ?? "", Uint32Array),
    }))];
    this.poses = this.bodies.map(() => ({ R: turned([0, 0, 0]), p: [0, 0, 0] }));
    this.move(this.times[0], 1);
  }

  // Place all bodies at a time, between two frames if need be.
  move(time, scale) {
    const last = this.times.length - 1;
    let low = 0, high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle; else high = middle;
    }
    const part = Math.min(1, Math.max(0, (time - this.times[low]) / (this.times[high] - this.times[low] || 1)));
    const between = (data, width) => {
      const out = new Float64Array(width);
      for (let i = 0; i < width; i++)
        out[i] = (1 - part) * data[low * width + i] + part * data[high * width + i];
      return out;
    };
    this.eta = between(this.amplitudes, this.modes).map((x) => x * scale);
    const width = 7 * (this.bodies.length - 1);
    const joints = between(this.joints, width);
    for (let k = 1; k < this.bodies.length; k++) {
      const at = 7 * (k - 1);
      const seat = this.place(k - 1);
      const q = this.#quaternion(low * width + at, high * width + at, part);
      this.poses[k] = { R: times(seat.R, ofQuaternion(q)), p: moved(seat.R, seat.p, joints.subarray(at + 4, at + 7)) };
    }
  }

  // The quaternion between two, by the shorter way, of unit length.
  #quaternion(a, b, part) {
    const J = this.joints;
    const dot = J[a] * J[b] + J[a + 1] * J[b + 1] + J[a + 2] * J[b + 2] + J[a + 3] * J[b + 3];
    const q = [0, 1, 2, 3].map((i) => (1 - part) * J[a + i] + (dot < 0 ? -part : part) * J[b + i]);
    const norm = Math.hypot(...q) || 1;
    return q.map((x) => x / norm);
  }

  // Pose of a place: of its node, deformed, then its offset from that.
  place(i) {
    const { body, l, offset, R, shape } = this.places[i];
    const carrier = this.poses[body];
    if (!shape.length) return { R: times(carrier.R, R), p: moved(carrier.R, carrier.p, offset) };
    const u = this.#product(shape, this.bodies[body]);
    const R_node = times(carrier.R, turned(u));
    const p_node = moved(carrier.R, carrier.p, [l[0] + u[3], l[1] + u[4], l[2] + u[5]]);
    return { R: times(R_node, R), p: moved(R_node, p_node, offset) };
  }

  // Positions of the drawn nodes of a flexible body, three numbers each.
  nodes(k) {
    const { R, p } = this.poses[k];
    const x = this.#product(this.bodies[k].shapes, this.bodies[k]);
    const { nodes } = this.bodies[k];
    for (let i = 0; i < x.length; i += 3)
      x.set(moved(R, p, [nodes[i] + x[i], nodes[i + 1] + x[i + 1], nodes[i + 2] + x[i + 2]]), i);
    return x;
  }

  // Paths of some places over all frames.
  paths(places, scale) {
    const paths = places.map(() => []);
    for (const time of this.times) {
      this.move(time, scale);
      places.forEach((i, n) => paths[n].push(this.place(i).p));
    }
    return paths;
  }

  #product(shape, { first, modes }) {
    const out = new Float32Array(shape.length / (modes || 1));
    for (let i = 0; i < out.length; i++)
      for (let j = 0; j < modes; j++) out[i] += shape[i * modes + j] * this.eta[first + j];
    return out;
  }
}
