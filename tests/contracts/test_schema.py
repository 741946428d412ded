"""The JSON of a result against the schema that the catalogue gives."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from jsonschema.protocols import Validator

import assay
from assay.contracts.contract_toml import SHIPPED
from assay.metrics.core.schema import result_schema

EXAMPLE = Path(str(files("assay.example")))


@pytest.fixture(scope="module")
def validator() -> Validator:
    """The validator of the schema, which is checked once."""
    schema = result_schema()
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


@pytest.mark.parametrize("name", SHIPPED)
def test_results_of_every_contract_are_valid(name: str, validator: Validator) -> None:
    plain = assay.read_trec(EXAMPLE / "qrels.txt", EXAMPLE / "run.txt")
    results = [assay.evaluate(plain, contract=name)]
    predictions, corpus = EXAMPLE / "predictions", EXAMPLE / "corpus"
    results.append(assay.evaluate(predictions, corpus, contract=name, by=["criterion_id", "fold"]))
    for result in results:
        validator.validate(json.loads(json.dumps(result.to_dict())))


def test_the_shipped_schema_is_the_derived_one() -> None:
    shipped = files("assay.schemas").joinpath("result.schema.json").read_text(encoding="utf-8")
    assert json.loads(shipped) == result_schema()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("measures", 0, "value"), 1.5),
        (("measures", 0, "definition"), "ndcg@10:gain=wild,gold=all,cut=k,on=evidence"),
        (("measures", 0, "population"), "some"),
        (("counts", "missing"), -1),
        (("extra",), 1),
    ],
)
def test_what_cannot_be_is_refused(path: tuple[str | int, ...], value: object, validator: Validator) -> None:
    plain = assay.read_trec(EXAMPLE / "qrels.txt", EXAMPLE / "run.txt")
    document = json.loads(json.dumps(assay.evaluate(plain).to_dict()))
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(document)
