// Plots on a canvas: drag to zoom, double-click or Escape to go back, point to read values, legend to switch curves.

const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
const LINES = { dashed: [6, 3], order: [2, 4] }; // by name: backward whirl, multiples of a speed
const DECADES = 8;

// Of a curve's name its place in the palette, for all plots of a page.
const colorPlaces = new Map();

// Give names of curves their places: names on one plot differ, those that are shown at first before the others.
const shareColors = (plots) => {
  const names = (plot, shown) => plot.curves.filter((curve) => !shown || curve.shown).map(({ name }) => name);
  for (const shown of [true, false])
    for (const name of new Set(plots.flatMap((plot) => names(plot, shown)))) {
      if (colorPlaces.has(name)) continue;
      const together = plots.map((plot) => names(plot, shown)).filter((all) => all.includes(name)).flat();
      const taken = new Set(together.map((other) => colorPlaces.get(other)));
      let place = 0;
      while (taken.has(place)) place++;
      colorPlaces.set(name, place);
    }
};

// Places in the palette of curves of one plot, in an order: their own, or where another has that the first free one.
const placesOf = (curves, order) => {
  const places = new Map(), taken = new Set();
  for (const i of order) {
    let place = colorPlaces.get(curves[i].name) ?? 0;
    if (taken.has(place)) for (place = 0; taken.has(place); ) place++;
    taken.add(place);
    places.set(i, place);
  }
  return places;
};

class Plot {
  constructor(root, data, palette = LOOK.PALETTE) {
    Object.assign(this, { data, root });
    this.on = (v) => (data.log ? Math.log10(v) : v); // from a value to the axis, and back
    this.off = (v) => (data.log ? 10 ** v : v);
    const numbers = (values, Kind) => (typeof values === "string" ? unpack(values, Kind) : values);
    this.x = numbers(data.x.values, Float64Array).map(this.on);
    // Curves that are shown at first have colours of their own; those of a live page, not known yet, are the first.
    const shown = data.curves.map((curve, i) => curve.shown ?? i < palette.length);
    const order = [true, false].flatMap((on) => [...shown.keys()].filter((i) => shown[i] === on));
    const place = placesOf(data.curves, order);
    this.order = order;
    this.curves = data.curves.map((curve, i) => ({
      name: curve.name,
      line: curve.line,
      unit: curve.unit,
      values: numbers(curve.values),
      color: curve.line === "order" ? LOOK.GREY : palette[place.get(i) % palette.length],
      dash: LINES[curve.line] ?? DASHES[Math.floor(place.get(i) / palette.length) % DASHES.length],
      shown: shown[i],
    }));
    root.innerHTML = `<div class="head"><h3></h3><span class="files">${["SVG", "PNG", "CSV"].map((kind) =>
      `<button type="button" title="Save this plot as ${kind}">${kind}</button>`).join("")}</span></div>
      <div class="sheet"><canvas class="curves"></canvas>
      <canvas class="cursor" tabindex="0" role="img"></canvas></div><div class="legend"></div><p class="note"></p>`;
    root.querySelector("h3").textContent = data.title;
    root.querySelector(".note").textContent = data.note ?? "";
    [this.sheet, this.over] = root.querySelectorAll("canvas");
    this.over.setAttribute("aria-label", `${data.title}: ${data.y.name} over ${data.x.name}`);
    for (const button of root.querySelectorAll(".files button"))
      button.onclick = () => savePlot(this, button.textContent.toLowerCase());
    this.#legend();
    this.#mouse();
    this.marker = null;
    this.reset();
    new ResizeObserver(() => this.draw()).observe(this.sheet);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  #legend() {
    const legend = this.root.querySelector(".legend");
    for (const curve of this.order.map((i) => this.curves[i])) {
      const button = document.createElement("button");
      button.type = "button";
      button.innerHTML = `<svg width="22" height="8"><line x1="1" y1="4" x2="21" y2="4" stroke="${curve.color}"
        stroke-width="2.5" stroke-dasharray="${curve.dash.join(" ")}"/></svg><span></span><output></output>`;
      button.querySelector("span").textContent = curve.name;
      button.setAttribute("aria-pressed", curve.shown);
      button.onclick = () => {
        curve.shown = !curve.shown;
        button.setAttribute("aria-pressed", curve.shown);
        this.fit();
      };
      curve.output = button.querySelector("output");
      legend.append(button);
    }
  }

  // Of the samples: they are the horizontal axis, or that is another variable.
  get times() { return this.data.times ?? this.x; }

  // The part that is seen when nothing was chosen.
  span() {
    if (this.times === this.x) return [this.x[0], this.x.at(-1)];
    const [low, high] = [this.x.reduce((a, b) => Math.min(a, b)), this.x.reduce((a, b) => Math.max(a, b))];
    const room = 0.04 * (high - low) || 0.1 * Math.abs(high) || 1;
    return [low - room, high + room];
  }

