"""Models of sentence-transformers by name or folder: find, identify and load them.

A model is what the user names: a folder, `package:NAME` for an installed package that carries its
weights, or a name on the hub. Only such a name is ever downloaded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from assay.errors import InputError, MissingExtraError, shown
from assay.pipeline.models.extras import extra
from assay.pipeline.models.model_hashes import check_files, digest_of, file_hashes
from assay.pipeline.protocol.stage_cache import digest
from assay.pipeline.settings import Settings, setting

PACKAGE, HUB, STATIC = "package:", "hub:", "static"
HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")
READ = ("*.safetensors", "*.json", "*.txt", "*.model", "*.py", "*.jinja")
"""What is downloaded from the hub: no pickled weights, no copies in other formats."""
DEVICES = ("auto", "cpu", "cuda", "mps")
DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, slots=True)
class ModelSettings(Settings):
    """Which model to use, and how to run it.

    `source`: a folder, `package:NAME`, or a name on the hub, there with `revision`. `sha256`: the
    hash of the model's files from `run.json`; other files are refused. Code shipped with a model
    runs only with `trust_remote_code`. `query_prompt` is put before a criterion, `document_prompt`
    before a sentence. More than one of `threads` per process was slower when folds run in parallel.
    """

    source: str = setting("")
    revision: str = setting("")
    sha256: str = setting("")
    trust_remote_code: bool = setting(False)
    query_prompt: str = setting("")
    document_prompt: str = setting("")
    max_length: int | None = setting(None, low=4, optional=True)
    batch: int = setting(8, low=1)  # of one post; more means more padding
    device: str = setting("auto", choices=DEVICES)
    dtype: str = setting("float32", choices=DTYPES)
    threads: int = setting(1, low=1)


Model = TypeVar("Model", bound="ModelSettings")


def located(settings: Model, base: Path | None) -> Model:
    """Return the settings with a source that does not depend on the current directory.

    A relative folder starts at `base`, the folder of the configuration file. A name that is not a
    folder there is one on the hub, even if the current directory has a folder of that name.
    """
    source = settings.source
    if base is None or not source or source == STATIC or source.startswith((PACKAGE, HUB)):
        return settings
    path = base.absolute() / Path(source).expanduser()
    if HUB_NAME.fullmatch(source) and not path.is_dir():
        return replace(settings, source=HUB + source)
    return replace(settings, source=str(path))


def folder_of(settings: ModelSettings, stage: str) -> Path:
    """Return the folder of the model; one on the hub is downloaded if it is not cached."""
    source = settings.source
    if not source:
        expected = "expected source, a folder, package:NAME or a name on the hub"
        raise InputError.of(f"[{stage}]", "names no source", expected)
    path = _packaged(source, stage) if source.startswith(PACKAGE) else Path(source).expanduser()
    if source.startswith(HUB) or not path.is_dir():
        path = _from_hub(settings, stage)
    elif settings.revision:
        problem = f"revision has no effect on {shown(source)}, which is not a name on the hub"
        raise InputError.of(f"[{stage}]", problem, "expected sha256, which fixes any model")
    if not any(path.rglob("*.safetensors")):
        problem = f"source {shown(source)} has no weights in safetensors"
        raise InputError.of(f"[{stage}]", problem, "expected a model in the safetensors format")
    package = source.removeprefix(PACKAGE) if source.startswith(PACKAGE) else None
    check_files(path, source, package, settings.sha256, stage)
    return path


def record(settings: ModelSettings, stage: str) -> dict[str, Any]:
    """Return what `run.json` records of a model: its source and the hash of each file."""
    files = file_hashes(folder_of(settings, stage))
    return {"source": settings.source.removeprefix(HUB), "sha256": digest_of(files), "files": dict(files)}


def identity(settings: ModelSettings, stage: str) -> str:
    """Return the SHA-256 of all that determines the output: files, settings, libraries."""
    told = settings.to_dict()
    kept = {name: told[name] for name in ("query_prompt", "document_prompt", "max_length", "batch", "dtype")}
    return digest(
        {
            "files": digest_of(file_hashes(folder_of(settings, stage))),
            "settings": kept,
            "device": device_of(settings),
            "libraries": [version("sentence-transformers"), version("torch").partition("+")[0]],
        }
    )


def device_of(settings: ModelSettings) -> str:
    """Return the device by name; auto uses an accelerator if there is one."""
    if settings.device != "auto":
        return settings.device
    torch = extra("torch", "models")
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


@cache
def encoder(settings: ModelSettings, stage: str) -> Any:
    """Return a bi-encoder, loaded once per process."""
    model = _loaded("SentenceTransformer", settings, stage)
    if settings.max_length is not None:
        model.max_seq_length = settings.max_length
    return model


@cache
def cross_encoder(settings: ModelSettings, stage: str) -> Any:
    """Return a cross-encoder, loaded once per process."""
    return _loaded("CrossEncoder", settings, stage, max_length=settings.max_length)


@cache
def listwise(settings: ModelSettings, stage: str) -> Any:
    """Return a model whose own code has `rerank(query, documents)`, loaded once per process."""
    if not settings.trust_remote_code:
        problem = "has lists = true, which needs code shipped with the model"
        raise InputError.of(f"[{stage}]", problem, "set trust_remote_code = true if you trust it")
    folder, torch = folder_of(settings, stage), extra("torch", "models")
    torch.set_num_threads(settings.threads)
    try:
        made = extra("transformers", "models").AutoModel.from_pretrained(
            str(folder), trust_remote_code=True, use_safetensors=True, dtype=getattr(torch, settings.dtype)
        )
    except (OSError, ValueError, ImportError) as error:
        raise _unreadable(settings, stage, error) from None
    if not hasattr(made, "rerank"):
        problem = f"source {shown(settings.source)} has no rerank(query, documents)"
        raise InputError.of(f"[{stage}]", problem, "expected a listwise reranker")
    return made.to(device_of(settings)).eval()


def _loaded(kind: str, settings: ModelSettings, stage: str, **more: Any) -> Any:
    library, torch = extra("sentence_transformers", "models"), extra("torch", "models")
    torch.set_num_threads(settings.threads)
    bar = extra("transformers", "models").utils.logging
    shows = bar.is_progress_bar_enabled()
    bar.disable_progress_bar()  # the bars of two processes overwrite each other
    try:
        return getattr(library, kind)(
            str(folder_of(settings, stage)),
            device=device_of(settings),
            trust_remote_code=settings.trust_remote_code,
            local_files_only=True,
            model_kwargs={"use_safetensors": True, "dtype": getattr(torch, settings.dtype)},
            **more,
        )
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise _unreadable(settings, stage, error) from None
    finally:
        if shows:
            bar.enable_progress_bar()


def _unreadable(settings: ModelSettings, stage: str, error: Exception) -> InputError:
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    problem = f"source {shown(settings.source)} cannot be loaded ({shown(first)})"
    expected = "expected a sentence-transformers model; trust_remote_code if it ships code"
    return InputError.of(f"[{stage}]", problem, expected)


def _packaged(source: str, stage: str) -> Path:
    """Return the folder of a model inside an installed package."""
    name = source.removeprefix(PACKAGE)
    found = find_spec(name) if name.isidentifier() else None
    places = list(found.submodule_search_locations or ()) if found else []
    for place in places:
        for mark in sorted(Path(place).rglob("modules.json")) or sorted(Path(place).rglob("config.json")):
            return mark.parent
    problem = f"source {shown(source)} is not an installed package with a model"
    expected = f"install it: pip install {name.replace('_', '-')}"
    raise InputError.of(f"[{stage}]", problem, expected)


def _from_hub(settings: ModelSettings, stage: str) -> Path:
    """Return the hub's copy on this machine, downloading it because it was named."""
    source = settings.source.removeprefix(HUB)
    problem = f"source {shown(source)} is not a folder on this machine"
    if not HUB_NAME.fullmatch(source):
        expected = "expected a folder, package:NAME or a name OWNER/MODEL on the hub"
        raise InputError.of(f"[{stage}]", problem, expected)
    hub = extra("huggingface_hub", "models")
    wanted: dict[str, Any] = {"revision": settings.revision or None, "allow_patterns": READ}
    try:
        return Path(hub.snapshot_download(source, local_files_only=True, **wanted))
    except (OSError, ValueError):
        pass
    try:
        return Path(hub.snapshot_download(source, **wanted))
    except Exception as error:  # every library below the hub's client raises its own errors
        expected = (
            "check the name and the network, or "
            f"download it elsewhere (hf download {source}) and name its folder"
        )
        reached = f"{problem}, and could not be downloaded ({type(error).__name__})"
        raise InputError.of(f"[{stage}]", reached, expected) from None


def need() -> None:
    """Raise an error that names the extra to install if it is missing."""
    for module in ("torch", "transformers", "sentence_transformers"):
        if find_spec(module) is None:
            raise MissingExtraError.of(module.replace("_", "-"), "models")
