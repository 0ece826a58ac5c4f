"""A name that ends with an s, heard without it."""

from __future__ import annotations

from hub.values.house import Area
from hub.values.intent import Match
from hub.values.session import Session
from hub.values.thing import Thing
from tests.intents.homes import Home

LIGHTS = Thing(id="light.kitchen_lights", name="Kitchen lights", area="kitchen")
COUNTER = Thing(id="light.counter", name="Counter", area="kitchen")


async def meant(home: Home, text: str) -> tuple[str, ...]:
    """Return the names that a sentence is for."""
    answer = await home.intents.recognize(text, Session(id="test"))
    assert isinstance(answer, Match)
    return tuple(entity for call in answer.calls for entity in call.target.entities)


async def test_the_thing_of_that_name_is_meant_not_all_of_its_kind_in_the_room() -> None:
    home = Home()
    with home.furnished(LIGHTS, COUNTER, areas=(Area(id="kitchen", name="Kitchen"),)):
        assert await meant(home, "turn on the kitchen lights") == (LIGHTS.id,)
        assert await meant(home, "turn on the kitchen light") == (LIGHTS.id,)


async def test_another_thing_that_is_called_so_comes_first() -> None:
    home = Home()
    single = Thing(id="light.single", name="Kitchen light", area="kitchen")
    with home.furnished(LIGHTS, single, areas=(Area(id="kitchen", name="Kitchen"),)):
        assert await meant(home, "turn on the kitchen light") == (single.id,)
        assert await meant(home, "turn on the kitchen lights") == (LIGHTS.id,)
