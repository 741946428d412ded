"""Project URLs for the metadata, from the address that the release workflow builds from.

No address is in the repository: `PROJECT_URL=https://HOST/OWNER/NAME make dist` sets them.
"""

from __future__ import annotations

import os
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PAGES = {"Changelog": "CHANGELOG.md", "Documentation": "docs/index.md"}


class ProjectUrls(MetadataHookInterface):
    """Fills `urls`; without the variable there are none."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the URLs of the project."""
        home = os.environ.get("PROJECT_URL", "").rstrip("/")
        if home:
            pages = {name: f"{home}/blob/HEAD/{path}" for name, path in PAGES.items()}
            metadata["urls"] = {"Repository": home, "Issues": f"{home}/issues", **pages}
