/* Overview, criteria, all measures, checklist, provenance. */
const SIGNS = { ">=": "≥", "<=": "≤", ">": ">", "<": "<" };
const meets = ([sign, limit], value) => ({ ">=": value >= limit, "<=": value <= limit, ">": value > limit, "<": value < limit })[sign];
const interval = (m) => (m.low === null ? "" : `[${fixed(m.low, m.digits)}, ${fixed(m.high, m.digits)}]` + (m.exact_shown ? "†" : ""));
const arrow = { higher: "\u00a0↑", lower: "\u00a0↓" };

function targetChip(run, measure) {
  const target = run.targets[measure.name];
  if (!target) return null;
  const words = `target ${SIGNS[target[0]]} ${target[1]}`;
  if (measure.convention) return h("span", { class: "chip" }, words + ": not applicable");
  return meets(target, measure.value) ? h("span", { class: "chip good" }, words + " met") : h("span", { class: "chip bad" }, words + " missed");
}

function overviewSection(run) {
  const gate = run.gate, counts = run.counts;
  const verdict = h("div", { class: "verdict " + (gate ? gate.verdict : "") }, h("b", {}, gate ? `Publication gate: ${seen(gate.verdict)}` : "Publication gate: not run"), h("span", { class: "note" }, gate ? `${gate.checks.filter((each) => each[1] === "fail").length} of ${gate.checks.length} checks fail.` : "assay gate would check this bundle and leave gate.json in it."));
  const checks = gate && gate.checks.length ? h("details", {}, h("summary", {}, "What was checked"), table(["check", { text: "status", num: false }, { text: "detail", num: false }], gate.checks.map((row) => row.map((each) => cutTo(seen(each), 400))), "Checks of the gate")) : null;
  const cards = run.headlines.map((key) => run.measure.get(key)).map((m) => h("li", { class: "card", "data-measure": m.name }, h("span", { class: "what" }, define(run, m, run.definitions[m.definition].title + (arrow[m.better] ?? ""))), h("span", { class: "id" }, m.name), h("span", { class: "big" }, fixed(m.value, m.digits) + (m.convention ? "*" : "")), m.low === null ? null : h("span", { class: "ci" }, (m.exact_shown ? "exact bounds " : "95 % CI ") + interval(m)), h("span", { class: "ci" }, [m.std === null ? null : `± ${fixed(m.std, m.digits)} over folds`, `n = ${whole(m.n)}`].filter(Boolean).join(", ")), targetChip(run, m), h("span", { class: "meaning" }, run.definitions[m.definition].meaning)));
  const notes = [];
  const set = run.measures.filter((m) => m.convention);
  if (counts.missing) notes.push(`${whole(counts.missing)} queries were not answered; they count as misses.`);
  if (counts.left_out) notes.push(`${whole(counts.left_out)} answered queries have no judgements and were left out.`);
  if (counts.excluded) notes.push(`${whole(counts.excluded)} queries of excluded criteria were left out.`);
  if (set.length) notes.push(`${set.length} values are set by convention (marked *): ${set.slice(0, 6).map((m) => m.name).join(", ")}${set.length > 6 ? " …" : ""}.`);
  const tied = run.measures.filter((m) => m.ties);
  if (tied.length) notes.push(`Another order of tied candidates would change ${tied.length} measures, on up to ${Math.max(...tied.map((m) => m.ties))} queries.`);
  if (Object.keys(run.absent).length) notes.push(`${Object.keys(run.absent).length} measures of the contract are absent: ${[...new Set(Object.values(run.absent))].join("; ")}.`);
  for (const [key, wanted] of Object.entries(run.unexpected)) notes.push(`The contract expects ${whole(wanted)} ${key}; these data have ${whole(counts[key])}.`);
  if (!Object.keys(run.targets).length) notes.push("The contract declares no targets.");
  if (run.measures.some((m) => m.exact_shown)) notes.push("† Exact (Clopper–Pearson) bounds by post, because no resample differs from the estimate.");
  if (!run.bootstrap) notes.push("This result has no intervals: evaluate with --ci to get them.");
  return [verdict, checks, h("ul", { class: "cards" }, cards), notes.length ? [h("h3", {}, "To know when reading these numbers"), h("ul", { class: "notes" }, notes.map((each) => h("li", {}, each)))] : null];
}

