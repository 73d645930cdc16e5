"""Arguments and options that commands share, each with its help text.

A module that uses them does without `from __future__ import annotations`: typer reads them.
"""

from pathlib import Path
from typing import Annotated, Literal

import typer

InputFormat = Literal["text", "markdown", "jsonl", "csv", "tsv", "ris", "svmlight", "npy", "npz"]

Directory = Annotated[
    Path, typer.Argument(metavar="DIR", help="The folder that holds the index.", show_default=False)
]
Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH",
        help="Files and folders to read; - is standard input.",
        show_default=False,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Threads to work with; all cores by default."),
]

# How the input is read.
OnDuplicate = Annotated[
    Literal["error", "skip", "replace"],
    typer.Option(help="What to do with a document whose id is there already."),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Stop at the first bad line, unreadable file or invalid character "
        "instead of leaving it out.",
    ),
]
TextColumn = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The column (or JSON key) that holds the text."),
]
TitleColumn = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The column (or JSON key) that holds the title."),
]
IdColumn = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The column (or JSON key) that holds the id."),
]
IdsFile = Annotated[
    Path | None,
    typer.Option("--ids", metavar="FILE", help="Ids of a file of vectors, one a line."),
]
ReadFormat = Annotated[
    InputFormat | None,
    typer.Option("--format", help="The format of all files given, whatever their names."),
]
Memory = Annotated[
    int,
    typer.Option(metavar="MB", min=1, help="Memory for documents that are not yet on disk."),
]

# How text becomes terms.
Language = Annotated[
    str,
    typer.Option(metavar="NAME", help="The language to stem words in; none leaves them whole."),
]
StopWords = Annotated[
    bool,
    typer.Option("--stop-words/--no-stop-words", help="Leave out words like the and of, or not."),
]
Bigrams = Annotated[
    bool, typer.Option("--bigrams", help="Count pairs of neighbouring words as terms, too.")
]
Fields = Annotated[
    str,
    typer.Option(metavar="NAMES", help="The fields to search in, with commas between them."),
]

# The latent space.
Latent = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Learn a latent space of N dimensions from the words; 200 by default, from 1,000 "
        "documents on.",
    ),
]
NoLatent = Annotated[bool, typer.Option("--no-latent", help="Learn no latent space.")]
Embeddings = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Embeddings of the documents, a .npy file, one a row."),
]
EmbeddingsIds = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Ids of these rows, one a line; in order by default."),
]
Embed = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="Make embeddings with a sentence-transformers model that is on this machine.",
    ),
]

# Sessions.
SessionName = Annotated[
    str, typer.Option("--name", metavar="NAME", help="The session; one index can have several.")
]
Reviewer = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Who judges; who has logged in by default."),
]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|URL",
        help="Where judgements are kept: a file, or postgresql://…; beside the index by default.",
    ),
]
