// Puts every plot of a Campbell diagram in its section.

const data = JSON.parse(document.getElementById("data").textContent);
shareColors(data.plots);
const plots = data.plots.map((plot) => addPlot(document.querySelector(`[data-section="${plot.section}"]`), plot));
for (const section of document.querySelectorAll("[data-section]"))
  section.closest("section").hidden = !section.children.length;
window.report = { plots };
