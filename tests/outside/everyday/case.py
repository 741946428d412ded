"""Small studies with values that people really have: decimals, votes, ratings, ties, certainties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

STATES = ("NEG", "UNCERTAIN", "POS")
Draw = Callable[[Random], float]

PROBABILITIES: Mapping[str, Draw] = {
    "one decimal": lambda rng: rng.randint(0, 10) / 10,
    "two decimals": lambda rng: rng.randint(0, 100) / 100,
    "one minus one decimal": lambda rng: 1 - rng.randint(0, 10) / 10,
    "one minus two decimals": lambda rng: 1 - rng.randint(0, 100) / 100,
    "votes of 25 trees": lambda rng: rng.randint(0, 25) / 25,
    "votes of 100 trees": lambda rng: sum([0.01] * rng.randint(0, 100)),
    "percentages": lambda rng: rng.randint(0, 1000) * 0.1 / 100,
    "0, 0.5 and 1": lambda rng: rng.choice((0.0, 0.5, 1.0)),
    "all equal": lambda _: 0.3,
    "random floats": lambda rng: rng.random(),
}
SCORES: Mapping[str, Draw] = {
    "integers": lambda rng: float(rng.randint(-3, 8)),
    "ratings from 0 to 100": lambda rng: float(rng.randint(0, 20) * 5),
    "one decimal": lambda rng: rng.randint(0, 30) / 10,
    "all equal": lambda _: 1.0,
    "random floats": lambda rng: rng.uniform(-5, 25),
}


@dataclass(frozen=True)
class Query:
    """One query: candidates in input order, judgements, and what the system decided."""

    id: str
    post: str
    criterion: str
    candidates: tuple[tuple[str, float], ...]  # item and score, in the order of the input
    judged: Mapping[str, int]  # item to grade; 0 means judged and not relevant
    prob: float
    selected_k: int
    state: str

    @property
    def has_evidence(self) -> bool:
        """Whether some item has a grade of at least 1."""
        return any(grade >= 1 for grade in self.judged.values())

    @property
    def ranked(self) -> list[str]:
        """Items by score, highest first; equal scores keep the order of the input."""
        return [item for item, _ in sorted(self.candidates, key=lambda pair: -pair[1])]


@dataclass(frozen=True)
class Case:
    """Queries to score, and TUNE queries (probability, has evidence) that thresholds come from."""

    kind: str
    queries: tuple[Query, ...]
    tune: tuple[tuple[float, bool], ...]


def draw(seed: int) -> Case:
    """Return a case; seeds walk through all kinds of probabilities and scores."""
    rng = Random(f"everyday {seed}")
    prob_kind = list(PROBABILITIES)[seed % len(PROBABILITIES)]
    score_kind = list(SCORES)[seed // 2 % len(SCORES)]
    prob, score = PROBABILITIES[prob_kind], SCORES[score_kind]
    top = rng.choice((1, 1, 3))
    rate = rng.choice((0.1, 0.4, 0.6))
    queries = []
    for post in range(rng.randint(2, 8)):
        for criterion in range(3):
            has = rng.random() < rate
            items = [f"p{post}_s{at}" for at in range(rng.randint(1, 12))]
            judged = {
                item: rng.randint(1, top) if has and rng.random() < 0.4 else 0
                for item in items
                if rng.random() < 0.6
            }
            listed = [item for item in items if rng.random() < 0.9]
            rng.shuffle(listed)
            candidates = tuple((item, score(rng)) for item in listed)
            state = rng.choice(STATES)
            most = 0 if state == "NEG" else len(listed)  # NEG returns nothing
            queries.append(
                Query(
                    id=f"p{post}|c{criterion}",
                    post=f"p{post}",
                    criterion=f"c{criterion}",
                    candidates=candidates,
                    judged=judged,
                    prob=min(max(prob(rng), 0.0), 1.0),
                    selected_k=rng.randint(0, most),
                    state=state,
                )
            )
    tune = tuple((min(max(prob(rng), 0.0), 1.0), rng.random() < 0.4) for _ in range(40))
    return Case(f"probabilities: {prob_kind}; scores: {score_kind}", tuple(queries), tune)
