"""Every verb against a running hub, as its users call it."""

from __future__ import annotations

import json
import subprocess
import wave
from pathlib import Path

import pytest

from hub.audio import AudioChunk
from hub.testing import tone
from hub.wav import wav
from tests.cli.conftest import House, complaint

SPOKEN = wav([AudioChunk(tone(1.0))])


def test_a_sentence_is_done_and_explained(hub: House) -> None:
    ended = hub.run("ask", "turn on the kitchen lamp")
    assert ended.returncode == 0
    for words in (
        "light.turn_on → light.kitchen_lamp",
        "“Turned on the light”",
        "commands: there are no commands",
        " ms",
    ):
        assert words in ended.stdout


def test_the_last_json_line_is_the_turn(hub: House) -> None:
    *events, turn = hub.lines("ask", "--json", "turn off the kitchen lamp")
    assert [event["type"] for event in (events[0], events[-1])] == ["run-start", "run-end"]
    assert {"turn", "reason", "transcript", "match", "calls", "reply", "timeline"} <= set(turn)
    assert set(turn["match"]) == {"stage", "intent", "slots", "score", "why"}
    assert set(turn["calls"][0]) == {"tool", "args", "targets", "ok", "result"}
    owners = {owner: ms for owner, ms in turn["timeline"].items() if owner != "total"}
    assert sum(owners.values()) == pytest.approx(turn["timeline"]["total"], abs=0.1)


def test_what_is_not_understood_ends_with_1_and_says_why(hub: House) -> None:
    ended = hub.run("ask", "purple monkey dishwasher")
    assert ended.returncode == 1
    assert "home: no sentence about the house is like this" in ended.stdout


def test_what_a_rule_denies_ends_with_1(hub: House) -> None:
    ended = hub.run("ask", "unlock the front door")
    assert (ended.returncode, "refused" in ended.stdout) == (1, True)
    assert "locked" in hub.run("states", "lock.*").stdout


def test_a_recording_runs_a_whole_turn_and_the_answer_is_kept(hub: House, tmp_path: Path) -> None:
    spoken, reply = tmp_path / "spoken.wav", tmp_path / "reply.wav"
    spoken.write_bytes(SPOKEN)
    ended = hub.run("hear", str(spoken), "--out", str(reply))
    assert ended.returncode == 0, ended.stderr
    assert "“Turn on the kitchen lamp.”" in ended.stdout
    with wave.open(str(reply)) as file:
        assert file.getnframes() / file.getframerate() == pytest.approx(
            0.05 * len("Turned on the light"), abs=0.1
        )