function criteriaSection(run) {
  const column = run.groups.criterion_id ? "criterion_id" : Object.keys(run.groups).find((each) => each !== "state");
  if (!column) return [h("p", {}, "This bundle has no breakdown by criterion.")];
  const group = run.groups[column];
  const there = group.measures.map((each, at) => [each, at]).filter(([each, at]) => run.measure.has(each) && group.rows.some(([, cells]) => cells[at]));
  const wanted = there.slice(0, 6), holder = h("div");
  const text = (cell, m) => (cell ? h("span", { title: cell[1] === null ? null : `[${fixed(cell[1], m.digits)}, ${fixed(cell[2], m.digits)}]` }, fixed(cell[0], Math.max(2, Math.min(3, m.digits))) + (cell[4] ? "*" : "")) : "–");
  const columns = [{ name: column === "criterion_id" ? "criterion" : seen(column), key: (row) => row[0], cell: (row) => name(row[0], 80) }, { name: "queries", num: true, key: (row) => Math.max(0, ...row[1].map((cell) => (cell ? cell[3] : 0))), cell: (row) => whole(Math.max(0, ...row[1].map((cell) => (cell ? cell[3] : 0)))) },
    ...wanted.map(([each, at]) => ({ name: each, num: true, key: (row) => (row[1][at] ? row[1][at][0] : null), cell: (row) => text(row[1][at], run.measure.get(each)) }))];
  const figure = (at) => {
    const m = run.measure.get(group.measures[at]), rows = group.rows.filter(([, cells]) => cells[at]), last = rows.length;
    const top = Math.max(1e-9, m.pooled, ...rows.flatMap(([, cells]) => [cells[at][0], cells[at][2] ?? 0])), low = Math.min(0, ...rows.map(([, cells]) => cells[at][0]));
    const end = top > 0.3 && top <= 1 ? 1 : top * 1.05, place = (row) => last - 1 - row;
    const longest = Math.max(...rows.map(([label]) => Math.min(24, seen(label).length)));
    return chart({
      title: `${run.definitions[m.definition].title} (${m.name})`, wide: true, id: "fig-criteria",
      plan: () => ({ left: Math.min(200, 30 + 7.2 * longest), right: 24, height: 66 + 23 * last, label: `${m.name} of each criterion, with intervals`, x: { domain: [low, end], name: `${m.name}, over ${run.definitions[m.definition].subset}` }, y: { domain: [-0.6, last - 0.4], ticks: rows.map(([label], row) => [place(row), cutTo(seen(label), 23)]) },
        layers: [{ kind: "bars", bars: rows.map(([, cells], row) => ({ x0: 0, x1: cells[at][0], y0: place(row) - 0.32, y1: place(row) + 0.32, cls: cells[at][4] ? "fhollow" : "f0 pale" })) }, { kind: "down", x: m.pooled, cls: "s1 dash" }, { kind: "spans", cls: "ruled si", spans: rows.map(([, cells], row) => ({ x0: cells[at][1], x1: cells[at][2], y0: place(row), y1: place(row) })).filter((span) => span.x0 !== null) }, { kind: "points", cls: "fi", size: 3, points: rows.map(([, cells], row) => ({ x: cells[at][0], y: place(row) })) }],
        points: rows.map(([label, cells], row) => ({ x: cells[at][0], y: place(row), text: `${cutTo(seen(label), 60)}: ${fixed(cells[at][0], 4)}` + (cells[at][1] === null ? "" : `\n[${fixed(cells[at][1], 4)}, ${fixed(cells[at][2], 4)}]`) + `\nn = ${whole(cells[at][3])}` + (cells[at][4] ? `\nby convention: ${cells[at][4]}` : "") })) }),
      legend: [{ fill: "f0 pale", text: "value" }, { line: "ruled si", text: m.low === null ? "no intervals in this bundle" : "95 % CI" }, { line: "s1 dash", text: `all, pooled: ${fixed(m.pooled, 3)}` }],
      rows: () => ({ head: ["criterion", "value", "from", "to", "n"], rows: rows.map(([label, cells]) => [name(label, 80), fixed(cells[at][0], 4), fixed(cells[at][1], 4), fixed(cells[at][2], 4), whole(cells[at][3])]) }),
    });
  };
  const pick = h("select", { id: "criteria-measure", onchange: () => holder.replaceChildren(figure(Number(pick.value))) }, there.map(([each, at]) => h("option", { value: at }, each)));
  holder.append(figure(there[0][1]));
  return [h("p", {}, "Values are pooled over folds. Press a column's name to sort; * marks a value by convention."), sortable("Measures by criterion", columns, group.rows.slice(), null), h("div", { class: "row", id: "criteria-choice" }, h("label", { class: "field" }, "figure of", pick)), holder];
}

