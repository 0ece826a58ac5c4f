import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from hub.app import App, running
from hub.door.audit import actions
from hub.errors import ConfigError
from hub.events import Event, HubStopping
from hub.lock import DataInUse
from hub.pipeline.context import TurnInvalid, TurnRequest
from hub.pipeline.turn import Turn
from hub.values.session import Session
from hub.values.tool import Caller, Done, Refused, Target, ToolCall

HOUSE = """\
areas:
  kitchen:
  garage:
integrations:
  house: {type: demo}
pipelines:
  default: {intents: [commands, home]}
commands:
  bedtime: {phrases: [good night], action: {action: light.turn_off, target: {all: true}}, reply: Sleep well.}
policies:
  - {effects: [danger], callers: [voice], then: deny}
"""
ME = Caller(("cli:test",))


def _house(folder: Path, text: str = HOUSE) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "earnest.yaml").write_text(text)
    return folder


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return _house(tmp_path / "config")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
async def hub(config: Path, data: Path) -> AsyncIterator[App]:
    async with running(config, data_dir=data) as app:
        yield app


async def _say(hub: App, text: str, caller: Caller = ME, area: str | None = None) -> Turn:
    return await hub.turn(TurnRequest(session=Session(id="test", area=area), caller=caller, text=text))


def _state(hub: App, entity_id: str) -> str:
    state = hub.states.get(entity_id)
    assert state, f"{entity_id} is not there"
    return state.state


async def test_a_sentence_is_understood_done_and_answered(hub: App) -> None:
    turn = await _say(hub, "Turn on the kitchen lamp.")
    assert (turn.reason, turn.reply) == ("acted", "Turned on the light")
    assert _state(hub, "light.kitchen_lamp") == "on"
    record = turn.record()
    assert record["match"]["stage"] == "home"
    assert [miss["stage"] for miss in record["misses"]] == ["commands"]
    owners = {owner: ms for owner, ms in record["timeline"].items() if owner != "total"}
    assert sum(owners.values()) == pytest.approx(record["timeline"]["total"], abs=0.1)


async def test_the_room_of_the_speaker_says_which_light_is_meant(hub: App) -> None:
    await _say(hub, "turn on the lights", area="garage")
    assert _state(hub, "light.garage_light") == "on"
    assert _state(hub, "light.kitchen_lamp") == "off"


async def test_a_rule_refuses_by_voice_what_it_allows_by_hand(hub: App) -> None:
    refused = await _say(hub, "open the garage door", Caller(("voice:kitchen",)))
    assert refused.reason == "refused"
    assert _state(hub, "cover.garage_door") == "closed"
    assert (await _say(hub, "open the garage door")).reason == "acted"
    assert _state(hub, "cover.garage_door") in ("opening", "open")


async def test_a_chain_is_as_strict_as_its_strictest_link(hub: App) -> None:
    call = ToolCall(tool="lock.unlock", target=Target(entities=("Front door",)))
    answer = await hub.toolbox.call(call, Caller(("voice:hall", "script.open_up", "timer.t1")))
    assert isinstance(answer, Refused)
    assert answer.code == "denied"


async def test_a_reload_changes_what_it_says_and_keeps_the_rest(hub: App, config: Path) -> None:
    await _say(hub, "turn on the kitchen lamp")
    changed = HOUSE.replace("good night", "sleep tight").replace("then: deny", "then: allow")
    _house(config, changed + "things:\n  light.kitchen_lamp: {name: Hob light}\n")
    await hub.reload()
    assert _state(hub, "light.kitchen_lamp") == "on"
    assert (await _say(hub, "turn off the hob light")).reason == "acted"
    assert (await _say(hub, "good night")).reason == "not_understood"
    assert (await _say(hub, "sleep tight")).reply == "Sleep well."
    assert (await _say(hub, "unlock the front door", Caller(("voice:kitchen",)))).reason == "acted"


