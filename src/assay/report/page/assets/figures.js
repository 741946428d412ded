/* The figures of one run, or several runs in one. */
const DASHES = ["", " dash", " dot", "", " dash", " dot"];
const series = (at) => "s" + (at % 6) + DASHES[at % 6];
const unit = { domain: [0, 1], ticks: [0, 0.2, 0.4, 0.6, 0.8, 1] };
const area = (run, key) => {
  const value = run.measure.get(key);
  if (!value) return "";
  const ends = value.low === null ? "" : ` [${fixed(value.low, 3)}, ${fixed(value.high, 3)}]`;
  return ` ${fixed(value.value, 3)}${ends}` + (value.mean ? `, mean of folds (pooled ${fixed(value.pooled, 3)})` : "");
};

function roc(runs, extra) {
  const many = runs.length > 1, one = runs[0].figures.roc;
  const live = () => (extra ? extra() : []);
  const points = runs.flatMap((run) => run.figures.roc.x.map((x, at) => ({ x, y: run.figures.roc.y[at], text: (many ? seen(run.name) + "\n" : "") + `FPR ${fixed(x, 3)}, TPR ${fixed(run.figures.roc.y[at], 3)}\nthreshold ${run.figures.roc.threshold[at] === null ? "∞" : short(run.figures.roc.threshold[at])}` })));
  return chart({
    title: "ROC curve of the gate", id: extra ? null : many ? null : "fig-roc",
    plan: () => ({ square: true, label: "ROC curve: true positive rate against false positive rate", x: { ...unit, name: many ? "False positive rate" : `False positive rate (of ${whole(one.negatives)} without evidence)` }, y: { ...unit, name: many ? "True positive rate" : `True positive rate (of ${whole(one.positives)} with evidence)` },
      layers: [{ kind: "line", cls: "sg thin dash", x: [0, 1], y: [0, 1] }, ...(many || !one.band ? [] : [{ kind: "area", cls: "fband", ...one.band }]), ...runs.map((run, at) => ({ kind: "line", cls: series(at), step: run.figures.roc.stepped ? "post" : null, x: run.figures.roc.x, y: run.figures.roc.y })), ...(many ? [] : [{ kind: "points", points: one.points.map((p, at) => ({ x: p.fpr, y: p.tpr, shape: at, cls: "f1 si" })) }])], points }),
    legend: [...runs.map((run, at) => ({ line: series(at), text: (many ? cutTo(seen(run.name), 40) + ":" : "AUROC") + area(run, "auroc") })), ...(many || !one.band ? [] : [{ fill: "fband", text: `${fixed(100 * one.band.level, 0)} % band` }]), ...(many ? [] : one.points.map((p, at) => ({ shape: at, point: "f1 si", text: `${p.name}: TPR ${fixed(p.tpr, 3)}, FPR ${fixed(p.fpr, 3)}` }))), { line: "sg thin dash", text: "chance" }],
    caption: "All queries at once, also where there are folds." + (many || !one.band ? "" : " The band is pointwise."),
    rows: () => ({ head: ["false positive rate", "true positive rate", "threshold"], rows: runs.flatMap((run) => run.figures.roc.x.map((x, at) => [fixed(x, 4), fixed(run.figures.roc.y[at], 4), run.figures.roc.threshold[at] === null ? "∞" : short(run.figures.roc.threshold[at])])) }),
  });
}

