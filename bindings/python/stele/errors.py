"""The exceptions: one class for each kind of error, where a caller would act differently.

``code`` is stable; the message is free to change.
"""

TYPE_CHECKING = False  # as type checkers know it; the module that has it costs more than this whole package
if TYPE_CHECKING:
    from collections.abc import Mapping


class SteleError(Exception):
    """What every error of this package is."""

    kind: str = ""
    code: str
    retryable: bool
    details: dict[str, str]

    def __init__(
        self, message: str = "", *, code: str = "", retryable: bool = False, details: "Mapping[str, str] | None" = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.details = dict(details or {})


class InvalidError(SteleError, ValueError):
    """The call itself is wrong: change it."""

    kind = "invalid"


class NotFoundError(SteleError, LookupError):
    """Nothing by that name: use another id or path."""

    kind = "not_found"


class ConflictError(SteleError):
    """The record does not allow it as it stands: read again and decide."""

    kind = "conflict"


class BusyError(SteleError):
    """Somebody else is writing: try again."""

    kind = "busy"


class ClosedError(SteleError):
    """The handle is closed: open again."""

    kind = "closed"


class StorageError(SteleError, OSError):
    """The operating system refused: look at disk, rights and space."""

    kind = "io"


class CorruptError(SteleError):
    """The log is damaged: stop and restore a backup."""

    kind = "corrupt"


class IncompatibleError(SteleError):
    """Written by a newer release: upgrade."""

    kind = "incompatible"


class ProviderError(SteleError):
    """A provider failed in a strict assembly: the cause is attached."""

    kind = "provider"


class InternalError(SteleError):
    """A fault of the library: report it."""

    kind = "internal"


BY_KIND: dict[str, type[SteleError]] = {
    error.kind: error
    for error in (
        InvalidError,
        NotFoundError,
        ConflictError,
        BusyError,
        ClosedError,
        StorageError,
        CorruptError,
        IncompatibleError,
        ProviderError,
        InternalError,
    )
}
