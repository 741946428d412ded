/* Build the page; everything but the choice of a run happens once. */
const SECTIONS = [
  ["overview", "Overview", overviewSection],
  ["thresholds", "Thresholds", gateSection],
  ["figures", "Figures", figuresSection],
  ["criteria", "Criteria", criteriaSection],
  ["queries", "Queries", queriesSection],
  ["measures", "All measures", measuresSection],
  ["checklist", "Reporting checklist", checklistSection],
  ["provenance", "Provenance", provenanceSection],
];

function show(run, runs) {
  const main = byId("main"),
    compare = byId("compare");
  byId("tip").hidden = true;
  const made = SECTIONS.map(([id, title, fill]) =>
    h(
      "section",
      { id, tabindex: "-1", "aria-labelledby": id + "-title" },
      h("h2", { id: id + "-title" }, title),
      fill(run, runs),
    ),
  );
  main.replaceChildren(...(compare ? [compare] : []), ...made);
  const c = run.counts;
  byId("lede").textContent =
    `${seen(run.name)} under ${run.contract.id}: ${whole(c.queries)} queries, ${whole(c.evidence)} with evidence, ${whole(c.candidates)} candidates.`;
}

function tools(runs) {
  const modes = ["auto", "light", "dark"],
    root = document.documentElement;
  const theme = h(
    "button",
    {
      type: "button",
      class: "plain",
      id: "theme",
      onclick: () => {
        root.dataset.theme = modes[(modes.indexOf(root.dataset.theme) + 1) % 3];
        theme.textContent = "Colours: " + root.dataset.theme;
      },
    },
    "Colours: auto",
  );
  const print = h("button", { type: "button", class: "plain", onclick: () => window.print() }, "Print");
  const pick =
    runs.length > 1
      ? h(
          "label",
          {},
          "Show details of ",
          h(
            "select",
            {
              id: "run",
              onchange: (event) => {
                show(runs[Number(event.target.value)], runs);
                watch();
              },
            },
            runs.map((run, at) =>
              h(
                "option",
                { value: at },
                cutTo(seen(run.name), 60) +
                  (runs.some((each) => each !== run && each.name === run.name)
                    ? ` (${cutTo(seen(run.folder), 40)})`
                    : ""),
              ),
            ),
          ),
        )
      : null;
  byId("tools").replaceChildren(...[pick, theme, print].filter(Boolean));
}

let watcher = null;
function watch() {
  if (watcher) watcher.disconnect();
  const links = new Map(
    [...document.querySelectorAll("#contents a")].map((link) => [link.getAttribute("href").slice(1), link]),
  );
  watcher = new IntersectionObserver(
    (entries) => {
      for (const entry of entries)
        if (entry.isIntersecting) {
          for (const link of links.values()) link.removeAttribute("aria-current");
          const link = links.get(entry.target.id);
          if (link) link.setAttribute("aria-current", "true");
        }
    },
    { rootMargin: "-10% 0px -80% 0px" },
  );
  document.querySelectorAll("main > section").forEach((section) => watcher.observe(section));
}

function opened() {
  for (const each of document.querySelectorAll("#measures details")) each.open = true;
}

async function begin() {
  const runs = await Promise.all(
    [...document.querySelectorAll("script.run")].map((node) => unpack(node.textContent)),
  );
  const main = byId("main"),
    many = runs.length > 1;
  if (many)
    main.prepend(
      h(
        "section",
        { id: "compare", tabindex: "-1", "aria-labelledby": "compare-title" },
        h("h2", { id: "compare-title" }, "Comparison"),
        compareSection(runs),
      ),
    );
  show(runs[0], runs);
  tools(runs);
  byId("contents").replaceChildren(
    h(
      "ol",
      {},
      [...(many ? [["compare", "Comparison"]] : []), ...SECTIONS].map(([id, title]) =>
        h("li", {}, h("a", { href: "#" + id }, title)),
      ),
    ),
  );
  watch();
  window.addEventListener("beforeprint", opened);
  document.documentElement.dataset.ready = "true";
  performance.mark("ready");
  if (location.hash) {
    const place = byId(location.hash.slice(1));
    if (place) place.scrollIntoView();
  }
}
begin().catch((error) => {
  byId("overview").prepend(h("p", { role: "alert" }, "The page could not read its data: " + error.message));
  throw error;
});