function pr(runs) {
  const many = runs.length > 1, one = runs[0].figures.pr;
  const closed = (f) => ({ x: [0, ...f.x], y: [f.y[0], ...f.y] });
  return chart({
    title: "Precision–recall curve of the gate", id: many ? null : "fig-pr",
    plan: () => ({ square: true, label: "Precision against recall, with the positive rate as baseline", x: { ...unit, name: many ? "Recall" : `Recall (of ${whole(one.positives)} with evidence)` }, y: { ...unit, name: "Precision (share of flagged queries)" },
      layers: [{ kind: "across", cls: "sg thin dash", y: one.baseline }, ...(many || !one.band ? [] : [{ kind: "area", cls: "fband", ...one.band }]), ...runs.map((run, at) => ({ kind: "line", cls: series(at), step: run.figures.pr.stepped ? "pre" : null, ...closed(run.figures.pr) })), ...(many ? [] : [{ kind: "points", points: one.points.map((p, at) => ({ x: p.tpr, y: p.precision, shape: at, cls: "f1 si" })).filter((p) => p.y !== null) }])],
      points: runs.flatMap((run) => run.figures.pr.x.map((x, at) => ({ x, y: run.figures.pr.y[at], text: (many ? seen(run.name) + "\n" : "") + `recall ${fixed(x, 3)}, precision ${fixed(run.figures.pr.y[at], 3)}\nthreshold ${short(run.figures.pr.threshold[at])}` }))) }),
    legend: [...runs.map((run, at) => ({ line: series(at), text: (many ? cutTo(seen(run.name), 40) + ":" : "AUPRC") + area(run, "auprc") })), ...(many || !one.band ? [] : [{ fill: "fband", text: `${fixed(100 * one.band.level, 0)} % band` }]), ...(many ? [] : one.points.map((p, at) => ({ shape: at, point: "f1 si", text: `${p.name}: precision ${fixed(p.precision, 3)}` }))), { line: "sg thin dash", text: `chance: positive rate ${fixed(one.baseline, 3)}` }],
    caption: "Hold the area against the positive rate, not against one half.",
    rows: () => ({ head: ["recall", "precision", "threshold"], rows: runs.flatMap((run) => run.figures.pr.x.map((x, at) => [fixed(x, 4), fixed(run.figures.pr.y[at], 4), short(run.figures.pr.threshold[at])])) }),
  });
}

function reliability(run) {
  const f = run.figures.reliability, there = f.n.map((_, at) => at).filter((at) => f.n[at]), bins = f.n.length;
  const tall = Math.max(...f.n) > 999;
  return chart({
    title: "Reliability of the probabilities", id: "fig-reliability",
    plan: () => ({ square: true, top: tall ? 48 : 30, label: "Observed share with evidence against stated probability, in bins", x: { ...unit, name: "Mean stated probability of the bin" }, y: { ...unit, name: "Observed share with evidence" },
      layers: [{ kind: "line", cls: "sg thin dash", x: [0, 1], y: [0, 1] }, { kind: "bars", cls: "fgband", bars: there.map((at) => ({ x0: f.p[at] - 0.012, x1: f.p[at] + 0.012, y0: f.low[at], y1: f.high[at] })) }, { kind: "line", cls: "s0", x: there.map((at) => f.p[at]), y: there.map((at) => f.y[at]) }, { kind: "points", cls: "f0 si", points: there.map((at) => ({ x: f.p[at], y: f.y[at] })) },
        { kind: "texts", texts: f.n.map((n, at) => ({ x: (at + 0.5) / bins, y: 1, dy: tall && at % 2 ? -24 : -9, text: whole(n) })) }],
      points: there.map((at) => ({ x: f.p[at], y: f.y[at], text: `stated ${fixed(f.p[at], 3)}, observed ${fixed(f.y[at], 3)}\n${whole(f.n[at])} queries, consistent: ${fixed(f.low[at], 3)} to ${fixed(f.high[at], 3)}` })) }),
    legend: [{ line: "s0", shape: 0, point: "f0 si", text: "ECE" + area(run, "ece") }, { fill: "fgband", text: "95 % consistency band" }, { line: "sg thin dash", text: "perfect" }],
    caption: ["Above each bin its number of queries. Inside the grey bars, chance alone explains the gap", run.measure.has("ece_floor") ? `; a perfect model would show an ECE of about ${fixed(run.measure.get("ece_floor").value, 3)} here.` : "."],
    rows: () => ({ head: ["bin", "queries", "stated", "observed", "consistent from", "to"], rows: there.map((at) => [`${at / bins}–${(at + 1) / bins}`, whole(f.n[at]), fixed(f.p[at], 4), fixed(f.y[at], 4), fixed(f.low[at], 4), fixed(f.high[at], 4)]) }),
  });
}

