// Any variable over time or against any other: a list that is searched, and the plot of what is chosen in it.

const MOST_ROWS = 200; // of the list at a time

class Explorer {
  constructor(root, plots, addPlot) {
    const timed = plots.filter((plot) => plot.data.x.unit === "s" && plot.times === plot.x);
    Object.assign(this, { root, addPlot, x: null, chosen: new Set(), marker: null });
    this.times = timed[0]?.x ?? new Float64Array(0);
    const seen = new Set();
    this.variables = timed.flatMap(({ data: { title, y }, curves, x }) => curves
      .filter(({ name }) => x.length === this.times.length && !seen.has(`${title}\n${name}`) && seen.add(`${title}\n${name}`))
      .map(({ name, values }) => ({ name, title, unit: y.unit, values, reach: spanOf(values) })));
    this.list = root.querySelector(".variables");
    root.querySelector("[name=search]").oninput = () => this.#rows();
    root.querySelector("[name=over_time]").onclick = () => { this.x = null; this.#changed(); };
    root.querySelector("[name=all]").onclick = () => this.#saveAll();
    const first = this.variables.find((variable) => variable.reach > 0) ?? this.variables[0];
    if (first) this.chosen.add(first);
    this.#changed();
  }

  // Variables whose name, title or unit has all words that are looked for.
  found() {
    const words = this.root.querySelector("[name=search]").value.toLowerCase().split(/\s+/);
    return this.variables.filter(({ name, title, unit }) => {
      const text = `${title} ${name} ${unit}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  #rows() {
    const found = this.found();
    this.list.replaceChildren(...found.slice(0, MOST_ROWS).map((variable) => {
      const row = document.createElement("li"), [name, x] = [0, 1].map(() => document.createElement("button"));
      name.type = x.type = "button";
      name.append(variable.name);
      const about = document.createElement("small");
      about.textContent = variable.unit ? `${variable.title}, ${printed(variable.unit)}` : variable.title;
      name.append(about);
      name.setAttribute("aria-pressed", this.chosen.has(variable));
      name.onclick = () => { if (!this.chosen.delete(variable)) this.chosen.add(variable); this.#changed(); };
      x.textContent = "x";
      x.title = "Make it the horizontal axis";
      x.setAttribute("aria-pressed", this.x === variable);
      x.onclick = () => { this.x = this.x === variable ? null : variable; this.#changed(); };
      row.append(name, x);
      return row;
    }));
    if (found.length > MOST_ROWS) this.list.append(`and ${found.length - MOST_ROWS} more`);
    if (!found.length) this.list.append("No variable has that in its name.");
  }

  #changed() {
    this.#rows();
    const all = [...this.chosen], units = [...new Set(all.map(({ unit }) => unit))], { x } = this;
    const one = (values) => (new Set(values).size === 1 ? values[0] : "value");
    const named = (variable) => (units.length > 1 && variable.unit ? `${variable.name}, ${printed(variable.unit)}` : variable.name);
    this.root.querySelector(".plots").replaceChildren();
    this.plot = this.addPlot(this.root.querySelector(".plots"), {
      title: `${all.map(({ name }) => name).join(", ").slice(0, 100) || "Nothing chosen"}${x ? ` over ${x.name}` : ""}`,
      x: x ? { name: x.name, unit: x.unit, values: Float64Array.from(x.values) } : { name: "time", unit: "s", values: this.times },
      y: { name: one(all.map(({ name }) => name)), unit: units.length === 1 ? units[0] : "" },
      times: x ? this.times : undefined,
      curves: all.map((variable) => ({ name: named(variable), unit: variable.unit, values: variable.values, shown: true })),
    });
    this.plot.onpick = (time) => this.onpick?.(time);
    this.plot.marker = this.marker;
    this.plot.overlay();
  }

  // Show where the film is.
  mark(time) {
    this.marker = this.plot.marker = time;
    this.plot.overlay();
  }

  #saveAll() {
    const curves = this.variables.map(({ name, title, unit, values }) => ({ name: `${title}: ${name}`, unit, values }));
    const text = csv({ name: "time", unit: "s", values: this.times }, curves);
    save(new Blob([text], { type: "text/csv" }), fileName(document.title, "csv"));
  }
}

// How far a curve goes from its lowest to its highest.
const spanOf = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity) - values.reduce((a, b) => Math.min(a, b), Infinity);
