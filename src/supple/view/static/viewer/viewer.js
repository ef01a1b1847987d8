// The 3-D view: the bodies in motion, the symbols beside them, and the camera.

const SHOWN = ["joints", "springs", "contacts", "loads", "reactions", "traces", "labels", "frames", "centres", "boxes", "ground"];
const MOST_TRACED = 40000; // bodies times frames from which paths are made
const FITTED = 60; // configurations that the camera sees all of

class Viewer {
  constructor(root, scene, most) {
    Object.assign(this, { root, scene, scale: 1, listeners: [] });
    this.motion = new Motion(scene, most);
    this.time = this.motion.start;
    this.canvas = root.querySelector("canvas.space");
    this.names = root.querySelector("canvas.names");
    this.control = (name) => root.querySelector(`[name=${name}]`);
    const down = Math.hypot(...scene.gravity);
    this.up = down > 0 ? scene.gravity.map((g) => -g / down) : [0, 0, 1];
    this.camera = new Camera(this.up, scene.front);
    this.extent = Math.hypot(...scene.high.map((h, i) => h - scene.low[i])) || scene.size;
    this.drawing = new Drawing(this.canvas);
    this.symbols = new Symbols(this.drawing, scene);
    this.labels = new Labels(this.names);
    this.#dress();
    this.#controls();
    this.coloring = new Coloring(this);
    this.#mouse();
    this.#traces();
    this.resetView(false);
    new ResizeObserver(() => this.refit()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  #dress() {
    this.surfaces = [this.scene.ground?.surfaces ?? [], ...this.scene.bodies.map((body) => body.surfaces ?? [])].map((list) =>
      list.map((data) => new Surface(this.drawing, data)));
  }

  // The same mechanism with other numbers: another scene, the frames stay.
  adopt(scene) {
    const { frames, most } = this.motion;
    this.scene = scene;
    this.motion = new Motion(scene, most);
    this.motion.frames = frames;
    this.#dress();
    this.#traces();
  }

  // Look at all of the motion, or with a body that is followed at all of the mechanism around it.
  resetView(face = true) {
    const points = this.#seen(!this.followed);
    if (face) this.camera.angle = this.camera.front;
    this.light = this.camera.sun();
    this.camera.fit([...points, ...this.#room()], this.aspect || 1);
    this.fitted = this.aspect;
    this.draw();
  }

  // Of the picture beside the column that a scale keeps free.
  get aspect() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    return (w - this.#column()) / h;
  }

  #column() { return this.coloring?.quantity ? this.labels.column : 0; }

  // A picture of another shape is filled again, unless the reader has chosen what to look at.
  refit() {
    if (this.fitted !== undefined && Math.abs(this.aspect - this.fitted) > 0.01) this.resetView(false);
    else this.draw();
  }

  // Corners of the surfaces, joints and ends in some configurations: all over the motion, or relative to what is followed.
  #seen(all) {
    const { motion, scene } = this, frames = motion.frames, out = [];
    const count = all ? Math.min(FITTED, frames.length) : Math.min(8, frames.length);
    for (let n = 0; n < count; n++) {
      motion.move(frames[Math.round((n * (frames.length - 1)) / Math.max(count - 1, 1))].time, this.scale);
      const origin = all ? [0, 0, 0] : this.centre();
      const add = (p) => out.push(plus(p, origin, -1));
      const counts = (k) => all || k > 0; // what stands on the ground passes by what is followed
      motion.places.forEach(({ body }, i) => { if (counts(body)) add(motion.place(i).p); });
      this.surfaces.forEach((list, k) => list.forEach(({ data, corners8 }) => {
        if (counts(k) && data.name !== "inertia") for (const x of corners8) add(moved(motion.poses[k].R, motion.poses[k].p, x));
      }));
      for (let k = 1; k < motion.poses.length; k++) add(motion.poses[k].p);
    }
    const room = 0.02 * scene.symbol, shifts = [[room, 0, 0], [0, room, 0], [0, 0, room]];
    return [...out, ...shifts.flatMap((s) => [plus(out[0], s), plus(out[0], s, -1)])];
  }

  // Of a motion that is not known beforehand the corners of the room that it may take; none if a body is followed.
  #room() {
    const { low, high } = this.scene;
    if (this.followed || this.motion.most === Infinity) return [];
    return [0, 1, 2, 3, 4, 5, 6, 7].map((n) => [0, 1, 2].map((i) => ((n >> i) & 1 ? high[i] : low[i])));
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
    const { control, scene, motion } = this;
    control("deformation").oninput = (event) => {
      this.scale = 10 ** Number(event.target.value);
      this.#traces();
      this.draw();
    };
    control("deformation").closest("label").hidden = !motion.modes;
    scene.bodies.forEach(({ name }, i) => { if (name) control("follow").add(new Option(name, i + 1)); });
    control("follow").value = scene.follow ? "all" : "";
    control("follow").onchange = () => this.resetView(false);
    control("home").onclick = () => this.resetView();
    control("shot").onclick = () => savePicture(this);
    control("film").onclick = () => this.film();
    control("film").hidden = !Recorder.kind;
    const some = (kind) => scene.symbols.some(({ group }) => group === kind);
    const has = { joints: some("joints"), springs: some("springs"), contacts: some("contacts"), loads: this.#forces("load").length, frames: scene.frames.length,
      reactions: this.#forces("reaction").length, ground: Math.hypot(...scene.gravity), traces: scene.traces.length,
      boxes: scene.bodies.some((body) => body.surfaces?.some((s) => s.name === "inertia")) };
    for (const name of SHOWN) {
      control(name).onchange = () => this.draw();
      control(name).closest("label").hidden = name in has && !has[name];
    }
    this.canvas.addEventListener("keydown", (event) => {
      const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
      const zoom = { "+": 0.9, "=": 0.9, "-": 1 / 0.9 }[event.key];
      if (!turn && !zoom) return;
      event.preventDefault();
      if (turn) this.#turn(...turn); else this.#zoom(zoom);
    });
  }

  // Record what is seen until the next call, then save it.
  async film(on = !this.recorder) {
    if (on === Boolean(this.recorder)) return;
    this.control("film").textContent = on ? "End film" : "Film";
    const { recorder } = this;
    this.recorder = on ? new Recorder(this) : undefined;
    if (recorder) save(await recorder.stop(), fileName(document.title, Recorder.kind.slice(6, 10).replace(";", "")));
  }

  get followed() { return this.control("follow").value; }

  shows(name) { return this.control(name).checked && !this.control(name).closest("label").hidden; }

  #turn(a, b) {
    this.camera.turn(a, b);
    this.draw();
  }

