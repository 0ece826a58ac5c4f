"""A strange server that the hub starts, asked from the command line: it hears, understands and talks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hub.audio import AudioChunk
from hub.testing import tone
from hub.wav import wav
from tests.cli.conftest import House, make_house, started

BUTLER = Path(__file__).parents[1] / "remote" / "butler.py"
HOUSE = f"""\
areas: {{kitchen: }}
integrations:
  rooms: {{type: demo}}
  my_mind: {{type: wyoming, command: [{sys.executable}, -W, ignore, {BUTLER}, --uri, "{{uri}}"]}}
pipelines:
  default: {{asr: my_mind, intents: [commands, home, my_mind], agent: my_mind}}
commands:
  film:
    intent: PlayFilm
    slots: {{title: {{wildcard: true}}}}
    action: {{action: light.turn_off, target: {{entity_id: Kitchen lamp}}}}
    reply: "Here is {{{{ title }}}}."
"""


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    house = make_house(tmp_path_factory.mktemp("butler"), HOUSE)
    with started(house):
        yield house


def test_ask_has_an_intent_of_the_server_done(hub: House) -> None:
    *_, turn = hub.lines("ask", "--json", "screen Brazil")
    assert (turn["reason"], turn["reply"]) == ("acted", "Here is Brazil.")
    assert (turn["match"]["stage"], turn["match"]["intent"]) == ("my_mind", "film")
    assert hub.state("light.kitchen_lamp") == "off"


def test_ask_has_the_server_answer_what_nobody_understood(hub: House) -> None:
    *events, turn = hub.lines("ask", "--json", "tell me something")
    assert turn["reply"] == "Very good, Sir."
    assert len([event for event in events if event["type"] == "intent-progress"]) == 3


def test_ask_says_which_intent_nobody_handles(hub: House) -> None:
    *_, turn = hub.lines("ask", "--json", "beam me up")
    assert "nothing handles the intent 'Beam'" in str(turn["misses"])


def test_hear_has_the_server_hear(hub: House, tmp_path: Path) -> None:
    recording = tmp_path / "lamp.wav"
    recording.write_bytes(wav([AudioChunk(tone(0.5))]))
    *_, turn = hub.lines("hear", "--json", str(recording))
    assert (turn["transcript"], turn["reason"]) == ("turn on the kitchen lamp", "acted")


def test_hear_waits_for_a_wake_word_of_the_server(hub: House, tmp_path: Path) -> None:
    recording = tmp_path / "jeeves.wav"
    recording.write_bytes(
        wav(
            [
                AudioChunk(bytes(16_000)),
                AudioChunk(tone(0.5)),
                AudioChunk(bytes(16_000)),
                AudioChunk(tone(1.0)),
            ]
        )
    )
    *_, turn = hub.lines("hear", "--json", "--wake", "my_mind", str(recording))
    assert (turn["transcript"], turn["reason"]) == ("turn on the kitchen lamp", "acted")
    ended = hub.run("hear", "--wake", "my_mind:ok_jeevs", str(recording))
    assert ended.returncode == 2
    assert "there is no wake word 'ok_jeevs'; did you mean 'ok_jeeves'?" in ended.stdout + ended.stderr
    ended = hub.run("hear", "--wake", "my_mimd", str(recording))
    assert ended.returncode == 2
    assert "nothing for wake words is named 'my_mimd'; did you mean 'my_mind'?" in ended.stdout + ended.stderr
