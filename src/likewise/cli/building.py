"""`likewise index` and `likewise add`: from files to an index."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli import options
from likewise.cli.progress import Bar
from likewise.cli.reports import tell_added

Output = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="DIR", help="The folder to make the index in.", show_default=False
    ),
]


def index(
    paths: options.Paths,
    output: Output,
    language: options.Language = "english",
    stop_words: options.StopWords = True,
    bigrams: options.Bigrams = False,
    fields: options.Fields = "title,text",
    on_duplicate: options.OnDuplicate = "error",
    strict: options.Strict = False,
    text_column: options.TextColumn = None,
    title_column: options.TitleColumn = None,
    id_column: options.IdColumn = None,
    ids: options.IdsFile = None,
    format: options.ReadFormat = None,
    memory: options.Memory = 256,
    threads: options.Threads = None,
) -> None:
    """Make an index of files and folders.

    Reads .txt and .md files (one document each), .jsonl, .csv and .tsv files (one document a
    line), vectors in svmlight, .npy or .npz files, and all of these compressed as .gz, .bz2, .xz
    or .zst. An index that is there already is left alone: add to it with likewise add.

    \b
    Examples:
      likewise index papers/ -o papers.idx
      likewise index abstracts.csv --text-column Abstract -o papers.idx
      zcat dump.gz | likewise index - --language german -o dump.idx
    """
    from likewise.index import Index
