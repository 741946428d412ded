"""Models of sentence-transformers by name or folder: where they are, what they are, and loaded.

A model is what the user names: a folder, `package:NAME` for an installed package that carries its
weights, or a name on the hub. Only such a name is ever looked for outside this machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assay.errors import AssayError, InputError, shown
from assay.pipeline.cache import digest
from assay.pipeline.extras import extra
from assay.pipeline.settings import Settings, setting
from assay.pipeline.weights import check_files, digest_of, file_hashes

PACKAGE = "package:"
HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")
READ = ("*.safetensors", "*.json", "*.txt", "*.model", "*.py", "*.jinja")
"""What is fetched from the hub: no pickled weights, no copies in other formats."""
DEVICES = ("auto", "cpu", "cuda", "mps")
DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, slots=True)
class ModelSettings(Settings):
    """Which model, and how it is run.

    `source`: a folder, `package:NAME`, or a name on the hub, there with `revision`. `sha256`: what
    `run.json` says of a model's files; other files are refused. Code that a model brings along runs
    only with `trust_remote_code`. Prompts stand before a criterion (`query_prompt`) and a sentence
    (`document_prompt`). More than one `thread` per process was slower wherever folds run side by
    side.
    """

    source: str = setting("")
    revision: str = setting("")
    sha256: str = setting("")
    trust_remote_code: bool = setting(False)
    query_prompt: str = setting("")
    document_prompt: str = setting("")
    max_length: int | None = setting(None, low=4, optional=True)
    batch: int = setting(8, low=1)  # of one post; more is more padding
    device: str = setting("auto", choices=DEVICES)
    dtype: str = setting("float32", choices=DTYPES)
    threads: int = setting(1, low=1)


def folder_of(settings: ModelSettings, stage: str) -> Path:
    """The folder of the model; one of the hub is fetched if this machine does not have it."""
    source = settings.source
    if not source:
        expected = "expected source, a folder, package:NAME or a name on the hub"
        raise InputError.of(f"[{stage}]", "names no model", expected)
    path = _packaged(source, stage) if source.startswith(PACKAGE) else Path(source).expanduser()
    if not path.is_dir():
        path = _from_hub(settings, stage)
    elif settings.revision:
        problem = f"revision has no effect on {shown(source)}, which is not a name on the hub"
        raise InputError.of(f"[{stage}]", problem, "expected sha256, which fixes any model")
    if not any(path.rglob("*.safetensors")):
        problem = f"source {shown(source)} has no weights in safetensors"
        raise InputError.of(f"[{stage}]", problem, "expected a model saved by a library of today")
    package = source.removeprefix(PACKAGE) if source.startswith(PACKAGE) else None
    check_files(path, source, package, settings.sha256, stage)
    return path


def record(settings: ModelSettings, stage: str) -> dict[str, Any]:
    """Return what `run.json` keeps of a model: where it came from and the hash of each file."""
    files = file_hashes(folder_of(settings, stage))
    return {"source": settings.source, "sha256": digest_of(files), "files": dict(files)}


def identity(settings: ModelSettings, stage: str) -> str:
    """SHA-256 of all that decides a model's answer: its files, the settings, the libraries."""
    told = settings.to_dict()
    kept = {
        name: told[name]
        for name in ("query_prompt", "document_prompt", "max_length", "batch", "dtype")
    }
    return digest(
        {
            "files": digest_of(file_hashes(folder_of(settings, stage))),
            "settings": kept,
            "device": device_of(settings),
            "libraries": [version("sentence-transformers"), version("torch").partition("+")[0]],
        }
    )


def device_of(settings: ModelSettings) -> str:
    """The device by name; auto takes an accelerator where there is one."""
    if settings.device != "auto":
        return settings.device
    torch = extra("torch", "models")
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


@cache
def encoder(settings: ModelSettings, stage: str) -> Any:
    """A bi-encoder, loaded once a process."""
    model = _loaded("SentenceTransformer", settings, stage)
    if settings.max_length is not None:
        model.max_seq_length = settings.max_length
    return model


@cache
def cross_encoder(settings: ModelSettings, stage: str) -> Any:
    """A cross-encoder, loaded once a process."""
    return _loaded("CrossEncoder", settings, stage, max_length=settings.max_length)


@cache
def listwise(settings: ModelSettings, stage: str) -> Any:
    """A model whose own code has `rerank(query, documents)`, loaded once a process."""
    if not settings.trust_remote_code:
        problem = "reads lists, which only code that the model brings along does"
        raise InputError.of(f"[{stage}]", problem, "expected trust_remote_code = true, if you do")
    folder, torch = folder_of(settings, stage), extra("torch", "models")
    torch.set_num_threads(settings.threads)
    try:
        made = extra("transformers", "models").AutoModel.from_pretrained(
            str(folder),
            trust_remote_code=True,
            use_safetensors=True,
            dtype=getattr(torch, settings.dtype),
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
    bar.disable_progress_bar()  # weights load in a moment, and two processes draw over each other
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
    expected = "expected a model of sentence-transformers; trust_remote_code if it brings code"
    return InputError.of(f"[{stage}]", problem, expected)


def _packaged(source: str, stage: str) -> Path:
    """The folder of a model inside an installed package."""
    name = source.removeprefix(PACKAGE)
    found = find_spec(name) if name.isidentifier() else None
    places = list(found.submodule_search_locations or ()) if found else []
    for place in places:
        for mark in sorted(Path(place).rglob("modules.json")) or sorted(
            Path(place).rglob("config.json")
        ):
            return mark.parent
    problem = f"source {shown(source)} is no installed package with a model in it"
    expected = f"expected one that is; pip install {name.replace('_', '-')}"
    raise InputError.of(f"[{stage}]", problem, expected)


def _from_hub(settings: ModelSettings, stage: str) -> Path:
    """The hub's own copy on this machine; fetched, because it was asked for by name."""
    source = settings.source
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
    except Exception as error:  # every library under the hub's has errors of its own
        expected = (
            "nothing is fetched but what is asked for by name: check the name and the network, or "
            f"fetch it elsewhere (hf download {source}) and give its folder"
        )
        reached = f"{problem}, and the hub did not give it ({type(error).__name__})"
        raise InputError.of(f"[{stage}]", reached, expected) from None


def need() -> None:
    """Say what to install where the extra is missing."""
    for module in ("torch", "transformers", "sentence_transformers"):
        if find_spec(module) is None:
            name = module.replace("_", "-")
            raise AssayError(
                f"this needs {name}, which is not installed; pip install 'assay[models]'"
            )
