"""Reviews: pages, judgements, and what they add up to."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints

from likewise.feedback import SELECTIONS
from likewise.feedback.methods import ABOUT
from likewise.server.models.base import Answer, Given, Id, Items, Name, Whole, one_of
from likewise.server.models.search import Example, Hit, Weighting

Label = Literal["relevant", "not", "unsure"]
Stage = Literal["title/abstract", "full text"]
Reviewer = Name
Word = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^;\x00-\x1f]+$")]
FEEDBACK_NAMES = tuple(ABOUT)
Feedback = Annotated[
    str,
    AfterValidator(one_of(FEEDBACK_NAMES)),
    Field(json_schema_extra={"enum": [*FEEDBACK_NAMES]}),
]
Selection = Annotated[
    str, AfterValidator(one_of(SELECTIONS)), Field(json_schema_extra={"enum": [*SELECTIONS]})
]


class Choices(Given):
    """Settings of a session; all may be changed later."""

    method: Feedback | None = Field(default=None, description="auto by default.")
    selection: Selection | None = Field(default=None, description="best or active.")
    weighting: Weighting | None = Field(
        default=None, description="How terms weigh; by default as each method is best."
    )
    seed: Whole | None = Field(default=None, ge=0, le=2**32)
    page_size: Whole | None = Field(default=None, ge=1, le=1_000, description="10 by default.")
    combine: Literal["any", "majority"] | None = Field(
        default=None, description="What holds where reviewers differ; any by default."
    )
    overlap: bool | None = Field(
        default=None, description="Whether every reviewer judges every document; by default."
    )

    stage: Stage | None = Field(default=None, description="What is judged now.")
    group_duplicates: bool | None = Field(
        default=None, description="Whether records of one paper are shown and judged once."
    )
    random_rate: float | None = Field(
        default=None, ge=0, lt=1, description="The share of pages that are random samples."
    )


LongText = Annotated[str, StringConstraints(max_length=100_000)]


class NewProtocol(Given):
    """What is left out stays as it is."""

    question: LongText | None = Field(default=None, examples=["Do robots help surgeons?"])
    criteria: LongText | None = Field(default=None, examples=["Include trials in humans."])
    reasons: list[Word] | None = Field(
        default=None, max_length=100, examples=[["wrong population", "no trial"]]
    )
    tags: list[Word] | None = Field(default=None, max_length=100, examples=[["ask ben"]])
    require_reason: bool | None = Field(
        default=None,
        description="Whether a full text is left out for a reason, where there are reasons.",
    )


class NewTeam(Given):
    """Who works on a session, and how many of them must agree."""

    reviewers: list[Name] = Field(default=[], max_length=1_000, examples=[["ada", "ben"]])
    agree: Whole = Field(default=1, ge=1, le=1_000)
    blinded: bool = False
    adjudicator: str = Field(default="", max_length=200)


class NewSession(Choices):
    """What a session begins with (words, examples, both or nothing), and its settings."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "soft robots", "words": "robot arm"}]}
    )

    name: Name = Field(examples=["soft robots"])
    words: str | None = Field(default=None, min_length=1)
    positive: Items[Example] = Field(default=[])
    negative: Items[Example] = Field(default=[])
    known: Items[str] = Field(
        default=[], description="Relevant records by id, DOI, PMID or title: judged from the start."
    )
    known_not: Items[str] = Field(default=[], description="Those known to be not relevant.")
    labels: bool | str = Field(
        default=False, description="Take labels in the records as judgements; or the field's name."
    )
    protocol: NewProtocol | None = None
    team: NewTeam | None = None


class KnownPaper(Given):
    """A paper from a file, as `POST /v1/read` tells it."""

    id: str = Field(default="", max_length=1_000)
    title: str = Field(default="", max_length=10_000)
    text: str = ""
    fields: dict[str, Any] = Field(default={}, description="`doi` and `pmid` are looked at.")


class KnownPapers(Given):
    """Names are ids, DOIs, PMIDs or titles."""

    names: list[str] = Field(default=[], max_length=10_000, fail_fast=True)
    papers: list[KnownPaper] = Field(default=[], max_length=10_000, fail_fast=True)


class FoundPaper(Answer):
    given: str
    id: str
    title: str
    by: str = Field(description="id, doi, pmid or title", examples=["doi"])


class Known(Answer):
    found: list[FoundPaper]
    outside: list[int] = Field(description="Places of papers that are not among the records.")
    unknown: list[str] = Field(description="Names that no record has.")


class LabelCounts(Answer):
    labels: dict[str, int] = Field(
        description="Records by a label that stands in them.", examples=[{"relevant": 3, "not": 9}]
    )


