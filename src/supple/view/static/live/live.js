// Brings a live simulation to life: what it tells is shown, what the reader does is sent.

// `root` holds the parts of live.html, `data` the scene and what can be set. `link` joins it to the simulation:
// send(command) gives a promise of a refusal, empty if there is none; listen(message, lost) calls back; save() gives a
// promise of the results file, or of a refusal.
const openLive = (root, data, link) => {
  const find = (selector) => root.querySelector(selector), control = (name) => find(`[name=${name}]`);
  const viewer = openView(find(".viewer"), data.scene, 300), alertBox = find(".alert");
  const live = { viewer, sample: null, messages: 0 };
  let lost = "", refused = "";

  const warn = () => {
    alertBox.textContent = lost || refused || live.status?.error || "";
    alertBox.hidden = !alertBox.textContent;
  };

  // Commands go one after another; those that wait are joined, so that the last word counts.
  let waiting = null, sending = false;
  const send = async (command) => {
    if (command.grab) delete waiting?.release;
    if (command.release) delete waiting?.grab;
    waiting = { ...waiting, ...command, set: { ...waiting?.set, ...command.set },
      configuration: { ...waiting?.configuration, ...command.configuration } };
    if (sending) return;
    sending = true;
    while (waiting) {
      const next = waiting;
      waiting = null;
      refused = await link.send(next).catch(() => "");
      warn();
    }
    sending = false;
  };

  // A section of sliders for each kind of what can be set, if there is any.
  const sections = ["variable", "target", "force", "parameter"].map((kind) => {
    const section = find(`[data-kind=${kind}]`), places = data.controls.flatMap((x, i) => (x.kind === kind ? [i] : []));
    section.hidden = !places.length;
    const rows = new Sliders(section.querySelector(".rows"), places.map((i) => data.controls[i]), (set) => send({ set }));
    return { rows, places };
  });
  const joints = find("[data-kind=configuration]");
  const configuration = new Sliders(joints.querySelector(".rows"), data.configuration, (configuration) => send({ configuration }));
  joints.hidden = !data.configuration.length;
  live.grabber = viewer && data.grips ? new Grabber(viewer, data.grips, send) : null;

  const run = () => send({ run: !live.status?.running });
  control("run").onclick = run;
  control("step").onclick = () => send({ step: true });
  control("reset").onclick = () => send({ reset: "start" });
  control("file").onclick = () => send({ reset: "file" });
  control("zero").onclick = () =>
    send({ set: Object.fromEntries(data.controls.filter((x) => x.kind === "force").map((x) => [x.name, 0])) });
  control("save").onclick = async () => {
    const { file, refusal } = await link.save().catch((error) => ({ refusal: error.message }));
    refused = refusal ?? "";
    if (file) save(file, fileName(data.name, "nc"));
    warn();
  };
  control("speed").onchange = (event) => send({ speed: Number(event.target.value) });
  addSpeeds(control("speed"), [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10], 1);
  onSpace(run, root);

  // A plot for each unit of the joints' coordinates, and one of the energies; `values` picks theirs from a sample.
  const numbered = data.configuration.map((handle, i) => ({ ...handle, i }));
  const kinds = [...new Set(numbered.map((handle) => handle.unit))].map((unit) => {
    const handles = numbered.filter((handle) => handle.unit === unit), name = unit === "rad" ? "angle" : "position";
    return { title: `Joint ${name}s`, unit, name, min_range: 1e-6, names: handles.map((h) => h.name),
      values: (sample) => handles.map((h) => sample[3 + h.i]) };
  });
  kinds.push({ title: "Energy", unit: "J", name: "energy", min_range: 1e-9, names: ["kinetic", "potential", "total"],
    values: ([, kinetic, potential]) => [kinetic, potential, kinetic + potential] });
  live.plots = kinds.map(({ title, unit, name, names, min_range, values }) => Object.assign(addPlot(find(".plots"), {
    title, min_range, x: { name: "time", unit: "s", values: "" }, y: { name, unit }, curves: names.map((name) => ({ name, values: "" })),
  }, LivePlot), { pick: values }));

  const take = ({ scene, frames, samples, afresh, status }) => {
    live.status = status;
    if (live.grabber) live.grabber.pull = status.pull;
    if (scene) viewer?.adopt(scene);
    if (!frames) return;
    viewer?.append(frames, afresh);
    for (const plot of live.plots) {
      if (afresh) { plot.clear(); plot.reset(); }
      for (const sample of samples) plot.append(sample[0], plot.pick(sample));
    }
    live.sample = samples.at(-1);
  };

  const show = () => {
    const { sample, status } = live, { running, speed, achieved, method, altered } = status, button = control("run");
    if (!sample) return;
    viewer?.seek(viewer.motion.stop);
    for (const plot of live.plots) plot.refresh(10 * speed);
    button.textContent = running ? "Pause" : "Run";
    button.setAttribute("aria-pressed", running);
    button.disabled = status.ended;
    control("step").disabled = running || status.ended;
    control("save").disabled = !(status.recorded > 0);
    control("save").textContent = status.recorded > 0 ? `Save ${status.recorded.toFixed(1)} s` : "Save";
    if (!control("speed").matches(":focus")) control("speed").value = speed;
    find(".clock").textContent = `${sample[0].toFixed(2)} s`;
    const slow = achieved !== null && achieved < 0.9 * speed;
    find(".rate").textContent = !running ? "paused" : achieved === null ? "starting"
      : `${digits(achieved, 2)}\u00d7 real time${slow ? `, not the ${speed}\u00d7 asked for: this is as fast as it goes` : ""}`;
    find(".rate").classList.toggle("slow", running && slow);
    find(".method").textContent = method;
    find(".events").textContent = status.events.map(([t, name]) => `${name} at ${t.toFixed(2)} s`).join(", ");
    for (const { rows, places } of sections) rows.show(places.map((i) => status.controls[i]), false);
    configuration.show(sample.slice(3), running);
    joints.querySelector(".note").textContent = running ? "Pause to set them." : "Moving one makes this configuration the start.";
    control("file").hidden = !altered;
    warn();
  };

  // News wait for the next picture; a page that is not seen keeps the last of them.
  const queue = [];
  link.listen((message) => {
    live.messages++;
    queue.push(message);
    if (queue.length > 300) queue.shift();
  }, (reason) => { lost = reason; warn(); });
  const picture = () => {
    if (live.closed) return;
    if (queue.length) {
      queue.splice(0).forEach(take);
      show();
    }
    requestAnimationFrame(picture);
  };
  requestAnimationFrame(picture);
  return live;
};
