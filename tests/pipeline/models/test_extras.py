"""Optional libraries: pandas is not loaded on the way to scikit-learn."""

from __future__ import annotations

import subprocess
import sys

import pytest

TREES = """
import sys
import numpy as np
from assay.pipeline.models.boosting import Boosted, BoostingSettings

draw = np.random.default_rng(0)
features = np.asfortranarray(np.column_stack([draw.integers(0, 3, 500), draw.normal(size=(500, 2))]))
model = Boosted(BoostingSettings(trees=3), 0, features, features[:, 1] > 0)
model(features)
model.contributions(features)
assert "sklearn.ensemble" in sys.modules
print("pandas" in sys.modules, "pyarrow" in sys.modules)
"""
HIDDEN = """
import sys
from threading import Thread
from assay.pipeline.models.extras import without_pandas

seen = []

def other():
    import pandas
    seen.append(pandas)

with without_pandas():
    try:
        import pandas
    except ImportError:
        seen.append(None)
    thread = Thread(target=other)
    thread.start()
    thread.join()
import pandas
assert seen == [None, pandas], seen
with without_pandas():  # it is loaded already
    import pandas
"""
NESTED = """
import sys
from assay.pipeline.models.extras import without_pandas

with without_pandas():
    with without_pandas():
        pass
    try:
        import pandas
    except ImportError:
        pass
assert "pandas" not in sys.modules
import pandas
"""
ENDS = """
import sys
from importlib.abc import MetaPathFinder
from assay.pipeline.models.extras import without_pandas

class Ends(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        hidden.__exit__(None, None, None)

sys.meta_path.insert(-1, Ends())
hidden = without_pandas()
hidden.__enter__()
assert "colorsys" not in sys.modules
import colorsys
"""


@pytest.mark.parametrize(
    ("code", "printed"), [(TREES, "False False\n"), (HIDDEN, ""), (NESTED, ""), (ENDS, "")]
)
def test_pandas_is_hidden_from_scikit_learn_only(code: str, printed: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == printed
