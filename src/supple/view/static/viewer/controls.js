// What the controls of both pages share.

// Colours that readers with any colour vision can tell apart, after Okabe and Ito; neighbours differ in lightness too.
const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8f7ee0", "#8a8f98"];

// Red, green and blue from 0 to 1.
const rgb = (color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16) / 255);

// A number with three digits.
const brief = (x) => String(Number(x.toPrecision(3)));

const addSpeeds = (select, speeds, chosen) => {
  for (const s of speeds)
    select.add(new Option(`${s < 1 ? `1/${Math.round(1 / s)}` : s}\u00d7`, s, s === chosen, s === chosen));
};

// Space does something, unless it belongs to what has the focus.
const onSpace = (act, root = document) => root.addEventListener("keydown", (event) => {
  if (event.key !== " " || event.target.closest("button, select, input:not([type=range]), summary")) return;
  event.preventDefault();
  act();
});

// A view of the scene in its place, or a sentence there why there is none.
const openView = (root, scene, most) => {
  try {
    return new Viewer(root, scene, PALETTE, most);
  } catch (error) {
    root.querySelector(".stage").textContent =
      `The 3-D view needs WebGL 2, which this browser does not offer (${error.message}).`;
    return null;
  }
};

// A plot at the end of a section.
const addPlot = (section, data, Kind = Plot) => {
  const root = document.createElement("figure");
  root.className = "plot";
  section.append(root);
  return new Kind(root, data, PALETTE);
};
