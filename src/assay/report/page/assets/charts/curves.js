/* ROC and precision–recall curves, of one run or several. */
/* One line per run; a single run also has its band and its operating points, as `told` words them. */
function curveLegend(runs, one, name, told, chance) {
  const many = runs.length > 1;
  const lines = runs.map((run) => ({
    line: line(run),
    text: (many ? cutTo(seen(run.name), 40) + ":" : name) + area(run, name.toLowerCase()),
  }));
  const band =
    !one.band ? [] : [{ fill: bandFill(runs[0]), text: `${fixed(100 * one.band.level, 0)}% bootstrap band` }];
  const points = many
    ? []
    : one.points.map((p, at) => ({ shape: at, point: "fmark si", text: told(p) }));
  return [...lines, ...band, ...points, { line: "sg thin dash", text: chance }];
}
const named = (runs, run) => (runs.length > 1 ? [seen(run.name)] : []);
/* Bands of up to three runs; more would hide each other. */
const bands = (runs, key) =>
  runs.length > 3
    ? []
    : runs
        .filter((run) => run.figures[key].band)
        .map((run) => ({ kind: "area", cls: bandFill(run), ...run.figures[key].band }));
function roc(runs) {
  const many = runs.length > 1,
    one = runs[0].figures.roc;
  const points = runs.flatMap((run) =>
    run.figures.roc.x.map((x, at) => ({
      x,
      y: run.figures.roc.y[at],
      text:
        (many ? seen(run.name) + "\n" : "") +
        `FPR ${fixed(x, 3)}, TPR ${fixed(run.figures.roc.y[at], 3)}\nthreshold ${run.figures.roc.threshold[at] === null ? "∞" : short(run.figures.roc.threshold[at])}`,
    })),
  );
  return chart({
    title: "ROC curve of the probability, over all thresholds",
    id: many ? null : "fig-roc",
    plan: () => ({
      square: true,
      label: "ROC curve: true positive rate against false positive rate",
      x: {
        ...unit,
        name: many
          ? "False positive rate"
          : `False positive rate (of ${whole(one.negatives)} without evidence)`,
      },
      y: {
        ...unit,
        name: many ? "True positive rate" : `True positive rate (of ${whole(one.positives)} with evidence)`,
      },
      layers: [
        { kind: "line", cls: "sg thin dash", x: [0, 1], y: [0, 1] },
        ...bands(runs, "roc"),
        ...runs.map((run) => ({
          kind: "line",
          cls: line(run),
          step: run.figures.roc.stepped ? "post" : null,
          x: run.figures.roc.x,
          y: run.figures.roc.y,
        })),
        ...(many
          ? []
          : [
              {
                kind: "points",
                points: one.points.map((p, at) => ({ x: p.fpr, y: p.tpr, shape: at, cls: "fmark si" })),
              },
            ]),
      ],
      points,
    }),
    legend: curveLegend(runs, one, "AUROC", (p) => `${p.name}: TPR ${fixed(p.tpr, 3)}, FPR ${fixed(p.fpr, 3)}`, "chance"),
    caption:
      "Pooled over all queries, even if there are folds." +
      (many || !one.band ? "" : " The band is pointwise."),
    rows: () => ({
      head: [...(many ? ["system"] : []), "false positive rate", "true positive rate", "threshold"],
      rows: runs.flatMap((run) =>
        run.figures.roc.x.map((x, at) => [
          ...named(runs, run),
          x,
          run.figures.roc.y[at],
          run.figures.roc.threshold[at] ?? "∞",
        ]),
      ),
    }),
  });
}

function pr(runs) {
  const many = runs.length > 1,
    one = runs[0].figures.pr;
  const closed = (f) => ({ x: [0, ...f.x], y: [f.y[0], ...f.y] });
  return chart({
    title: "Precision–recall curve of the probability, over all thresholds",
    id: many ? null : "fig-pr",
    plan: () => ({
      square: true,
      label: "Precision against recall, with the positive rate as baseline",
      x: { ...unit, name: many ? "Recall" : `Recall (of ${whole(one.positives)} with evidence)` },
      y: { ...unit, name: "Precision (share of flagged queries)" },
      layers: [
        { kind: "across", cls: "sg thin dash", y: one.baseline },
        ...bands(runs, "pr"),
        ...runs.map((run) => ({
          kind: "line",
          cls: line(run),
          step: run.figures.pr.stepped ? "pre" : null,
          ...closed(run.figures.pr),
        })),
        ...(many
          ? []
          : [
              {
                kind: "points",
                points: one.points
                  .map((p, at) => ({ x: p.tpr, y: p.precision, shape: at, cls: "fmark si" }))
                  .filter((p) => p.y !== null),
              },
            ]),
      ],
      points: runs.flatMap((run) =>
        run.figures.pr.x.map((x, at) => ({
          x,
          y: run.figures.pr.y[at],
          text:
            (many ? seen(run.name) + "\n" : "") +
            `recall ${fixed(x, 3)}, precision ${fixed(run.figures.pr.y[at], 3)}\nthreshold ${short(run.figures.pr.threshold[at])}`,
        })),
      ),
    }),
    legend: curveLegend(runs, one, "AUPRC", (p) => `${p.name}: precision ${fixed(p.precision, 3)}`, `chance: positive rate ${fixed(one.baseline, 3)}`),
    caption: `Compare with the positive rate (${fixed(one.baseline, 3)}), not 0.5.`,
    rows: () => ({
      head: [...(many ? ["system"] : []), "recall", "precision", "threshold"],
      rows: runs.flatMap((run) =>
        run.figures.pr.x.map((x, at) => [
          ...named(runs, run),
          x,
          run.figures.pr.y[at],
          run.figures.pr.threshold[at],
        ]),
      ),
    }),
  });
}

