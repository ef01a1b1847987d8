// Numbers, units and names on the axes of plots.

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

// The place of the last number of a rising list that is not above x, or the one after it if that is nearer.
const nearest = (list, x) => {
  let low = 0, high = list.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (list[middle] <= x) low = middle; else high = middle;
  }
  return x - list[low] < list[high] - x ? low : high;
};
