// Plays the motion of the report: button, time, speed, repetition; space plays and pauses.

class Player {
  // Shows the motion in so many seconds, between two numbers.
  constructor(viewer, seconds = [3, 30]) {
    Object.assign(this, { viewer, seconds, playing: false });
    const { motion, control } = viewer;
    this.retime();
    control("play").onclick = () => this.play();
    control("time").oninput = (event) => viewer.seek(motion.start + this.length * event.target.value);
    viewer.listeners.push((time) => {
      control("time").value = (time - motion.start) / this.length;
      viewer.root.querySelector(".clock").textContent = clock(time, motion);
    });
    control("film").onclick = () => this.#film();
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
        if (viewer.recorder) viewer.film(false);
        else if (control("repeat").checked) viewer.time = motion.start;
        else return this.play(false);
      }
      requestAnimationFrame(step);
    };
    if (on) requestAnimationFrame(step);
  }

  // The motion once from its start, as a film; a second click ends it there.
  #film() {
    const { viewer } = this;
    if (viewer.recorder) return viewer.film(false);
    viewer.seek(viewer.motion.start);
    viewer.film(true);
    this.play(true);
  }

  get length() { return this.viewer.motion.stop - this.viewer.motion.start; }

  // Speeds around the one that shows the motion in the seconds that are wanted.
  retime() {
    const { length, seconds: [short, long] } = this, select = this.viewer.control("speed"), steps = [];
    for (let e = -6; e <= 6; e++) for (const m of [1, 2, 5]) steps.push(Number(`${m}e${e}`));
    const fits = (s) => length / s >= short && length / s <= long;
    const best = fits(1) ? 1 : steps.find((s) => length / s <= (short + long) / 2) ?? 1;
    const at = steps.indexOf(best);
    select.replaceChildren();
    addSpeeds(select, steps.slice(Math.max(0, at - 4), at + 4), best);
  }
}
