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
    given = {name: value for name, _, value in pairs}
    names = [name for name, _, _ in pairs]
    spelled = [name for name, each in measure.parameters.items() if each.default is None or name in given]
    if names != spelled:
        raise ValueError(f"{text}: the parameters are {names}; expected {spelled} in this order")
    for name, value in given.items():
        expected = measure.parameters[name]
        if not expected.accepts(value):
            raise ValueError(f"{text}: {name} is {value!r}; expected {expected.expected}")
        if value == expected.default:
            raise ValueError(f"{text}: {name}={value} is the default, which an id leaves out")
    return {name: given.get(name, str(each.default)) for name, each in measure.parameters.items()}
