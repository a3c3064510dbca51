"""Readers run in a process of their own, so that no file can take the pipeline with it: not by an error in native code, and
not by memory or time without end.

One server process holds the libraries. It forks for each file: what reads a file has limits of its own, and is gone after it.
The server ends when its standard input does, thus with the process that started it, however that ends. Files come and contents
go as bytes with their length before them; content is JSON with attachments behind it, never pickled.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import resource
import signal
import struct
import subprocess
import sys
import threading
import traceback
from typing import BinaryIO

from stratagraph.documents.formats.content import Attachment, Content
from stratagraph.documents.records import RefusedDocumentError

MEMORY = 2 << 30  # bytes of address space
# Budgets of pages, cells and characters stop a file at the same place on every machine. This is for what they do not see.
SECONDS = 600  # of processor time
_LENGTH = struct.Struct(">I")
_lock = threading.Lock()
_server: subprocess.Popen[bytes] | None = None


def read_apart(data: bytes, media_type: str) -> Content:
    """The content of a file, read in the other process.

    Args:
        data: the file.
        media_type: what it is.
    """
    with _lock:
        answer = _ask(data, media_type)
    return _content(answer)


def _ask(data: bytes, media_type: str) -> bytes:
    """The answer to one request; a server that is gone is started anew, once."""
    for attempt in (1, 2):
        server = _started()
        try:
            for block in (media_type.encode(), data):
                _send(_pipe(server.stdin), block)
            return _receive(_pipe(server.stdout))
        except (OSError, EOFError) as error:
            close()
            if attempt == 2:
                raise RefusedDocumentError("unreadable", "the process that reads files ended") from error
    raise AssertionError("unreachable")


def _content(answer: bytes) -> Content:
    (length,) = _LENGTH.unpack_from(answer)
    head = json.loads(answer[_LENGTH.size : _LENGTH.size + length])
    if "reason" in head:
        raise RefusedDocumentError(head["reason"], head["detail"])
    start = _LENGTH.size + length
    attachments = []
    for position, name, size in head["attachments"]:
        attachments.append(Attachment(position, name, answer[start : start + size]))
        start += size
    return Content(head["text"], head["title"], head["date"], tuple(head["noted"]), tuple(attachments))


def _started() -> subprocess.Popen[bytes]:
    global _server
    if _server is None or _server.poll() is not None:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        # -P: the folder it is started in adds no modules.
        command = [sys.executable, "-P", "-m", "stratagraph.documents.formats.process"]
        _server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    return _server


@atexit.register
def close() -> None:
    """End the server, if there is one."""
    global _server
    server, _server = _server, None
    if server is not None:
        for pipe in (server.stdin, server.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        server.wait()


def _after_fork() -> None:
    """A forked copy of the pipeline's process has the pipes, and must leave them to the original."""
    global _server, _lock
    _server, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def _pipe(pipe: object) -> BinaryIO:
    return pipe  # type: ignore[return-value]


def _send(stream: BinaryIO, data: bytes) -> None:
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def _receive(stream: BinaryIO) -> bytes:
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return _exactly(stream, length)


def _exactly(stream: BinaryIO, length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


def _serve() -> None:
    """Answer requests until the input ends."""
    # Whatever a library prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests = sys.stdin.buffer
    while True:
        try:
            media_type = _receive(requests).decode()
            data = _receive(requests)
        except EOFError:
            return
        _import_reader(media_type)
        _send(answers, _read_in_fork(data, media_type))


def _import_reader(media_type: str) -> None:
    """Import here what all forks will need; an empty file goes no further than that."""
    from stratagraph.documents.formats.readers import read

    with contextlib.suppress(RefusedDocumentError):
        read(b"", media_type)


def _read_in_fork(data: bytes, media_type: str) -> bytes:
    inlet, outlet = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(inlet)
            _limit()
            with os.fdopen(outlet, "wb") as stream:
                stream.write(_answer(data, media_type))
            code = 0
        finally:
            if code:  # a mistake of ours: it must be seen, though it costs only this file
                traceback.print_exc()
            os._exit(code)
    os.close(outlet)
    with os.fdopen(inlet, "rb") as stream:
        answer = stream.read()
    _, status = os.waitpid(child, 0)
    return answer if status == 0 else _refusal(*_ended(status))


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for limit, value in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, SECONDS)):
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _answer(data: bytes, media_type: str) -> bytes:
    from stratagraph.documents.formats.readers import read

    try:
        content = read(data, media_type)
    except RefusedDocumentError as error:
        return _refusal(error.reason, error.what)
    attachments = [(attachment.position, attachment.name, len(attachment.data)) for attachment in content.attachments]
    head = {
        "text": content.text,
        "title": content.title,
        "date": content.date,
        "noted": content.noted,
        "attachments": attachments,
    }
    encoded = json.dumps(head | {"attachments": attachments}).encode("ascii")
    return b"".join((_LENGTH.pack(len(encoded)), encoded, *(attachment.data for attachment in content.attachments)))


def _refusal(reason: str, detail: str) -> bytes:
    encoded = json.dumps({"reason": reason, "detail": detail}).encode("ascii")
    return _LENGTH.pack(len(encoded)) + encoded


def _ended(status: int) -> tuple[str, str]:
    """Reason and detail of a reader that did not end by itself."""
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return "too_complex", f"it takes more than {SECONDS} seconds to read"
    if os.WIFSIGNALED(status):  # native code that gets no memory breaks off like this
        return "too_complex", "the library that reads it broke off, as it does when it needs more memory than one file may take"
    return "damaged", "it cannot be read"


if __name__ == "__main__":
    _serve()
