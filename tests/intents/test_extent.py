from collections.abc import Iterator

import pytest

from hub.intents.extent import extent
from hub.stages.intents import IntentRecognizer
from hub.testing import ScriptedRecognizer
from hub.values.house import Area
from hub.values.session import Session
from hub.values.thing import Thing
from tests.intents.homes import Home

AREAS = (Area(id="kitchen", name="Kitchen"), Area(id="hall", name="Hall"))
THINGS = (
    Thing(id="light.kitchen", name="Kitchen lights", area="kitchen", state="on"),
    Thing(id="light.hall", name="Hall lamp", area="hall", state="off"),
    Thing(id="light.hall_left", name="Hall lamp left", area="hall", state="off"),
)
NAMES = ("Kitchen", "Hall", *(thing.name for thing in THINGS))


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    home = Home()
    with home.furnished(*THINGS, areas=AREAS):
        yield home


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Turn on the kitchen lights.", "complete"),
        ("turn off the kitchen lights", "complete"),
        ("turn the kitchen lights on", "complete"),
        ("turn on the kitchen", "open"),
        ("turn on the hall lamp", "open"),
        ("turn on the hall lamp left", "complete"),
        ("turn on the", "open"),
        ("set the kitchen lights to", "open"),
        ("turn on the kitchen lights and", "open"),
        ("set the kitchen lights brightness to twenty", "open"),
        ("turn on the lights", "open"),
        ("tell me a story", "unknown"),
        ("", "unknown"),
    ],
)
async def test_what_may_still_follow(home: Home, text: str, right: str) -> None:
    session = Session(id="test", area="kitchen", language="en")
    found = await extent([("home", home.intents)], text, session, NAMES, ("Kitchen", "Hall"))
    assert found == right


async def test_a_language_without_known_continuations_has_no_early_end(home: Home) -> None:
    session = Session(id="test", language="de")
    assert await extent([("home", home.intents)], "Licht an", session, NAMES, ()) == "unknown"


async def test_a_recogniser_that_cannot_be_asked_often_has_no_early_end(home: Home) -> None:
    session = Session(id="test", language="en")
    asked: list[tuple[str, IntentRecognizer]] = [("home", home.intents), ("other", ScriptedRecognizer())]
    assert await extent(asked, "turn on the kitchen lights", session, NAMES, ()) == "unknown"
