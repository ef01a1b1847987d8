// Surfaces of bodies as buffers. Behind the vertices come copies of some, where edges are sharp; the rest is smooth.

// The normal of each triangle, as long as twice its area.
const faceNormals = (x, triangles) => {
  const out = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
    const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
    out[t] = uy * vz - uz * vy;
    out[t + 1] = uz * vx - ux * vz;
    out[t + 2] = ux * vy - uy * vx;
  }
  return out;
};

class Surface {
  constructor(drawing, data) {
    const packed = unpack(data.vertices, Uint16Array), copies = unpack(data.copies, Uint32Array);
    this.data = data;
    this.rest = Float32Array.from(packed, (n, i) => data.low[i % 3] + data.step[i % 3] * n);
    this.corners = unpack(data.triangles, Uint32Array);
    this.vertices = Uint32Array.from([...Array(packed.length / 3).keys(), ...copies]);
    const ends = [0, 1, 2].map((i) => {
      const all = this.rest.filter((_, j) => j % 3 === i);
      return [all.reduce((a, b) => Math.min(a, b), Infinity), all.reduce((a, b) => Math.max(a, b), -Infinity)];
    });
    this.corners8 = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => [0, 1, 2].map((i) => ends[i][(n >> i) & 1]));
    this.shapes = data.shapes === undefined ? null : unpack(data.shapes);
    this.stress = data.stress === undefined ? null : this.#stress(data.stress);
    this.places = this.#gathered(this.rest);
    this.drawing = drawing;
    this.kept = drawing.keep(this.places, this.#normals(), this.corners, data.growth);
  }

  #gathered(x) {
    const out = new Float32Array(3 * this.vertices.length);
    this.vertices.forEach((v, i) => { for (let j = 0; j < 3; j++) out[3 * i + j] = x[3 * v + j]; });
    return out;
  }

  #normals() {
    const faces = faceNormals(this.places, this.corners), out = new Float32Array(this.places.length);
    this.corners.forEach((corner, c) => {
      const t = c - (c % 3);
      for (let j = 0; j < 3; j++) out[3 * corner + j] += faces[t + j];
    });
    return out;
  }

  // Rows of stresses: whole numbers times a scale for each amplitude.
  #stress({ rows, scale, compliance }) {
    const numbers = unpack(rows, Int16Array);
    return { rows: Float32Array.from(numbers, (x, i) => x * scale[i % scale.length]), compliance: unpack(compliance) };
  }

  // What a quantity is at the vertices: the norm of a few rows times the amplitudes, of the deformation taken once.
  values(quantity, eta, { first, modes }, scale) {
    const [rows, width] = quantity === "displacement" ? [this.shapes, 3] : [this.stress?.rows, 5];
    if (!rows) return null;
    const out = new Float32Array(this.rest.length / 3);
    for (let v = 0, at = 0; v < out.length; v++) {
      let sum = 0;
      for (let r = 0; r < width; r++) {
        let x = 0;
        for (let j = 0; j < modes; j++, at++) x += rows[at] * eta[first + j];
        sum += x * x;
      }
      out[v] = Math.sqrt(sum) / scale;
      if (quantity === "strain") out[v] *= this.stress.compliance[v];
    }
    return out;
  }

  // Colours of all corners from values of the vertices, or the one colour of the body again.
  paint(values, color) {
    if (!values) return this.drawing.paint(this.kept, null);
    const out = new Float32Array(4 * this.vertices.length);
    this.vertices.forEach((v, i) => out.set(color(values[v]), 4 * i));
    this.drawing.paint(this.kept, out);
  }

  // Where a vertex is, also one on no triangle.
  place(v, eta, { first, modes }) {
    return [0, 1, 2].map((c) => {
      let x = this.rest[3 * v + c];
      for (let j = 0; j < modes; j++) x += this.shapes[(3 * v + c) * modes + j] * eta[first + j];
      return x;
    });
  }

  // Displaced by the shapes of its body, with amplitudes from `first` on; the shader makes the normals of unit length.
  deform(eta, { first, modes }) {
    const x = this.rest.slice();
    for (let i = 0; i < x.length; i++)
      for (let j = 0; j < modes; j++) x[i] += this.shapes[i * modes + j] * eta[first + j];
    this.places = this.#gathered(x);
    this.drawing.change(this.kept, this.places, this.#normals());
  }
}
