/* The verdict of the publication gate, the headline measures, and notes. */
function tally(checks) {
  const applicable = checks.filter((each) => each[1] !== "not applicable").length;
  const failed = checks.filter((each) => each[1] === "fail").length;
  return failed
    ? `${failed} of ${counted(applicable, "applicable check")} failed.`
    : `All ${counted(applicable, "applicable check")} passed.`;
}

function overviewSection(run) {
  const gate = run.gate,
    counts = run.counts;
  const verdict = h(
    "div",
    { class: "verdict " + (gate ? gate.verdict : "") },
    h("b", {}, gate ? `Publication gate: ${seen(gate.verdict)}` : "Publication gate: not run"),
    h(
      "span",
      { class: "note" },
      gate
        ? tally(gate.checks)
        : "Run `assay gate` on the bundle to check whether it may be published.",
    ),
  );
  const checks =
    gate && gate.checks.length
      ? h(
          "details",
          {},
          h("summary", {}, "What was checked"),
          table(
            ["check", { text: "status", num: false }, { text: "detail", num: false }],
            gate.checks.map((row) => row.map((each) => cutTo(seen(each), 400))),
            "Checks of the publication gate",
          ),
        )
      : null;
  const cards = run.headlines
    .map((key) => run.measure.get(key))
    .map((m) =>
      h(
        "li",
        { class: "card", "data-measure": m.name },
        h(
          "span",
          { class: "what" },
          define(run, m, run.definitions[m.definition].title + arrow(m)),
        ),
        h("span", { class: "id" }, m.name),
        h("span", { class: "big" }, fixed(m.value, m.digits) + (m.convention ? "*" : "")),
        m.low === null
          ? null
          : h("span", { class: "ci" }, (m.exact_shown ? "exact bounds " : "95% CI ") + interval(m)),
        h(
          "span",
          { class: "ci" },
          [m.std === null ? null : `± ${fixed(m.std, m.digits)} over folds`, `n = ${whole(m.n)}`]
            .filter(Boolean)
            .join(", "),
        ),
        targetChip(run, m),
        h("span", { class: "meaning" }, run.definitions[m.definition].meaning),
      ),
    );
  const notes = [];
  const set = run.measures.filter((m) => m.convention);
  if (run.unanswered) notes.push(run.unanswered);
  if (counts.left_out)
    notes.push(`${counted(counts.left_out, "query", "queries")} of the run excluded: no judgements.`);
  if (counts.excluded)
    notes.push(`${counted(counts.excluded, "query", "queries")} excluded with their criteria.`);
  if (set.length)
    notes.push(
      `${counted(set.length, "value is", "values are")} set by convention (marked *): ${set
        .slice(0, 6)
        .map((m) => m.name)
        .join(", ")}${set.length > 6 ? " …" : ""}.`,
    );
  const tied = run.measures.filter((m) => m.ties);
  if (tied.length)
    notes.push(
      `Tie order affects ${counted(tied.length, "measure")}, on up to ${counted(Math.max(...tied.map((m) => m.ties)), "query", "queries")}.`,
    );
  if (Object.keys(run.absent).length)
    notes.push(
      `${counted(Object.keys(run.absent).length, "measure")} of the contract not available: ${[...new Set(Object.values(run.absent))].join("; ")}.`,
    );
  for (const [key, wanted] of Object.entries(run.unexpected))
    notes.push(`The contract expects ${whole(wanted)} ${key}; these data have ${whole(counts[key])}.`);
  if (!Object.keys(run.targets).length) notes.push("No value is compared with a target.");
  if (run.measures.some((m) => m.exact_shown))
    notes.push("† Exact (Clopper–Pearson) bounds by post, because all resamples give the same value.");
  if (run.measures.some((m) => m.no_spread))
    notes.push("No spread: all resamples give the same value, so there is no interval.");
  if (!run.bootstrap) notes.push("This result has no intervals: run `assay evaluate` with --ci to get them.");
  return [
    verdict,
    checks,
    h("ul", { class: "cards" }, cards),
    notes.length
      ? [
          h("h3", {}, "Notes"),
          h(
            "ul",
            { class: "notes" },
            notes.map((each) => h("li", {}, each)),
          ),
        ]
      : null,
  ];
}
