// What is around the bodies: light, shadow, background and ground.

// Light from where it was when the view was reset; with gravity a ground below everything.
const sceneryOf = (viewer, centre, dark) => {
  const { up, scene, camera, light } = viewer, { right, ahead } = camera, { grid, room } = scene;
  const radius = 1.2 * Math.min(viewer.extent, 2 * scene.size) + 0.2 * scene.size;
  const middle = viewer.extent < 2 * scene.size ? scene.low.map((l, i) => (l + scene.high[i]) / 2) : centre;
  const foot = plus(middle, up, scene.floor - dot(middle, up)), shown = viewer.shows("ground") && Math.hypot(...scene.gravity) > 0;
  const said = [viewer.recorder && `t = ${clock(viewer.time, viewer.motion)}`, shown && `grid ${brief(grid)} m`];
  viewer.labels.foot(said.filter(Boolean).join("   "));
  const faded = camera.distance + LOOK.FADED * room;
  return {
    up, light, sun: sunMatrix(light, middle, radius), cell: (2 * radius) / SHADOW_SIDE, paper: rgb(LOOK.PAGE.card[dark ? 1 : 0]),
    ground: shown && { middle: foot, right, ahead, reach: faded + camera.distance + viewer.extent, faded, grid,
      offset: [right, ahead].map((axis) => dot(foot, axis) % grid) },
  };
};
