"""Build assay, install it into an empty environment, and use it there as a newcomer would.

`python -m tests.packaging.installation` tries the lowest and the newest supported versions of each dependency,
and prints the sizes and times. The core installation is measured without pip itself.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TRIED = ("figures", "audit", "pipeline", "tune")
"""The extras that are tried; the others need Java, Torch or a server, and the tests install them."""
CORE_MB = 300
POSTS = 30
NAME = re.compile(r"[\w.-]+")
BOUND = re.compile(r"[>=]=\s*([\w.]+)")


def lowest() -> list[str]:
    """Return the lowest permitted version of each dependency of the core and of the tried extras."""
    extras = PROJECT["optional-dependencies"]
    needed = [*PROJECT["dependencies"], *(each for name in TRIED for each in extras[name])]
    pins = []
    for each in needed:
        name, bound = NAME.match(each), BOUND.search(each)
        if name and bound:
            pins.append(f"{name[0]}=={bound[1]}")
    return pins


def build(folder: Path) -> Path:
    """Build the source distribution, and the wheel from nothing but that."""
    _run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)], ROOT)
    (source,) = folder.glob("*.tar.gz")
    wheel = ["-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet", "-w", str(folder)]
    _run([sys.executable, *wheel, str(source)], folder)
    (made,) = folder.glob("*.whl")
    return made


@dataclass(frozen=True)
class Installed:
    """An environment that has assay and nothing that nobody asked for."""

    folder: Path

    def call(self, *command: str) -> str:
        """Return what `assay` prints, and raise if it fails."""
        return _run([str(self.folder / "bin" / "assay"), *command], self.folder)

    def version(self, package: str) -> str:
        """Return the version of an installed package."""
        code = f"from importlib.metadata import version; print(version({package!r}))"
        return _run([str(self.folder / "bin" / "python"), "-c", code], self.folder).strip()

    def megabytes(self) -> float:
        """Return the size of what was installed, on disk, in units of 2^20 bytes."""
        (site,) = (self.folder / "lib").glob("python*/site-packages")
        files = (path for path in site.rglob("*") if path.is_file() and not path.is_symlink())
        return sum(path.stat().st_blocks * 512 for path in files) / 2**20


def install(wheel: Path, folder: Path, extras: Sequence[str] = (), pins: Sequence[str] = ()) -> Installed:
    """Install a wheel with extras into an environment, which is made if it is not there; pip is outside of it."""
    if not folder.exists():
        venv.create(folder, with_pip=False)
    wanted = f"{wheel}[{','.join(extras)}]" if extras else str(wheel)
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(pins) + "\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet"]
    options = ["--disable-pip-version-check", "--only-binary=:all:", "-c", str(constraints)]
    _run([*pip, *options, wanted], folder)
    return Installed(folder)


def use(made: Installed) -> str:
    """Evaluate the example, keep a bundle, and check it; return all that was printed."""
    code = "import assay; print(assay.example_path('corpus').parent)"
    example = _run([str(made.folder / "bin" / "python"), "-c", code], made.folder).strip()
    evaluate = ["evaluate", f"{example}/predictions", "--corpus", f"{example}/corpus", "--ci", "fast"]
    measures = ["-m", "recall@3", "-m", "auroc", "-m", "sensitivity", "-m", "evidence_recall"]
    return "\n".join(
        [
            made.call("demo"),
            made.call(*evaluate, *measures, "-o", "bundle"),
            made.call("verify", "bundle"),
            made.call("gate", "bundle"),
        ]
    )


def run_pipeline(made: Installed) -> str:
    """Run the reference pipeline on a small synthetic corpus."""
    return made.call("demo", "--pipeline", "--posts", str(POSTS), "-o", "demo")


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout + done.stderr


def main() -> int:
    """Try both ends of the supported versions, and print what was measured."""
    with tempfile.TemporaryDirectory() as name:
        wheel = build(Path(name))
        for which, pins in (("lowest", lowest()), ("newest", [])):
            begin = time.monotonic()
            core = install(wheel, Path(name) / which, pins=pins)
            installed = time.monotonic() - begin
            use(core)
            used = time.monotonic() - begin - installed
            print(
                f"{which}: core {core.megabytes():.0f} MB with numpy {core.version('numpy')} and "
                f"polars {core.version('polars')}; {installed:.0f} s to install, {used:.0f} s to a verified bundle"
            )
            full = install(wheel, Path(name) / which, TRIED, pins)
            run_pipeline(full)
            print(f"{which}: {full.megabytes():.0f} MB with {', '.join(TRIED)}; the reference pipeline ran")
    return 0


if __name__ == "__main__":
    sys.exit(main())
