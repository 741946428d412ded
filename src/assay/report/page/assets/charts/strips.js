/* Stacked bars of shares: what happens to all queries, in one line per fold, and while sliders move. */
const STATE_FILLS = { states: ["NEG", "UNCERTAIN", "POS"], returned: ["NEG", "POS"], flagged: ["NEG", "POS"] };

/* `parts` are {n, cls, text, brief}; a part too narrow for its text shows the brief one, or only a tooltip. The
   class says how many rem a text needs; container queries show what fits. */
const fitting = (text) => h("span", { class: "n" + Math.min(16, Math.ceil(0.8 + 0.52 * text.length)) }, text);
function stacked(parts, label, small) {
  const total = parts.reduce((sum, part) => sum + part.n, 0) || 1;
  const bar = h("div", { class: "stacked" + (small ? " small" : ""), role: "img", "aria-label": label });
  for (const part of parts) {
    if (!part.n) continue;
    const cell = h(
      "span",
      { class: "part b" + part.cls, title: part.title ?? part.text },
      part.text ? fitting(part.text) : null,
      part.brief ? fitting(part.brief) : null,
    );
    cell.style.flexGrow = String(part.n / total);
    bar.append(cell);
  }
  return bar;
}

/* A short scale with the value, its interval, its target and the baselines. */
function miniScale(run, m) {
  const [from, to] = run.definitions[m.definition].range;
  if (from === null || to === null || m.value === null) return null;
  const width = 200,
    X = (value) => 4 + ((Math.min(to, Math.max(from, value)) - from) / (to - from || 1)) * (width - 8);
  const ticks = run.baselines
    .map((each) => [each, each.values[m.name]])
    .filter(([, value]) => typeof value === "number" && Number.isFinite(value));
  const target = run.targets[m.name];
  const said = [
    `${m.name} ${fixed(m.value, m.digits)} between ${from} and ${to}`,
    target ? `target ${SIGNS[target[0]]} ${target[1]}` : "",
    ...ticks.map(([each, value]) => `${baselineTitle(each)} ${fixed(value, m.digits)}`),
  ].filter(Boolean);
  return s(
    "svg",
    { class: "mini", viewBox: `0 0 ${width} 30`, preserveAspectRatio: "xMinYMid", role: "img", "aria-label": said.join(", ") },
    s("title", {}, said.join("\n")),
    s("line", { class: "axis", x1: 4, x2: width - 4, y1: 12, y2: 12 }),
    s("text", { x: 1, y: 28 }, short(from)),
    s("text", { x: width - 1, y: 28, "text-anchor": "end" }, short(to)),
    m.low === null ? null : s("rect", { class: "span", x: X(m.low), y: 8, width: Math.max(1.5, X(m.high) - X(m.low)), height: 8 }),
    ticks.map(([, value], at) =>
      s("line", { class: "tick " + (at === ticks.length - 1 ? "last" : ""), x1: X(value), x2: X(value), y1: 5, y2: 17 }),
    ),
    target ? s("path", { class: "goal", d: `M${X(target[1])} 8l-4 -7h8Z` }) : null,
    s("circle", { class: "value", cx: X(m.value), cy: 12, r: 3.2 }),
  );
}
const baselineTitle = (each) => seen(each.title ?? each.name);
