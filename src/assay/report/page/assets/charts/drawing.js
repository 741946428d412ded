/* One way to draw: axes with names and units, layers, a cursor that reads points out. */
function ticks(low, high, count) {
  const span = high - low || 1,
    rough = span / count,
    power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough - 1e-12);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++)
    found.push(Number((at * step).toPrecision(12)));
  return found;
}

/* All labels of an axis with as many decimals as one of them needs. */
function sameDigits(values) {
  const most = Math.max(0, ...values.map((value) => (String(value).split(".")[1] ?? "").length));
  return (value) => (value === 0 ? "0" : fixed(value, most));
}

/* The name of an axis, set smaller where there is little room for it; one that is too long even so is centred. */
const LETTER = 6.3; // mean width at 12 px
function axisName(text, room, at, middle, width) {
  const wanted = LETTER * text.length,
    size = Math.max(9, Math.min(12, (12 * room) / wanted)),
    half = (wanted * size) / 24;
  const x = middle === undefined ? null : Math.max(Math.min(middle, width - 2 - half), half + 2);
  const made = s("text", { class: "axis-name", "text-anchor": "middle", ...at, ...(x === null ? {} : { x }) }, text);
  made.style.fontSize = size.toFixed(1) + "px";
  return made;
}

function drawing(plan, width) {
  const narrow = width < 420,
    left = Math.min(plan.left ?? 54, narrow ? 122 : 240),
    right = plan.right ?? 14,
    top = plan.top ?? 12,
    bottom = 44;
  const height =
    plan.height ?? (plan.square || width < 520 ? Math.min(width, 440) : 310); // side by side, all are as high
  const scaled = (axis) => (axis.scale === "logit" ? logit : (value) => value);
  const sx = scaled(plan.x),
    sy = scaled(plan.y);
  const [x0, x1] = plan.x.domain.map(sx),
    [y0, y1] = plan.y.domain.map(sy);
  const across = width - left - right,
    up = height - top - bottom;
  const X = (value) => left + ((sx(value) - x0) / (x1 - x0)) * across,
    Y = (value) => top + up - ((sy(value) - y0) / (y1 - y0)) * up;
  const axis = [];
  const heights = plan.y.ticks ?? ticks(y0, y1, 5),
    lettered = plan.y.format ?? (plan.y.ticks ? short : sameDigits(heights));
  for (const tick of heights) {
    const [value, label] = Array.isArray(tick) ? tick : [tick, lettered(tick)];
    axis.push(
      s("line", { class: "grid", x1: left, x2: width - right, y1: Y(value), y2: Y(value) }),
      s("text", { x: left - 7, y: Y(value) + 4, "text-anchor": "end" }, narrow ? cutTo(label, 14) : label),
    );
  }
  let edge = -Infinity; // labels that would touch are left out
  const places = plan.x.ticks ?? ticks(x0, x1, across < 220 ? 3 : narrow ? 4 : 6);
  const plain = plan.x.format ?? (plan.x.ticks ? short : sameDigits(places));
  for (const tick of places) {
    const [value, label] = Array.isArray(tick) ? tick : [tick, plain(tick)];
    if (plan.x.scale === "logit" && (sx(value) < x0 - 1e-9 || sx(value) > x1 + 1e-9)) continue;
    const half = 3.6 * String(label).length;
    if (X(value) - half < edge) continue;
    edge = X(value) + half + 3;
    if (!plan.x.bare)
      axis.push(s("line", { class: "grid", x1: X(value), x2: X(value), y1: top, y2: top + up }));
    axis.push(s("text", { x: X(value), y: top + up + 17, "text-anchor": "middle" }, label));
  }
  axis.push(
    s("line", { class: "axis", x1: left, x2: width - right, y1: top + up, y2: top + up }),
    s("line", { class: "axis", x1: left, x2: left, y1: top, y2: top + up }),
    axisName(plan.x.name, width - 8, { y: height - 8 }, left + across / 2, width),
  );
  if (plan.y.name)
    axis.push(
      axisName(plan.y.name, height, { transform: `translate(13 ${top + up / 2}) rotate(-90)` }),
    );
  const svg = s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": plan.label, tabindex: "0" },
    axis,
    plan.layers.map((layer) => LAYERS[layer.kind](layer, X, Y, { left, top, across, up })),
  );
  return { svg, X, Y, left, top, up, height };
}

