/* Deployment: the verdict of the publication gate, what happens to all queries, and what should worry a reader. */
const few = (run, n) => run.suppress_below && n > 0 && n < run.suppress_below;
const count = (run, n) => (few(run, n) ? `fewer than ${run.suppress_below}` : whole(n));
const rate = (run, n, all) => (few(run, n) ? count(run, n) : share(n, all));

function gateBanner(run) {
  const gate = run.gate;
  if (!gate)
    return h(
      "p",
      { class: "verdict none" },
      h("b", {}, "Publication gate not run."),
      h("span", {}, h("code", {}, "assay gate"), " checks whether this result may be published or deployed."),
    );
  const failed = gate.checks.filter((each) => each[1] === "fail"),
    applicable = gate.checks.filter((each) => each[1] !== "not applicable").length;
  return h(
    "div",
    { class: "verdict " + gate.verdict },
    h("b", {}, `Publication gate ${seen(gate.verdict)}`),
    h(
      "span",
      {},
      failed.length
        ? `${failed.length} of ${counted(applicable, "applicable check")} failed:`
        : `All ${counted(applicable, "applicable check")} passed` + (Object.keys(run.targets).length ? "." : "; none of them is a target for performance."),
      " ",
      h("a", { href: "#trust", class: "noprint" }, "All checks"),
    ),
    failed.length
      ? h(
          "ul",
          {},
          failed.map(([check, , reason]) =>
            h("li", {}, h("b", {}, cutTo(seen(check), 80)), " ", withSigns(cutTo(seen(reason), 220))),
          ),
        )
      : null,
  );
}

/* What a reader of a ranking finds: the rank of the first relevant item, in steps. */
function rankOutcome(run) {
  if (!run.listed || run.column.prob || run.column.k) return null;
  if (run.task) return run.lost ? valueOutcome(run) : null;
  const c = run.column,
    steps = [
      [1, "at rank 1"],
      [3, "2 to 3"],
      [5, "4 to 5"],
      [10, "6 to 10"],
      [Infinity, "below 10"],
    ],
    n = [0, 0, 0, 0, 0, 0];
  let total = 0;
  for (let q = 0; q < run.size; q++) {
    if (!c.label[q]) continue;
    total++;
    let at = run.first[q];
    while (at < run.first[q + 1] && !(c.flags[at] & 1)) at++;
    n[at === run.first[q + 1] ? 5 : steps.findIndex(([most]) => c.rank[at] <= most)]++;
  }
  if (!total) return null;
  const found = n.slice(0, 4).reduce((a, b) => a + b, 0);
  const names = [...steps.map(([, text]) => text), "never"],
    fills = ["r0", "r1", "r2", "r3", "NEG", "UNCERTAIN"];
  return {
    sentence: `The first 10 results hold something relevant for ${share(found, total)} of queries (${whole(found)} of ${whole(total)}); the first result is relevant for ${share(n[0], total)}. This system ranks only: it never decides that there is nothing to find.`,
    title: "Rank of the first relevant result",
    parts: names.map((text, at) => ({ n: n[at], cls: fills[at], name: text })),
  };
}

/* What the first measure of a shared task says of the queries. */
function valueOutcome(run) {
  const n = [0, 0, 0];
  for (let q = 0; q < run.size; q++) {
    const value = run.value(q, 0);
    if (value !== null) n[value >= 1 ? 0 : value > 0 ? 1 : 2]++;
  }
  const total = n[0] + n[1] + n[2];
  if (!total) return null;
  return {
    sentence: `${share(n[0], total)} of queries (${whole(n[0])} of ${whole(total)}) are right by ${run.lost}` + (n[1] ? `, ${whole(n[1])} in part` : "") + `, and ${whole(n[2])} are wrong. The contract judges answers; this page knows no other decision of the system.`,
    title: `Queries by ${run.lost}`,
    parts: ["right", "right in part", "wrong"].map((name, at) => ({ n: n[at], cls: ["POS", "UNCERTAIN", "missed"][at], name })),
  };
}

