/* Figures of one run that are no curves over thresholds: reliability, selected K, cut-offs. */
const DASHES = ["", " dash", " dot", "", " dash", " dot"];
const series = (at) => "s" + (at % 6) + DASHES[at % 6];
const line = (run) => series(run.place);
const fill = (run) => "f" + (run.place % 6);
const bandFill = (run) => "band" + (run.place % 6);
const unit = { domain: [0, 1], ticks: [0, 0.2, 0.4, 0.6, 0.8, 1] };
const area = (run, key) => {
  const value = run.measure.get(key);
  if (!value) return "";
  const ends = value.low === null ? "" : ` [${fixed(value.low, 3)}, ${fixed(value.high, 3)}]`;
  return (
    ` ${fixed(value.value, 3)}${ends}` +
    (value.mean ? `, mean over folds (pooled ${fixed(value.pooled, 3)})` : "")
  );
};

function reliability(run) {
  const f = run.figures.reliability,
    there = f.n.map((_, at) => at).filter((at) => f.n[at]),
    bins = f.n.length;
  const tall = Math.max(...f.n) > 99; // the counts need two lines
  return chart({
    title: "Reliability diagram, all probabilities",
    id: "fig-reliability",
    plan: () => ({
      square: true,
      top: tall ? 48 : 30,
      label: "Observed frequency of evidence against predicted probability, in bins",
      x: { ...unit, name: "Mean predicted probability" },
      y: { ...unit, name: "Observed frequency of evidence" },
      layers: [
        { kind: "line", cls: "sg thin dash", x: [0, 1], y: [0, 1] },
        {
          kind: "bars",
          cls: "fgband",
          bars: there.map((at) => ({
            x0: f.p[at] - 0.012,
            x1: f.p[at] + 0.012,
            y0: f.low[at],
            y1: f.high[at],
          })),
        },
        { kind: "line", cls: line(run), x: there.map((at) => f.p[at]), y: there.map((at) => f.y[at]) },
        { kind: "points", cls: fill(run) + " si", points: there.map((at) => ({ x: f.p[at], y: f.y[at] })) },
        {
          kind: "texts",
          texts: f.n.map((n, at) => ({
            x: (at + 0.5) / bins,
            y: 1,
            dy: tall && at % 2 ? -24 : -9,
            text: whole(n),
          })),
        },
      ],
      points: there.map((at) => ({
        x: f.p[at],
        y: f.y[at],
        text: `predicted ${fixed(f.p[at], 3)}, observed ${fixed(f.y[at], 3)}\n${counted(f.n[at], "query", "queries")}, consistent with calibration: ${fixed(f.low[at], 3)} to ${fixed(f.high[at], 3)}`,
      })),
    }),
    legend: [
      { line: line(run), shape: 0, point: fill(run) + " si", text: "ECE" + area(run, "ece") },
      { fill: "fgband", text: "95% consistency band" },
      { line: "sg thin dash", text: "perfect calibration" },
    ],
    caption: [
      "The number of queries is above each bin. A point inside its grey bar is consistent with perfect calibration",
      run.measure.has("ece_floor")
        ? `; a perfectly calibrated model would have an ECE of about ${fixed(run.measure.get("ece_floor").value, 3)} here.`
        : ".",
    ],
    rows: () => ({
      head: ["bin", "queries", "predicted", "observed", "band low", "band high"],
      rows: there.map((at) => [
        `${at / bins}–${(at + 1) / bins}`,
        f.n[at],
        f.p[at],
        f.y[at],
        f.low[at],
        f.high[at],
      ]),
    }),
  });
}

function selectedK(run) {
  const f = run.figures.selected_k,
    names = Object.keys(f.counts),
    total = f.labels.map((_, at) => names.reduce((sum, each) => sum + f.counts[each][at], 0));
  const bars = [];
  f.labels.forEach((_, at) => {
    let below = 0;
    for (const each of names) {
      bars.push({
        x0: at - 0.39,
        x1: at + 0.39,
        y0: below,
        y1: below + f.counts[each][at],
        cls: each === "all" ? fill(run) : "f" + each,
      });
      below += f.counts[each][at];
    }
  });
  return chart({
    title: "Sentences returned per query, at the recorded K",
    id: "fig-selected-k",
    plan: () => ({
      label: "Number of queries by selected K and state",
      x: {
        domain: [-0.6, f.labels.length - 0.4],
        ticks: f.labels.map((label, at) => [at, label]),
        bare: true,
        name: "Selected K (sentences)",
      },
      y: { domain: [0, 1.06 * Math.max(1, ...total)], name: "Queries (number)", format: whole },
      left: 64,
      layers: [{ kind: "bars", bars }],
      points: f.labels.map((label, at) => ({
        x: at,
        y: total[at],
        text:
          `K = ${label}: ${whole(total[at])} queries\n` +
          names.map((each) => `${each} ${whole(f.counts[each][at])}`).join(", "),
      })),
    }),
    legend: names.map((each) => ({
      fill: each === "all" ? fill(run) : "f" + each,
      text: `${each}, n = ${whole(f.counts[each].reduce((a, b) => a + b, 0))}`,
    })),
    rows: () => ({
      head: ["K", ...names],
      rows: f.labels.map((label, at) => [label, ...names.map((each) => f.counts[each][at])]),
    }),
  });
}

