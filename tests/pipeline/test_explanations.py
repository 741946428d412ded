"""The strongest features of each query, and words only where they are asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.data.corpus import Corpus
from assay.errors import StageError, UnknownTreesError
from assay.evaluation.bundle.bundle_files import MANIFEST
from assay.experiment.state_thresholds import choose
from assay.pipeline.corpus_views import posts_of
from assay.pipeline.explanations.explanation import Explanation
from assay.pipeline.explanations.strongest import MOST, strongest_features
from assay.pipeline.models.boosting import Boosted
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.protocol.stage_cache import Cache
from assay.pipeline.run_config import Plan, Protocol
from assay.pipeline.stage_registry import DEFAULT
from assay.pipeline.stages.no_evidence_gate import NoEvidenceGate
from assay.pipeline.views import Labelled
from tests.pipeline.conftest import FAST, FILLER, Call, Tables, toy, write

pytestmark = pytest.mark.full

PLANTED = "zebrawood"
SHORT = Protocol(folds=3, crossfit=2, resamples=0)
QUERY = ["post_id", "criterion_id"]


def closed() -> Tables:
    """A planted word in the evidence for c1, and in the text of c1."""
    tables = toy(45)
    marked = set(tables["gold"].filter(pl.col("criterion_id") == "c1")["sent_uid"])
    texts = pl.when(pl.col("sent_uid").is_in(list(marked)))
    planted = texts.then(pl.col("text") + f" {PLANTED}").otherwise(pl.col("text"))
    criteria = tables["criteria"].with_columns(pl.col("text") + f" {PLANTED}")
    return {**tables, "sentences": tables["sentences"].with_columns(planted), "criteria": criteria}


def open_corpus(posts: int = 160) -> Tables:
    """Two questions per post, each asked once; the second has no evidence."""
    draw = np.random.default_rng(0)
    names = [f"{number:04d}{PLANTED}" for number in range(2 * posts)]  # of different stems
    rows, criteria, queries, gold = [], [], [], []
    for number in range(posts):
        post, at = f"p{number:03d}", int(draw.integers(4))
        texts = [" ".join(draw.choice(FILLER, 6)) for _ in range(4)]
        texts[at] += f" {names[number]} {draw.choice(FILLER)}"
        rows += [(post, f"{post}_{place}", place, text) for place, text in enumerate(texts)]
        for side, name in enumerate((names[number], names[posts + number])):
            queries.append((post, f"q{number}{side}"))
            criteria.append((f"q{number}{side}", f"which {draw.choice(FILLER)} has {name} ?"))
        gold.append((post, f"q{number}0", f"{post}_{at}"))
    frames: dict[str, tuple[list[Any], list[str]]] = {
        "sentences": (rows, ["post_id", "sent_uid", "position", "text"]),
        "criteria": (criteria, ["criterion_id", "text"]),
        "queries": (queries, QUERY),
        "gold": (gold, [*QUERY, "sent_uid"]),
    }
    return {
        name: pl.DataFrame(found, schema=schema, orient="row") for name, (found, schema) in frames.items()
    }


def planned(corpus: Path = Path("toy"), stages: tuple[Any, ...] = DEFAULT, **tables: Any) -> Plan:
    kept = {name: each for name, each in {**FAST, **tables}.items() if name in stages or name in tables}
    return Plan(corpus, protocol=SHORT, tables=kept, stages=stages)


def explained(tables: Tables, plan: Plan | None = None, **more: Any) -> Answers:
    return predict(plan or planned(), Corpus.of(**tables), choose, processes=1, explain=True, **more)


def features(answers: Answers) -> pl.DataFrame:
    assert answers.explanations is not None
    return answers.explanations


@pytest.fixture(scope="module", params=["closed", "open"])
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run without and of one with words, of a closed or an open corpus."""
    folder = tmp_path_factory.mktemp(request.param)
    made = {"closed": closed, "open": open_corpus}[request.param]()
    corpus = write(made, folder / "corpus")
    assay.run(planned(corpus), folder / "run", processes=1)
    assay.run(planned(corpus), folder / "again", processes=2)
    assay.run(planned(corpus), folder / "words", processes=1, with_text=True)
    return folder


