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
  said.push(
    gold === 0
      ? "The query has no evidence: the correct answer is to return nothing, and ranking measures exclude it."
      : `The query has ${counted(gold, "gold sentence")}` +
          (ranks.length
            ? `, at ${ranks.length === 1 ? "rank" : "ranks"} ${ranks.join(", ")}`
            : ", none of them ranked") +
          (outside ? `; ${outside} not among the candidates` : "") +
          ".",
  );
  if (c.prob) {
    const parts = [`The system gave p = ${fixed(c.prob[q], 4)}`];
    if (c.state) parts.push(`state ${STATES[c.state[q]]}`);
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
        : `The first ${c.k[q]} ranked ${c.k[q] === 1 ? "sentence was" : "sentences were"} returned` +
            (gold
              ? `: ${hits} of ${gold} gold (recall ${fixed(hits / gold, 3)}), ${hits} of ${c.k[q]} returned are gold (precision ${fixed(hits / c.k[q], 3)}).`
              : ", but there is no evidence: a false alarm."),
    );
  }
  return said;
}

function sentence(text) {
  const full = seen(text),
    holder = h("span", { class: "sentence", dir: "auto" }, cutTo(full, SHOWN_TEXT));
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

function openQuery(run, runs, q, list) {
  const c = run.column,
    old = byId("query"),
    place = list.indexOf(q);
  if (old) old.remove();
  const items = run.items[c.post[q]],
    texts = run.texts ? run.texts[c.post[q]] : null,
    ranked = [];
  let top = -Infinity,
    least = Infinity;
  for (let at = run.first[q]; at < run.first[q + 1]; at++) {
    top = Math.max(top, c.score[at]);
    least = Math.min(least, c.score[at]);
  }
  for (let at = run.first[q]; at < run.first[q + 1]; at++) {
    const gold = c.flags[at] & 1,
      returned = c.flags[at] & 2;
    ranked.push(
      h(
        "tr",
        { class: [gold ? "gold" : "", returned ? "returned" : ""].join(" ").trim() || null },
        h("th", { scope: "row", class: "num" }, whole(c.rank[at])),
        h("td", {}, name(items[c.item[at]], 120), texts ? sentence(texts[c.item[at]]) : null),
        h("td", { class: "num" }, short(c.score[at])),
        h(
          "td",
          {},
          gold
            ? h("span", { class: "chip good" }, c.grade ? `gold, grade ${short(c.grade[at])}` : "gold")
            : "",
        ),
        h("td", {}, returned ? h("span", { class: "chip POS" }, "returned") : ""),
      ),
    );
  }
  const left = (run.missed[q] ?? []).map((code) =>
    h("li", {}, name(items[code], 120), texts ? sentence(texts[code]) : null),
  );
  const facts = [
    ["evidence", c.label[q] ? `yes, ${c.gold[q]} gold` : "no"],
    ["candidates", whole(c.n[q])],
    c.prob && ["probability", fixed(c.prob[q], 4)],
    c.state && ["state", STATES[c.state[q]]],
    c.k && ["selected K", whole(c.k[q])],
    c.fold && ["fold", seen(run.fold_names[c.fold[q]])],
  ].filter(Boolean);
  const others = runs
    .filter((each) => each !== run)
    .map((each) => [each, each.posts.indexOf(run.post(q))])
    .filter(([, post]) => post >= 0)
    .map(([each, post]) => {
      for (let at = 0; at < each.size; at++)
        if (each.column.post[at] === post && each.criterion(at) === run.criterion(q)) return [each, at];
      return null;
    })
    .filter(Boolean);
  const text = run.criterion_texts && run.criterion_texts[run.criterion(q)];
  const step = (by) =>
    h(
      "button",
      {
        type: "button",
        class: "plain",
        disabled: place < 0 || (!list[place + by] && list[place + by] !== 0),
        onclick: () => openQuery(run, runs, list[place + by], list),
      },
      by < 0 ? "Previous" : "Next",
    );
  const close = h("button", { type: "button", class: "plain", onclick: () => box.close() }, "Close");
  const box = h(
    "dialog",
    { id: "query", "aria-labelledby": "query-title" },
    h(
      "div",
      { class: "inside" },
      h(
        "div",
        { class: "head" },
        h(
          "h2",
          { id: "query-title" },
          name(run.post(q), 120),
          run.criterion_names ? [" · ", name(run.criterion(q), 120)] : null,
        ),
        h("div", { class: "tools" }, step(-1), step(1), close),
      ),
      text ? h("p", { class: "note" }, sentence(text)) : null,
      h(
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
      ),
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
      ranked.length
        ? h(
            "div",
            { class: "scroll", tabindex: "0", role: "group", "aria-label": "Ranked sentences" },
            h(
              "table",
              { id: "ranked" },
              h(
                "caption",
                {},
                run.texts
                  ? "Ranked sentences"
                  : "Ranked sentences; the page has their texts only with `assay report --with-text`",
              ),
              h(
                "thead",
                {},
                h(
                  "tr",
                  {},
                  ["rank", "sentence", "score", "gold", "returned"].map((each, at) =>
                    h("th", { scope: "col", class: at === 0 || at === 2 ? "num" : null }, each),
                  ),
                ),
              ),
              h("tbody", {}, ranked),
            ),
          )
        : h("p", { class: "note" }, "There are no ranked sentences."),
      run.depth && c.n[q] > c.listed[q]
        ? h(
            "p",
            { class: "note" },
            `The page lists the top ${run.depth} candidates per query and all ranked gold sentences; ${whole(c.n[q] - c.listed[q])} are not listed.`,
          )
        : null,
      left.length
        ? [h("h3", {}, "Gold sentences that were not among the candidates"), h("ul", { class: "why" }, left)]
        : null,
    ),
  );
  box.addEventListener("close", () => {
    const opener = document.querySelector(`[data-query="${q}"]`);
    box.remove();
    byId("tip").hidden = true;
    document.body.append(byId("tip"));
    if (opener) opener.focus();
  });
  document.body.append(box);
  box.append(byId("tip")); // a modal dialog hides everything outside it
  box.showModal();
  close.focus();
}
