// What drawings of a sweep share: colours of the page, colours of a scale, texts of a width.

const RAMP = ["#3b4cc0", "#2f7fc1", "#1fa187", "#7cae2a", "#e0a100", "#e4632d", "#c2182b"];
const [FAILURE] = LOOK.PAGE.alarm, CHOSEN = FAILURE;

const inksOf = (root) => {
  const style = getComputedStyle(root);
  return Object.fromEntries(["ink", "soft", "line", "accent", "paper", "card"].map((x) => [x, style.getPropertyValue(`--${x}`).trim()]));
};

// Colour of a share of a scale, one of few, so that lines of one colour are drawn at once.
const rampOf = (share) => RAMP[Math.min(RAMP.length - 1, Math.max(0, Math.floor(share * RAMP.length)))];

// Text cut to a width.
const fitted = (pen, text, width) => {
  if (pen.measureText(text).width <= width) return text;
  let n = text.length;
  while (n > 1 && pen.measureText(`\u2026${text.slice(-n)}`).width > width) n--;
  return `\u2026${text.slice(-n)}`;
};

// A name in one line, or where it is too long in two, parted at the dot that makes the longer one shortest.
const wrapped = (pen, text, width) => {
  const words = text.split(".");
  if (pen.measureText(text).width <= width || words.length < 2) return [fitted(pen, text, width)];
  const halves = words.slice(1).map((_, k) => [`${words.slice(0, k + 1).join(".")}.`, words.slice(k + 1).join(".")]);
  const longer = (pair) => Math.max(...pair.map((part) => pen.measureText(part).width));
  return halves.reduce((a, b) => (longer(b) < longer(a) ? b : a)).map((part) => fitted(pen, part, width));
};

// Draw once before the next picture of the screen, however often it is asked for.
const inFrame = (draw) => {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
};

const redrawn = (canvas, draw) => {
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
};
