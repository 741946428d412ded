/* The list of queries: search, filters, sorting, pages. */
const PAGE = 50;

function queriesSection(run, runs) {
  const c = run.column,
    state = { show: "all", criterion: "", state: "", text: "", sort: null, page: 0 };
  const main = run.values[0],
    recallAt = run.values.indexOf("evidence_recall");
  const missed = (q) =>
    c.label[q] === 1 && (run.returns(q) === null ? run.value(q, 0) === 0 : !run.returns(q));
  const alarm = (q) => c.label[q] === 0 && run.returns(q) === true;
  const shows = {
    all: ["all queries", () => true],
    missed: [c.k || c.state || c.prob ? "missed evidence" : "nothing found", missed],
    alarms: ["false alarms", alarm],
    worst: main ? ["worst " + main, (q) => c.label[q] === 1 && run.value(q, 0) !== null] : null,
    evidence: ["with evidence", (q) => c.label[q] === 1],
    none: ["without evidence", (q) => c.label[q] === 0],
  };
  if (!c.prob && !c.k) delete shows.alarms;
  if (!main) delete shows.worst;
  const columns = [
    {
      name: "query",
      key: (q) => run.title(q),
      cell: (q) =>
        h(
          "button",
          { type: "button", class: "link", "data-query": q, onclick: () => openQuery(run, runs, q, found) },
          name(run.post(q), 60),
          run.criterion_names ? [" · ", name(run.criterion(q), 60)] : null,
        ),
    },
    { name: "gold", num: true, key: (q) => c.gold[q], cell: (q) => whole(c.gold[q]) },
    c.prob && { name: "probability", num: true, key: (q) => c.prob[q], cell: (q) => fixed(c.prob[q], 4) },
    c.state && {
      name: "state",
      key: (q) => c.state[q],
      cell: (q) => h("span", { class: "chip " + STATES[c.state[q]] }, STATES[c.state[q]]),
    },
    c.k && { name: "K", num: true, key: (q) => c.k[q], cell: (q) => whole(c.k[q]) },
    main && { name: main, num: true, key: (q) => run.value(q, 0), cell: (q) => fixed(run.value(q, 0), 3) },
    recallAt > 0 && {
      name: "evidence recall",
      num: true,
      key: (q) => run.value(q, recallAt),
      cell: (q) => fixed(run.value(q, recallAt), 3),
    },
    c.fold && { name: "fold", key: (q) => c.fold[q], cell: (q) => name(run.fold_names[c.fold[q]], 12) },
  ].filter(Boolean);
  let found = [];
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
              { scope: at ? null : "row", class: column.num ? "num" : null },
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
      (state.show === "worst" ? { at: columns.findIndex((each) => each.name === main), way: 1 } : null);
    if (sort) {
      const key = columns[sort.at].key;
      found.sort((a, b) => {
        const x = key(a),
          y = key(b);
        return x === y ? a - b : x === null ? 1 : y === null ? -1 : (x < y ? -1 : 1) * sort.way;
      });
    }
    state.page = 0;
    fill();
  };
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
      run.texts ? "search posts, criteria, sentences" : "search posts, criteria, sentence ids",
      h("input", {
        type: "search",
        id: "search",
        oninput: (event) => {
          clearTimeout(pause);
          const text = event.target.value;
          pause = setTimeout(() => {
            state.text = text;
            look();
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
    run.criterion_names
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
  look();
  return [
    h("p", {}, "Choose a query to see its ranking and how it was scored."),
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
