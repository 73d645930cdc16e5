"""Why a request fails: one table, whose names are the `type` of problem details (RFC 9457).

A program tells causes apart by these, not by sentences; docs/http.md lists them all. New ones may
come; the status of one does not change.
"""

from __future__ import annotations

from enum import Enum, unique

URN = "urn:likewise:problem:"


@unique
class Cause(Enum):
    """Each with its status and title."""

    bad_request = 400, "The request is not understood"
    incomplete = 400, "The request did not arrive whole"
    token_needed = 401, "A token is needed"
    not_allowed = 403, "Not allowed"
    not_yours = 403, "It belongs to somebody else"
    other_site = 403, "A page of another site asks"
    no_projects = 403, "Nothing can be made here"
    not_found = 404, "Not found"
    unknown_index = 404, "There is no such index"
    unknown_document = 404, "There is no such document"
    unknown_query = 404, "There is no such query"
    unknown_search = 404, "There is no such saved search"
    unknown_session = 404, "There is no such session"
    unknown_job = 404, "There is no such job"
    unknown_upload = 404, "There is no such upload"
    unknown_attachment = 404, "There is no such attachment"
    unknown_view = 404, "There is no such view"
    unknown_token = 404, "There is no such token"
    method_not_allowed = 405, "The method is not allowed here"
    not_acceptable = 406, "Not acceptable"
    conflict = 409, "In conflict with what is there"
    locked = 409, "Another process writes to the index"
    duplicate_document = 409, "There is such a document"
    name_taken = 409, "The name is taken"
    not_ready = 409, "Something must come first"
    too_large = 413, "The request is too large"
    wrong_type = 415, "The request is of another type"
    unknown_host = 421, "Not known under this name"
    invalid = 422, "The request is not valid"
    bad_filter = 422, "The filter is not understood"
    unknown_field = 422, "No document has this field"
    unreadable = 422, "Documents or files cannot be read"
    reason_needed = 422, "A reason is needed"
    too_much = 422, "More is asked for than is allowed"
    took_too_long = 422, "It took too long"
    rate_limited = 429, "Too many requests"
    too_many_jobs = 429, "Too many jobs or uploads of yours"
    failed = 500, "The server failed"
    damaged = 500, "The index cannot be read"
    busy = 503, "Busy"
    no_cluster = 503, "The cluster does not answer"
    disk_full = 507, "The disk is full"

    @property
    def status(self) -> int:
        return self.value[0]

    @property
    def title(self) -> str:
        return self.value[1]

    @property
    def uri(self) -> str:
        return f"{URN}{self.name.replace('_', '-')}"


GENERAL = {cause.status: cause for cause in reversed(Cause)} | {409: Cause.conflict}
BY_URI = {cause.uri: cause for cause in Cause}


def general(status: int) -> Cause:
    """The cause of which nothing is known but its status."""
    return GENERAL.get(status) or (Cause.bad_request if status < 500 else Cause.failed)