  reset() {
    this.window = this.span();
    this.zoomed = false;
    this.fit();
  }

  zoom(x0, x1, y0, y1) {
    this.window = [x0, x1];
    this.heights = [y0, y1];
    this.zoomed = true;
    this.draw();
  }

  // Heights that hold all that is shown.
  fit() {
    if (this.zoomed) return this.draw();
    let low = Infinity, high = -Infinity;
    const bands = (this.data.bands ?? []).flatMap((band) => [band.low, band.high]);
    for (const values of [...this.curves.filter(({ shown }) => shown).map((curve) => curve.values), ...bands])
      for (const value of values) {
        const y = this.on(value);
        if (Number.isFinite(y)) { low = Math.min(low, y); high = Math.max(high, y); }
      }
    if (low > high) [low, high] = [0, 1];
    if (this.data.log) low = Math.max(low, high - DECADES);
    if (high - low < this.data.min_range) [low, high] = [low - this.data.min_range, high + this.data.min_range];
    const room = 0.06 * (high - low) || 0.1 * Math.abs(high) || 1;
    this.heights = [low - room, high + room];
    this.draw();
  }

  draw() {
    const found = penOf(this.sheet);
    if (!found || !penOf(this.over)) return;
    this.paint(found.pen, found.w, found.h);
    this.overlay();
  }

  // Axes, curves and marks by a pen, on a sheet of this size.
  paint(pen, w, h) {
    const style = getComputedStyle(this.root);
    const [text, line, ink, accent] = ["soft", "line", "ink", "accent"].map((x) => style.getPropertyValue(`--${x}`));
    this.inks = { text, line, ink, accent };
    const box = (this.box = { left: 62, top: this.data.marks?.length ? 26 : 12, right: w - 14, bottom: h - 44 });
    const [x0, x1] = this.window, [y0, y1] = this.heights;
    this.px = (x) => box.left + ((x - x0) / (x1 - x0)) * (box.right - box.left);
    this.py = (y) => box.bottom - ((this.on(y) - y0) / (y1 - y0)) * (box.bottom - box.top);
    this.#axes(pen, h);
    pen.save();
    pen.beginPath();
    pen.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    pen.clip();
    drawBands(this, pen);
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    for (const { shown, values, color, dash } of this.curves) {
      if (!shown) continue;
      pen.strokeStyle = color;
      pen.setLineDash(dash);
      pen.beginPath();
      for (let i = 0; i < values.length; i++) pen.lineTo(this.px(this.x[i]), this.py(values[i]));
      pen.stroke();
    }
    drawOrders(this, pen);
    pen.restore();
    drawMarks(this, pen);
  }

