// The 3-D view: camera, what is drawn of each body, and how.

class Viewer {
  constructor(root, scene, palette, most) {
    this.root = root;
    this.scene = scene;
    this.palette = palette;
    this.motion = new Motion(scene, most);
    this.time = this.motion.start;
    this.scale = 1;
    this.listeners = [];
    this.canvas = root.querySelector("canvas.space");
    this.names = root.querySelector("canvas.names");
    this.control = (name) => root.querySelector(`[name=${name}]`);
    const down = Math.hypot(...scene.gravity);
    this.up = down > 0 ? scene.gravity.map((g) => -g / down) : [0, 0, 1];
    const side = Math.abs(this.up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    this.right = unit(cross(cross(this.up, side), this.up));
    this.ahead = cross(this.up, this.right);
    this.extent = Math.hypot(...scene.high.map((h, i) => h - scene.low[i])) || scene.size;
    this.control("follow").checked = scene.follow;
    this.drawing = new Drawing(this.canvas);
    this.#controls();
    this.#mouse();
    this.#traces();
    this.resetView();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  resetView() {
    this.angle = [-0.9, 0.35];
    const follow = this.control("follow").checked;
    this.distance = 1.2 * (follow ? 1.6 * this.scene.size : this.extent);
    this.target = follow ? [0, 0, 0] : this.scene.low.map((l, i) => (l + this.scene.high[i]) / 2);
    this.draw();
  }

  seek(time) {
    this.time = Math.min(this.motion.stop, Math.max(this.motion.start, time));
    this.draw();
    this.listeners.forEach((tell) => tell(this.time));
  }

  // Frames that follow those it has, or take their place; they are not drawn yet.
  append(frames, afresh = false) {
    if (afresh) this.motion.clear();
    const added = this.motion.append(frames), kept = this.motion.frames.length;
    const news = this.motion.paths(this.scene.traces.map((trace) => trace.place), this.scale, added);
    this.paths = this.paths.map((path, i) => (afresh ? news[i] : path.concat(news[i])).slice(-kept));
  }

  #controls() {
    this.control("deformation").oninput = (event) => {
      this.scale = 10 ** Number(event.target.value);
      this.#traces();
      this.draw();
    };
    this.control("deformation").closest("label").hidden = !this.motion.modes;
    this.control("home").onclick = () => this.resetView();
    this.control("follow").onchange = () => this.resetView();
    for (const name of ["boxes", "traces", "labels"]) this.control(name).onchange = () => this.draw();
    this.canvas.addEventListener("keydown", (event) => {
      const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
      const zoom = { "+": 0.9, "=": 0.9, "-": 1 / 0.9 }[event.key];
      if (!turn && !zoom) return;
      event.preventDefault();
      if (turn) this.#turn(...turn); else this.#zoom(zoom);
    });
  }

  #turn(a, b) {
    this.angle = [this.angle[0] + a, Math.min(1.55, Math.max(-1.55, this.angle[1] + b))];
    this.draw();
  }

