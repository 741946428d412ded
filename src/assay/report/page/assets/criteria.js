/* The breakdown by criterion: a sortable table, and a figure. */
function criteriaSection(run) {
  const column = run.groups.criterion_id
    ? "criterion_id"
    : Object.keys(run.groups).find((each) => each !== "state");
  if (!column) return [h("p", {}, "This bundle has no breakdown by criterion.")];
  const group = run.groups[column];
  const there = group.measures
    .map((each, at) => [each, at])
    .filter(([each, at]) => run.measure.has(each) && group.rows.some(([, cells]) => cells[at]));
  const wanted = there.slice(0, 6),
    holder = h("div");
  const ends = (cell, digits) =>
    cell[1] === null
      ? ""
      : `[${fixed(cell[1], digits)}, ${fixed(cell[2], digits)}]` + (cell[5] ? " (exact bounds)" : "");
  const text = (cell, m) =>
    cell
      ? h(
          "span",
          { title: ends(cell, m.digits) || null },
          fixed(cell[0], Math.max(2, Math.min(3, m.digits))) + (cell[4] ? "*" : ""),
        )
      : "–";
  const columns = [
    {
      name: column === "criterion_id" ? "criterion" : seen(column),
      key: (row) => row[0],
      cell: (row) => name(row[0], 80),
    },
    {
      name: "queries",
      num: true,
      key: (row) => Math.max(0, ...row[1].map((cell) => (cell ? cell[3] : 0))),
      cell: (row) => whole(Math.max(0, ...row[1].map((cell) => (cell ? cell[3] : 0)))),
    },
    ...wanted.map(([each, at]) => ({
      name: each,
      num: true,
      key: (row) => (row[1][at] ? row[1][at][0] : null),
      cell: (row) => text(row[1][at], run.measure.get(each)),
    })),
  ];
  const figure = (at) => {
    const m = run.measure.get(group.measures[at]),
      rows = group.rows.filter(([, cells]) => cells[at]),
      last = rows.length;
    const top = Math.max(1e-9, m.pooled, ...rows.flatMap(([, cells]) => [cells[at][0], cells[at][2] ?? 0])),
      low = Math.min(0, ...rows.map(([, cells]) => cells[at][0]));
    const end = top > 0.3 && top <= 1 ? 1 : top * 1.05,
      place = (row) => last - 1 - row;
    const longest = Math.max(...rows.map(([label]) => Math.min(24, seen(label).length)));
    return chart({
      title: `${run.definitions[m.definition].title} (${m.name})`,
      wide: true,
      id: "fig-criteria",
      plan: () => ({
        left: Math.min(200, 30 + 7.2 * longest),
        right: 24,
        height: 66 + 23 * last,
        label: `${m.name} by criterion, with intervals`,
        x: { domain: [low, end], name: `${m.name}, over ${run.definitions[m.definition].subset}` },
        y: {
          domain: [-0.6, last - 0.4],
          ticks: rows.map(([label], row) => [place(row), cutTo(seen(label), 23)]),
        },
        layers: [
          {
            kind: "bars",
            bars: rows.map(([, cells], row) => ({
              x0: 0,
              x1: cells[at][0],
              y0: place(row) - 0.32,
              y1: place(row) + 0.32,
              cls: cells[at][4] ? "fhollow" : "f0 pale",
            })),
          },
          { kind: "down", x: m.pooled, cls: "s1 dash" },
          {
            kind: "spans",
            cls: "ruled si",
            spans: rows
              .map(([, cells], row) => ({
                x0: cells[at][1],
                x1: cells[at][2],
                y0: place(row),
                y1: place(row),
              }))
              .filter((span) => span.x0 !== null),
          },
          {
            kind: "points",
            cls: "fi",
            size: 3,
            points: rows.map(([, cells], row) => ({ x: cells[at][0], y: place(row) })),
          },
        ],
        points: rows.map(([label, cells], row) => ({
          x: cells[at][0],
          y: place(row),
          text:
            `${cutTo(seen(label), 60)}: ${fixed(cells[at][0], 4)}` +
            (cells[at][1] === null ? "" : "\n" + ends(cells[at], 4)) +
            `\nn = ${whole(cells[at][3])}` +
            (cells[at][4] ? `\nby convention: ${cells[at][4]}` : ""),
        })),
      }),
      legend: [
        { fill: "f0 pale", text: "value" },
        { line: "ruled si", text: m.low === null ? "no intervals in this bundle" : "95% CI" },
        { line: "s1 dash", text: `all criteria, pooled: ${fixed(m.pooled, 3)}` },
      ],
      rows: () => ({
        head: ["criterion", "value", "low", "high", "n"],
        rows: rows.map(([label, cells]) => [
          name(label, 80),
          fixed(cells[at][0], 4),
          fixed(cells[at][1], 4),
          fixed(cells[at][2], 4),
          whole(cells[at][3]),
        ]),
      }),
    });
  };
  const pick = h(
    "select",
    { id: "criteria-measure", onchange: () => holder.replaceChildren(figure(Number(pick.value))) },
    there.map(([each, at]) => h("option", { value: at }, each)),
  );
  holder.append(figure(there[0][1]));
  return [
    h("p", {}, "Values are pooled over folds. Click a column name to sort; * marks a value set by convention."),
    sortable("Measures by criterion", columns, group.rows.slice(), null),
    h("div", { class: "row", id: "criteria-choice" }, h("label", { class: "field" }, "figure for", pick)),
    holder,
  ];
}
