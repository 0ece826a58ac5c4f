"""A house whose ears, mouth, mind and small talk are one strange server that the hub starts."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from hub.app import App, running
from hub.errors import EngineUnavailable
from hub.pipeline.context import TurnRequest
from hub.pipeline.turn import Turn
from hub.testing.fakes import RecordingSpeaker, microphone
from hub.values.session import Session
from hub.values.tool import Caller
from tests.remote.scripted import Client, asr, replaced, serving, tts

pytestmark = pytest.mark.asyncio(loop_scope="module")

BUTLER = Path(__file__).parent / "remote" / "butler.py"
HOUSE = """\
areas: {{kitchen: }}
integrations:
  rooms: {{type: demo}}
  jeeves:
    type: wyoming
    command: [{python}, -W, ignore, {butler}, --uri, "{{uri}}"]
    vad: true
    server: {{pause: 0.01}}
pipelines:
  default: {{asr: jeeves, intents: [commands, home, jeeves], agent: jeeves, tts: jeeves}}
  far: {{inherit: default, vad: jeeves}}
commands:
  film:
    intent: PlayFilm
    slots: {{title: {{wildcard: true}}}}
    action: {{action: light.turn_off, target: {{entity_id: Kitchen lamp}}}}
    reply: "Here is {{{{ title }}}}."
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hub(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[App]:
    config = tmp_path_factory.mktemp("config")
    text = HOUSE.format(python=sys.executable, butler=BUTLER)
    (config / "earnest.yaml").write_text(text, encoding="utf-8")
    async with running(config, data_dir=tmp_path_factory.mktemp("data")) as app:
        yield app


async def _say(hub: App, text: str) -> Turn:
    return await hub.turn(TurnRequest(session=Session(id="me"), caller=Caller(("cli:test",)), text=text))


def _state(hub: App, entity_id: str) -> str:
    state = hub.states.get(entity_id)
    assert state
    return state.state


async def test_everything_it_offers_is_shown(hub: App) -> None:
    state = hub.states.get("integration.jeeves")
    assert state
    assert state.state == "open"
    assert state.attributes["provides"] == ["wake", "vad", "asr", "intents", "agent", "tts"]
    assert state.attributes["starts"] == 1


async def test_an_intent_of_the_server_runs_the_command_that_declares_it(hub: App) -> None:
    turn = await _say(hub, "screen Brazil")
    assert (turn.reason, turn.reply) == ("acted", "Here is Brazil.")
    assert turn.match
    assert (turn.match.stage, turn.match.intent, turn.match.slots) == ("jeeves", "film", {"title": "Brazil"})
    assert _state(hub, "light.kitchen_lamp") == "off"


async def test_home_assistant_s_intents_and_own_ones_in_one_sentence(hub: App) -> None:
    turn = await _say(hub, "cosy evening")
    assert [outcome.call.tool for outcome in turn.outcomes] == ["light.turn_on", "light.turn_off"]
    assert turn.reply == "Brightness set. Here is Up."


async def test_an_intent_that_nobody_handles_says_exactly_that(hub: App) -> None:
    turn = await _say(hub, "beam me up")
    (miss,) = [miss for miss in turn.misses if miss.stage == "jeeves" and miss.code == "unsupported"]
    assert miss.reason == "nothing handles the intent 'Beam' (a command takes it with `intent: Beam`)"


async def test_what_nobody_understands_is_answered_by_the_server_as_it_writes(hub: App) -> None:
    turn = await _say(hub, "tell me something")
    assert (turn.reason, turn.reply, turn.engines["agent"]) == ("answered", "Very good, Sir.", "jeeves")


@pytest.mark.parametrize(
    ("text", "reason", "reply"),
    [
        ("mix me a drink", "not_understood", "I regret, Sir."),
        ("hush", "answered", "Done."),
        ("purple monkey dishwasher", "not_understood", "I didn't understand that."),
    ],
)
async def test_what_it_does_not_take_or_does_without_a_word(
    hub: App, text: str, reason: str, reply: str
) -> None:
    turn = await _say(hub, text)
    assert (turn.reason, turn.reply, turn.failures) == (reason, reply, ())


async def test_it_hears_and_the_house_acts_and_it_answers(hub: App) -> None:
    speaker = RecordingSpeaker(is_paced=False)
    asked = TurnRequest(
        session=Session(id="me"),
        caller=Caller(("cli:test",)),
        start="asr",
        audio=microphone((440, 0.3)),
        speaker=speaker,
    )
    turn = await hub.turn(asked)
    assert (turn.transcript, turn.reason) == ("turn on the kitchen lamp", "acted")
    assert speaker.plays[0]


async def test_it_says_when_somebody_speaks(hub: App) -> None:
    """The recogniser gets what lies between its two words for a voice, and is not asked about silence."""
    asked = TurnRequest(
        session=Session(id="me"),
        caller=Caller(("cli:test",)),
        pipeline="far",
        audio=microphone((0, 0.3), (440, 0.6), (0, 1.5)),
    )
    turn = await hub.turn(asked)
    assert (turn.transcript, turn.reason, turn.failures) == ("turn on the kitchen lamp", "acted", ())
    assert turn.utterance
    silence = TurnRequest(
        session=Session(id="me"), caller=Caller(("cli:test",)), pipeline="far", audio=microphone((0, 0.5))
    )
    assert (await hub.turn(silence)).reason == "no_speech"


async def test_a_crash_in_an_answer_is_apologised_for_and_the_next_is_answered(hub: App) -> None:
    turn = await _say(hub, "die")
    assert turn.reason == "failed"
    assert (await _say(hub, "tell me something")).reply == "Very good, Sir."


async def test_what_comes_and_goes_is_in_the_state(tmp_path: Path) -> None:
    async def idle(client: Client) -> None:
        await client.until("never")

    config = tmp_path / "config"
    config.mkdir()
    async with serving(tmp_path, idle, **(asr() | tts())) as server:
        house = f"integrations: {{box: {{type: wyoming, uri: '{server.uri}', check: 0.1}}}}"
        (config / "earnest.yaml").write_text(house, encoding="utf-8")
        async with running(config, data_dir=tmp_path / "data") as app:

            def state() -> tuple[str, list[str]]:
                now = app.states.get("integration.box")
                assert now
                return now.state, now.attributes["provides"]

            assert state() == ("open", ["asr", "tts"])
            assert app.registry.names("asr") == ("box",)
            await replaced(server, tts(), lambda: state() == ("open", ["tts"]))
            with pytest.raises(EngineUnavailable, match="provides no asr"):
                app.registry.asr("box")
            assert app.registry.names("asr") == ()
            assert app.registry.tts("box")
            await replaced(server, {}, lambda: state() == ("failing", []))
