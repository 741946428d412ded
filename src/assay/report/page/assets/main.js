/* Build the page. Sections without content are left out; everything but the choice of a run happens once. */
const SECTIONS = [
  ["deployment", "Deployment", deploymentSection],
  ["quality", "Quality", qualitySection],
  ["failures", "What fails", failuresSection],
  ["thresholds", "Thresholds", thresholdsSection],
  ["figures", "Figures", figuresSection],
  ["criteria", "Criteria", criteriaSection],
  ["queries", "Queries", queriesSection],
  ["measures", "All measures", measuresSection],
  ["trust", "Trust", trustSection],
];
const page = { runs: [], shown: null };

function section(id, title, content) {
  return h(
    "section",
    { id, tabindex: "-1", "aria-labelledby": id + "-title" },
    h("h2", { id: id + "-title" }, title),
    content,
  );
}

function show(run) {
  const main = byId("main"),
    compared = byId("comparison");
  hideTip();
  closeQuery();
  page.shown = run;
  address.followers = [];
  const made = SECTIONS.map(([id, title, fill]) => [id, title, fill(run, page.runs)]).filter(
    ([, , content]) => content !== null,
  );
  main.replaceChildren(
    ...(compared ? [compared] : []),
    ...made.map(([id, title, content]) =>
      section(id, compared && id === "deployment" ? `${title} of ${cutTo(seen(run.name), 60)}` : title, content),
    ),
  );
  for (const link of main.querySelectorAll('a[href^="#"]')) // to sections that this run does not have
    if (!byId(address.read(link.getAttribute("href")).section)) (link.closest(".see") ?? link).remove();
  const c = run.counts;
  byId("lede").textContent = [
    (page.runs.length > 1 ? seen(run.name) + " " : "") + `under contract ${run.contract.id}`,
    counted(c.queries, "query", "queries"),
    `${count(run, c.evidence)} with evidence`,
    c.candidates ? `${whole(c.candidates)} candidates` : null,
  ]
    .filter(Boolean)
    .join(" · ");
  const links = [...(compared ? [["comparison", "Comparison"]] : []), ...made];
  byId("contents").replaceChildren(
    h(
      "ol",
      {},
      links.map(([id, title]) => h("li", {}, h("a", { href: "#" + id }, title))),
    ),
  );
  watch();
}

function tools() {
  const modes = ["auto", "light", "dark"],
    root = document.documentElement,
    runs = page.runs;
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
  const same = (run) => runs.some((each) => each !== run && each.name === run.name);
  const pick =
    runs.length > 1
      ? h(
          "label",
          {},
          "Details of ",
          h(
            "select",
            {
              id: "run",
              onchange: (event) => {
                address.step({ run: event.target.value === "0" ? null : event.target.value, query: null });
                apply();
              },
            },
            runs.map((run, at) =>
              h(
                "option",
                { value: at },
                cutTo(seen(run.name), 60) + (same(run) ? ` (${cutTo(seen(run.folder), 40)})` : ""),
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
  let started = false; // the first report is of where the page was opened
  watcher = new IntersectionObserver(
    (entries) => {
      for (const entry of entries)
        if (entry.isIntersecting) {
          for (const link of links.values()) link.removeAttribute("aria-current");
          const link = links.get(entry.target.id);
          if (link) link.setAttribute("aria-current", "true");
          if (started && !byId("query")) address.tune({ section: entry.target.id });
        }
      started = true;
    },
    { rootMargin: "-10% 0px -80% 0px" },
  );
  document.querySelectorAll("main > section").forEach((each) => watcher.observe(each));
}

/* Show what the address says: the run first, then every part of the page that follows it. */
function apply() {
  const at = number(address.values.get("run")) ?? 0,
    run = page.runs[at] ?? page.runs[0];
  if (run !== page.shown) {
    show(run);
    const pick = byId("run");
    if (pick) pick.value = String(page.runs.indexOf(run));
  }
  address.tell();
}

async function begin() {
  page.runs = await Promise.all(
    [...document.querySelectorAll("script.run")].map((node, place) => unpack(node.textContent, place)),
  );
  const compared = document.querySelector("script.comparison");
  if (page.runs.length > 1)
    byId("main").prepend(
      section(
        "comparison",
        "Comparison",
        comparisonSection(page.runs, compared ? await inflated(compared.textContent) : null),
      ),
    );
  document.documentElement.dataset.runs = page.runs.length > 1 ? "several" : "one";
  address.load();
  tools();
  apply();
  window.addEventListener("popstate", () => {
    const before = address.section;
    address.load();
    apply();
    if (address.section !== before) goTo(address.section);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    follow(link.getAttribute("href"));
  });
  const figures = () => [...document.querySelectorAll("figure")].filter((each) => each.redraw);
  window.addEventListener("beforeprint", () => figures().forEach((each) => each.onPaper()));
  window.addEventListener("afterprint", () => figures().forEach((each) => each.redraw()));
  document.documentElement.dataset.ready = "true";
  performance.mark("ready");
  if (address.section) goTo(address.section);
}
begin().catch((error) => {
  byId("main").prepend(h("p", { role: "alert" }, "The page could not read its data: " + error.message));
  throw error;
});