function selectedK(run) {
  const f = run.figures.selected_k, names = Object.keys(f.counts), total = f.labels.map((_, at) => names.reduce((sum, each) => sum + f.counts[each][at], 0));
  const bars = [];
  f.labels.forEach((_, at) => { let below = 0; for (const each of names) { bars.push({ x0: at - 0.39, x1: at + 0.39, y0: below, y1: below + f.counts[each][at], cls: each === "all" ? "f0" : "f" + each }); below += f.counts[each][at]; } });
  return chart({
    title: "Sentences returned per query", id: "fig-selected-k",
    plan: () => ({ label: "Number of queries at each selected K, by state", x: { domain: [-0.6, f.labels.length - 0.4], ticks: f.labels.map((label, at) => [at, label]), bare: true, name: "Selected K (sentences)" }, y: { domain: [0, 1.06 * Math.max(1, ...total)], name: "Queries (number)", format: whole }, left: 64,
      layers: [{ kind: "bars", bars }], points: f.labels.map((label, at) => ({ x: at, y: total[at], text: `K = ${label}: ${whole(total[at])} queries\n` + names.map((each) => `${each} ${whole(f.counts[each][at])}`).join(", ") })) }),
    legend: names.map((each) => ({ fill: each === "all" ? "f0" : "f" + each, text: `${each}, n = ${whole(f.counts[each].reduce((a, b) => a + b, 0))}` })),
    rows: () => ({ head: ["K", ...names], rows: f.labels.map((label, at) => [label, ...names.map((each) => whole(f.counts[each][at]))]) }),
  });
}

function riskCoverage(runs) {
  const top = Math.max(0.01, 1.15 * Math.max(...runs.flatMap((run) => run.figures.risk_coverage.y))), many = runs.length > 1;
  return chart({
    title: "Risk against coverage", id: many ? null : "fig-risk",
    plan: () => ({ label: "Share of wrong decisions against share of queries decided, most confident first", x: { domain: [0, 1], name: "Coverage: most confident queries decided (%)", format: (v) => short(100 * v) }, y: { domain: [0, top], name: "Wrong decisions (% of decided)", format: (v) => short(100 * v) },
      layers: runs.map((run, at) => ({ kind: "line", cls: series(at), x: run.figures.risk_coverage.x, y: run.figures.risk_coverage.y })),
      points: runs.flatMap((run) => run.figures.risk_coverage.x.map((x, at) => ({ x, y: run.figures.risk_coverage.y[at], text: `${percent(x)} decided, ${percent(run.figures.risk_coverage.y[at], 2)} of them wrong` }))) }),
    legend: runs.map((run, at) => ({ line: series(at), text: (many ? cutTo(seen(run.name), 40) + ": AURC" : "AURC") + area(run, "aurc") })),
    caption: "Decisions at p ≥ 0.5. Leaving the least certain ones to people goes to the left.",
    rows: () => ({ head: ["coverage", "wrong"], rows: runs.flatMap((run) => run.figures.risk_coverage.x.map((x, at) => [percent(x), percent(run.figures.risk_coverage.y[at], 2)])) }),
  });
}

function decisionCurve(runs) {
  const one = runs[0].figures.decision_curve, many = runs.length > 1, top = Math.max(one.prevalence, 0.01, ...runs.flatMap((run) => run.figures.decision_curve.system));
  const low = -0.35 * top, inside = (x, y) => { const kept = x.map((_, at) => at).filter((at) => y[at] >= low); return { x: kept.map((at) => x[at]), y: kept.map((at) => y[at]) }; };
  return chart({
    title: "Decision curve", id: many ? null : "fig-benefit",
    plan: () => ({ label: "Net benefit over threshold probabilities", x: { ...unit, name: "Threshold probability t" }, y: { domain: [low, 1.15 * top], name: "Net benefit (finds per query)" }, left: 60,
      layers: [{ kind: "across", cls: "si thin dot", y: 0 }, { kind: "line", cls: "s1 thin dash", ...inside(one.x, one.everything) }, ...runs.map((run, at) => ({ kind: "line", cls: many ? series(at) : "s0", ...inside(run.figures.decision_curve.x, run.figures.decision_curve.system) }))],
      points: runs.flatMap((run) => run.figures.decision_curve.x.map((x, at) => ({ x, y: Math.max(low, run.figures.decision_curve.system[at]), text: `t = ${short(x)}: ${fixed(run.figures.decision_curve.system[at], 4)}\nlooking at everything ${fixed(one.everything[at], 4)}` }))) }),
    legend: [...runs.map((run, at) => ({ line: many ? series(at) : "s0", text: many ? cutTo(seen(run.name), 40) : "the system" })), { line: "s1 thin dash", text: "look at every query" }, { line: "si thin dot", text: "look at none" }],
    caption: "A false alarm costs t / (1 − t) finds: choose t by what you would pay, then take the highest line.",
    rows: () => ({ head: ["t", "system", "every query"], rows: one.x.map((x, at) => [short(x), fixed(runs[0].figures.decision_curve.system[at], 4), fixed(one.everything[at], 4)]) }),
  });
}