function stepped(x, y, X, Y, step) {
  let path = "";
  for (let at = 0; at < x.length; at++) {
    if (x[at] === null || y[at] === null) continue;
    const px = X(x[at]).toFixed(2),
      py = Y(y[at]).toFixed(2);
    if (path && step === "post") path += `H${px}`;
    if (path && step === "pre") path += `V${py}`;
    path += `${path ? "L" : "M"}${px} ${py}`;
  }
  return path;
}

const LAYERS = {
  line: (l, X, Y) => s("path", { class: "line " + l.cls, d: stepped(l.x, l.y, X, Y, l.step) }),
  area: (l, X, Yfree, box) => {
    const Y = (value) => Math.min(box.top + box.up, Math.max(box.top, Yfree(value))); // a band ends at the axes
    const there = l.x.map((_, at) => at).filter((at) => l.low[at] !== null);
    const up = there.map((at) => `${X(l.x[at]).toFixed(2)} ${Y(l.high[at]).toFixed(2)}`),
      down = there.map((at) => `${X(l.x[at]).toFixed(2)} ${Y(l.low[at]).toFixed(2)}`).reverse();
    return there.length ? s("path", { class: l.cls, d: "M" + [...up, ...down].join("L") + "Z" }) : null;
  },
  bars: (l, X, Y) =>
    l.bars.map((b) =>
      s("rect", {
        class: b.cls ?? l.cls,
        x: Math.min(X(b.x0), X(b.x1)),
        y: Math.min(Y(b.y0), Y(b.y1)),
        width: Math.max(0.5, Math.abs(X(b.x1) - X(b.x0))),
        height: Math.max(0, Math.abs(Y(b.y0) - Y(b.y1))),
      }),
    ),
  spans: (l, X, Y) =>
    l.spans.map((b) => s("line", { class: l.cls, x1: X(b.x0), x2: X(b.x1), y1: Y(b.y0), y2: Y(b.y1) })),
  points: (l, X, Y) =>
    l.points.map((p) => mark(p.shape ?? l.shape ?? 0, X(p.x), Y(p.y), p.cls ?? l.cls, l.size ?? 5)),
  texts: (l, X, Y) =>
    l.texts.map((t) =>
      s(
        "text",
        {
          class: t.cls ?? "",
          x: X(t.x) + (t.dx ?? 0),
          y: Y(t.y) + (t.dy ?? 0),
          "text-anchor": t.anchor ?? "middle",
        },
        t.text,
      ),
    ),
  across: (l, X, Y, box) =>
    s("line", { class: "line " + l.cls, x1: box.left, x2: box.left + box.across, y1: Y(l.y), y2: Y(l.y) }),
  down: (l, X, Y, box) => [
    s("line", { class: "ruled " + l.cls, x1: X(l.x), x2: X(l.x), y1: box.top, y2: box.top + box.up }),
    l.text
      ? s(
          "text",
          {
            class: "strong",
            x: X(l.x) + (l.side ?? 1) * 5,
            y: box.top + 11 + 13 * (l.row ?? 0),
            "text-anchor": (l.side ?? 1) > 0 ? "start" : "end",
          },
          l.text,
        )
      : null,
  ],
  zone: (l, X, Y, box) =>
    s("rect", {
      class: "zone " + l.cls,
      x: X(l.x0),
      y: box.top,
      width: Math.max(0, X(l.x1) - X(l.x0)),
      height: box.up,
    }),
};

function mark(shape, x, y, cls, r) {
  const paths = [
    null,
    `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`,
    `M${x} ${y - r - 1}L${x + r + 1} ${y + r}H${x - r - 1}Z`,
    `M${x} ${y - r - 1.5}L${x + r + 1.5} ${y}L${x} ${y + r + 1.5}L${x - r - 1.5} ${y}Z`,
    `M${x} ${y + r + 1}L${x + r + 1} ${y - r}H${x - r - 1}Z`,
  ];
  return shape % 5
    ? s("path", { class: cls, d: paths[shape % 5] })
    : s("circle", { class: cls, cx: x, cy: y, r });
}
