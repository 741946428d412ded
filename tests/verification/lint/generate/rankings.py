"""Ranking results: runs and judgements by seed, scored by pytrec_eval."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytrec_eval

from tests.verification.lint.generate.render import Generated, Printed, as_file, as_json, number, pick_format

CUTS = (1, 3, 5, 10, 20, 100)
MEASURES = {
    "P",
    "recall",
    "ndcg_cut",
    "map_cut",
    "success",
    "recip_rank",
    "map",
    "ndcg",
    "Rprec",
    "bpref",
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "iprec_at_recall",
    "gm_map",
    "11pt_avg",
    "set_P",
    "set_recall",
    "set_F",
}
SYSTEMS = ("BM25", "DPR", "ANCE", "ColBERT", "SPLADE", "Ours")
DATA = ("NQ", "TriviaQA", "WebQ", "SQuAD", "HotpotQA", "FiQA", "MS MARCO Dev", "Quora")
GRADED = ("TREC DL 19", "TREC DL 20", "TREC-COVID", "NFCorpus", "Robust04")
# trec_eval's name, then what papers print
NAMES = {
    "P_{k}": ("P@{k}", "Precision@{k}", "P_{k}"),
    "recall_{k}": ("R@{k}", "Recall@{k}", "recall_{k}"),
    "ndcg_cut_{k}": ("nDCG@{k}", "NDCG@{k}", "ndcg_cut_{k}"),
    "success_{k}": ("Hit@{k}", "Success@{k}", "Top-{k}", "Acc@{k}"),
    "map_cut_{k}": ("MAP@{k}", "map_cut_{k}"),
    "recip_rank": ("MRR", "recip_rank"),
    "map": ("MAP", "map"),
    "bpref": ("bpref",),
    "Rprec": ("R-Prec", "Rprec"),
}
Scores = Mapping[str, float]
Judged = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def judged(rng: random.Random, *, graded: bool, most: int = 60) -> Judged:
    """Judgements of some queries, one relevant document or several."""
    queries = rng.randint(3, most)
    single = rng.random() < 0.3
    made: Judged = {}
    for query in range(queries):
        relevant = 1 if single else rng.randint(1, 12)
        documents = rng.sample(range(200), relevant + rng.randint(0, 10))
        grade = (lambda: rng.randint(1, 3)) if graded else (lambda: 1)
        made[f"q{query}"] = {f"d{name}": grade() if at < relevant else 0 for at, name in enumerate(documents)}
    return made


def ran(rng: random.Random, qrels: Judged) -> Run:
    """A run that finds relevant documents with some skill; a few lists are short."""
    skill, made = rng.uniform(0, 3), {}
    for query, gold in qrels.items():
        depth = rng.choice((3, 30, 150, 150, 150))
        candidates = rng.sample(range(200), depth)
        names = {f"d{name}" for name in candidates} | {name for name in gold if rng.random() < 0.7}
        made[query] = {name: rng.gauss(0, 1) + skill * (gold.get(name, 0) > 0) for name in sorted(names)}
    return made


def scored(rng: random.Random, qrels: Judged, level: int = 1) -> tuple[dict[str, dict[str, float]], Scores]:
    """Values per query and over all, as trec_eval gives them.

    `level` is the grade from which a document counts as relevant; nDCG uses all grades.
    """
    cuts = ",".join(map(str, CUTS))
    wanted = {
        f"{name}.{cuts}" if name in ("P", "recall", "ndcg_cut", "map_cut", "success") else name
        for name in MEASURES
    }
    found = pytrec_eval.RelevanceEvaluator(qrels, wanted, relevance_level=level).evaluate(ran(rng, qrels))
    queries = {query: dict(values) for query, values in found.items()}
    names = next(iter(queries.values()))
    overall = {
        name: pytrec_eval.compute_aggregated_measure(name, [v[name] for v in queries.values()])
        for name in names
    }
    return queries, overall


def chosen(rng: random.Random) -> list[tuple[str, str]]:
    """Some measures with the names that are printed for them."""
    made = []
    for pattern, names in NAMES.items():
        if rng.random() < 0.55:
            shown = rng.choice(names)
            cuts = sorted(rng.sample(CUTS, rng.randint(1, 3))) if "{k}" in pattern else [0]
            made += [(pattern.format(k=k), shown.format(k=k)) for k in cuts]
    rng.shuffle(made)
    return made or [("recall_5", "R@5"), ("recall_20", "R@20")]


def swapped(table: Printed, names: list[str], low: str, high: str) -> list[tuple[str, Printed]]:
    """The value at a lower cut-off printed where the higher one is: A301 where they differ."""
    if low not in names or high not in names:
        return []
    a, b = names.index(low) + 1, names.index(high) + 1
    row = table.rows[0]
    if not row[a] or not row[b] or float(row[b]) - float(row[a]) < 0.05 * max(1, float(row[b])):
        return []
    return [("A301", table.with_cell(0, a, row[b]).with_cell(0, b, row[a]))]


def one_set(rng: random.Random) -> Generated:
    """Systems on one data set, in rows or columns, with changes between the first two."""
    graded = rng.random() < 0.2
    qrels = judged(rng, graded=graded)
    digits, percent = rng.choice((2, 3, 4)), rng.random() < 0.4
    systems = rng.sample(SYSTEMS, rng.randint(1, 4))
    values = [scored(rng, qrels)[1] for _ in systems]
    measures = chosen(rng)
    rows = [
        [system, *(number(found[key], digits, percent=percent) for key, _ in measures)]
        for system, found in zip(systems, values, strict=True)
    ]
    table = Printed([["Model", *(shown for _, shown in measures)]], rows)
    planted = swapped(table, [shown for _, shown in measures], "R@5", "R@20")
    if rng.random() < 0.3 and len(systems) == 2:
        change = [_change(values[0][key], values[1][key]) for key, _ in measures]
        table = Printed(table.head, [*rows, ["Improvement", *change]])
        planted = []
    if rng.random() < 0.3:
        table = _with_column(table, rng.choice(("Params (M)", "Latency (ms)", "Index size (GB)")), rng)
        planted = []
    options: dict[str, object] = {"graded": True} if graded else {}
    kind, style = pick_format(rng), rng.randint(0, 99)
    if rng.random() < 0.4 and not planted:
        table = table.turned()
    return as_file("rankings", table, kind, style, options, planted)


def _change(a: float, b: float) -> str:
    return f"{100 * (b - a) / a:+.1f}%" if a else "–"


def _with_column(table: Printed, name: str, rng: random.Random) -> Printed:
    head = [[*table.head[0], name]]
    rows = [[*row, "" if row[0] == "Improvement" else str(rng.randint(101, 900))] for row in table.rows]
    return Printed(head, rows)


def by_k(rng: random.Random) -> Generated:
    """One row per cut-off."""
    qrels = judged(rng, graded=False)
    digits = rng.choice((2, 3, 4))
    rows = []
    for system in rng.sample(SYSTEMS, rng.randint(1, 3)):
        found = scored(rng, qrels)[1]
        rows += [
            [
                system,
                str(k),
                *(number(found[f"{name}_{k}"], digits) for name in ("recall", "P", "ndcg_cut", "map_cut")),
            ]
            for k in (1, 5, 10)
        ]
    table = Printed([["System", "k", "Recall", "Precision", "nDCG", "MAP"]], rows)
    return as_file("rankings", table, pick_format(rng), rng.randint(0, 99), {})


def several_sets(rng: random.Random) -> Generated:
    """Several data sets in one table: in the header, in brackets, above, in rows, as sections."""
    data = rng.sample(DATA, rng.randint(2, 4)) + rng.sample(GRADED, rng.randint(0, 1))
    sets = {name: judged(rng, graded=name in GRADED) for name in data}
    systems = rng.sample(SYSTEMS, rng.randint(1, 3))
    digits, percent = rng.choice((2, 3, 4)), rng.random() < 0.5
    level = {name: 2 if name in GRADED else 1 for name in data}
    values = {(s, d): scored(rng, sets[d], level[d])[1] for s in systems for d in data}
    # Each data set has its own measures, as papers print them.
    measures = {name: chosen(rng)[: rng.randint(1, 3)] for name in data}
    shape = rng.choice(("prefix", "suffix", "brackets", "levels", "sections", "column", "rows", "on"))
    style = rng.randint(0, 99)

    def cell(system: str, name: str, key: str) -> str:
        return number(values[system, name][key], digits, percent=percent)

    if shape in ("prefix", "suffix", "brackets", "on"):
        form = {"prefix": "{d} {m}", "suffix": "{m} {d}", "brackets": "{m} ({d})", "on": "{m} on {d}"}
        head = ["Model", *(form[shape].format(d=d, m=m) for d in data for _, m in measures[d])]
        rows = [[s, *(cell(s, d, key) for d in data for key, _ in measures[d])] for s in systems]
        return as_file("data sets", Printed([head], rows), pick_format(rng), style, {})
    if shape == "levels":
        top = ["", *(d for d in data for _ in measures[d])]
        head = ["Model", *(m for d in data for _, m in measures[d])]
        rows = [[s, *(cell(s, d, key) for d in data for key, _ in measures[d])] for s in systems]
        return as_file("data sets", Printed([top, head], rows), pick_format(rng, levels=2), style, {})
    if shape == "sections":
        shared = measures[data[0]]
        head = ["Model", *(m for _, m in shared)]
        rows = [[s, *(cell(s, d, key) for key, _ in shared)] for d in data for s in systems]
        sections = [d for d in data for _ in systems]
        return as_file("data sets", Printed([head], rows, sections), pick_format(rng), style, {})
    if shape == "column":
        rows = [[d, m, *(cell(s, d, key) for s in systems)] for d in data for key, m in measures[d]]
        table = Printed([["Dataset", "Metric", *systems]], rows)
        return as_file("data sets", table, pick_format(rng), style, {})
    rows = [[m, *(cell(s, d, key) for s in systems)] for d in data for key, m in measures[d]]
    sections = [d for d in data for _ in measures[d]]
    table = Printed([["Metric", *systems]], rows, sections)
    return as_file("data sets", table, pick_format(rng), style, {})


def in_caption(rng: random.Random) -> Generated:
    """One measure, named in the caption only; columns are data sets."""
    key, shown = rng.choice(
        (
            ("ndcg_cut_10", "nDCG@10"),
            ("success_20", "Top-20 accuracy"),
            ("recip_rank", "MRR"),
            ("recall_100", "Recall@100"),
        )
    )
    data = rng.sample(DATA, rng.randint(2, 5))
    sets = {name: judged(rng, graded=False) for name in data}
    percent = rng.random() < 0.5
    rows = []
    for system in rng.sample(SYSTEMS, rng.randint(2, 4)):
        found = [scored(rng, sets[name])[1][key] for name in data]
        average = sum(found) / len(found)
        rows.append([system, *(number(value, 3, percent=percent) for value in (*found, average))])
    table = Printed([["Model", *data, "Avg."]], rows, caption=f"{shown} of all models.")
    wrong = ("A101", table.with_cell(0, 1, "170.3" if percent else "1.703"))
    return as_file("data sets", table, rng.choice(("md", "tex")), rng.randint(0, 99), {}, [wrong])


def trec_output(rng: random.Random) -> Generated:
    """trec_eval's output: over all queries or per query, one run or several."""
    qrels = judged(rng, graded=rng.random() < 0.5, most=25)
    per_query, lines, runs = rng.random() < 0.5, [], rng.randint(1, 3)
    for run in range(runs):
        queries, overall = scored(rng, qrels)
        if per_query:
            lines += [
                _line(name, query, value)
                for query, found in queries.items()
                for name, value in found.items()
                if name not in ("num_q", "gm_map")
            ]
        lines.append(f"runid                 \tall\trun{run}")
        lines += [_line(name, "all", value) for name, value in overall.items()]
    text = "\n".join(lines) + "\n"
    wrong = []
    if overall["recall_5"] > 0.03:
        right = _line("recall_100", "all", overall["recall_100"])
        head, found, tail = text.rpartition(right)
        assert found
        wrong.append(("A301", head + _line("recall_100", "all", overall["recall_5"] - 0.02) + tail))
    options = {"format": "trec_eval"} if rng.random() < 0.5 else {}
    return Generated("trec_eval", "eval.txt", text, options, tuple(wrong))


def _line(name: str, query: str, value: float) -> str:
    shown = f"{int(value)}" if name.startswith("num_") else f"{value:.4f}"
    return f"{name:<22}\t{query}\t{shown}"


def as_object(rng: random.Random) -> Generated:
    """JSON with systems and unrounded values, as evaluation scripts write it."""
    qrels = judged(rng, graded=False)
    measures = chosen(rng)
    values = {}
    for system in rng.sample(SYSTEMS, 2):
        found = scored(rng, qrels)[1]
        values[system] = {shown: found[key] for key, shown in measures}
    return as_json("rankings", values, {})
