// What the controls of both pages share.

// Red, green and blue from 0 to 1.
const rgb = (color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16) / 255);

// A time of a motion.
const clock = (time, { start, stop }) => {
  const places = stop < 0.1 ? Math.min(9, 3 - Math.floor(Math.log10(stop - start || 1))) : stop < 10 ? 3 : 2;
  return `${time.toFixed(places)} s`;
};

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
    return new Viewer(root, scene, most);
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
  return new Kind(root, data);
};
