"""Errors a user may see: each is one sentence that names what is wrong and the way out."""


class LikewiseError(Exception):
    """Base of everything likewise raises on purpose."""


class InputError(LikewiseError):
    """A document, a file or a line of it cannot be taken as it is."""


class UsageError(LikewiseError, ValueError):
    """An argument, an option or a combination of them is invalid."""


class UnknownIdError(UsageError):
    """No document has this id."""


class UnknownSessionError(UsageError):
    """The index has no session of this name."""


class DuplicateError(InputError):
    """There is a document of this id already."""


class StoreError(LikewiseError):
    """An index on disk is missing, damaged, foreign or newer than this program."""


class LockedError(StoreError):
    """Another process is writing to the index."""


class NotConverged(UserWarning):
    """Learning stopped at its limit of passes, further from the optimum than was asked for."""


class LeftOut(UserWarning):
    """Part of the input could not be read and is not in the index; `Added.problems` says why."""


class Unfinished(UserWarning):
    """A change is made and kept, but something that should follow it failed."""
