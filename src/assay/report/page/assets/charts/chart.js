/* A figure: title, drawing, legend, caption, its numbers as a table, and exports. `plan()` is asked at each drawing. */
function legendKey(each) {
  return s(
    "svg",
    { viewBox: "0 0 22 12", "aria-hidden": "true" },
    each.line
      ? s("line", { class: "line " + each.line, x1: 1, x2: 21, y1: 6, y2: 6 })
      : each.fill
        ? s("rect", { class: each.fill, x: 2, y: 1, width: 18, height: 10 })
        : null,
    each.shape !== undefined ? mark(each.shape, 11, 6, each.point, 4) : null,
  );
}
const cellText = (value) =>
  typeof value === "number" ? (Number.isInteger(value) ? whole(value) : fixed(value, 4)) : (value ?? "–");

function chart({ title, plan, legend = [], caption, rows, wide, id, level = "h3" }) {
  const holder = h("div", { class: "drawn" }),
    readout = h("div", { class: "readout", hidden: true });
  let cursor = -1,
    now = null;
  const draw = (on = holder.clientWidth) => {
    const width = Math.max(260, Math.round(on || 420)),
      made = plan();
    now = { ...drawing(made, width), points: made.points ?? [], width };
    now.svg.addEventListener("mousemove", over);
    now.svg.addEventListener("mouseleave", leave);
    now.svg.addEventListener("keydown", keyed);
    now.svg.addEventListener("blur", leave);
    now.svg.addEventListener("click", () => now.points[cursor]?.act?.());
    holder.replaceChildren(now.svg);
    cursor = -1;
    readout.hidden = true;
  };
  const unmark = () => now.svg.querySelectorAll(".cursor, .cursor-dot").forEach((each) => each.remove());
  const show = (at) => {
    cursor = at;
    const point = now.points[at],
      x = now.X(point.x),
      y = now.Y(point.y);
    unmark();
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
    unmark();
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
    if (event.key === "Enter") now.points[cursor]?.act?.();
    if (!step || !now.points.length) return;
    event.preventDefault();
    show(Math.max(0, Math.min(now.points.length - 1, cursor + step)));
    say(now.points[cursor].text.replace(/\n/g, ", "));
  };
  const data = rows
    ? h(
        "details",
        { class: "numbers" },
        h("summary", {}, "Numbers"),
        h("div", { class: "tall", tabindex: "0", role: "group", "aria-label": title + ", the numbers" }),
      )
    : null;
  if (data)
    data.addEventListener("toggle", () => {
      const made = rows();
      const shown = made.rows.map((row) => row.map(cellText));
      data.lastChild.replaceChildren(table(made.head, shown, title).firstChild);
    });
  const figure = h(
    "figure",
    { class: wide ? "wide" : null, id },
    h(level, {}, title),
    holder,
    readout,
    legend.length
      ? h(
          "ul",
          { class: "legend" },
          legend.map((each) => h("li", {}, legendKey(each), h("span", {}, each.text))),
        )
      : null,
    caption ? h("figcaption", {}, caption) : null,
    h(
      "div",
      { class: "under" },
      data,
      exports(title, id, rows, () => now, legend),
    ),
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
  figure.onPaper = () => draw(figure.classList.contains("wide") ? 880 : 300); // small, so that its letters are large
  return figure;
}
