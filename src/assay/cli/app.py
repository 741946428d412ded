"""The commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Evaluate systems that retrieve evidence or abstain.",
)
contract_app = typer.Typer(no_args_is_help=True, help="Contracts: which definition a name has.")
metric_app = typer.Typer(no_args_is_help=True, help="Measures: formula, population, edge cases.")
app.add_typer(contract_app, name="contract")
app.add_typer(metric_app, name="metric")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Evaluate systems that retrieve evidence or abstain."""
    if version:
        from assay import __version__  # noqa: PLC0415

        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.command()
def evaluate(
    predictions: Annotated[
        list[Path] | None, typer.Argument(help="Folders of predictions, one a system.")
    ] = None,
    corpus: Annotated[Path | None, typer.Option(help="Folder of the corpus they answer.")] = None,
    qrels: Annotated[
        Path | None, typer.Option(help="Plain IR: judgements (TREC, BEIR, Parquet).")
    ] = None,
    run: Annotated[
        list[Path] | None, typer.Option(help="Plain IR: a run (TREC, Parquet); may be repeated.")
    ] = None,
    contract: Annotated[
        str, typer.Option(help="Id of a contract, or a file that ends in .toml.")
    ] = "assay/1",
    by: Annotated[
        list[str] | None, typer.Option(help="Break down by a column; may be repeated.")
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", "-m", help="Only these: names or definition ids."),
    ] = None,
    k: Annotated[str | None, typer.Option(help="Other cut-offs, such as 1,5,30.")] = None,
    level: Annotated[
        int | None, typer.Option(help="Grade from which an item is relevant (trec_eval -l).")
    ] = None,
    depth: Annotated[
        int | None, typer.Option(help="Look at this many candidates a query (trec_eval -M).")
    ] = None,
    complete: Annotated[
        bool, typer.Option("--complete", help="Mean over all judged queries (trec_eval -c).")
    ] = False,
    split: Annotated[str | None, typer.Option(help="Only judgements of this split.")] = None,
    per_query: Annotated[
        Path | None, typer.Option(help="Write one row a query (.csv or .parquet).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score predictions against a corpus, or runs against judgements."""
    from assay.cli.evaluate import Request, evaluate_command  # noqa: PLC0415

    evaluate_command(
        Request(
            predictions=tuple(predictions or ()),
            corpus=corpus,
            qrels=qrels,
            runs=tuple(run or ()),
            contract=contract,
            by=tuple(by or ()),
            measures=tuple(measure or ()),
            k=k,
            level=level,
            depth=depth,
            complete=complete,
            split=split,
            per_query=per_query,
            as_json=as_json,
        )
    )


@app.command()
def demo() -> None:
    """Evaluate the example that the package carries."""
    from assay.cli.demo import demo_command  # noqa: PLC0415

    demo_command()


@contract_app.command("list")
def contract_list(as_json: AsJson = False) -> None:
    """The shipped contracts."""
    from assay.cli.contracts import list_command  # noqa: PLC0415

    list_command(as_json=as_json)


@contract_app.command("show")
def contract_show(name: str, as_json: AsJson = False) -> None:
    """Every public name of a contract with its definition."""
    from assay.cli.contracts import show_command  # noqa: PLC0415

    show_command(name, as_json=as_json)


@contract_app.command("diff")
def contract_diff(first: str, second: str, as_json: AsJson = False) -> None:
    """The rules and names on which two contracts differ, with both formulas."""
    from assay.cli.contracts import diff_command  # noqa: PLC0415

    diff_command(first, second, as_json=as_json)


@metric_app.command("list")
def metric_list(as_json: AsJson = False) -> None:
    """All measures."""
    from assay.cli.metrics import list_command  # noqa: PLC0415

    list_command(as_json=as_json)


@metric_app.command("show")
def metric_show(name: str, as_json: AsJson = False) -> None:
    """One measure: formula, parameters, population, what holds, edge cases."""
    from assay.cli.metrics import show_command  # noqa: PLC0415

    show_command(name, as_json=as_json)
