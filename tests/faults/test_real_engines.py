"""Whisper and Piper in a hub that runs as its users run it, killed and frozen as a machine does it."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import pytest

from tests.cli.conftest import PATIENCE, House, make_house, started
from tests.processes import lives
from tests.recordings import OURS

pytestmark = pytest.mark.engines
SPOKEN = OURS / "rhasspy3" / "play_the_beatles.wav"
CONFIG = """\
integrations:
  whisper: {type: faster_whisper, worker: {check: 0.2, sign: 2}}
  voice: {type: piper, worker: {check: 0.2, sign: 2}}
pipelines:
  default: {asr: whisper, intents: [commands, home], tts: voice}
commands:
  beatles: {phrases: [play the beatles], reply: Here they are.}
"""
REPLY = "Here they are."
STRIKES = [signal.SIGKILL, signal.SIGSTOP]


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with TemporaryDirectory(prefix="e-") as name:
        house = make_house(Path(name), CONFIG)
        with started(house):
            yield house


def worker(house: House, integration: str) -> psutil.Process:
    """Return the process of an integration's worker; its options name the data folder."""
    (hub,) = (
        process
        for process in psutil.process_iter(["cmdline"])
        if str(house.data) in (process.info["cmdline"] or ()) and "run" in process.info["cmdline"]
    )
    return next(child for child in hub.children() if f"/{integration}/worker.py" in child.cmdline()[-1])


def facts(house: House, name: str) -> dict[str, Any]:
    """Return the attributes of an integration's state."""
    attributes: dict[str, Any] = house.lines("states", f"integration.{name}", "--json")[0]["attributes"]
    return attributes


def hears(house: House) -> dict[str, Any]:
    """Let the hub hear the recording and return the turn's record."""
    return house.lines("hear", str(SPOKEN), "--json")[-1]


@pytest.mark.parametrize("strike", STRIKES)
def test_whisper_is_struck_in_mid_word_and_the_person_is_understood(
    house: House, strike: signal.Signals
) -> None:
    sound = SPOKEN.read_bytes()
    before = worker(house, "faster_whisper")
    with subprocess.Popen(
        house.command("hear", "-", "--json"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as hearing:
        assert hearing.stdin
        assert hearing.stdout
        hearing.stdin.write(sound[: len(sound) // 2])
        hearing.stdin.flush()
        while json.loads(hearing.stdout.readline()).get("type") != "stt-start":
            pass
        before.send_signal(strike)
        hearing.stdin.write(sound[len(sound) // 2 :])
        hearing.stdin.close()
        record = json.loads(hearing.stdout.read().splitlines()[-1])
    assert (record["reply"], record["failures"]) == (REPLY, [])
    assert not lives(before)
    said = "it was killed by SIGKILL" if strike == signal.SIGKILL else "it gave no sign of life within 2 s"
    while facts(house, "whisper").get("last_reason") != said:
        pass  # facts are written once a second


@pytest.mark.parametrize("strike", STRIKES)
def test_piper_is_struck_before_it_speaks_and_the_person_hears_the_whole_answer(
    house: House, strike: signal.Signals
) -> None:
    whole, again = house.data / "whole.wav", house.data / "again.wav"
    assert house.run("say", REPLY, "--out", str(whole)).returncode == 0
    before = worker(house, "piper")
    before.send_signal(strike)
    assert house.run("say", REPLY, "--out", str(again)).returncode == 0
    assert again.stat().st_size > 0.7 * whole.stat().st_size
    assert not lives(before)


def test_state_and_doctor_tell_how_often_and_why(house: House) -> None:
    worker(house, "faster_whisper").kill()
    assert hears(house)["reply"] == REPLY
    while (told := facts(house, "whisper"))["failures_in_a_row"]:
        pass  # facts are written once a second
    assert told["crashes"] >= 1
    assert told["starts"] == told["crashes"] + 1
    assert told["memory_mb"] > 100
    assert f"{told['crashes']} crashes, last: it was killed by SIGKILL" in house.run("doctor").stdout


def test_what_a_killed_hub_leaves_is_gone_when_the_next_one_is_ready() -> None:
    with TemporaryDirectory(prefix="e-") as name:
        house = make_house(Path(name), CONFIG)
        with started(house) as hub:
            left = [worker(house, "faster_whisper"), worker(house, "piper")]
            left[0].suspend()
            hub.kill()
            hub.communicate(timeout=PATIENCE)
        with started(house):
            assert not any(map(lives, left))
            assert hears(house)["reply"] == REPLY
        assert not list((house.data / "children").iterdir())
