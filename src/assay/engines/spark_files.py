"""Input files that Spark reads: they must not change meanwhile, and a bundle records their hashes."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.engines.spark_errors import plain_path, spark_failures
from assay.errors import AssayError
from assay.files.input_file import InputFile, Record
from assay.files.os_errors import failed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHUNK = 1 << 20


class SparkFile(InputFile):
    """A file on any path that Spark reads; a local one is hashed here, another one by Spark's driver."""

    def __init__(self, session: SparkSession, path: str) -> None:
        super().__init__(plain_path(path))
        self._session, self._uri = session, path
        self._state = self._seen()

    def refuse_changed(self) -> None:
        """Raise where the file was written to, replaced or removed since it was named."""
        if self._seen() != self._state:
            raise self._changed()

    def record(self) -> Record:
        """Return the size and hash of the file."""
        if self._record is None:
            self.refuse_changed()
            size, sha256 = self._hash()
            self.refuse_changed()
            self._record = Record(self.name, size, sha256)
        return self._record

    def _local(self) -> bool:
        return self._uri.startswith("file:")

    def _seen(self) -> object:
        """Return what changes when a file is written to; None where nothing is known."""
        if self._local():
            try:
                found = os.stat(self.path)
            except OSError:
                return None  # on the disk of an executor only, or removed: reading raises the error
            return (found.st_ino, found.st_size, found.st_mtime_ns)
        system = self._system()
        if system is None:
            return None
        with spark_failures(self._uri):
            found = system[0].getFileStatus(system[1])
            return (found.getLen(), found.getModificationTime())

    def _hash(self) -> tuple[int, str]:
        if self._local():
            return _hash_of(self.path)
        system = self._system()
        if system is None:
            raise AssayError(
                f"{self.name}: a bundle records the hash of its inputs, which Spark Connect cannot read; "
                "evaluate without `-o`, or with a Spark master"
            )
        files, path = system
        with spark_failures(self._uri):
            digest = self._session._jvm.org.apache.commons.codec.digest.DigestUtils
            stream = files.open(path)
            try:
                return files.getFileStatus(path).getLen(), str(digest.sha256Hex(stream))
            finally:
                stream.close()

    def _system(self) -> tuple[Any, Any] | None:
        """Return Hadoop's file system and path; None with Spark Connect, which has no JVM here."""
        java = getattr(self._session, "_jvm", None)
        if java is None:
            return None
        path = java.org.apache.hadoop.fs.Path(java.java.net.URI(self._uri))
        return path.getFileSystem(self._session._jsc.hadoopConfiguration()), path


def _hash_of(path: Path) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("rb") as file:
            while block := file.read(CHUNK):
                digest.update(block)
                size += len(block)
    except OSError as error:
        raise failed("read", path, error) from None
    return size, digest.hexdigest()
