/* The comparison of runs: tested differences first, then queries won and lost, then curves and all values. */
const ALPHA = 0.05;
const swatch = (run) => h("span", { class: "swatch " + "b" + (run.place % 6), "aria-hidden": "true" });
const runName = (run) => [swatch(run), " ", name(run.name, 40)];

function comparisonWarnings(runs) {
  const differ = (get) => new Set(runs.map(get)).size > 1;
  return [
    differ((run) => run.contract.hash)
      ? "The runs were scored under different contracts: equal names may have different definitions."
      : null,
    differ((run) => run.size) ? "The runs have different numbers of queries." : null,
    differ((run) => run.counts.evidence) ? "The runs have different numbers of queries with evidence." : null,
  ].filter(Boolean);
}

/* What a pair's differences say, as a sentence. */
const better_ = (d) => (d.better === "lower" ? -d.difference : d.difference);
const sure = (d) => d.holm < ALPHA && d.difference !== 0;
function pairSentence(runs, tested, [a, b]) {
  const mine = tested.differences.filter((d) => d.pair[0] === a && d.pair[1] === b),
    wins = mine.filter((d) => sure(d) && better_(d) > 0),
    losses = mine.filter((d) => sure(d) && better_(d) < 0);
  const few_ = (list) => list.slice(0, 4).map((d) => d.name).join(", ") + (list.length > 4 ? ", …" : "");
  return h(
    "li",
    {},
    h("b", {}, runName(runs[b])),
    " against ",
    runName(runs[a]),
    ": ",
    !wins.length && !losses.length
      ? `no significant difference on any of ${counted(mine.length, "measure")}.`
      : (wins.length ? `significantly better on ${wins.length} of ${counted(mine.length, "measure")} (${few_(wins)})` : `significantly better on none of ${counted(mine.length, "measure")}`) +
          (losses.length ? `, worse on ${losses.length} (${few_(losses)}).` : ", worse on none."),
  );
}

function differenceTable(runs, tested, [a, b]) {
  const mine = tested.differences.filter((d) => d.pair[0] === a && d.pair[1] === b);
  const signed = (v, digits = 4) => (v > 0 ? "+" : "") + fixed(v, digits);
  return table(
    [
      "measure",
      { text: runName(runs[a]) },
      { text: runName(runs[b]) },
      "difference",
      `${fixed(100 * tested.level, 0)}% paired CI`,
      "p (Holm)",
      { text: "queries won / tied / lost", num: false },
    ],
    mine.map((d) => {
      const measure = runs[a].measure.get(d.name),
        good = sure(d) && better_(d) > 0,
        bad = sure(d) && better_(d) < 0;
      return [
        measure ? define(runs[a], measure, d.name + (measure.arrow ? "\u00a0" + measure.arrow : "")) : d.name,
        fixed(d.base, 4),
        fixed(d.value, 4),
        h("span", { class: good ? "won" : bad ? "lost" : null }, signed(d.difference)),
        d.low === null ? "–" : `[${signed(d.low)}, ${signed(d.high)}]`,
        h("span", { class: sure(d) ? "best" : null }, pShown(d.holm)),
        d.wins === null
          ? "–"
          : h(
              "div",
              { class: "outcomes" },
              h("span", {}, [d.wins, d.ties, d.losses].map(whole).join(" / ")),
              stacked(
                [
                  { n: d.wins, cls: runs[b].place % 6, title: `won ${whole(d.wins)}` },
                  { n: d.ties, cls: "tie", title: `tied ${whole(d.ties)}` },
                  { n: d.losses, cls: runs[a].place % 6, title: `lost ${whole(d.losses)}` },
                ],
                `${whole(d.wins)} won, ${whole(d.ties)} tied, ${whole(d.losses)} lost`,
                true,
              ),
            ),
      ];
    }),
    `Differences on the same queries: randomisation test by ${runs[0].keys?.includes("post_id") ? tested.unit : "query"}, ${whole(tested.resamples)} resamples, p adjusted over ${counted(tested.tests, "test")} (Holm); queries won, tied and lost by ${cutTo(seen(runs[b].name), 40)}`,
  );
}

