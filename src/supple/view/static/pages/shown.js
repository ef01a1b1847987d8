// The view alone, as notebooks show it: a motion has a player, a model that stands still has none.

const data = JSON.parse(document.getElementById("data").textContent);
const viewer = openView(document.querySelector(".viewer"), data.scene);
if (viewer) {
  const moving = viewer.motion.stop > viewer.motion.start;
  const player = moving ? new Player(viewer) : null;
  viewer.control("film").hidden = !moving;
  viewer.seek(viewer.motion.start);
  window.report = { viewer, player };
}
