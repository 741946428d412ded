"""Several logistic regressions on the same rows, with one pass over the features for all of them.

The weights of a regression with a ridge penalty are a sum over rows, w = scale² · Σ βᵢxᵢ: where there
are fewer rows than features, a fit keeps one number βᵢ per row.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats
from assay.pipeline.regressions.lbfgs import Point, Slope, Vector, descent
from assay.pipeline.regressions.logistic_regression import Logistic, Loss, contrast, fit_logistic

WIDTH = 4
"""Regressions fitted at a time: a product with four columns takes as long as two with one."""
MOST = 30_000_000
"""Largest number of entries that are held twice for it, by row and by column: 480 MB."""
FOLDED = 64  # rows whose largest values are looked up at once


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A regression: its classes, and the smoothing of `contrast` if its features are to be scaled."""

    gold: Bools
    smoothing: float = 0.0


def fit_batch(
    features: Any, tasks: Sequence[Task], strength: float, tolerance: float, iterations: int
) -> Iterator[tuple[int, Logistic]]:
    """Minimise ½‖w / scale‖² / C + Σ cᵧ·ln(1 + e^(−y(w·x + b))) for each task; yield its place and result.

    The classes are weighted to the same sum, and both must be present. A fit stops when no part of
    the gradient of the mean loss with respect to w / scale exceeds `tolerance`.
    """
    rows, columns = features.shape
    if rows > columns:
        for number, task in enumerate(tasks):
            scale = _scale(features, task)
            yield number, fit_logistic(features, task.gold, strength, tolerance, iterations, scale)
        return
    products = _Products(features, WIDTH if len(tasks) >= WIDTH and _entries(features) <= MOST else 1)
    waiting, active = deque(range(len(tasks))), dict[int, _Fit]()
    while waiting or active:
        for column in range(products.width):
            if column not in active and waiting:
                task = tasks[waiting[0]]
                products.scale(column, _scale(features, task))
                active[column] = _Fit(waiting.popleft(), task.gold, strength, tolerance, iterations)
        images, steepest = products({column: each.pull for column, each in active.items()})
        for column, fit in list(active.items()):
            if not fit.goes_on(images[:, column], float(steepest[column])):
                yield fit.number, Logistic(products.weights(column, fit.rows), fit.intercept)
                del active[column]


def _scale(features: Any, task: Task) -> Vector | float:
    return contrast(features, task.gold, task.smoothing) if task.smoothing else 1.0


class _Fit:
    """A regression that is being fitted. Its points have a coordinate per row, and the intercept."""

    def __init__(self, number: int, gold: Bools, strength: float, tolerance: float, iterations: int) -> None:
        self.number = number
        self._loss, self._ridge = Loss(gold), 1.0 / (strength * len(gold))
        origin = np.zeros(len(gold) + 1)
        self._search = descent(Point(origin, origin.copy()), tolerance, iterations)
        self._reach(next(self._search))

    def _reach(self, at: Point) -> None:
        """Evaluate the loss at a point. `pull` has the coordinates of its gradient."""
        self.rows, self.intercept = at.coordinates[:-1], float(at.coordinates[-1])
        images = at.images[:-1]
        loss, pull = self._loss(images + self.intercept)
        self._value = loss + 0.5 * self._ridge * float(self.rows @ images)
        self._beyond = float(pull.sum())  # the part of the intercept
        self.pull = pull + self._ridge * self.rows

    def goes_on(self, images: Floats, steepest: float) -> bool:
        """Take a step, given the images of `pull` and the largest part of the gradient; False at the end."""
        gradient = Point(np.append(self.pull, self._beyond), np.append(images, self._beyond))
        slope = Slope(self._value, gradient, max(steepest, abs(self._beyond)))
        try:
            self._reach(self._search.send(slope))
        except StopIteration as stop:
            found: Point = stop.value
            self.rows, self.intercept = found.coordinates[:-1], float(found.coordinates[-1])
            return False
        return True


class _Products:
    """Products of scaled features with one or with `WIDTH` columns, each with its own scale."""

    def __init__(self, features: Any, width: int) -> None:
        self.width, self._rows, self._kind = width, features.shape[0], features.dtype
        self._down = features.T
        # SciPy's product by rows waits for each sum in turn; by columns it does not.
        self._up = features.tocsc() if width > 1 and hasattr(features, "tocsc") else features
        self._scales = np.ones((features.shape[1], width), dtype=self._kind)

    def scale(self, column: int, scale: Vector | float) -> None:
        """Set the scale of each feature for a column."""
        self._scales[:, column] = scale

    def weights(self, column: int, rows: Vector) -> Vector:
        """Return the weights of the features behind those of the rows."""
        made: Vector = (self._down @ rows.astype(self._kind)) * self._scales[:, column] ** 2
        return made

    def __call__(self, pulls: Mapping[int, Floats]) -> tuple[Floats, Vector]:
        """Return x · (xᵀ · pull) with the scaled features x, and the largest part of xᵀ · pull."""
        wide = np.zeros((self._rows, self.width), dtype=self._kind)
        for column, pull in pulls.items():
            wide[:, column] = pull
        sums = _times(self._down, wide)
        sums *= self._scales
        steepest = _largest(sums)
        sums *= self._scales
        return _times(self._up, sums).astype(np.float64), steepest


def _times(matrix: Any, columns: NDArray[Any]) -> NDArray[Any]:
    """Return a product. SciPy is slower with an array of one column than with a vector."""
    one = columns.shape[1] == 1
    return np.asarray((matrix @ columns[:, 0])[:, None] if one else matrix @ columns)


def _entries(features: Any) -> int:
    return int(features.nnz if hasattr(features, "nnz") else features.size)


def _largest(values: NDArray[Any]) -> Vector:
    """Return the largest absolute value of each column. NumPy is slow where rows are short."""
    folded, width = len(values) // FOLDED, values.shape[1]
    many, rest = np.split(values, [folded * FOLDED])
    many = many.reshape(folded, FOLDED * width)
    ends = (many.max(axis=0, initial=0), many.min(axis=0, initial=0))
    largest: Vector = np.abs(np.concatenate([rest, *(each.reshape(-1, width) for each in ends)])).max(axis=0)
    return largest