async def test_a_bad_reload_changes_nothing(hub: App, config: Path) -> None:
    _house(config, HOUSE.replace("good night", "sleep tight").replace("demo}", "dmeo}"))
    with pytest.raises(ConfigError, match=r"earnest\.yaml:5:17: integrations\.house\.type: .*'demo'"):
        await hub.reload()
    assert (await _say(hub, "good night")).reply == "Sleep well."


async def test_states_and_names_survive_a_restart(config: Path, data: Path) -> None:
    async with running(config, data_dir=data) as hub:
        await _say(hub, "turn on the kitchen lamp")
        named = ToolCall(
            tool="house.update_thing",
            arguments={"name": "Galley light"},
            target=Target(entities=("light.kitchen_lamp",)),
        )
        assert isinstance(await hub.toolbox.call(named, ME), Done)
    async with running(config, data_dir=data) as hub:
        assert _state(hub, "light.kitchen_lamp") == "on"
        assert (await _say(hub, "turn off the galley light")).reason == "acted"
        assert _state(hub, "light.kitchen_lamp") == "off"


async def test_every_deed_is_in_the_audit_with_who_and_how(config: Path, data: Path) -> None:
    async with running(config, data_dir=data) as hub:
        await _say(hub, "turn on the kitchen lamp", Caller(("cli:anna",)))
        await _say(hub, "what is the temperature in the kitchen")
        await _say(hub, "open the garage door", Caller(("voice:garage",)))
    deeds = [action for file in _files(data) for action in actions(file)]
    assert [(deed["tool"], deed["caller"], deed["ok"]) for deed in deeds] == [
        ("light.turn_on", "cli:anna", True),
        ("cover.open_cover", "voice:garage", False),
    ]
    assert "kitchen lamp" not in json.dumps(deeds), "words are not kept"


def _files(data: Path) -> list[Path]:
    return sorted(data.glob("audit/*.jsonl"))


async def test_two_hubs_cannot_have_one_data_folder(hub: App, config: Path, data: Path) -> None:
    with pytest.raises(DataInUse, match=r"process \d+"):
        async with running(config, data_dir=data):
            pass


async def test_an_unknown_pipeline_is_named_with_a_near_match(hub: App) -> None:
    asked = TurnRequest(session=Session(id="x"), caller=ME, text="hi", pipeline="defualt")
    with pytest.raises(TurnInvalid, match="did you mean 'default'"):
        await hub.turn(asked)


async def test_all_problems_of_a_configuration_come_at_once(tmp_path: Path) -> None:
    broken = "integrations:\n  a: {type: demmo}\npipelines:\n  default: {asrr: a}\nareas: {x: {floor: up}}\n"
    with pytest.raises(ConfigError) as caught:
        async with running(_house(tmp_path / "broken", broken), data_dir=tmp_path / "data"):
            pass
    assert [problem.line for problem in caught.value.problems] == [2, 4, 5]


async def test_a_broken_integration_of_ones_own_does_not_keep_the_hub_from_running(
    config: Path, data: Path
) -> None:
    own = config / "integrations" / "mine"
    own.mkdir(parents=True)
    (own / "__init__.py").write_text("import nowhere_to_be_found\n")
    _house(config, HOUSE.replace("  house:", "  mine: {type: mine}\n  house:"))
    async with running(config, data_dir=data) as hub:
        state = hub.states.get("integration.mine")
        assert state
        assert state.state == "failed"
        assert "nowhere_to_be_found" in state.attributes["reason"]
        assert (await _say(hub, "turn on the kitchen lamp")).reason == "acted"


async def test_stopping_is_an_event(config: Path, data: Path) -> None:
    seen: list[Event] = []
    async with AsyncExitStack() as stack:
        hub = await stack.enter_async_context(running(config, data_dir=data))
        stack.enter_context(hub.bus.follow(seen.append, HubStopping))
        await hub.close()
    assert HubStopping() in seen
