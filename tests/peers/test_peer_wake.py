"""wyoming-openwakeword of 2023, with the Wyoming of its time, hears its words through us."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio

from hub.errors import IntegrationError
from hub.integration import Provides
from integrations import wyoming
from tests.integrations.speech import recording
from tests.peers.servers import peers_python, running
from tests.remote.contexts import context, stage

pytestmark = [pytest.mark.engines, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]
RECORDINGS = Path(__file__).parents[1] / "cases" / "audio" / "pymicro-wakeword"
FRAME = 2560


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def guard(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[list[Provides]]:
    python = await asyncio.to_thread(peers_python, "openwakeword.txt")
    folder = tmp_path_factory.mktemp("guard")
    offered: list[Provides] = []
    async with (
        running(python, folder, "wyoming_openwakeword") as uri,
        wyoming.setup(wyoming.Options(uri=uri), context(folder, [], offered=offered)),
    ):
        yield offered


async def _heard(guard: list[Provides], word: str, name: str) -> set[str]:
    """Return what is found while the recording is played at its own pace; it judges only what is live."""
    sound = bytes(16_000) + await recording(RECORDINGS / name) + bytes(32_000)
    found = set()
    tick = asyncio.Event()
    with closing(stage(guard, "wake").open([word])) as stream:
        for start in range(0, len(sound) - FRAME, FRAME):
            asyncio.get_running_loop().call_later(0.08, tick.set)
            detection = await asyncio.to_thread(stream.process, sound[start : start + FRAME])
            found |= {detection.word} if detection else set()
            await tick.wait()
            tick.clear()
    return found


async def test_a_word_is_heard_and_another_one_is_not(guard: list[Provides]) -> None:
    jarvis, other = await asyncio.gather(
        _heard(guard, "hey_jarvis_v0.1", "hey_jarvis_2.wav"), _heard(guard, "alexa_v0.1", "hey_jarvis_2.wav")
    )
    assert (jarvis, other) == ({"hey_jarvis_v0.1"}, set())


async def test_a_word_it_does_not_have_is_said_with_those_it_has(guard: list[Provides]) -> None:
    with pytest.raises(IntegrationError, match=r"no wake word 'hey_jarvis'; there are .*ok_nabu_v0.1"):
        stage(guard, "wake").open(["hey_jarvis"])
