// Brings the report to life: what matters beside the view, every plot in its tab, and the time they share.

const data = JSON.parse(document.getElementById("data").textContent);
shareColors(data.plots);
const plots = data.plots.map((plot) => addPlot(document.querySelector(`[data-section="${plot.section}"]`), plot));
const keyRoot = document.querySelector(".key"), explorerRoot = document.querySelector(".explorer");
const key = (data.key ?? []).map((i) => addPlot(keyRoot, data.plots[i]));
const empty = (panel) => panel.querySelector("[data-section]")?.children.length === 0;
for (const section of document.querySelectorAll("section")) if (empty(section)) section.remove();
const bar = document.querySelector(".tabs");
const tabs = bar && new Tabs(bar, [...document.querySelectorAll("[data-tab]")]);
const explorer = explorerRoot && new Explorer(explorerRoot, plots, addPlot);

const viewer = openView(document.querySelector(".viewer"), data.scene);
window.report = { plots, key, viewer, tabs, explorer };
if (viewer) {
  const timed = [...plots, ...key].filter((plot) => plot.data.x.unit === "s");
  window.report.player = new Player(viewer);
  viewer.listeners.push((time) => {
    timed.forEach((plot) => { plot.marker = time; plot.overlay(); });
    explorer?.mark(time);
  });
  timed.forEach((plot) => { plot.onpick = (time) => viewer.seek(time); });
  if (explorer) explorer.onpick = (time) => viewer.seek(time);
  viewer.seek(viewer.motion.start);
}
