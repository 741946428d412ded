/* The list of queries: search, filters, sorting, pages. */
/* Sort queries by a key in place; keys are computed once, equal ones keep their order, null comes last. */
function sorted(list, key, way) {
  const keys = []; // by query: an array is much faster than a Map of 100,000
  for (const q of list) keys[q] = key(q);
  list.sort((a, b) => {
    const x = keys[a],
      y = keys[b];
    return x === y ? a - b : x === null ? 1 : y === null ? -1 : (x < y ? -1 : 1) * way;
  });
}
const PAGE = 50;

function queriesSection(run, runs) {
  if (!run.listed) return null;
  const c = run.column,
    state = { show: "all", criterion: "", state: "", text: "", sort: null, page: 0 };
  const WRONG = c.prob || run.lost ? 1 : 0; // the column by which the list is sorted at first
  const main = run.values[0],
    recallAt = run.values.indexOf("evidence_recall");
  const decides = run.deployment !== null;
  const missed = (q) =>
    c.label[q] === 1 && (decides ? !run.returns(q) : run.value(q, 0) === 0);
  const alarm = (q) => c.label[q] === 0 && run.returns(q) === true;
  const shows = {
    all: ["all queries", () => true],
    missed: decides ? ["missed evidence", missed] : run.lost ? [`${run.lost} of 0`, missed] : null,
    alarms: decides ? [c.state ? "without evidence, not skipped" : "without evidence, " + run.deployment.actions[1], alarm] : null,
    alerts: c.state ? ["false alerts (POS)", (q) => c.label[q] === 0 && c.state[q] === 2] : null,
    wrong: WRONG ? ["the most wrong", (q) => run.wrong(q) !== null] : null,
    worst: main && run.lost && !run.task ? ["worst " + main, (q) => c.label[q] === 1 && run.value(q, 0) !== null] : null,
    lost: Object.keys(run.missed).length ? [`relevant ${run.item}s not ${c.prob ? "among the candidates" : "retrieved"}`, (q) => (run.missed[q] ?? []).length > 0] : null,
    evidence: ["with evidence", (q) => c.label[q] === 1],
    none: ["without evidence", (q) => c.label[q] === 0],
  };
  const columns = [
    {
      name: "query",
      key: (q) => run.title(q),
      cell: (q) =>
        h(
          "button",
          { type: "button", class: "link", "data-query": q, onclick: () => pick(q) },
          name(run.post(q), 60),
          run.part(q) === "" ? null : [" · ", name(run.part(q), 60)],
        ),
    },
    (c.prob || run.lost) && {
      name: "wrong by",
      num: true,
      key: run.wrong,
      cell: (q) => {
        const wrong = run.wrong(q);
        return wrong === null ? "–" : h("span", { class: "wrong" + (wrong >= 0.5 ? " much" : "") }, fixed(wrong, 3));
      },
    },
    run.counts.candidates
      ? { name: "gold", num: true, key: (q) => c.gold[q], cell: (q) => whole(c.gold[q]) }
      : { name: "evidence", key: (q) => c.label[q], cell: (q) => (c.label[q] ? "yes" : "no") },
    c.prob && { name: "probability", num: true, key: (q) => c.prob[q], cell: (q) => fixed(c.prob[q], 4) },
    c.state && {
      name: "state",
      key: (q) => c.state[q],
      cell: (q) => h("span", { class: "chip " + STATES[c.state[q]] }, STATES[c.state[q]]),
    },
    c.k && { name: "K", num: true, key: (q) => c.k[q], cell: (q) => whole(c.k[q]) },
    c.flagged && { name: "decision", key: (q) => c.flagged[q], cell: (q) => run.deployment.actions[c.flagged[q]] },
    main && { name: main, num: true, key: (q) => run.value(q, 0), cell: (q) => fixed(run.value(q, 0), 3) },
    recallAt > 0 && {
      name: "evidence recall",
      num: true,
      key: (q) => run.value(q, recallAt),
      cell: (q) => fixed(run.value(q, recallAt), 3),
    },
    ...(decides ? [] : run.values.slice(1, 4)).map((each, at) => ({ name: each, num: true, key: (q) => run.value(q, at + 1), cell: (q) => fixed(run.value(q, at + 1), 3) })),
    c.fold && { name: "fold", key: (q) => c.fold[q], cell: (q) => name(run.fold_names[c.fold[q]], 12) },
  ].filter(Boolean);
  let found = [];
  const pick = (q) => {
    address.step({ section: "queries", query: queryKey(run, q) });
    openQuery(run, runs, q, found);
  };
  const body = h("tbody"),
    heads = columns.map((column, at) =>
      h(
        "th",
        { scope: "col", class: column.num ? "num" : null },
        h(
          "button",
          {
            type: "button",
            onclick: () => {
              state.sort =
                state.sort && state.sort.at === at
                  ? { at, way: -state.sort.way }
                  : { at, way: column.num ? -1 : 1 };
              look();
              remember();
            },
          },
          column.name,
        ),
      ),
    );
  const info = h("span", { role: "status" }),
    back = h(
      "button",
      {
        type: "button",
        class: "plain",
        onclick: () => {
          state.page--;
          fill();
        },
      },
      "Previous",
    ),
    on = h(
      "button",
      {
        type: "button",
        class: "plain",
        onclick: () => {
          state.page++;
          fill();
        },
      },
      "Next",
    );
  const fill = () => {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    state.page = Math.max(0, Math.min(pages - 1, state.page));
    const part = found.slice(state.page * PAGE, (state.page + 1) * PAGE);
    body.replaceChildren(
      ...part.map((q) =>
        h(
          "tr",
          {},
          columns.map((column, at) =>
            h(
              at ? "td" : "th",
              { scope: at ? null : "row", class: column.num ? "num" : null, "data-label": at ? column.name : null },
              column.cell(q),
            ),
          ),
        ),
      ),
    );
    info.textContent = found.length
      ? `${whole(found.length)} of ${whole(run.size)} queries, page ${state.page + 1} of ${pages}`
      : `none of ${whole(run.size)} queries`;
    back.disabled = state.page === 0;
    on.disabled = state.page >= pages - 1;
    heads.forEach((head, at) =>
      state.sort && state.sort.at === at
        ? head.setAttribute("aria-sort", state.sort.way > 0 ? "ascending" : "descending")
        : head.removeAttribute("aria-sort"),
    );
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
    const keep = shows[state.show][1],
      text = state.text.toLowerCase(),
      criterion = state.criterion === "" ? -1 : Number(state.criterion),
      wanted = state.state === "" ? -1 : Number(state.state);
    found = [];
    for (let q = 0; q < run.size; q++)
      if (
        keep(q) &&
        (criterion < 0 || c.criterion[q] === criterion) &&
        (wanted < 0 || c.state[q] === wanted) &&
        (!text || within(q, text))
      )
        found.push(q);
    const sort =
      state.sort ??
      (state.show === "worst" ? { at: columns.findIndex((each) => each.name === main), way: 1 } : { at: WRONG, way: WRONG ? -1 : 1 });
    sorted(found, columns[sort.at].key, sort.way);
    state.page = 0;
    fill();
  };
  const remember = () =>
    address.tune({
      show: state.show === "all" ? null : state.show,
      criterion: state.criterion === "" ? null : run.criterion_names[Number(state.criterion)],
      state: state.state === "" ? null : STATES[Number(state.state)],
      text: state.text,
      sort: state.sort ? `${columns[state.sort.at].name}${state.sort.way < 0 ? "-" : ""}` : null,
    });
  const choice = (label, id, list, act) =>
    h(
      "label",
      { class: "field" },
      label,
      h(
        "select",
        {
          id,
          onchange: (event) => {
            act(event.target.value);
            look();
            remember();
          },
        },
        list.map(([value, text]) => h("option", { value }, cutTo(seen(text), 60))),
      ),
    );
  let pause = 0;
  const controls = h(
    "div",
    { class: "row" },
    h(
      "label",
      { class: "field" },
      !run.counts.candidates ? "search ids" : !run.criterion_names ? "search queries and item ids" : run.texts ? "search posts, criteria, sentences" : "search posts, criteria, sentence ids",
      h("input", {
        type: "search",
        id: "search",
        oninput: (event) => {
          clearTimeout(pause);
          const text = event.target.value;
          pause = setTimeout(() => {
            state.text = text;
            look();
            remember();
          }, 120);
        },
      }),
    ),
    choice(
      "show",
      "show",
      Object.entries(shows)
        .filter(([, each]) => each)
        .map(([key, [text]]) => [key, text]),
      (value) => {
        state.show = value;
        state.sort = null;
      },
    ),
    run.criterion_names && run.criterion_names.length < run.size
      ? choice(
          "criterion",
          "by-criterion",
          [["", "all"], ...run.criterion_names.map((text, at) => [String(at), text])],
          (value) => {
            state.criterion = value;
          },
        )
      : null,
    c.state
      ? choice(
          "state",
          "by-state",
          [["", "all"], ...STATES.map((text, at) => [String(at), text])],
          (value) => {
            state.state = value;
          },
        )
      : null,
  );
  const control = (id) => controls.querySelector("#" + id);
  address.follow((values) => {
    const before = JSON.stringify(state),
      sort = values.get("sort") ?? "",
      at = columns.findIndex((each) => each.name === sort.replace(/-$/, "")),
      about = run.criterion_names ? run.criterion_names.findIndex((each) => wellFormed(each) === values.get("criterion")) : -1;
    state.show = shows[values.get("show")] ? values.get("show") : "all";
    state.criterion = about < 0 ? "" : String(about);
    state.state = c.state && STATES.includes(values.get("state")) ? String(STATES.indexOf(values.get("state"))) : "";
    state.text = values.get("text") ?? "";
    state.sort = at < 0 ? null : { at, way: sort.endsWith("-") ? -1 : 1 };
    control("show").value = state.show;
    control("search").value = state.text;
    if (control("by-criterion")) control("by-criterion").value = state.criterion;
    if (control("by-state")) control("by-state").value = state.state;
    if (JSON.stringify(state) !== before) look();
    const query = values.has("query") ? queryOf(run, values.get("query")) : null;
    if (query === null) closeQuery();
    else if (byId("query")?.dataset.shown !== String(query)) openQuery(run, runs, query, found);
  });
  look();
  return [
    h(
      "p",
      {},
      c.prob
        ? "Sorted by how wrong a query is: the probability that went to the wrong answer, |p − y|."
        : run.lost
          ? `Sorted by how wrong a query is: ${run.task ? "" : "what its ranking lost, "}1 − ${run.lost}.`
          : "",
      run.counts.candidates ? " Choose a query to see its ranking and how it was scored." : " Choose a query to see how it was scored.",
    ),
    controls,
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table of queries" },
      h(
        "table",
        { id: "query-table" },
        h("caption", { class: "unseen" }, "Queries"),
        h("thead", {}, h("tr", {}, heads)),
        body,
      ),
    ),
    h("div", { class: "pager" }, back, on, info),
  ];
}
