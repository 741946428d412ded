"""How one definition differs from another, in words."""

from __future__ import annotations

POPULATIONS = {
    "evidence": "queries with evidence",
    "no_evidence": "queries without evidence",
    "all": "all queries",
    "predicted": "queries with candidates",
    "returned": "queries on which something was returned",
}
ZEROS = "all queries, those without evidence as 0"
DECISIONS = {
    "returned": "that something is returned",
    "not_neg": "a state other than NEG",
    "pos": "the state POS",
    "tune": "the threshold from TUNE",
}


def parts(definition: str) -> tuple[str, dict[str, str]]:
    """Return the head of a definition id, such as `map@10`, and its parameters."""
    head, _, spelled = definition.partition(":")
    return head, dict(part.split("=", 1) for part in spelled.split(",") if "=" in part)


def apart(found: str, expected: str) -> int:
    """Return in how many parameters two definitions differ; another measure is further than any."""
    head, params = parts(found)
    other, wanted = parts(expected)
    if head != other:
        return 100
    return sum(wanted.get(name) != value for name, value in params.items())


def difference(found: str, expected: str) -> str:
    """Return what `found` is and `expected` is not: `map@10 over all queries, not …`."""
    head, params = parts(found)
    other, wanted = parts(expected)
    if head != other:
        return f"{head} ({_spelled(params)}), not {other}"
    said, unsaid = [], []
    for name, value in params.items():
        if wanted.get(name) != value:
            said.append(_words(name, value, ranked="rel" in params or "gain" in params))
            unsaid.append(_words(name, wanted.get(name, ""), ranked=False))
    return f"{head} {' and '.join(said)}, not {' and '.join(unsaid)}"


def _words(name: str, value: str, *, ranked: bool) -> str:
    if name == "on":
        return f"over {ZEROS if ranked and value == 'all' else POPULATIONS.get(value, value)}"
    if name == "at":
        return f"at {DECISIONS.get(value, f'p ≥ {value}')}"
    return f"with {name}={value}"


def _spelled(params: dict[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in params.items())
