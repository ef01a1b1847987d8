// Brings the live page to life: what the simulation tells is shown, what the reader does is sent.

const data = JSON.parse(document.getElementById("data").textContent);
const find = (selector) => document.querySelector(selector);
const viewer = openView(find(".viewer"), data.scene, 300);
const control = (name) => find(`[name=${name}]`);
const alertBox = find(".alert");
let status = null, lost = "", refused = "";

// Commands go one after another; those that wait are joined, so that the last word counts.
let waiting = null, sending = false;
const send = async (command) => {
  waiting = { ...waiting, ...command, drive: { ...waiting?.drive, ...command.drive },
    configuration: { ...waiting?.configuration, ...command.configuration } };
  if (sending) return;
  sending = true;
  while (waiting) {
    const body = JSON.stringify(waiting), headers = { "Content-Type": "application/json" };
    waiting = null;
    try {
      const answer = await fetch("command", { method: "POST", headers, body });
      refused = answer.ok ? "" : await answer.text();
    } catch {
      refused = "";
    }
    warn();
  }
  sending = false;
};

const warn = () => {
  alertBox.textContent = lost || status?.error || refused;
  alertBox.hidden = !alertBox.textContent;
};

const drives = new Sliders(find(".drives .rows"), data.drives, (drive) => send({ drive }));
const configuration = new Sliders(find(".configuration .rows"), data.configuration, (configuration) => send({ configuration }));
find(".drives").hidden = !data.drives.length;
find(".configuration").hidden = !data.configuration.length;

const run = () => send({ run: !status?.running });
control("run").onclick = run;
control("reset").onclick = () => send({ reset: "start" });
control("file").onclick = () => send({ reset: "file" });
control("zero").onclick = () => send({ drive: Object.fromEntries(data.drives.map((d) => [d.name, 0])) });
control("speed").onchange = (event) => send({ speed: Number(event.target.value) });
addSpeeds(control("speed"), [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10], 1);
onSpace(run);

// A plot for each unit of the joints' coordinates, and one of the energies; `values` picks theirs from a sample.
const numbered = data.configuration.map((handle, i) => ({ ...handle, i }));
const kinds = [...new Set(numbered.map((handle) => handle.unit))].map((unit) => {
  const handles = numbered.filter((handle) => handle.unit === unit), name = unit === "rad" ? "angle" : "position";
  return { title: `Joint ${name}s`, unit, name, min_range: 1e-6, names: handles.map((h) => h.name),
    values: (sample) => handles.map((h) => sample[3 + h.i]) };
});
kinds.push({ title: "Energy", unit: "J", name: "energy", min_range: 1e-9, names: ["kinetic", "potential", "total"],
  values: ([, kinetic, potential]) => [kinetic, potential, kinetic + potential] });
const plots = kinds.map(({ title, unit, name, names, min_range, values }) => Object.assign(addPlot(find(".plots"), {
  title, min_range, x: { name: "time", unit: "s", values: "" }, y: { name, unit }, curves: names.map((name) => ({ name, values: "" })),
}, LivePlot), { pick: values }));

const take = ({ frames, samples, afresh, status: news }) => {
  status = news;
  if (!frames) return;
  viewer?.append(frames, afresh);
  for (const plot of plots) {
    if (afresh) { plot.clear(); plot.reset(); }
    for (const sample of samples) plot.append(sample[0], plot.pick(sample));
  }
  live.sample = samples.at(-1);
};

const show = () => {
  const { sample } = live, { running, speed, achieved, method, altered } = status, button = control("run");
  if (!sample) return;
  viewer?.seek(viewer.motion.stop);
  for (const plot of plots) plot.refresh(10 * speed);
  button.textContent = running ? "Pause" : "Run";
  button.setAttribute("aria-pressed", running);
  if (document.activeElement !== control("speed")) control("speed").value = speed;
  find(".clock").textContent = `${sample[0].toFixed(2)} s`;
  const slow = achieved !== null && achieved < 0.9 * speed;
  find(".rate").textContent = !running ? "paused" : achieved === null ? "starting"
    : `${shortNumber(achieved)}\u00d7 real time${slow ? `, not the ${speed}\u00d7 asked for: this is as fast as it goes` : ""}`;
  find(".rate").classList.toggle("slow", running && slow);
  find(".method").textContent = method;
  drives.show(status.drive, false);
  configuration.show(sample.slice(3), running);
  find(".configuration .note").textContent = running ? "Pause to set them." : "Moving one makes this configuration the start.";
  control("file").hidden = !altered;
  warn();
};

// News wait for the next picture; a page that is not seen keeps the last of them.
const queue = [];
const live = (window.live = { viewer, plots, sample: null, messages: 0, get status() { return status; } });
const stream = new EventSource("news");
stream.onmessage = (event) => {
  live.messages++;
  queue.push(JSON.parse(event.data));
  if (queue.length > 300) queue.shift();
};
stream.onopen = () => { lost = ""; warn(); };
stream.onerror = () => { lost = "The simulation has ended, or does not answer."; warn(); };
const picture = () => {
  if (queue.length) {
    queue.splice(0).forEach(take);
    show();
  }
  requestAnimationFrame(picture);
};
requestAnimationFrame(picture);
