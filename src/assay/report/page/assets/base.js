/* Elements are created, never parsed from HTML: text stays text. */
const SVG = "http://www.w3.org/2000/svg";
function made(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}
const h = (tag, attributes, ...children) => made(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => made(document.createElementNS(SVG, tag), attributes, children);
const byId = (id) => document.getElementById(id);

/* Invisible characters, and those that change the writing direction, are shown by their code. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
const seen = (text) =>
  String(text).replace(
    HIDDEN,
    (mark) => "⟨U+" + mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩",
  );
const cutTo = (text, most) => (text.length > most ? text.slice(0, most) + "…" : text);
const name = (text, most = 200) => h("bdi", {}, cutTo(seen(text), most));

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
const say = (text) => {
  byId("live").textContent = text;
};
const best = (better, values) =>
  better === "higher" ? Math.max(...values) : better === "lower" ? Math.min(...values) : null;

function table(head, rows, caption) {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", {}, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((cell, at) =>
            h("th", { scope: "col", class: at && cell.num !== false ? "num" : null }, cell.text ?? cell),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            { class: row.cls },
            (row.cells || row).map((cell, at) =>
              h(
                at ? "td" : "th",
                { scope: at ? null : "row", class: at && head[at].num !== false ? "num" : null },
                cell,
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

/* A table whose columns sort: `columns` have name, key (a number or a text of a row) and cell. */
function sortable(caption, columns, rows, start) {
  const body = h("tbody");
  const heads = [];
  let order = null;
  const fill = () =>
    body.replaceChildren(
      ...rows.map((row) =>
        h(
          "tr",
          {},
          columns.map((column, at) =>
            h(
              at ? "td" : "th",
              { scope: at ? null : "row", class: column.num ? "num" : null },
              column.cell(row),
            ),
          ),
        ),
      ),
    );
  const sort = (at, direction) => {
    order = { at, direction };
    const key = columns[at].key;
    rows = rows.slice().sort((a, b) => {
      const x = key(a),
        y = key(b);
      if (x === null || y === null || x === y) return (x === null) - (y === null);
      return (x < y ? -1 : 1) * direction;
    });
    heads.forEach((head, place) =>
      place === at
        ? head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending")
        : head.removeAttribute("aria-sort"),
    );
    fill();
  };
  columns.forEach((column, at) => {
    const press = () => sort(at, order && order.at === at ? -order.direction : column.num ? -1 : 1);
    heads.push(
      h(
        "th",
        { scope: "col", class: column.num ? "num" : null },
        h("button", { type: "button", onclick: press }, column.name),
      ),
    );
  });
  if (start) sort(start[0], start[1]);
  else fill();
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), body),
  );
}

/* Definitions on hover and focus. */
function define(run, measure, text) {
  const button = h("button", { type: "button", class: "def" }, text || measure.name);
  const show = () => {
    const tip = byId("tip"),
      definition = run.definitions[measure.definition];
    tip.replaceChildren(
      h("b", {}, definition.title),
      h("p", {}, definition.meaning + "."),
      h("p", { class: "formula" }, definition.formula),
      h("p", {}, "Over " + definition.subset + ", n = " + whole(measure.n) + "."),
      h("p", {}, h("code", {}, measure.definition)),
    );
    tip.hidden = false;
    const box = button.getBoundingClientRect();
    const left = Math.max(8, Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 8));
    const over = box.bottom + tip.offsetHeight + 12 > window.innerHeight && box.top > tip.offsetHeight + 12;
    tip.style.left = left + window.scrollX + "px";
    tip.style.top = (over ? box.top - tip.offsetHeight - 6 : box.bottom + 6) + window.scrollY + "px";
    button.setAttribute("aria-describedby", "tip");
  };
  const hide = () => {
    byId("tip").hidden = true;
    button.removeAttribute("aria-describedby");
  };
  for (const [event, act] of [
    ["mouseenter", show],
    ["focus", show],
    ["click", show],
    ["mouseleave", hide],
    ["blur", hide],
  ])
    button.addEventListener(event, act);
  button.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      hide();
      event.stopPropagation();
    }
  });
  return button;
}