def table(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(folder / "predictions" / "explanations.parquet")


def test_every_query_has_its_strongest_features(ran: Path) -> None:
    found, decisions = table(ran / "run"), pl.read_csv(ran / "run" / "predictions" / "decisions.csv")
    gate = found.filter(pl.col("about") == "gate", pl.col("stage") == "gate")
    counts = gate.group_by(QUERY).agg(pl.len(), pl.col("rank"))
    assert len(counts) == len(decisions)
    assert set(counts["len"]) == {MOST}
    assert all(ranks == [1, 2, 3, 4, 5] for ranks in counts["rank"].to_list())
    assert gate["sent_uid"].null_count() == len(gate)
    size = gate.with_columns(pl.col("contribution").abs()).group_by(QUERY, maintain_order=True)
    assert all(
        each == sorted(each, reverse=True) for each in size.agg("contribution")["contribution"].to_list()
    )
    candidates = pl.read_parquet(ran / "run" / "predictions" / "candidates.parquet")
    best = candidates.sort("score", descending=True, maintain_order=True).group_by(QUERY).first()
    last = found.filter(pl.col("about") == "ranking", pl.col("stage") == "neighbours")
    ranking = last.select(*QUERY, "sent_uid").unique()
    assert len(ranking.join(best, on=[*QUERY, "sent_uid"])) == len(ranking) > 0


def test_open_questions_are_explained_by_the_matching_model(ran: Path) -> None:
    found = table(ran / "run").filter(pl.col("stage") == "matching")
    if ran.name.startswith("open"):
        assert set(found["about"]) == {"gate", "ranking"}
        assert found["feature"].str.contains("question word").any()


def texts_in(folder: Path) -> str:
    """Everything that a reader could find in the files of a folder."""
    said = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        data = path.read_bytes()
        # NumPy stores four bytes per character.
        said += [data.decode("utf-8", "replace"), data.replace(b"\0\0\0", b"").decode("utf-8", "replace")]
        if path.suffix == ".parquet":
            said.append(pl.read_parquet(path).select(pl.col(pl.String)).write_csv())
    return "\n".join(said).lower()


def test_without_the_flag_no_file_has_words_of_a_text(ran: Path) -> None:
    assert PLANTED not in texts_in(ran / "run")
    assert "word" not in table(ran / "run")["about"]


def test_with_the_flag_words_are_added_and_nothing_else_changes(ran: Path) -> None:
    found = table(ran / "words")
    assert found.filter(pl.col("about") != "word").equals(table(ran / "run"))
    words = found.filter(pl.col("about") == "word")
    assert words["feature"].str.to_lowercase().str.contains(PLANTED).any()
    assert json.loads((ran / "words" / "run.json").read_text())["with_text"] is True
    for name in ("decisions.csv", "candidates.parquet"):
        paths = [ran / each / "predictions" / name for each in ("run", "words")]
        assert paths[0].read_bytes() == paths[1].read_bytes()
    if ran.name.startswith("closed"):
        first = words.filter(pl.col("stage") == "scorer", pl.col("feature") == PLANTED)
        c1 = first.filter(pl.col("criterion_id") == "c1")
        assert len(c1) > 10
        assert c1["contribution"].min() > 0  # type: ignore[operator]
    else:
        asked = words.filter(pl.col("stage") == "matching")
        assert asked["contribution"].null_count() == len(asked)
        assert set(asked["value"]) <= {0.0, 0.5, 1.0}
        named = asked.filter(pl.col("feature").str.contains(r"\d"))
        values = dict(named.select("criterion_id", "value").iter_rows())
        assert all(value == 0 for name, value in values.items() if name.endswith("1"))
        assert np.mean([value == 1 for name, value in values.items() if name.endswith("0")]) > 0.8


def test_the_same_bytes_with_two_processes_and_on_a_rerun(ran: Path) -> None:
    path = ran / "run" / "predictions" / "explanations.parquet"
    before = path.read_bytes()
    assert (ran / "again" / "predictions" / "explanations.parquet").read_bytes() == before
    assay.run(planned(ran / "corpus"), ran / "run", processes=1)
    assert path.read_bytes() == before


def test_the_table_is_listed_and_evaluate_ignores_it(ran: Path, call: Call) -> None:
    listed = json.loads((ran / "run" / "predictions" / MANIFEST).read_text())
    assert "explanations.parquet" in json.dumps(listed)
    code, _, error = call("evaluate", ran / "run" / "predictions", "--corpus", ran / "corpus")
    assert (code, "explanations" in error) == (0, False)


def test_explanations_of_cached_predictions_are_the_same(tmp_path: Path) -> None:
    """A run that was killed before it explained anything fits the stages again."""
    corpus = Corpus.of(**closed())
    predict(planned(), corpus, choose, cache=tmp_path, processes=1)
    later = predict(planned(), corpus, choose, cache=tmp_path, processes=1, explain=True)
    assert features(later).equals(features(explained(closed())))


def test_gold_of_eval_posts_changes_no_explanation() -> None:
    tables = open_corpus()
    first = explained(tables)
    assert first.decisions is not None
    own = first.decisions.filter(pl.col("fold") == "0")["post_id"].unique().to_list()
    gold = tables["gold"].filter(~pl.col("post_id").is_in(own))
    found = [features(each) for each in (first, explained({**tables, "gold": gold}))]
    assert found[0].filter(pl.col("post_id").is_in(own)).equals(found[1].filter(pl.col("post_id").is_in(own)))
    assert not found[0].equals(found[1])


def test_a_feature_that_decides_everything_comes_first() -> None:
    posts = posts_of(Corpus.of(**toy(80)), Cache(None))
    view, draw = posts.view, np.random.default_rng(0)
    labelled = Labelled(view, posts.gold, np.ones(view.queries, dtype=bool))
    columns = {name: draw.normal(size=view.pairs) for name in ("node", "score")}
    columns |= {name: draw.normal(size=view.queries) for name in ("post_score", "evidence_score")}
    columns["match_gate"] = np.where(labelled.evidence, 3.0, -3.0) + draw.normal(size=view.queries)
    given = view.with_columns(columns)
    gate = NoEvidenceGate()
    gate.fit(Labelled(given, labelled.gold, labelled.known))
    (made,) = gate.explain(given, view.layout.pair_offsets[:-1])
    found = strongest_features([made], 1)
    first = found.names[found.feature[found.rank == 1]]
    assert np.mean(first == "matching model's log-odds of evidence") > 0.95


def test_features_that_one_stage_lacks_count_as_nothing_there() -> None:
    one = Explanation("gate", ("a", "b"), np.array([[1.0, 2.0]]), np.array([[0.4, -0.2]]))
    other = Explanation("gate", ("b", "c"), np.array([[2.0, 3.0]]), np.array([[-0.6, 0.0]]))
    found = strongest_features([one, other], 2)
    assert found.names[found.feature].tolist() == ["b", "a"]
    assert found.contribution.tolist() == pytest.approx([-0.4, 0.2])
    assert found.value.tolist() == [2.0, 1.0]


class Plain(assay.Stage):
    """A reranker without explanations."""

    name, needs, gives, ranks = "plain", ("score",), ("plain",), "plain"

    def apply(self, view: Any) -> dict[str, Any]:
        return {"plain": -view.column("score")}


class Explained(Plain):
    """One with them."""

    name, gives, ranks = "explained", ("mine",), "mine"

    def apply(self, view: Any) -> dict[str, Any]:
        return {"mine": -view.column("score")}

    def explain(self, view: Any, top: Any) -> tuple[Explanation, ...]:
        score = view.column("score")[top][:, None]
        return (assay.Explanation("ranking", ("minus the score",), score, -score),)


class Wrong(Explained):
    """One that returns too few rows."""

    name = "wrong"

    def explain(self, view: Any, top: Any) -> tuple[Explanation, ...]:
        return (assay.Explanation("rank", ("a",), np.zeros((1, 1)), np.full((1, 1), np.nan)),)


STAGES: tuple[Any, ...] = ("lexical", "matching", "scorer")


def test_a_stage_of_your_own_may_explain_itself_or_not() -> None:
    plain = explained(toy(30), planned(stages=(*STAGES, Plain)))
    assert "plain" not in set(features(plain)["stage"])
    found = features(explained(toy(30), planned(stages=(*STAGES, Explained))))
    mine = found.filter(pl.col("stage") == "explained")
    assert len(mine) == 60
    assert (mine["value"] + mine["contribution"] == 0).all()
    with pytest.raises(StageError, match=r"stage 'wrong' \(Wrong\): explain returned about 'rank'") as error:
        explained(toy(30), planned(stages=(*STAGES, Wrong)))
    assert "values that are no array of floats of shape (20, 1)" in str(error.value)


def test_without_stages_that_explain_there_is_no_table() -> None:
    assert explained(toy(30), planned(stages=("lexical",))).explanations is None


def test_unknown_trees_are_said_and_the_run_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> Callable[..., Any]:
        raise UnknownTreesError("other nodes")

    monkeypatch.setattr(Boosted, "contributions", fails)
    answers = explained(toy(30))
    assert answers.decisions is not None
    assert "stage 'gate' is not explained: other nodes" in capsys.readouterr().err
