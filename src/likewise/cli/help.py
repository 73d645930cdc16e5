"""A command's help: its options, the names they take, and examples."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

from likewise.cli.options.choices import Choice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Command(TyperCommand):
    """Lists the names that options take behind the options, with what each means."""

    choices: Mapping[str, Choice]  # by the parameter's name

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """An argument that is needed stands plain: typer's braces around it are no syntax."""
        pieces = super().collect_usage_pieces(ctx)
        return [piece[1:-1] if piece[:1] + piece[-1:] == "{}" else piece for piece in pieces]

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        rows = []
        for option in self.params:
            choice = self.choices.get(option.name or "")
            if choice is None:
                continue
            names = choice.table()
            if any(names.values()):
                with formatter.section(f"Values of {option.opts[0]}"):
                    formatter.write_dl(list(names.items()))
            else:
                rows.append((option.opts[0], ", ".join(names)))
        if rows:
            with formatter.section("Values"):
                formatter.write_dl(rows)
        super().format_epilog(ctx, formatter)


def choices_of(command: Callable[..., None]) -> dict[str, Choice]:
    """The parameters whose values are names, from annotations: typer keeps them nowhere public."""
    found = {}
    for name, parameter in signature(command).parameters.items():
        for told in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(parser := getattr(told, "parser", None), Choice):
                found[name] = parser
    return found
