from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from hub.config.root import check, load_root
from hub.errors import ConfigError, IntegrationError
from hub.integration import IntegrationContext
from hub.values.house import Area, Floor, Locale
from tests.config.reading import Write

WHOLE = """\
hub: {name: Our house, language: de-AT, time_zone: Europe/Berlin, units: imperial, latitude: 52.5}
floors: {ground: {name: Ground floor}, top_floor: }
areas:
  kitchen: {name: Kitchen, floor: ground, aliases: [cooking area]}
  living_room:
things:
  light.kitchen_lamp: {name: Big lamp, area: kitchen, exposed: false, aliases: main light}
integrations:
  demo_house: {type: demo, delay: 0.5, limits: {deadline: 5}}
  lists: {type: local_todo}
  box: {type: wyoming, uri: tcp://192.0.2.7:10300}
  voice: {type: piper}
pipelines:
  default: {asr: box, intents: [commands, home], tts: [box, voice]}
  quiet: {inherit: default, reply: sound, language: en}
commands:
  good_night: {phrases: good night, action: {action: light.turn_off, target: {all: true}}}
policies:
  - {tools: [lock.unlock, cover.open_*], callers: [voice], then: deny, except: {areas: kitchen}}
audit: {retention_days: 30}
limits: {tool_timeout: 5, turn: 60, open_timeout: 10, flush_interval: 1}
api: {text_limit: 500}
llm: disabled
"""


@pytest.fixture
def whole(write: Write) -> Path:
    return write({"earnest.yaml": WHOLE}).parent


def wrong(write: Write, text: str) -> list[str]:
    """Return everything that is wrong with a configuration."""
    folder = write({"earnest.yaml": text}).parent
    found = [str(problem).removeprefix("earnest.yaml:") for problem in check(folder, {})]
    with pytest.raises(ConfigError):
        load_root(folder, {})
    return found


def test_a_whole_configuration_is_in_order(whole: Path) -> None:
    assert check(whole, {}) == []


def test_every_section_arrives(whole: Path) -> None:
    root = load_root(whole, {}).root
    assert root.hub == Locale(
        name="Our house", language="de-AT", time_zone="Europe/Berlin", units="imperial", latitude=52.5
    )
    assert root.things["light.kitchen_lamp"].aliases == ("main light",)
    assert root.things["light.kitchen_lamp"].exposed is False
    assert root.pipelines["quiet"].inherit == "default"
    assert root.commands["good_night"].action[0].target.all
    assert root.policies[0].except_[0].areas == ("kitchen",)
    assert root.audit.retention_days == 30
    assert root.api.text_limit == 500
    assert root.llm == "disabled"


def test_limits_stand_together_and_go_to_their_parts(whole: Path) -> None:
    limits = load_root(whole, {}).root.limits
    assert limits.door.tool_timeout == 5
    assert limits.turns.turn == 60
    assert limits.integrations.open_timeout == 10
    assert limits.store.flush_interval == 1


def test_places_without_a_name_are_called_by_their_id(whole: Path) -> None:
    loaded = load_root(whole, {})
    assert loaded.floors == (
        Floor(id="ground", name="Ground floor"),
        Floor(id="top_floor", name="Top floor"),
    )
    assert loaded.areas == (
        Area(id="kitchen", name="Kitchen", floor="ground", aliases=("cooking area",)),
        Area(id="living_room", name="Living room"),
    )


def test_integrations_become_instances_with_their_own_options(whole: Path) -> None:
    demo, lists, *_ = load_root(whole, {}).integrations
    assert (demo.name, demo.type, demo.options.delay, demo.limits.deadline) == (
        "demo_house",
        "demo",
        0.5,
        5.0,
    )
    assert (lists.name, lists.type) == ("lists", "local_todo")


def test_an_instance_that_did_not_change_is_equal_after_a_reload(whole: Path) -> None:
    assert load_root(whole, {}).integrations == load_root(whole, {}).integrations


def test_almost_nothing_is_enough(write: Write) -> None:
    loaded = load_root(write({"earnest.yaml": "hub: {name: Home}\n"}).parent, {})
    assert list(loaded.root.pipelines) == ["default"]
    assert loaded.integrations == ()


