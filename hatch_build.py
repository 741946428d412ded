"""Project URLs and description for the metadata, from the address that the release workflow builds from.

No address is in the repository: `PROJECT_URL=https://HOST/OWNER/NAME make dist` sets them. A package index
shows README.md outside of the repository, so its links and its picture then lead to that address.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PAGES = {"Changelog": "CHANGELOG.md", "Documentation": "docs/index.md"}
LINK = re.compile(r"(!?)(\[[^\]]*\])\((?![a-z]+:|#)([^)\s]+)\)")


class ProjectUrls(MetadataHookInterface):
    """Fills `urls` and `readme`; without the variable there are no URLs."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the URLs and the description of the project."""
        home = os.environ.get("PROJECT_URL", "").rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        if home:
            pages = {name: f"{home}/blob/HEAD/{path}" for name, path in PAGES.items()}
            metadata["urls"] = {"Repository": home, "Issues": f"{home}/issues", **pages}
            text = LINK.sub(
                lambda found: f"{found[1]}{found[2]}({home}/{shown(found)}/HEAD/{found[3]})", text
            )
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def shown(found: re.Match[str]) -> str:
    """Return where a forge has the file of a link: pictures as they are, pages with the forge around them."""
    return "raw" if found[1] else "blob"
