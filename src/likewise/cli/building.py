"""`likewise index` and `likewise add`: from files to an index."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli import options
from likewise.cli.progress import Bar
from likewise.cli.reports import tell_added
