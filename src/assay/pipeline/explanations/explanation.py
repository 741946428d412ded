"""`Explanation`: how much each named feature contributes to the output of a stage."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Floats, Ints
from assay.errors import shown

if TYPE_CHECKING:
    from assay.pipeline.views import Unlabelled

GATE, RANKING, WORD = "gate", "ranking", "word"
ABOUT = (GATE, RANKING)
SENTENCE, QUESTION = "sentence", "question"


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """What `explain` of a stage returns: the contributions of its features, one row per query.

    Attributes
    ----------
    about
        `"gate"`: the log-odds that a query has evidence. `"ranking"`: the log-odds that its
        top-ranked sentence is evidence.
    names
        The features, in words that readers of the predictions understand; never words of a text.
    values
        The value of each feature, as an array of queries × features; NaN if it has none.
    contributions
        How much each feature adds to the log-odds, in the same shape; 0 if it adds nothing.

    Examples
    --------
    >>> import numpy as np
    >>> made = assay.Explanation("gate", ("BM25",), np.array([[7.1]]), np.array([[0.4]]))
    >>> made.names
    ('BM25',)

    """

    about: str
    names: tuple[str, ...]
    values: Floats
    contributions: Floats


def explanation_problems(made: Any, queries: int) -> Iterator[str]:
    """Yield what is wrong with the result of `explain`."""
    if not isinstance(made, tuple) or not all(isinstance(each, Explanation) for each in made):
        yield f"{type(made).__name__}; expected a tuple of assay.Explanation"
        return
    for each in made:
        if each.about not in ABOUT:
            yield f"about {shown(each.about)}; expected {' or '.join(ABOUT)}"
        for key in ("values", "contributions"):
            array, shape = getattr(each, key), (queries, len(each.names))
            if not isinstance(array, np.ndarray) or array.dtype.kind != "f" or array.shape != shape:
                yield f"{key} that are no array of floats of shape {shape} (queries, names)"
            elif key == "contributions" and not np.isfinite(array).all():
                yield "contributions that are not finite; use 0 for a feature that adds nothing"
    if len({each.about for each in made}) < len(made):
        yield "two explanations about the same; expected at most one about each"


Block = tuple[str, NDArray[Any]]
"""The name of a feature and its values."""


def summed(
    about: str, names: Sequence[str], values: NDArray[np.floating[Any]], contributions: Floats
) -> Explanation:
    """Return an explanation in which each name occurs once, with the sum of its contributions.

    Trees and the regression next to them read some features both.
    """
    first: dict[str, int] = {}
    place = np.array([first.setdefault(name, len(first)) for name in names], dtype=np.int64)
    total = np.zeros((len(contributions), len(first)))
    for at, into in enumerate(place):
        total[:, into] += contributions[:, at]
    kept = [names.index(name) for name in first]
    return Explanation(about, tuple(first), np.asarray(values[:, kept], dtype=np.float64), total)


@dataclass(frozen=True, slots=True, eq=False)
class WordContributions:
    """Contributions of words by number, so that nothing on disk has words unless asked for.

    Attributes
    ----------
    contributions
        A sparse matrix of queries × words.
    values
        The same with their values.

    """

    contributions: Any
    values: Any


class ExplainsWords(ABC):
    """A stage of assay that can also tell which words it used.

    `words_of` defines the numbers of words: columns of `Tokens.words` for those of
    sentences, places in the criterion's text for those of questions.
    """

    words_of: ClassVar[str]  # SENTENCE or QUESTION

    def to_explain(self) -> Any:
        """Return the fitted stage without what only `apply` needs; several are kept until then."""
        return self

    @abstractmethod
    def explain_words(self, view: Unlabelled, top: Ints) -> WordContributions | None:
        """Return the words that speak for or against the top-ranked pair of each query."""