function differenceFigure(runs, tested, [a, b]) {
  const mine = tested.differences.filter((d) => d.pair[0] === a && d.pair[1] === b),
    last = mine.length,
    ends = mine.flatMap((d) => [d.difference, d.low ?? d.difference, d.high ?? d.difference, 0]);
  const room = (Math.max(...ends) - Math.min(...ends) || 0.1) * 0.06;
  return chart({
    title: "Differences with paired intervals",
    id: "fig-differences",
    plan: () => ({
      left: 24 + 7 * Math.max(...mine.map((d) => Math.min(22, d.name.length))),
      right: 20,
      ...(last <= 14 ? { square: true } : { height: 66 + 24 * last }),
      label: "Difference of each measure with its paired interval",
      x: { domain: [Math.min(...ends) - room, Math.max(...ends) + room], name: `${cutTo(seen(runs[b].name), 24)} minus ${cutTo(seen(runs[a].name), 24)}` },
      y: { domain: [-0.6, last - 0.4], ticks: mine.map((d, at) => [last - 1 - at, cutTo(d.name, 20) + (d.better === "lower" ? " ↓" : "")]) },
      layers: [
        { kind: "down", x: 0, cls: "sg" },
        {
          kind: "spans",
          cls: "ruled si",
          spans: mine
            .map((d, at) => ({ x0: d.low, x1: d.high, y0: last - 1 - at, y1: last - 1 - at }))
            .filter((span) => span.x0 !== null),
        },
        {
          kind: "points",
          points: mine.map((d, at) => ({
            x: d.difference,
            y: last - 1 - at,
            cls: (sure(d) ? fill(better_(d) > 0 ? runs[b] : runs[a]) : "fhollow") + " si",
          })),
        },
      ],
      points: mine.map((d, at) => ({
        x: d.difference,
        y: last - 1 - at,
        text: `${d.name}: ${fixed(d.difference, 4)}\n[${fixed(d.low, 4)}, ${fixed(d.high, 4)}], p (Holm) ${pShown(d.holm)}`,
      })),
    }),
    legend: [
      { shape: 0, point: fill(runs[b]) + " si", text: `${cutTo(seen(runs[b].name), 30)} is better, p (Holm) < ${ALPHA}` },
      { shape: 0, point: fill(runs[a]) + " si", text: `${cutTo(seen(runs[a].name), 30)} is better, p (Holm) < ${ALPHA}` },
      { shape: 0, point: "fhollow si", text: "no significant difference" },
    ],
    rows: () => ({
      head: ["measure", "difference", "low", "high", "p (Holm)"],
      rows: mine.map((d) => [d.name, d.difference, d.low, d.high, d.holm]),
    }),
  });
}

/* The queries that both runs have, with a value of each. */
function pairedValues(a, b, measure) {
  const at = [a, b].map((run) => run.values.indexOf(measure)),
    found = [];
  for (let q = 0; q < a.size; q++) {
    const x = a.value(q, at[0]);
    if (x === null) continue;
    const other = queryOf(b, queryKey(a, q));
    const y = other === null ? null : b.value(other, at[1]);
    if (y !== null) found.push({ q, other, x, y });
  }
  return found;
}

