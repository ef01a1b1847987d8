// Numbers, units and names, as all pages write them.

const font = (size = LOOK.LETTER, weight = "") => `${weight} ${size}px ${LOOK.FONT}`.trim();

// A number of so many digits, as it is read: powers of ten where it is large or small.
const digits = (x, count) => {
  const size = Math.abs(x), text = String(Number(x.toPrecision(count)));
  if (!x || (size >= 1e-3 && size < 1e6)) return text;
  const [base, power] = x.toExponential(count - 1).split("e");
  return `${Number(base)}e${Number(power)}`;
};

// A number in views.
const brief = (x) => digits(x, LOOK.DIGITS);

// A cell of a table in CSV; what a program would read as a formula begins with a quote.
const cell = (text) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

// About `count` round numbers between two, at least two of them; on a logarithmic axis between their powers of ten.
const ticks = (low, high, count, log) => {
  if (log && high - low < 1.4) {
    const { step, values } = ticks(10 ** low, 10 ** high, count);
    return { step, values: values.filter((v) => v > 0).map(Math.log10) };
  }
  if (log) {
    const every = Math.ceil((high - low) / count), between = high - low < count / 3 ? [1, 2, 5] : [1], values = [];
    for (let e = every * Math.floor(low / every); e <= high; e += every)
      for (const m of between) values.push(e + Math.log10(m));
    const seen = values.filter((v) => v >= low && v <= high);
    return seen.length > 1 ? { step: 0, values: seen } : ticks(low, high, 2 * count, log);
  }
  if (!(high - low > 1e-12 * Math.max(Math.abs(low), Math.abs(high)))) return { step: 0, values: [] };
  const rough = (high - low) / count, decade = 10 ** Math.floor(Math.log10(rough));
  const step = decade * ([1, 2, 5].find((m) => m * decade >= rough) ?? 10);
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) out.push(i * step);
  return out.length > 1 ? { step, values: out } : ticks(low, high, 2 * count);
};

const written = (x, step) => {
  if (Math.abs(x) < 1e-9 * step) return "0";
  if (!step) return x >= 1e-3 && x < 1e4 ? String(Number(x.toPrecision(1))) : x.toExponential(0);
  const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  if (Math.abs(x) < 1e5 && digits <= 4) return x.toFixed(digits);
  const decade = (v) => Math.floor(Math.log10(Math.abs(v)) + 1e-9);
  return x.toExponential(Math.max(0, Math.min(6, decade(x) - decade(step))));
};

// Units as they are printed.
const printed = (unit) => unit.replaceAll("^2", "\u00b2").replaceAll("^3", "\u00b3").replaceAll("^0.5", "^\u00bd");
const labelled = ({ name, unit }) => (unit ? `${name}, ${printed(unit)}` : name);

// Neighbours between which x is in a list whose numbers rise: the places of both, the last ones at the end.
const neighbours = (list, x, number = (item) => item) => {
  let low = 0, high = list.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (number(list[middle]) <= x) low = middle; else high = middle;
  }
  return [low, high];
};

const nearest = (list, x) => {
  const [low, high] = neighbours(list, x);
  return x - list[low] < list[high] - x ? low : high;
};

// A pen for a canvas that fills its element, in the pixels of the screen, and its size; nothing while it is not seen.
const penOf = (canvas) => {
  const ratio = devicePixelRatio || 1, { clientWidth: w, clientHeight: h } = canvas;
  if (!w || !h) return null;
  [canvas.width, canvas.height] = [Math.round(w * ratio), Math.round(h * ratio)];
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.font = font();
  return { pen, w, h };
};
