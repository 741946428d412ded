"""What is wrong with a command line: the usage of the command, the unknown option, exit code 2."""

from __future__ import annotations

import pytest

from assay.cli.app import COMMANDS
from assay.errors import InputError
from assay.metrics.core.names.listed_measures import measure_names
from tests.terminal.conftest import Call


@pytest.mark.parametrize(
    ("typed", "usage", "fault"),
    [
        (
            "evaluate p --corpuss c",
            "assay evaluate PREDICTIONS",
            "unknown option --corpuss; did you mean --corpus?",
        ),
        ("compare --measurs x", "assay compare SYSTEM", "unknown option --measurs; did you mean --measure?"),
        ("verify --bogus", "assay verify BUNDLE", "unknown option --bogus"),
        (
            "evaluate --predictions p --corpus c",
            "assay evaluate PREDICTIONS",
            "unknown option --predictions; PREDICTIONS is given without an option",
        ),
        ("metric show ndcg --contrct=x", "assay metric show NAME", "did you mean --contract?"),
        ("evaluate -x", "assay evaluate PREDICTIONS", "unknown option -x"),
        ("evalute p", "assay [-h] [--version] COMMAND", "unknown command 'evalute'; did you mean evaluate?"),
        ("contract shw", "assay contract [-h]", "unknown action 'shw'; did you mean show?"),
        ("--verison", "assay [-h]", "unknown option --verison; did you mean --version?"),
        ("synth -o x y", "assay synth -o DIR", "unexpected argument 'y'"),
        ("show", "assay show BUNDLE", "the following arguments are required: BUNDLE"),
        ("evaluate p --k", "assay evaluate PREDICTIONS", "argument --k: expected one argument"),
        ("evaluate p --seed x", "assay evaluate PREDICTIONS", "argument --seed: invalid int value: 'x'"),
        ("", "assay [-h]", "the following arguments are required: COMMAND"),
    ],
)
def test_a_wrong_command_line(typed: str, usage: str, fault: str, call: Call) -> None:
    code, out, error = call(*typed.split())
    assert (code, out) == (2, "")
    assert error.startswith(f"usage: {usage}")
    assert error.splitlines()[-1].endswith(fault)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("contract", "metric")])
def test_every_command_prints_its_own_usage(command: str, call: Call) -> None:
    code, _, error = call(command, "--no-such-option")
    assert code == 2
    assert error.startswith(f"usage: assay {command}")
    assert "unknown option --no-such-option" in error


def test_an_abbreviation_is_known(call: Call) -> None:
    """argparse accepts the beginning of an option, so that it is not called unknown."""
    _, _, error = call("evaluate", "--corp", "c", "--bogus")
    assert "unknown option --bogus" in error
    assert "--corp;" not in error


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("ndcg@10", ["ndcg@10"]),
        ("ndcg@10,map@10, mrr", ["ndcg@10", "map@10", "mrr"]),
        ("ndcg@10:gain=exponential,on=evidence", ["ndcg@10:gain=exponential,on=evidence"]),
        (
            "mrr,ndcg@10:gain=exponential,on=evidence,tune/f1,map@5:denominator=R,cut=k,rel=1,on=all",
            [
                "mrr",
                "ndcg@10:gain=exponential,on=evidence",
                "tune/f1",
                "map@5:denominator=R,cut=k,rel=1,on=all",
            ],
        ),
        ("mine@5:user=1.2,on=all,auroc", ["mine@5:user=1.2,on=all", "auroc"]),
        ("AP(rel=2,judged_only=True)@5,P@5", ["AP(rel=2,judged_only=True)@5", "P@5"]),
    ],
)
def test_measures_separated_by_commas(typed: str, names: list[str]) -> None:
    assert measure_names(typed) == names


@pytest.mark.parametrize("typed", ["", ",", "ndcg@10,", "ndcg@10,,mrr"])
def test_an_empty_name(typed: str, call: Call) -> None:
    with pytest.raises(InputError, match="separated by commas"):
        measure_names(typed)
    code, _, error = call("evaluate", "p", "--corpus", "c", "-m", typed)
    assert code == 2
    assert "expected names of measures" in error


def test_every_definition_survives() -> None:
    from assay.contracts.contract_toml import SHIPPED, contract

    ids = [metric.id for name in SHIPPED for metric in contract(name).metrics.values()]
    assert measure_names(",".join(ids)) == ids
