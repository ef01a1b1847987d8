// Surfaces of flexible bodies coloured by a quantity: the scale beside the view, and the mark of the largest value.

class Coloring {
  constructor(viewer) {
    this.viewer = viewer;
    this.most = {};
    const { fields = {} } = viewer.scene, select = viewer.control("color"), names = Object.keys(LOOK.QUANTITIES);
    this.table = LOOK.COLORS.map(rgb);
    for (const name of names) this.most[name] = fields[name] ?? 0;
    const live = viewer.motion.most !== Infinity;
    const all = viewer.scene.bodies.flatMap((body) => body.surfaces ?? []);
    const known = { displacement: all.some((x) => x.shapes), strain: all.some((x) => x.stress), stress: all.some((x) => x.stress) };
    for (const name of names)
      if (known[name] && (live || this.most[name] > 0)) select.add(new Option(name, name));
    select.closest("label").hidden = select.options.length < 2;
    select.value = [...select.options].some((x) => x.value === viewer.scene.color) ? viewer.scene.color : "";
    select.onchange = () => viewer.refit();
  }

  get quantity() { return this.viewer.control("color").value; }

  // Red, green, blue and opacity of a share of the scale.
  color(share) {
    const x = Math.min(1, Math.max(0, share)) * (this.table.length - 1), i = Math.min(Math.floor(x), this.table.length - 2);
    return [...[0, 1, 2].map((c) => this.table[i][c] + (x - i) * (this.table[i + 1][c] - this.table[i][c])), 1];
  }

  // Colour a surface that was just deformed; remembers where the largest value is.
  apply(surface, body, pose) {
    const { quantity, viewer } = this;
    if (surface.kept.colored && !quantity) { surface.paint(null); surface.kept.colored = false; }
    if (!quantity) return;
    const values = surface.values(quantity, viewer.motion.eta, body, viewer.scale);
    if (!values) return;
    let at = 0;
    for (let v = 1; v < values.length; v++) if (values[v] > values[at]) at = v;
    this.most[quantity] = Math.max(this.most[quantity], values[at]);
    const whole = this.most[quantity] || 1;
    surface.paint(values, (x) => this.color(x / whole));
    surface.kept.colored = true;
    if (!this.worst || values[at] > this.worst.value) {
      this.worst = { value: values[at], p: moved(pose.R, pose.p, surface.place(at, viewer.motion.eta, body)) };
    }
  }

  begin() { this.worst = null; }

  // The scale at the right, and the largest value of this moment where it is.
  draw() {
    const { quantity, viewer: { labels } } = this;
    if (!quantity) return;
    const [word, unitName] = LOOK.QUANTITIES[quantity], most = this.most[quantity];
    const [size, prefix] = unitName ? LOOK.PREFIXES.find(([s]) => most >= s) ?? LOOK.PREFIXES.at(-1) : [1, ""];
    const show = (x) => brief(x / size);
    if (this.worst?.value > 0) labels.mark(`${show(this.worst.value)} ${prefix}${unitName}`.trim(), this.worst.p);
    labels.scale(LOOK.COLORS, Array.from({ length: LOOK.TICKS }, (_, i) => show((i / (LOOK.TICKS - 1)) * most)), `${word}${unitName ? `, ${prefix}${unitName}` : ""}`);
  }
}
