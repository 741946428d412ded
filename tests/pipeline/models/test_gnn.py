"""The two stages with networks: they learn what edges carry, from TRAIN alone, and repeatably."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from assay.data.corpus import Corpus
from assay.errors import AssayError, CompositionError, InputError
from assay.experiment.state_thresholds import choose
from assay.pipeline.models import network_stage
from assay.pipeline.models.extras import extra
from assay.pipeline.models.network_stage import NetworkStage, ranked_pairs
from assay.pipeline.models.sentence_graph import edges_of
from assay.pipeline.models.tokens import Tokens, sp
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.run_config import Plan, Protocol, read_plan
from assay.pipeline.stage_registry import build
from assay.pipeline.stages.graph_gate import GraphGate, GraphGateSettings
from assay.pipeline.stages.graph_reranker import GraphReranker, GraphSettings
from assay.pipeline.stages.no_evidence_gate import NoEvidenceGate
from assay.pipeline.views import Columns, Labelled, Unlabelled
from tests.pipeline.conftest import FAST, toy

needs_gnn = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("torch_geometric") is None,
    reason="the extra gnn is not installed",
)
PAIR = ("node", "score", "bm25", "cosine", "dense_score", "semantic")
SMALL: dict[str, Any] = {"width": 16, "epochs": 12, "rate": 0.01}
READY = Path(__file__).parents[3] / "docs" / "configurations" / "gnn.toml"


def planted(posts: int = 60, seed: int = 0, criteria: int = 2) -> Labelled:
    """A sentence is evidence where the one before it has a mark; it has nothing of that itself.

    All columns are noise, so that only a message from the previous sentence can tell.
    """
    draw = np.random.default_rng(seed)
    sizes = draw.integers(3, 9, posts)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    n = int(offsets[-1])
    dense = draw.normal(size=(n, 8)) / 4
    marked = draw.random((n, criteria)) < 0.25
    dense[:, :criteria] = np.where(marked, 1.0, -1.0) + draw.normal(size=marked.shape) / 10
    gold = np.roll(marked, 1, axis=0)
    gold[offsets[:-1]] = False
    counts = sp.csr_matrix(np.ones((n, 3), dtype=np.float32))
    asked = sp.csr_matrix(np.ones((criteria, 3), dtype=np.float32))
    tokens = Tokens(counts, counts, asked, asked, np.arange(3), dense, np.ones((criteria, 8)))
    columns = {name: draw.normal(size=(n, criteria)) for name in PAIR}
    columns |= {name: draw.normal(size=(posts, criteria)) for name in ("post_score", "gate")}
    names = tuple(f"p{at}" for at in range(posts))
    codes = tuple(f"c{at}" for at in range(criteria))
    known = np.ones((posts, criteria), dtype=bool)
    return Labelled(Unlabelled(names, codes, offsets, tokens, known, columns), gold, known)


def graph(**settings: object) -> GraphReranker:
    return GraphReranker(GraphSettings(**{**SMALL, **settings}))


def gate(**settings: object) -> GraphGate:
    return GraphGate(GraphGateSettings(**{**SMALL, **settings}))


def fitted(stage: NetworkStage, labelled: Labelled) -> NetworkStage:
    stage.fit(labelled.only(stage.needs))
    return stage


def answer(stage: NetworkStage, view: Unlabelled) -> np.ndarray:
    (values,) = stage.apply(view.only(stage.needs)).values()
    return values


Make = Callable[..., NetworkStage]
both = pytest.mark.parametrize("make", [graph, gate], ids=["graph", "graph_gate"])


@needs_gnn
def test_the_graph_learns_what_only_edges_carry() -> None:
    train, new = planted(90), planted(60, seed=1)
    found = {
        edges: roc_auc_score(new.gold.ravel(), answer(fitted(graph(edges=edges), train), new.view).ravel())
        for edges in (True, False)
    }
    assert found[True] > 0.95
    assert found[False] < 0.7  # that a first sentence is none can be known from its place


@needs_gnn
def test_the_gate_learns_from_the_sentences_of_a_query() -> None:
    train, new = planted(150), planted(80, seed=1)
    before = roc_auc_score(new.evidence.ravel(), new.view.column("gate").ravel())
    after = roc_auc_score(
        new.evidence.ravel(), answer(fitted(gate(epochs=30, share=1.0), train), new.view).ravel()
    )
    assert before < 0.6
    assert after > 0.75


@needs_gnn
@both
def test_shapes_and_the_same_bytes_for_a_seed(make: Make) -> None:
    train, new = planted(), planted(9, seed=2)
    first, second = (answer(fitted(make(epochs=4), train), new.view) for _ in range(2))
    rows = len(new.view.owner) if make is graph else len(new.view.posts)
    assert first.shape == (rows, 2)
    assert np.isfinite(first).all()
    assert first.tobytes() == second.tobytes()
    other = type(make())(make(epochs=4).settings, seed=1)
    assert answer(fitted(other, train), new.view).tobytes() != first.tobytes()


@needs_gnn
def test_torch_is_left_as_it_was() -> None:
    torch = extra("torch", "gnn")
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.manual_seed(5)
    expected = torch.rand(3).tolist()
    torch.manual_seed(5)
    fitted(graph(epochs=1), planted(12))
    assert torch.rand(3).tolist() == expected
    assert (torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()) == before


@needs_gnn
@both
@pytest.mark.parametrize("kind", ["npz", "safetensors"])
def test_what_was_learned_survives_a_file_without_pickle(make: Make, kind: str, tmp_path: Path) -> None:
    new = planted(9, seed=2)
    stage = fitted(make(epochs=2), planted())
    path = tmp_path / "state"
    if kind == "npz":
        with path.open("wb") as file:
            np.savez(file, allow_pickle=False, **stage.state())
        with np.load(path, allow_pickle=False) as arrays:
            state = dict(arrays)
    else:
        files = extra("safetensors.numpy")
        files.save_file(stage.state(), path)
        state = files.load_file(path)
    again = make(epochs=2)
    again.restore(state)
    assert answer(again, new.view).tobytes() == answer(stage, new.view).tobytes()
    untaught = make()
    assert answer(untaught, new.view).tobytes() != answer(stage, new.view).tobytes()
    untaught.restore(make().state())
    assert np.array_equal(answer(untaught, new.view), new.view.column(untaught.gives[0]))


@needs_gnn
@both
def test_early_stopping_sees_posts_of_train_that_teach_nothing(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.pipeline.models import network_training  # needs torch

    met: dict[str, set[float]] = {}
    train = planted()
    # The first column of the embedding names the sentence.
    assert train.view.tokens.dense is not None
    train.view.tokens.dense[:, 0] = np.arange(len(train.view.owner))

    def watched(_: object, taught: list[Any], held: list[Any], *__: object, **___: object) -> None:
        for name, batches in (("taught", taught), ("held", held)):
            met[name] = {value for each in batches for value in each.dense[:, 0].tolist()}

    monkeypatch.setattr(network_training, "teach", watched)
    fitted(make(held=0.2), train)
    assert met["taught"].isdisjoint(met["held"])
    assert met["taught"] | met["held"] == set(map(float, range(len(train.view.owner))))
    posts = {int(train.view.owner[int(at)]) for at in met["held"]}
    assert len(posts) == 12  # of 60, and all of their sentences
    assert sum(train.view.sizes[list(posts)]) == len(met["held"])


@needs_gnn
@both
def test_a_view_without_gold_is_all_that_apply_gets(make: Make) -> None:
    stage, new = fitted(make(epochs=2), planted()), planted(9, seed=2)
    assert "gold" not in stage.needs
    flipped = Labelled(new.view, ~new.gold, new.known)
    assert answer(stage, new.view).tobytes() == answer(stage, flipped.view).tobytes()


@needs_gnn
@both
def test_a_criterion_that_is_not_learned_keeps_what_comes_in(make: Make) -> None:
    train, new = planted(), planted(9, seed=2)
    known = train.known.copy()
    known[:, 1] = False
    stage = fitted(make(epochs=3), Labelled(train.view, train.gold, known))
    made, base = answer(stage, new.view), new.view.column(stage.gives[0])
    assert np.array_equal(made[:, 1], base[:, 1])
    assert not np.array_equal(made[:, 0], base[:, 0])
    changed = train.gold.copy()
    changed[:, 1] = ~changed[:, 1]
    again = fitted(make(epochs=3), Labelled(train.view, changed, known))
    assert answer(again, new.view).tobytes() == made.tobytes()


@needs_gnn
@both
@pytest.mark.parametrize("share", [False, True])
def test_one_class_only_keeps_what_comes_in(make: Make, share: bool) -> None:
    train = planted(8)
    stage = fitted(make(), Labelled(train.view, np.full_like(train.gold, share), train.known))
    assert np.array_equal(answer(stage, train.view), train.view.column(stage.gives[0]))


@needs_gnn
def test_a_share_of_the_network_in_the_gate() -> None:
    train, new = planted(), planted(9, seed=2)
    alone, half = (fitted(gate(share=each, epochs=3), train) for each in (1.0, 0.5))
    assert "gate" not in alone.needs
    expected = (new.view.column("gate") + answer(alone, new.view)) / 2
    assert np.allclose(answer(half, new.view), expected)


@needs_gnn
def test_heads_share_the_width() -> None:
    with pytest.raises(InputError, match=r"width is 16; expected a multiple of heads \(3\)"):
        gate(heads=3)


def test_edges_by_hand() -> None:
    view = planted(2).view
    dense = np.array([[1, 0], [0, 1], [0.6, 0.8], [0.8, 0.6], [1, 0], [0, 1]])
    none = sp.csr_matrix((6, 0))
    tokens = Tokens(none, none, none[:2], none[:2], np.arange(0), dense)
    made = Unlabelled(view.posts, view.criteria, np.array([0, 4, 6]), tokens, view.asked)
    before, after, alike = edges_of(made, 1)
    assert before.T.tolist() == [[0, 1], [1, 2], [2, 3], [4, 5]]
    assert after.T.tolist() == [[1, 0], [2, 1], [3, 2], [5, 4]]
    # cosines: 0–3 .8, 1–2 .8, 2–3 .96; the two of the second post have only each other
    assert alike.T.tolist() == [[3, 0], [2, 1], [3, 2], [2, 3], [5, 4], [4, 5]]
    assert edges_of(made, 0)[2].shape == (2, 0)


def test_pairs_of_a_query_weigh_one_together() -> None:
    gold = np.array([[1, 0], [0, 1], [1, 1], [1, 0], [0, 0]], dtype=bool)
    known = np.ones_like(gold)
    known[3:, 0] = False
    pairs, weight = ranked_pairs(gold, known, np.array([0, 3, 5]))
    # places are sentence · 2 + criterion: post 1 has 0 and 4 over 2, then 3 and 5 over 1
    assert pairs.T.tolist() == [[0, 2], [4, 2], [3, 1], [5, 1]]
    assert weight.tolist() == [0.5, 0.5, 0.5, 0.5]


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_stage, "find_spec", lambda _: None)
    stages = ("lexical", "matching", "scorer", "embedding", "neighbours", "graph")
    with pytest.raises(AssayError, match=r"torch is not installed; .*pip install 'assay\[gnn\]'"):
        build(stages, {}, choose=choose)


@needs_gnn
def test_only_what_a_stage_needs_may_it_give_again() -> None:
    class Unasked(NoEvidenceGate):
        name = "unasked"

        def apply(self, view: Unlabelled) -> Columns:
            return super().apply(view)

    stages = (
        "lexical",
        "scorer",
        "embedding",
        "neighbours",
        "graph",
        "post_scorer",
        "evidence_scorer",
        "gate",
    )
    whole = build(stages, {}, choose=choose)
    assert (whole >> gate()).names().endswith("gate >> graph_gate")
    with pytest.raises(
        CompositionError, match="'unasked' produces column 'gate', which stage 'gate' already"
    ):
        whole >> Unasked()
    with pytest.raises(
        CompositionError, match="'graph' produces column 'node', which stage 'neighbours' already"
    ):
        build(stages, {"graph": {"base": "score"}}, choose=choose)


@needs_gnn
def test_the_ready_configuration_runs(tmp_path: Path) -> None:
    plan = read_plan(READY)
    tables = {**plan.tables, **{name: {**plan.tables.get(name, {}), **FAST[name]} for name in FAST}}
    for name in ("graph", "graph_gate"):
        tables[name] = {**tables.get(name, {}), "epochs": 1, "width": 8}
    made = Plan(tmp_path, stages=plan.stages, tables=tables, protocol=Protocol(folds=2, crossfit=2))
    first, second = (predict(made, Corpus.of(**toy(40)), choose, processes=1) for _ in range(2))
    assert first.decisions is not None
    assert second.decisions is not None
    assert first.decisions.height == 80
    assert first.decisions.write_csv() == second.decisions.write_csv()


@needs_gnn
@both
@pytest.mark.parametrize("thin", ["one sentence", "one criterion", "two posts"])
def test_thin_views_are_answered(make: Make, thin: str) -> None:
    given = planted(2 if thin == "two posts" else 12, criteria=1 if thin == "one criterion" else 2)
    if thin == "one sentence":
        n = len(given.view.owner)
        columns = {name: given.view.column(name) for name in PAIR}
        columns |= {name: given.view.column("score") for name in ("post_score", "gate")}
        asked = np.ones((n, 2), dtype=bool)
        view = Unlabelled(
            tuple(map(str, range(n))), ("a", "b"), np.arange(n + 1), given.view.tokens, asked, columns
        )
        given = Labelled(view, given.gold, asked)
    made = answer(fitted(make(epochs=1), given), given.view)
    assert made.shape == given.view.column(make().gives[0]).shape
    assert np.isfinite(made).all()
