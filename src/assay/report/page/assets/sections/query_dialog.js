/* One query: its ranked sentences, and how it was scored. */
const SHOWN_TEXT = 2000;
function why(run, q) {
  const c = run.column,
    said = [],
    ranks = [];
  for (let at = run.first[q]; at < run.first[q + 1]; at++) if (c.flags[at] & 1) ranks.push(c.rank[at]);
  const outside = (run.missed[q] ?? []).length,
    gold = c.gold[q];
  if (!c.answered[q]) said.push("The system did not answer this query; it counts as a miss.");
  if (!run.counts.candidates) said.push(gold ? "The query has evidence." : "The query has no evidence.");
  else said.push(
    gold === 0
      ? "The query has no evidence: the correct answer is to return nothing, and ranking measures exclude it."
      : `The query has ${counted(gold, "gold " + run.item)}` +
          (ranks.length
            ? `, at ${ranks.length === 1 ? "rank" : "ranks"} ${ranks.join(", ")}`
            : ", none of them ranked") +
          (outside ? `; ${outside} not among the candidates` : "") +
          ".",
  );
  if (c.prob) {
    const parts = [`The system gave p = ${fixed(c.prob[q], 4)}`];
    if (c.state) parts.push(`state ${STATES[c.state[q]]}`);
    if (c.flagged) said.push(`The query is ${run.deployment.actions[c.flagged[q]]}. Operating point: ${run.deployment.point}.`);
    const right = c.prob[q] >= 0.5 === (c.label[q] === 1);
    said.push(
      parts.join(", ") +
        `; at 0.5 that is a ${right ? "true" : "false"} ${c.prob[q] >= 0.5 ? "positive" : "negative"}. Squared error (p − y)² = ${fixed((c.prob[q] - c.label[q]) ** 2, 4)}.`,
    );
  }
  if (c.k) {
    const hits = ranks.filter((rank) => rank <= c.k[q]).length;
    said.push(
      c.k[q] === 0
        ? gold
          ? "Nothing was returned: the evidence is missed and evidence recall is 0."
          : "Nothing was returned, which is correct."
        : (c.k[q] === 1 ? "The first ranked sentence was returned" : `The first ${c.k[q]} ranked sentences were returned`) +
            (gold
              ? `: ${hits} of ${gold} gold (recall ${fixed(hits / gold, 3)}), ${hits} of ${c.k[q]} returned are gold (precision ${fixed(hits / c.k[q], 3)}).`
              : ", but there is no evidence: a false alarm."),
    );
  }
  return said;
}

/* The text with the words that carried the score marked; `words` are [word, contribution]. */
function marked(text, words) {
  if (!words || !words.length) return [text];
  const known = new Map(words.map(([word, by]) => [word.toLowerCase(), by])),
    parts = [];
  let from = 0;
  for (const found of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const by = known.get(found[0].toLowerCase());
    if (by === undefined) continue;
    parts.push(text.slice(from, found.index));
    parts.push(
      h("mark", { class: by !== null && by < 0 ? "against" : null, title: by === null ? "word of the question" : `contribution ${by < 0 ? "−" : "+"}${fixed(Math.abs(by), 3)}` }, found[0]),
    );
    from = found.index + found[0].length;
  }
  parts.push(text.slice(from));
  return parts;
}

function sentence(text, words) {
  const full = seen(text),
    holder = h("span", { class: "sentence", dir: "auto" }, marked(cutTo(full, SHOWN_TEXT), words));
  if (full.length <= SHOWN_TEXT) return holder;
  const more = h(
    "button",
    {
      type: "button",
      class: "link",
      onclick: () => {
        holder.textContent = full;
        more.remove();
      },
    },
    `Show all ${whole(full.length)} characters`,
  );
  return h("span", {}, holder, more);
}


