/* The thresholds: sliders on a scale of queries, presets chosen on TUNE, and what they give. */
const STEPS = 2000;
const LOGIT_BINS = 60;

/* From the place of a slider to a threshold and back: by queries, or by log odds. */
function scales(order) {
  const n = order.length,
    steps = Math.min(STEPS, n);
  const cut = (at) =>
    at <= 0
      ? 0
      : at >= n
        ? order[n - 1] < 1
          ? shortest(order[n - 1], 1)
          : 1 + Number.EPSILON
        : shortest(order[at - 1], order[at]);
  const ends = [logit(Math.max(LOGIT_END, order[0])), logit(Math.min(1 - LOGIT_END, order[n - 1]))];
  const span = ends[1] - ends[0] || 1;
  return {
    quantile: {
      text: `quantile: one step moves about ${counted(Math.max(1, Math.round(n / steps)), "query", "queries")}`,
      steps,
      value: (place) => cut(Math.round((place / steps) * n)),
      place: (value) => Math.round((below(order, value) / n) * steps),
    },
    logit: {
      text: "logit: equal steps of log odds",
      steps: STEPS,
      value: (place) => {
        const x = ends[0] + (place / STEPS) * span;
        return place <= 0 ? 0 : Number((1 / (1 + Math.exp(-x))).toPrecision(5));
      },
      place: (value) => Math.round(STEPS * Math.min(1, Math.max(0, (logit(value) - ends[0]) / span))),
    },
  };
}

/* Probabilities by class on a logit axis, counted here: the sliders show which part they move over. */
function scoresFigure(run, now) {
  const { prob, label } = run.column;
  let least = Infinity,
    most = -Infinity;
  for (const p of prob) {
    if (p < least) least = p;
    if (p > most) most = p;
  }
  const x0 = logit(least) - 0.05,
    x1 = logit(most) + 0.05,
    counts = [new Float64Array(LOGIT_BINS), new Float64Array(LOGIT_BINS)];
  for (let q = 0; q < prob.length; q++) {
    const at = Math.floor(((logit(prob[q]) - x0) / (x1 - x0)) * LOGIT_BINS);
    counts[label[q] ? 0 : 1][Math.min(LOGIT_BINS - 1, Math.max(0, at))]++;
  }
  const total = counts.map((each) => each.reduce((a, b) => a + b, 0)),
    tops = counts.map((each, side) => Math.max(0.01, ...each.map((v) => v / (total[side] || 1))));
  const back = (x) => 1 / (1 + Math.exp(-x)),
    edge = (at) => back(x0 + (at / LOGIT_BINS) * (x1 - x0)),
    inside = (p) => Math.min(back(x1), Math.max(back(x0), p));
  const bars = Array.from(counts[0], (_, at) => [
    { x0: edge(at), x1: edge(at + 1), y0: 0, y1: counts[0][at] / (total[0] || 1), cls: fill(run) },
    { x0: edge(at), x1: edge(at + 1), y0: 0, y1: -counts[1][at] / (total[1] || 1), cls: "fg" },
  ]).flat();
  const near = () => logit(inside(now.high)) - logit(inside(now.low)) < 0.12 * (x1 - x0);
  const late = () => logit(inside(now.high)) > x0 + 0.85 * (x1 - x0);
  return chart({
    title: "Predicted probabilities by class, with the thresholds of the sliders",
    wide: true,
    id: "fig-scores",
    plan: () => ({
      height: 230,
      label: "Distribution of the predicted probability with and without evidence, with both thresholds",
      x: {
        scale: "logit",
        domain: [edge(0), edge(LOGIT_BINS)],
        ticks: LOGIT_TICKS,
        name: "Predicted probability of evidence (logit scale)",
      },
      y: {
        domain: [-1.1 * tops[1], tops[0] + 0.16 * (tops[0] + tops[1])], // with room for τ above the bars
        name: "Share of each class (%)",
        format: (v) => short(Math.abs(100 * v)),
      },
      layers: [
        { kind: "zone", cls: "fNEG", x0: edge(0), x1: inside(now.low) },
        { kind: "zone", cls: "fUNCERTAIN", x0: inside(now.low), x1: inside(now.high) },
        { kind: "zone", cls: "fPOS", x0: inside(now.high), x1: edge(LOGIT_BINS) },
        { kind: "bars", bars },
        { kind: "across", cls: "si thin", y: 0 },
        { kind: "down", x: inside(now.low), cls: "swarn dash", text: "τ_neg", side: near() || logit(inside(now.low)) > (x0 + x1) / 2 ? -1 : 1 },
        { kind: "down", x: inside(now.high), cls: "swarn", text: "τ_pos", side: late() ? -1 : 1, row: near() && late() ? 1 : 0 },
      ],
      points: Array.from(counts[0], (n, at) => ({
        x: back(x0 + ((at + 0.5) / LOGIT_BINS) * (x1 - x0)),
        y: n / (total[0] || 1),
        text: `p from ${short(edge(at))} to ${short(edge(at + 1))}\n${whole(n)} with evidence, ${whole(counts[1][at])} without`,
      })),
    }),
    legend: [
      { fill: fill(run), text: `with evidence, n = ${whole(total[0])} (upwards)` },
      { fill: "fg", text: `without, n = ${whole(total[1])} (downwards)` },
      { line: "swarn dash", text: "τ_neg: NEG below" },
      { line: "swarn", text: "τ_pos: POS at or above" },
    ],
    rows: () => ({
      head: ["from", "to", "with evidence", "without"],
      rows: Array.from(counts[0], (n, at) => [short(edge(at)), short(edge(at + 1)), n, counts[1][at]]),
    }),
  });
}

