"""Errors a user may see: each is one sentence that names what is wrong and the way out."""

HEAD, TAIL = 1200, 300  # characters that are kept of a sentence that is too long
LONGEST = 300  # characters of what another library said


class LikewiseError(Exception):
    """Base of everything likewise raises on purpose.

    Whatever a message quotes, it is one line of bounded length: its beginning says what happened,
    its end the way out.
    """

    def __str__(self) -> str:
        return one_line(super().__str__())


class InputError(LikewiseError):
    """A document, a file or a line of it cannot be taken as it is."""


class UsageError(LikewiseError, ValueError):
    """An argument, an option or a combination of them is invalid."""


class UnknownIdError(UsageError):
    """No document has this id."""


class UnknownFieldError(UsageError):
    """No document has a field of this name."""


class UnknownSessionError(UsageError):
    """The index has no session of this name."""


class NotAllowedError(UsageError):
    """This is for somebody else to do."""


class MissingReasonError(UsageError):
    """A full text is left out for a reason, and none was given."""


class DuplicateError(InputError):
    """There is a document of this id already."""


class StoreError(LikewiseError):
    """An index on disk is missing, damaged, foreign or newer than this program."""


class LockedError(StoreError):
    """Another process is writing to the index."""


class ClusterError(LikewiseError):
    """A cluster does not answer, a part of it failed, or it runs another version."""


class NotConverged(UserWarning):
    """Learning stopped at its limit of passes, further from the optimum than was asked for."""


class LeftOut(UserWarning):
    """Part of the input could not be read and is not in the index; `Added.problems` says why."""


class Unfinished(UserWarning):
    """A change is made and kept, but something that should follow it failed."""


class Drifted(UserWarning):
    """An index was made with other versions, and words are turned into other terms today."""


def one_line(message: str) -> str:
    """A message without line breaks; of a long one the beginning and the end."""
    if len(message) > HEAD + TAIL:
        message = f"{message[:HEAD]} … {message[-TAIL:]}"
    return message if message.isprintable() else " ".join(message.split())


def sentence(error: BaseException | str, longest: int = LONGEST) -> str:
    """What another library said, in one line of bounded length."""
    said = " ".join(str(error)[: 20 * longest].split()).rstrip(".")
    return said if len(said) <= longest else f"{said[: longest - 2].rstrip()} …"
