// Brings the report to life: every plot in its section, the 3-D view, and the time they share.

const data = JSON.parse(document.getElementById("data").textContent);
const plots = data.plots.map((plot) => addPlot(document.querySelector(`[data-section="${plot.section}"]`), plot));
for (const section of document.querySelectorAll("[data-section]"))
  section.closest("section").hidden = !section.children.length;

const viewer = openView(document.querySelector(".viewer"), data.scene);
if (viewer) {
  const timed = plots.filter((plot) => plot.data.x.unit === "s");
  const player = new Player(viewer);
  viewer.listeners.push((time) => timed.forEach((plot) => { plot.marker = time; plot.overlay(); }));
  timed.forEach((plot) => { plot.onpick = (time) => viewer.seek(time); });
  viewer.seek(viewer.motion.start);
  window.report = { plots, viewer, player };
} else window.report = { plots, viewer };