def test_a_recording_may_come_through_a_pipe(hub: House) -> None:
    *_, turn = hub.lines("hear", "-", "--json", stdin=SPOKEN)
    assert turn["reason"] == "acted"


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "empty"), (b"OggS" * 100, "WAV"), (SPOKEN[:44], "no audio"), (SPOKEN[:20], "")],
    ids=["empty", "no WAV", "only a header", "half a header"],
)
def test_what_is_no_recording_is_told_in_one_line(
    hub: House, tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "a.wav").write_bytes(content)
    ended = hub.run("hear", str(tmp_path / "a.wav"))
    assert ended.returncode == 2
    assert message in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_truncated_recording_is_heard_as_far_as_it_goes(hub: House) -> None:
    *_, turn = hub.lines("hear", "-", "--json", stdin=SPOKEN[: len(SPOKEN) * 2 // 3])
    assert turn["reason"] == "acted"


@pytest.mark.parametrize("name", ["nowhere.wav", "."], ids=["missing", "a folder"])
def test_a_file_that_cannot_be_read_is_named(hub: House, tmp_path: Path, name: str) -> None:
    ended = hub.run("hear", str(tmp_path / name))
    assert ended.returncode == 2
    assert str(tmp_path) in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_an_engine_that_is_not_there_ends_with_3(hub: House) -> None:
    ended = hub.run("hear", "-", "--pipeline", "deaf", stdin=SPOKEN)
    assert ended.returncode == 3
    assert "integration 'away' is not open" in ended.stdout + ended.stderr


def test_an_engine_that_fails_ends_with_3_and_its_reason(hub: House) -> None:
    ended = hub.run("hear", "-", "--pipeline", "broken", stdin=SPOKEN)
    assert (ended.returncode, ended.stderr) == (3, "")
    assert "asr broken: the model is broken" in ended.stdout


def test_a_place_for_the_answer_is_looked_at_before_anything_is_done(hub: House) -> None:
    hub.run("call", "light.turn_off", "--target", "all")
    ended = hub.run("hear", "-", "--out", "/nowhere/at/all.wav", stdin=SPOKEN)
    assert ended.returncode == 2
    assert "/nowhere/at: no such folder" in complaint(ended)
    assert hub.state("light.kitchen_lamp") == "off"


def test_without_a_file_say_tells_how_long_it_spoke(hub: House) -> None:
    assert "0.8 s of speech" in hub.run("say", "Dinner is ready.").stdout


def test_a_text_is_spoken_into_a_file(hub: House, tmp_path: Path) -> None:
    ended = hub.run("say", "Dinner is ready.", "--out", str(tmp_path / "dinner.wav"))
    assert ended.returncode == 0
    with wave.open(str(tmp_path / "dinner.wav")) as file:
        assert file.getnframes() > 10_000


def test_a_tool_is_called_with_its_arguments(hub: House) -> None:
    ended = hub.run(
        "call", "light.turn_on", "--target", "kitchen lamp", "--data", "brightness_pct=40", "--json"
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["ok"] is True
    states = hub.lines("states", "light.kitchen_lamp", "--json")
    assert "102" in json.dumps(states) or "40" in json.dumps(states)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("lock.unlock", "--target", "Front door"), 1, "rule"),
        (("light.turn_no", "--target", "all"), 2, "did you mean 'light.turn_on'"),
        (("light.turn_on", "--target", "kitchen lmap"), 1, "did you mean"),
        (("light.turn_on", "--target", "all", "--data", "brightness_pct=lots"), 2, "brightness_pct"),
        (
            ("light.turn_on", "--target", "all", "--data", "brightness=x=y", "--data", "nonsense"),
            2,
            "KEY=VALUE",
        ),
    ],
    ids=["denied", "unknown tool", "unknown thing", "bad value", "no pair"],
)
def test_a_call_that_cannot_be_made_says_why(
    hub: House, arguments: tuple[str, ...], code: int, message: str
) -> None:
    ended = hub.run("call", *arguments)
    assert ended.returncode == code, ended.stderr
    assert message in ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("verb", "words"),
    [("tools", "light.turn_on"), ("things", "Kitchen lamp"), ("states", "integration.rooms")],
)
def test_what_there_is_is_listed(hub: House, verb: str, words: str) -> None:
    ended = hub.run(verb)
    assert ended.returncode == 0
    assert words in ended.stdout


def test_a_reader_that_goes_away_is_no_failure(hub: House) -> None:
    with subprocess.Popen(hub.command("tools"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as listing:
        assert listing.stdout
        assert listing.stderr
        listing.stdout.close()
        assert b"Traceback" not in listing.stderr.read()


def test_the_doctor_names_the_engine_that_fails_and_ends_with_3(hub: House) -> None:
    checks = {check["check"]: check for check in hub.lines("doctor", "--json")}
    failed = {name for name, check in checks.items() if not check["ok"]}
    assert failed - {"integration broken", "integration away"} == {"asr away", "asr broken"}
    assert checks["asr broken"]["message"] == "the model is broken"
    assert "integrations.broken" in checks["asr broken"]["advice"]
    assert checks["turn by voice"]["ok"]
    assert hub.run("doctor").returncode == 3


@pytest.mark.parametrize(("verb", "near"), [("aks", "ask"), ("stats", "states"), ("docter", "doctor")])
def test_an_unknown_verb_has_a_near_match(hub: House, verb: str, near: str) -> None:
    ended = hub.run(verb)
    assert ended.returncode == 2
    assert f"did you mean '{near}'?" in ended.stderr
