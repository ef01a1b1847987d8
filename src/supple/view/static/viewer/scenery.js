// What is around the bodies: light, shadow, background and ground.

// Light from above, behind the reader's left shoulder when the view was reset; with gravity a ground below everything.
const sceneryOf = (viewer, centre, dark) => {
  const { up, scene, camera } = viewer, { right, ahead } = camera;
  const { light } = viewer;
  const radius = 1.2 * Math.min(viewer.extent, 2 * scene.size) + 0.2 * scene.size;
  const middle = viewer.extent < 2 * scene.size ? scene.low.map((l, i) => (l + scene.high[i]) / 2) : centre;
  const lowest = dot([0, 1, 2].map((i) => (up[i] > 0 ? scene.low[i] : scene.high[i])), up);
  const level = Math.min(0, lowest) - dot(middle, up), rough = (1.6 * viewer.extent) / 12;
  const decade = 10 ** Math.floor(Math.log10(rough)), grid = decade * [1, 2, 5, 10].find((m) => m * decade >= rough);
  const foot = plus(middle, up, level), shown = viewer.shows("ground") && Math.hypot(...scene.gravity) > 0;
  if (shown) viewer.labels.foot(`grid ${brief(grid)} m, fine ${brief(grid / 5)} m`);
  return {
    up, light, sun: sunMatrix(light, middle, radius), cell: (2 * radius) / SHADOW_SIDE,
    background: dark ? [0.075, 0.09, 0.113] : [0.953, 0.963, 0.973],
    ground: shown && { middle: foot, right, ahead, reach: 2.4 * Math.max(viewer.extent, scene.size), grid,
      offset: [right, ahead].map((axis) => dot(foot, axis) % grid), dark: dark ? 1 : 0 },
  };
};