const asSentence = (text) => text[0].toUpperCase() + text.slice(1) + ".";
function presetChoice(run, start, choose) {
  const said = h("p", { class: "note", id: "preset-note" });
  const tell = (preset) => {
    said.textContent = !preset
      ? ""
      : preset.value === null
        ? "On TUNE no threshold keeps this rule and finds anything: nothing is decided positive."
        : `${preset.rule}${preset.words ? ` (${preset.words})` : ""}: ` +
          (preset.folds > 1
            ? `median of ${preset.folds} folds (${preset.range.map((end) => (end === null ? "∞" : short(end))).join(" to ")}); the bundle's own numbers use each fold's threshold. `
            : "") +
          (preset.claims
            ? preset.certified === preset.folds
              ? "Certified on TUNE."
              : `Certified in ${preset.certified} of ${counted(preset.folds, "fold")}.`
            : asSentence(preset.note || "makes no claim beyond TUNE"));
  };
  const words = { low: "moves τ_neg", high: "moves τ_pos", both: "one threshold, no review" };
  const select = h(
    "select",
    {
      id: "preset",
      onchange: () => {
        const preset = run.presets[Number(select.value)];
        if (select.value === "moved") return;
        tell(select.value === "" ? null : preset);
        if (select.value === "") choose(start[0], start[1]);
        else {
          const value = preset.value ?? 1 + Number.EPSILON;
          choose(preset.sets === "high" ? null : value, preset.sets === "low" ? null : value);
        }
      },
    },
    h("option", { value: "" }, run.taus ? "recorded thresholds" : start[0] === 0.5 ? "0.5 (no thresholds recorded)" : "deployment rule"),
    h("option", { value: "moved", hidden: true }, "custom thresholds"),
    run.presets.map((each, at) =>
      h("option", { value: at }, `${each.rule}${each.deployment ? " (deployment rule)" : ""}: ${words[each.sets]}`),
    ),
  );
  /* The preset is no longer in force once a slider moves. */
  const follow = (low, high) => {
    const preset = run.presets[Number(select.value)];
    const chosen = select.value === "" ? start : preset ? [preset.value ?? 1 + Number.EPSILON, preset.value ?? 1 + Number.EPSILON] : [];
    const moves = select.value === "" || !preset ? "both" : preset.sets;
    if ((moves === "high" || low === chosen[0]) && (moves === "low" || high === chosen[1])) return;
    select.value = low === start[0] && high === start[1] ? "" : "moved";
    tell(null);
  };
  return { follow, field: h("label", { class: "field" }, run.presets.length ? "preset, chosen on TUNE" : "preset (no threshold was chosen on TUNE)", select), said };
}

