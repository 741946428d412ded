/* The list of queries, and one query with its ranked sentences. */
const PAGE = 50;
const SHOWN_TEXT = 2000;

function queriesSection(run, runs) {
  const c = run.column, state = { show: "all", criterion: "", state: "", text: "", sort: null, page: 0 };
  const main = run.values[0], recallAt = run.values.indexOf("evidence_recall");
  const missed = (q) => c.label[q] === 1 && (run.returns(q) === null ? run.value(q, 0) === 0 : !run.returns(q));
  const alarm = (q) => c.label[q] === 0 && run.returns(q) === true;
  const shows = { all: ["all queries", () => true], missed: [c.k || c.state || c.prob ? "missed evidence" : "nothing found", missed], alarms: ["false alarms", alarm], worst: main ? ["worst " + main, (q) => c.label[q] === 1 && run.value(q, 0) !== null] : null, evidence: ["with evidence", (q) => c.label[q] === 1], none: ["without evidence", (q) => c.label[q] === 0] };
  if (!c.prob && !c.k) delete shows.alarms;
  if (!main) delete shows.worst;
  const columns = [
    { name: "query", key: (q) => run.title(q), cell: (q) => h("button", { type: "button", class: "link", "data-query": q, onclick: () => openQuery(run, runs, q, found) }, name(run.post(q), 60), run.criterion_names ? [" · ", name(run.criterion(q), 60)] : null) },
    { name: "gold", num: true, key: (q) => c.gold[q], cell: (q) => whole(c.gold[q]) },
    c.prob && { name: "probability", num: true, key: (q) => c.prob[q], cell: (q) => fixed(c.prob[q], 4) },
    c.state && { name: "state", key: (q) => c.state[q], cell: (q) => h("span", { class: "chip " + STATES[c.state[q]] }, STATES[c.state[q]]) },
    c.k && { name: "K", num: true, key: (q) => c.k[q], cell: (q) => whole(c.k[q]) },
    main && { name: main, num: true, key: (q) => run.value(q, 0), cell: (q) => fixed(run.value(q, 0), 3) },
    recallAt > 0 && { name: "evidence recall", num: true, key: (q) => run.value(q, recallAt), cell: (q) => fixed(run.value(q, recallAt), 3) },
    c.fold && { name: "fold", key: (q) => c.fold[q], cell: (q) => name(run.fold_names[c.fold[q]], 12) },
  ].filter(Boolean);
  let found = [];
  const body = h("tbody"), heads = columns.map((column, at) => h("th", { scope: "col", class: column.num ? "num" : null }, h("button", { type: "button", onclick: () => { state.sort = state.sort && state.sort.at === at ? { at, way: -state.sort.way } : { at, way: column.num ? -1 : 1 }; look(); } }, column.name)));
  const info = h("span", { role: "status" }), back = h("button", { type: "button", class: "plain", onclick: () => { state.page--; fill(); } }, "Previous"), on = h("button", { type: "button", class: "plain", onclick: () => { state.page++; fill(); } }, "Next");
  const fill = () => {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    state.page = Math.max(0, Math.min(pages - 1, state.page));
    const part = found.slice(state.page * PAGE, (state.page + 1) * PAGE);
    body.replaceChildren(...part.map((q) => h("tr", {}, columns.map((column, at) => h(at ? "td" : "th", { scope: at ? null : "row", class: column.num ? "num" : null }, column.cell(q))))));
    info.textContent = found.length ? `${whole(found.length)} of ${whole(run.size)} queries, page ${state.page + 1} of ${pages}` : `none of ${whole(run.size)} queries`;
    back.disabled = state.page === 0; on.disabled = state.page >= pages - 1;
    heads.forEach((head, at) => (state.sort && state.sort.at === at ? head.setAttribute("aria-sort", state.sort.way > 0 ? "ascending" : "descending") : head.removeAttribute("aria-sort")));
  };
  const within = (q, text) => {
    if (run.title(q).toLowerCase().includes(text)) return true;
    const items = run.items[c.post[q]];
    for (let at = run.first[q]; at < run.first[q + 1]; at++) {
      if (items[c.item[at]].toLowerCase().includes(text)) return true;
      if (run.texts && run.texts[c.post[q]][c.item[at]].toLowerCase().includes(text)) return true;
    }
    return false;
  };
  const look = () => {
    const keep = shows[state.show][1], text = state.text.toLowerCase(), criterion = state.criterion === "" ? -1 : Number(state.criterion), wanted = state.state === "" ? -1 : Number(state.state);
    found = [];
    for (let q = 0; q < run.size; q++) if (keep(q) && (criterion < 0 || c.criterion[q] === criterion) && (wanted < 0 || c.state[q] === wanted) && (!text || within(q, text))) found.push(q);
    const sort = state.sort ?? (state.show === "worst" ? { at: columns.findIndex((each) => each.name === main), way: 1 } : null);
    if (sort) { const key = columns[sort.at].key; found.sort((a, b) => { const x = key(a), y = key(b); return x === y ? a - b : x === null ? 1 : y === null ? -1 : (x < y ? -1 : 1) * sort.way; }); }
    state.page = 0;
    fill();
  };
  const choice = (label, id, list, act) => h("label", { class: "field" }, label, h("select", { id, onchange: (event) => { act(event.target.value); look(); } }, list.map(([value, text]) => h("option", { value }, cutTo(seen(text), 60)))));
  let pause = 0;
  const controls = h("div", { class: "row" },
    h("label", { class: "field" }, run.texts ? "search posts, criteria, sentences" : "search posts, criteria, sentence ids", h("input", { type: "search", id: "search", oninput: (event) => { clearTimeout(pause); const text = event.target.value; pause = setTimeout(() => { state.text = text; look(); }, 120); } })),
    choice("show", "show", Object.entries(shows).filter(([, each]) => each).map(([key, [text]]) => [key, text]), (value) => { state.show = value; state.sort = null; }),
    run.criterion_names ? choice("criterion", "by-criterion", [["", "all"], ...run.criterion_names.map((text, at) => [String(at), text])], (value) => { state.criterion = value; }) : null,
    c.state ? choice("state", "by-state", [["", "all"], ...STATES.map((text, at) => [String(at), text])], (value) => { state.state = value; }) : null);
  look();
  return [h("p", {}, "Choose a query to see its ranking, and why it was scored so."), controls,
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table of queries" }, h("table", { id: "query-table" }, h("caption", { class: "unseen" }, "Queries"), h("thead", {}, h("tr", {}, heads)), body)),
    h("div", { class: "pager" }, back, on, info)];
}