function cutoffs(run) {
  const f = run.figures.cutoffs, names = Object.keys(f.lines), looks = [["s0", "f0", 0, -0.05], ["s1", "f1", 1, 0.05], ["s2", "f2", 2, 0.1]];
  return chart({
    title: "Ranking over cut-offs", id: "fig-cutoffs",
    plan: () => ({ height: 330, label: "nDCG and recall at each cut-off", x: { domain: [-0.4, f.k.length - 0.6], ticks: f.k.map((k, at) => [at, String(k)]), name: "Cut-off k (sentences)" }, y: { ...unit, domain: [0, 1.02], name: `Value (0 to 1; n = ${whole(f.n)} queries)` },
      layers: names.flatMap((each, place) => { const [line, fill, shape, shift] = looks[place % 3], v = f.lines[each]; return [{ kind: "spans", cls: "ruled " + line, spans: f.k.map((_, at) => ({ x0: at + shift, x1: at + shift, y0: v.low[at], y1: v.high[at] })).filter((b) => b.y0 !== null) }, { kind: "line", cls: line, x: f.k.map((_, at) => at + shift), y: v.y }, { kind: "points", cls: fill, shape, points: f.k.map((_, at) => ({ x: at + shift, y: v.y[at] })) }]; }),
      points: names.flatMap((each, place) => f.k.map((k, at) => ({ x: at + looks[place % 3][3], y: f.lines[each].y[at], text: `${each}@${k} ${fixed(f.lines[each].y[at], 4)}` + (f.lines[each].low[at] === null ? "" : `\n[${fixed(f.lines[each].low[at], 4)}, ${fixed(f.lines[each].high[at], 4)}]`) }))) }),
    legend: names.map((each, place) => ({ line: looks[place % 3][0], shape: looks[place % 3][2], point: looks[place % 3][1], text: each + "@k" })),
    caption: "On queries with evidence; vertical lines are the intervals.",
    rows: () => ({ head: ["measure", ...f.k.map((k) => "k = " + k)], rows: names.map((each) => [each, ...f.lines[each].y.map((v) => fixed(v, 4))]) }),
  });
}

const TITLES = { roc: "ROC curve", pr: "precision–recall curve", reliability: "reliability", scores: "probabilities by label", selected_k: "sentences returned", risk_coverage: "risk against coverage", decision_curve: "decision curve", cutoffs: "ranking over cut-offs" };
const FIGURES = { roc: (run) => roc([run]), pr: (run) => pr([run]), reliability, cutoffs, selected_k: selectedK, risk_coverage: (run) => riskCoverage([run]), decision_curve: (run) => decisionCurve([run]) };

function figuresSection(run) {
  const there = Object.keys(FIGURES).filter((each) => run.figures[each]);
  const absent = new Map();
  for (const [key, why] of Object.entries(run.absent_figures)) absent.set(why, [...(absent.get(why) ?? []), TITLES[key] ?? key]);
  return [h("p", {}, "Move over a figure, or focus it and use the arrow keys, to read its points."), h("div", { class: "figures" }, there.map((each, at) => { const made = FIGURES[each](run); if (there.length % 2 && at === there.length - 1) made.classList.add("wide"); return made; })),
    absent.size ? h("ul", { class: "notes" }, [...absent].map(([why, keys]) => h("li", {}, `Absent: ${keys.join(", ")}. ${why}.`))) : null];
}
