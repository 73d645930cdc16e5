"""Files that are sent to become an index, what is in them, and what was made of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from likewise.readers.formats import FORMATS
from likewise.server.models.base import Answer, Given, Items, Name, Whole, one_of
from likewise.server.models.indexes import Added
from likewise.text import languages

MOST_BYTES = 1 << 50
Column = Annotated[str, Field(min_length=1, max_length=300)]
Language = Annotated[
    str,
    AfterValidator(one_of(languages())),
    Field(json_schema_extra={"enum": languages()}, examples=["english"]),
]
FileFormat = Annotated[
    str, AfterValidator(one_of(FORMATS)), Field(json_schema_extra={"enum": [*FORMATS]})
]
SearchedField = Annotated[str, Field(min_length=1, max_length=300)]
OnDuplicate = Literal["error", "skip", "replace"]


class NewFile(Given):
    name: str = Field(
        min_length=1,
        max_length=4_000,
        description="Its path below the folder that is sent; its suffix says its format.",
        examples=["papers/records.ris"],
    )
    size: Whole = Field(ge=0, le=MOST_BYTES, description="In bytes.", examples=[1234])


class NewUpload(Given):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"files": [{"name": "records.ris", "size": 1234}]}]}
    )

    files: Items[NewFile] = Field(min_length=1)


class UploadFile(Answer):
    name: str = Field(examples=["papers/records.ris"])
    size: int = Field(examples=[1234])
    received: int = Field(description="Bytes that are there.", examples=[1234])


class UploadInfo(Answer):
    """`making`: a job makes an index of it; `done`: there is one, called `index`."""

    id: str = Field(examples=["u-7Qd1…"])
    state: Literal["sending", "ready", "making", "done"] = Field(examples=["ready"])
    size: int = Field(description="Bytes of all files.", examples=[1234])
    received: int = Field(description="Bytes that are there.", examples=[1234])
    count: int = Field(description="Of files.", examples=[1])
    first: str = Field(description="The first file.", examples=["papers/records.ris"])
    index: str | None = Field(
        default=None, description="That is made of it, or that it goes to.", examples=["papers"]
    )
    job: str | None = Field(default=None, description="That does so.", examples=["j-7Qd1…"])


class UploadList(Answer):
    uploads: list[UploadInfo]


class Reading(Given):
    """How files are read; by default, columns are found by their names."""

    model_config = ConfigDict(frozen=True)

    format: FileFormat | None = Field(default=None, description="Of all files.")
    encoding: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    text_column: Column | None = None
    title_column: Column | None = None
    id_column: Column | None = None


class AskPreview(Given):
    model_config = ConfigDict(json_schema_extra={"examples": [{}]})

    reading: Reading = Reading()
    index: Annotated[str, Field(max_length=300)] | None = Field(
        default=None, description="Whose documents count as known, too.", examples=["papers"]
    )


class NewIndex(Given):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "papers", "upload": "u-7Qd1…"}]}
    )

    name: Name
    upload: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="Files that were sent; without any, the index is empty."
    )
    language: Language = "english"
    stop_words: bool = Field(default=True, description="Whether frequent words are left out.")
    bigrams: bool = Field(default=False, description="Whether pairs of words are terms, too.")
    fields: list[SearchedField] = Field(
        default=["title", "text"], min_length=1, max_length=20, description="That are searched."
    )
    latent: Whole | None = Field(
        default=None,
        ge=0,
        le=1_000,
        description="Dimensions of the latent space, 0 for none; 128 by default, from 1,000 "
        "documents on.",
    )
    on_duplicate: OnDuplicate = Field(
        default="skip", description="With documents whose id, DOI or PMID came before."
    )
    reading: Reading = Reading()

    @model_validator(mode="after")
    def _reads_something(self) -> Self:
        said = {"on_duplicate": self.on_duplicate != "skip", "reading": self.reading != Reading()}
        given = [name for name, is_said in said.items() if is_said]  # programs send defaults, too
        if self.upload is None and given:
            raise ValueError(f"{' and '.join(given)} is about files: give upload, or leave it out")
        return self

    @property
    def settings(self) -> dict[str, Any]:
        """As Index.create has them."""
        return self.model_dump(include={"language", "stop_words", "bigrams", "fields", "latent"})


class AddedFiles(Given):
    model_config = ConfigDict(json_schema_extra={"examples": [{"upload": "u-7Qd1…"}]})

    upload: Annotated[str, Field(max_length=100)]
    on_duplicate: OnDuplicate = Field(
        default="skip", description="With documents whose id, DOI or PMID are there."
    )
    reading: Reading = Reading()


class MadeIndex(Answer):
    index: str = Field(description="The name of the new index.", examples=["papers"])
    added: Added
    labels: dict[str, int] = Field(
        description="Documents with a label of screening.", examples=[{"relevant": 12}]
    )


class FieldPreview(Answer):
    name: str = Field(examples=["title"])
    label: str = Field(description="As people know it.", examples=["title"])
    documents: int = Field(description="How many have it.", examples=[80])
    example: str = Field(examples=["Grasping with a soft hand"])


class PreviewProblem(Answer):
    place: str = Field(examples=["records.ris, line 12"])
    message: str = Field(examples=["not valid UTF-8"])


class UploadPreview(Answer):
    """What is in the files, before an index is made of them."""

    documents: int = Field(examples=[80])
    formats: dict[str, int] = Field(
        description="Documents by the format of their file.", examples=[{"ris": 80}]
    )
    types: dict[str, int] = Field(
        description="Documents by the kind of record.", examples=[{"article-journal": 78}]
    )
    fields: list[FieldPreview]
    titles: list[str] = Field(description="The first few.")
    duplicates: dict[str, int] = Field(
        description="Whose id, doi or pmid an earlier one has, by that key.", examples=[{"doi": 1}]
    )
    alike: int = Field(
        description="Of the others, those with nearly the title of an earlier one.", examples=[2]
    )
    labels: dict[str, int] = Field(
        description="Documents with a label of screening.", examples=[{"relevant": 12}]
    )
    problems: list[PreviewProblem] = Field(description="What cannot be read: the first of them.")
    problem_count: int = Field(description="How many there are.", examples=[0])
    characters_replaced: int = Field(
        description="That stand for bytes that are no valid text.", examples=[0]
    )
    unknown: dict[str, int] = Field(
        description="Files that no reader knows, by suffix.", examples=[{".exe": 1}]
    )
    remarks: list[str] = Field(description="What was decided while reading.", examples=[[]])
