"""The section `documents` of `stratagraph.yaml`: what texts there are and how each kind is read."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from stratagraph.config.values import Instant, NamePattern, Strict, Zone


class FileDocuments(Strict):
    """Markdown, HTML, text, PDF, DOCX, PPTX, XLSX, EPUB and EML files. Reference time: what the document says, else the date in
    its name (`date_pattern`), else its properties, else `reference_time`, else when the file was modified."""

    type: Literal["files"]
    path: str = Field(description="glob, relative to the config file")
    date_pattern: NamePattern | None = Field(
        default=None, description="strptime pattern of a part of the file name, UTC: '%Y-%m-%d'"
    )
    reference_time: Instant | None = Field(default=None, description="ISO 8601 instant for files without a date of their own")


class EpisodeDocuments(Strict):
    """One JSON file with a list `episodes` of {id, ref_time, text}: each episode is a document."""

    type: Literal["episodes"]
    path: str


class ChatDocuments(Strict):
    """Chat logs by person and day ({person: {history: {date: [{query, response}]}}}): one document per person and day,
    one chunk per turn, speakers kept."""

    type: Literal["chats"]
    path: str
    assistant: str = "AI companion"
    zone: Zone = "UTC"


Documents = Annotated[FileDocuments | EpisodeDocuments | ChatDocuments, Field(discriminator="type")]