/* The same query in the other runs of the page. */
function othersOf(run, runs, q) {
  const key = queryKey(run, q);
  return runs
    .filter((each) => each !== run && each.listed)
    .map((each) => [each, queryOf(each, key)])
    .filter(([, at]) => at !== null);
}

function factList(run, q) {
  const c = run.column;
  const facts = [
    ["evidence", !c.label[q] ? "no" : run.counts.candidates ? `yes, ${c.gold[q]} gold` : "yes"],
    run.counts.candidates && ["candidates", whole(c.n[q])],
    c.prob && ["probability", fixed(c.prob[q], 4)],
    c.state && ["state", STATES[c.state[q]]],
    c.k && ["selected K", whole(c.k[q])],
    c.fold && ["fold", seen(run.fold_names[c.fold[q]])],
  ].filter(Boolean);
  return h(
    "dl",
    { class: "facts" },
    facts.map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))),
    run.values.map((each, at) =>
      run.value(q, at) === null
        ? null
        : h(
            "div",
            {},
            h("dt", {}, run.measure.has(each) ? define(run, run.measure.get(each)) : each),
            h("dd", {}, fixed(run.value(q, at), 4)),
          ),
    ),
  );
}

/* Three significant digits, with zeros at the end, so that scores are in line. */
const scored = (value) =>
  Math.abs(value) >= 1000 || Math.abs(value) < 0.001 ? short(value) : Number(value).toPrecision(3).replace("-", "−");

/* The ranked sentences, by rank or, where the page has texts, in reading order. */
function rankedTable(run, q) {
  const c = run.column,
    items = run.items[c.post[q]],
    texts = run.texts ? run.texts[c.post[q]] : null,
    places = run.positions ? run.positions[c.post[q]] : null,
    words = new Map();
  for (const [item, word, by] of run.words?.[q] ?? []) words.set(item, [...(words.get(item) ?? []), [word, by]]);
  const body = h("tbody"),
    rows = [];
  for (let at = run.first[q]; at < run.first[q + 1]; at++) {
    const gold = c.flags[at] & 1,
      returned = c.flags[at] & 2,
      item = c.item[at];
    rows.push({
      rank: c.rank[at],
      read: places ? places[item] : c.rank[at],
      node: h(
        "tr",
        { class: [gold ? "gold" : "", returned ? "returned" : ""].join(" ").trim() || null },
        h("th", { scope: "row", class: "num" }, whole(c.rank[at])),
        h("td", {}, name(items[item], 120), texts ? sentence(texts[item], words.get(item)) : null),
        h("td", { class: "num" }, scored(c.score[at])),
        h(
          "td",
          {},
          gold ? h("span", { class: "chip good" }, c.grade ? `gold, grade ${short(c.grade[at])}` : "gold") : "",
          gold && returned ? " " : "",
          returned ? h("span", { class: "chip POS" }, "returned") : "",
        ),
      ),
    });
  }
  if (!run.counts.candidates) return null;
  if (!rows.length) return h("p", { class: "note" }, `There are no ranked ${run.item}s.`);
  const order = (key) => body.replaceChildren(...rows.sort((a, b) => a[key] - b[key]).map((row) => row.node));
  order("rank");
  return [
    places
      ? h(
          "label",
          { class: "field order" },
          "order of the sentences",
          h(
            "select",
            { id: "sentence-order", onchange: (event) => order(event.target.value) },
            h("option", { value: "rank" }, "by rank"),
            h("option", { value: "read" }, "as they are read"),
          ),
        )
      : null,
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": `Ranked ${run.item}s` },
      h(
        "table",
        { id: "ranked" },
        h(
          "caption",
          {},
          run.texts
            ? "Ranked sentences" + (words.size ? "; marked words carried the score of the first sentence" : "")
            : run.item === "item"
              ? "Ranked items"
              : "Ranked sentences; the page has their texts only with `assay report --with-text`",
        ),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["rank", run.item, "score", "marks"].map((each, at) =>
              h("th", { scope: "col", class: at === 0 || at === 2 ? "num" : null }, each),
            ),
          ),
        ),
        body,
      ),
    ),
  ];
}

