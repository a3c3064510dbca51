"""Reads files of episodes: JSON with a list of texts, each with an id and a time of its own."""

from __future__ import annotations

from stratagraph.documents.checks import Records, checked, of_type, parse_json, refuse, required
from stratagraph.documents.language import detect_language
from stratagraph.documents.records import Document, RefusedDocumentError
from stratagraph.documents.times import parse_reference_time


def read_episodes(data: bytes, path: str) -> Records:
    """A JSON file `{"episodes": [{"id", "ref_time", "text"}]}`: one document per episode."""
    try:
        episodes = required(parse_json(data), "episodes", list)
    except RefusedDocumentError as error:
        yield refuse(path, (), error)
        return
    for position, episode in enumerate(episodes):
        try:
            yield _episode(episode, path)
        except RefusedDocumentError as error:
            yield refuse(path, (f"episodes[{position}]",), error, episode)


def _episode(item: object, path: str) -> Document:
    identifier = of_type(item, dict, "the episode").get("id")
    name = str(identifier) if isinstance(identifier, int) else required(item, "id", str)
    text = checked(required(item, "text", str))
    title = item.get("title") if isinstance(item, dict) else None
    return Document(
        path=path,
        parts=(checked(name).strip(),),
        title=checked(title) if isinstance(title, str) and title.strip() else name,
        kind="episode",
        media_type="text/plain",
        language=detect_language(text),
        reference_time=parse_reference_time(required(item, "ref_time", str)),
        text=text,
    )
