// A pen with the methods of a canvas that the plots use; what it draws becomes an SVG file.

const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.codePointAt(0)};`);

class SvgPen {
  constructor(width, height, background) {
    Object.assign(this, { width, height, background, parts: [], path: [], clips: 0, saved: [] });
    Object.assign(this, { strokeStyle: "#000", fillStyle: "#000", lineWidth: 1, globalAlpha: 1, textAlign: "left",
      font: font(), dash: [], place: "", clipped: "", lineJoin: "miter" });
    this.ruler = document.createElement("canvas").getContext("2d");
  }

  save() { this.saved.push({ ...this, saved: null, parts: null, path: null }); }

  restore() {
    const { saved, parts, path, clips } = this;
    Object.assign(this, saved.at(-1), { saved: saved.slice(0, -1), parts, path, clips });
  }

  beginPath() { this.path = []; }

  moveTo(x, y) { this.path.push(`M${x.toFixed(2)} ${y.toFixed(2)}`); }

  // What is not a number breaks a line, as it does on a canvas.
  lineTo(x, y) {
    if (Number.isFinite(x) && Number.isFinite(y)) this.path.push(`${this.path.length ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`);
  }

  rect(x, y, w, h) { this.path.push(`M${x} ${y}h${w}v${h}h${-w}z`); }

  arc(x, y, r) { this.path.push(`M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`); }

  clip() {
    this.clips++;
    this.parts.push(`<clipPath id="clip${this.clips}"><path d="${this.path.join("")}"/></clipPath>`);
    this.clipped = ` clip-path="url(#clip${this.clips})"`;
  }

  setLineDash(dash) { this.dash = dash; }

  translate(x, y) { this.place += `translate(${x} ${y})`; }

  rotate(angle) { this.place += `rotate(${(180 * angle) / Math.PI})`; }

  measureText(text) {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  get #turned() { return this.place ? ` transform="${this.place}"` : ""; }

  stroke() {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.parts.push(`<path d="${this.path.join("")}" fill="none" stroke="${escaped(this.strokeStyle)}" stroke-width="` +
      `${this.lineWidth}" stroke-linejoin="${this.lineJoin}" opacity="${this.globalAlpha}"${dash}${this.clipped}${this.#turned}/>`);
  }

  fill() { this.parts.push(`<path d="${this.path.join("")}" fill="${escaped(this.fillStyle)}"${this.clipped}${this.#turned}/>`); }

  fillText(text, x, y) {
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign];
    this.parts.push(`<text x="${x}" y="${y}" fill="${escaped(this.fillStyle)}" text-anchor="${anchor}" opacity="` +
      `${this.globalAlpha}"${this.#turned}>${escaped(text)}</text>`);
  }

  text() {
    const { width: w, height: h } = this;
    return `<svg xmlns="http:` + `//www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" ` +
      `font-family="${escaped(LOOK.FONT)}" font-size="${LOOK.LETTER}"><rect width="${w}" height="${h}" fill="` +
      `${escaped(this.background)}"/>${this.parts.join("\n")}</svg>\n`;
  }
}
