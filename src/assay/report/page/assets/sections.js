/* What sections share; all measures, checklist, provenance. */
const SIGNS = { ">=": "≥", "<=": "≤", ">": ">", "<": "<" };
const meets = ([sign, limit], value) =>
  ({ ">=": value >= limit, "<=": value <= limit, ">": value > limit, "<": value < limit })[sign];
const interval = (m) =>
  m.low === null
    ? m.no_spread
      ? "no spread"
      : ""
    : `[${fixed(m.low, m.digits)}, ${fixed(m.high, m.digits)}]` + (m.exact_shown ? "†" : "");
const arrow = { higher: "\u00a0↑", lower: "\u00a0↓" };

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
      "Hover over or focus a name for its definition. Digits are as many as the interval supports; the bundle has all of them.",
    ),
    [...parts].map(([section, list]) =>
      h(
        "details",
        { open: section === "Ranking" || section === "Gate" },
        h("summary", {}, h("b", {}, section), ` (${list.length})`),
        table(
          ["measure", "value", "± folds", "95 % CI", "pooled", "n", { text: "interpretation", num: false }],
          list.map((m) => [
            define(run, m, m.name + (arrow[m.better] ?? "")),
            fixed(m.value, m.digits) + (m.convention ? "*" : ""),
            fixed(m.std, m.digits),
            interval(m) || "–",
            fixed(m.pooled, m.digits),
            whole(m.n),
            run.definitions[m.definition].meaning,
          ]),
          `${section}: ${list.length} measures`,
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
      `Items of two reporting statements that a result can speak to: ${tally("answered")} answered here, ${tally("needs the author")} need the author, ${tally("not applicable")} not applicable. This is no claim of compliance: the words are ours, other items of the statements are not listed, and an answered item still has to be written down in the paper.`,
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
          guide + ": items and what this result says to them",
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
      c.aggregate === "fold_mean" ? "mean of the folds where there are folds, else pooled" : "pooled",
    ],
    ["ties", c.ties === "stable" ? "in the order of the input" : c.ties],
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
          "Files that were evaluated",
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
            t.note || "no claim beyond TUNE",
          ]),
          "Thresholds chosen on TUNE",
        )
      : null,
  ];
}
