"""The core needs no network: its commands work where every socket is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Plain, Ran, World

GUARD = """
import json, socket, sys

class Refused(socket.socket):
    def __init__(self, *arguments, **options):
        raise RuntimeError("a socket was opened")

def refuse(*arguments, **options):
    raise RuntimeError("the network was asked")

socket.socket = socket.SocketType = Refused
for name in ("create_connection", "create_server", "getaddrinfo", "gethostbyname", "socketpair"):
    setattr(socket, name, refuse)
import _socket
_socket.socket = Refused
_socket.getaddrinfo = refuse
for attempt in (socket.socket, lambda: socket.create_connection(("localhost", 1))):
    try:
        attempt()
    except RuntimeError:
        continue
    sys.exit("the guard does not guard")

from assay.cli import main
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["assay", *arguments]
    try:
        main()
        code = 0
    except SystemExit as stop:
        code = stop.code or 0
    sys.stdout.flush()
    print("CODE", code)
"""


def test_no_socket_is_opened(world: World, plain: Plain) -> None:
    predictions, corpus = map(str, world.write())
    qrels, run = map(str, plain.write())
    target = str(world.outputs / "per_query.parquet")
    commands = [
        ["evaluate", predictions, "--corpus", corpus, "--by", "criterion_id"],
        ["evaluate", predictions, "--corpus", corpus, "--json", "--per-query", target],
        ["evaluate", "--qrels", qrels, "--run", run],
        ["evaluate", "--qrels", qrels, "--run", run, "--contract", "trec_eval/10", "--json"],
        ["contract", "list"],
        ["contract", "show", "assay/1"],
        ["contract", "diff", "assay/1", "paper/1.0"],
        ["metric", "list"],
        ["metric", "show", "ndcg"],
        ["metric", "show", "ndcg@10", "--json"],
        ["--version"],
    ]
    done = subprocess.run(
        [sys.executable, "-c", GUARD, json.dumps(commands)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    codes = [line for line in done.stdout.splitlines() if line.startswith("CODE")]
    assert codes == ["CODE 0"] * len(commands)
    assert [path.name for path in world.outputs.iterdir()] == ["per_query.parquet"]


CONTRACTS = (
    *("assay/1", "evidence/1.0.0", "paper/1.0", "e2e/1.0", "bundle/3.0", "ir/1", "trec_eval/10"),
    *("squad2/1", "fever/1", "scifact/1", "nomiracl/1", "erisk/1"),
)


def test_contract_list(call: Callable[..., Ran]) -> None:
    listed = json.loads(call("contract", "list", "--json").ok().out)
    assert [entry["id"] for entry in listed] == list(CONTRACTS)
    printed = call("contract", "list").ok().out
    assert all(name in printed for name in CONTRACTS)


@pytest.mark.parametrize("name", CONTRACTS)
def test_contract_show(call: Callable[..., Ran], name: str) -> None:
    shown = json.loads(call("contract", "show", name, "--json").ok().out)
    assert shown["id"] == name
    assert shown["measures"]
    printed = call("contract", "show", name).ok().out
    assert shown["hash"] in printed
    assert name in printed


def test_contract_diff(call: Callable[..., Ran]) -> None:
    found = json.loads(call("contract", "diff", "assay/1", "e2e/1.0", "--json").ok().out)
    differing = {entry["name"]: entry for entry in found["measures"]}
    assert "min_r_k" in differing["map@{k}"]["first"]
    assert "hits" in differing["map@{k}"]["second"]
    assert differing["map@{k}"]["first_formula"] != differing["map@{k}"]["second_formula"]
    assert "linear" in differing["ndcg@{k}"]["first"]
    assert "exponential" in differing["ndcg@{k}"]["second"]
    assert differing["precision@{k}"]["second"] is None
    assert "recall@{k}" not in differing
    assert "mrr" not in differing
    printed = call("contract", "diff", "assay/1", "e2e/1.0").ok().out
    assert "map@{k}" in printed
    assert "are the same" in call("contract", "diff", "assay/1", "assay/1").ok().out


def test_metric_list_and_show(call: Callable[..., Ran]) -> None:
    listed = json.loads(call("metric", "list", "--json").ok().out)
    assert len(listed) > 20
    printed = call("metric", "list").ok().out
    assert "ndcg@k" in printed
    assert "rprec" in printed
    printed = call("metric", "show", "map@10:denominator=hits").ok().out
    assert "map@10:denominator=hits,cut=k,rel=1,on=evidence" in printed
    assert "population" in printed


def test_version_and_help(call: Callable[..., Ran]) -> None:
    assert call("--version").ok().out == "assay 0.1.0\n"
    assert "evaluate" in call("--help").ok().out
    assert "--per-query" in call("evaluate", "--help").ok().out
