// Drawing in 3-D with WebGL: unit boxes, balls and tubes, each stretched, turned and coloured; and surfaces.

const VERTEX = `#version 300 es
  uniform mat4 camera;
  in vec3 corner, normal, along, across, third, origin, tint;
  out vec3 place, facing, color;
  void main() {
    place = along * corner.x + across * corner.y + third * corner.z + origin;
    facing = along * (normal.x / max(dot(along, along), 1e-20)) + across * (normal.y / max(dot(across, across), 1e-20))
      + third * (normal.z / max(dot(third, third), 1e-20));
    color = tint;
    gl_Position = camera * vec4(place, 1.0);
  }`;

const FRAGMENT = `#version 300 es
  precision highp float;
  uniform vec3 eye, up;
  uniform float surface, flat_light;
  in vec3 place, facing, color;
  out vec4 shown;
  void main() {
    vec3 n = normalize(surface > 0.5 ? cross(dFdx(place), dFdy(place)) : facing);
    vec3 look = normalize(eye - place);
    if (dot(n, look) < 0.0) n = -n;
    float light = 0.66 + 0.16 * dot(n, up) + 0.34 * max(dot(n, normalize(look + up)), 0.0);
    shown = vec4(color * mix(light, 1.0, flat_light), 1.0);
  }`;

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

// Strips around the z axis through rings of [radius, z]; normals point away from the axis or from the middle.
const turnedShape = (rings, sides, ball) => {
  const corners = [], normals = [];
  const push = ([r, z], i) => {
    const a = (2 * Math.PI * i) / sides, x = r * Math.cos(a), y = r * Math.sin(a);
    corners.push(x, y, z); normals.push(...(ball ? [x, y, z] : [x, y, 0]));
  };
  for (let k = 0; k + 1 < rings.length; k++)
    for (let i = 0; i < sides; i++)
      for (const [up, on] of [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]) push(rings[k + up], i + on);
  return { corners, normals };
};
const arc = (n) => Array.from({ length: n + 1 }, (_, i) => [Math.sin((Math.PI * i) / n), -Math.cos((Math.PI * i) / n)]);
const MESHES = { box: BOX, ball: turnedShape(arc(10), 16, true), tube: turnedShape([[1, 0], [1, 1]], 10, false) };

class Drawing {
  constructor(canvas) {
    const gl = (this.gl = canvas.getContext("webgl2", { antialias: true }));
    if (!gl) throw new Error("no WebGL");
    this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(this.program));
    gl.useProgram(this.program);
    gl.enable(gl.DEPTH_TEST);
    this.meshes = {};
    for (const [name, { corners, normals }] of Object.entries(MESHES)) {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      this.#attribute("corner", gl.createBuffer(), corners);
      this.#attribute("normal", gl.createBuffer(), normals);
      const copies = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, copies);
      ["along", "across", "third", "origin", "tint"].forEach((part, i) => {
        const at = gl.getAttribLocation(this.program, part);
        gl.enableVertexAttribArray(at);
        gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 60, 12 * i);
        gl.vertexAttribDivisor(at, 1);
      });
      this.meshes[name] = { array, copies, corners: corners.length / 3 };
    }
    this.surfaceArray = gl.createVertexArray();
    this.surfaceCorners = gl.createBuffer();
    this.surfaceOrder = gl.createBuffer();
  }

  #attribute(name, buffer, values) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.DYNAMIC_DRAW);
    const at = gl.getAttribLocation(this.program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 0, 0);
  }

  begin({ matrix, eye, up }, background, width, height) {
    const { gl } = this;
    gl.viewport(0, 0, width, height);
    gl.clearColor(...background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix4fv(gl.getUniformLocation(this.program, "camera"), false, matrix);
    gl.uniform3fv(gl.getUniformLocation(this.program, "eye"), eye);
    gl.uniform3fv(gl.getUniformLocation(this.program, "up"), up);
    this.copies = { box: [], ball: [], tube: [] };
    this.thin = [];
  }

  // A box with its middle at p, its axes the columns of R.
  box(R, p, sides, color) {
    this.copies.box.push(...[0, 1, 2].flatMap((i) => [0, 3, 6].map((r) => R[r + i] * sides[i])), ...p, ...color);
  }

  ball(p, radius, color) {
    this.copies.ball.push(radius, 0, 0, 0, radius, 0, 0, 0, radius, ...p, ...color);
  }

  // A tube from a to b; thin ones are lines and take no light.
  tube(a, b, radius, color, thin = false) {
    const d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const length = Math.hypot(...d);
    if (!(length > 0)) return;
    const least = d.map(Math.abs).indexOf(Math.min(...d.map(Math.abs)));
    const x = cross(d, [0, 1, 2].map((i) => (i === least ? 1 : 0)));
    const s = radius / Math.hypot(...x);
    const y = cross(d, x).map((v) => (v * s) / length);
    (thin ? this.thin : this.copies.tube).push(...x.map((v) => v * s), ...y, ...d, ...a, ...color);
  }

  // Triangles between points, drawn at once.
  surface(points, triangles, color) {
    const { gl } = this;
    gl.bindVertexArray(this.surfaceArray);
    this.#attribute("corner", this.surfaceCorners, points);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.surfaceOrder);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.DYNAMIC_DRAW);
    const fixed = { along: [1, 0, 0], across: [0, 1, 0], third: [0, 0, 1], origin: [0, 0, 0], tint: color };
    for (const [name, value] of Object.entries(fixed))
      gl.vertexAttrib3fv(gl.getAttribLocation(this.program, name), value);
    this.#light(1, 0);
    gl.drawElements(gl.TRIANGLES, triangles.length, gl.UNSIGNED_INT, 0);
  }

  end() {
    this.#light(0, 0);
    for (const name in this.copies) this.#draw(name, this.copies[name]);
    this.#light(0, 1);
    this.#draw("tube", this.thin);
  }

  #light(surface, flat) {
    this.gl.uniform1f(this.gl.getUniformLocation(this.program, "surface"), surface);
    this.gl.uniform1f(this.gl.getUniformLocation(this.program, "flat_light"), flat);
  }

  #draw(name, values) {
    const { gl } = this, mesh = this.meshes[name];
    gl.bindVertexArray(mesh.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.copies);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.DYNAMIC_DRAW);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, mesh.corners, values.length / 15);
  }
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a) => a.map((x) => x / (Math.hypot(...a) || 1));