  #zoom(factor) {
    this.camera.distance *= factor;
    this.fitted = undefined;
    this.draw();
  }

  // Drag to turn; drag with the shift key, another button or two fingers to shift; wheel or pinch to zoom.
  #mouse() {
    const held = new Map(), { canvas, camera } = this;
    const spread = () => { const [a, b] = [...held.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    };
    canvas.onpointerup = canvas.onpointercancel = (event) => held.delete(event.pointerId);
    canvas.onpointermove = (event) => {
      const before = held.get(event.pointerId);
      if (!before) return;
      const dx = event.clientX - before.x, dy = event.clientY - before.y, apart = held.size === 2 ? spread() : 0;
      held.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (apart) this.#zoom(apart / (spread() || 1));
      if (apart || event.shiftKey || event.buttons > 1) {
        const { x, y } = camera.axes(), s = camera.distance / canvas.clientHeight / (apart ? 3 : 1.5);
        camera.target = plus(plus(camera.target, x, -s * dx), y, s * dy);
        this.fitted = undefined;
        this.draw();
      } else this.#turn(-0.008 * dx, 0.008 * dy);
    };
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.#zoom(Math.exp(0.001 * event.deltaY));
    }, { passive: false });
  }

  // The middle of the bodies, or the origin of the one that is followed.
  centre() {
    const { poses } = this.motion, k = Number(this.followed), all = poses.slice(1);
    if (k > 0) return poses[k].p;
    return [0, 1, 2].map((i) => all.reduce((sum, pose) => sum + pose.p[i], 0) / all.length);
  }

  #traces() {
    const every = Math.ceil((this.motion.frames.length * this.motion.bodies.length) / MOST_TRACED);
    this.paths = this.motion.paths(this.scene.traces.map((trace) => trace.place), this.scale, undefined, every);
  }

  color(k) {
    return rgb(this.motion.bodies[k]?.color ?? LOOK.GREY);
  }

  draw() {
    const ratio = devicePixelRatio || 1, { clientWidth: w, clientHeight: h } = this.canvas;
    if (!w || !h) return;
    for (const canvas of [this.canvas, this.names])
      if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio))
        [canvas.width, canvas.height] = [Math.round(w * ratio), Math.round(h * ratio)];
    const dark = matchMedia("(prefers-color-scheme: dark)").matches, { drawing, scene, motion, symbols } = this;
    motion.move(this.time, this.scale);
    const centre = this.followed ? this.centre() : [0, 0, 0];
    const view = this.camera.view(this.aspect, 1 - this.#column() / w, centre, this.extent + scene.size);
    drawing.begin();
    this.labels.begin(view.matrix, w, h, ratio, dark);
    this.coloring?.begin();
    this.surfaces.forEach((list, k) => this.#body(k, list, dark));
    this.#symbols(dark);
    if (this.shows("traces")) this.#paths();
    for (const kind of ["load", "reaction"]) if (this.shows(`${kind}s`)) this.#arrows(kind, symbols.paint(kind, dark));
    if (this.shows("frames")) for (const frame of scene.frames) this.#frame(frame);
    if (this.shows("centres")) this.#centres();
    if (this.shows("labels")) this.#bodyNames();
    this.labels.axes(this.camera.axes());
    this.coloring?.draw();
    this.overlay?.();
    drawing.end(view, sceneryOf(this, this.centre(), dark), this.canvas.width, this.canvas.height, ratio);
    this.root.querySelector(".factor").textContent = `${this.scale.toFixed(this.scale < 9.95 ? 1 : 0)}\u00d7`;
    this.drawnListener?.();
  }

  // On a dark background dark colours are lifted, so that black parts do not vanish.
  #body(k, list, dark) {
    const { motion, drawing } = this;
    for (const surface of list) {
      const { name, color, opacity = 1, place } = surface.data;
      if (name === "inertia" && !this.shows("boxes")) continue;
      if (surface.shapes) surface.deform(motion.eta, motion.bodies[k]);
      const pose = place === undefined ? motion.poses[k] : motion.place(place);
      if (surface.shapes) this.coloring?.apply(surface, motion.bodies[k], pose);
      const own = color ? rgb(color) : this.color(k), lift = dark ? Math.max(0, LOOK.LIFTED - Math.max(...own)) : 0;
      drawing.surface(surface.kept, pose, [...own.map((c) => c + lift), opacity]);
    }
  }

  #symbols(dark) {
    const { motion, scene, symbols } = this, shown = { rods: true }, metal = symbols.paint("metal", dark), mark = symbols.paint("contact", dark);
    for (const group of ["joints", "springs", "contacts"]) shown[group] = this.shows(group);
    for (const { group, shape, size, ends: [a, b], stop } of scene.symbols)
      if (shown[group] && (stop === undefined || motion.touches(stop)))
        symbols.between(shape, size, motion.point(a), motion.point(b), group === "contacts" ? mark : metal);
  }

  #paths() {
    const { drawing, motion, scene } = this;
    this.paths.forEach((path, i) => {
      const color = this.color(motion.places[scene.traces[i].place].body);
      for (let j = 1; j < path.length; j++) drawing.line(path[j - 1], path[j], 2 * LOOK.PATH, color);
    });
  }

  // Forces and moments of a kind that are recorded with the motion.
  #forces(kind) { return (this.scene.forces ?? []).filter((force) => force.kind === kind); }

  // Arrows to one scale for all forces of a kind, and one for its moments; a force pushes at its point, a moment leaves it.
  #arrows(kind, color) {
    const { motion, symbols, labels, scene } = this;
    (scene.forces ?? []).forEach((item, row) => {
      if (item.kind !== kind) return;
      const { p } = motion.pose(item.at), x = motion.force(row), [perMoment, perForce] = scene.scales[kind];
      for (const [part, scale, shape, unitName] of [[x.slice(0, 3), perMoment, "moment", "N m"], [x.slice(3), perForce, "force", "N"]]) {
        const d = (item.axes ? along(motion.pose(item.axes).R, part) : part).map((v) => scale * v);
        const pushes = kind === "load" && shape === "force", start = pushes ? plus(p, d, -1) : p;
        if (symbols.arrow(start, d, color, shape))
          labels.write(`${brief(Math.hypot(...part))} ${unitName}`, pushes ? start : plus(p, d), 6, labels.soft);
      }
    });
  }

  #frame({ name, place }) {
    const pose = this.motion.place(place);
    this.symbols.triad(pose, 0.07 * this.scene.symbol);
    this.labels.write(name, pose.p, 6);
  }

  #centres() {
    const { motion, symbols, scene } = this, sum = [0, 0, 0];
    let mass = 0;
    for (let k = 1; k < motion.bodies.length; k++) {
      const body = motion.bodies[k], { R, p } = motion.poses[k], at = moved(R, p, body.com);
      symbols.centre(at, 0.011 * scene.symbol, this.color(k));
      for (let i = 0; i < 3; i++) sum[i] += body.mass * at[i];
      mass += body.mass;
    }
    if (!(mass > 0)) return;
    const whole = sum.map((x) => x / mass);
    symbols.centre(whole, 0.02 * scene.symbol, [0.93, 0.75, 0.1]);
    this.labels.write("centre of mass", whole, 10);
  }

  #bodyNames() {
    const { motion, labels } = this;
    for (let k = 1; k < motion.bodies.length; k++) {
      const { name, com } = motion.bodies[k], { R, p } = motion.poses[k];
      if (name) labels.write(name, moved(R, p, com), 10);
    }
  }
}
