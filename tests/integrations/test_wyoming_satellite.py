"""A Wyoming satellite in a whole hub: each of its modes, and everything that goes wrong with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from hub.app import App, running
from hub.testing.fleet import Tongue, TongueVad, TongueWake
from integrations.wyoming.satellite import WyomingSatellite
from tests.integrations.wyoming_device import ScriptedDevice

HOUSE = """\
areas: {{kitchen: }}
integrations:
  house: {{type: demo}}
  box: {{type: toybox}}
  pi: {{type: wyoming, uri: "tcp://127.0.0.1:{port}", satellite: {satellite}}}
pipelines:
  default: {{vad: box, asr: box, tts: box, segment: {segment}}}
satellites:
  kitchen: {{source: pi, area: kitchen, follow_up: never{wake}}}
"""
TOYBOX = '''\
"""Engines that understand the sound of a test."""

from contextlib import asynccontextmanager
from dataclasses import dataclass

from hub import Provides
from hub.testing import ScriptedTts, Tongue, TongueAsr, TongueVad, TongueWake


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """None."""


TONGUE = Tongue()


@asynccontextmanager
async def setup(options, context):
    engines = {"vad": TongueVad(TONGUE), "wake": TongueWake(TONGUE), "asr": TongueAsr(TONGUE)}
    yield Provides(tts=ScriptedTts(seconds_per_character=0.01), **engines)
'''
SEGMENT = "{silence: 0.2, no_speech_timeout: 1, early_end: false, speculate: false}"
BY_HUB = ", wake: {engine: box, words: {okay_nabu: default}}"


@asynccontextmanager
async def house(
    tmp_path: Path, device: ScriptedDevice, wake: str = "", satellite: str = "{}"
) -> AsyncIterator[App]:
    """Run a hub with the satellite."""
    own = tmp_path / "config" / "integrations" / "toybox"
    own.mkdir(parents=True)
    (own / "__init__.py").write_text(TOYBOX, encoding="utf-8")
    text = HOUSE.format(port=device.port, wake=wake, satellite=satellite, segment=SEGMENT)
    (tmp_path / "config" / "earnest.yaml").write_text(text, encoding="utf-8")
    async with running(tmp_path / "config", data_dir=tmp_path / "data") as hub:
        yield hub


def tongue_of(hub: App) -> Tongue:
    """Return what the engines of the house understand."""
    vad = hub.registry.vad("box")
    assert isinstance(vad, TongueVad)
    return vad.tongue


async def until(hub: App, *words: str, entity: str = "satellite.kitchen") -> str:
    """Wait until the state is one of these words."""
    async with asyncio.timeout(20):
        while (state := hub.states.get(entity)) is None or state.state not in words:
            await asyncio.sleep(0)
    return state.state


async def attended(hub: App) -> None:
    """Wait until the microphone is read, and the detector of wake words listens if there is one."""
    await until(hub, "standby")
    detector = hub.registry.wake("box")
    station = hub.rooms.stations["kitchen"]
    assert isinstance(detector, TongueWake)
    assert isinstance(station.link, WyomingSatellite)
    async with asyncio.timeout(20):
        while not station.link.microphone.is_open or (station.config.wake.engine and not detector.opened):
            await asyncio.sleep(0)


def lamps(hub: App) -> list[str]:
    """Return the lamps that are on."""
    return [s.entity_id for s in hub.states if s.entity_id.startswith("light.") and s.state == "on"]


async def test_a_satellite_that_hears_its_own_word(tmp_path: Path) -> None:
    async with ScriptedDevice(active_wake_words=["hey_box"]).open() as box, house(tmp_path, box) as hub:
        await attended(hub)
        tongue = tongue_of(hub)
        await box.say("detection", {"name": "hey_box"})
        await box.say(
            "run-pipeline", {"start_stage": "asr", "end_stage": "tts", "name": "x", "snd_format": {}}
        )
        await box.hear(tongue.say("turn on the kitchen lights", 0.6) + tongue.silence(1.5))
        assert (await box.until("transcript")).data["text"] == "turn on the kitchen lights"
        await box.until("audio-stop")
        await until(hub, "standby")
        assert lamps(hub)
        kinds = box.kinds()
        order = ["run-satellite", "transcribe", "voice-started", "voice-stopped", "transcript", "synthesize"]
        assert [kind for kind in kinds if kind in order] == order
        assert kinds[-3:] == ["audio-start", "audio-chunk", "audio-stop"]
        shown = hub.states.get("satellite.kitchen")
        assert shown is not None
        assert shown.attributes["abilities"] == ["wake_words", "barge_in_wake_word", "lights"]


async def test_the_hub_hears_the_word_of_one_that_always_streams(tmp_path: Path) -> None:
    async with ScriptedDevice().open() as box, house(tmp_path, box, BY_HUB) as hub:
        await attended(hub)
        tongue = tongue_of(hub)
        await box.say("run-pipeline", {"start_stage": "wake", "end_stage": "tts", "restart_on_end": True})
        await box.hear(tongue.silence(0.3) + tongue.wake() + tongue.silence(0.2))
        await box.hear(tongue.say("turn on the kitchen lights", 0.6) + tongue.silence(1.5))
        await box.until("detection")
        await box.until("transcript")
        await box.until("audio-stop")
        assert lamps(hub)
        await until(hub, "standby")


async def test_one_that_sends_only_speech_is_heard_between_its_pauses(tmp_path: Path) -> None:
    async with ScriptedDevice(has_vad=True).open() as box, house(tmp_path, box, BY_HUB) as hub:
        await attended(hub)
        tongue = tongue_of(hub)
        await box.say("run-pipeline", {"start_stage": "wake", "end_stage": "tts"})
        await box.hear(tongue.wake() + tongue.silence(0.2) + tongue.say("turn on the kitchen lights", 0.6))
        await box.until("transcript")
        await box.until("audio-stop")
        assert lamps(hub)


async def test_a_satellite_that_ends_its_sound_itself(tmp_path: Path) -> None:
    async with ScriptedDevice().open() as box, house(tmp_path, box) as hub:
        await attended(hub)
        tongue = tongue_of(hub)
        await box.say("run-pipeline", {"start_stage": "asr", "end_stage": "tts"})
        await box.hear(tongue.say("turn on the kitchen lights", 0.6))
        await until(hub, "listening")
        await box.say("audio-stop")
        await box.until("audio-stop")
        assert lamps(hub)


async def test_one_that_says_nothing_after_its_word_is_told_to_stop(tmp_path: Path) -> None:
    async with ScriptedDevice(active_wake_words=["hey_box"]).open() as box, house(tmp_path, box) as hub:
        await attended(hub)
        await box.say("detection", {"name": "hey_box"})
        await box.hear(tongue_of(hub).silence(3))
        assert (await box.until("transcript")).data == {"text": ""}
        await until(hub, "standby")
        assert "audio-start" not in box.kinds()


async def test_muting_pauses_the_satellite_and_strands_nothing(tmp_path: Path) -> None:
    async with ScriptedDevice(active_wake_words=["hey_box"]).open() as box, house(tmp_path, box) as hub:
        await attended(hub)
        await box.say("detection", {"name": "hey_box"})
        await box.hear(tongue_of(hub).say("turn on the kitchen lights", 0.6))
        await until(hub, "listening")
        hub.rooms.stations["kitchen"].mute(True, "test")
        await box.until("pause-satellite")
        await until(hub, "muted")
        hub.rooms.stations["kitchen"].mute(False, "test")
        await box.until("run-satellite", 2)
        await until(hub, "standby")
        assert lamps(hub) == []


async def test_a_wake_word_in_mid_reply_turns_to_whoever_it_was(tmp_path: Path) -> None:
    async with ScriptedDevice(active_wake_words=["hey_box"]).open() as box, house(tmp_path, box) as hub:
        await attended(hub)
        tongue = tongue_of(hub)
        await box.say("detection", {"name": "hey_box"})
        await box.hear(tongue.say("turn on the kitchen lights", 0.6) + tongue.silence(1.5))
        await box.until("audio-start")
        await box.say("detection", {"name": "hey_box"})
        await box.say("run-pipeline", {"start_stage": "asr", "end_stage": "tts"})
        await box.hear(tongue.say("turn off the kitchen lights", 0.6) + tongue.silence(1.5))
        await box.until("transcript", 2)
        await box.until("audio-stop", 2)
        await until(hub, "standby")
        assert lamps(hub) == []


@pytest.mark.parametrize("state", ["standby", "listening", "speaking"])
async def test_a_reboot_in_any_state_is_told_and_the_next_command_works(tmp_path: Path, state: str) -> None:
    quick = "{retry: 0.1, retry_longest: 0.2}"
    async with (
        ScriptedDevice(active_wake_words=["hey_box"]).open() as box,
        house(tmp_path, box, satellite=quick) as hub,
    ):
        await attended(hub)
        tongue = tongue_of(hub)
        if state != "standby":
            await box.say("detection", {"name": "hey_box"})
            quiet = tongue.silence(1.5) if state == "speaking" else b""
            await box.hear(tongue.say("turn off the kitchen lights", 0.6) + quiet)
            await until(hub, state)
        box.reboot()
        await until(hub, "unavailable")
        await attended(hub)
        await box.say("detection", {"name": "hey_box"})
        await box.hear(tongue.say("turn on the kitchen lights", 0.6) + tongue.silence(1.5))
        async with asyncio.timeout(20):
            while not lamps(hub):
                await asyncio.sleep(0)
        assert box.owners == 2


async def test_one_that_answers_no_ping_is_gone(tmp_path: Path) -> None:
    quick = "{ping: 0.1, pong: 0.2, retry: 0.1}"
    async with ScriptedDevice().open() as box, house(tmp_path, box, satellite=quick) as hub:
        await until(hub, "standby")
        box.answers_pings = False
        await until(hub, "unavailable")
        state = hub.states.get("satellite.kitchen")
        assert state is not None
        assert "did not answer a ping for 0.2 s" in state.attributes["reason"]
        box.answers_pings = True
        await until(hub, "standby")


async def test_one_that_serves_another_hub_is_reported_as_such(tmp_path: Path) -> None:
    async with ScriptedDevice().open() as box:
        box.is_taken = True
        async with house(tmp_path, box, satellite="{retry: 0.1, retry_longest: 0.2}") as hub:
            await until(hub, "failing", entity="integration.pi")
            state = hub.states.get("integration.pi")
            assert state is not None
            assert "serves another hub" in state.attributes["reason"]
            box.is_taken = False
            await until(hub, "standby")
            await until(hub, "open", entity="integration.pi")


@pytest.mark.parametrize(
    "rubbish",
    [
        b"no json\n",
        b'{"type": "audio-chunk", "data": {"rate": 0, "width": 2, "channels": 1}}\n',
        b'{"type": "audio-chunk", "data": {"rate": "x", "width": 2}}\n',
        b'{"type": "audio-chunk", "payload_length": 99999999999}\n',
        b"\x00\xff" * 40_000 + b"\n",
    ],
)
async def test_rubbish_costs_the_connection_and_no_more(tmp_path: Path, rubbish: bytes) -> None:
    quick = "{retry: 0.1, retry_longest: 0.2}"
    async with ScriptedDevice().open() as box, house(tmp_path, box, satellite=quick) as hub:
        await until(hub, "standby")
        await box.raw(rubbish)
        await until(hub, "unavailable")
        await until(hub, "standby")


async def test_what_is_unknown_or_out_of_order_is_skipped(tmp_path: Path) -> None:
    async with ScriptedDevice(active_wake_words=["hey_box"]).open() as box, house(tmp_path, box) as hub:
        await attended(hub)
        tongue = tongue_of(hub)
        for kind in ("played", "audio-stop", "pong", "streaming-stopped", "of-tomorrow", "run-pipeline"):
            await box.say(kind, {"anything": [1, None, {}]})
        await box.hear(tongue.silence(0.2))
        await box.say("detection", {"name": None})
        await box.hear(tongue.say("turn on the kitchen lights", 0.6) + tongue.silence(1.5))
        await box.until("audio-stop")
        assert lamps(hub)


async def test_an_announcement_is_heard_at_the_satellite(tmp_path: Path) -> None:
    from hub.values.tool import Caller, Done, Target, ToolCall

    async with ScriptedDevice().open() as box, house(tmp_path, box) as hub:
        await until(hub, "standby")
        call = ToolCall(
            tool="satellite.announce", arguments={"message": "Dinner."}, target=Target(everything=True)
        )
        done = await hub.toolbox.call(call, Caller(("cli:test",)))
        assert isinstance(done, Done)
        assert done.result == {"satellite.kitchen": {"status": "played", "spoken": "Dinner."}}
        assert (await box.until("synthesize")).data == {"text": "Dinner."}
