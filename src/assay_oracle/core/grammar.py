"""Definition ids, `name[@cut][:parameter=value,…]`: every parameter, in the measure's order."""

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import Measure, measures


def parse(text: str) -> Definition:
    """Parse a definition id; a ValueError names the fault and what was expected."""
    head, _, tail = text.partition(":")
    name, at, cut = head.partition("@")
    if name not in measures():
        raise ValueError(f"{text}: no measure is named {name!r}; expected one of {[*measures()]}")
    measure = measures()[name]
    _check_cut(text, measure, cut if at else None)
    return Definition(text, name, cut if at else None, _parameters(text, measure, tail))


def _check_cut(text: str, measure: Measure, cut: str | None) -> None:
    if measure.cut is None:
        if cut is not None:
            raise ValueError(f"{text}: the cut is {cut!r}; this measure takes none")
    elif cut is None:
        if measure.cut_required:
            raise ValueError(f"{text}: the cut is missing; expected @ and {measure.cut.expected}")
    elif not measure.cut.accepts(cut):
        raise ValueError(f"{text}: the cut is {cut!r}; expected {measure.cut.expected}")


def _parameters(text: str, measure: Measure, tail: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in tail.split(",")] if tail else []
    names = [name for name, _, _ in pairs]
    if names != list(measure.parameters):
        raise ValueError(
            f"{text}: the parameters are {names}; expected {list(measure.parameters)} in this order"
        )
    for name, _, value in pairs:
        expected = measure.parameters[name]
        if not expected.accepts(value):
            raise ValueError(f"{text}: {name} is {value!r}; expected {expected.expected}")
    return {name: value for name, _, value in pairs}
