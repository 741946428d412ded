/* Numbers as text, and how a value stands to its target. */
function fixed(value, digits) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const text = Number(value).toFixed(digits);
  const [whole, part] = text.replace("-", "").split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",") + (part ? "." + part : "");
  return Number(text) < 0 ? "−" + grouped : grouped;
}
const whole = (value) => fixed(value, 0);
const percent = (value, digits = 1) => fixed(100 * value, digits) + "%";
const counted = (n, one, many = one + "s") => `${whole(n)} ${n === 1 ? one : many}`;
const short = (value) =>
  value === null
    ? "–"
    : Math.abs(value) >= 1000
      ? whole(value)
      : String(Number(Number(value).toPrecision(3))).replace("-", "−");
const best = (better, values) =>
  better === "higher" ? Math.max(...values) : better === "lower" ? Math.min(...values) : null;
const withSigns = (text) => text.replaceAll(">=", "≥").replaceAll("<=", "≤");
const SIGNS = { ">=": "≥", "<=": "≤", ">": ">", "<": "<" };
const meets = ([sign, limit], value) =>
  ({ ">=": value >= limit, "<=": value <= limit, ">": value > limit, "<": value < limit })[sign];
const interval = (m) =>
  m.low === null
    ? m.no_spread
      ? "no spread"
      : ""
    : `[${fixed(m.low, m.digits)}, ${fixed(m.high, m.digits)}]` + (m.exact_shown ? "†" : "") + (outside(m) ? "‡" : "");
/* Resampling adds noise, which only raises some measures, such as ECE: their value may lie below its interval. */
const outside = (m) => m.low !== null && m.value !== null && (m.value < m.low || m.value > m.high);
const arrow = (m) => (m.arrow ? "\u00a0" + m.arrow : "");
const pShown = (p) => (p < 0.001 ? "< 0.001" : fixed(p, 3));
const listed = (parts) =>
  parts.length < 2 ? parts.join("") : parts.slice(0, -1).join(", ") + " and " + parts[parts.length - 1];
/* A share of a count; shares below 1% keep two digits, so that 0.02% is not 0%. */
const share = (part, all) =>
  all ? percent(part / all, part && (part / all < 0.01 || 1 - part / all < 0.01) && part < all ? 2 : part / all < 0.1 ? 1 : 0) : "–";

/* Probabilities on a logit axis: 0 and 1 are drawn at its ends. */
const LOGIT_END = 1e-5;
const logit = (p) => {
  const inside = Math.min(1 - LOGIT_END, Math.max(LOGIT_END, p));
  return Math.log(inside / (1 - inside));
};
const LOGIT_TICKS = [0.00001, 0.0001, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999, 0.99999];

/* The decimal with the fewest digits in (low, high]: what a threshold between two probabilities is called. */
function shortest(low, high) {
  for (let digits = 1; digits < 17; digits++) {
    const scale = 10 ** digits,
      found = Math.floor(high * scale) / scale;
    if (found > low && found <= high) return found;
  }
  return high;
}