const CELLS = 24;
function pairedScatter(a, b, measure, pairs) {
  const exact = pairs.length <= 400,
    cells = new Map(),
    ends = pairs.flatMap((each) => [each.x, each.y]).reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [0, 1]);
  const [low, high] = ends,
    step = (high - low || 1) / CELLS;
  for (const each of pairs) {
    const place = [each.x, each.y].map((v) => Math.min(CELLS, Math.round((v - low) / step)));
    const key = exact ? `${each.x} ${each.y}` : place.join();
    const [x, y] = exact ? [each.x, each.y] : place.map((at) => low + at * step);
    const cell = cells.get(key) ?? { x, y, n: 0, one: each };
    cell.n++;
    cells.set(key, cell);
  }
  const shown = [...cells.values()],
    most = Math.max(1, ...shown.map((cell) => cell.n)),
    axis = { domain: [low - step, high + step], ticks: ticks(low, high, 5) };
  return chart({
    title: `${measure} per query`,
    id: "fig-scatter",
    plan: () => ({
      square: true,
      label: `${measure} of each query under both systems`,
      x: { ...axis, name: `${cutTo(seen(a.name), 30)}` },
      y: { ...axis, name: `${cutTo(seen(b.name), 30)}` },
      layers: [
        { kind: "line", cls: "sg thin dash", x: [low, high], y: [low, high] },
        ...shown.map((cell) => ({
          kind: "points",
          size: exact ? Math.min(11, 3.4 * Math.sqrt(cell.n)) : 2 + 9 * Math.sqrt(cell.n / most),
          points: [{ x: cell.x, y: cell.y, cls: (cell.y > cell.x ? fill(b) : cell.y < cell.x ? fill(a) : "fg") + " seethrough" }],
        })),
      ],
      points: shown.map((cell) => ({
        x: cell.x,
        y: cell.y,
        act: cell.n === 1 ? () => follow("#queries?" + new URLSearchParams({ query: queryKey(a, cell.one.q) })) : null,
        text: cell.n === 1 ? `${cutTo(seen(a.title(cell.one.q)), 60)}\n${fixed(cell.one.x, 3)} and ${fixed(cell.one.y, 3)}` : `${whole(cell.n)} queries ${exact ? "at" : "near"} ${fixed(cell.x, 2)} and ${fixed(cell.y, 2)}`,
      })),
    }),
    legend: [
      { shape: 0, point: fill(b), text: `better under ${cutTo(seen(b.name), 30)}` },
      { shape: 0, point: fill(a), text: `better under ${cutTo(seen(a.name), 30)}` },
    ],
    caption: `Each dot is a query, a larger one several (n = ${whole(pairs.length)}).`,
    rows: () => ({
      head: ["query", seen(a.name), seen(b.name)],
      rows: pairs.slice(0, 2000).map((each) => [seen(a.title(each.q)), each.x, each.y]),
    }),
  });
}

function wonAndLost(a, b, measure, pairs) {
  const lower = a.measure.get(measure)?.better === "lower",
    gain = (each) => (each.y - each.x) * (lower ? -1 : 1);
  const list = (title, rows) =>
    rows.length
      ? h(
          "div",
          { class: "panel" },
          h("h3", {}, title),
          table(
            ["query", { text: runName(a) }, { text: runName(b) }, "difference"],
            rows.map((each) => [
              h("a", { href: "#queries?" + new URLSearchParams({ query: queryKey(a, each.q) }) }, name(a.title(each.q), 50)),
              fixed(each.x, 3),
              fixed(each.y, 3),
              (each.y > each.x ? "+" : "") + fixed(each.y - each.x, 3),
            ]),
            `${measure}, largest differences first`,
          ),
        )
      : null;
  const order = pairs.slice().sort((x, y) => gain(y) - gain(x)),
    won = order.filter((each) => gain(each) > 0).slice(0, LISTED),
    lost = order.filter((each) => gain(each) < 0).slice(-LISTED).reverse();
  return h(
    "div",
    { class: "panels even" },
    list(`Queries won by ${cutTo(seen(b.name), 40)}`, won),
    list(`Queries lost by ${cutTo(seen(b.name), 40)}`, lost),
  );
}

function sideBySide(runs, list, caption) {
  return table(
    ["measure", ...runs.map((run) => ({ text: runName(run) }))],
    list.map((m) => {
      const values = runs.map((run) => run.measure.get(m.name)),
        told = values.every((each) => each.value !== null),
        top = told
          ? best(
              m.better,
              values.map((each) => each.value),
            )
          : NaN,
        same = values.every((each) => each.value === top);
      return [
        define(runs[0], m, m.name + arrow(m)),
        ...values.map((each) => [
          h(
            "span",
            { class: each.value === top && !same ? "best" : null },
            (each.bound ?? fixed(each.value, each.digits)) + (each.value === top && !same ? " ◂" : ""),
          ),
          each.low === null ? null : h("span", { class: "note" }, " " + interval(each)),
        ]),
      ];
    }),
    caption,
  );
}

