"""`satellites:` in the YAML."""

from pathlib import Path

import pytest

from hub.config.root import check, load_root
from hub.rooms.config import SatelliteConfig, WakeConfig

HOUSE = """\
areas: {kitchen: , hall: }
integrations: {pi: {type: demo}, words: {type: microwakeword}}
pipelines: {quiet: {reply: sound}}
"""


def wrong(folder: Path, satellites: str) -> list[str]:
    """Return what is wrong with these satellites."""
    (folder / "earnest.yaml").write_text(f"{HOUSE}satellites:\n  kitchen: {satellites}\n", encoding="utf-8")
    return [str(problem).removeprefix("earnest.yaml:") for problem in check(folder, {})]


def test_a_satellite_arrives(tmp_path: Path) -> None:
    words = "{okay_nabu: default, hey_jarvis: quiet}"
    said = f"{{source: pi, area: kitchen, wake: {{engine: words, words: {words}}}}}"
    assert wrong(tmp_path, said) == []
    root = load_root(tmp_path, {}).root
    begun = {"okay_nabu": "default", "hey_jarvis": "quiet"}
    assert root.satellites == {
        "kitchen": SatelliteConfig(
            source="pi", area="kitchen", wake=WakeConfig(engine="words", words=begun), follow_up="question"
        )
    }
    assert (root.limits.rooms.arbitration, root.ledger.retention_days) == (0.2, 90)


@pytest.mark.parametrize(
    ("satellite", "said"),
    [
        ("{}", "satellites.kitchen.source: this option is required"),
        ("{source: word}", "5:21: satellites.kitchen.source: there is no integration 'word'; did you mean"),
        ("{source: pi, area: hal}", "satellites.kitchen.area: there is no area 'hal'; did you mean 'hall'?"),
        ("{source: pi, pipeline: quite}", "there is no pipeline 'quite'; did you mean 'quiet'?"),
        ("{source: pi, reply: hall}", "reply: there is no other satellite 'hall'; there is event"),
        ("{source: pi, reply: kitchen}", "there is no other satellite 'kitchen'"),
        ("{source: pi, wake: {engine: word}}", "wake.engine: there is no detector of wake words 'word'; did"),
        ("{source: pi, wake: {engine: pi}}", "there is no detector of wake words 'pi'; there is words"),
        (
            "{source: pi, wake: {engine: words, words: {okay_nabu: defualt}}}",
            "wake.words.okay_nabu: there is no pipeline 'defualt'; did you mean 'default'?",
        ),
        ("{source: pi, mode: mute}", "satellites.kitchen.mode: "),
        ("{source: pi, folow_up: never}", "unknown option; did you mean 'follow_up'?"),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_a_near_match(
    satellite: str, said: str, tmp_path: Path
) -> None:
    (problem,) = wrong(tmp_path, satellite)
    assert said in problem


def test_the_id_of_a_satellite_can_be_part_of_a_states(tmp_path: Path) -> None:
    (tmp_path / "earnest.yaml").write_text(f"{HOUSE}satellites: {{Big Room: {{source: pi}}}}\n")
    (problem,) = check(tmp_path, {})
    assert "'Big Room' is no id of a satellite" in str(problem)
