"""Run texts through a sentence-transformers model: embeddings, MaxSim and pair scores."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from assay.array_types import Floats, Ints
from assay.errors import AssayError, InputError, shown
from assay.pipeline.models.extras import extra
from assay.pipeline.models.model_files import ModelSettings, cross_encoder, encoder, identity, listwise
from assay.pipeline.models.tokens import Texts
from assay.pipeline.models.vector_cache import Singles, Unit
from assay.pipeline.protocol.stage_cache import digest
from assay.pipeline.view_layout import Layout
from assay.pipeline.views import Unlabelled


def texts_of(view: Unlabelled) -> Texts:
    """Return the texts of a view that carries them."""
    if view.tokens.texts is None:
        raise AssayError("the view has no texts; a stage must declare that it reads them")
    return view.tokens.texts


def embedded(settings: ModelSettings, stage: str, texts: Texts, offsets: Ints) -> tuple[Floats, Floats]:
    """Return embeddings of length 1 of all sentences, post by post, and of the criteria."""
    whole = identity(settings, stage)

    def side(name: str, prompt: str, units: list[Unit]) -> Floats:
        def make(unit: Unit) -> Singles:
            made = _encoded(settings, stage, unit, prompt, normalize_embeddings=True)
            return np.asarray(made, dtype=np.float32)

        mark = digest({"model": whole, "as": name})
        found = texts.vectors.get(mark, units, _sure(settings, stage, make), f"{stage} {name}")
        return np.concatenate(found).astype(np.float64)

    return (
        side("sentences", settings.document_prompt, posts_in(texts, offsets)),
        side("criteria", settings.query_prompt, [texts.criteria]),
    )


def late(settings: ModelSettings, stage: str, texts: Texts, layout: Layout) -> Floats:
    """Return MaxSim of every pair: the mean over the criterion's tokens of the best cosine.

    The criteria asked of a post are scored together, so that its sentences are encoded once.
    """
    wanted = layout.query_criterion
    bounds = np.searchsorted(layout.query_post, np.arange(len(layout.posts) + 1))
    units: list[Unit] = [  # the number of criteria, the criteria, the sentences
        (str(end - begin), *(texts.criteria[at] for at in wanted[begin:end]), *sentences)
        for (begin, end), sentences in zip(pairwise(bounds), posts_in(texts, layout.offsets), strict=True)
        if end > begin
    ]

    def make(unit: Unit) -> Singles:
        count = int(unit[0]) + 1
        queries = tokens_of(settings, stage, unit[1:count], settings.query_prompt)
        said = tokens_of(settings, stage, unit[count:], settings.document_prompt)
        return np.array([max_sim(query, each) for query in queries for each in said], dtype=np.float32)

    mark = digest({"model": identity(settings, stage), "as": "late"})
    found = texts.vectors.get(mark, units, _sure(settings, stage, make), stage)
    return np.concatenate(found).astype(np.float64) if found else np.empty(0)


def max_sim(query: Singles, document: Singles) -> float:
    """1/|q| · Σᵢ maxⱼ qᵢ·dⱼ over rows of length 1."""
    return float((query @ document.T).max(axis=1).mean())


def tokens_of(settings: ModelSettings, stage: str, unit: Unit, prompt: str) -> list[Singles]:
    """Return the embedding of every token of each text, of length 1."""
    made = _encoded(settings, stage, unit, prompt, output_value="token_embeddings", convert_to_numpy=False)
    out: list[Singles] = []
    for each in made:
        values = each.float().cpu().numpy()
        length = np.linalg.norm(values, axis=1, keepdims=True)
        out.append(np.asarray(values / np.where(length > 0, length, 1), dtype=np.float32))
    return out


def pair_scores(
    settings: ModelSettings, stage: str, texts: Texts, units: list[Unit], *, lists: bool
) -> list[Singles]:
    """Return scores of a cross-encoder; a unit is a criterion, then the sentences to score."""

    def make(unit: Unit) -> Singles:
        query = settings.query_prompt + unit[0]
        documents = [settings.document_prompt + each for each in unit[1:]]
        if lists:
            ranked = listwise(settings, stage).rerank(query, documents)
            out = np.full(len(documents), np.nan, dtype=np.float32)
            for each in ranked:
                out[each["index"]] = each["relevance_score"]
            return out
        model = cross_encoder(settings, stage)
        if model.num_labels != 1:
            problem = f"source {shown(settings.source)} returns {model.num_labels} scores per pair"
            raise InputError.of(f"[{stage}]", problem, "expected a reranker, which returns one")
        return np.asarray(
            model.predict(
                [(query, each) for each in documents],
                batch_size=settings.batch,
                activation_fn=extra("torch", "models").nn.Identity(),  # a sigmoid would create ties
                show_progress_bar=False,
            ),
            dtype=np.float32,
        )

    mark = digest({"model": identity(settings, stage), "as": "lists" if lists else "pairs"})
    return texts.vectors.get(mark, units, _sure(settings, stage, make), stage)


def posts_in(texts: Texts, offsets: Ints) -> list[Unit]:
    """Return the sentences of each post."""
    return [tuple(texts.sentences[begin:end]) for begin, end in pairwise(offsets)]


def _encoded(settings: ModelSettings, stage: str, unit: Unit, prompt: str, **more: Any) -> Any:
    return encoder(settings, stage).encode(
        list(unit), prompt=prompt or None, batch_size=settings.batch, show_progress_bar=False, **more
    )


def _sure(settings: ModelSettings, stage: str, make: Callable[[Unit], Singles]) -> Callable[[Unit], Singles]:
    """Return the same, refusing values that are not finite before they are cached."""

    def checked(unit: Unit) -> Singles:
        made = make(unit)
        if not np.isfinite(made).all():
            problem = f"source {shown(settings.source)} returns values that are not finite"
            raise InputError.of(f"[{stage}]", problem, 'expected numbers; try dtype = "float32"')
        return made

    return checked
