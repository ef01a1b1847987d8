// Where everything is: the bodies placed from the ground outwards, their deformation taken `scale` times.
// Rotations are 9 numbers, row by row; a pose is {R, p}; body 0 is the ground.

const unpack = (text, Kind = Float32Array) => {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Kind(bytes.buffer);
};

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

// The bodies over time. Frames may be added while it is shown: of more than `most` the oldest are dropped.
class Motion {
  constructor(scene, most = Infinity) {
    this.most = most;
    this.places = scene.places.map((x) => ({ ...x, shape: unpack(x.shape) }));
    this.bodies = [null, ...scene.bodies];
    this.rows = 6 * (scene.forces ?? []).length;
    this.stops = scene.symbols.filter(({ stop }) => stop !== undefined).length;
    this.poses = this.bodies.map(() => ({ R: turned([0, 0, 0]), p: [0, 0, 0] }));
    this.width = 7 * scene.bodies.length;
    this.modes = this.bodies.reduce((sum, body) => sum + (body?.modes ?? 0), 0);
    this.clear();
    this.append(scene);
    this.move(this.start, 1);
  }

  get start() { return this.frames[0].time; }

  get stop() { return this.frames.at(-1).time; }

  clear() { this.frames = []; }

  // Frames that follow those it has: times, joints and amplitudes, packed; how many they are.
  append({ times, joints, amplitudes, wrenches = "", contacts = "" }) {
    const [added, all, eta] = [unpack(times, Float64Array), unpack(joints), unpack(amplitudes)], { width, modes, rows, stops } = this;
    const acting = unpack(wrenches), touching = unpack(contacts, Uint8Array);
    added.forEach((time, i) => this.frames.push({
      time,
      joints: all.subarray(i * width, (i + 1) * width),
      eta: eta.subarray(i * modes, (i + 1) * modes),
      wrenches: acting.subarray(i * rows, (i + 1) * rows),
      contacts: touching.subarray(i * stops, (i + 1) * stops),
    }));
    this.frames.splice(0, Math.max(0, this.frames.length - this.most));
    return added.length;
  }

  // Place all bodies at a time, between two frames if need be.
  move(time, scale) {
    const [a, b] = neighbours(this.frames, time, (frame) => frame.time).map((i) => this.frames[i]);
    const part = Math.min(1, Math.max(0, (time - a.time) / (b.time - a.time || 1)));
    this.between = { a, b, part };
    this.eta = Float64Array.from(a.eta, (x, i) => scale * ((1 - part) * x + part * b.eta[i]));
    for (let k = 1; k < this.bodies.length; k++) {
      const at = 7 * (k - 1), attachment = this.place(k - 1);
      const p = [4, 5, 6].map((i) => (1 - part) * a.joints[at + i] + part * b.joints[at + i]);
      const q = this.#quaternion(a.joints.subarray(at, at + 4), b.joints.subarray(at, at + 4), part);
      this.poses[k] = { R: times(attachment.R, ofQuaternion(q)), p: moved(attachment.R, attachment.p, p) };
    }
  }

  // The quaternion between two, by the shorter way, of unit length.
  #quaternion(a, b, part) {
    const other = a.reduce((sum, x, i) => sum + x * b[i], 0) < 0 ? -part : part;
    const q = Array.from(a, (x, i) => (1 - part) * x + other * b[i]);
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

  // Moment and force of a row of the wrenches, at the time of the last move.
  force(row) {
    const { a, b, part } = this.between;
    return Array.from({ length: 6 }, (_, i) => (1 - part) * a.wrenches[6 * row + i] + part * b.wrenches[6 * row + i]);
  }

  // A pose by the number of its body or its place.
  pose({ body, place }) { return place === undefined ? this.poses[body] : this.place(place); }

  // An end of a symbol: a point of a pose that moves in some directions with another, or where a wheel touches a plane.
  point({ on, at, to, along: directions = [], plane, wheel, radius, axis, above }) {
    if (plane) return this.#touch(this.pose(plane), this.pose(wheel), radius, axis, above);
    const { R, p } = this.pose(on), out = moved(R, p, at);
    if (!to) return out;
    const away = plus(this.pose(to).p, p, -1);
    return directions.map((d) => along(R, d)).reduce((sum, d) => plus(sum, d, dot(d, away)), out);
  }

  #touch(plane, wheel, radius, axis, above) {
    const z = column(plane.R, 2), spin = axis && along(wheel.R, axis);
    const down = unit(axis ? plus(spin.map((x) => x * dot(z, spin)), z, -1) : z.map((x) => -x));
    return plus(plus(wheel.p, down, radius), z, above);
  }

  // Whether a stop holds or is hit, at the time of the last move.
  touches(stop) { return this.between.a.contacts[stop] > 0; }

  // Paths of some places over the last frames, through one of every so many of them.
  paths(places, scale, last = this.frames.length, every = 1) {
    const paths = places.map(() => []);
    for (const { time } of this.frames.slice(-last).filter((_, i, all) => i % every === 0 || i === all.length - 1)) {
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
