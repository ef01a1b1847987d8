// Plays the motion of the report: button, time, speed, repetition; space plays and pauses.

class Player {
  constructor(viewer) {
    this.viewer = viewer;
    this.playing = false;
    const { motion, control } = viewer, length = motion.stop - motion.start;
    this.#speeds(length);
    control("play").onclick = () => this.play();
    control("time").oninput = (event) => viewer.seek(motion.start + length * event.target.value);
    viewer.listeners.push((time) => {
      control("time").value = (time - motion.start) / length;
      viewer.root.querySelector(".clock").textContent = `${time.toFixed(motion.stop < 10 ? 3 : 2)} s`;
    });
    onSpace(() => this.play());
  }

  play(on = !this.playing) {
    if (on === this.playing) return;
    this.playing = on;
    const { viewer } = this, { motion, control } = viewer;
    let { time } = viewer, before = null;
    if (on && time >= motion.stop) time = motion.start;
    control("play").textContent = on ? "Pause" : "Play";
    control("play").setAttribute("aria-pressed", on);
    const step = (now) => {
      if (!this.playing) return;
      if (before !== null) time = viewer.time + ((now - before) / 1000) * Number(control("speed").value);
      before = now;
      viewer.seek(time);
      if (time >= motion.stop) {
        if (!control("repeat").checked) return this.play(false);
        viewer.time = motion.start;
      }
      requestAnimationFrame(step);
    };
    if (on) requestAnimationFrame(step);
  }

  // Speeds around the one that shows the motion in 3 to 30 seconds.
  #speeds(length) {
    const steps = [];
    for (let e = -6; e <= 6; e++) for (const m of [1, 2, 5]) steps.push(Number(`${m}e${e}`));
    const fits = (s) => length / s >= 3 && length / s <= 30;
    const best = fits(1) ? 1 : steps.find((s) => length / s <= 15) ?? 1;
    const at = steps.indexOf(best);
    addSpeeds(this.viewer.control("speed"), steps.slice(Math.max(0, at - 4), at + 4), best);
  }
}
