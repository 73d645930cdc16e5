"""Teams: who judges and who decides, conflicts and what was decided, who is to judge what."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from likewise.server.models.base import Answer, Given, Id, Items, Name, Whole
from likewise.server.models.sessions import Label, Stage, Word


class Share(Answer):
    """One reviewer's part; counts of labels are null where you must not know them."""

    reviewer: str = Field(examples=["ada"])
    judged: int = Field(examples=[40])
    documents: int | None = Field(
        description="That are hers to judge; null where reviewers share a queue.", examples=[2000]
    )
    relevant: int | None
    others: int | None
    undecided: int | None


class Agreement(Answer):
    reviewers: list[str] = Field(examples=[["ada", "ben"]])
    documents: int = Field(description="That both have judged.", examples=[40])
    agreed: int = Field(examples=[35])
    kappa: float | None = Field(description="Cohen's κ; none where it is undefined.")


class TeamInfo(Answer):
    names: list[str] = Field(
        description="Who works on it: the team, the owner, and whoever has judged.",
        examples=[["ada", "ben"]],
    )
    closed: bool = Field(description="Whether nobody else can judge: reviewers are named.")
    you: str = Field(description="Who asks, as the server knows.", examples=["ada"])
    reviewers: list[str] = Field(description="Who is to judge.", examples=[["ada", "ben"]])
    agree: int = Field(description="How many must say the same.", examples=[2])
    blinded: bool = Field(description="Whether votes are hidden until all have judged.")
    sees_all: list[str] = Field(description="Who sees votes all the same.")
    adjudicator: str = Field(description="Who decides where votes differ; empty: the owner.")
    lease: float = Field(description="Seconds for which a record of a shared queue is kept.")
    decider: str = Field(description="The adjudicator, or the owner.", examples=["ada"])
    decides: bool = Field(description="Whether you decide where votes differ.")
    blind: bool = Field(description="Whether others' votes are hidden from you now.")
    work: Literal["all", "assigned", "shared"] = Field(
        description="Whether everybody judges everything, what is assigned, or a shared queue."
    )
    shares: list[Share]
    agreement: list[Agreement]
    alpha: float | None = Field(
        description="Krippendorff's α of all reviewers; none where it is undefined."
    )


class ChangedTeam(Given):
    """For the owner of a session; what is left out stays as it is."""

    reviewers: list[Name] | None = Field(default=None, max_length=100)
    agree: Whole | None = Field(default=None, ge=1, le=100)
    blinded: bool | None = None
    sees_all: list[Name] | None = Field(default=None, max_length=100)
    adjudicator: Name | Literal[""] | None = None
    lease: float | None = Field(default=None, ge=1, le=86_400 * 30)


class NewAssignment(Given):
    """Each record to `per_record` of the reviewers, to all of them alike many."""

    per_record: Whole = Field(default=1, ge=1, le=100)
    reviewers: list[Name] | None = Field(
        default=None, max_length=100, description="Those of the team by default."
    )
    ids: Items[Id] | None = Field(
        default=None, description="All that are not assigned yet by default."
    )


class Assigned(Answer):
    assigned: dict[str, int] = Field(
        description="How many each reviewer has now.", examples=[{"ada": 1000, "ben": 1000}]
    )


class NewDecision(Given):
    id: Id = Field(examples=["1806.07419"])
    label: Label | None = Field(description="None takes a decision back.", examples=["relevant"])
    reasons: list[Word] = Field(default=[], max_length=100, description="Why it is not relevant.")
    note: str = Field(default="", max_length=100_000)
    reviewer: Name | None = None


class Decision(Answer):
    label: Label
    reasons: list[str]
    note: str
    by: str
    at: str = Field(examples=["2026-01-31T12:00:00Z"])
    stage: Stage


class Vote(Answer):
    reviewer: str
    label: Label
    at: str = Field(examples=["2026-01-31T12:00:00Z"])
    reasons: list[str]
    note: str
    tags: list[str]


class Conflict(Answer):
    """A document that reviewers judge differently, and the decision on it, if there is one."""

    id: str
    title: str
    text: str
    fields: dict[str, Any]
    labels: dict[str, Label] = Field(examples=[{"ada": "relevant", "ben": "not"}])
    votes: list[Vote]
    decision: Decision | None


class Conflicts(Answer):
    conflicts: list[Conflict] = Field(description="Those that wait for a decision.")
    decided: list[Conflict] = Field(description="Those decided on, the last first.")
    total: int = Field(description="That wait for a decision.")
    decides: bool = Field(description="Whether you decide.")
    decider: str
    agreement: list[Agreement]
    alpha: float | None
