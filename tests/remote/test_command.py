"""Somebody else's server that the hub starts: found by its socket, started again, ended, told no secrets."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from hub import ChildLimits
from hub.errors import EngineError, EngineTimeout, EngineUnavailable, IntegrationError
from hub.integration import Provides
from hub.values.session import Session
from hub.values.speech import Hearing
from integrations import wyoming
from tests.processes import lives
from tests.remote.contexts import context, stage
from tests.remote.scripted import chunks, each, until

BUTLER = Path(__file__).with_name("butler.py")
LIMITS = ChildLimits(start=30, stop=1, pause=0.01, restart=20, line=10)
ME = Session(id="me", language="en")


class House:
    """An instance that is held open."""

    def __init__(self) -> None:
        self.offered: list[Provides] = []
        self.said: list[str | None] = []
        self.facts: dict[str, Any] = {}

    async def hear(self) -> str:
        async with stage(self.offered, "asr").transcribe(chunks(), Hearing()) as transcripts:
            return str([item.text async for item in transcripts][-1])

    async def say(self, text: str) -> int:
        async with stage(self.offered, "tts").synthesize(each([text])) as sound:
            return sum([len(chunk.pcm) async for chunk in sound])

    async def answer(self, text: str) -> str:
        async with stage(self.offered, "agent").answer(text, ME) as pieces:
            return "".join([piece async for piece in pieces])


def command(*more: str, python: str = sys.executable) -> tuple[str, ...]:
    return (python, "-W", "ignore", str(BUTLER), "--uri", "{uri}", *more)


@asynccontextmanager
async def opened(folder: Path, **options: Any) -> AsyncIterator[House]:
    house = House()
    given = wyoming.Options(**{"command": command(), "server": LIMITS, **options})
    surroundings = context(folder, house.said, "jeeves", house.facts, house.offered)
    async with wyoming.setup(given, surroundings):
        yield house


async def test_it_is_started_serves_on_a_socket_of_the_run_folder_and_is_gone_at_the_end(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as house:
        assert await house.hear() == "turn on the kitchen lamp"
        assert await house.say("Yes.") == 4000
        assert (tmp_path / "jeeves.sock").is_socket()
        assert (house.said[-1], house.facts["starts"]) == (None, 1)
    assert house.offered == []
    assert not running_with(str(tmp_path / "jeeves.sock"))


def running_with(word: str) -> list[psutil.Process]:
    """Return the processes that have the word in their command line."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if any(word in part for part in process.info["cmdline"] or ()) and lives(process)
    ]


async def test_a_crash_costs_a_sentence_that_may_be_repeated_nothing_and_an_agent_its_answer(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as house:
        with pytest.raises(EngineUnavailable):
            await house.answer("die")
        assert await house.answer("tell me something") == "Very good, Sir."
        assert await house.hear() == "turn on the kitchen lamp"
        assert house.facts["crashes"] == 1, "what may act is not asked twice"
        miss = await stage(house.offered, "intents").recognize("blub", ME)
        assert miss.code == "no-match"
        with pytest.raises(EngineUnavailable):
            await house.say("explode")
        assert house.facts["crashes"] == 3, "a voice is asked once more"
        assert await house.say("Yes.") == 4000


async def test_three_crashes_in_a_row_turn_it_off_and_say_why(tmp_path: Path) -> None:
    async with opened(tmp_path, server=ChildLimits(pause=0.01, failures=3)) as house:
        for _ in range(3):
            with pytest.raises(EngineError):
                await house.answer("die")
        await until(lambda: "off" in str(house.said[-1]))
        with pytest.raises(EngineUnavailable, match="is off: it was killed by SIGKILL"):
            await house.hear()


async def test_one_that_does_not_answer_is_killed_and_started_again(tmp_path: Path) -> None:
    async with opened(tmp_path, first=0.2) as house:
        before = running_with(str(tmp_path))
        with pytest.raises(EngineTimeout):
            await stage(house.offered, "intents").recognize("say nothing at all", ME)
        await until(lambda: house.facts["starts"] == 2)
        assert running_with(str(tmp_path)) != before


async def test_one_that_closes_the_connection_but_lives_is_asked_again_at_once_and_told_of(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, environment={"MANOR": "Deverill"}) as house:
        before = asyncio.get_running_loop().time()
        with pytest.raises(EngineUnavailable, match="closed the connection before it had answered"):
            await house.hear()
        assert asyncio.get_running_loop().time() - before < LIMITS.restart / 2
        assert await house.say("Yes.") == 4000
        assert (house.facts["starts"], house.facts["crashes"]) == (1, 0)


async def test_the_limit_that_was_over_is_named(tmp_path: Path) -> None:
    async with opened(tmp_path, first=0.2, environment={"MANOR": "Brinkley"}) as house:
        with pytest.raises(EngineTimeout, match=r"^'jeeves' hung: it gave no answer within 0\.2 s$"):
            await house.hear()
        with pytest.raises(EngineTimeout, match=r"^'jeeves' hung: it gave no answer within 0\.2 s$"):
            await stage(house.offered, "intents").recognize("say nothing at all", ME)
        await until(lambda: house.facts["last_reason"] == "it gave no answer within 0.2 s")


async def test_one_that_is_busy_is_not_taken_for_dead(tmp_path: Path) -> None:
    limits = ChildLimits(check=0.05, sign=0.2)
    async with opened(tmp_path, server=limits, check=0.1, describe=0.1) as house:
        miss = await stage(house.offered, "intents").recognize("think it over", ME)
        assert miss.code == "no-match"
        assert (house.facts["crashes"], house.said[-1]) == (0, None)


async def test_it_knows_the_environment_it_is_given_and_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_SECRET", "hunter2")
    options: dict[str, Any] = {"environment": {"MANOR": "Totleigh"}, "command": command("--kinds", "none")}
    with pytest.raises(IntegrationError, match=r"it ended with 1: .*nobody to serve"):
        async with opened(tmp_path, **options):
            pass
    async with opened(tmp_path, environment={"MANOR": "Totleigh"}):
        (process,) = running_with(str(tmp_path))
        variables = process.environ()
    assert variables["MANOR"] == "Totleigh"
    assert not {"MY_SECRET", "PYTHONPATH"} & variables.keys()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"command": command(python="pyhton3")}, "there is no program 'pyhton3' to start"),
        ({"uri": "box:1"}, "write tcp://"),
        ({"command": (sys.executable, "-c", "raise OSError('no model {uri}')")}, "no model unix://"),
    ],
)
async def test_what_cannot_be_started_is_said(
    tmp_path: Path, options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(IntegrationError) as caught:
        async with opened(tmp_path, **options):
            pass
    assert complaint in str(caught.value)


async def test_a_server_that_knows_only_tcp_is_given_an_address(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with opened(tmp_path, uri=f"tcp://127.0.0.1:{port}") as house:
        assert await house.hear() == "turn on the kitchen lamp"