function measuresSection(run) {
  const parts = new Map();
  for (const m of run.measures) parts.set(m.section, [...(parts.get(m.section) ?? []), m]);
  return [h("p", {}, "Hover over or focus a name for its definition. Digits are as many as the interval supports; the bundle has all of them."),
    [...parts].map(([section, list]) => h("details", { open: section === "Ranking" || section === "Gate" }, h("summary", {}, h("b", {}, section), ` (${list.length})`), table(["measure", "value", "± folds", "95 % CI", "pooled", "n", { text: "interpretation", num: false }],
      list.map((m) => [define(run, m, m.name + (arrow[m.better] ?? "")), fixed(m.value, m.digits) + (m.convention ? "*" : ""), fixed(m.std, m.digits), interval(m) || "–", fixed(m.pooled, m.digits), whole(m.n), run.definitions[m.definition].meaning]), `${section}: ${list.length} measures`)))];
}

function checklistSection(run) {
  const tally = (status) => run.checklist.filter((each) => each.status === status).length;
  const cls = { answered: "good", "needs the author": "UNCERTAIN" };
  return [h("p", {}, `Items of two reporting statements that a result can speak to: ${tally("answered")} answered here, ${tally("needs the author")} need the author, ${tally("not applicable")} not applicable. This is no claim of compliance: the words are ours, other items of the statements are not listed, and an answered item still has to be written down in the paper.`),
    ...["TRIPOD+AI", "STARD-AI"].map((guide) => h("div", {}, h("h3", {}, guide), table([{ text: "item" }, { text: "topic", num: false }, { text: "status", num: false }, { text: "what the result says", num: false }],
      run.checklist.filter((each) => each.guide === guide).map((each) => [each.item || "·", each.topic, h("span", { class: "chip " + (cls[each.status] ?? "") }, each.status), [each.says, each.place ? [" ", h("a", { href: "#" + each.place }, `See ${each.place}`), "."] : null]]), guide + ": items and what this result says to them")))];
}

function provenanceSection(run) {
  const plan = run.bootstrap, c = run.contract;
  const rows = [["system", name(run.name)], ["contract", [h("code", {}, c.id), ` – ${c.title}`]], ["contract hash", h("code", {}, c.hash)], ["headline", c.aggregate === "fold_mean" ? "mean of the folds where there are folds, else pooled" : "pooled"], ["ties", c.ties === "stable" ? "in the order of the input" : c.ties], ["deployment threshold", c.deployment ?? "none declared"],
    ["intervals", plan ? `${plan.method}, ${whole(plan.resamples)} resamples of ${plan.unit}s, level ${plan.level}, seed ${plan.seed}` : "none"],
    ["counts", Object.entries(run.counts).map(([key, value]) => `${key} ${whole(value)}`).join(", ")],
    ["versions", Object.entries(run.versions).map(([key, value]) => `${key} ${value}`).join(", ")], ["manifest", h("code", {}, run.manifest)]];
  return [h("dl", { class: "prov" }, rows.map(([term, value]) => [h("dt", {}, term), h("dd", {}, value)])),
    run.inputs.length ? table(["input", "bytes", { text: "SHA-256", num: false }], run.inputs.map((each) => [name(each.name), whole(each.bytes), h("code", {}, each.sha256)]), "Files that were evaluated") : null,
    run.thresholds.length ? table(["rule", { text: "fold", num: false }, "threshold", "reached on TUNE", "queries", { text: "claim", num: false }], run.thresholds.map((t) => [t.rule + (t.deployment ? " (deployment)" : ""), t.fold === null ? "–" : name(t.fold, 20), t.value === null ? "∞" : fixed(t.value, 4), fixed(t.reached, 4), whole(t.queries), t.note || "no claim beyond TUNE"]), "Thresholds chosen on TUNE") : null];
}
