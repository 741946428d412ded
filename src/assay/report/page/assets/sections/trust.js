/* Trust: the checks of the publication gate, the reporting checklist and provenance. */
function trustSection(run) {
  return [
    gateChecks(run),
    h("h3", { id: "provenance", tabindex: "-1" }, "Provenance"),
    provenance(run),
    h(
      "details",
      { id: "checklist", tabindex: "-1", class: "noprint" },
      h("summary", {}, h("b", {}, "Reporting checklist (TRIPOD+AI, STARD-AI)")),
      checklist(run),
    ),
  ];
}

function gateChecks(run) {
  const gate = run.gate;
  if (!gate || !gate.checks.length) return null;
  const order = ["fail", "pass", "not applicable"],
    cls = { pass: "good", fail: "bad" };
  const rows = gate.checks
    .slice()
    .sort((a, b) => order.indexOf(a[1]) - order.indexOf(b[1]))
    .map(([check, verdict, reason]) => ({
      cls: "check-" + (cls[verdict] ?? "none"),
      cells: [
        cutTo(seen(check), 120),
        h("span", { class: "chip " + (cls[verdict] ?? "") }, seen(verdict)),
        withSigns(cutTo(seen(reason), 400)),
      ],
    }));
  return h("div", { class: gate.checks.some((each) => each[1] === "fail") ? null : "noprint" }, [
    h("h3", {}, "Checks of the publication gate"),
    table(
      ["check", { text: "status", num: false }, { text: "detail", num: false }],
      rows,
      `Publication gate ${seen(gate.verdict)}` + (gate.verdict === "failed" ? ": failed checks first" : ""),
    ),
  ]);
}

function checklist(run) {
  const tally = (status) => run.checklist.filter((each) => each.status === status).length;
  const cls = { answered: "good", "needs the author": "UNCERTAIN" };
  return [
    h(
      "p",
      {},
      `Items of two reporting guidelines that a result can help with: ${tally("answered")} answered here, ${tally("needs the author")} need the author, ${tally("not applicable")} not applicable. This is not a claim of compliance: items are paraphrased, only those a result can speak to are listed, and an answered item still has to be written in the paper.`,
    ),
    ...["TRIPOD+AI", "STARD-AI"].map((guide) =>
      h(
        "div",
        {},
        h("h3", {}, guide),
        table(
          [
            { text: "item" },
            { text: "topic", num: false },
            { text: "status", num: false },
            { text: "what the result says", num: false },
          ],
          run.checklist
            .filter((each) => each.guide === guide)
            .map((each) => [
              each.item || "·",
              each.topic,
              h("span", { class: "chip " + (cls[each.status] ?? "") }, each.status),
              [
                each.says,
                each.place ? h("span", { class: "see" }, " ", h("a", { href: "#" + each.place }, `See ${each.place}`), ".") : null,
              ],
            ]),
          guide + ": items, and what this result says about them",
        ),
      ),
    ),
  ];
}

const COUNTED = {
  queries: "queries",
  evidence: "with evidence",
  candidates: "candidates",
  missing: "not answered",
  missing_evidence: "of these with evidence",
  left_out: "without judgements, excluded",
  excluded: "excluded with their criteria",
  resorted: "not in the order of their scores",
  aside: "set aside for TUNE or TRAIN",
};
function provenance(run) {
  const plan = run.bootstrap,
    c = run.contract;
  const rows = [
    ["system", name(run.name)],
    ["contract", [h("code", {}, c.id), ` – ${c.title}`]],
    ["contract hash", h("code", {}, c.hash)],
    [
      "headline",
      c.aggregate === "fold_mean" ? "mean over folds if there are folds, otherwise pooled" : "pooled",
    ],
    ["ties", c.ties === "stable" ? "kept in input order" : c.ties],
    run.figures.roc ? ["deployment threshold", c.deployment ?? "none declared"] : null,
    [
      "intervals",
      plan
        ? `${plan.method}, ${whole(plan.resamples)} resamples by ${plan.unit}, level ${fixed(100 * plan.level, 0)}%, seed ${plan.seed}`
        : "none",
    ],
    [
      "counts",
      Object.entries(run.counts)
        .filter(([key, value]) => (value && (key !== "resorted" || run.item === "item")) || key === "queries" || key === "evidence")
        .map(([key, value]) => `${whole(value)} ${COUNTED[key] ?? key}`)
        .join(", "),
    ],
    [
      "versions",
      Object.entries(run.versions)
        .map(([key, value]) => `${key} ${value}`)
        .join(", "),
    ],
    ["manifest", h("code", {}, run.manifest)],
  ].filter(Boolean);
  return [
    h(
      "dl",
      { class: "prov" },
      rows.map(([term, value]) => [h("dt", {}, term), h("dd", {}, value)]),
    ),
    run.inputs.length
      ? table(
          ["input", "bytes", { text: "SHA-256", num: false }],
          run.inputs.map((each) => [name(each.name), whole(each.bytes), h("code", {}, each.sha256)]),
          "Input files",
        )
      : null,
    run.presets.length
      ? table(
          ["rule", run.presets.some((each) => each.folds > 1) ? "threshold over folds" : "threshold", { text: "certified", num: false }],
          run.presets.map((each) => [
            h("span", { title: each.words }, each.rule + (each.deployment ? " (deployment)" : "")),
            each.range[0] === each.range[1]
              ? short(each.range[0])
              : `${short(each.range[0])} to ${each.range[1] === null ? "∞" : short(each.range[1])}`,
            !each.claims ? each.note || "makes no claim beyond TUNE" : each.folds === 1 ? (each.certified ? "yes" : "no") : `in ${each.certified} of ${each.folds} folds`,
          ]),
          "Thresholds chosen on TUNE",
        )
      : null,
    run.thresholds.length
      ? h("details", { class: "noprint" }, h("summary", {}, "Thresholds of each fold"), table(
          [
            "rule",
            { text: "fold", num: false },
            "threshold",
            "reached on TUNE",
            "queries",
            { text: "claim", num: false },
          ],
          run.thresholds.map((t) => [
            t.rule + (t.deployment ? " (deployment)" : ""),
            t.fold === null ? "–" : name(t.fold, 20),
            t.value === null ? "∞" : fixed(t.value, 4),
            fixed(t.reached, 4),
            whole(t.queries),
            t.note || "no claim beyond the TUNE queries",
          ]),
          "Thresholds chosen on TUNE, fold by fold",
        ))
      : null,
  ];
}