  #zoom(factor) {
    this.distance *= factor;
    this.draw();
  }

  // Drag to turn; drag with the shift key, another button or two fingers to shift; wheel or pinch to zoom.
  #mouse() {
    const held = new Map();
    const spread = () => { const [a, b] = [...held.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };
    this.canvas.onpointerdown = (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    };
    this.canvas.onpointerup = this.canvas.onpointercancel = (event) => held.delete(event.pointerId);
    this.canvas.onpointermove = (event) => {
      const before = held.get(event.pointerId);
      if (!before) return;
      const dx = event.clientX - before.x, dy = event.clientY - before.y, apart = held.size === 2 ? spread() : 0;
      held.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (apart) this.#zoom(apart / (spread() || 1));
      if (apart || event.shiftKey || event.buttons > 1) {
        const { x, y } = this.camera(), s = this.distance / this.canvas.clientHeight / (apart ? 3 : 1.5);
        this.target = this.target.map((t, i) => t - s * dx * x[i] + s * dy * y[i]);
        this.draw();
      } else this.#turn(-0.008 * dx, 0.008 * dy);
    };
    this.canvas.oncontextmenu = (event) => event.preventDefault();
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.#zoom(Math.exp(0.001 * event.deltaY));
    }, { passive: false });
  }

  // Axes of the screen and the matrix from space to it, column by column.
  camera() {
    const [a, b] = this.angle, combine = (r, f, u) =>
      [0, 1, 2].map((i) => r * this.right[i] + f * this.ahead[i] + u * this.up[i]);
    const z = combine(Math.cos(b) * Math.cos(a), Math.cos(b) * Math.sin(a), Math.sin(b));
    const x = combine(-Math.sin(a), Math.cos(a), 0), y = cross(z, x);
    const target = this.control("follow").checked ? this.#middle().map((m, i) => m + this.target[i]) : this.target;
    const eye = target.map((t, i) => t + this.distance * z[i]);
    const aspect = this.canvas.clientWidth / this.canvas.clientHeight || 1;
    const f = Math.min(1, aspect) / Math.tan(0.3), wide = f / aspect;
    const near = 0.02 * this.distance, far = this.distance + 4 * (this.extent + this.scene.size) + 20 * this.scene.size;
    const p = (far + near) / (near - far), r = (2 * far * near) / (near - far);
    const t = [-dot(x, eye), -dot(y, eye), -dot(z, eye)];
    const columns = [0, 1, 2].map((i) => [wide * x[i], f * y[i], p * z[i], -z[i]]);
    const matrix = new Float32Array([...columns.flat(), wide * t[0], f * t[1], p * t[2] + r, -t[2]]);
    return { x, y, eye, up: this.up, matrix };
  }

  #middle() {
    const all = this.motion.poses.slice(1);
    return [0, 1, 2].map((i) => all.reduce((sum, pose) => sum + pose.p[i], 0) / all.length);
  }

  #traces() {
    this.paths = this.motion.paths(this.scene.traces.map((trace) => trace.place), this.scale);
  }

  color(k) {
    const n = (this.motion.bodies[k]?.color ?? k) - 1;
    return [1, 3, 5].map((i) => parseInt(this.palette[n % this.palette.length].slice(i, i + 2), 16) / 255);
  }

  draw() {
    const ratio = devicePixelRatio || 1, { clientWidth: w, clientHeight: h } = this.canvas;
    for (const canvas of [this.canvas, this.names])
      if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio))
        [canvas.width, canvas.height] = [Math.round(w * ratio), Math.round(h * ratio)];
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const grey = (light, night) => Array(3).fill(dark ? night : light);
    this.motion.move(this.time, this.scale);
    const camera = this.camera(), { drawing, scene, motion } = this, thin = 0.0012 * this.distance;
    drawing.begin(camera, dark ? [0.086, 0.102, 0.125] : [0.965, 0.973, 0.98], this.canvas.width, this.canvas.height);
    this.#ground(thin, grey(0.82, 0.24));
    for (let k = 1; k < motion.bodies.length; k++) this.#body(k, thin, grey(0.35, 0.8));
    for (const [k, i] of scene.links)
      drawing.tube(motion.poses[k].p, motion.place(i).p, Math.max(0.008 * scene.symbol, 1.5 * thin), this.color(k));
    for (const [a, b] of scene.springs)
      drawing.tube(motion.place(a).p, motion.place(b).p, 2 * thin, grey(0.45, 0.65), true);
    if (this.control("traces").checked)
      this.paths.forEach((path, i) => {
        const color = this.color(motion.places[scene.traces[i].place].body);
        for (let j = 1; j < path.length; j++) drawing.tube(path[j - 1], path[j], thin, color, true);
        drawing.ball(motion.place(scene.traces[i].place).p, 0.011 * scene.symbol, color);
      });
    drawing.end();
    this.#text(camera, ratio, dark);
    this.root.querySelector(".factor").textContent = `${this.scale.toFixed(this.scale < 9.95 ? 1 : 0)}\u00d7`;
  }

  #body(k, thin, grey) {
    const body = this.motion.bodies[k], { R, p } = this.motion.poses[k];
    const { drawing, scene } = this, color = this.color(k);
    if (!body.fixed) drawing.ball(p, 0.016 * scene.symbol, grey);
    if (body.box && this.control("boxes").checked) {
      const centre = moved(R, p, body.box.centre), least = 0.012 * scene.symbol;
      if (Math.max(...body.box.sides) < least) drawing.ball(centre, 2.5 * least, color);
      else drawing.box(times(R, body.box.axes), centre, body.box.sides.map((s) => Math.max(s, least)), color);
      drawing.tube(p, centre, 0.005 * scene.symbol, color);
    }
    if (!body.nodes.length) return;
    const x = this.motion.nodes(k), at = (i) => x.subarray(3 * i, 3 * i + 3);
    const radius = Math.max(0.008 * scene.symbol, 1.5 * thin);
    for (let i = 0; i < body.lines.length; i += 2) {
      drawing.tube(at(body.lines[i]), at(body.lines[i + 1]), radius, color);
      for (const j of [0, 1]) drawing.ball(at(body.lines[i + j]), radius, color);
    }
    if (body.triangles.length) drawing.surface(x, body.triangles, color);
  }

  // Axes at the ground's origin, and with gravity a floor below everything.
  #ground(thin, color) {
    const { drawing, scene } = this, length = 0.18 * scene.size;
    this.axes = [0, 1, 2].map((i) => [0, 1, 2].map((j) => (i === j ? length : 0)));
    const colors = [[0.85, 0.25, 0.2], [0.2, 0.65, 0.3], [0.25, 0.45, 0.9]];
    this.axes.forEach((end, i) => drawing.tube([0, 0, 0], end, 2 * thin, colors[i], true));
    if (!Math.hypot(...scene.gravity)) return;
    const middle = scene.low.map((l, i) => (l + scene.high[i]) / 2);
    const lowest = [0, 1, 2].map((i) => (this.up[i] > 0 ? scene.low[i] : scene.high[i]));
    const level = Math.min(0, dot(lowest, this.up));
    const rough = (1.6 * this.extent) / 12, decade = 10 ** Math.floor(Math.log10(rough));
    const cell = decade * [1, 2, 5, 10].find((m) => m * decade >= rough);
    const base = [this.right, this.ahead].map((axis) => Math.round(dot(middle, axis) / cell) * cell);
    const point = (i, j) => [0, 1, 2].map((c) =>
      (base[0] + i * cell) * this.right[c] + (base[1] + j * cell) * this.ahead[c] + level * this.up[c]);
    for (let i = -6; i <= 6; i++) {
      drawing.tube(point(i, -6), point(i, 6), 0.6 * thin, color, true);
      drawing.tube(point(-6, i), point(6, i), 0.6 * thin, color, true);
    }
    this.cell = cell;
  }

  // Names of the axes and, if wanted, of the bodies, on a second canvas.
  #text({ matrix: m }, ratio, dark) {
    const pen = this.names.getContext("2d"), { clientWidth: w, clientHeight: h } = this.canvas;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, w, h);
    pen.font = "12px system-ui, sans-serif";
    pen.lineWidth = 3;
    pen.strokeStyle = dark ? "#161a20" : "#f6f8fa";
    const taken = [];
    const write = (text, p, color, shift) => {
      const [x, y, , d] = [0, 1, 2, 3].map((i) => m[i] * p[0] + m[i + 4] * p[1] + m[i + 8] * p[2] + m[i + 12]);
      if (d <= 0) return;
      const at = [(0.5 + (0.5 * x) / d) * w + shift, (0.5 - (0.5 * y) / d) * h - shift];
      const { width } = pen.measureText(text);
      if (taken.some(([x, y, w]) => Math.abs(at[1] - y) < 14 && at[0] < x + w && x < at[0] + width)) return;
      taken.push([...at, width]);
      pen.strokeText(text, ...at);
      pen.fillStyle = color;
      pen.fillText(text, ...at);
    };
    const ink = dark ? "#c9d1d9" : "#30363d";
    if (this.control("labels").checked)
      for (let k = 1; k < this.motion.bodies.length; k++) {
        const body = this.motion.bodies[k], { R, p } = this.motion.poses[k], n = body.nodes.length;
        if (!body.name) continue;
        const middle = 3 * Math.floor(n / 6), x = n ? this.motion.nodes(k).subarray(middle, middle + 3) : null;
        write(body.name, x ?? moved(R, p, body.box.centre), ink, 10);
      }
    this.axes.forEach((end, i) => write("xyz"[i], end, ink, 4));
    if (this.cell) { pen.fillStyle = dark ? "#8b949e" : "#6e7781"; pen.fillText(`grid ${this.cell} m`, 12, h - 12); }
  }
}
