// Drawing in 3-D with WebGL: surfaces of bodies, symbols that are shapes between two points, lines of a width in
// pixels. A first pass from the light makes the shadow map; what it holds is dark on bodies and on the ground.

const QUAD = [0, -1, 1, -1, 1, 1, 0, -1, 1, 1, 0, 1];
const SYMBOL_PARTS = [["along", 3], ["across", 3], ["third", 3], ["origin", 3], ["tint", 4], ["span", 3]];
const LINE_PARTS = [["start", 3], ["end", 3], ["tint", 4], ["width", 1]];
const SHADOW_SIDE = 2048;

class Drawing {
  constructor(canvas) {
    const gl = (this.gl = canvas.getContext("webgl2", { alpha: false, antialias: true }));
    if (!gl) throw new Error("no WebGL");
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const order = ["corner", "normal", "along", "across", "third", "origin", "tint", "span", "share"];
    this.lit = this.#program(LIT_VERTEX, LIT_FRAGMENT, order);
    this.depth = this.#program(LIT_VERTEX, DEPTH_FRAGMENT, order);
    this.liner = this.#program(LINE_VERTEX, LINE_FRAGMENT, ["side", "start", "end", "tint", "width"]);
    this.floor = this.#program(GROUND_VERTEX, GROUND_FRAGMENT, ["side"]);
    this.symbols = {};
    this.segments = gl.createVertexArray();
    gl.bindVertexArray(this.segments);
    this.#attribute(0, QUAD, 2);
    this.lines = this.#instanced(1, LINE_PARTS);
    this.#shadowMap();
  }

  #program(vertex, fragment, names) {
    const { gl } = this, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    names.forEach((name, i) => gl.bindAttribLocation(program, i, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const at = {}, count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; i++) {
      const { name } = gl.getActiveUniform(program, i);
      at[name] = gl.getUniformLocation(program, name);
    }
    return { program, at };
  }

