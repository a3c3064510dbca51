"""Turns what went wrong into one message for a person. Programming mistakes are not explained: they keep their traceback.

Only the wording lives here; who prints it and with which exit code is decided in `main.py`.
"""

from __future__ import annotations

import errno

from stratagraph.errors import StratagraphError, causes

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_NO_SPACE_TEXTS = ("No space left on device", "Disk quota exceeded")
_FREE_SPACE = "free some space (older snapshots, other files) and run the command again; nothing half-written is ever read"


def explain(error: BaseException) -> str | None:
    """The message for an error, or None when it is a programming mistake.

    Libraries wrap what they catch, so the whole chain of causes is looked at; a full disk explains everything above it.
    """
    chain = list(causes(error))
    for cause in chain:
        if _is_full_disk(cause):
            return _message("the disk is full", _place(cause), _FREE_SPACE)
    for cause in chain:
        if isinstance(cause, StratagraphError):
            return str(cause)
        message = _explain_duckdb(cause) if _is_duckdb(cause) else _explain_os(cause) or _explain_import(cause)
        if message:
            return message
    return None


def _is_full_disk(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _NO_SPACE
    # Our own errors quote what a library said, and its error is not always in the chain (it came from another thread).
    return (_is_duckdb(error) or isinstance(error, StratagraphError)) and any(text in str(error) for text in _NO_SPACE_TEXTS)


def _is_duckdb(error: BaseException) -> bool:
    """By name, because an error of a library that was not loaded cannot have been raised."""
    return type(error).__module__ in ("duckdb", "_duckdb")


def _explain_duckdb(error: BaseException) -> str | None:
    kind, text = type(error).__name__, str(error).splitlines()[0]
    if kind == "OutOfMemoryException":
        return _message(f"not enough memory: {text}", None, "close other programs, or give the machine more memory")
    if kind == "IOException" and "set lock" in text:
        return _message(f"another process holds the file: {text}", None, "wait for it to finish, or stop it")
    if kind == "IOException":
        return _message(f"a file cannot be read or written: {text}", None, "check the disk and the permissions")
    if kind == "FatalException":
        return _message(
            f"the database had to stop: {text}", None, "run the command again; `stratagraph doctor` looks for the cause"
        )
    return None


def _explain_os(error: BaseException) -> str | None:
    if isinstance(error, OSError) and error.filename is not None:
        return _message(f"{error.strerror or error}", str(error.filename), "check the path and the permissions")
    return None


def _place(error: BaseException) -> str | None:
    if isinstance(error, StratagraphError):
        return error.where
    return str(error.filename) if isinstance(error, OSError) and error.filename else None


def _explain_import(error: BaseException) -> str | None:
    """A package of an extra that was not installed; a module of our own that is missing is a mistake of ours."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None or error.name.startswith("stratagraph"):
        return None
    extra = "mcp" if error.name.split(".")[0] == "mcp" else "pipeline"
    return _message(f"the package {error.name} is missing", None, f"pip install 'stratagraph[{extra}]'")


def _message(what: str, where: str | None, hint: str) -> str:
    return str(StratagraphError(what, where=where, hint=hint))