function queryContent(run, runs, q, list, close) {
  const c = run.column,
    place = list.indexOf(q),
    items = run.items[c.post[q]],
    texts = run.texts ? run.texts[c.post[q]] : null;
  const left = (run.missed[q] ?? []).map((code) =>
    h("li", {}, name(items[code], 120), texts ? sentence(texts[code]) : null),
  );
  const others = othersOf(run, runs, q),
    asked = run.criterion_texts && run.criterion_texts[run.criterion(q)],
    text = asked === run.criterion(q) ? null : asked;
  const step = (by) =>
    h(
      "button",
      {
        type: "button",
        class: "plain",
        "data-step": by,
        disabled: place < 0 || list[place + by] === undefined,
        onclick: () => {
          openQuery(run, runs, list[place + by], list);
          byId("query").querySelector(`[data-step="${by}"]:enabled`)?.focus(); // to step on with the keyboard
          address.tune({ query: queryKey(run, list[place + by]) });
        },
      },
      by < 0 ? "Previous" : "Next",
    );
  return h(
    "div",
    { class: "inside" },
    h(
      "div",
      { class: "head" },
      h(
        "h2",
        { id: "query-title" },
        name(run.post(q), 120),
        run.part(q) === "" ? null : [" · ", name(run.part(q), 120)],
      ),
      h("div", { class: "tools" }, step(-1), step(1), close),
    ),
    text ? h("p", { class: "note" }, sentence(text)) : null,
    factList(run, q),
    h("h3", {}, "How it was scored"),
    h(
      "ul",
      { class: "why" },
      why(run, q).map((each) => h("li", {}, each)),
    ),
    others.length
      ? [
          h("h3", {}, "In the other runs"),
          h(
            "ul",
            { class: "why" },
            others.map(([each, at]) =>
              h(
                "li",
                {},
                name(each.name, 60),
                ": ",
                [
                  each.column.prob && `p ${fixed(each.column.prob[at], 4)}`,
                  each.column.state && STATES[each.column.state[at]],
                  each.column.k && `K ${each.column.k[at]}`,
                  each.values.length &&
                    each.value(at, 0) !== null &&
                    `${each.values[0]} ${fixed(each.value(at, 0), 3)}`,
                ]
                  .filter(Boolean)
                  .join(", "),
              ),
            ),
          ),
        ]
      : null,
    rankedTable(run, q),
    run.depth && c.n[q] > c.listed[q]
      ? h(
          "p",
          { class: "note" },
          `The page lists the top ${run.depth} candidates per query and all ranked gold ${run.item}s; ${whole(c.n[q] - c.listed[q])} are not listed.`,
        )
      : null,
    left.length
      ? [h("h3", {}, `Gold ${run.item}s that were not among the candidates`), h("ul", { class: "why" }, left)]
      : null,
  );
}

/* Open a query, or show another one in the dialog that is open. */
function openQuery(run, runs, q, list) {
  hideTip();
  const open = byId("query"),
    box = open ?? h("dialog", { id: "query", "aria-labelledby": "query-title" });
  const close = h("button", { type: "button", class: "plain", onclick: () => box.close() }, "Close");
  box.replaceChildren(queryContent(run, runs, q, list, close));
  box.scrollTop = 0;
  box.dataset.shown = q;
  if (open) {
    close.focus();
    return;
  }
  box.addEventListener("close", () => {
    const opener = document.querySelector(`[data-query="${box.dataset.shown}"]`);
    box.remove();
    if (address.values.has("query")) address.step({ query: null });
    if (opener) opener.focus();
  });
  box.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by && !event.target.closest("select, .scroll")) box.querySelector(`[data-step="${by}"]`)?.click();
  });
  document.body.append(box);
  box.showModal();
  close.focus();
}
function closeQuery() {
  const open = byId("query");
  if (open) open.close();
}
