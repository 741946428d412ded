"""Every measure of the catalogue is known to the lint."""

from __future__ import annotations

import pytest

from assay.metrics.catalogue import FAMILIES
from assay.metrics.describe import sample
from assay.verify.lint.names import definition_name


@pytest.mark.parametrize("family", FAMILIES)
def test_no_measure_is_forgotten(family: str) -> None:
    assert definition_name(sample(family).id) is not None
