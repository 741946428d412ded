/* The verdict, the numbers that matter, and what to know when reading them. */
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
        ? `${gate.checks.filter((each) => each[1] === "fail").length} of ${gate.checks.length} checks fail.`
        : "assay gate would check this bundle and leave gate.json in it.",
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
            "Checks of the gate",
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
          define(run, m, run.definitions[m.definition].title + (arrow[m.better] ?? "")),
        ),
        h("span", { class: "id" }, m.name),
        h("span", { class: "big" }, fixed(m.value, m.digits) + (m.convention ? "*" : "")),
        m.low === null
          ? null
          : h("span", { class: "ci" }, (m.exact_shown ? "exact bounds " : "95 % CI ") + interval(m)),
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
    notes.push(`${whole(counts.left_out)} answered queries have no judgements and were left out.`);
  if (counts.excluded) notes.push(`${whole(counts.excluded)} queries of excluded criteria were left out.`);
  if (set.length)
    notes.push(
      `${set.length} values are set by convention (marked *): ${set
        .slice(0, 6)
        .map((m) => m.name)
        .join(", ")}${set.length > 6 ? " …" : ""}.`,
    );
  const tied = run.measures.filter((m) => m.ties);
  if (tied.length)
    notes.push(
      `Another order of tied candidates would change ${tied.length} measures, on up to ${Math.max(...tied.map((m) => m.ties))} queries.`,
    );
  if (Object.keys(run.absent).length)
    notes.push(
      `${Object.keys(run.absent).length} measures of the contract are absent: ${[...new Set(Object.values(run.absent))].join("; ")}.`,
    );
  for (const [key, wanted] of Object.entries(run.unexpected))
    notes.push(`The contract expects ${whole(wanted)} ${key}; these data have ${whole(counts[key])}.`);
  if (!Object.keys(run.targets).length) notes.push("The contract declares no targets.");
  if (run.measures.some((m) => m.exact_shown))
    notes.push("† Exact (Clopper–Pearson) bounds by post, because no resample differs from the estimate.");
  if (run.measures.some((m) => m.no_spread))
    notes.push("No spread: every resample gives the same value, so the bootstrap cannot bound it.");
  if (!run.bootstrap) notes.push("This result has no intervals: evaluate with --ci to get them.");
  return [
    verdict,
    checks,
    h("ul", { class: "cards" }, cards),
    notes.length
      ? [
          h("h3", {}, "To know when reading these numbers"),
          h(
            "ul",
            { class: "notes" },
            notes.map((each) => h("li", {}, each)),
          ),
        ]
      : null,
  ];
}
