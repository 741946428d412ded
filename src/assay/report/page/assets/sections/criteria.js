/* The breakdown by criterion (or by another column): a dot plot and a sortable table. */
function criteriaSection(run) {
  const column = run.groups.criterion_id
    ? "criterion_id"
    : Object.keys(run.groups).find((each) => each !== "state");
  if (!column) return null;
  const group = run.groups[column];
  const there = group.measures
    .map((each, at) => [each, at])
    .filter(([each, at]) => run.measure.has(each) && group.rows.some(([, cells]) => cells[at] && cells[at][0] !== null));
  if (!there.length) return null;
  const wanted = there.slice(0, 6),
    holder = h("div");
  const text = (cell, m) =>
    cell
      ? h(
          "span",
          { title: cell[1] === null ? null : `[${fixed(cell[1], m.digits)}, ${fixed(cell[2], m.digits)}]` },
          fixed(cell[0], Math.max(2, Math.min(3, m.digits))) + (cell[4] ? "*" : ""),
        )
      : "–";
  const size = (row) => Math.max(0, ...row[1].map((cell) => (cell ? cell[3] : 0)));
  const columns = [
    {
      name: column === "criterion_id" ? "criterion" : seen(column),
      key: (row) => row[0],
      cell: (row) =>
        column === "criterion_id" ? criterionLink(run, row[0]) : name(row[0], 80),
    },
    { name: "queries", num: true, key: size, cell: (row) => count(run, size(row)) },
    ...wanted.map(([each, at]) => ({
      name: each,
      num: true,
      key: (row) => (row[1][at] ? row[1][at][0] : null),
      cell: (row) => text(row[1][at], run.measure.get(each)),
    })),
  ];
  const pick = h(
    "select",
    {
      id: "criteria-measure",
      onchange: () => holder.replaceChildren(dotPlot(run, column, group, Number(pick.value))),
    },
    there.map(([each, at]) => h("option", { value: at }, each)),
  );
  holder.append(dotPlot(run, column, group, there[0][1]));
  return [
    h("div", { class: "row", id: "criteria-choice" }, h("label", { class: "field" }, "measure", pick)),
    holder,
    sortable(
      "Measures by criterion, pooled over folds; * marks a value set by convention",
      columns,
      group.rows.slice(),
      null,
    ),
  ];
}
