/* All measures of the contract, in groups that are opened when they are wanted. */
function measuresSection(run) {
  const parts = new Map();
  for (const m of run.measures) parts.set(m.section, [...(parts.get(m.section) ?? []), m]);
  return [
    h(
      "p",
      {},
      "Hover over or focus a name to see its definition. Values are rounded to what the interval supports; the bundle has all digits.",
    ),
    [...parts].map(([section, list]) => {
      const holder = h("div");
      const made = h("details", {}, h("summary", {}, h("b", {}, section), ` (${list.length})`), holder);
      made.addEventListener("toggle", () => {
        if (!holder.childElementCount) holder.append(measureTable(run, section, list));
      });
      return made;
    }),
  ];
}

function measureTable(run, section, list) {
  const points = list.some((m) => run.definitions[m.definition].operating);
  return table(
    [
      "measure",
      ...(points ? [{ text: "operating point", num: false }] : []),
      "value",
      "std over folds",
      "95% CI",
      "pooled",
      "n",
      { text: "interpretation", num: false },
    ],
    list.map((m) => [
      define(run, m, m.name + arrow(m)),
      ...(points ? [run.definitions[m.definition].operating ?? "–"] : []),
      shownValue(m),
      fixed(m.std, m.digits),
      interval(m) || "–",
      fixed(m.pooled, m.digits),
      whole(m.n),
      run.definitions[m.definition].meaning,
    ]),
    `${section}: ${counted(list.length, "measure")}`,
  );
}