def test_there_is_always_a_default_pipeline(write: Write) -> None:
    loaded = load_root(write({"earnest.yaml": "pipelines: {other: {inherit: default}}\n"}).parent, {})
    assert set(loaded.root.pipelines) == {"other", "default"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hubb: {}\n", "1:1: hubb: unknown option; did you mean 'hub'?"),
        (
            "hub: {time_zone: Europe/Berln}\n",
            "1:18: hub.time_zone: there is no time zone 'Europe/Berln'; did",
        ),
        ("hub: {time_zone: berlin}\n", "no time zone 'berlin'; did you mean 'Europe/Berlin'?"),
        ("hub: {time_zone: New York}\n", "no time zone 'New York'; did you mean 'America/New_York'?"),
        ("hub: {time_zone: europe/berlin}\n", "no time zone 'europe/berlin'; did you mean 'Europe/Berlin'?"),
        ("hub: {time_zone: ../../etc/passwd}\n", "there is no time zone '../../etc/passwd'"),
        ("hub: {time_zone: Europe}\n", "there is no time zone 'Europe'"),
        (
            "hub: {language: intents}\n",
            "no sentences are known for the language 'intents'",
        ),
        ("limits: {retry_first: 0}\n", "1:23: limits.retry_first: expected a number from 0.1 to 3600"),
        (
            "audit: {retention_days: 99999999999999}\n",
            "retention_days: expected a whole number from 0 to 36500",
        ),
        (
            "integrations: {a: {type: silero_vad}, b: {type: piper}}\npipelines: {x: {tts: [b, a]}}\n",
            "2:26: pipelines.x.tts[1]: 'a' is for vad, not for tts; there is b",
        ),
        (
            "integrations: {a: {type: demo}, b: {type: piper}}\npipelines: {x: {tts: a}}\n",
            "2:22: pipelines.x.tts: nothing for tts is named 'a'; there is b",
        ),
        ("hub: {language: xen}\n", "1:17: hub.language: no sentences are known for the language 'xen'; did"),
        ("hub: {latitude: 91}\n", "1:17: hub.latitude: expected a number from -90 to 90, got 91"),
        ("hub: {longitude: -181}\n", "hub.longitude: expected a number from -180 to 180, got -181"),
        (
            "areas: {a: {floor: grund}}\nfloors: {ground: }\n",
            "1:20: areas.a.floor: there is no floor 'grund'; d",
        ),
        (
            "things: {light.x: {area: kichen}}\nareas: {kitchen: }\n",
            "1:26: things.light.x.area: there is no a",
        ),
        (
            "things: {lamp: {}}\n",
            "1:10: things.lamp: 'lamp' is no id of a thing; an id is like light.kitchen_lamp",
        ),
        ("things: {ligth.x: {}}\n", "things.ligth.x: there is no domain 'ligth'; did you mean 'light'?"),
        ("areas: {a: {name: Hall}, b: {aliases: hall}}\n", "areas.b: 'hall' is already a name of areas.a"),
        ("areas: {a: {name: ''}}\n", "1:19: areas.a.name: length of value must be at least 1"),
        ("integrations: {a: {type: dmo}}\n", "there is no integration 'dmo'; did you mean 'demo'?"),
        (
            "integrations: {a: {type: demo, roms: 1}}\n",
            "1:32: integrations.a.roms: unknown option; did you mean",
        ),
        ("integrations: {a: {tipe: demo}}\n", "integrations.a.type: this option is required"),
        (
            "integrations: {demo: }\n",
            "1:16: integrations.demo.type: this option is required; write 'type: demo'",
        ),
        ("integrations: {a: demo}\n", "1:19: integrations.a: expected a mapping of options, got 'demo'"),
        ("integrations: [demo]\n", "1:15: integrations: expected a mapping of 'name: value', got a list"),
        ("integrations: {home: {type: demo}}\n", "1:16: integrations.home: 'home' is built in"),
        ("integrations: {a/b: {type: demo}}\n", "1:16: integrations.a/b: 'a/b' is no name"),
        ("integrations: {5: {type: demo}}\n", "integrations[5]: a name must be text; put 5 in quotes"),
        (
            "integrations: {a: {type: demo, limits: {deadline: x}}}\n",
            "1:51: integrations.a.limits.deadline: exp",
        ),
        ("integrations: {a: {type: demo, limits: {dedline: 1}}}\n", "did you mean 'deadline'?"),
        ("integrations: {a: {type: demo, delay: -1}}\n", "1:19: integrations.a: delay cannot be negative"),
        ("integrations: {a: {type: [demo]}}\n", "1:26: integrations.a.type: expected text, got a list"),
        (
            "pipelines: {a: {inherit: b}, b: {inherit: a}}\n",
            "1:26: pipelines.a.inherit: 'a' inherits from itself",
        ),
        ("pipelines: {a: {inherit: defalt}}\n", "did you mean 'default'?"),
        ("pipelines: {a: {asrr: x}}\n", "1:17: pipelines.a.asrr: unknown option; did you mean 'asr'?"),
        (
            "pipelines: {a: {asr: hom}}\n",
            "1:22: pipelines.a.asr: nothing for asr is named 'hom'; there is none",
        ),
        (
            "pipelines: {a: {intents: [hom]}}\n",
            "1:27: pipelines.a.intents[0]: nothing for intents is named 'ho",
        ),
        ("pipelines: {a: {language: xx}}\n", "1:27: pipelines.a.language: no sentences are known"),
        (
            "policies: [{tools: lock.unlok, then: deny}]\n",
            "no tool matches 'lock.unlok'; did you mean 'lock.unlo",
        ),
        (
            "policies: {then: dney}\n",
            "1:18: policies.then: expected 'allow' or 'deny', got 'dney'; did you mean",
        ),
        ("policies: [{then: deny, except: {areas: shed}}]\n", "no area matches 'shed'"),
        ("commands: {a: {phrases: 'go (to'}}\n", "1:25: commands.a.phrases"),
        ("commands: {a: {phrases: x, action: {action: light.tun_on}}}\n", "did you mean 'light.turn_on'?"),
        (
            "limits: {tool_timeout: 0}\n",
            "1:24: limits.tool_timeout: expected a number of at least 0.01, got 0",
        ),
        ("limits: {tool_timout: 1}\n", "limits.tool_timout: unknown option; did you mean 'tool_timeout'?"),
        ("llm: on\n", "1:6: llm: expected 'disabled', got 'on'"),
        ("audit: 5\n", "1:8: audit: expected a mapping of options, got 5"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(write: Write, text: str, said: str) -> None:
    found = wrong(write, text)
    assert [line for line in found if said in line], found


def test_everything_is_told_at_once_in_the_order_of_the_file(write: Write) -> None:
    text = """\
hub: {time_zone: Berln}
areas: {kitchen: {floor: nowhere, nme: x}, hall: {floor: upstairs}}
things: {light.a: {area: kichen}}
integrations: {a: {type: dmo}, b: {type: demo, roms: 1}}
pipelines: {p: {asr: c, repply: 1}, q: {asr: d}}
policies: [{then: dny}, {then: deny, tools: lock.unlok}]
commands: {x: {phrases: "(", action: {action: nothing.at_all}}}
a: !include nothing.yaml
"""
    lines = [int(line.partition(":")[0]) for line in wrong(write, text)]
    assert lines == sorted(lines)
    assert set(lines) == set(range(1, 9))


def test_a_problem_in_an_included_file_is_told_there(write: Write) -> None:
    files = {"earnest.yaml": "areas: !include parts/areas.yaml\n", "parts/areas.yaml": "a:\n  nam: x\n"}
    found = check(write(files).parent, {})
    assert [str(problem) for problem in found] == [
        "parts/areas.yaml:2:3: areas.a.nam: unknown option; did you mean 'name'?"
    ]


def test_an_unreadable_section_hides_no_other_mistake(write: Write) -> None:
    text = "areas: !include nothing.yaml\nthings: {light.a: {nme: x}}\nintegrations: !secret none\n"
    assert [line.partition(":")[0] for line in wrong(write, text)] == ["1", "2", "3"]


def test_a_folder_without_a_configuration_says_so(tmp_path: Path) -> None:
    assert [str(problem) for problem in check(tmp_path, {})] == [
        f"earnest.yaml: there is no such file ({tmp_path}/earnest.yaml)"
    ]


async def test_an_integration_that_cannot_be_loaded_stops_only_itself(write: Write) -> None:
    text = "integrations: {a: {type: broken, x: 1}, b: {type: demo}}\npipelines: {p: {asr: a}}\n"
    files = {"earnest.yaml": text, "integrations/broken/__init__.py": "import not_to_be_found\n"}
    folder = write(files).parent
    said = "the Python package 'not_to_be_found' is not installed"
    assert [str(problem) for problem in check(folder, {})] == [
        f"earnest.yaml:1:26: integrations.a.type: {said}"
    ]
    loaded = load_root(folder, {})
    assert len(loaded.broken) == 1
    broken, demo = loaded.integrations
    assert demo.type == "demo"
    with pytest.raises(IntegrationError, match=said):
        async with broken.setup(broken.options, cast(IntegrationContext, None)):
            raise AssertionError("it must not open")


def test_ones_own_integration_has_its_own_options(write: Write) -> None:
    code = """\
from contextlib import asynccontextmanager
from dataclasses import dataclass

@dataclass(frozen=True, kw_only=True)
class Options:
    threshold: int = 300

@asynccontextmanager
async def setup(options, context):
    yield None
"""
    text = "integrations: {ears: {type: loudness, thresold: 5}}\npipelines: {p: {vad: ears}}\n"
    files = {"earnest.yaml": text, "integrations/loudness/__init__.py": code}
    assert [str(problem) for problem in check(write(files).parent, {})] == [
        "earnest.yaml:1:39: integrations.ears.thresold: unknown option; did you mean 'threshold'?"
    ]


def test_tools_that_an_integration_may_bring_are_not_unknown(write: Write) -> None:
    text = """\
integrations: {box: {type: demo}}
policies: [{tools: [box.reboot, boxx.reboot], then: deny}]
commands: {a: {phrases: restart the box, action: {action: box.reboot}}}
"""
    assert [line.partition(": ")[2] for line in wrong(write, text)] == [
        "policies[0].tools[1]: no tool matches 'boxx.reboot'"
    ]


def test_the_starter_house_is_in_order() -> None:
    assert check(Path(__file__).parents[3] / "config", {}) == []
