"""Groups of options that several commands share, as the fields of a dataclass."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Show a command to typer with each field of its dataclass parameters as an option."""
    own = signature(command)
    groups = {p.name: p.annotation for p in own.parameters.values() if _is_group(p)}

    @wraps(command)
    def called(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    flat = [one for p in own.parameters.values() for one in _parameters(p)]
    called.__signature__ = own.replace(parameters=flat)  # type: ignore[attr-defined]
    return called


def _parameters(parameter: Parameter) -> Iterator[Parameter]:
    if not _is_group(parameter):
        yield parameter.replace(kind=Parameter.KEYWORD_ONLY)
        return
    hints = get_type_hints(parameter.annotation, include_extras=True)
    for field in fields(parameter.annotation):
        yield Parameter(
            field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )


def _is_group(parameter: Parameter) -> bool:
    return is_dataclass(parameter.annotation)
