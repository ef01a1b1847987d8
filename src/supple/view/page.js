// Brings the page to life: every plot in its section, the 3-D view, and the time they share.

const PALETTE = ["#3b82c4", "#e07b39", "#2a9d78", "#c9568f", "#b8860b", "#7b68c8", "#5aa5a8", "#8a8f98"];
const data = JSON.parse(document.getElementById("data").textContent);

const plots = data.plots.map((plot) => {
  const root = document.createElement("figure");
  root.className = "plot";
  document.querySelector(`[data-section="${plot.section}"]`).append(root);
  return new Plot(root, plot, PALETTE);
});
for (const section of document.querySelectorAll("[data-section]"))
  section.closest("section").hidden = !section.children.length;

let viewer = null;
const root = document.querySelector(".viewer");
try {
  viewer = new Viewer(root, data.scene, PALETTE);
} catch (error) {
  root.textContent = `The 3-D view needs WebGL 2, which this browser does not offer (${error.message}).`;
}
if (viewer) {
  const timed = plots.filter((plot) => plot.data.x.unit === "s");
  viewer.listeners.push((time) => timed.forEach((plot) => { plot.marker = time; plot.overlay(); }));
  timed.forEach((plot) => { plot.onpick = (time) => viewer.seek(time); });
  viewer.seek(viewer.start);
}
window.report = { plots, viewer };
