"""The JSON of a value has the fields that the standard library finds in it."""

from __future__ import annotations

from dataclasses import asdict

import assay
from assay.evaluation.display.result_document import plain_fields


def test_all_fields_as_the_standard_library_gives_them() -> None:
    inputs = assay.example_path("predictions"), assay.example_path("corpus")
    result = assay.evaluate(*inputs, bootstrap=20)
    assert any(value.interval for value in result.measures)
    for value in result.measures:
        assert plain_fields(value) == asdict(value)
