/* The three states at any τ_neg and τ_pos, counted as the sliders move. */
function below(sorted, limit) {
  // number of values below the limit
  let low = 0,
    high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function counter(run) {
  const { prob, label, k, state, flagged } = run.column,
    decided = state ?? flagged?.map((yes) => 2 * yes); // a flag is an alert: nothing is reviewed
  const yes = prob.filter((_, at) => label[at] === 1).sort(),
    no = prob.filter((_, at) => label[at] === 0).sort();
  const order = Float64Array.from(prob).sort(),
    sums = new Float64Array(run.size + 1),
    zeros = new Int32Array(run.size + 1);
  if (k) {
    // K is summed up to each place of the order; equal probabilities are at the first place of theirs
    for (let query = 0; query < run.size; query++) {
      const at = below(order, prob[query]) + 1;
      sums[at] += k[query];
      zeros[at] += k[query] === 0;
    }
    for (let at = 1; at <= run.size; at++) {
      sums[at] += sums[at - 1];
      zeros[at] += zeros[at - 1];
    }
  }
  const figures = (y, n, extra) => {
    const size = run.size,
      positives = yes.length,
      all = y.map((each, at) => each + n[at]);
    const share = (a, b) => (b ? a / b : 0);
    return {
      neg: all[0],
      uncertain: all[1],
      pos: all[2],
      neg_evidence: y[0],
      uncertain_evidence: y[1],
      pos_evidence: y[2],
      neg_rate: share(all[0], size),
      uncertain_rate: share(all[1], size),
      pos_rate: share(all[2], size),
      screening_sensitivity: share(y[1] + y[2], positives),
      screening_miss_rate: share(y[0], positives),
      screening_fn_per_1000: share(1000 * y[0], size),
      npv: share(n[0], all[0]),
      screening_fpr: share(n[1] + n[2], no.length),
      alert_precision: share(y[2], all[2]),
      alert_sensitivity: share(y[2], positives),
      alert_rate_per_1000: share(1000 * all[2], size),
      workload_per_1000: share(1000 * (all[1] + all[2]), size),
      fn: y[0],
      fp: n[2],
      ...extra,
    };
  };
  const at = (low, high) => {
    const y0 = below(yes, low),
      n0 = below(no, low),
      y1 = below(yes, high),
      n1 = below(no, high),
      cut = below(order, low);
    return figures(
      [y0, y1 - y0, yes.length - y1],
      [n0, n1 - n0, no.length - n1],
      k ? { sentences: sums[run.size] - sums[cut], unknown: zeros[run.size] - zeros[cut] } : {},
    );
  };
  const recorded = () => {
    const y = [0, 0, 0],
      n = [0, 0, 0];
    let sentences = 0;
    for (let query = 0; query < run.size; query++) {
      (label[query] ? y : n)[decided[query]]++;
      if (k) sentences += k[query];
    }
    return figures(y, n, k ? { sentences, unknown: 0 } : {});
  };
  return { at, order, recorded: decided ? recorded() : null };
}

const GATE_ROWS = [
  [
    "Workload",
    [
      ["neg_rate", "Skipped (NEG)", percent],
      ["uncertain_rate", "Sent to human review (UNCERTAIN)", percent],
      ["pos_rate", "Alerted (POS)", percent],
      ["workload_per_1000", "Reviews and alerts per 1,000 queries", (v) => fixed(v, 1)],
      ["sentences", "Sentences returned", whole],
    ],
  ],
  [
    "Screening: how much evidence is skipped?",
    [
      ["screening_sensitivity", "Screening sensitivity", (v) => percent(v, 2)],
      ["screening_fn_per_1000", "Missed evidence per 1,000 queries", (v) => fixed(v, 2)],
      ["screening_miss_rate", "Queries with evidence missed (FNR)", (v) => percent(v, 2)],
      ["npv", "Correctly skipped (NPV)", (v) => percent(v, 2)],
    ],
  ],
  [
    "Alerts: can they be trusted?",
    [
      ["alert_precision", "Alert precision", (v) => percent(v, 2)],
      ["alert_sensitivity", "Queries with evidence alerted", (v) => percent(v, 2)],
      ["alert_rate_per_1000", "Alerts per 1,000 queries", (v) => fixed(v, 1)],
    ],
  ],
];
