"""The commands together, each with examples, and what holds for all of them."""

from collections.abc import Callable
from typing import Annotated

import typer

from likewise import __version__
from likewise.cli import (
    building,
    changing,
    embedding,
    evaluating,
    explaining,
    judging,
    looking,
    reviewing,
    searching,
    serving,
    simulating,
    tables,
)
from likewise.cli.failures import Commands

app = typer.Typer(
    cls=Commands,
    epilog="likewise COMMAND --help tells more about a command.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _register(command: Callable[..., None], *examples: str) -> None:
    lines = "\n".join(f"  likewise {command.__name__} {example}" for example in examples)
    app.command(epilog=f"\b\nExamples:\n{lines}")(command)


_register(
    building.index,
    "papers/ -o papers.idx",
    "records.csv --text-column Abstract -o papers.idx",
    "- --language german -o news.idx < news.jsonl",
)
_register(
    building.add,
    "papers.idx more/ --on-duplicate replace",
    "papers.idx - < new.jsonl",
)
_register(changing.delete, "papers.idx doc-12 doc-15", "papers.idx --ids-from withdrawn.txt")
_register(changing.merge, "papers.idx")
_register(changing.latent, "papers.idx", "papers.idx --dimensions 300")
_register(
    embedding.embed,
    "papers.idx --embeddings vectors.npy --embeddings-ids ids.txt",
    "papers.idx --embed models/all-MiniLM-L6-v2",
)
_register(looking.info, "papers.idx", "papers.idx --verify --json")
_register(
    searching.search,
    'papers.idx "quantum gases"',
    "papers.idx robot arm -k 100 --format csv > hits.csv",
    "papers.idx robot arm --filter 'year>=2019 category=cs.RO'",
    "papers.idx --like id:doc-7 --like new.txt --unlike id:doc-3",
    "papers.idx --like id:doc-7 --like id:doc-9 --method ba --save-query q.json",
    "papers.idx --query q.json --format trec --topic 7 --run-tag ba",
)
_register(
    explaining.explain,
    "papers.idx doc-12 robot arm",
    "papers.idx doc-12 --like id:doc-7 --like new.txt",
    "papers.idx --query q.json",
)
_register(
    reviewing.review,
    'papers.idx --query "quantum gases"',
    "papers.idx --name gases --like id:doc-7 --reviewer ann",
    "papers.idx --name gases",
)
_register(
    judging.judgements,
    "papers.idx --name gases",
    "papers.idx --name gases --export gases.csv",
    "papers.idx --name gases --import others.qrels --reviewer bob",
)
_register(judging.sessions, "papers.idx", "papers.idx --rename gases --to quantum")
_register(
    serving.serve,
    "papers.idx",
    "papers.idx news.idx --port 8080",
    "papers.idx --host 0.0.0.0 --token-file tokens.txt",
)
_register(
    tables.tables,
    "--list",
    "arxiv --data data --html report.html",
    "arxiv --only method=auto,ba --only size=5,20 --jobs 2",
)
_register(
    simulating.simulate,
    "records.csv --seeds 5",
    "records.jsonl --method auto --method rocchio --plot recall.png",
    "records.csv --start-from query --query 'robot arm' --page-size 10 --format json",
)
_register(
    evaluating.evaluate,
    "collection/ --topics queries.jsonl --qrels qrels.tsv --methods words,auto,rocchio",
    "papers.idx --labels cats --examples 10 --measures AP,P@10,WSS@95",
    "collection/ --run other.run --write-runs runs/ --html report.html",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"likewise {__version__}")
        raise typer.Exit


@app.callback()
def _likewise(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Search by example: show it documents, it finds the rest."""
