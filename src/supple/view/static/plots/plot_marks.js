// Marks of a plot: bands between curves, upright lines of events and modes, names of multiples of a speed.

// Areas between two curves; where one has no numbers there is none.
const drawBands = (plot, pen) => {
  for (const { low, high, color } of plot.data.bands ?? []) {
    pen.fillStyle = color;
    for (let start = 0, end; start < low.length; start = end + 1) {
      for (end = start; end < low.length && Number.isFinite(low[end]) && Number.isFinite(high[end]); ) end++;
      if (end - start < 2) continue;
      pen.beginPath();
      for (let i = start; i < end; i++) pen.lineTo(plot.px(plot.x[i]), plot.py(low[i]));
      for (let i = end - 1; i >= start; i--) pen.lineTo(plot.px(plot.x[i]), plot.py(high[i]));
      pen.fill();
    }
  }
};

// Names of multiples of a speed, at the ends of their lines.
const drawOrders = (plot, pen) => {
  pen.font = font();
  pen.textAlign = "right";
  for (const { name, line, shown, values, color } of plot.curves) {
    if (line !== "order" || !shown) continue;
    const inside = (i) => plot.x[i] <= plot.window[1] && plot.on(values[i]) <= plot.heights[1];
    const last = [...values.keys()].findLast(inside);
    pen.fillStyle = color;
    if (last !== undefined) pen.fillText(name, plot.px(plot.x[last]) - 4, plot.py(values[last]) - 5);
  }
};

// Upright lines at given places, their names on top where there is room: first those of the strong ones.
const drawMarks = (plot, pen) => {
  const { box, inks } = plot, marks = plot.data.marks ?? [], taken = [];
  const styles = { event: [inks.accent, [], 0.7], faint: [inks.text, [1, 4], 0.75] };
  pen.save();
  pen.textAlign = "left";
  for (const faint of [false, true])
    for (const { x, label, kind } of marks) {
      const at = plot.px(plot.on(x)), [color, dash, strength] = styles[kind] ?? [inks.text, [4, 3], 1];
      if ((kind === "faint") !== faint || at < box.left || at > box.right) continue;
      pen.strokeStyle = pen.fillStyle = color;
      pen.globalAlpha = strength;
      pen.setLineDash(dash);
      pen.beginPath();
      pen.moveTo(at, box.top);
      pen.lineTo(at, box.bottom);
      pen.stroke();
      const width = pen.measureText(label).width, start = Math.max(box.left, Math.min(at - 4, box.right - width));
      if (taken.some(([a, b]) => start < b + 10 && a < start + width + 10)) continue;
      pen.fillText(label, start, box.top - 7);
      taken.push([start, start + width]);
    }
  pen.restore();
};
