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

function drawing(plan, width) {
  const narrow = width < 420,
    left = Math.min(plan.left ?? 54, narrow ? 118 : 240),
    right = plan.right ?? 14,
    top = plan.top ?? 12,
    bottom = 44;
  const height =
    plan.height ?? (plan.square ? Math.min(width, 440) : Math.max(230, Math.min(310, width * 0.62)));
  const [x0, x1] = plan.x.domain,
    [y0, y1] = plan.y.domain;
  const across = width - left - right,
    up = height - top - bottom;
  const X = (value) => left + ((value - x0) / (x1 - x0)) * across,
    Y = (value) => top + up - ((value - y0) / (y1 - y0)) * up;
  const axis = [];
  for (const tick of plan.y.ticks ?? ticks(y0, y1, 5)) {
    const [value, label] = Array.isArray(tick) ? tick : [tick, (plan.y.format ?? short)(tick)];
    axis.push(
      s("line", { class: "grid", x1: left, x2: width - right, y1: Y(value), y2: Y(value) }),
      s("text", { x: left - 7, y: Y(value) + 4, "text-anchor": "end" }, narrow ? cutTo(label, 14) : label),
    );
  }
  for (const tick of plan.x.ticks ?? ticks(x0, x1, across < 220 ? 2 : narrow ? 4 : 6)) {
    const [value, label] = Array.isArray(tick) ? tick : [tick, (plan.x.format ?? short)(tick)];
    if (!plan.x.bare)
      axis.push(s("line", { class: "grid", x1: X(value), x2: X(value), y1: top, y2: top + up }));
    axis.push(s("text", { x: X(value), y: top + up + 17, "text-anchor": "middle" }, label));
  }
  axis.push(
    s("line", { class: "axis", x1: left, x2: width - right, y1: top + up, y2: top + up }),
    s("line", { class: "axis", x1: left, x2: left, y1: top, y2: top + up }),
    s(
      "text",
      { class: "axis-name", x: left + across / 2, y: height - 8, "text-anchor": "middle" },
      plan.x.name,
    ),
  );
  if (plan.y.name)
    axis.push(
      s(
        "text",
        {
          class: "axis-name",
          "text-anchor": "middle",
          transform: `translate(13 ${top + up / 2}) rotate(-90)`,
        },
        plan.y.name,
      ),
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
  area: (l, X, Y) => {
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
            y: box.top + 11,
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

/* A figure with title, legend, caption and its numbers as a table. `plan()` is asked at each drawing. */
function chart({ title, plan, legend = [], caption, rows, wide, id }) {
  const holder = h("div"),
    readout = h("div", { class: "readout", hidden: true });
  let cursor = -1,
    now = null;
  const draw = () => {
    const width = Math.max(260, Math.round(holder.clientWidth || 420));
    now = { ...drawing(plan(), width), points: plan().points ?? [], width };
    now.svg.addEventListener("mousemove", over);
    now.svg.addEventListener("mouseleave", leave);
    now.svg.addEventListener("keydown", keyed);
    now.svg.addEventListener("blur", leave);
    holder.replaceChildren(now.svg);
    cursor = -1;
    readout.hidden = true;
  };
  const show = (at) => {
    cursor = at;
    const point = now.points[at],
      x = now.X(point.x),
      y = now.Y(point.y);
    now.svg.querySelectorAll(".cursor, .cursor-dot").forEach((each) => each.remove());
    now.svg.append(
      s("line", { class: "cursor", x1: x, x2: x, y1: now.top, y2: now.top + now.up }),
      s("circle", { class: "cursor-dot", cx: x, cy: y, r: 3.5 }),
    );
    readout.textContent = point.text;
    readout.hidden = false;
    const scale = holder.clientWidth / now.width;
    readout.style.left =
      Math.min(Math.max(4, x * scale + 26), holder.clientWidth - readout.offsetWidth + 8) + "px";
    readout.style.top = Math.max(4, holder.offsetTop + y * scale - readout.offsetHeight - 10) + "px";
  };
  const leave = () => {
    readout.hidden = true;
    now.svg.querySelectorAll(".cursor, .cursor-dot").forEach((each) => each.remove());
  };
  const over = (event) => {
    const box = now.svg.getBoundingClientRect(),
      scale = now.width / box.width;
    const px = (event.clientX - box.left) * scale,
      py = (event.clientY - box.top) * scale;
    let near = -1,
      least = Infinity;
    now.points.forEach((point, at) => {
      const apart = (now.X(point.x) - px) ** 2 * 4 + (now.Y(point.y) - py) ** 2;
      if (apart < least) {
        least = apart;
        near = at;
      }
    });
    if (near >= 0) show(near);
  };
  const keyed = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") leave();
    if (!step || !now.points.length) return;
    event.preventDefault();
    show(Math.max(0, Math.min(now.points.length - 1, cursor + step)));
    say(now.points[cursor].text.replace(/\n/g, ", "));
  };
  const key = (each) =>
    s(
      "svg",
      { viewBox: "0 0 22 12", "aria-hidden": "true" },
      each.line
        ? s("line", { class: "line " + each.line, x1: 1, x2: 21, y1: 6, y2: 6 })
        : each.fill
          ? s("rect", { class: each.fill, x: 2, y: 1, width: 18, height: 10 })
          : null,
      each.shape !== undefined ? mark(each.shape, 11, 6, each.point, 4) : null,
    );
  const data = rows
    ? h(
        "details",
        {},
        h("summary", {}, "The numbers"),
        h("div", { class: "tall", tabindex: "0", role: "group", "aria-label": title + ", the numbers" }),
      )
    : null;
  if (data)
    data.addEventListener("toggle", () => {
      const made = rows();
      data.lastChild.replaceChildren(table(made.head, made.rows, title).firstChild);
    });
  const figure = h(
    "figure",
    { class: wide ? "wide" : null, id },
    h("h3", {}, title),
    holder,
    readout,
    legend.length
      ? h(
          "ul",
          { class: "legend" },
          legend.map((each) => h("li", {}, key(each), h("span", {}, each.text))),
        )
      : null,
    caption ? h("figcaption", {}, caption) : null,
    data,
  );
  let seenWidth = 0;
  new ResizeObserver(() => {
    if (holder.clientWidth && holder.clientWidth !== seenWidth) {
      seenWidth = holder.clientWidth;
      draw();
    }
  }).observe(holder);
  figure.redraw = () => {
    if (holder.clientWidth) draw();
  };
  return figure;
}