function riskCoverage(runs) {
  const top = Math.max(0.01, 1.15 * Math.max(...runs.flatMap((run) => run.figures.risk_coverage.y))),
    many = runs.length > 1;
  return chart({
    title: "Risk–coverage curve, decisions at p ≥ 0.5",
    id: many ? null : "fig-risk",
    plan: () => ({
      label: "Share of wrong decisions against share of queries decided, most confident first",
      x: {
        domain: [0, 1],
        name: "Coverage: share of queries decided, most confident first (%)",
        format: (v) => short(100 * v),
      },
      y: { domain: [0, top], name: "Wrong decisions (% of decided)", format: (v) => short(100 * v) },
      layers: [
        ...bands(runs, "risk_coverage"),
        ...runs.map((run) => ({
          kind: "line",
          cls: line(run),
          x: run.figures.risk_coverage.x,
          y: run.figures.risk_coverage.y,
        })),
      ],
      points: runs.flatMap((run) =>
        run.figures.risk_coverage.x.map((x, at) => ({
          x,
          y: run.figures.risk_coverage.y[at],
          text: `${percent(x)} decided, ${percent(run.figures.risk_coverage.y[at], 2)} of them wrong`,
        })),
      ),
    }),
    legend: runs.map((run) => ({
      line: line(run),
      text: (many ? cutTo(seen(run.name), 40) + ": AURC" : "AURC") + area(run, "aurc"),
    })),
    caption: "Decisions at p ≥ 0.5. Moving left sends uncertain queries to a reviewer.",
    rows: () => ({
      head: [...(many ? ["system"] : []), "coverage", "share wrong"],
      rows: runs.flatMap((run) =>
        run.figures.risk_coverage.x.map((x, at) => [...named(runs, run), x, run.figures.risk_coverage.y[at]]),
      ),
    }),
  });
}

function decisionCurve(runs) {
  const one = runs[0].figures.decision_curve,
    many = runs.length > 1,
    top = Math.max(one.prevalence, 0.01, ...runs.flatMap((run) => run.figures.decision_curve.system));
  const low = -0.35 * top,
    inside = (x, y) => {
      const kept = x.map((_, at) => at).filter((at) => y[at] >= low);
      return { x: kept.map((at) => x[at]), y: kept.map((at) => y[at]) };
    };
  return chart({
    title: "Decision curve, over threshold probabilities",
    id: many ? null : "fig-benefit",
    plan: () => ({
      label: "Net benefit by threshold probability",
      x: { scale: "logit", domain: [one.x[0], one.x[one.x.length - 1]], ticks: LOGIT_TICKS, name: "Threshold probability t (logit scale)" },
      y: { domain: [low, 1.15 * top], name: "Net benefit (true positives per query)" },
      left: 60,
      layers: [
        { kind: "across", cls: "si thin dot", y: 0 },
        { kind: "line", cls: "sg thin dash", ...inside(one.x, one.everything) },
        ...bands(runs, "decision_curve"),
        ...runs.map((run) => ({
          kind: "line",
          cls: line(run),
          ...inside(run.figures.decision_curve.x, run.figures.decision_curve.system),
        })),
      ],
      points: runs.flatMap((run) =>
        run.figures.decision_curve.x.map((x, at) => ({
          x,
          y: Math.max(low, run.figures.decision_curve.system[at]),
          text: `t = ${short(x)}: ${fixed(run.figures.decision_curve.system[at], 4)}\nreviewing everything ${fixed(one.everything[at], 4)}`,
        })),
      ),
    }),
    legend: [
      ...runs.map((run) => ({
        line: line(run),
        text: many ? cutTo(seen(run.name), 40) : "the system",
      })),
      { line: "sg thin dash", text: "review every query" },
      { line: "si thin dot", text: "review none" },
    ],
    caption:
      "A false alarm costs as much as t / (1 − t) true positives are worth. Choose t by that trade-off; the highest line there is best.",
    rows: () => ({
      head: ["t", ...runs.map((run) => (many ? seen(run.name) : "system")), "every query"],
      rows: one.x.map((x, at) => [
        x,
        ...runs.map((run) => run.figures.decision_curve.system[at]),
        one.everything[at],
      ]),
    }),
  });
}
