"""The command line, for the tests of checks."""

from tests.bundle.conftest import call_cli

__all__ = ["call_cli"]
