"""`save`: a result with its tables, schemas and hashes, as a folder that appears in one step."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from pathlib import Path

from assay.errors import AssayError
from assay.evaluation.baselines.baseline_pool import NAME as POOL
from assay.evaluation.baselines.baselines import baselines_of, pool_of
from assay.evaluation.bundle import every_eval, ro_crate
from assay.evaluation.bundle.bundle_files import MANIFEST, files_of, manifest, write_json
from assay.evaluation.bundle.bundle_folder import refuse_existing
from assay.evaluation.bundle.bundle_tables import write_tables
from assay.evaluation.bundle.master import master, summary
from assay.evaluation.inputs.aligned_input import Sources
from assay.evaluation.result import Baseline, Result
from assay.files.scratch import write_new
from assay.files.staging import Staging

SCHEMAS = ("bundle.schema.json", "result.schema.json")


def save(result: Result, folder: str | Path, *, overwrite: bool = False) -> Path:
    """Write the bundle of a result; the same input, seed and version give the same bytes.

    Threads and processes may save to one place: there is always one whole bundle. Without
    `overwrite` the first one to finish wins, and the others get an error.
    """
    with Staging() as staging:
        stage(result, folder, staging, overwrite=overwrite)
        staging.commit()
    return Path(folder)


def stage(result: Result, folder: str | Path, staging: Staging, *, overwrite: bool = False) -> Path:
    """Write the bundle to scratch space; return where it is until the staging is committed."""
    sources = result.sources
    if sources is None:
        raise AssayError(
            "this result has no tables to save: it was loaded, or came from another process; "
            "save it where it was computed"
        )

    for file in sources.files:
        file.hashed = True

    def fill(fresh: Path) -> None:
        write_tables(result, sources, fresh)
        document = master(result, sources, write_baselines(result, sources, fresh))
        write_json(fresh / "metrics_master.json", document)
        write_json(fresh / "summary.json", summary(document))
        (fresh / "schema").mkdir()
        for name in SCHEMAS:
            text = files("assay.schemas").joinpath(name).read_text(encoding="utf-8")
            write_new(fresh / "schema" / name, text)
        write_json(fresh / every_eval.NAME, every_eval.every_eval(document))
        write_json(fresh / ro_crate.NAME, ro_crate.crate(fresh, document, files_of(fresh)))
        write_json(fresh / MANIFEST, manifest(fresh))

    return staging.folder(folder, fill, partial(refuse_existing, overwrite=overwrite))


def write_baselines(result: Result, sources: Sources, folder: Path) -> tuple[Baseline, ...]:
    """Return the baselines of a result, and write the table that they can be recomputed from."""
    cases, pool = pool_of(result, sources)
    table = pool.table(cases)
    if table is not None:
        write_new(folder / POOL, table.write_csv())
    return baselines_of(result, cases, pool)