  #axes(pen, h) {
    const { box, inks } = this, [x0, x1] = this.window, [y0, y1] = this.heights;
    pen.font = font();
    pen.lineWidth = 1;
    pen.strokeStyle = inks.line;
    pen.fillStyle = inks.text;
    const line = (a, b, c, d) => { pen.beginPath(); pen.moveTo(a, b); pen.lineTo(c, d); pen.stroke(); };
    const { log } = this.data, across = ticks(x0, x1, Math.max(3, (box.right - box.left) / 90), log);
    pen.textAlign = "center";
    for (const x of across.values) {
      line(Math.round(this.px(x)) + 0.5, box.top, Math.round(this.px(x)) + 0.5, box.bottom);
      pen.fillText(written(this.off(x), across.step), this.px(x), box.bottom + 17);
    }
    const up = ticks(y0, y1, Math.max(3.5, (box.bottom - box.top) / 30), log);
    pen.textAlign = "right";
    for (const y of up.values) {
      const at = Math.round(box.bottom - ((y - y0) / (y1 - y0)) * (box.bottom - box.top)) + 0.5;
      line(box.left, at, box.right, at);
      pen.fillText(written(this.off(y), up.step), box.left - 7, at + 4);
    }
    pen.textAlign = "center";
    pen.fillStyle = inks.ink;
    pen.fillText(labelled(this.data.x), (box.left + box.right) / 2, h - 8);
    pen.save();
    pen.translate(13, (box.top + box.bottom) / 2);
    pen.rotate(-Math.PI / 2);
    const whole = labelled(this.data.y), fits = pen.measureText(whole).width < box.bottom - box.top + 16;
    pen.fillText(fits ? whole : printed(this.data.y.unit) || whole, 0, 0);
    pen.restore();
  }

  // What moves over the curves: the view's time, the pointer with the values there, the part being chosen.
  overlay() {
    const { box, over } = this, pen = over.getContext("2d"), ratio = devicePixelRatio || 1;
    if (!box || !over.clientWidth) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, over.clientWidth, over.clientHeight);
    const upright = (x, color) => {
      if (x < box.left - 1 || x > box.right + 1) return;
      pen.fillStyle = color;
      pen.fillRect(x - 0.5, box.top, 1, box.bottom - box.top);
    };
    if (this.marker !== null && this.times === this.x) upright(this.px(this.marker), LOOK.PAGE.alarm[0]);
    if (this.marker !== null && this.times !== this.x) this.#dots(pen, nearest(this.times, this.marker), LOOK.PAGE.alarm[0]);
    const i = this.at;
    if (i !== undefined) upright(this.px(this.x[i]), this.inks.text);
    for (const curve of this.curves) {
      const read = i !== undefined && curve.shown;
      curve.output.textContent = read && Number.isFinite(curve.values[i]) ? digits(curve.values[i], 5) : "";
    }
    if (i !== undefined) this.#dots(pen, i);
    if (i !== undefined) {
      pen.font = font();
      pen.fillStyle = this.inks.ink;
      pen.textAlign = this.px(this.x[i]) > (box.left + box.right) / 2 ? "right" : "left";
      const shift = pen.textAlign === "left" ? 6 : -6;
      const text = `${digits(this.off(this.x[i]), 5)} ${printed(this.data.x.unit)}`;
      pen.fillText(text, this.px(this.x[i]) + shift, box.bottom - 6);
    }
    if (this.drag) {
      const { x0, y0, x1, y1 } = this.drag;
      pen.fillStyle = `${LOOK.PAGE.accent[0]}33`;
      pen.fillRect(x0, y0, x1 - x0, y1 - y0);
    }
  }

  // Dots on the curves that are shown at a sample.
  #dots(pen, i, color) {
    const { box } = this, x = this.px(this.x[i]);
    for (const curve of this.curves) {
      const y = this.py(curve.values[i]);
      if (!curve.shown || !(y >= box.top && y <= box.bottom) || x < box.left - 1 || x > box.right + 1) continue;
      pen.fillStyle = color ?? curve.color;
      pen.beginPath();
      pen.arc(x, y, 3.5, 0, 7);
      pen.fill();
    }
  }

  #mouse() {
    const { over } = this;
    const place = (event) => {
      const frame = over.getBoundingClientRect(), { box } = this;
      const within = (v, a, b) => Math.min(b, Math.max(a, v));
      const x = within(event.clientX - frame.left, box.left, box.right);
      return [x, within(event.clientY - frame.top, box.top, box.bottom)];
    };
    const value = ([px, py]) => {
      const { box } = this, [x0, x1] = this.window, [y0, y1] = this.heights;
      const x = x0 + ((px - box.left) / (box.right - box.left)) * (x1 - x0);
      return [x, y0 + ((box.bottom - py) / (box.bottom - box.top)) * (y1 - y0)];
    };
    over.onpointerdown = (event) => {
      over.setPointerCapture(event.pointerId);
      const [x, y] = place(event);
      this.drag = { x0: x, y0: y, x1: x, y1: y };
    };
    over.onpointermove = (event) => {
      const [x, y] = place(event);
      if (this.drag) Object.assign(this.drag, { x1: x, y1: y });
      this.#point(value([x, y])[0], [x, y]);
    };
    over.onpointerup = () => {
      const { x0, y0, x1, y1 } = this.drag ?? {};
      this.drag = null;
      if (Math.abs(x1 - x0) > 5 && Math.abs(y1 - y0) > 5) {
        const [a, b] = [value([x0, y0]), value([x1, y1])];
        this.zoom(Math.min(a[0], b[0]), Math.max(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[1], b[1]));
      } else if (Math.abs(x1 - x0) > 5) {
        const [a, b] = [value([x0, y0])[0], value([x1, y1])[0]];
        this.zoom(Math.min(a, b), Math.max(a, b), ...this.heights);
      } else if (x0 !== undefined && this.x.length) this.onpick?.(this.times === this.x ? value([x0, y0])[0] : this.times[this.at]);
      this.overlay();
    };
    over.onpointerleave = over.onblur = () => { this.at = undefined; this.overlay(); };
    over.ondblclick = () => this.reset();
    over.onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === "Escape") this.reset();
      if (!step) return;
      event.preventDefault();
      this.at = Math.min(this.x.length - 1, Math.max(0, (this.at ?? 0) + step));
      this.overlay();
    };
  }

  // The sample that is read: the nearest along the axis, or where that is no time the nearest to the pointer.
  #point(x, [px, py]) {
    if (this.times === this.x) this.at = nearest(this.x, x);
    else {
      let best = Infinity;
      for (const { shown, values } of this.curves)
        for (let i = 0; shown && i < values.length; i++) {
          const far = Math.hypot(this.px(this.x[i]) - px, this.py(values[i]) - py);
          if (far < best) { best = far; this.at = i; }
        }
    }
    this.overlay();
  }
}
