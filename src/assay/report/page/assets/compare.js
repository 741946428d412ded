/* Several runs side by side. */
function compareSection(runs) {
  const first = runs[0],
    warnings = [];
  if (new Set(runs.map((run) => run.contract.hash)).size > 1)
    warnings.push(
      "The runs were scored under different contracts: equal names may have different definitions.",
    );
  if (new Set(runs.map((run) => run.size)).size > 1)
    warnings.push("The runs have different numbers of queries.");
  if (new Set(runs.map((run) => run.counts.evidence)).size > 1)
    warnings.push("The runs have different numbers of queries with evidence.");
  const shared = first.measures.filter((m) => runs.every((run) => run.measure.has(m.name)));
  const rows = (list) =>
    list.map((m) => {
      const values = runs.map((run) => run.measure.get(m.name)),
        top = best(
          m.better,
          values.map((each) => each.value),
        ),
        same = values.every((each) => each.value === top);
      return [
        define(first, m, m.name + arrow(m)),
        ...values.map((each) => [
          h(
            "span",
            { class: each.value === top && !same ? "best" : null },
            fixed(each.value, each.digits) + (each.value === top && !same ? " ◂" : ""),
          ),
          each.low === null ? null : h("span", { class: "note" }, " " + interval(each)),
        ]),
      ];
    });
  const head = () => ["measure", ...runs.map((run) => ({ text: name(run.name, 40) }))];
  const main = first.headlines.map((key) => first.measure.get(key)).filter((m) => shared.includes(m));
  const forests = main.map((m) => {
    const values = runs.map((run) => run.measure.get(m.name)),
      ends = values.flatMap((each) => [each.value, each.low ?? each.value, each.high ?? each.value]);
    const least = Math.min(...ends),
      most = Math.max(...ends),
      room = (most - least || Math.abs(most) || 0.1) * 0.12,
      last = runs.length;
    const [from, to] = first.definitions[m.definition].range,
      low = Math.max(from ?? -Infinity, least - room),
      high = Math.min(to ?? Infinity, most + room);
    const longest = Math.max(...runs.map((run) => Math.min(18, seen(run.name).length)));
    return chart({
      title: first.definitions[m.definition].title,
      plan: () => ({
        left: 24 + 7.2 * longest,
        right: 20,
        height: 66 + 24 * last,
        label: `${m.name} by run, with intervals`,
        x: { domain: [low, high], name: m.name + arrow(m) },
        y: {
          domain: [-0.6, last - 0.4],
          ticks: runs.map((run, at) => [last - 1 - at, cutTo(seen(run.name), 17)]),
        },
        layers: [
          {
            kind: "spans",
            cls: "ruled si",
            spans: values
              .map((each, at) => ({ x0: each.low, x1: each.high, y0: last - 1 - at, y1: last - 1 - at }))
              .filter((span) => span.x0 !== null),
          },
          {
            kind: "points",
            points: values.map((each, at) => ({
              x: each.value,
              y: last - 1 - at,
              cls: "f" + (at % 6) + " si",
              shape: at,
            })),
          },
        ],
        points: values.map((each, at) => ({
          x: each.value,
          y: last - 1 - at,
          text: `${cutTo(seen(runs[at].name), 60)}: ${fixed(each.value, each.digits)} ${interval(each)}`,
        })),
      }),
    });
  });
  const overlay = [
    ["roc", roc],
    ["pr", pr],
    ["risk_coverage", riskCoverage],
    ["decision_curve", decisionCurve],
  ]
    .filter(([key]) => runs.every((run) => run.figures[key]))
    .map(([, draw]) => draw(runs));
  return [
    h(
      "p",
      {},
      `${runs.length} runs. ◂ marks the best value of a row. Overlapping intervals are not a significance test: \`assay compare\` pairs the runs by post and tests their differences.`,
    ),
    warnings.length
      ? h(
          "ul",
          { class: "notes" },
          warnings.map((each) => h("li", {}, each)),
        )
      : null,
    table(head(), rows(main), "Headline measures by run"),
    h("div", { class: "figures", id: "compare-figures" }, forests, overlay),
    h(
      "details",
      {},
      h("summary", {}, `All ${shared.length} shared measures`),
      table(head(), rows(shared), "All shared measures"),
    ),
  ];
}
