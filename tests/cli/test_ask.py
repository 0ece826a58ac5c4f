"""Where a sentence may come from, and what happens to one that is not like others."""

from __future__ import annotations

from tests.cli.conftest import House, complaint


def test_a_miss_has_no_match_and_no_call(hub: House) -> None:
    *_, turn = hub.lines("ask", "--json", "purple monkey dishwasher")
    assert (turn["reason"], turn["match"], turn["calls"]) == ("not_understood", None, [])


def test_every_event_is_a_line_of_one_shape(hub: House) -> None:
    *events, _ = hub.lines("ask", "--json", "turn on the kitchen lamp")
    assert events
    assert all(set(event) == {"type", "data", "timestamp"} for event in events)


def test_a_sentence_may_come_from_standard_input(hub: House) -> None:
    ended = hub.run("ask", "-", stdin=b"turn on the kitchen lamp\n")
    assert (ended.returncode, "ended    acted" in ended.stdout) == (0, True)


def test_a_sentence_without_end_is_refused(hub: House) -> None:
    ended = hub.run("ask", "-", stdin=bytes(4 * 2**20))
    assert ended.returncode == 2
    assert "api.body_limit" in complaint(ended)


def test_a_pipeline_that_is_not_there_has_a_near_match(hub: House) -> None:
    ended = hub.run("ask", "--pipeline", "defualt", "what time is it")
    assert ended.returncode == 2
    assert "did you mean 'default'?" in complaint(ended)


def test_a_sentence_that_was_mistyped_shows_what_was_meant(hub: House) -> None:
    ended = hub.run("ask", "turn on the kitchen lamb")
    assert ended.returncode == 0
    assert "heard    “turn on the kitchen lamb”\nmeant    “turn on the kitchen lamp”\n" in ended.stdout
