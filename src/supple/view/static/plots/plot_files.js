// A plot as a file: a picture as SVG or PNG with its title and the names of its curves, its numbers as CSV.

const TITLE = 26, ROW = 18; // heights above and below the curves, px

const shownCurves = (plot) => plot.curves.filter((curve) => curve.shown);

// Title, curves and legend drawn by a pen.
const drawWhole = (plot, pen, width, height) => {
  const style = getComputedStyle(plot.root), ink = style.getPropertyValue("--ink");
  pen.save();
  pen.font = font(14, 600);
  pen.textAlign = "left";
  pen.fillStyle = ink;
  pen.fillText(plot.data.title, 12, 18);
  pen.restore();
  pen.save();
  pen.translate(0, TITLE);
  plot.paint(pen, width, height);
  pen.restore();
  let [x, y] = [70, TITLE + height + 12];
  pen.textAlign = "left";
  pen.font = font();
  for (const { name, color, dash } of shownCurves(plot)) {
    const wide = pen.measureText(name).width + 42;
    if (x > 70 && x + wide > width - 10) { x = 70; y += ROW; }
    pen.save();
    pen.strokeStyle = color;
    pen.lineWidth = 2.5;
    pen.setLineDash(dash);
    pen.beginPath();
    pen.moveTo(x, y - 4);
    pen.lineTo(x + 20, y - 4);
    pen.stroke();
    pen.restore();
    pen.fillStyle = ink;
    pen.fillText(name, x + 26, y);
    x += wide;
  }
};

const wholeSize = (plot) => {
  const { clientWidth: width, clientHeight: height } = plot.sheet;
  return { width, height, whole: TITLE + height + 12 + ROW * Math.ceil(shownCurves(plot).length / Math.max(1, Math.floor((width - 80) / 160))) };
};

const plotSvg = (plot) => {
  const { width, height, whole } = wholeSize(plot);
  const pen = new SvgPen(width, whole, getComputedStyle(plot.root).getPropertyValue("--paper").trim());
  drawWhole(plot, pen, width, height);
  return pen.text();
};

const plotPng = (plot) => {
  const { width, height, whole } = wholeSize(plot), canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * whole];
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  pen.fillStyle = getComputedStyle(plot.root).getPropertyValue("--paper");
  pen.fillRect(0, 0, width, whole);
  drawWhole(plot, pen, width, height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
};

// A column of the horizontal axis and one for each curve that is switched on.
const csv = (x, curves) => {
  const head = [labelled(x), ...curves.map((curve) => labelled(curve))].map(cell).join(",");
  const rows = Array.from(x.values, (value, i) =>
    [Number(value.toPrecision(12)), ...curves.map((curve) => Number(curve.values[i].toPrecision(8)))].join(","));
  return `${[head, ...rows].join("\n")}\n`;
};

const plotCsv = (plot) => {
  const { x, y } = plot.data;
  const curves = shownCurves(plot).map(({ name, unit = y.unit, values }) => ({ name, unit, values }));
  return csv({ name: x.name, unit: x.unit, values: plot.x.map(plot.off) }, curves);
};

const savePlot = async (plot, kind) => {
  const name = fileName(`${document.title} ${plot.data.title}`, kind);
  if (kind === "svg") save(new Blob([plotSvg(plot)], { type: "image/svg+xml" }), name);
  if (kind === "png") save(await plotPng(plot), name);
  if (kind === "csv") save(new Blob([plotCsv(plot)], { type: "text/csv" }), name);
};
