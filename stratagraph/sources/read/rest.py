"""Reads a REST API through dlt's `rest_api` source: pages, retries and dependent resources are dlt's, the limits are ours.

Requests go only to the hosts that the config names, and only so many of them: what an API answers (links, redirects) is
not trusted. No secret leaves this module in a message. What becomes of the rows is not known here.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from stratagraph.config.sources import RestSource
from stratagraph.errors import SourceError
from stratagraph.project import Project
from stratagraph.sources.names import dataset_name
from stratagraph.sources.read.reader import Opened, Since
from stratagraph.sources.read.redaction import Redaction

_PORTS = {"http": 80, "https": 443}


class RestReader:
    """A REST API as a source of tables (see `reader.Reader`)."""

    def __init__(self, project: Project, name: str, config: RestSource) -> None:
        self._name = name
        self._config = config

    @property
    def where(self) -> str:
        return f"sources.{self._name}: {_place(self._config.client['base_url'])}"

    def fingerprint(self) -> str | None:
        """None: only reading can tell what an API answers."""
        return None

    @contextmanager
    def open(self, since: Since) -> Iterator[Opened]:
        """Declare the resources; they are requested when the loader reads them."""
        # A copy, since dlt takes parts out of it.
        config: dict[str, Any] = copy.deepcopy(
            {
                "client": self._config.client,
                "resources": self._config.resources,
                "resource_defaults": self._config.resource_defaults,
            }
        )
        shown = Redaction(config)
        guard = _Guard(self._config, self.where)
        try:
            from stratagraph.sources.read.observed import Observer

            config["client"]["session"] = guard.session()
            yield Observer(self.where, since).opened(_resources(config, self.where))
        except SourceError as error:
            # `from None`: what dlt and requests chain may show a key.
            place = error.where if error.where and error.where != dataset_name(self._name) else self.where
            what = error.what if error.hint else f"{error.what}{guard.last}"
            raise SourceError(shown(what), where=shown(place), hint=error.hint) from None


def _resources(config: Any, where: str) -> list[Any]:
    from dlt.common.configuration.exceptions import ConfigurationException
    from dlt.common.exceptions import DltException
    from dlt.sources.rest_api import rest_api_resources

    try:
        return [resource for resource in rest_api_resources(config) if resource.selected]
    except (DltException, ConfigurationException, ValueError, TypeError, KeyError) as error:
        hint = "client, resources and resource_defaults are as dlt's rest_api source takes them"
        raise SourceError(f"dlt's rest_api can't use the config: {error}", where=where, hint=hint) from error


class _Guard:
    """Watches the requests of one load: where they go, and how many there are."""

    def __init__(self, config: RestSource, where: str) -> None:
        declared = [config.client["base_url"], *_urls(config.resources), *_urls(config.resource_defaults)]
        self._allowed = {place for url in declared for place in _reachable(url)}
        self._limit = config.max_requests
        self._where = where
        self._count = 0
        self._last = ""

    @property
    def last(self) -> str:
        """The last request, for messages."""
        return f" (last request: {self._last})" if self._last else ""

    def session(self) -> Any:
        """A session of dlt's, with its retries (429 and 5xx, Retry-After) and time limits."""
        from dlt.sources.helpers.requests import Client

        client: Any = Client(raise_for_status=False)
        client.configure()
        session = client.session
        send = session.send

        def watched(request: Any, **options: Any) -> Any:
            self._watch(request)
            return send(request, **options)

        session.send = watched
        return session

    def _watch(self, request: Any) -> None:
        """Also sees each redirect: requests sends those through the session as well."""
        self._last = f"{request.method} {_place(request.url)}"
        if _endpoint(request.url) not in self._allowed:
            raise SourceError(
                f"the API leads to another host: {self._last}", where=self._where,
                hint="only the hosts of client.base_url and of the paths in resources are asked",
            )  # fmt: skip
        self._count += 1
        if self._count > self._limit:
            raise SourceError(
                f"more than {self._limit} requests in one load; the last one was {self._last}", where=self._where,
                hint="does its pagination ever end? If it has so many pages, raise max_requests",
            )  # fmt: skip


def _urls(value: Any) -> Iterator[str]:
    """Addresses that stand in a config, such as the path of an endpoint on another host."""
    if isinstance(value, dict):
        for member in value.values():
            yield from _urls(member)
    elif isinstance(value, list):
        for item in value:
            yield from _urls(item)
    elif isinstance(value, str) and value.startswith(("http://", "https://")):
        yield value


def _endpoint(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


def _reachable(url: str) -> Iterator[tuple[str, str | None, int | None]]:
    """Where requests may go for a declared address: there, and to the same host with encryption."""
    scheme, host, port = _endpoint(url)
    yield scheme, host, port
    if (scheme, port) == ("http", _PORTS["http"]):
        yield "https", host, _PORTS["https"]


def _place(url: str) -> str:
    """An address for messages: without user, query and fragment, where keys may stand."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{parts.path}"
