// Tables of the sweep: cases ranked by a number, cases that failed, and the numbers of the case that is chosen.

const MOST_RANKED = 200;

class CaseRanking {
  constructor(root, cases) {
    Object.assign(this, { root, cases, down: true });
    this.by = cases.measures[0] ?? null;
    this.columns = [null, ...cases.measures, ...cases.varied];
    this.draw = inFrame(() => this.#fill());
    this.#head();
  }

  #head() {
    const line = document.createElement("tr");
    this.heads = this.columns.map((axis) => {
      const cell = line.appendChild(document.createElement("th")), button = cell.appendChild(document.createElement("button"));
      button.type = "button";
      button.textContent = axis ? labelled(axis) : "case";
      button.onclick = () => {
        this.down = this.by === axis ? !this.down : axis !== null;
        this.by = axis;
        this.#fill();
      };
      return cell;
    });
    this.root.querySelector("thead").replaceChildren(line);
  }

  // Selected cases in their order; those without a number are last.
  order() {
    const { cases, by, down } = this, sign = down ? -1 : 1;
    const value = by ? (i) => by.values[i] : (i) => cases.numbers[i];
    const missing = (i) => (Number.isFinite(value(i)) ? 0 : 1);
    return [...cases.selected].sort((a, b) => missing(a) - missing(b) || sign * (value(a) - value(b)) || a - b);
  }

  #fill() {
    const { cases } = this, order = this.order();
    this.heads.forEach((cell, k) => cell.setAttribute("aria-sort",
      this.columns[k] === this.by ? (this.down ? "descending" : "ascending") : "none"));
    const lines = order.slice(0, MOST_RANKED).map((i) => caseLine(cases, i,
      this.columns.slice(1).map((axis) => cases.reads(axis, axis.values[i]))));
    const more = order.length - lines.length;
    if (more > 0) {
      const line = document.createElement("tr"), cell = line.appendChild(document.createElement("td"));
      cell.colSpan = this.columns.length;
      cell.textContent = `and ${more.toLocaleString("en")} more`;
      lines.push(line);
    }
    this.root.querySelector("tbody").replaceChildren(...lines);
  }
}

// A row of a table that chooses its case.
const caseLine = (cases, i, cells) => {
  const line = document.createElement("tr"), first = line.appendChild(document.createElement("td"));
  const button = first.appendChild(document.createElement("button"));
  button.type = "button";
  button.textContent = cases.numbers[i];
  for (const text of cells) line.appendChild(document.createElement("td")).textContent = text;
  line.setAttribute("aria-selected", cases.chosen === i);
  line.onclick = () => cases.choose(i);
  return line;
};

class FailedCases {
  constructor(panel, cases) {
    Object.assign(this, { panel, cases });
    this.draw = inFrame(() => {
      const found = cases.selected.filter((i) => cases.failed(i)).slice(0, MOST_RANKED);
      panel.querySelector("tbody").replaceChildren(
        ...found.map((i) => caseLine(cases, i, [cases.messages.get(cases.numbers[i]) ?? ""])));
    });
  }
}

// The numbers of one case, and the command that repeats it.
class CasePanel {
  constructor(root, cases) {
    Object.assign(this, { root, cases });
    const find = (query) => root.querySelector(query);
    find("[name=close]").onclick = () => cases.choose(null);
    find("[name=copy]").onclick = async () => {
      const text = find("code").textContent;
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        getSelection().selectAllChildren(find("code"));
        document.execCommand("copy");
      }
      find("output").textContent = "copied";
    };
  }

  draw() {
    const { root, cases } = this, i = cases.chosen;
    root.hidden = i === null;
    if (i === null) return;
    const number = cases.numbers[i], message = cases.messages.get(number);
    root.querySelector("h2").textContent = `Case ${number}`;
    root.querySelector("output").textContent = "";
    root.querySelector("code").textContent = `${cases.command} --case ${number}`;
    const alert = root.querySelector(".alert");
    alert.hidden = !message;
    alert.textContent = message ?? "";
    root.querySelector(".values").replaceChildren(...[...cases.measures, ...cases.varied].map((axis) => {
      const entry = document.createElement("div");
      entry.appendChild(document.createElement("dt")).textContent = labelled(axis);
      entry.appendChild(document.createElement("dd")).textContent = cases.reads(axis, axis.values[i]);
      if (axis.measure) entry.classList.add("measure");
      return entry;
    }));
  }
}
