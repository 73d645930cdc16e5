"""A command's help: its options, the names they take, and examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

from likewise.cli.options.choices import Choice

if TYPE_CHECKING:
    from collections.abc import Iterable


class Command(TyperCommand):
    """Lists the names that options take behind the options, with what each means."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        rows = []
        for option, choice in _choices(self.params):
            names = choice.table()
            if any(names.values()):
                with formatter.section(f"Values of {option}"):
                    formatter.write_dl(list(names.items()))
            else:
                rows.append((option, ", ".join(names)))
        if rows:
            with formatter.section("Values"):
                formatter.write_dl(rows)
        super().format_epilog(ctx, formatter)


def _choices(parameters: Iterable[Any]) -> list[tuple[str, Choice]]:
    """Options whose values are names; typer keeps an option's parser as its type's `func`."""
    found = [(one.opts[0], getattr(one.type, "func", None)) for one in parameters]
    return [(option, parser) for option, parser in found if isinstance(parser, Choice)]
