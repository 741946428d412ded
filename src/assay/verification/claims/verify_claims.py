"""`verify_claims`: recompute a per-query table with both implementations, compare claimed values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.contracts.contract import Contract
from assay.contracts.contract_toml import DEFAULT
from assay.contracts.contract_toml import contract as load_contract
from assay.data.logs.per_query_input import evaluation_input
from assay.data.logs.per_query_table import PerQueryTable, read_per_query
from assay.errors import InputError, shown
from assay.evaluation.evaluate import evaluate_under
from assay.evaluation.result import Result
from assay.verification.claims.claim_report import UNKNOWN, Claim, ClaimReport, RecomputedValue
from assay.verification.claims.compare_claims import judged
from assay.verification.claims.per_query_claims import column_claims
from assay.verification.claims.possible_definitions import possible_definitions
from assay.verification.claims.second_values import second_values
from assay.verification.lint.lint import Figures, printed_pages
from assay.verification.lint.printed_values import Figure


def verify_claims(
    table: Any,
    claims: Figures | None = None,
    *,
    columns: Mapping[str, str | None] | None = None,
    contract: Contract | str | Path = DEFAULT,
    system: str | None = None,
) -> ClaimReport:
    """Recompute results from a per-query table, and compare them with the claimed values.

    Parameters
    ----------
    table
        One row per query with its id, gold and ranked ids, and where there are any probability,
        label, state, selected K, group and fold: CSV with any separator, JSON lines, Parquet, a
        data frame or a list of dicts. Ids are joined by `|` or a JSON list, best first.
    claims
        A file of values or what a JSON file would hold, in any format that `lint` reads. Columns of
        the table that are named like a measure are claims per query.
    columns
        The column of each role that its name does not show: id, group, gold, ranked, prob, label,
        state, selected_k, fold.
    contract
        The contract whose definitions are tried first.
    system
        The system of the claims that the table is of, where they have several.

    Returns
    -------
    ClaimReport
        Every value with its definition id, by both implementations; and for each claim the
        definition that gives it. `ok` is False where a claim matches nothing.

    Raises
    ------
    InputError
        The table or the claims cannot be read, or no claim can be compared.

    Examples
    --------
    >>> rows = [{"id": 1, "gold": "a", "ranked": "b|a"}, {"id": 2, "gold": "", "ranked": "c"}]
    >>> report = assay.verify_claims(rows, {"MRR": 0.25})
    >>> report.claims[0].verdict, report.claims[0].definition
    ('other definition', 'mrr:rel=1,on=all')

    """
    chosen = load_contract(contract)
    read = read_per_query(table, columns)
    given = evaluation_input(read)
    source, figures, unread = _figures(claims, system)
    named = [(figure, possible_definitions(figure.name, chosen)) for figure in figures]
    own = column_claims(read, chosen)
    tried = dict.fromkeys(each for _, ids in (*named, *((one.name, one.ids) for one in own)) for each in ids)
    whole = evaluate_under(chosen, given)
    every = evaluate_under(chosen, given, measures=tried) if tried else whole
    made = [judged(figure, ids, every) for figure, ids in named]
    made += [one.judged(every) for one in own]
    if figures and all(each.verdict == UNKNOWN for each in made):
        reasons = "; ".join(dict.fromkeys(each.why for each in made))
        raise InputError.of(source, f"no claim can be compared with the table ({reasons})", "expected others")
    values = _values(given, chosen, whole, every, made)
    return ClaimReport(
        table=read.name,
        contract=chosen.id,
        queries=whole.counts.queries,
        columns=read.columns,
        values=tuple(values),
        absent=_absent(whole, read),
        claims=tuple(made),
        unread=tuple(unread),
        source=source,
        said_none=read.said_none,
    )


def _figures(claims: Figures | None, system: str | None) -> tuple[str, list[Figure], list[str]]:
    """Return the claimed values of one system."""
    if claims is None:
        return "", [], []
    label, pages, unread = printed_pages(claims)
    sheets = [sheet for page in pages for sheet in page.sheets]
    systems = list(dict.fromkeys(sheet.system for sheet in sheets))
    if system is not None:
        if system not in systems:
            expected = f"expected one of {', '.join(shown(each) for each in systems[:20])}"
            raise InputError.of(label, f"has no system {shown(system)}", expected)
        sheets = [sheet for sheet in sheets if sheet.system == system]
    elif len(systems) > 1:
        listed = ", ".join(shown(each) for each in systems[:20])
        problem = f"has values of {len(systems)} systems ({listed})"
        raise InputError.of(label, problem, "name the one that the table is of with `system`")
    figures = [figure for sheet in sheets for figure in sheet.figures]
    if not figures:
        raise InputError.of(label, "has no value of a known measure", "expected measures with values")
    return label, figures, unread


def _values(
    given: Any, contract: Contract, whole: Result, every: Result, claims: Iterable[Claim]
) -> Iterator[RecomputedValue]:
    """Yield the measures of the contract, then those that claims turned out to be."""
    names = {value.definition: value.name for value in whole.measures}
    found = {value.definition: value for value in (*every.measures, *whole.measures)}
    wanted = dict.fromkeys((*names, *(each.definition for each in claims if each.definition)))
    second = second_values(given, contract, wanted)
    for definition in wanted:
        value = found[definition]
        name = names.get(definition, definition.partition(":")[0])
        yield RecomputedValue(name, definition, value.pooled, value.n, second.get(definition))


def _absent(whole: Result, table: PerQueryTable) -> dict[str, str]:
    """Return what the table cannot give, by the column that it lacks."""
    lacks = {
        "no rankings": ("ranked", "gold"),
        "column prob": ("prob",),
        "column selected_k": ("selected_k",),
        "column state": ("state",),
        "no probabilities": ("prob",),
        "no decisions": ("prob",),
    }
    made = {}
    for name, reason in whole.absent.items():
        roles = next((each for text, each in lacks.items() if text in reason), ())
        missing = [role for role in roles if role not in table.columns]
        made[name] = f"the table has no column for {' and '.join(missing)}" if missing else reason
    return made
