/* A chart as SVG, PNG or CSV. The PNG is painted on a canvas, shape by shape: the page's policy loads no image. */
const PAINTED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity"];
const PNG_SCALE = 4; // 96 dpi on the screen, so more than 300 dpi at the same size
const LEGEND_LINE = 18;

function exports(title, id, rows, current, legend) {
  const base = (id ?? title).toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  const button = (kind, act) =>
    h("button", { type: "button", class: "export", "aria-label": `${title} as ${kind}`, onclick: act }, kind);
  return h(
    "span",
    { class: "exports" },
    button("SVG", () => save(base + ".svg", "image/svg+xml", svgText(standalone(current(), legend)))),
    button("PNG", () => painted(standalone(current(), legend), (blob) => saveBlob(base + ".png", blob))),
    rows ? button("CSV", () => save(base + ".csv", "text/csv", csvText(rows()))) : null,
  );
}

/* The drawing with its colours and fonts written out, on paper, with the legend below; without a title. */
function standalone(now, legend) {
  const { width } = now,
    height = Number(now.svg.getAttribute("viewBox").split(" ")[3]);
  const tall = height + (legend.length ? 8 + LEGEND_LINE * legend.length : 0);
  const made = now.svg.cloneNode(true);
  made.querySelectorAll(".cursor, .cursor-dot").forEach((each) => each.remove());
  legend.forEach((each, at) => {
    const y = height + 6 + LEGEND_LINE * at,
      key = s("g", { transform: `translate(54 ${y})` });
    key.append(...legendKey(each).childNodes);
    made.append(key, s("text", { x: 84, y: y + 10 }, each.text));
  });
  for (const [key, value] of Object.entries({
    xmlns: SVG,
    viewBox: `0 0 ${width} ${tall}`,
    width,
    height: tall,
  }))
    made.setAttribute(key, value);
  made.removeAttribute("tabindex");
  const sheet = h("div", { class: "unseen" }, made),
    root = document.documentElement,
    theme = root.dataset.theme;
  root.dataset.theme = "light"; // on paper in any case; nothing is painted before the theme is back
  document.body.append(sheet); // styles are computed in the document only
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--raised").trim() || "#fff";
  for (const node of made.querySelectorAll("*")) {
    const style = getComputedStyle(node);
    for (const key of PAINTED) {
      const value = style.getPropertyValue(key);
      if (value && value !== "normal") node.setAttribute(key, value);
    }
    if (node.tagName === "text") {
      node.setAttribute("font-family", "Helvetica, Arial, sans-serif");
      node.setAttribute("font-size", style.fontSize);
      node.setAttribute("font-weight", style.fontWeight);
    }
    node.removeAttribute("class");
  }
  sheet.remove();
  root.dataset.theme = theme;
  made.prepend(s("rect", { x: 0, y: 0, width, height: tall, fill: paper }));
  return made;
}
const svgText = (svg) => new XMLSerializer().serializeToString(svg);

function painted(svg, done) {
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const canvas = h("canvas", { width: width * PNG_SCALE, height: height * PNG_SCALE }),
    at = canvas.getContext("2d");
  at.scale(PNG_SCALE, PNG_SCALE);
  const paint = (node) => {
    const get = (key) => node.getAttribute(key),
      n = (key) => Number(get(key) ?? 0);
    at.save();
    const moved = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(get("transform") ?? "");
    if (moved) at.translate(Number(moved[1]), Number(moved[2]));
    if (/rotate\(-90\)/.test(get("transform") ?? "")) at.rotate(-Math.PI / 2);
    if (node.tagName === "g") [...node.children].forEach(paint);
    at.globalAlpha = Number(get("opacity") ?? 1);
    at.lineWidth = Number.parseFloat(get("stroke-width") ?? 1);
    at.setLineDash((get("stroke-dasharray") ?? "none").split(/[ ,]+/).map(Number.parseFloat).filter(Number.isFinite));
    const path = new Path2D();
    if (node.tagName === "rect") path.rect(n("x"), n("y"), n("width"), n("height"));
    if (node.tagName === "circle") path.arc(n("cx"), n("cy"), n("r"), 0, 7);
    if (node.tagName === "path") path.addPath(new Path2D(get("d")));
    if (node.tagName === "line") {
      path.moveTo(n("x1"), n("y1"));
      path.lineTo(n("x2"), n("y2"));
    }
    const fill = get("fill") ?? "black",
      stroke = get("stroke") ?? "none";
    if (fill !== "none" && node.tagName !== "line") {
      at.fillStyle = fill;
      at.fill(path);
    }
    if (stroke !== "none") {
      at.strokeStyle = stroke;
      at.stroke(path);
    }
    if (node.tagName === "text") {
      at.font = `${get("font-weight")} ${get("font-size")} Helvetica, Arial, sans-serif`;
      at.textAlign = { middle: "center", end: "right" }[get("text-anchor")] ?? "left";
      at.fillText(node.textContent, n("x"), n("y"));
    }
    at.restore();
  };
  [...svg.children].forEach(paint);
  canvas.toBlob(done, "image/png");
}

/* Numbers as they are; text that a spreadsheet would take for a formula gets an apostrophe (OWASP). */
function csvText({ head, rows }) {
  const plain = (cell) => {
    if (typeof cell === "number") return String(cell);
    const text = cell instanceof Node ? cell.textContent : String(cell?.text ?? cell ?? "");
    const safe = /^[=+\-@\t\r]/.test(text) && !Number.isFinite(Number(text)) ? "'" + text : text;
    return /[",\n\r]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  };
  return [head, ...rows].map((row) => row.map(plain).join(",")).join("\r\n") + "\r\n";
}
const save = (file, type, text) => saveBlob(file, new Blob([text], { type: type + ";charset=utf-8" }));
function saveBlob(file, blob) {
  const link = h("a", { href: URL.createObjectURL(blob), download: file, class: "unseen" }, file);
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  say(file + " saved");
}
