"""Minimise a smooth function by L-BFGS without bounds: the two-loop recursion of Nocedal (1980)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MEMORY = 10  # steps used to estimate the curvature
ENOUGH = 1e-4  # of the decrease that the slope predicts
SHORTEST = 1e-6  # step below which a direction is abandoned
STALLED = 1e-9  # relative decrease below which it has converged

Vector = NDArray[np.floating[Any]]
Objective = Callable[[Vector], tuple[float, Vector]]


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A vector by its coordinates, and their images: u·v is the sum over coordinates of u × images of v.

    The images are the coordinates themselves if the basis is orthonormal, and else the products with
    all vectors of the basis.
    """

    coordinates: Vector
    images: Vector

    @classmethod
    def plain(cls, coordinates: Vector) -> Point:
        """Return a vector in an orthonormal basis."""
        return cls(coordinates, coordinates)

    def dot(self, other: Point) -> float:
        """Return the dot product."""
        return float(self.coordinates @ other.images)

    def plus(self, factor: float, other: Point) -> Point:
        """Return this vector plus a multiple of another."""
        times = self.coordinates.dtype.type(factor)
        made = self.coordinates + times * other.coordinates
        return Point(made, made if self.images is self.coordinates else self.images + times * other.images)

    def times(self, factor: float) -> Point:
        """Return a multiple."""
        by = self.coordinates.dtype.type(factor)
        made = self.coordinates * by
        return Point(made, made if self.images is self.coordinates else self.images * by)


@dataclass(frozen=True, slots=True, eq=False)
class Slope:
    """A function's value and gradient at a point, and the largest part of the gradient."""

    value: float
    gradient: Point
    steepest: float


Step = tuple[Point, Point, float]  # step, change of gradient, 1 / product


def minimise(objective: Objective, start: Vector, tolerance: float, iterations: int) -> Vector:
    """Return where a function has its minimum; it stops when no part of the gradient exceeds `tolerance`."""
    search = descent(Point.plain(start), tolerance, iterations)
    at = next(search)
    while True:
        value, gradient = objective(at.coordinates)
        slope = Slope(value, Point.plain(gradient), float(np.abs(gradient).max()))
        try:
            at = search.send(slope)
        except StopIteration as stop:
            found: Point = stop.value
            return found.coordinates


def descent(start: Point, tolerance: float, iterations: int) -> Generator[Point, Slope, Point]:
    """Yield points, expect the slope at each, and return the last: whoever asks evaluates the function."""
    at = start
    here = yield at
    steps: list[Step] = []
    for _ in range(iterations):
        if here.steepest <= tolerance:
            break
        direction = _direction(here.gradient, steps)
        fall, size = direction.dot(here.gradient), 1.0
        while True:
            there = at.plus(-size, direction)
            after = yield there
            if after.value <= here.value - ENOUGH * size * fall or size < SHORTEST:
                break
            size /= 2
        if after.value >= here.value - STALLED * max(abs(here.value), 1.0):
            return there if after.value < here.value else at
        moved, turned = there.plus(-1, at), after.gradient.plus(-1, here.gradient)
        product = moved.dot(turned)
        if product > 0:
            steps = [*steps[1 - MEMORY :], (moved, turned, 1 / product)]
        at, here = there, after
    return at


def _direction(gradient: Point, steps: list[Step]) -> Point:
    """Return the inverse of the estimated curvature times the gradient."""
    if not steps:
        return gradient.times(min(1.0, 1.0 / gradient.dot(gradient) ** 0.5))
    made, shares = gradient, []
    for moved, turned, inverse in reversed(steps):
        shares.append(inverse * moved.dot(made))
        made = made.plus(-shares[-1], turned)
    _, turned, inverse = steps[-1]
    made = made.times(1.0 / (inverse * turned.dot(turned)))
    for (moved, turned, inverse), share in zip(steps, reversed(shares), strict=True):
        made = made.plus(share - inverse * turned.dot(made), moved)
    return made
