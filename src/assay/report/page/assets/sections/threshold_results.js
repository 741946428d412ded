/* What the thresholds of the sliders give: bars, the table, another prevalence, costs. */
const barPart = (cls, text, n, all) => ({ n, cls, text: `${text} ${share(n, all)}`, brief: share(n, all), title: `${text}: ${whole(n)} of ${whole(all)}` });

function liveBars(run, counted_) {
  const holder = h("div", { class: "bars live" });
  const line = (label, made, small) => {
    const evidence = made.neg_evidence + made.uncertain_evidence + made.pos_evidence;
    const all = [
      barPart("NEG", "skipped", made.neg, run.size),
      barPart("UNCERTAIN", "review", made.uncertain, run.size),
      barPart("POS", "alerted", made.pos, run.size),
    ];
    const found = [
      barPart("missed", "missed", made.neg_evidence, evidence),
      barPart("UNCERTAIN", "review", made.uncertain_evidence, evidence),
      barPart("POS", "alerted", made.pos_evidence, evidence),
    ];
    const alerts = [
      barPart("missed", "false", made.fp, made.pos),
      barPart("POS", "true", made.pos_evidence, made.pos),
    ];
    const bar = (parts, of, at) => h("div", { "data-label": heads[at] }, stacked(parts, `${of}: ` + parts.map((part) => part.text).join(", "), small));
    return [
      h("span", { class: "bar-name" }, label),
      bar(all, label, 0),
      bar(found, "With evidence", 1),
      made.pos ? bar(alerts, "Alerts", 2) : h("div", { class: "note", "data-label": heads[2] }, "no alert"),
    ];
  };
  const heads = [
    `workload: all ${counted(run.size, "query", "queries")}`,
    `misses: ${whole(run.counts.evidence)} with evidence`,
    "false alerts: of all alerts",
  ];
  const fixedPart = [
    h("span", {}),
    ...heads.map((each) => h("span", { class: "bar-head" }, each)),
    ...(counted_.recorded ? line("recorded", counted_.recorded, true) : []),
  ];
  return {
    node: holder,
    update: (made) => holder.replaceChildren(...fixedPart, ...line("with sliders", made, false)),
  };
}

function resultTable(run, counter_, cells, changes) {
  const cell = (key) => {
    const made = h("td", { class: "num", "data-key": key });
    cells.set(key, made);
    return made;
  };
  const change = (key) => {
    const made = h("td", { class: "num note" });
    changes.set(key, made);
    return made;
  };
  const recorded = counter_.recorded;
  const head = ["", ...(recorded ? ["recorded"] : []), "with sliders", ...(recorded ? ["change"] : [])];
  const rows = GATE_ROWS.map(([title, list]) => [
    h("tr", {}, h("th", { scope: "rowgroup", colspan: head.length }, title)),
    list
      .filter(([key]) => key !== "sentences" || run.column.k)
      .map(([key, text, format]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, run.measure.has(key) ? define(run, run.measure.get(key), text) : text),
          recorded ? h("td", { class: "num" }, format(recorded[key])) : null,
          cell(key),
          recorded ? change(key) : null,
        ),
      ),
  ]);
  const crossed = STATES.map((state) => {
    const key = state.toLowerCase();
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, h("span", { class: "chip " + state }, state)),
      cell(key + "_evidence"),
      cell(key + "_none"),
      cell(key),
    );
  });
  const made = (label, id, heads, body) =>
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": label },
      h(
        "table",
        { id },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            heads.map((each, at) =>
              each ? h("th", { scope: "col", class: at ? "num" : null }, each) : h("td", {}),
            ),
          ),
        ),
        h("tbody", {}, body),
      ),
    );
  return {
    numbers: made("Results at these thresholds", "gate-table", head, rows),
    crossed: made("States by evidence", null, ["state", "with evidence", "without", "queries"], crossed),
  };
}

/* Precision and NPV where evidence is rarer or more frequent, at the same sensitivity and specificity. */
function prevalencePanel(run) {
  const own = run.counts.evidence / run.size,
    rounded = String(Number((100 * own).toPrecision(3))),
    said = h("p", { id: "at-prevalence" });
  let made = null;
  const input = h("input", {
    type: "number",
    id: "prevalence",
    min: 0,
    max: 100,
    step: "any",
    value: rounded,
    oninput: () => fill(),
  });
  const fill = () => {
    const rate = input.value === rounded ? own : Number(input.value) / 100; // untouched: without the rounding
    if (!made || !(rate > 0 && rate < 1)) {
      said.textContent = "Enter a share between 0 and 100%.";
      return;
    }
    const positives = run.counts.evidence,
      negatives = run.size - positives;
    const shares = (key) => [made[key + "_evidence"] / positives, made[key + "_none"] / negatives];
    const of = ([y, n], yes) => (yes ? rate * y : (1 - rate) * n) / (rate * y + (1 - rate) * n);
    const [alert, skip] = [of(shares("pos"), true), of(shares("neg"), false)],
      review = shares("uncertain");
    said.dataset.precision = alert;
    said.dataset.npv = skip;
    said.replaceChildren(
      "Alert precision ",
      h("b", {}, made.pos ? percent(alert, 2) : "–"),
      ", NPV of skipping ",
      h("b", {}, made.neg ? percent(skip, 2) : "–"),
      `, ${percent(rate * review[0] + (1 - rate) * review[1])} to review.`,
    );
  };
  return {
    node: h(
      "div",
      { class: "panel" },
      h("h3", {}, "At another prevalence"),
      h("label", { class: "field" }, `share of queries with evidence, % (here ${percent(own)})`, input),
      said,
      h("p", { class: "note key" }, "Assumes that sensitivity and specificity stay as they are here."),
    ),
    update: (next) => {
      made = next;
      fill();
    },
  };
}

function costPanel(run, changed) {
  const price = { miss: 10, review: 1, alarm: 2 },
    cost = h("p", { id: "cost" });
  const field = (key, label) =>
    h(
      "label",
      { class: "field" },
      label,
      h("input", {
        type: "number",
        min: 0,
        step: "any",
        value: price[key],
        id: "cost-" + key,
        oninput: (event) => {
          price[key] = Number(event.target.value) || 0;
          changed();
        },
      }),
    );
  return {
    node: h(
      "div",
      { class: "panel" },
      h("h3", {}, "Expected cost"),
      h(
        "div",
        { class: "row" },
        field("miss", "of a miss"),
        field("review", "of a review"),
        field("alarm", "of a false alert"),
      ),
      cost,
    ),
    update: (made, low) => {
      const per = 1000 / run.size,
        total = per * (price.miss * made.fn + price.review * made.uncertain + price.alarm * made.fp),
        positives = run.counts.evidence * per,
        odds = low < 1 ? low / (1 - low) : Infinity;
      const found = made.uncertain_evidence + made.pos_evidence,
        alarms = made.uncertain_none + made.pos_none;
      cost.replaceChildren(
        h("b", {}, fixed(total, 1)),
        ` per 1,000 queries: ${fixed(per * made.fn, 1)} misses, ${fixed(per * made.uncertain, 1)} reviews and ${fixed(per * made.fp, 1)} false alerts. Reviewing everything would cost ${fixed(1000 * price.review, 1)}, skipping everything ${fixed(price.miss * positives, 1)}.`,
        h("br"),
        `Net benefit of screening at t = τ_neg: ${Number.isFinite(odds) ? fixed((found - odds * alarms) / run.size, 4) : "–"} true positives per query.`,
      );
      cost.dataset.value = total;
    },
  };
}
