"""/v1/me and /v1/tokens: who asks, and for owners who else may."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path

from likewise.errors import UsageError
from likewise.server import tokens as files
from likewise.server.access import Role, names_of
from likewise.server.answers import stamp
from likewise.server.causes import Cause
from likewise.server.models.access import Me, NewToken, Secret, TokenInfo, TokenList
from likewise.server.problems import ProblemError, documented, of_error
from likewise.server.routes.common import ALWAYS, Parts, TheCaller, TheParts, at_least
from likewise.server.tokens import Token, Tokens, UnknownTokenError

router = APIRouter(tags=["access"], responses=ALWAYS)
OWNER: Any = {"dependencies": [at_least(Role.owner)], "responses": documented(404, 409)}
Which = Annotated[str, Path(max_length=100, examples=["ada"], description="A name or an id.")]


@router.get("/me")
async def who_am_i(parts: TheParts, caller: TheCaller) -> Me:
    """Whose token this is, and what it may do."""
    return Me(name=caller.name, roles=names_of(caller.role), tokens=parts.tokens is not None)


@router.get("/tokens", **OWNER)
def list_tokens(parts: TheParts) -> TokenList:
    """Who may use this server; no secrets."""
    known = _tokens(parts)
    return TokenList(tokens=[_info(one, known) for one in known.listed()])


@router.post("/tokens", status_code=201, **OWNER)
def add_token(parts: TheParts, new: NewToken) -> Secret:
    """Make a token. It is shown in this answer and never again."""
    path = _tokens(parts).path
    try:
        return Secret(name=new.name, token=files.add(path, new.name, new.roles))
    except UsageError as error:
        raise of_error(error, {}, Cause.name_taken) from error


@router.post("/tokens/{which}/rotate", **OWNER)
def rotate_token(parts: TheParts, which: Which) -> Secret:
    """Replace a token by a new one that may do the same. The old one ends at once."""
    known = _tokens(parts)
    name = _found(known, which).name
    return Secret(name=name, token=files.rotate(known.path, which))


@router.delete("/tokens/{which}", status_code=204, **OWNER)
def revoke_token(parts: TheParts, which: Which) -> None:
    """Take a token away: the next request with it is refused. The last owner's stays."""
    known = _tokens(parts)
    _found(known, which)
    files.revoke(known.path, which, _refuse_last_owner)


def _tokens(parts: Parts) -> Tokens:
    if parts.tokens is None:
        raise ProblemError(
            Cause.not_found, "this server has no tokens: whoever keeps it may start it with some"
        )
    return parts.tokens


def _found(known: Tokens, which: str) -> Token:
    try:
        return files.find(known.path, known.listed(), which)
    except UnknownTokenError as error:
        raise of_error(error, {}, Cause.unknown_token) from error
    except UsageError as error:  # there are several
        raise of_error(error, {}, Cause.conflict) from error


def _refuse_last_owner(known: list[Token], gone: Token) -> None:
    owners = [one for one in known if one.caller.may(Role.owner)]
    if owners == [gone]:
        raise ProblemError(Cause.conflict, f"{gone.name} is the last owner: make another one first")


def _info(token: Token, known: Tokens) -> TokenInfo:
    used = known.used().get(token.id)
    return TokenInfo(
        id=token.id,
        name=token.name,
        roles=list(token.roles),
        created=token.created or None,
        last_used=None if used is None else stamp(used),
    )
