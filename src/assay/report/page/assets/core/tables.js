/* Tables, plain and sortable. */
function table(head, rows, caption) {
  return h(
    "div",
    { class: rows.length > 12 ? "scroll" : "scroll short", tabindex: "0", role: "group", "aria-label": caption },
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
              { scope: at ? null : "row", class: column.num ? "num" : null, "data-label": at ? column.name : null },
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
