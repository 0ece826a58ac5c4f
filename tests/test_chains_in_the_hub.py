"""Chains of engines in a whole hub, from its YAML: reloads in mid-turn, states, what the doctor says."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hub.api.examination import examined
from hub.app import App, running
from hub.audio import AudioChunk
from hub.pipeline.context import TurnRequest
from hub.pipeline.turn import Turn
from hub.testing import tone
from hub.values.session import Session
from hub.values.tool import Caller

EARS = """
from contextlib import asynccontextmanager
from dataclasses import dataclass

from hub import EngineError, Provides
from hub.testing import Heard, ScriptedAsr


@dataclass(frozen=True)
class Options:
    delay: float = 0.0
    fails: bool = False
    text: str = "hello"


@asynccontextmanager
async def setup(options, context):
    error = EngineError("out of memory") if options.fails else None
    yield Provides(asr=ScriptedAsr([Heard(text=options.text, delay=options.delay, error=error)]))
"""
HOUSE = """
limits: {finish: 0.2, health_pause: 0.05}
integrations:
  box: {type: ears, %s}
  local: {type: ears, text: local}
pipelines:
  default: {asr: [box, local]}
"""
WITHOUT = """
limits: {finish: 0.2, health_pause: 0.05}
integrations:
  local: {type: ears, text: local}
pipelines:
  default: {asr: local}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    own = tmp_path / "config" / "integrations" / "ears"
    own.mkdir(parents=True)
    (own / "__init__.py").write_text(EARS, encoding="utf-8")
    return tmp_path / "config"


async def _speech() -> AsyncIterator[AudioChunk]:
    yield AudioChunk(tone(0.5))


async def _hear(hub: App) -> Turn:
    session, caller = Session(id="me"), Caller(("cli:test",))
    return await hub.turn(TurnRequest(session=session, caller=caller, audio=_speech(), end="asr"))


def _write(config: Path, text: str) -> None:
    (config / "earnest.yaml").write_text(text, encoding="utf-8")


async def _until_busy(hub: App, name: str) -> None:
    async with asyncio.timeout(10):
        while not hub.registry.asr(name).line.running:
            await asyncio.sleep(0)


async def test_an_engine_that_a_reload_removes_in_mid_turn_is_stood_in_for(
    config: Path, tmp_path: Path
) -> None:
    _write(config, HOUSE % "delay: 600")
    async with running(config, data_dir=tmp_path / "data") as hub:
        turn = asyncio.create_task(_hear(hub))
        await _until_busy(hub, "box")
        _write(config, WITHOUT)
        async with asyncio.timeout(20):
            await hub.reload()
            heard = await turn
        assert (heard.reason, heard.transcript, heard.engines) == ("transcribed", "local", {"asr": "local"})
        assert [(failure.engine, failure.message) for failure in heard.failures] == [
            ("box", "'box' was closed")
        ]
        assert hub.states.get("integration.box") is None
        assert (await _hear(hub)).failures == ()


async def test_an_engine_that_a_reload_repairs_is_first_again_at_once(config: Path, tmp_path: Path) -> None:
    _write(config, HOUSE % "fails: true")
    async with running(config, data_dir=tmp_path / "data") as hub:
        assert (await _hear(hub)).engines == {"asr": "local"}
        down = hub.states.get("integration.box")
        assert down
        assert (down.state, down.attributes["reason"]) == ("failing", "out of memory")
        assert down.attributes["asr"]["failures"] == 1
        _write(config, HOUSE % "text: box")
        await hub.reload()
        assert (await _hear(hub)).engines == {"asr": "box"}


async def test_the_doctor_tells_who_is_down_and_what_the_others_did(config: Path, tmp_path: Path) -> None:
    _write(config, HOUSE % "fails: true")
    async with running(config, data_dir=tmp_path / "data") as hub:
        await _hear(hub)
        async with asyncio.timeout(10):
            while not (state := hub.states.get("integration.local")) or "asr" not in state.attributes:
                await asyncio.sleep(0)
        checks = {check.check: check async for check in examined(hub)}
    assert (checks["integration box"].ok, checks["integration box"].message) == (False, "out of memory")
    assert checks["integration local"].ok
    assert checks["integration local"].message == "ears; asr: 1 asked"
    assert not checks["asr box"].ok