function why(run, q) {
  const c = run.column, said = [], ranks = [];
  for (let at = run.first[q]; at < run.first[q + 1]; at++) if (c.flags[at] & 1) ranks.push(c.rank[at]);
  const outside = (run.missed[q] ?? []).length, gold = c.gold[q];
  if (!c.answered[q]) said.push("The system did not answer this query; it counts as a miss.");
  said.push(gold === 0 ? "It has no evidence: the right answer is to return nothing, and ranking measures leave it out." : `It has ${gold} gold ${gold === 1 ? "sentence" : "sentences"}` + (ranks.length ? `, at ${ranks.length === 1 ? "rank" : "ranks"} ${ranks.join(", ")}` : ", none of them ranked") + (outside ? `; ${outside} not among the candidates` : "") + ".");
  if (c.prob) {
    const parts = [`The gate says p = ${fixed(c.prob[q], 4)}`];
    if (c.state) parts.push(`state ${STATES[c.state[q]]}`);
    const right = (c.prob[q] >= 0.5) === (c.label[q] === 1);
    said.push(parts.join(", ") + `; at 0.5 that is a ${right ? "true" : "false"} ${c.prob[q] >= 0.5 ? "positive" : "negative"}. Squared error (p − y)² = ${fixed((c.prob[q] - c.label[q]) ** 2, 4)}.`);
  }
  if (c.k) {
    const hits = ranks.filter((rank) => rank <= c.k[q]).length;
    said.push(c.k[q] === 0 ? (gold ? "Nothing was returned: the evidence is missed, evidence recall is 0." : "Nothing was returned, rightly.") : `The first ${c.k[q]} ranked ${c.k[q] === 1 ? "sentence was" : "sentences were"} returned` + (gold ? `: ${hits} of ${gold} gold (recall ${fixed(hits / gold, 3)}), ${hits} of ${c.k[q]} returned are gold (precision ${fixed(hits / c.k[q], 3)}).` : ", though there is no evidence: a false alarm."));
  }
  return said;
}

function sentence(text) {
  const full = seen(text), holder = h("span", { class: "sentence", dir: "auto" }, cutTo(full, SHOWN_TEXT));
  if (full.length <= SHOWN_TEXT) return holder;
  const more = h("button", { type: "button", class: "link", onclick: () => { holder.textContent = full; more.remove(); } }, `Show all ${whole(full.length)} characters`);
  return h("span", {}, holder, more);
}

