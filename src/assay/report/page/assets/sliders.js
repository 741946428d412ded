/* The section of the two threshold sliders. */
function gateSection(run) {
  if (!run.column.prob)
    return [h("p", {}, "The system gave no probabilities, so there are no thresholds to choose.")];
  const count = counter(run),
    start = run.taus ? run.taus.start : [0.5, 0.5];
  const now = { low: start[0], high: start[1], miss: 10, review: 1, alarm: 2, figures: null };
  const cells = new Map(),
    changes = new Map(),
    inputs = {};
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
  const has = (key) => key !== "sentences" || run.column.k;
  const head = [
    "",
    ...(count.recorded ? ["recorded"] : []),
    "with sliders",
    ...(count.recorded ? ["change"] : []),
  ];
  const rows = GATE_ROWS.map(([title, list]) => [
    h("tr", {}, h("th", { scope: "rowgroup", colspan: head.length }, title)),
    list
      .filter(([key]) => has(key))
      .map(([key, text, format]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, run.measure.has(key) ? define(run, run.measure.get(key), text) : text),
          count.recorded ? h("td", { class: "num" }, format(count.recorded[key])) : null,
          cell(key),
          count.recorded ? change(key) : null,
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
  const cost = h("p", { id: "cost" }),
    copied = h("output", { class: "copy", id: "thresholds-text" }),
    unknown = h("p", { class: "note" });
  const scores = run.figures.scores,
    total = [scores.with, scores.without].map((each) => each.reduce((a, b) => a + b, 0)),
    most = total.map((each) => each || 1);
  const tops = [0, 1].map((side) => Math.max(0.01, ...(side ? scores.without : scores.with)) / most[side]);
  const figure = chart({
    title: "Predicted probabilities by class",
    wide: true,
    id: "fig-scores",
    plan: () => ({
      height: 250,
      label: "Distribution of the predicted probability with and without evidence, with both thresholds",
      x: { ...unit, name: "Predicted probability of evidence" },
      y: {
        domain: [-1.1 * tops[1], 1.25 * tops[0]],
        name: "Share of each class (%)",
        format: (v) => short(Math.abs(100 * v)),
      },
      layers: [
        { kind: "zone", cls: "fNEG", x0: 0, x1: Math.min(1, now.low) },
        { kind: "zone", cls: "fUNCERTAIN", x0: Math.min(1, now.low), x1: Math.min(1, now.high) },
        { kind: "zone", cls: "fPOS", x0: Math.min(1, now.high), x1: 1 },
        {
          kind: "bars",
          bars: scores.with.flatMap((n, at) => [
            { x0: scores.edges[at], x1: scores.edges[at + 1], y0: 0, y1: n / most[0], cls: "f0" },
            {
              x0: scores.edges[at],
              x1: scores.edges[at + 1],
              y0: 0,
              y1: -scores.without[at] / most[1],
              cls: "fg",
            },
          ]),
        },
        { kind: "across", cls: "si thin", y: 0 },
        {
          kind: "down",
          x: Math.min(1, now.low),
          cls: "s1 dash",
          text: "τ_neg",
          side: now.low > 0.5 || (now.high - now.low < 0.12 && now.low > 0.1) ? -1 : 1,
        },
        {
          kind: "down",
          x: Math.min(1, now.high),
          cls: "s1",
          text: "τ_pos",
          side: now.high > 0.85 && now.high - now.low > 0.12 ? -1 : 1,
        },
      ],
      points: scores.with.map((n, at) => ({
        x: (scores.edges[at] + scores.edges[at + 1]) / 2,
        y: n / most[0],
        text: `p from ${short(scores.edges[at])} to ${short(scores.edges[at + 1])}\n${whole(n)} with evidence, ${whole(scores.without[at])} without`,
      })),
    }),
    legend: [
      { fill: "f0", text: `with evidence, n = ${whole(total[0])} (upwards)` },
      { fill: "fg", text: `without, n = ${whole(total[1])} (downwards)` },
      { line: "s1 dash", text: "τ_neg: NEG below" },
      { line: "s1", text: "τ_pos: POS at or above" },
    ],
    rows: () => ({
      head: ["from", "to", "with evidence", "without"],
      rows: scores.with.map((n, at) => [
        short(scores.edges[at]),
        short(scores.edges[at + 1]),
        whole(n),
        whole(scores.without[at]),
      ]),
    }),
  });
  const update = () => {
    const made = count.at(now.low, now.high);
    now.figures = made;
    for (const state of ["neg", "uncertain", "pos"])
      made[state + "_none"] = made[state] - made[state + "_evidence"];
    for (const [key, node] of cells) {
      const format = formats[key] ?? whole;
      node.textContent = format(made[key]);
      node.dataset.value = made[key];
    }
    if (count.recorded)
      for (const [key, node] of changes) {
        const gap = made[key] - count.recorded[key],
          format = formats[key];
        node.textContent =
          Math.abs(gap) < 1e-12 ? "=" : (gap > 0 ? "+" : "−") + format(Math.abs(gap)).replace("−", "");
      }
    const per = 1000 / run.size,
      total = per * (now.miss * made.fn + now.review * made.uncertain + now.alarm * made.fp),
      positives = run.counts.evidence * per,
      odds = now.low < 1 ? now.low / (1 - now.low) : Infinity;
    const found = made.uncertain_evidence + made.pos_evidence,
      alarms = made.uncertain_none + made.pos_none;
    cost.replaceChildren(
      h("b", {}, fixed(total, 1)),
      ` per 1,000 queries: ${fixed(per * made.fn, 2)} misses, ${fixed(per * made.uncertain, 1)} reviews, ${fixed(per * made.fp, 2)} false alerts. Reviewing everything would cost ${fixed(1000 * now.review, 1)}, skipping everything ${fixed(now.miss * positives, 1)}. Net benefit of screening at t = τ_neg: ${Number.isFinite(odds) ? fixed((found - odds * alarms) / run.size, 4) : "–"} true positives per query.`,
    );
    cost.dataset.value = total;
    copied.textContent = `tau_neg = ${now.low}\ntau_pos = ${now.high}`;
    unknown.textContent = made.unknown
      ? `The system returned nothing for ${counted(made.unknown, "query that is", "queries that are")} not NEG at these thresholds, so the number of sentences returned is a lower bound.`
      : "";
    figure.redraw();
  };
  const formats = Object.fromEntries(
    GATE_ROWS.flatMap(([, list]) => list.map(([key, , format]) => [key, format])),
  );
  let waiting = false;
  const soon = () => {
    if (!waiting) {
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        update();
      });
    }
  };
  const set = (key, value) => {
    if (!Number.isFinite(value)) return;
    now[key] = Math.max(0, value);
    if (key === "low" && now.high < now.low) now.high = now.low;
    if (key === "high" && now.low > now.high) now.low = now.high;
    for (const each of ["low", "high"])
      for (const node of inputs[each])
        if (node !== document.activeElement || Number(node.value) !== now[each]) node.value = now[each];
    soon();
  };
  const slider = (key, label, hint) => {
    const range = h("input", {
      type: "range",
      id: "range-" + key,
      min: 0,
      max: 1,
      step: 0.001,
      oninput: () => set(key, Number(range.value)),
      "aria-describedby": "hint-" + key,
    });
    const number = h("input", {
      type: "number",
      id: "tau-" + key,
      min: 0,
      max: 1,
      step: "any",
      "aria-label": label + ", exact value",
      onchange: () => set(key, Number(number.value)),
    });
    inputs[key] = [range, number];
    range.value = now[key];
    number.value = now[key];
    return h(
      "div",
      { class: "slider" },
      h("label", { for: "range-" + key }, label),
      number,
      range,
      h("span", { class: "hint", id: "hint-" + key }, hint),
    );
  };
  const price = (key, label) =>
    h(
      "label",
      { class: "field" },
      label,
      h("input", {
        type: "number",
        min: 0,
        step: "any",
        value: now[key],
        id: "cost-" + key,
        oninput: (event) => {
          now[key] = Number(event.target.value) || 0;
          soon();
        },
      }),
    );
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(copied.textContent);
      say("Thresholds copied");
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(copied);
      document.execCommand("copy");
      button.textContent = "Selected: press Ctrl+C";
    }
    setTimeout(() => {
      button.textContent = "Copy these thresholds";
    }, 1800);
  };
  const button = h("button", { type: "button", class: "plain", onclick: copy }, "Copy these thresholds");
  const back = h(
    "button",
    {
      type: "button",
      class: "plain",
      onclick: () => {
        set("low", start[0]);
        set("high", start[1]);
      },
    },
    "Reset",
  );
  const sliders = h(
    "div",
    { class: "sliders" },
    slider("low", "τ_neg", "p < τ_neg: NEG, skipped; nothing is returned."),
    slider("high", "τ_pos", "p ≥ τ_pos: POS, an alert. In between: UNCERTAIN, sent to human review."),
  );
  const brief = (tau) => Number(tau.toPrecision(4)); // to read; what is counted with keeps its digits
  const origin = !run.taus
    ? "The system recorded no states."
    : run.taus.common
      ? `The recorded states use τ_neg = ${run.taus.common[0]} and τ_pos = ${run.taus.common[1]}.`
      : `The recorded states use thresholds per fold (${run.taus.folds.map(([fold, low, high]) => `${seen(fold)}: ${brief(low)}, ${brief(high)}`).join("; ")}); the sliders start at the medians and apply to all folds.`;
  const result = [
    h(
      "p",
      {},
      origin,
      " Thresholds chosen here are chosen on the evaluated queries: report them as such, or choose them on separate data (TUNE).",
    ),
    sliders,
    figure,
    h(
      "div",
      { class: "split" },
      h(
        "div",
        { class: "panel" },
        h(
          "div",
          { class: "scroll", tabindex: "0", role: "group", "aria-label": "Results at these thresholds" },
          h(
            "table",
            { id: "gate-table" },
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                head.map((each, at) =>
                  each ? h("th", { scope: "col", class: at ? "num" : null }, each) : h("td", {}),
                ),
              ),
            ),
            h("tbody", {}, rows),
          ),
        ),
        unknown,
      ),
      h(
        "div",
        { class: "stack" },
        h(
          "div",
          { class: "panel" },
          h("h3", {}, "States by evidence"),
          h(
            "div",
            { class: "scroll", tabindex: "0", role: "group", "aria-label": "States by evidence" },
            h(
              "table",
              {},
              h(
                "thead",
                {},
                h(
                  "tr",
                  {},
                  ["state", "with evidence", "without", "queries"].map((each, at) =>
                    h("th", { scope: "col", class: at ? "num" : null }, each),
                  ),
                ),
              ),
              h("tbody", {}, crossed),
            ),
          ),
        ),
        h(
          "div",
          { class: "panel" },
          h("h3", {}, "Expected cost"),
          h(
            "div",
            { class: "row" },
            price("miss", "cost of a miss"),
            price("review", "cost of a review"),
            price("alarm", "cost of a false alert"),
          ),
          cost,
          copied,
          h("div", { class: "tools" }, button, back),
        ),
      ),
    ),
  ];
  update();
  return result;
}