  #attribute(at, values, size) {
    const { gl } = this, buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
    return buffer;
  }

  // A buffer with one row for each copy, its parts the attributes from `first` on.
  #instanced(first, parts) {
    const { gl } = this, buffer = gl.createBuffer(), width = parts.reduce((sum, [, size]) => sum + size, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    let offset = 0;
    parts.forEach(([, size], i) => {
      gl.enableVertexAttribArray(first + i);
      gl.vertexAttribPointer(first + i, size, gl.FLOAT, false, 4 * width, 4 * offset);
      gl.vertexAttribDivisor(first + i, 1);
      offset += size;
    });
    return buffer;
  }

  #shadowMap() {
    const { gl } = this, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIDE, SHADOW_SIDE);
    for (const [key, value] of [["MIN_FILTER", gl.LINEAR], ["MAG_FILTER", gl.LINEAR], ["WRAP_S", gl.CLAMP_TO_EDGE],
      ["WRAP_T", gl.CLAMP_TO_EDGE], ["COMPARE_MODE", gl.COMPARE_REF_TO_TEXTURE], ["COMPARE_FUNC", gl.LEQUAL]])
      gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${key}`], value);
    this.shadows = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadows);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  // A surface in buffers of its own: places and normals of its corners, and the corners of its triangles.
  keep(places, normals, triangles, growth) {
    const { gl } = this, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const kept = { array, places: this.#attribute(0, places, 3), normals: this.#attribute(1, normals, 3) };
    const order = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, order);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
    return { ...kept, growth, count: triangles.length };
  }

  // A symbol's shape: of each vertex its share of the way, its vector and its normal; and the corners of its triangles.
  keepSymbol(name, rows, triangles) {
    const { gl } = this, array = gl.createVertexArray();
    const taken = (first, size) => Float32Array.from({ length: (rows.length / 7) * size }, (_, i) => rows[7 * Math.floor(i / size) + first + (i % size)]);
    gl.bindVertexArray(array);
    this.#attribute(8, taken(0, 1), 1);
    this.#attribute(0, taken(1, 3), 3);
    this.#attribute(1, taken(4, 3), 3);
    const order = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, order);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
    this.symbols[name] = { array, copies: this.#instanced(2, SYMBOL_PARTS), count: triangles.length };
  }

  // Other places and normals for a surface that is kept.
  change({ places, normals }, newPlaces, newNormals) {
    const { gl } = this;
    for (const [buffer, values] of [[places, newPlaces], [normals, newNormals]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, values);
    }
  }

  // Colours of the corners of a kept surface, four numbers each; none for one colour of the whole.
  paint(kept, colors) {
    const { gl } = this;
    gl.bindVertexArray(kept.array);
    if (!colors) return gl.disableVertexAttribArray(6);
    if (!kept.colors) kept.colors = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, kept.colors);
    gl.bufferData(gl.ARRAY_BUFFER, colors, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(6);
    gl.vertexAttribPointer(6, 4, gl.FLOAT, false, 0, 0);
  }

  begin() {
    this.copies = Object.fromEntries(Object.keys(this.symbols).map((name) => [name, []]));
    this.surfaces = [];
    this.drawn = [];
  }

  // A kept surface at a pose, with a colour of four numbers.
  surface(kept, { R, p }, color) { this.surfaces.push({ kept, R, p, color }); }

  // A kept shape whose axes are three vectors, its vertices moved by their shares of `span`.
  symbol(name, along, across, third, p, span, [r, g, b, a = 1]) {
    this.copies[name].push(...along, ...across, ...third, ...p, r, g, b, a, ...span);
  }

  line(a, b, width, [r, g, b_, alpha = 1]) { this.drawn.push(...a, ...b, r, g, b_, alpha, width); }

  // Draw all of it: the shadow map, then the ground, bodies, lines, and what can be seen through.
  end({ matrix, eye, forward, focal }, scenery, width, height, ratio) {
    const { gl } = this, { up, light, sun, cell, paper, ground } = scenery;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadows);
    gl.viewport(0, 0, SHADOW_SIDE, SHADOW_SIDE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.depth.program);
    this.#set(this.depth, { camera: sun });
    this.grow = [this.depth.at.grow, 0.25 * cell];
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1.5, 4);
    this.#solids(false);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.clearColor(...paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const shaded = { camera: matrix, sun, cell: 1 / SHADOW_SIDE, bias: 1.5 * cell };
    if (ground) this.#ground({ ...shaded, ...ground, eye, forward, paper });
    gl.useProgram(this.lit.program);
    this.#set(this.lit, { ...shaded, eye, up, light });
    this.grow = [this.lit.at.grow, (2 * ratio) / height / focal];
    this.#solids(false);
    gl.useProgram(this.liner.program);
    this.#set(this.liner, { camera: matrix, half_view: [width / 2 / ratio, height / 2 / ratio] });
    if (this.#fill(this.segments, this.lines, this.drawn))
      gl.drawArraysInstanced(gl.TRIANGLES, 0, QUAD.length / 2, this.drawn.length / 11);
    gl.useProgram(this.lit.program);
    // of what can be seen through only the nearest, before what lies in the same plane
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(-1, -4);
    gl.colorMask(false, false, false, false);
    this.#solids(true);
    gl.colorMask(true, true, true, true);
    gl.enable(gl.BLEND);
    gl.depthFunc(gl.EQUAL);
    this.#solids(true);
    gl.depthFunc(gl.LESS);
    gl.disable(gl.BLEND);
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  #set({ at }, values) {
    const { gl } = this;
    for (const [name, value] of Object.entries(values)) {
      if (!at[name]) continue;
      if (typeof value === "number") gl.uniform1f(at[name], value);
      else if (value.length === 16) gl.uniformMatrix4fv(at[name], false, value);
      else gl[`uniform${value.length}fv`](at[name], value);
    }
  }

  #ground(values) {
    const { gl } = this;
    gl.useProgram(this.floor.program);
    this.#set(this.floor, values);
    gl.bindVertexArray(this.segments);
    gl.depthMask(false);
    gl.drawArrays(gl.TRIANGLES, 0, QUAD.length / 2);
    gl.depthMask(true);
  }

  #solids(clear) {
    const { gl } = this;
    for (const { kept, R, p, color } of this.surfaces) {
      if ((color[3] < 1) !== clear) continue;
      gl.bindVertexArray(kept.array);
      [0, 1, 2].forEach((i) => gl.vertexAttrib3f(2 + i, R[i], R[i + 3], R[i + 6]));
      gl.vertexAttrib3f(5, ...p);
      gl.vertexAttrib4f(6, ...color);
      gl.vertexAttrib3f(7, 0, 0, 0);
      gl.uniform1f(this.grow[0], kept.growth * this.grow[1]);
      gl.drawElements(gl.TRIANGLES, kept.count, gl.UNSIGNED_INT, 0);
    }
    if (clear) return;
    gl.uniform1f(this.grow[0], 0);
    for (const [name, values] of Object.entries(this.copies)) {
      const { array, copies, count } = this.symbols[name];
      if (this.#fill(array, copies, values))
        gl.drawElementsInstanced(gl.TRIANGLES, count, gl.UNSIGNED_SHORT, 0, values.length / 19);
    }
  }

  // Put numbers into the buffer of an array that is drawn next; whether there are any.
  #fill(array, buffer, values) {
    const { gl } = this;
    if (!values.length) return false;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.DYNAMIC_DRAW);
    return true;
  }
}
