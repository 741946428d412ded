/* Quality: four large cards and the rest small, by importance for the contract, against baselines. */
const shownValue = (m) => m.bound ?? fixed(m.value, m.digits) + (m.convention ? "*" : "");
const sizeOf = (m) => (m.n === null ? "" : `n\u00a0=\u00a0${whole(m.n)}`);
const LARGE = 4;

function targetChip(run, measure) {
  const target = run.targets[measure.name];
  if (!target) return null;
  const words = `target ${SIGNS[target[0]]} ${target[1]}`;
  if (measure.convention) return h("span", { class: "chip" }, words + ": not applicable");
  if (measure.bound) return h("span", { class: "chip" }, words + ": value hidden");
  return meets(target, measure.value)
    ? h("span", { class: "chip good" }, words + " met")
    : h("span", { class: "chip bad" }, words + " missed");
}

function card(run, m, large) {
  const definition = run.definitions[m.definition];
  return h(
    "li",
    { class: "card" + (large ? " large" : ""), "data-measure": m.name },
    h("span", { class: "what" }, define(run, m, definition.title + arrow(m))),
    h("span", { class: "id" }, m.name, definition.operating ? h("span", { class: "point" }, ` ${definition.operating}`) : null),
    h("span", { class: "big" }, shownValue(m)),
    h(
      "span",
      { class: "ci" },
      [interval(m), m.std === null ? null : `± ${fixed(m.std, m.digits)}`].filter(Boolean).join(" ").replaceAll(", ", ",\u00a0"),
      m.std !== null ? h("br") : interval(m) ? " · " : null, // on its own line in every card, so that the scales are in line
      sizeOf(m),
    ),
    large ? miniScale(run, m) : null,
    targetChip(run, m),
  );
}

function baselineTable(run, shown) {
  const there = shown.filter((m) => run.baselines.some((each) => typeof each.values[m.name] === "number"));
  if (!there.length) return null;
  const own = { title: run.name, values: Object.fromEntries(run.measures.map((m) => [m.name, m.value])), own: true };
  return table(
    ["system", ...there.map((m) => m.name + arrow(m))],
    [own, ...run.baselines].map((each) => ({
      cls: each.own ? "own" : null,
      cells: [
        each.own ? h("b", {}, name(each.title, 60)) : h("span", { title: each.text ?? null }, name(each.title ?? each.name, 60)),
        ...there.map((m) => {
          const value = each.values[m.name];
          const beats = !each.own && each.name !== "oracle" && typeof value === "number" && m.value !== null && worse(m, m.value, value);
          return h("span", { class: beats ? "beats" : null }, each.own && m.bound ? m.bound : fixed(value, Math.min(4, m.digits)) + (beats ? " ▲" : ""));
        }),
      ],
    })),
    "The system and its baselines on the same queries; ▲ marks a baseline that is better." +
      (run.baselines.some((each) => each.name === "oracle") ? " The oracle knows the gold labels." : ""),
  );
}
const TRIVIAL = ["ece"]; // one probability for every query makes these perfect
const worse = (m, value, other) =>
  TRIVIAL.includes(m.name) ? false : m.better === "higher" ? value < other : m.better === "lower" ? value > other : false;

function notesOf(run) {
  const counts = run.counts;
  const notes = [];
  const set = run.measures.filter((m) => m.convention);
  if (run.unanswered) notes.push(run.unanswered);
  if (counts.left_out)
    notes.push(`${counted(counts.left_out, "query", "queries")} of the run excluded: no judgements.`);
  if (counts.excluded)
    notes.push(`${counted(counts.excluded, "query", "queries")} excluded with their criteria.`);
  if (set.length)
    notes.push(
      `${counted(set.length, "value is", "values are")} set by convention (marked *): ${set
        .slice(0, 6)
        .map((m) => m.name)
        .join(", ")}${set.length > 6 ? " …" : ""}.`,
    );
  const tied = run.measures.filter((m) => m.ties);
  if (tied.length)
    notes.push(
      `Tie order affects ${counted(tied.length, "measure")}, on up to ${counted(Math.max(...tied.map((m) => m.ties)), "query", "queries")}.`,
    );
  if (Object.keys(run.absent).length)
    notes.push(
      `${counted(Object.keys(run.absent).length, "measure")} of the contract not available: ${[...new Set(Object.values(run.absent))].join("; ")}.`,
    );
  for (const [key, wanted] of Object.entries(run.unexpected))
    notes.push(`The contract expects ${whole(wanted)} ${key}; these data have ${whole(counts[key])}.`);
  if (!Object.keys(run.targets).length) notes.push("No value is compared with a target.");
  if (run.measures.some((m) => m.exact_shown))
    notes.push("† Exact (Clopper–Pearson) bounds by post, because all resamples give the same value.");
  const beyond = run.measures.filter(outside);
  if (beyond.length)
    notes.push(
      `‡ The value is outside its interval (${beyond.slice(0, 4).map((m) => m.name).join(", ")}${beyond.length > 4 ? ", …" : ""}): resampling adds noise, which shifts this measure. Read the width of the interval, not its ends.`,
    );
  if (run.measures.some((m) => m.no_spread))
    notes.push("No spread: all resamples give the same value, so there is no interval.");
  if (!run.bootstrap) notes.push("This result has no intervals: run `assay evaluate` with --ci to get them.");
  return notes;
}

function qualitySection(run) {
  const shown = run.headlines
    .map((key) => run.measure.get(key))
    .filter((m) => !PROMISED.includes(m.name) || !run.deployment)
    .filter((m, at) => at < 2 * LARGE || run.targets[m.name]);
  const baselines = run.baselines.length ? baselineTable(run, shown) : null,
    large = shown.slice(0, LARGE),
    notes = notesOf(run);
  const scales = [
    "● value",
    run.bootstrap ? `[ , ] and bar: ${fixed(100 * run.bootstrap.level, 0)}% interval` : null,
    shown.some((m) => m.std !== null) ? "± standard deviation over folds" : null,
    large.some((m) => run.targets[m.name]) ? "▼ target" : null,
    baselines ? "ticks: the baselines in the table" : null,
  ].filter(Boolean);
  return [
    h(
      "ul",
      { class: "cards main" },
      large.map((m) => card(run, m, true)),
    ),
    shown.length > LARGE
      ? h(
          "ul",
          { class: "cards rest" },
          shown.slice(LARGE).map((m) => card(run, m, false)),
        )
      : null,
    h("p", { class: "note key" }, scales.join("; ") + "."),
    baselines,
    h("ul", { class: "notes onpaper" }, notes.filter((each) => /[†‡*]|No spread/.test(each)).map((each) => h("li", {}, each))),
    notes.length
      ? h(
          "details",
          { class: "notes-fold", id: "notes" },
          h("summary", {}, `Notes (${notes.length})`),
          h(
            "ul",
            { class: "notes" },
            notes.map((each) => h("li", {}, each)),
          ),
        )
      : null,
  ];
}
