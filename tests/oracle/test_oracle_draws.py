"""Counting a unit c times is the same as c copies of it, for every measure."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from assay_oracle import parse
from assay_oracle.__main__ import main
from assay_oracle.bundle.parts import part
from assay_oracle.bundle.queries import FACTS
from assay_oracle.bundle.scored import scored
from assay_oracle.core.measure import Measure, measures, reduction
from assay_oracle.core.parameters import CLIP, CUT, DECISION, LEVEL, POSITIVE, REAL, SHARE, UNIT, WEIGHT
from assay_oracle.core.reduction import by_copies
from assay_oracle.core.resamples import Resamples
from assay_oracle.core.rows import Query, Row, evidence_groups
from assay_oracle.draws.draw_values import resampled

from . import toy_bundle as toy

SHARES = ("0.1", "0.5", "0.05", "0.2")
EXAMPLES = {
    CUT: ("2", "1", "all"),
    LEVEL: ("2", "3", "10"),
    POSITIVE: ("1", "0.5"),
    WEIGHT: ("1", "0", "2.5"),
    SHARE: SHARES,
    CLIP: ("0.01", "0.2"),
    UNIT: ("0.5", "0", "1"),
    REAL: ("0.5", "1", "-1.5"),
    DECISION: ("0.5", "tune", "not_neg", "pos", "returned", "tune_f1"),
}
"""Values of each kind of parameter; a choice takes each of its words."""


def examples(measure: Measure) -> list[str]:
    """Definition ids in which every example of every parameter occurs, each with others."""
    kinds = {"@": measure.cut} if measure.cut else {}
    kinds |= measure.parameters
    lists = [
        EXAMPLES.get(replace(kind, default=None)) or kind.expected.split(" or ") for kind in kinds.values()
    ]
    if "gains" in kinds:
        lists[list(kinds).index("gains")] = ("none", "0:0/1:2/2:1")
    if "rel" in kinds:
        lists[list(kinds).index("rel")] = ("1", "2", "3")
    ids = []
    for shift, number in product((0, 1), range(max(map(len, lists)))):
        found = [each[(number + shift * place) % len(each)] for place, each in enumerate(lists)]
        cut = f"@{found.pop(0)}" if measure.cut else ""
        spelled = zip(measure.parameters.items(), found, strict=True)
        pairs = [(name, value) for (name, each), value in spelled if value != each.default]
        ids.append(f"{measure.name}{cut}:" + ",".join(f"{name}={value}" for name, value in pairs))
    return list(dict.fromkeys(ids))


DEFINITIONS = [text for measure in measures().values() for text in examples(measure)]


def made_up(seed: int, posts: int, criteria: int) -> list[Row]:
    """Rows with ties in scores and probabilities, missing lists and several grades."""
    rng = Random(seed)
    rows = []
    for post in range(posts):
        for criterion in range(criteria):
            n = rng.choice((0, 1, 3, 5))
            grades = [rng.choice((None, 0, 0, 1, 2)) for _ in range(n)]
            exact = [None if grade is None else Fraction(grade) for grade in grades]
            missed = [Fraction(1)] * (rng.random() < 0.3)
            prob = rng.choice((rng.random(), rng.randint(0, 8) / 8))
            made = Random(f"{seed} {post} {criterion}")  # so that the rows above stay the same
            facts = {name: made.choice((0.0, 0.5, 1.0)) for name in FACTS}
            query = Query(
                f"{post}.{criterion}",
                f"P{post}",
                f"C{criterion}",
                None,
                prob,
                rng.randint(0, n),
                rng.choice(("NEG", "UNCERTAIN", "POS")),
                {"tune": 0.5, "f1": 0.25, **{f"fpr_{share}": rng.random() for share in SHARES}},
                {**facts, "na_place": made.random()},
            )
            scores = tuple(sorted((rng.randint(0, 6) / 4 for _ in range(n)), reverse=True))
            judged = tuple([grade for grade in exact if grade is not None] + missed)
            items = tuple(f"{rank}" for rank in range(n))
            gold = [item for item, grade in zip(items, exact, strict=True) if grade] + ["missed"] * len(
                missed
            )
            members = [(item, made.choice("ab")) for item in gold]
            groups = evidence_groups(members, dict.fromkeys(gold, Fraction(1)))
            rows.append(Row(query, tuple(exact), judged, scores, items=items, groups=groups))
    return rows


def copied(rows: Sequence[Row], units: Sequence[int], counts: Sequence[int]) -> list[Row]:
    """As many copies of each row as its unit counts, each in a separate post."""
    return [
        replace(row, query=replace(row.query, id=f"{row.query.id}#{copy}", post=f"{row.query.post}#{copy}"))
        for row, unit in zip(rows, units, strict=True)
        for copy in range(counts[unit])
    ]


def plain(rows: list[Row], text: str) -> float | None:
    whole = part(rows, range(len(rows)))
    return scored(rows, whole, parse(text)).reduced(whole).value


def counted(rows: list[Row], units: list[int], counts: list[int], text: str) -> float | None:
    whole = part(rows, range(len(rows)))
    return resampled(scored(rows, whole, parse(text)), whole, units)(Resamples([counts]))[0].value


@pytest.mark.parametrize("text", DEFINITIONS)
def test_counts_are_copies(text: str) -> None:
    rng = Random(text)
    for seed, posts in ((1, 12), (2, 1), (3, 4)):
        rows = made_up(seed, posts, 3)
        units = [place // 3 for place in range(len(rows))]
        drawn = [[1] * posts, [0] * posts]
        drawn += [[rng.choice((0, 1, 1, 2, 3)) for _ in range(posts)] for _ in range(6)]
        for counts in drawn:
            expected = plain(copied(rows, units, counts), text)
            found = counted(rows, units, counts, text)
            assert found == (None if expected is None else pytest.approx(expected, abs=1e-9))


@pytest.mark.parametrize("text", ["auroc:on=all", "hamming_score:at=0.5,on=all", "num_q:on=all"])
def test_a_measure_without_its_own_resampling_copies_rows(text: str) -> None:
    rows = made_up(3, 3, 3)
    rows.append(replace(rows[0], query=replace(rows[0].query, id="without a post", post=None)))
    units = [place // 3 for place in range(len(rows))]
    definition = parse(text)
    resampled = by_copies(reduction(definition).value_of).resample(rows, units, definition)
    for counts in ([1, 1, 1, 1], [2, 0, 3, 1], [0, 0, 0, 0]):
        assert resampled(Resamples([counts]))[0].value == pytest.approx(
            counted(rows, units, counts, text), abs=1e-12
        )


@pytest.mark.parametrize(
    "text",
    [
        "auroc:on=all",
        "selected_k:stat=median,on=all",
        "selected_k:stat=mean,on=all",
        "evidence_recall:average=micro,rel=1,on=all",
    ],
)
def test_without_prob_and_k_there_is_no_value(text: str) -> None:
    bare = [Row(Query(name), (Fraction(1),), (Fraction(1),), (0.5,)) for name in "ab"]
    full = [Row(Query("c", prob=0.5, selected_k=1), (Fraction(0),), (), (0.5,))]
    for counts in ([1, 2, 0], [1, 0, 2], [0, 0, 0]):
        expected = plain(copied([*bare, *full], [0, 1, 2], counts), text)
        assert counted([*bare, *full], [0, 1, 2], counts, text) == expected


def test_a_positive_that_is_not_drawn_spends_no_budget() -> None:
    # Descending + − + −: at half of the negatives the second positive may be reached, if drawn.
    rows = [
        Row(Query(name, prob=prob), (), (Fraction(1),) * label, ())
        for name, prob, label in (("a", 0.9, 1), ("b", 0.7, 0), ("c", 0.5, 1), ("d", 0.3, 0))
    ]
    text = "fpr_reached@0.5:threshold=same,on=all"
    assert counted(rows, [0, 1, 2, 3], [1, 1, 1, 1], text) == 0.5
    assert counted(rows, [0, 1, 2, 3], [1, 1, 0, 1], text) == 0.0


def test_queries_drawn_are_no_posts() -> None:
    rows = made_up(1, 2, 2)
    with pytest.raises(ValueError, match="a post of several queries is not a unit"):
        counted(rows, [0, 1, 2, 3], [1, 1, 1, 1], "exact_match:at=0.5,on=all")
    text = "macro_f1:over=criteria,empty=0,at=0.5,on=all"
    expected = plain(copied(rows, [0, 1, 2, 3], [2, 0, 1, 3]), text)
    assert counted(rows, [0, 1, 2, 3], [2, 0, 1, 3], text) == pytest.approx(expected, abs=1e-12)


def run(folder: Path, lines: list[Any]) -> int:
    path = folder / "draws.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return main([str(toy.write(folder)), "--draws", str(path)])


def test_draws_of_the_toy_bundle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draws = [{"units": ["Q", "P"], "unit": "post"}, [1, 1], [0, 2], [3, 0]]
    assert run(tmp_path, draws) == 0
    found = {one["what"]: one for one in json.loads(capsys.readouterr().out)}
    # Fold a has P alone and fold b Q alone: a fold that is not drawn is 0 by convention.
    assert found["draws/recall@1"]["values"] == [0.75, 0.25, 0.5]
    assert found["draws/deployed"]["values"] == [0.5, 0.5, 0.0]
    assert found["draws/median_k"]["values"] == [0.75, 0.75, 0.0]
    # Pooled. P: .875 against .625; Q: .25 against .125.
    assert found["draws/auroc"]["values"] == [0.75, 1.0, 1.0]


def test_draws_of_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    units = ["P\u001f1", "P\u001f2", "Q\u001f1", "Q\u001f2"]
    draws = [{"units": units, "unit": "query"}, [1, 1, 1, 1], [1, 2, 1, 0]]
    assert run(tmp_path, draws) == 0
    found = {one["what"]: one for one in json.loads(capsys.readouterr().out)}
    # .875 and .25 against .625 twice: two of four pairs.
    assert found["draws/auroc"]["values"] == [0.75, 0.5]
    # Fold a: (1/2 + 0 + 0)/3; fold b: 1.
    assert found["draws/filled"]["values"][1] == pytest.approx((0.5 / 3 + 1) / 2, abs=1e-12)
    assert found["draws/hamming"]["values"] == []
    assert "queries were drawn" in found["draws/hamming"]["reason"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "draws.jsonl line 1: it is null; expected an object"),
        ([{"units": ["P"], "unit": "post"}], "the post 'Q' of the bundle is not in the units"),
        ([{"units": ["P", "P"], "unit": "post"}], "draws.jsonl line 1: a unit appears twice"),
        ([{"units": ["P", "Q"], "unit": "fold"}], "line 1: unit is 'fold'; expected one of post"),
        ([{"units": ["P", "Q"], "unit": "post"}, [1, 1], [1]], "line 3: it has 1 counts; expected 2"),
        ([{"units": ["P", "Q"], "unit": "post"}, [1, -1]], "line 2: a count is not a whole number"),
        ([{"units": ["P", "Q"], "unit": "post"}, [1, 0.5]], "line 2: a count is not a whole number"),
    ],
)
def test_faults_of_the_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: list[Any], words: str
) -> None:
    assert run(tmp_path, lines) == 2
    captured = capsys.readouterr()
    assert (captured.out, words in captured.err) == ("", True)


def test_no_file_of_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(toy.write(tmp_path)), "--draws", str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl: the file is missing" in capsys.readouterr().err


def test_a_long_list_keeps_its_digits() -> None:
    rows = made_up(9, 400, 3)
    units = [place // 3 for place in range(len(rows))]
    for text in ("aurc:at=0.5,on=all", "eaurc:at=0.5,on=all", "calibration_slope:clip=0.01,on=all"):
        expected = plain(rows, text)
        assert expected is not None
        assert math.isclose(counted(rows, units, [1] * 400, text) or 0, expected, abs_tol=1e-11)
