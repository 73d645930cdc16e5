"""The tools as a model sees them: names, arguments with their limits, and when to use each.

The docstrings are what models read.
"""

from __future__ import annotations

from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from likewise import __version__
from likewise.errors import LikewiseError, one_line
from likewise.reviews import Judgement
from likewise.server.access import ANYONE
from likewise.server.mcp import answers
from likewise.server.mcp.toolbox import READ_ONLY, Toolbox
from likewise.server.problems import ProblemError, without_paths
from likewise.server.stop import Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from likewise.server.access import Caller

ABOUT = (
    "Search by example in collections of documents. Begin with list_indexes and search; give the "
    "ids of good hits to more_like, and those of bad ones as unlike: it learns from them and finds "
    "what words miss. Texts are cut: get_document has the whole of one, page by page."
)
SECONDS = 50.0  # for one search by example: many clients give up after a minute

Index = Annotated[
    str | None, Field(description="The name of an index; not needed where there is one only.")
]
K = Annotated[int, Field(ge=1, le=answers.MOST_HITS, description="How many hits.")]
Offset = Annotated[int, Field(ge=0, le=10_000, description="How many of the best to pass over.")]
Filter = Annotated[
    str | None,
    Field(max_length=2_000, description="Conditions on fields, such as 'year>=2019 lang=en,de'."),
]
Characters = Annotated[
    int,
    Field(
        ge=0,
        le=2_000,
        description="How much of each text to show; an answer has "
        f"{answers.MOST_CHARACTERS:,} characters of text at most.",
    ),
]
Ids = Annotated[list[str], Field(max_length=200)]


class ALabel(BaseModel):
    id: str
    label: Literal["relevant", "not", "unsure"]
    note: str | None = Field(default=None, max_length=2_000, description="Why, in a sentence.")


class Server(MCPServer[Any]):
    """Says what went wrong in one sentence, without folders of this machine."""

    def __init__(self, toolbox: Toolbox) -> None:
        super().__init__("likewise", instructions=ABOUT, version=__version__, log_level="WARNING")
        self._toolbox = toolbox
        read = ToolAnnotations(read_only_hint=True, open_world_hint=False)
        change = ToolAnnotations(
            read_only_hint=False, destructive_hint=False, open_world_hint=False
        )
        self._arguments: dict[str, tuple[str, ...]] = {}
        for tool in Tools(toolbox):
            self._arguments[tool.__name__] = tuple(signature(tool).parameters)
            annotations = change if tool.__name__ == "judge" else read
            self.add_tool(tool, annotations=annotations)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> Any:
        self._refuse_unknown(name, arguments)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                raise ToolError(_complaint(cause)) from cause
            if isinstance(cause, (LikewiseError, ProblemError)):
                folders = self._toolbox.indexes.folders
                raise ToolError(without_paths(str(cause), folders)) from error
            if name == "judge" and not self._toolbox.write:
                raise ToolError(READ_ONLY) from error
            raise

    def _refuse_unknown(self, name: str, arguments: Iterable[str]) -> None:
        """An argument of another name would be ignored, and the model not know."""
        known = self._arguments.get(name)
        if known is None:  # the protocol's own words for a tool that is not there
            return
        for argument in arguments:
            if argument not in known:
                says = f"choose from {', '.join(known)}" if known else "it takes none"
                raise ToolError(f"{name} has no argument {argument!r}: {says}")


def _complaint(error: ValidationError) -> str:
    """The first thing that is wrong with the arguments."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or "the arguments"
    return one_line(f"{where}: {first['msg'][:1].lower()}{first['msg'][1:]}")


class Tools:
    """One method a tool; `judge` only where judgements are taken."""

    def __init__(self, box: Toolbox) -> None:
        self._box = box

    def __iter__(self) -> Iterator[Callable[..., Any]]:
        reading = (self.list_indexes, self.search, self.more_like, self.get_document, self.explain)
        tools: tuple[Callable[..., BaseModel], ...] = reading
        yield from map(_answering, (*tools, self.judge) if self._box.write else tools)

    def list_indexes(self) -> answers.Indexes:
        """The collections that can be searched, with the fields that a filter can name."""
        return self._box.list_indexes()

    def search(
        self,
        words: Annotated[str, Field(min_length=1, max_length=2_000)],
        index: Index = None,
        k: K = 10,
        offset: Offset = 0,
        filter: Filter = None,
        characters: Characters = 300,
    ) -> answers.Answer:
        """Find documents by words. A "phrase" in quotes must be there, a -word must not.

        Use it to begin; with some good hits, more_like finds better ones.
        """
        return self._box.search(index, words, k, offset, filter, characters)

    def more_like(
        self,
        like: Ids = [],  # noqa: B006  # never changed; a schema shows it
        unlike: Ids = [],  # noqa: B006
        texts: Annotated[
            list[Annotated[str, Field(max_length=50_000)]],
            Field(max_length=20, description="Texts that are like what is wanted."),
        ] = [],  # noqa: B006
        index: Index = None,
        k: K = 10,
        offset: Offset = 0,
        filter: Filter = None,
        characters: Characters = 300,
    ) -> answers.Answer:
        """Find documents like some and unlike others, by ids of documents that were found before.

        The more examples of both kinds, the better. Examples are not found again.
        """
        stop = Stop(SECONDS)
        return self._box.more_like(index, like, unlike, texts, k, offset, filter, characters, stop)

    def get_document(
        self,
        id: str,
        index: Index = None,
        offset: Annotated[int, Field(ge=0, description="The character to begin with.")] = 0,
        length: Annotated[int, Field(ge=1, le=answers.MOST_CHARACTERS)] = 8_000,
    ) -> answers.Page:
        """A document's text and fields. A long text comes in pages: go on at next_offset."""
        return self._box.get_document(index, id, offset, length)

    def explain(
        self,
        id: str,
        words: Annotated[str | None, Field(max_length=2_000)] = None,
        query: Annotated[str | None, Field(description="The query of more_like's answer.")] = None,
        index: Index = None,
    ) -> answers.Why:
        """Which words gave a document its score, for a search by words or a query of more_like."""
        return self._box.explain(index, id, words, query)

    def judge(
        self,
        judgements: Annotated[list[ALabel], Field(min_length=1, max_length=200)],
        context: Context[Any, Any],
        session: Annotated[str, Field(description="The review; a new name begins one.")] = "review",
        index: Index = None,
        next: Annotated[int, Field(ge=0, le=20, description="How many to judge next.")] = 5,
        characters: Characters = 300,
    ) -> answers.Judged:
        """Keep judgements in a review, and see what to judge next: what is learned from them."""
        given = [Judgement(one.id, one.label, note=one.note) for one in judgements]
        return self._box.judge(index, given, session, next, characters, caller_of(context))


def caller_of(context: Context[Any, Any]) -> Caller:
    """Who asks: the token's owner over HTTP, or whoever started the program."""
    request = context.request_context.request
    caller: Caller = ANYONE if request is None else request.scope.get("caller", ANYONE)
    return caller


def _answering(tool: Callable[..., BaseModel]) -> Callable[..., Any]:
    """The tool, with its answer in few characters; its schema is that of the answer."""

    @wraps(tool)
    def answered(*given: Any, **named: Any) -> CallToolResult:
        return answers.result(tool(*given, **named))

    hints = get_type_hints(tool, include_extras=True)
    own = signature(tool)
    parameters = [one.replace(annotation=hints[name]) for name, one in own.parameters.items()]
    returned = Annotated[CallToolResult, hints["return"]]
    answered.__annotations__ = {**hints, "return": returned}
    answered.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=returned
    )
    return answered