function thresholdsSection(run) {
  if (!run.listed || !run.column.prob) return null;
  const counter_ = counter(run),
    scale = scales(counter_.order),
    rule = run.deployment.kind === "flagged" ? run.presets.find((each) => each.deployment && each.value !== null) : undefined,
    start = run.taus ? run.taus.start : rule ? [rule.value, rule.value] : [0.5, 0.5];
  const now = { low: start[0], high: start[1], scale: "quantile" };
  const cells = new Map(),
    changes = new Map(),
    inputs = {};
  const formats = Object.fromEntries(
    GATE_ROWS.flatMap(([, list]) => list.map(([key, , format]) => [key, format])),
  );
  const unknown = h("p", { class: "note" }),
    copied = h("output", { class: "copy", id: "thresholds-text" });
  const bars = liveBars(run, counter_),
    tables = resultTable(run, counter_, cells, changes),
    prevalence = prevalencePanel(run),
    cost = costPanel(run, () => soon()),
    figure = scoresFigure(run, now);
  const update = () => {
    const made = counter_.at(now.low, now.high);
    preset.follow(now.low, now.high);
    for (const state of ["neg", "uncertain", "pos"])
      made[state + "_none"] = made[state] - made[state + "_evidence"];
    for (const [key, node] of cells) {
      node.textContent = (formats[key] ?? whole)(made[key]);
      node.dataset.value = made[key];
    }
    if (counter_.recorded)
      for (const [key, node] of changes) {
        const gap = made[key] - counter_.recorded[key];
        node.textContent =
          Math.abs(gap) < 1e-12 ? "=" : (gap > 0 ? "+" : "−") + formats[key](Math.abs(gap)).replace("−", "").replace("%", " pp");
      }
    bars.update(made);
    prevalence.update(made);
    cost.update(made, now.low);
    copied.textContent = `tau_neg = ${now.low}\ntau_pos = ${now.high}`;
    unknown.textContent = made.unknown
      ? `The system returned nothing for ${counted(made.unknown, "query that is", "queries that are")} not NEG at these thresholds, so the number of sentences returned is a lower bound.`
      : "";
    figure.redraw();
  };
  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      update();
    });
  };
  const put = () => {
    for (const key of ["low", "high"]) {
      const [range, exact] = inputs[key],
        place = scale[now.scale].place(now[key]);
      if (range !== document.activeElement || scale[now.scale].value(Number(range.value)) !== now[key])
        range.value = place;
      if (exact !== document.activeElement || Number(exact.value) !== now[key]) exact.value = now[key];
      range.setAttribute("aria-valuetext", `${key === "low" ? "τ_neg" : "τ_pos"} = ${short(now[key])}`);
    }
    soon();
  };
  const set = (key, value, quiet) => {
    if (!Number.isFinite(value)) return;
    now[key] = Math.max(0, value);
    if (key === "low" && now.high < now.low) now.high = now.low;
    if (key === "high" && now.low > now.high) now.low = now.high;
    put();
    if (!quiet)
      address.tune({
        low: now.low === start[0] ? null : now.low,
        high: now.high === start[1] ? null : now.high,
      });
  };
  const slider = (key, label, hint) => {
    const range = h("input", {
      type: "range",
      id: "range-" + key,
      min: 0,
      max: scale.quantile.steps,
      step: 1,
      oninput: () => set(key, scale[now.scale].value(Number(range.value))),
      "aria-describedby": "hint-" + key,
    });
    const exact = h("input", {
      type: "number",
      id: "tau-" + key,
      min: 0,
      step: "any",
      "aria-label": label + ", exact value",
      onchange: () => set(key, Number(exact.value)),
    });
    inputs[key] = [range, exact];
    return h(
      "div",
      { class: "slider" },
      h("label", { for: "range-" + key }, label),
      exact,
      range,
      h("span", { class: "hint", id: "hint-" + key }, hint),
    );
  };
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
  const both = (low, high) => {
    if (low !== null) set("low", low);
    if (high !== null) set("high", high);
  };
  const preset = presetChoice(run, start, both);
  const by = h(
    "select",
    {
      id: "scale",
      onchange: () => {
        now.scale = by.value;
        for (const key of ["low", "high"]) inputs[key][0].max = scale[now.scale].steps;
        put();
      },
    },
    Object.entries(scale).map(([key, each]) => h("option", { value: key }, each.text)),
  );
  const back = h("button", { type: "button", class: "plain", onclick: () => both(...start) }, "Reset");
  const sliders = h(
    "div",
    { class: "sliders" },
    slider("low", "τ_neg", "p < τ_neg: NEG, skipped; nothing is returned."),
    slider("high", "τ_pos", "p ≥ τ_pos: POS, an alert. In between: UNCERTAIN, sent to human review."),
  );
  address.follow((values) => {
    const low = number(values.get("low")) ?? start[0],
      high = number(values.get("high")) ?? start[1];
    if (low === now.low && high === now.high) return;
    now.low = Math.max(0, low);
    now.high = Math.max(now.low, high);
    put();
  });
  const brief = (tau) => Number(tau.toPrecision(4)); // to read; what is counted with keeps its digits
  const span = (at) => {
    const values = run.taus.folds.map((each) => each[at]);
    return `${brief(Math.min(...values))} to ${brief(Math.max(...values))}`;
  };
  const origin = !run.taus
    ? rule
      ? `The sliders start at the threshold of the deployment rule ${rule.rule}` + (rule.folds > 1 ? ", the median over folds, and apply to all folds." : ".")
      : run.column.state
        ? "No pair of thresholds explains the recorded states; the sliders start at 0.5."
        : "The system recorded no thresholds; the sliders start at 0.5."
    : run.taus.common
      ? `The recorded states use τ_neg = ${brief(run.taus.common[0])} and τ_pos = ${brief(run.taus.common[1])}.`
      : `The recorded states use thresholds per fold (τ_neg ${span(1)}, τ_pos ${span(2)}); the sliders start at the medians and apply to all folds.`;
  put();
  update();
  return [
    h("p", { class: "warning" }, h("b", {}, "Do not choose thresholds here. "), "The sliders count the evaluated queries (EVAL), so a threshold chosen on them looks better than it is. Choose it on other labelled queries (TUNE, as the presets do) or on new data; explore here."),
    h("p", {}, origin),
    h("div", { class: "row" }, preset.field, h("label", { class: "field" }, "scale of the sliders", by), back),
    preset.said,
    sliders,
    bars.node,
    figure,
    h(
      "div",
      { class: "split" },
      h(
        "div",
        { class: "stack" },
        h("div", { class: "panel" }, tables.numbers, unknown),
        h("div", { class: "panel" }, h("h3", {}, "Thresholds to copy"), copied, h("div", { class: "tools" }, button)),
      ),
      h(
        "div",
        { class: "stack" },
        h("div", { class: "panel" }, h("h3", {}, "States by evidence"), tables.crossed),
        prevalence.node,
        cost.node,
      ),
    ),
  ];
}
