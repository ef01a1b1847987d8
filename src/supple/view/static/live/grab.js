// Taking hold of bodies: a press near one draws it to the pointer with a spring, and the force is shown.

const NEAR = { mouse: 18, pen: 20, touch: 28 }; // pixels around a point that count as its own
const PULL = [0.85, 0.2, 0.25];

class Grabber {
  // `grips` are {bodies, places}: of each point its body and its place there; `send` takes commands.
  constructor(viewer, { bodies, places }, send) {
    Object.assign(this, { viewer, bodies, send, places: unpack(places), held: null, pull: null });
    const stage = viewer.canvas.parentElement;
    stage.addEventListener("pointerdown", (event) => this.#take(event), { capture: true });
    stage.addEventListener("pointermove", (event) => this.#move(event), { capture: true });
    for (const kind of ["pointerup", "pointercancel"])
      stage.addEventListener(kind, (event) => this.#release(event), { capture: true });
    viewer.overlay = () => this.#draw();
  }

  // Where a point is now.
  at(i) {
    const { R, p } = this.viewer.motion.poses[this.bodies[i]];
    return moved(R, p, this.places.subarray(3 * i, 3 * i + 3));
  }

  // The point nearest to the pointer, -1 if none is near.
  find({ offsetX, offsetY, pointerType }) {
    let best = -1, least = NEAR[pointerType] ?? NEAR.mouse;
    this.bodies.forEach((_, i) => {
      const shown = this.viewer.labels.at(this.at(i));
      const far = shown ? Math.hypot(shown[0] - offsetX, shown[1] - offsetY) : Infinity;
      if (far < least) [best, least] = [i, far];
    });
    return best;
  }

  #take(event) {
    if (event.button !== 0 || event.shiftKey || this.held) return;
    const grip = this.find(event);
    if (grip < 0) return;
    event.stopPropagation();
    event.preventDefault();
    this.viewer.canvas.setPointerCapture(event.pointerId);
    this.held = { grip, pointer: event.pointerId, x: event.offsetX, y: event.offsetY, target: this.at(grip) };
    this.#tell();
  }

  // The target moves in the plane of the picture, as deep as it is.
  #move(event) {
    const { held, viewer } = this, { canvas, camera } = viewer;
    if (!held) { canvas.classList.toggle("near", !event.buttons && this.find(event) >= 0); return; }
    if (event.pointerId !== held.pointer) return;
    event.stopPropagation();
    const m = viewer.labels.matrix, t = held.target, { x, y } = camera.axes();
    const depth = m[3] * t[0] + m[7] * t[1] + m[11] * t[2] + m[15];
    const s = (2 * depth) / (camera.lens(viewer.aspect)[1] * canvas.clientHeight);
    held.target = plus(plus(t, x, s * (event.offsetX - held.x)), y, -s * (event.offsetY - held.y));
    [held.x, held.y] = [event.offsetX, event.offsetY];
    this.#tell();
  }

  #release(event) {
    if (event.pointerId !== this.held?.pointer) return;
    event.stopPropagation();
    this.held = this.pull = null;
    this.send({ release: true });
    this.viewer.draw();
  }

  #tell() {
    this.send({ grab: { grip: this.held.grip, target: this.held.target } });
    this.viewer.draw();
  }

  // The spring from the point to the pointer, and its force.
  #draw() {
    if (!this.held) return;
    const { viewer, held, pull } = this, from = pull?.point ?? this.at(held.grip);
    viewer.drawing.line(from, held.target, 2.5, PULL);
    viewer.symbols.centre(from, 0.02 * viewer.scene.symbol, PULL);
    viewer.symbols.centre(held.target, 0.012 * viewer.scene.symbol, PULL);
    const force = pull ? `${brief(Math.hypot(...pull.force))} N` : "run to pull";
    viewer.labels.write(force, held.target, 10);
  }
}
