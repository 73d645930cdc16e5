"""Options of several commands, one by one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.options import choices

if TYPE_CHECKING:
    from likewise.store.known import OnDuplicate as Duplicates
else:
    Duplicates = str

Directory = Annotated[
    Path, typer.Argument(metavar="DIR", help="The folder of the index.", show_default=False)
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
    typer.Option(metavar="N", min=1, help="Number of threads; all cores by default."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Details = Annotated[
    bool,
    typer.Option("--details", help="Also print why this method was chosen and how learning went."),
]

# How the input is read.
OnDuplicate = Annotated[
    Duplicates,
    choices.ON_DUPLICATE.option("What to do with a document whose id is already in the index."),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Stop at the first bad line, unreadable file or invalid character; "
        "by default they are skipped and reported.",
    ),
]
TextColumn = Annotated[
    str | None,
    typer.Option(
        "--text-column",
        "--text-field",
        metavar="NAME",
        help="The column, key or field of the text.",
    ),
]
TitleColumn = Annotated[
    str | None,
    typer.Option(
        "--title-column",
        "--title-field",
        metavar="NAME",
        help="The column, key or field of the title.",
    ),
]
IdColumn = Annotated[
    str | None,
    typer.Option(
        "--id-column", "--id-field", metavar="NAME", help="The column, key or field of the id."
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Make a session of this name of the labels that stand in the documents.",
    ),
]
IdsFile = Annotated[
    Path | None,
    typer.Option("--ids", metavar="FILE", help="The ids for a file of vectors, one a line."),
]
ReadFormat = Annotated[
    str | None,
    choices.INPUT_FORMAT.option(
        "Read all files in this format; by default the suffix decides.", "--format"
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The encoding of text files, such as cp1252; by default UTF-8, or what is detected.",
    ),
]
Memory = Annotated[
    int,
    typer.Option(metavar="MB", min=1, help="Memory for documents not yet written to disk."),
]

# How text becomes terms.
Language = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="The language for stemming; none turns stemming and stop words off."
    ),
]
StopWords = Annotated[
    bool,
    typer.Option(
        "--stop-words/--no-stop-words", help="Leave out stop words such as the and of, or not."
    ),
]
Bigrams = Annotated[
    bool, typer.Option("--bigrams", help="Index pairs of adjacent words as terms as well.")
]
Fields = Annotated[
    str,
    typer.Option(metavar="NAMES", help="The fields to index, separated by commas."),
]

# The latent space.
Latent = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Dimensions of the latent space; by default 128, learned from 1,000 documents on.",
    ),
]
NoLatent = Annotated[bool, typer.Option("--no-latent", help="Learn no latent space.")]

# How terms weigh.
Weighting = Annotated[
    str | None,
    choices.WEIGHTING.option("The term weighting; tfidf by default, unit for vectors."),
]
FeedbackWeighting = Annotated[
    str | None,
    choices.WEIGHTING.option("The term weighting; each method has its own by default."),
]

# Sessions.
SessionName = Annotated[
    str, typer.Option("--name", metavar="NAME", help="The session; an index can have several.")
]
Reviewer = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The reviewer; your login name by default."),
]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|URL",
        help="The database of reviews, a file or postgresql://…; a file beside the index by "
        "default.",
    ),
]
Selection = Annotated[
    str | None,
    choices.SELECTION.option(
        "Show the documents ranked best, or those nearest the decision boundary (active); "
        "best by default."
    ),
]
