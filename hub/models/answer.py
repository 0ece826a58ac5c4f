"""One question to a web server: redirects followed by the rules, refusals told apart from mishaps."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

import aiohttp
from yarl import URL

from hub.errors import DownloadFailed
from hub.models.source import scheme

_MOVED = frozenset((301, 302, 303, 307, 308))
_MISHAPS = frozenset((408, 425, 429, 500, 502, 503, 504))
_SHA256 = re.compile(r'(?:W/)?"?([0-9a-f]{64})"?')
_SHA1 = re.compile(r'(?:W/)?"?([0-9a-f]{40})"?')


class Again(Exception):
    """Something went wrong that another try may mend."""

    def __init__(self, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after
        """Seconds the server asks to wait."""


class Unreachable(Again):
    """No connection came about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the publisher said of a file before or with its bytes."""

    sha256: str = ""
    git_sha1: str = ""
    """Of the bytes with git's header before them: what Hugging Face tells of small files."""
    commit: str = ""

    def and_of(self, headers: Mapping[str, str]) -> Told:
        """Return it with what these headers add; what was said first counts.

        Hugging Face says `X-Repo-Commit` and with it the digest: `X-Linked-Etag`, or for a small file its
        `ETag`. The `ETag` of its storage, to which it points, is no digest of the bytes.
        """
        commit = headers.get("X-Repo-Commit", "")
        if not commit:
            return self
        said = headers.get("X-Linked-Etag") or headers.get("ETag", "")
        large, small = _SHA256.fullmatch(said), _SHA1.fullmatch(said)
        return Told(
            commit=self.commit or commit[:64],
            sha256=self.sha256 or (large[1] if large else ""),
            git_sha1=self.git_sha1 or (small[1] if small else ""),
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """A response with a body to read, and what was said on the way to it."""

    response: aiohttp.ClientResponse
    told: Told


@asynccontextmanager
async def asked(
    session: aiohttp.ClientSession, url: str, headers: Mapping[str, str], redirects: int
) -> AsyncIterator[Answer]:
    """Give the answer to a GET; raises `Again` or `DownloadFailed`. A status of 416 is an answer too."""
    told = Told()
    for _ in range(redirects + 1):
        with mishaps(url):
            response = await session.get(URL(url, encoded=True), headers=headers, allow_redirects=False)
        async with response:
            told = told.and_of(response.headers)
            if response.status not in _MOVED:
                _judge(response, url)
                yield Answer(response, told)
                return
            url = onward(url, response.headers.get("Location", ""))
    raise DownloadFailed(f"{host(url)} points elsewhere more than {redirects} times (models.redirects)")


@contextmanager
def mishaps(url: str) -> Iterator[None]:
    """Turn what a connection can do into `Again`; a certificate that is not right is final."""
    try:
        yield
    except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError) as error:
        raise DownloadFailed(f"{host(url)} cannot be trusted: {_line(error)}") from error
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
        raise Unreachable(f"{host(url)} cannot be reached ({_line(error)})") from error
    except TimeoutError as error:
        raise Again(f"{host(url)} sent nothing any more (models.stall)") from error
    except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
        raise DownloadFailed(f"'{url}' is no address to download from") from error
    except (aiohttp.ClientError, OSError) as error:
        raise Again(f"the connection to {host(url)} broke off ({_line(error)})") from error
    except ValueError as error:  # a name that is no host's, a port that is none
        raise DownloadFailed(f"'{url[:200]}' is no address to download from") from error


def host(url: str) -> str:
    """Return who is asked."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or url
    except ValueError:
        return url


def onward(url: str, location: str) -> str:
    """Return where a redirect leads; raises `DownloadFailed` where it must not."""
    try:
        there = urljoin(url, location)
    except ValueError:
        there = ""
    after = scheme(there)
    if not location or not after or (scheme(url) == "https" and after == "http"):
        raise DownloadFailed(f"{host(url)} points to '{(there or location)[:200]}'; that way is not taken")
    return there


def _judge(response: aiohttp.ClientResponse, url: str) -> None:
    """Raise unless the answer is one to work with."""
    status = response.status
    if status in (200, 206, 416):
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise DownloadFailed(f"{host(url)} sends it packed, though it was asked not to")
        return
    if status in _MISHAPS:
        raise Again(f"{host(url)} answers {status}", _wish(response.headers.get("Retry-After", "")))
    meaning = {
        401: "wants to know who asks",
        403: "refuses it",
        404: "does not have it",
        410: "has it no more",
    }
    raise DownloadFailed(f"{host(url)} {meaning.get(status, 'cannot give it')} (status {status})")


def _wish(retry_after: str) -> float | None:
    """Return the seconds that a server asks to wait."""
    if retry_after.isdecimal():
        return float(retry_after[:9])
    try:
        return max(parsedate_to_datetime(retry_after).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
