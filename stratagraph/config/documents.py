"""The section `documents` of `stratagraph.yaml`: what texts there are and how each kind is read."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from stratagraph.config.values import Instant, NamePattern, Strict, TimeFormat, Zone


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


ChatFormat = Literal["auto", "daily", "messages"]


class MessageFields(Strict):
    """Where the messages of a chat log stand and what their fields are called. What is not said is found by the usual names."""

    list: str | None = Field(default=None, description="path to the lists: keys joined with dots, `[]` for each of a list, `*`")
    session: str | None = None
    speaker: str | None = None
    time: str | tuple[str, ...] | None = Field(default=None, description="a field, or several that make a time together")
    text: str | None = None
    id: str | None = None
    time_format: TimeFormat | None = Field(default=None, description="strptime pattern of times that are not ISO 8601")


class ChatDocuments(Strict):
    """Chat logs: one chunk per turn, speakers and times kept. `messages`: JSON or JSONL of messages with speaker, text, time;
    one document per session. `daily`: {person: {history: {date: [{query, response}]}}}, one document per person and day."""

    type: Literal["chats"]
    path: str
    format: ChatFormat = "auto"
    messages: MessageFields = MessageFields()
    names: dict[str, str] = Field(default_factory=dict, description="what speakers are called, by what the log calls them")
    assistant: str = Field(default="AI companion", description="the second speaker of the daily form")
    assistants: tuple[str, ...] = Field(
        default=("assistant", "system", "tool", "function", "developer", "model", "gpt"),
        description="speakers that are machines: what they say of themselves is no fact",
    )
    zone: Zone = "UTC"
    reference_time: Instant | None = Field(default=None, description="of sessions that say nothing of their time")

    @property
    def machines(self) -> frozenset[str]:
        """Speakers that are machines, as documents call them."""
        return frozenset((self.assistant, *(self.names.get(name, name) for name in self.assistants)))


Documents = Annotated[FileDocuments | EpisodeDocuments | ChatDocuments, Field(discriminator="type")]
