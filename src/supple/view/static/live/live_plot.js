// A plot that grows: it shows the last `seconds`, and forgets what is older.

class LivePlot extends Plot {
  constructor(root, data) {
    super(root, data);
    this.clear();
  }

  span() {
    const seconds = this.seconds ?? 10, end = Math.max(this.x.at(-1) ?? 0, (this.x[0] ?? 0) + seconds);
    return [end - seconds, end];
  }

  clear() {
    this.x = [];
    this.at = undefined;
    for (const curve of this.curves) curve.values = [];
  }

  append(x, values) {
    this.x.push(x);
    this.curves.forEach((curve, i) => curve.values.push(values[i]));
  }

  // Draw what has come, over a number of seconds.
  refresh(seconds) {
    this.seconds = seconds;
    const first = this.x.findIndex((x) => x >= this.x.at(-1) - seconds);
    if (first > 0 && !this.zoomed) {
      this.x.splice(0, first);
      for (const curve of this.curves) curve.values.splice(0, first);
      if (this.at !== undefined) this.at = Math.max(0, this.at - first);
    }
    if (!this.zoomed) this.window = this.span();
    this.fit();
  }
}