function openQuery(run, runs, q, list) {
  const c = run.column, old = byId("query"), place = list.indexOf(q);
  if (old) old.remove();
  const items = run.items[c.post[q]], texts = run.texts ? run.texts[c.post[q]] : null, ranked = [];
  let top = -Infinity, least = Infinity;
  for (let at = run.first[q]; at < run.first[q + 1]; at++) { top = Math.max(top, c.score[at]); least = Math.min(least, c.score[at]); }
  for (let at = run.first[q]; at < run.first[q + 1]; at++) {
    const gold = c.flags[at] & 1, returned = c.flags[at] & 2;
    ranked.push(h("tr", { class: [gold ? "gold" : "", returned ? "returned" : ""].join(" ").trim() || null }, h("th", { scope: "row", class: "num" }, whole(c.rank[at])), h("td", {}, name(items[c.item[at]], 120), texts ? sentence(texts[c.item[at]]) : null), h("td", { class: "num" }, short(c.score[at])), h("td", {}, gold ? h("span", { class: "chip good" }, c.grade ? `gold, grade ${short(c.grade[at])}` : "gold") : ""), h("td", {}, returned ? h("span", { class: "chip POS" }, "returned") : "")));
  }
  const left = (run.missed[q] ?? []).map((code) => h("li", {}, name(items[code], 120), texts ? sentence(texts[code]) : null));
  const facts = [["evidence", c.label[q] ? `yes, ${c.gold[q]} gold` : "no"], ["candidates", whole(c.n[q])], c.prob && ["probability", fixed(c.prob[q], 4)], c.state && ["state", STATES[c.state[q]]], c.k && ["selected K", whole(c.k[q])], c.fold && ["fold", seen(run.fold_names[c.fold[q]])]].filter(Boolean);
  const others = runs.filter((each) => each !== run).map((each) => [each, each.posts.indexOf(run.post(q))]).filter(([, post]) => post >= 0).map(([each, post]) => { for (let at = 0; at < each.size; at++) if (each.column.post[at] === post && each.criterion(at) === run.criterion(q)) return [each, at]; return null; }).filter(Boolean);
  const text = run.criterion_texts && run.criterion_texts[run.criterion(q)];
  const step = (by) => h("button", { type: "button", class: "plain", disabled: place < 0 || !list[place + by] && list[place + by] !== 0, onclick: () => openQuery(run, runs, list[place + by], list) }, by < 0 ? "Previous" : "Next");
  const close = h("button", { type: "button", class: "plain", onclick: () => box.close() }, "Close");
  const box = h("dialog", { id: "query", "aria-labelledby": "query-title" }, h("div", { class: "inside" },
    h("div", { class: "head" }, h("h2", { id: "query-title" }, name(run.post(q), 120), run.criterion_names ? [" · ", name(run.criterion(q), 120)] : null), h("div", { class: "tools" }, step(-1), step(1), close)),
    text ? h("p", { class: "note" }, sentence(text)) : null,
    h("dl", { class: "facts" }, facts.map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))), run.values.map((each, at) => (run.value(q, at) === null ? null : h("div", {}, h("dt", {}, run.measure.has(each) ? define(run, run.measure.get(each)) : each), h("dd", {}, fixed(run.value(q, at), 4)))))),
    h("h3", {}, "Why it was scored so"), h("ul", { class: "why" }, why(run, q).map((each) => h("li", {}, each))),
    others.length ? [h("h3", {}, "In the other runs"), h("ul", { class: "why" }, others.map(([each, at]) => h("li", {}, name(each.name, 60), ": ", [each.column.prob && `p ${fixed(each.column.prob[at], 4)}`, each.column.state && STATES[each.column.state[at]], each.column.k && `K ${each.column.k[at]}`, each.values.length && each.value(at, 0) !== null && `${each.values[0]} ${fixed(each.value(at, 0), 3)}`].filter(Boolean).join(", "))))] : null,
    ranked.length ? h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Ranked sentences" }, h("table", { id: "ranked" }, h("caption", {}, run.texts ? "Ranked sentences" : "Ranked sentences; their texts are in the page only with --with-text"), h("thead", {}, h("tr", {}, ["rank", "sentence", "score", "gold", "returned"].map((each, at) => h("th", { scope: "col", class: at === 0 || at === 2 ? "num" : null }, each)))), h("tbody", {}, ranked))) : h("p", { class: "note" }, "There are no ranked sentences."),
    run.depth && c.n[q] > c.listed[q] ? h("p", { class: "note" }, `The page has the first ${run.depth} candidates of each query and every ranked gold one; ${whole(c.n[q] - c.listed[q])} are not listed.`) : null,
    left.length ? [h("h3", {}, "Gold that was not among the candidates"), h("ul", { class: "why" }, left)] : null));
  box.addEventListener("close", () => { const opener = document.querySelector(`[data-query="${q}"]`); box.remove(); byId("tip").hidden = true; document.body.append(byId("tip")); if (opener) opener.focus(); });
  document.body.append(box);
  box.append(byId("tip")); // a modal dialog hides what stands outside it
  box.showModal();
  close.focus();
}