function cutoffs(run, alone) {
  const f = run.figures.cutoffs,
    names = Object.keys(f.lines),
    own = run.place % 6, // among several runs a colour means a run: measures differ by line and mark
    looks = [
      [`s${own}`, `f${own}`, 0, -0.05],
      alone ? ["s1", "f1", 1, 0.05] : [`s${own} dash`, `f${own}`, 1, 0.05],
      alone ? ["s2", "f2", 2, 0.1] : [`s${own} dot`, `f${own}`, 2, 0.1],
    ];
  if (names.length < 2) looks[0][3] = 0; // one line stays on the ticks
  return chart({
    title: "Ranking at each cut-off k",
    id: "fig-cutoffs",
    plan: () => ({
      label: "nDCG and recall at each cut-off",
      x: {
        domain: [-0.4, f.k.length - 0.6],
        ticks: f.k.map((k, at) => [at, String(k)]),
        name: "Cut-off k",
      },
      y: { ...unit, domain: [0, 1.02], name: `Value (0 to 1; n = ${whole(f.n)} queries)` },
      layers: names.flatMap((each, place) => {
        const [line, fill, shape, shift] = looks[place % 3],
          v = f.lines[each];
        return [
          {
            kind: "spans",
            cls: "ruled " + line,
            spans: f.k
              .map((_, at) => ({ x0: at + shift, x1: at + shift, y0: v.low[at], y1: v.high[at] }))
              .filter((b) => b.y0 !== null),
          },
          { kind: "line", cls: line, x: f.k.map((_, at) => at + shift), y: v.y },
          { kind: "points", cls: fill, shape, points: f.k.map((_, at) => ({ x: at + shift, y: v.y[at] })) },
        ];
      }),
      points: names.flatMap((each, place) =>
        f.k.map((k, at) => ({
          x: at + looks[place % 3][3],
          y: f.lines[each].y[at],
          text:
            `${each}@${k} ${fixed(f.lines[each].y[at], 4)}` +
            (f.lines[each].low[at] === null
              ? ""
              : `\n[${fixed(f.lines[each].low[at], 4)}, ${fixed(f.lines[each].high[at], 4)}]`),
        })),
      ),
    }),
    legend: names.map((each, place) => ({
      line: looks[place % 3][0],
      shape: looks[place % 3][2],
      point: looks[place % 3][1],
      text: each + "@k",
    })),
    caption: "On queries with evidence" + (run.bootstrap ? `; vertical lines are ${fixed(100 * run.bootstrap.level, 0)}% intervals.` : "."),
    rows: () => ({
      head: ["measure", "k", "value", "low", "high"],
      rows: names.flatMap((each) =>
        f.k.map((k, at) => [
          each,
          String(k),
          f.lines[each].y[at],
          f.lines[each].low[at],
          f.lines[each].high[at],
        ]),
      ),
    }),
  });
}

/* Interpolated precision at the levels of recall of TREC. */
function interpolatedPrecision(run) {
  const f = run.figures.interpolated_precision,
    banded = f.low.every((end) => end !== null);
  return chart({
    title: "Interpolated precision at levels of recall (TREC)",
    id: "fig-interpolated",
    plan: () => ({
      square: true,
      label: "Interpolated precision against the level of recall",
      x: { ...unit, name: "Recall level" },
      y: { ...unit, name: "Interpolated precision, mean over queries" },
      layers: [
        ...(banded ? [{ kind: "area", cls: bandFill(run), x: f.x, low: f.low, high: f.high }] : []),
        { kind: "line", cls: line(run), x: f.x, y: f.y },
        { kind: "points", cls: fill(run) + " si", points: f.x.map((x, at) => ({ x, y: f.y[at] })) },
      ],
      points: f.x.map((x, at) => ({ x, y: f.y[at], text: `recall ${short(x)}: precision ${fixed(f.y[at], 3)}` + (banded ? `\n[${fixed(f.low[at], 3)}, ${fixed(f.high[at], 3)}]` : "") })),
    }),
    legend: [
      { line: line(run), shape: 0, point: fill(run) + " si", text: `mean over ${counted(f.n, "query", "queries")}` },
      ...(banded ? [{ fill: bandFill(run), text: `${fixed(100 * run.bootstrap.level, 0)}% intervals, level by level` }] : []),
    ],
    rows: () => ({
      head: ["recall level", "interpolated precision", "low", "high"],
      rows: f.x.map((x, at) => [x, f.y[at], f.low[at], f.high[at]]),
    }),
  });
}