/* What is shown of one pair: rebuilt when another pair is chosen. */
function pairView(runs, tested, pair) {
  const [a, b] = pair.map((at) => runs[at]),
    both = a.listed && b.listed,
    measures = both ? a.values.filter((each) => b.values.includes(each)) : [];
  const drawn = h("div");
  const fillDrawn = (measure) => {
    const pairs = pairedValues(a, b, measure);
    drawn.replaceChildren(
      h(
        "div",
        { class: "figures" },
        tested && tested.differences.length ? differenceFigure(runs, tested, pair) : null,
        pairedScatter(a, b, measure, pairs),
      ),
      wonAndLost(a, b, measure, pairs),
    );
  };
  const choose = measures.length
    ? h(
        "label",
        { class: "field noprint" },
        "per query",
        h(
          "select",
          { id: "pair-measure", onchange: (event) => fillDrawn(event.target.value) },
          measures.map((each) => h("option", {}, each)),
        ),
      )
    : null;
  if (measures.length) fillDrawn(measures[0]);
  return [
    tested && tested.differences.length ? differenceTable(runs, tested, pair) : null,
    choose ? h("div", { class: "row spaced" }, choose) : null,
    drawn,
  ];
}

function comparisonSection(runs, tested) {
  const first = runs[0],
    warnings = comparisonWarnings(runs),
    there = tested && tested.differences.length > 0;
  const pairs = there ? tested.pairs : runs.slice(1).map((_, at) => [0, at + 1]);
  const shared = first.measures.filter((m) => runs.every((run) => run.measure.has(m.name))),
    main = first.headlines.map((key) => first.measure.get(key)).filter((m) => shared.includes(m));
  const holder = h("div", {}, pairView(runs, tested, pairs[0]));
  const pick =
    pairs.length > 1
      ? h(
          "label",
          { class: "field noprint" },
          "compare",
          h(
            "select",
            {
              id: "pair",
              onchange: (event) => holder.replaceChildren(...pairView(runs, tested, pairs[Number(event.target.value)]).filter(Boolean)),
            },
            pairs.map(([a, b], at) => h("option", { value: at }, `${cutTo(seen(runs[b].name), 40)} against ${cutTo(seen(runs[a].name), 40)}`)),
          ),
        )
      : null;
  const overlay = [
    ["roc", roc],
    ["pr", pr],
    ["risk_coverage", riskCoverage],
    ["decision_curve", decisionCurve],
  ]
    .filter(([key]) => runs.every((run) => run.figures[key]))
    .map(([, draw]) => draw(runs));
  return [
    there
      ? h("ul", { class: "verdicts", id: "pairs" }, pairs.map((pair) => pairSentence(runs, tested, pair)))
      : h("p", { class: "warning" }, h("b", {}, "Differences were not tested. "), seen(tested?.reason ?? "")),
    there ? h("p", { class: "note" }, `Significant: p (Holm) < ${ALPHA}, adjusted for all ${tested.tests} tests. Intervals are not adjusted: one without 0 may still belong to a difference that is not significant.`) : null,
    warnings.length
      ? h(
          "ul",
          { class: "notes" },
          warnings.map((each) => h("li", {}, each)),
        )
      : null,
    pick ? h("div", { class: "row" }, pick) : null,
    holder,
    h("h3", { class: "spaced" }, "All runs"),
    sideBySide(runs, main, "Headline measures by run; ◂ marks the best of a row. Overlapping intervals are not a significance test."),
    h("div", { class: "figures", id: "compare-figures" }, overlay),
    h(
      "details",
      { class: "noprint" },
      h("summary", {}, `All ${shared.length} shared measures`),
      sideBySide(runs, shared, "All shared measures"),
    ),
  ];
}
