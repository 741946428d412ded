"""Every measure of the catalogue is known to the lint."""

from __future__ import annotations

import pytest

from assay.metrics.core.registry import FAMILIES
from assay.verification.lint.names.measure_names import definition_name


@pytest.mark.parametrize("family", FAMILIES)
def test_no_measure_is_forgotten(family: str) -> None:
    assert definition_name(FAMILIES[family].sample().id) is not None