class ChangedSession(Choices):
    """For the owner of a session."""

    name: Name | None = None
    owner: Name | None = None
    archived: bool | None = None


class Judged(Answer):
    """Numbers of documents by their judgement, all reviewers combined."""

    relevant: int = Field(examples=[3])
    others: int = Field(description="Judged not relevant.", examples=[6])
    undecided: int = Field(description="Judged unsure, or reviewers differ.", examples=[1])


class SessionInfo(Answer):
    name: str = Field(examples=["soft robots"])
    index: str = Field(examples=["papers"])
    owner: str = Field(description="Who made it; empty where nobody knows.", examples=["ada"])
    yours: bool = Field(description="Whether you may rename, change and delete it.")
    archived: bool = False
    reviewers: list[str] = Field(examples=[["ada"]])
    names: list[str] = Field(
        description="Who works on it: the team, the owner, and whoever has judged.",
        examples=[["ada", "ben"]],
    )
    closed: bool = Field(description="Whether nobody else can judge: reviewers are named.")
    blinded: bool = Field(description="Whether votes are hidden until all have judged.")
    judged: Judged
    documents: int = Field(description="That can be judged.", examples=[2000])
    method: str = Field(examples=["auto"])
    selection: str | None = None
    weighting: str | None = None
    seed: int = 0
    page_size: int = Field(examples=[10])
    combine: str = Field(examples=["any"])
    overlap: bool = True
    stage: Stage
    random_rate: float = 0.0
    group_duplicates: bool = True


class ListedSession(Answer):
    name: str = Field(examples=["soft robots"])
    owner: str = Field(examples=["ada"])
    archived: bool = False
    reviewers: int = Field(examples=[1])
    events: int = Field(description="Judgements ever made, and undoing.", examples=[12])
    created: str = Field(examples=["2026-01-31T12:00:00Z"])
    last: str | None = Field(description="When it was last used.")


class SessionList(Answer):
    sessions: list[ListedSession]


class PageHit(Hit):
    label: Label | None = Field(default=None, description="What this reviewer says of it.")
    reasons: list[str] = Field(default=[], description="Why it is not relevant.")
    note: str = Field(default="", description="This reviewer's.")
    tags: list[str] = Field(default=[], description="This reviewer's.")


class Page(Answer):
    number: int = Field(description="Of the reviewer's pages; 0 where nothing is left.")
    method: str = Field(examples=["two-class"])
    reason: str = Field(examples=["something relevant has been found"])
    hits: list[PageHit]
    seconds: float = Field(examples=[0.01])


class NextPage(Given):
    """Settings of the next page."""

    reviewer: Reviewer | None = None
    size: Whole | None = Field(default=None, ge=1, le=1_000)
    again: bool = Field(default=False, description="Also show what was passed over.")
    random: bool = Field(
        default=False, description="A random sample of the unjudged, to estimate recall by."
    )
    explain: Whole = Field(default=0, ge=0, le=100)
    snippet: Whole = Field(default=300, ge=0, le=100_000)


class OneJudgement(Given):
    id: Id = Field(examples=["1806.07419"])
    label: Label | None = Field(description="None withdraws a judgement.", examples=["relevant"])
    reasons: list[Word] | None = Field(
        default=None,
        max_length=100,
        description="Why it is not relevant; left out, those given before stay.",
    )
    note: str | None = Field(default=None, max_length=100_000, description="In place of yours.")
    tags: list[Word] | None = Field(default=None, max_length=100, description="In place of yours.")
    stage: Stage | None = Field(default=None, description="That of the session by default.")


class NewJudgements(Given):
    """Judgements of one reviewer, undone as one step; with `next`, the answer has a page."""

    judgements: list[OneJudgement] = Field(min_length=1, max_length=1_000, fail_fast=True)
    reviewer: Reviewer | None = None
    next: NextPage | None = None


class Entered(Answer):
    entered: int = Field(examples=[1])
    page: Page | None = None


class Step(Given):
    reviewer: Reviewer | None = None


class Change(Answer):
    id: str
    before: Label | None
    after: Label | None
    stage: Stage
    reasons: list[str]


class Entry(Answer):
    """One step of a reviewer: a judgement, an undo or a redo."""

    number: int
    at: str = Field(examples=["2026-01-31T12:00:00Z"])
    reviewer: str
    action: str = Field(examples=["judge"])
    changes: list[Change]


class History(Answer):
    entries: list[Entry] = Field(description="The last first.")
    total: int


class Judgements(Answer):
    """A reviewer's judgements in force, in the order they were made."""

    reviewer: str
    judgements: dict[str, Label]
