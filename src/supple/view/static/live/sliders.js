// Rows of sliders with number fields, one for each number that can be set by hand.

const MOST_SLIDERS = 60;

// Four digits; what is nothing beside a range is zero.
const shortNumber = (x, range) => (Math.abs(x) < 1e-6 * range ? "0" : digits(x, 4));

class Sliders {
  // `handles` are {name, unit, low, high, value?, added?}; `send` is called with {name: value} when one is moved.
  constructor(root, handles, send) {
    this.rows = handles.slice(0, MOST_SLIDERS).map((handle) => {
      const row = document.createElement("div"), [range, field] = ["input", "input"].map((tag) => document.createElement(tag));
      const [name, unit] = ["span", "span"].map((tag) => document.createElement(tag));
      row.className = "row";
      name.className = "name";
      unit.className = "unit";
      name.textContent = handle.added ? `+ ${handle.name}` : handle.name;
      name.title = handle.added ? `${handle.name}: added to what the file says` : handle.name;
      unit.textContent = handle.unit;
      const { low: min, high: max, value: start = 0 } = handle, step = (max - min) / 1000;
      const written = (x) => shortNumber(x, max - min);
      Object.assign(range, { type: "range", min, max, step, value: start, title: "Double-click: back to the start" });
      Object.assign(field, { type: "number", step: "any", value: written(start) });
      for (const input of [range, field]) input.setAttribute("aria-label", handle.name);
      const set = (value) => { range.value = value; send({ [handle.name]: value }); };
      range.oninput = () => { field.value = written(Number(range.value)); set(Number(range.value)); };
      range.ondblclick = () => { field.value = written(start); set(start); };
      field.onchange = () => { if (field.value !== "" && Number.isFinite(Number(field.value))) set(Number(field.value)); };
      row.append(name, range, field, unit);
      root.append(row);
      return Object.assign(row, { handle, range, field, written });
    });
    if (handles.length > this.rows.length) {
      const note = document.createElement("p");
      note.className = "note";
      note.textContent = `The first ${this.rows.length} of ${handles.length}.`;
      root.append(note);
    }
  }

  // Show values, but not in a row that is being moved or written in.
  show(values, disabled) {
    this.rows.forEach(({ range, field, handle, written }, i) => {
      range.disabled = field.disabled = disabled || Boolean(handle.fixed);
      if (range.matches(":active") || field.matches(":focus")) return;
      range.value = values[i];
      field.value = written(values[i]);
    });
  }
}
