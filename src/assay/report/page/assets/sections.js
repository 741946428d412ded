/* What sections share, and the sections of all measures, the checklist and provenance. */
const SIGNS = { ">=": "≥", "<=": "≤", ">": ">", "<": "<" };
const meets = ([sign, limit], value) =>
  ({ ">=": value >= limit, "<=": value <= limit, ">": value > limit, "<": value < limit })[sign];
const interval = (m) =>
  m.low === null
    ? m.no_spread
      ? "no spread"
      : ""
    : `[${fixed(m.low, m.digits)}, ${fixed(m.high, m.digits)}]` + (m.exact_shown ? "†" : "");
const arrow = (m) => (m.arrow ? "\u00a0" + m.arrow : "");

function targetChip(run, measure) {
  const target = run.targets[measure.name];
  if (!target) return null;
  const words = `target ${SIGNS[target[0]]} ${target[1]}`;
  if (measure.convention) return h("span", { class: "chip" }, words + ": not applicable");
  return meets(target, measure.value)
    ? h("span", { class: "chip good" }, words + " met")
    : h("span", { class: "chip bad" }, words + " missed");
}

function measuresSection(run) {
  const parts = new Map();
  for (const m of run.measures) parts.set(m.section, [...(parts.get(m.section) ?? []), m]);
  return [
    h(
      "p",
      {},
      "Hover over or focus a name to see its definition. Values are rounded to what the interval supports; the bundle has all digits.",
    ),
    [...parts].map(([section, list]) =>
      h(
        "details",
        { open: run.open_sections.includes(section) },
        h("summary", {}, h("b", {}, section), ` (${list.length})`),
        table(
          ["measure", "value", "std over folds", "95% CI", "pooled", "n", { text: "interpretation", num: false }],
          list.map((m) => [
            define(run, m, m.name + arrow(m)),
            fixed(m.value, m.digits) + (m.convention ? "*" : ""),
            fixed(m.std, m.digits),
            interval(m) || "–",
            fixed(m.pooled, m.digits),
            whole(m.n),
            run.definitions[m.definition].meaning,
          ]),
          `${section}: ${counted(list.length, "measure")}`,
        ),
      ),
    ),
  ];
}

function checklistSection(run) {
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
                each.place ? [" ", h("a", { href: "#" + each.place }, `See ${each.place}`), "."] : null,
              ],
            ]),
          guide + ": items, and what this result says about them",
        ),
      ),
    ),
  ];
}

function provenanceSection(run) {
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
    ["deployment threshold", c.deployment ?? "none declared"],
    [
      "intervals",
      plan
        ? `${plan.method}, ${whole(plan.resamples)} resamples of ${plan.unit}s, level ${plan.level}, seed ${plan.seed}`
        : "none",
    ],
    [
      "counts",
      Object.entries(run.counts)
        .map(([key, value]) => `${key} ${whole(value)}`)
        .join(", "),
    ],
    [
      "versions",
      Object.entries(run.versions)
        .map(([key, value]) => `${key} ${value}`)
        .join(", "),
    ],
    ["manifest", h("code", {}, run.manifest)],
  ];
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
    run.thresholds.length
      ? table(
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
          "Thresholds chosen on TUNE",
        )
      : null,
  ];
}