function decisionSentence(run) {
  const made = run.deployment,
    [n, yes] = made.all,
    total = run.counts.queries,
    evidence = run.counts.evidence,
    last = n.length - 1;
  const spread = (at) => {
    const shares = made.folds.map(([, each]) => each[at] / Math.max(1, each.reduce((a, b) => a + b, 0)));
    if (shares.length < 2) return "";
    const ends = [Math.min(...shares), Math.max(...shares)].map((v) => fixed(100 * v, 0));
    return ends[1] - ends[0] >= 5 ? ` (${ends[0]}–${ends[1]}% by fold)` : "";
  };
  const about = run.suppress_below ? "about " : "", // counts are rounded, and the shares with them
    be = (k) => (k === 1 && !few(run, k) ? "is" : "are"),
    said = (k) => (k && !few(run, k) ? about : "") + count(run, k);
  const acts = made.actions.map((name, at) => `${at ? "" : about.replace("a", "A")}${rate(run, n[at], total)} ${name}${spread(at)}`);
  const missed = evidence
    ? `${said(yes[0])} of ${count(run, evidence)} ${evidence === 1 && !few(run, evidence) ? "query" : "queries"} with evidence ${be(yes[0])} missed`
    : "no query has evidence";
  const noun = { states: ["alert", "alerts"], flagged: ["flag", "flags"], returned: ["answer", "answers"] }[made.kind];
  const mistaken = made.mistaken ?? n[last] - yes[last]; // rounded by itself where counts are
  const wrong = n[last]
    ? `${said(mistaken)} of ${said(n[last])} ${noun[n[last] === 1 ? 0 : 1]} ${be(mistaken)} ${made.kind === "returned" ? "without evidence" : "false"}`
    : { states: "no alert is raised", flagged: "no query is flagged", returned: "no query is answered" }[made.kind];
  return [h("b", {}, listed(acts)), "; " + missed + ", and " + wrong + "."];
}

function decisionBars(run) {
  const made = run.deployment,
    [n, yes] = made.all,
    total = run.counts.queries,
    fills = STATE_FILLS[made.kind];
  const parts = (counts, all, words) =>
    counts.map((each, at) => ({
      n: each,
      cls: words[at] === "missed" ? "missed" : fills[at],
      text: `${words[at]} ${rate(run, each, all)}`,
      brief: rate(run, each, all),
      title: `${words[at]}: ${count(run, each)} of ${whole(all)}` + (few(run, each) ? "" : ` (${share(each, all)})`),
    }));
  const found = { states: ["missed", "sent to review", "alerted"] }[made.kind] ?? ["missed", "found"];
  const evidence = run.counts.evidence;
  return h(
    "div",
    { class: "bars" },
    h("span", { class: "bar-name" }, `all ${counted(total, "query", "queries")}`),
    stacked(parts(n, total, made.actions), decisionLabel(made.actions, n, total, run)),
    h("span", { class: "bar-name" }, `${count(run, evidence)} with evidence`),
    stacked(parts(yes, evidence, found), decisionLabel(found, yes, evidence, run)),
    made.folds.length > 1 && made.folds.length <= STRIPS ? foldStrips(run, made, fills) : null,
  );
}
const STRIPS = 10; // more folds than this are folded away, so that the first screen keeps its answers
function foldStrips(run, made, fills) {
  return made.folds.map(([fold, each]) => {
    const size = each.reduce((a, b) => a + b, 0);
    return [
      h("span", { class: "bar-name fold" }, "fold ", name(fold, 16)),
      stacked(
        each.map((v, at) => ({
          n: v,
          cls: fills[at],
          text: rate(run, v, size),
          title: `fold ${cutTo(seen(fold), 40)}: ${made.actions[at]} ${rate(run, v, size)} (${count(run, v)} of ${whole(size)})`,
        })),
        `Fold ${cutTo(seen(fold), 40)}: ` + decisionLabel(made.actions, each, size, run),
        true,
      ),
    ];
  });
}
function manyFolds(run) {
  const made = run.deployment;
  return made.folds.length > STRIPS
    ? h("details", { class: "many-folds" }, h("summary", {}, `The same for each of ${whole(made.folds.length)} folds`), h("div", { class: "bars" }, foldStrips(run, made, STATE_FILLS[made.kind])))
    : null;
}
const decisionLabel = (words, n, total, run) => words.map((word, at) => `${word} ${rate(run, n[at], total)}`).join(", ");

const CONCERNS = 5;
const SEE = {
  "#deployment": "Folds",
  "#promises": "Targets",
  "#quality": "Quality",
  "#notes": "Notes",
  "#failures": "What fails",
  "#thresholds": "Thresholds",
  "#figures": "Figures",
};
function concernList(run) {
  const shown = run.concerns.slice(0, CONCERNS);
  return h(
    "aside",
    { class: "concerns", "aria-labelledby": "concerns-title" },
    h("h3", { id: "concerns-title" }, "What should worry you"),
    shown.length
      ? h(
          "ul",
          {},
          shown.map((each) =>
            h("li", {}, seen(each.text).replace(/p ([<≥]) /g, "p\u00a0$1\u00a0"), " ", h("a", { href: each.href, "aria-label": `${SEE[each.href]}: ${seen(each.text)}` }, SEE[each.href])),
          ),
        )
      : h("p", { class: "note" }, "No automatic check found a reason for concern. That is not a guarantee."),
  );
}

