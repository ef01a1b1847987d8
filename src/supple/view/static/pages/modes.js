// Shows natural modes: a row of the table chooses the one that moves.

const data = JSON.parse(document.getElementById("data").textContent);
const rows = [...document.querySelectorAll(".modes tbody tr")];
const viewer = openView(document.querySelector(".viewer"), data.scene);
const player = viewer && new Player(viewer, [1, 2]);

const choose = (i) => {
  rows.forEach((row, n) => {
    row.setAttribute("aria-selected", n === i);
    row.tabIndex = n === i ? 0 : -1;
  });
  if (!viewer) return;
  viewer.append(data.frames[i], true);
  player.retime();
  viewer.seek(viewer.motion.start);
};

rows.forEach((row, i) => {
  row.onclick = () => choose(i);
  row.onkeydown = (event) => {
    const next = i + ({ ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0);
    if (next === i || !rows[next]) return;
    event.preventDefault();
    choose(next);
    rows[next].focus();
  };
});
if (rows.length) choose(Math.max(0, data.modes.findIndex(({ kind }) => !kind)));
player?.play(true);
window.report = { viewer, player, choose };
