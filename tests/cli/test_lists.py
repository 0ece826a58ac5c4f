"""What `tools`, `call`, `states` and `things` tell, and how what is wanted is named."""

from __future__ import annotations

import json

from tests.cli.conftest import House, complaint


def test_a_tool_by_its_whole_name_shows_its_arguments(hub: House) -> None:
    assert "--data brightness_pct=…  optional" in hub.run("tools", "light.turn_on").stdout


def test_a_part_of_a_name_finds_all_that_have_it(hub: House) -> None:
    lines = hub.run("tools", "light").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["light.toggle", "light.turn_off", "light.turn_on"]


def test_a_list_in_json_is_one_entry_a_line(hub: House) -> None:
    tools = hub.lines("tools", "--json")
    assert len(tools) > 20
    assert all({"name", "description", "effect", "parameters"} <= set(tool) for tool in tools)


def test_a_room_is_a_target(hub: House) -> None:
    ended = hub.run("call", "light.turn_on", "--area", "garage")
    assert (ended.returncode, ended.stdout) == (0, "done    light.garage_light\n")
    assert hub.state("light.garage_light") == "on"


def test_an_argument_that_is_not_there_has_a_near_match(hub: House) -> None:
    ended = hub.run("call", "light.turn_on", "--target", "all", "--data", "brightnes=9")
    assert ended.returncode == 2
    assert "did you mean 'brightness'?" in complaint(ended)


def test_a_refusal_in_json_has_a_stable_code(hub: House) -> None:
    ended = hub.run("call", "lock.unlock", "--target", "front door", "--json")
    assert (ended.returncode, json.loads(ended.stdout)["code"]) == (1, "denied")
    assert hub.state("lock.front_door") == "locked"


def test_states_take_a_pattern(hub: House) -> None:
    names = [state["entity_id"] for state in hub.lines("states", "light.*_lamp", "--json")]
    assert "light.kitchen_lamp" in names
    assert all(name.startswith("light.") and name.endswith("_lamp") for name in names)


def test_a_pattern_that_fits_nothing_ends_with_1(hub: House) -> None:
    assert [hub.run(verb, "zeppelin").returncode for verb in ("states", "things", "tools")] == [1, 1, 1]


def test_things_are_found_by_name_and_by_room(hub: House) -> None:
    row = hub.run("things", "Garage Door").stdout.split()
    assert row == ["cover.garage_door", "closed", "Garage", "door", "Garage", "rooms"]
    by_room = {thing["id"] for thing in hub.lines("things", "garage", "--json")}
    assert {"cover.garage_door", "light.garage_light"} <= by_room


def test_help_lists_the_verbs_and_what_the_codes_mean(hub: House) -> None:
    ended = hub.run("--help")
    assert ended.returncode == 0
    assert all(f"  {verb} " in ended.stdout for verb in ("run", "check", "ask", "hear", "watch", "reload"))
    assert "exit codes" in ended.stdout


def test_a_list_that_is_empty_says_so(hub: House) -> None:
    for verb, what in (("states", "entity"), ("things", "thing"), ("tools", "tool")):
        ended = hub.run(verb, "nope")
        assert (ended.returncode, complaint(ended)) == (1, f"earnest: no {what} fits 'nope'\n")


def test_all_and_a_room_that_is_not_there_is_told(hub: House) -> None:
    ended = hub.run("call", "light.turn_on", "--target", "all", "--area", "nope")
    assert ended.returncode == 1
    assert "There is no area called 'nope'" in ended.stdout + ended.stderr


def test_what_the_terminal_has_no_letters_for_is_written_all_the_same(hub: House) -> None:
    ended = hub.run("ask", "schöne Grüße 🎉", environ={"PYTHONIOENCODING": "ascii"})
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    assert "sch\\xf6ne" in ended.stdout
