// Lists the signals of runs, finds them by parts of their names, and opens the plots of those that are chosen.

const data = JSON.parse(document.getElementById("data").textContent);
const section = document.querySelector('[data-section="Signals"]');
const [head, body] = document.querySelectorAll(".signals thead, .signals tbody");
const search = document.querySelector(".search input"), count = document.querySelector(".search output");
const open = new Map();

const row = (cells, tag, parent) => {
  const line = parent.appendChild(document.createElement("tr"));
  for (const cell of cells) line.appendChild(document.createElement(tag)).textContent = cell;
  return line;
};

const toggle = (signal) => {
  const plots = open.get(signal.name);
  if (plots) plots.forEach((plot) => plot.root.remove());
  else open.set(signal.name, [signal.plot, signal.difference].filter(Boolean).map((plot) => addPlot(section, plot)));
  if (plots) open.delete(signal.name);
  signal.line.querySelector("button").setAttribute("aria-pressed", open.has(signal.name));
  section.closest("section").hidden = !open.size;
};

shareColors(data.signals.flatMap(({ plot, difference }) => [plot, difference].filter(Boolean)));
row(["Signal", "Unit", ...data.runs.slice(1).map((name) => `Largest difference, ${name}`)], "th", head);
for (const signal of data.signals) {
  signal.line = row(["", signal.unit, ...(signal.largest ?? [])], "td", body);
  const button = signal.line.firstChild.appendChild(document.createElement("button"));
  Object.assign(button, { type: "button", textContent: signal.name, onclick: () => toggle(signal) });
  button.setAttribute("aria-pressed", false);
}

const find = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const { name, line } of data.signals) {
    line.hidden = !words.every((word) => name.toLowerCase().includes(word));
    found += !line.hidden;
  }
  count.textContent = `${found} of ${data.signals.length}`;
};
search.oninput = find;
find();
data.signals.filter(({ name }) => data.shown.includes(name)).forEach(toggle);
window.report = { data, open };
