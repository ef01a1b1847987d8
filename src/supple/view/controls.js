// What the controls of both pages share.

const PALETTE = ["#3b82c4", "#e07b39", "#2a9d78", "#c9568f", "#b8860b", "#7b68c8", "#5aa5a8", "#8a8f98"];

const addSpeeds = (select, speeds, chosen) => {
  for (const s of speeds)
    select.add(new Option(`${s < 1 ? `1/${Math.round(1 / s)}` : s}\u00d7`, s, s === chosen, s === chosen));
};

// Space does something, unless it belongs to what has the focus.
const onSpace = (act) => document.addEventListener("keydown", (event) => {
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