const PROMISED = ["screening_sensitivity", "screening_fn_per_1000", "alert_precision"];
function deploymentSection(run) {
  const ranks = run.deployment ? null : rankOutcome(run),
    promised = run.deployment ? PROMISED.filter((each) => run.measure.has(each)) : [];
  const total = ranks ? ranks.parts.reduce((sum, part) => sum + part.n, 0) : 0;
  return [
    h(
      "div",
      { class: "notices" },
      gateBanner(run),
      run.texts ? h("p", { class: "warning" }, h("b", {}, "This page contains texts of posts. "), "Handle the file like the corpus itself.") : null,
    ),
    run.suppress_below
      ? h("p", { class: "note" }, `Counts below ${run.suppress_below} are hidden, with the values that would give them away; others are rounded to multiples of ${run.suppress_below}. Single queries are not on this page.`)
      : null,
    h(
      "div",
      { class: "deploy" },
      h(
        "div",
        { class: "outcome" },
        run.deployment
          ? [
              h("p", { class: "headline", id: "headline" }, decisionSentence(run)),
              decisionBars(run),
              manyFolds(run),
              h("p", { class: "note point" }, `Operating point: ${run.deployment.point}.`),
            ]
          : ranks
            ? [
                h("p", { class: "headline", id: "headline" }, ranks.sentence),
                h(
                  "div",
                  { class: "bars" },
                  h("span", { class: "bar-name" }, ranks.title),
                  stacked(
                    ranks.parts.map((part) => ({
                      ...part,
                      text: `${part.name}: ${share(part.n, total)}`,
                      brief: share(part.n, total),
                      title: `${part.name}: ${whole(part.n)} of ${whole(total)}`,
                    })),
                    decisionLabel(
                      ranks.parts.map((part) => part.name),
                      ranks.parts.map((part) => part.n),
                      total,
                      run,
                    ),
                  ),
                ),
                h(
                  "ul",
                  { class: "legend" },
                  ranks.parts
                    .filter((part) => part.n)
                    .map((part) => h("li", {}, h("span", { class: "swatch b" + part.cls, "aria-hidden": "true" }), `${part.name}: ${whole(part.n)}`)),
                ),
              ]
            : h("p", { class: "headline" }, run.task ? "The contract judges answers; this page knows no other decision of the system." : "The system makes no decisions: it ranks, and somebody else decides."),
      ),
      concernList(run),
    ),
    promised.length
      ? h(
          "ul",
          { class: "cards promises", id: "promises", tabindex: "-1", "aria-label": "Targets of the three states" },
          promised.map((key) => promiseCard(run, run.measure.get(key))),
        )
      : null,
  ];
}

/* A target of the three states with its denominator, and what TUNE certifies about it. */
const POINTS = { screening_fn_per_1000: "screening: not NEG, p ≥ τ_neg" }; // its definition has no other
const DENOMINATORS = { screening_sensitivity: ["query with evidence", "queries with evidence"], alert_precision: ["alert", "alerts"] };
function promiseCard(run, m) {
  const certificate = run.certificates[m.name],
    target = run.targets[m.name];
  const met = target && !m.convention && !m.bound && meets(target, m.value);
  return h(
    "li",
    { class: "card promise", "data-measure": m.name },
    h("span", { class: "what" }, define(run, m, run.definitions[m.definition].title + arrow(m)), h("span", { class: "point" }, " " + (run.definitions[m.definition].operating ?? POINTS[m.name] ?? "").replaceAll(" ≥ ", "\u00a0≥\u00a0"))),
    h(
      "span",
      {},
      h("span", { class: "big" }, shownValue(m)),
      h(
        "span",
        { class: "ci" },
        " ",
        m.low === null ? null : `${interval(m)} · `.replaceAll(", ", ",\u00a0"),
        m.trials && DENOMINATORS[m.name]
          ? `${count(run, m.hits)} of ${count(run, m.trials)} ${DENOMINATORS[m.name][m.trials === 1 ? 0 : 1]}` + (m.mean ? " (pooled)" : "")
          : sizeOf(m),
      ),
    ),
    h(
      "span",
      { class: "certificate " + (certificate && certificate.status === "certified" ? "good" : "open") },
      targetChip(run, m),
      certificate ? " " + (met ? "on this sample; " : "") + certificate.text + "." : null,
    ),
  );
}
