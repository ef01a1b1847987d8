// Rows of sliders, one for each number that can be set by hand.

const MOST_SLIDERS = 60;

// Three digits, and not more than three behind the point.
const shortNumber = (x) => String(Number(Math.abs(x) < 1 ? x.toFixed(3) : x.toPrecision(3)) || 0);

class Sliders {
  // `handles` are {name, unit, low, high}; `send` is called with {name: value} when one is moved.
  constructor(root, handles, send) {
    this.rows = handles.slice(0, MOST_SLIDERS).map((handle) => {
      const row = document.createElement("label"), input = document.createElement("input");
      const [name, output] = ["span", "output"].map((tag) => document.createElement(tag));
      name.textContent = name.title = handle.name;
      const { low: min, high: max } = handle;
      Object.assign(input, { type: "range", min, max, step: (max - min) / 1000, value: 0, title: "Double-click for zero" });
      const set = (value) => { input.value = value; this.#write(row); send({ [handle.name]: Number(input.value) }); };
      input.oninput = () => set(input.value);
      input.ondblclick = () => set(0);
      row.append(name, input, output);
      root.append(row);
      return Object.assign(row, { handle, input, output });
    });
    if (handles.length > this.rows.length) {
      const note = document.createElement("p");
      note.className = "note";
      note.textContent = `The first ${this.rows.length} of ${handles.length}.`;
      root.append(note);
    }
  }

  // Show values, but not in a row that is being moved.
  show(values, disabled) {
    this.rows.forEach((row, i) => {
      row.input.disabled = disabled;
      if (row.input.matches(":active")) return;
      row.input.value = values[i];
      this.#write(row, values[i]);
    });
  }

  #write({ output, input, handle }, value = Number(input.value)) {
    output.textContent = `${shortNumber(value)} ${handle.unit}`;
  }
}
