"""Errors of the operating system as one sentence: the file, the reason, what to do."""

from __future__ import annotations

import errno
from pathlib import Path

from assay.errors import FileError

FULL = "free some space or choose another place"
FORBIDDEN = "check the permissions or choose another place"
ADVICE = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EFBIG: FULL,
    errno.EACCES: FORBIDDEN,
    errno.EPERM: FORBIDDEN,
    errno.EROFS: FORBIDDEN,
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path: part of it is a file",
    errno.EISDIR: "expected a file, not a folder",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ELOOP: "check the symbolic links of the path",
}


def failed(action: str, path: str | Path, error: OSError) -> FileError:
    """Return the error to raise when a file cannot be read or written (the `action`)."""
    if error.errno == errno.ENOENT and action == "opened":
        return FileError.of(str(path), "file not found", ADVICE[errno.ENOENT])
    reason = error.strerror or str(error) or type(error).__name__
    advice = ADVICE.get(error.errno or 0, "check the path and the disk")
    return FileError.of(str(path), f"cannot be {action} ({reason})", advice)
