"""Profiles: configurations shipped with the package, which a user's own file can override."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from assay.errors import InputError, shown


def profiles() -> dict[str, Any]:
    """Return the shipped profiles by name."""
    folder = files("assay.pipeline").joinpath("profiles")
    found = sorted(folder.iterdir(), key=lambda each: each.name)
    return {
        each.name.removesuffix(".toml"): tomllib.loads(each.read_text(encoding="utf-8"))
        for each in found
        if each.name.endswith(".toml")
    }


def with_profile(document: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return a configuration on top of the profile it names; its own settings win one by one."""
    name = document.get("profile")
    if name is None:
        return dict(document)
    known = profiles()
    if not isinstance(name, str) or name not in known:
        expected = f"expected one of {', '.join(known)}"
        raise InputError.of(source, f"profile is {shown(name)}", expected)
    made = dict(known[name])
    for key, value in document.items():
        both = isinstance(value, dict) and isinstance(made.get(key), dict)
        made[key] = {**made[key], **value} if both else value
    return made
