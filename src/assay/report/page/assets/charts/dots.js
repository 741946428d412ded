/* A measure by group as a sorted dot plot: value, interval, target and the value over all groups. */
function dotPlot(run, column, group, at) {
  const m = run.measure.get(group.measures[at]),
    definition = run.definitions[m.definition],
    target = run.targets[m.name],
    way = m.better === "lower" ? -1 : 1;
  const rows = group.rows
    .filter(([, cells]) => cells[at] && cells[at][0] !== null)
    .sort(([, a], [, b]) => (b[at][0] - a[at][0]) * way);
  const last = rows.length,
    place = (row) => last - 1 - row,
    ends = rows.flatMap(([, cells]) => [cells[at][0], cells[at][1] ?? cells[at][0], cells[at][2] ?? cells[at][0]]);
  if (target) ends.push(target[1]);
  const [from, to] = definition.range,
    room = (Math.max(...ends) - Math.min(...ends) || 0.1) * 0.06;
  if (m.pooled !== null) ends.push(m.pooled);
  const low = Math.max(from ?? -Infinity, Math.min(...ends) - room),
    high = Math.min(to ?? Infinity, Math.max(...ends) + room);
  const longest = Math.max(0, ...rows.map(([label]) => Math.min(31, seen(label).length)));
  const ended = (cell, digits) =>
    cell[1] === null
      ? ""
      : `[${fixed(cell[1], digits)}, ${fixed(cell[2], digits)}]` + (cell[5] ? " (exact bounds)" : "");
  return chart({
    title: `${definition.title} by ${column === "criterion_id" ? "criterion" : seen(column)}` + (definition.operating ? `, ${definition.operating}` : ""),
    wide: true,
    id: "fig-criteria",
    level: "h3",
    plan: () => ({
      left: Math.min(240, 30 + 7 * longest),
      right: 24,
      height: 66 + 21 * last,
      label: `${m.name} by group, sorted, with intervals`,
      x: { domain: [low, high === low ? low + 0.1 : high], name: `${m.name}, over ${definition.subset}` },
      y: { domain: [-0.6, last - 0.4], ticks: rows.map(([label], row) => [place(row), cutTo(seen(label), 30)]) },
      layers: [
        ...(m.pooled === null ? [] : [{ kind: "down", x: m.pooled, cls: "sg dash" }]),
        ...(target ? [{ kind: "down", x: target[1], cls: "sbad", text: "target", side: target[1] > (low + high) / 2 ? -1 : 1 }] : []),
        {
          kind: "spans",
          cls: "ruled si",
          spans: rows
            .map(([, cells], row) => ({ x0: cells[at][1], x1: cells[at][2], y0: place(row), y1: place(row) }))
            .filter((span) => span.x0 !== null),
        },
        {
          kind: "points",
          size: 5,
          points: rows.map(([, cells], row) => ({
            x: cells[at][0],
            y: place(row),
            cls: cells[at][4] ? "fhollow" : fill(run) + " si",
          })),
        },
      ],
      points: rows.map(([label, cells], row) => ({
        x: cells[at][0],
        y: place(row),
        act: column === "criterion_id" && run.listed ? () => follow("#queries?" + new URLSearchParams({ show: "wrong", criterion: wellFormed(label) })) : null,
        text:
          `${cutTo(seen(label), 60)}: ${fixed(cells[at][0], 4)}` +
          (cells[at][1] === null ? "" : "\n" + ended(cells[at], 4)) +
          `\nn = ${whole(cells[at][3])}` +
          (cells[at][4] ? `\nby convention: ${cells[at][4]}` : ""),
      })),
    }),
    legend: [
      { shape: 0, point: fill(run) + " si", line: m.low === null ? null : "ruled si", text: m.low === null ? "value" : "value and 95% CI" },
      ...(m.pooled === null ? [] : [{ line: "sg dash", text: `all queries, pooled: ${fixed(m.pooled, 3)}` }]),
      ...(target ? [{ line: "sbad", text: `target ${SIGNS[target[0]]} ${target[1]}` }] : []),
    ],
    rows: () => ({
      head: [column === "criterion_id" ? "criterion" : seen(column), "value", "low", "high", "n"],
      rows: rows.map(([label, cells]) => [seen(label), cells[at][0], cells[at][1], cells[at][2], cells[at][3]]),
    }),
  });
}
