/* What fails: the worst criteria, the most confident errors, missed evidence; each links to its queries. */
const LISTED = 8;

function worstCriteria(run) {
  const group = run.groups.criterion_id;
  if (!group || group.rows.length < 2) return null;
  const at = (key) => group.measures.indexOf(key),
    measure = ["auroc", "ndcg@10", "map"].find((key) => at(key) >= 0 && run.measure.has(key));
  if (!measure) return null;
  const lower = run.measure.get(measure).better === "lower",
    excluded = new Set(run.contract.exclude_criteria),
    untrained = new Set(run.untrained),
    states = run.states_by_criterion ?? {};
  const rows = group.rows
    .map(([label, cells]) => {
      const cell = cells[at(measure)],
        [neg, unc, pos] = states[label] ?? [0, 0, 0],
        why = [];
      if (excluded.has(label)) why.push("excluded from evaluation");
      if (untrained.has(label)) why.push("excluded from training");
      if (unc && !neg && !pos) why.push("all UNCERTAIN: nothing is decided");
      else if (neg + unc + pos && unc / (neg + unc + pos) > 0.9)
        why.push(`${share(unc, neg + unc + pos)} UNCERTAIN`);
      if (cell && cell[4]) why.push("too little data for this measure");
      return { label, cell, why, value: cell && !cell[4] ? cell[0] : null };
    })
    .sort((a, b) => b.why.length - a.why.length || ((a.value ?? 2) - (b.value ?? 2)) * (lower ? -1 : 1));
  return h(
    "div",
    { class: "panel" },
    h("h3", {}, "Worst criteria"),
    table(
      ["criterion", measure, { text: "detail", num: false }],
      rows.slice(0, Math.min(LISTED, Math.max(3, Math.ceil(rows.length / 2)))).map((row) => [
        criterionLink(run, row.label),
        row.value === null ? "–" : fixed(row.value, 3),
        row.why.join("; ") || (row.cell && row.cell[1] !== null ? `95% CI [${fixed(row.cell[1], 2)}, ${fixed(row.cell[2], 2)}]` : row.cell && row.cell[3] === null ? "hidden" : few(run, row.cell?.[3]) ? count(run, row.cell[3]) : `n = ${whole(row.cell?.[3] ?? 0)}`),
      ]),
      `Criteria excluded from training or without any decision first, then by ${measure}, the ${lower ? "highest" : "lowest"} first`,
    ),
  );
}

/* The rank of the first relevant candidate of a query. */
function firstRank(run, q) {
  for (let at = run.first[q]; at < run.first[q + 1]; at++) if (run.column.flags[at] & 1) return whole(run.column.rank[at]);
  return "never";
}

const criterionLink = (run, label) =>
  run.listed
    ? h("a", { href: "#queries?" + new URLSearchParams({ show: "wrong", criterion: wellFormed(label) }) }, name(label, 60))
    : name(label, 60);

/* The first few of the queries that `keep`, by the largest `key`, without sorting all of them. */
function topQueries(run, keep, key, most = LISTED) {
  const top = [];
  let total = 0;
  for (let q = 0; q < run.size; q++) {
    if (!keep(q)) continue;
    total++;
    const value = key(q);
    if (top.length === most && value <= top[most - 1][1]) continue;
    let at = top.length;
    while (at && top[at - 1][1] < value) at--;
    top.splice(at, 0, [q, value]);
    if (top.length > most) top.pop();
  }
  return { top: top.map(([q]) => q), total };
}

function failureList(run, runs, title, said, found, href, columns) {
  if (!found.total) return null;
  return h(
    "div",
    { class: "panel" },
    h("h3", {}, title),
    table(
      ["query", ...columns.map(([text, , num]) => ({ text, num }))],
      found.top.map((q) => [
        h("a", { href: "#queries?" + new URLSearchParams({ query: queryKey(run, q) }) }, name(run.title(q), 60)),
        ...columns.map(([, cell]) => cell(q)),
      ]),
      said,
    ),
    h("p", { class: "more" }, h("a", { href }, `All ${whole(found.total)} in the list of queries`)),
  );
}

function failuresSection(run, runs) {
  const parts = [worstCriteria(run)];
  if (run.listed) {
    const c = run.column,
      prob = ["p", (q) => fixed(c.prob[q], 4)],
      state = c.state ? [["state", (q) => STATES[c.state[q]], false]] : [],
      gold = run.counts.candidates ? [["gold", (q) => whole(c.gold[q])]] : [];
    const missed = (q) => c.label[q] === 1 && run.returns(q) === false,
      alarm = (q) => c.label[q] === 0 && (c.state ? c.state[q] === 2 : run.returns(q) === true);
    const wrongly = {
      states: ["False alerts", "Alerts without evidence, the highest probability first"],
      returned: ["Answers without evidence", "Answered queries without evidence, the highest probability first"],
    }[run.deployment?.kind] ?? ["False flags", "Flagged queries without evidence, the highest probability first"];
    const skipped = { states: "skipped", returned: "left unanswered" }[run.deployment?.kind] ?? "not flagged";
    if (c.prob) {
      parts.push(
        failureList(
          run,
          runs,
          "Most confident errors",
          "Largest |p − y|: the most probability for the wrong answer",
          { ...topQueries(run, () => true, run.wrong), total: run.size },
          "#queries?show=wrong",
          [["evidence", (q) => (c.label[q] ? "yes" : "no"), false], prob, ...state],
        ),
        failureList(
          run,
          runs,
          "Missed evidence",
          `Queries with evidence that are ${skipped}, the lowest probability first`,
          topQueries(run, missed, (q) => -c.prob[q]),
          "#queries?show=missed",
          [...gold, prob],
        ),
        failureList(
          run,
          runs,
          wrongly[0],
          wrongly[1],
          topQueries(run, alarm, (q) => c.prob[q]),
          c.state ? "#queries?show=alerts" : "#queries?show=alarms",
          [prob],
        ),
      );
    } else if (run.lost) {
      const known = (q) => run.wrong(q) !== null;
      parts.push(
        failureList(
          run,
          runs,
          `Lowest ${run.lost}`,
          run.task ? "Queries with the lowest value" : "Queries with something relevant, the worst ranked first",
          topQueries(run, known, (q) => 1 - run.value(q, 0)),
          "#queries?show=wrong",
          [["relevant", (q) => whole(c.gold[q])], ["first at rank", (q) => firstRank(run, q)], [run.lost, (q) => fixed(run.value(q, 0), 3)]],
        ),
        failureList(
          run,
          runs,
          "Relevant items that were not retrieved",
          "Queries with the most relevant items outside their list",
          topQueries(run, (q) => (run.missed[q] ?? []).length > 0, (q) => run.missed[q].length),
          "#queries?show=lost",
          [
            ["relevant", (q) => whole(c.gold[q])],
            ["not retrieved", (q) => whole(run.missed[q].length)],
          ],
        ),
      );
    }
  }
  const there = parts.filter(Boolean);
  return there.length ? h("div", { class: "panels" + (there.length % 2 ? "" : " even") }, there) : null;
}
