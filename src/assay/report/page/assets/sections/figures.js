/* The figures of one run. */
const TITLES = {
  roc: "ROC curve",
  pr: "precision–recall curve",
  reliability: "reliability diagram",
  scores: "predicted probabilities by class",
  selected_k: "sentences returned",
  risk_coverage: "risk–coverage curve",
  decision_curve: "decision curve",
  cutoffs: "ranking by cut-off",
  interpolated_precision: "interpolated precision at levels of recall",
};
const FIGURES = {
  roc: (run) => roc([run]),
  pr: (run) => pr([run]),
  reliability,
  cutoffs: (run, runs) => cutoffs(run, runs.length < 2),
  interpolated_precision: interpolatedPrecision,
  selected_k: selectedK,
  risk_coverage: (run) => riskCoverage([run]),
  decision_curve: (run) => decisionCurve([run]),
};

function figuresSection(run, runs) {
  const there = Object.keys(FIGURES).filter((each) => run.figures[each]);
  if (!there.length) return null;
  const absent = new Map();
  for (const [key, why] of Object.entries(run.absent_figures))
    absent.set(why, [...(absent.get(why) ?? []), TITLES[key] ?? key]);
  return [
    h(
      "p",
      { class: "noprint" },
      "Hover over a figure, or focus it and use the arrow keys, to read its values. SVG, PNG and CSV save it.",
    ),
    run.suppress_below ? h("p", { class: "note" }, `Points and bins that count fewer than ${run.suppress_below} queries are left out; lines between the others are straight.`) : null,
    h(
      "div",
      { class: "figures" },
      there.map((each, at) => {
        const made = FIGURES[each](run, runs);
        if (there.length % 2 && at === there.length - 1) made.classList.add("wide");
        return made;
      }),
    ),
    absent.size
      ? h(
          "ul",
          { class: "notes noprint" },
          [...absent].map(([why, keys]) => h("li", {}, `Not available: ${keys.join(", ")}. ${why}.`)),
        )
      : null,
  ];
}
