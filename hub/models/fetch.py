"""One file from its publisher to its place: begun where it stopped, checked while it comes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp

from hub.errors import DownloadFailed, ModelError
from hub.models.answer import Again, Answer, Unreachable, asked, host, mishaps
from hub.models.aside import in_thread
from hub.models.manifest import Kept, Proof
from hub.models.part import BLOCK, Part
from hub.models.published import RemoteFile
from hub.models.source import mirrored

if TYPE_CHECKING:
    from hub.models.config import DownloadLimits

_RANGE = re.compile(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)")
_HEADWAY = 1 << 20
"""Bytes; a connection that brought so many, or the end, was no failure."""


@dataclass(slots=True)
class Fetch:
    """One file on its way."""

    session: aiohttp.ClientSession
    limits: DownloadLimits
    mirrors: Mapping[str, str]
    file: RemoteFile
    folder: Path
    report: Callable[[int], None]
    """Told the bytes so far, after each block."""
    reached: int = 0
    """The most bytes there ever were: only what goes beyond them gets on."""
    failures: int = 0
    answered: bool = False
    pieced: bool = False
    """Whether the bytes came in more than one piece: a digest that is wrong may then be ours to mend."""

    async def run(self) -> Kept:
        """Return what came; raises `DownloadFailed` or `ModelError`. Cancelled, it leaves a part behind."""
        part = Part(self.folder, self.file)
        try:
            await in_thread(part.open)
            while await in_thread(part.look):
                self.report(part.length)
            self.pieced, self.reached = part.length > 0, part.length
            await self._fill(part)
            if self.pieced and part.differs():
                await in_thread(part.anew)
                await self._fill(part)
            return await self._kept(part)
        except OSError as error:
            raise ModelError(
                f"{self.folder / self.file.path} cannot be written: {error.strerror or error}"
            ) from error
        finally:
            part.close()

    async def _kept(self, part: Part) -> Kept:
        if wrong := part.differs():
            await in_thread(part.drop)
            raise DownloadFailed(
                f"{self.file.path} from {self._who} is not what it should be (digest {wrong[1][:12]}…, not"
                f" {wrong[0][:12]}…): it was changed on its way, or at its publisher; nothing was kept of it"
            )
        await in_thread(part.settle)
        return Kept(
            size=part.length,
            sha256=part.sha256,
            url=self.file.url,
            proof=self._proof(part),
            commit=part.told.commit,
        )

    def _proof(self, part: Part) -> Proof:
        if self.file.sha256 or self.file.md5:
            return "catalogue"
        return "publisher" if part.told.sha256 or part.told.git_sha1 else "size"

    @property
    def _url(self) -> str:
        return mirrored(self.file.url, self.mirrors)

    @property
    def _who(self) -> str:
        return host(self._url)

    async def _fill(self, part: Part) -> None:
        """Ask until all bytes are there; gives up after `retries` failures in a row."""
        while part.length < self.file.size or not (self.answered or self._known(part)):
            try:
                await self._attempt(part)
            except Again as again:
                if part.length - self.reached >= _HEADWAY:
                    self.failures = 0
                self.reached = max(self.reached, part.length)
                self.failures += 1
                if self.failures > self.limits.retries or (
                    isinstance(again, Unreachable) and not self.answered
                ):
                    raise DownloadFailed(f"{again}") from again
                await asyncio.sleep(self._pause(again))

    def _known(self, part: Part) -> bool:
        """Whether all that can be known of the file is known without asking."""
        return bool(self.file.sha256 or self.file.md5 or part.told.sha256 or part.told.git_sha1)

    def _pause(self, again: Again) -> float:
        growing = self.limits.retry_first * 2.0 ** min(self.failures - 1, 30)
        return min(max(growing, again.after or 0.0), self.limits.retry_longest)

    async def _attempt(self, part: Part) -> None:
        if part.length and not (part.validator or self._known(part)):
            await in_thread(part.anew)  # nothing could tell whether two pieces are of one file
        async with asked(self.session, self._url, _headers(part), self.limits.redirects) as answer:
            self.answered = True
            await self._fit(part, answer)
            await self._read(part, answer.response)
        if part.length < self.file.size:
            raise Again(f"{self._who} ended {self.file.path} after {part.length} of {self.file.size} bytes")

    async def _fit(self, part: Part, answer: Answer) -> None:
        """Make the part ready for the bytes that follow; raises `Again` when they do not belong to it."""
        response = answer.response
        if response.status == 200:
            length = response.content_length
            if length not in (None, self.file.size):
                raise DownloadFailed(
                    f"{self.file.path} has {length} bytes at {self._who}, not {self.file.size}: it is another"
                    " one by now, or a page stands in its place"
                )
            await in_thread(part.anew, _validator(response.headers), answer.told)
            return
        if response.status == 206 and self._goes_on(part, response.headers):
            self.pieced = True
            return
        if not part.length:
            raise Again(
                f"{self._who} answers {response.status}, though all of {self.file.path} was asked for"
            )
        await in_thread(part.anew)
        raise Again(f"{self.file.path} at {self._who} has changed in the middle of its download")

    def _goes_on(self, part: Part, headers: Mapping[str, str]) -> bool:
        """Return whether a piece begins where the part ends and is of the same file."""
        found = _RANGE.fullmatch(headers.get("Content-Range", ""))
        if not part.length or not found or int(found[1]) != part.length:
            return False
        same = not part.validator or _validator(headers) in ("", part.validator)
        return same and found[2] in ("*", str(self.file.size))

    async def _read(self, part: Part, response: aiohttp.ClientResponse) -> None:
        block = bytearray()
        try:
            with mishaps(self._url):
                async for chunk in response.content.iter_chunked(BLOCK // 4):
                    block += chunk
                    if part.length + len(block) > self.file.size:
                        block.clear()
                        await _to_disk(part.anew)
                        raise Again(f"{self._who} sends more of {self.file.path} than there is")
                    if len(block) >= BLOCK:
                        full, block = block, bytearray()
                        await _to_disk(part.write, full)
                        self.report(part.length)
        finally:
            if block:  # what has come is kept, however it ended
                await _to_disk(part.write, block)
                self.report(part.length)


async def _to_disk(work: Callable[..., None], *arguments: object) -> None:
    """Run it in a thread; the disk's troubles are not the network's, which are retried."""
    try:
        await in_thread(work, *arguments)
    except OSError as error:
        raise ModelError(f"a model cannot be written to the disk: {error.strerror or error}") from error


def _headers(part: Part) -> dict[str, str]:
    """Ask for the rest, if it is still of the same file; without a mark of it the digest decides."""
    from hub import __version__

    headers = {"Accept-Encoding": "identity", "User-Agent": f"earnest/{__version__}"}
    if part.length:
        headers["Range"] = f"bytes={part.length}-"
        if part.validator:
            headers["If-Range"] = part.validator
    return headers


def _validator(headers: Mapping[str, str]) -> str:
    """Return the mark by which a server knows a file again; a weak one says nothing about bytes."""
    etag = headers.get("ETag", "")
    return etag if etag.startswith('"') else ""
